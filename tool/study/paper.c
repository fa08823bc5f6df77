/* The paper's experiment: Table 2 and the grids of its appendix, word for word.
 * SPDX-License-Identifier: MIT */
#include "study/paper.h"

const char *const paper_methods[PAPER_METHODS] = {"pgd", "zpsvrg", "sega", "zpdvr"};

#define SEGA_STEPS "step=1e-3,5e-3,1e-2,5e-2,1e-1,5e-1,1,5,10"

#define A9A_GRIDS                                                                                  \
    {                                                                                              \
        "step=1e-2,5e-2,1e-1,5e-1,1,2,5,10",                                                       \
            "step=1e-3,5e-3,1e-2,5e-2,1e-1,5e-1,1;epoch=10,50,100,500,1000,5000", SEGA_STEPS,      \
            "step=1e-1,5e-1,1,5,10;refresh=1e-2,2e-2,3e-2,4e-2,5e-2"                               \
    }

static const paper_set sets[] = {
    {"a9a", NULL, 1e-4, 1e-4, 0, 1, A9A_GRIDS, 0},
    {"w8a",
     NULL,
     1e-5,
     1e-4,
     0,
     0,
     {"step=1e-1,5e-1,1,2,5,10", "step=1e-3,5e-3,7e-3,1e-2,5e-2,7e-2,1e-1;epoch=10,50,100,500,1000",
      SEGA_STEPS, "step=1e-3,7e-3,1e-2,7e-2,1e-1;refresh=5e-4,1e-3,7e-3"},
     0},
    {"covtype",
     NULL,
     1e-4,
     1e-5,
     1,
     10,
     {"step=1e-2,5e-2,1e-1,5e-1,1,2,3,4,5,10",
      "step=1e-3,5e-3,1e-2,2e-2,5e-2,1e-1;epoch=10,50,100,500,1000", SEGA_STEPS,
      "step=1e-3,5e-3,1e-2,5e-2,1e-1,5e-1,1"},
     0},
    {"gisette",
     "gisette.t",
     1e-4,
     1e-4,
     1,
     0,
     {"step=1e-4,5e-4,1e-3,5e-3,1e-2,5e-2,1e-1",
      "step=1e-4,5e-4,1e-3,5e-3,1e-2,5e-2,1e-1;epoch=10,20,50,100", SEGA_STEPS,
      "step=1e-3,5e-3,1e-2,5e-2,1e-1"},
     0},
    {"german", NULL, 1e-4, 1e-4, 0, 0, A9A_GRIDS, 1},
    {"phishing", NULL, 1e-4, 1e-4, 0, 0, A9A_GRIDS, 1},
    {"mushrooms", NULL, 1e-4, 1e-4, 0, 0, A9A_GRIDS, 1},
    {"heart_scale", NULL, 1e-4, 1e-4, 0, 0, A9A_GRIDS, 1},
};

static const char *const others[] = {"zpvr", "psvrg", "saga", "fista", "inq", "auto"};

const paper_set *paper_sets(size_t *count)
{
    *count = sizeof sets / sizeof sets[0];
    return sets;
}

const char *const *paper_others(size_t *count)
{
    *count = sizeof others / sizeof others[0];
    return others;
}
