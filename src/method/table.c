/* The methods, one row each; nothing else knows their names.
 * SPDX-License-Identifier: MIT */
#include "method/core/rows.h"

#include <string.h>

#include "method/core/method.h"

/* The one list: what a method says of itself (rows.h), and the functions behind it. */
#define METHODS(X)                                                                                 \
    X(ROW_AUTO, auto_row)                                                                          \
    X(ROW_ZPDVR, zpdvr_row)                                                                        \
    X(ROW_ZPVR, zpvr_row)                                                                          \
    X(ROW_ZPSVRG, zpsvrg_row)                                                                      \
    X(ROW_SEGA, sega_row)                                                                          \
    X(ROW_ZOSGD, zosgd_row)                                                                        \
    X(ROW_PGD, pgd_row)                                                                            \
    X(ROW_FISTA, fista_row)                                                                        \
    X(ROW_PSVRG, psvrg_row)                                                                        \
    X(ROW_SAGA, saga_row)                                                                          \
    X(ROW_INQ, inq_method_row)                                                                     \
    X(ROW_SINQ, sinq_row)                                                                          \
    X(ROW_SUPPORTS, supports_row)                                                                  \
    X(ROW_SPARSE, sparse_row)                                                                      \
    X(ROW_THIN, thin_row)                                                                          \
    X(ROW_LM, lm_row)                                                                              \
    X(ROW_MEAN, mean_row)

#define DECLARE(info, row) extern const method_row row;
#define INFO(info, row) info,
#define ADDRESS(info, row) &row,
METHODS(DECLARE)
static const zo_method_row infos[] = {METHODS(INFO)};
static const method_row *const table[] = {METHODS(ADDRESS)};
enum { COUNT = sizeof table / sizeof *table };

const method_row *const *method_table(size_t *count)
{
    *count = COUNT;
    return table;
}

const zo_method_row *zo_method_rows(size_t *count)
{
    *count = COUNT;
    return infos;
}

const method_row *method_find(const char *name)
{
    for (size_t k = 0; k < COUNT; k++)
        if (!strcmp(table[k]->info.name, name)) return table[k];
    return NULL;
}
