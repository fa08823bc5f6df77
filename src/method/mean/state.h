/* mean within its files: quasi-Newton on the mean of f, whose values have noise eps >= 0.
 * SPDX-License-Identifier: MIT
 *
 * Each phase asks and hears its stages; what it finds is a verdict, and mean.c decides what comes next. */
#ifndef ZO_METHOD_MEAN_STATE_H
#define ZO_METHOD_MEAN_STATE_H

#include "method/core/descent.h"
#include "method/mean/rules.h"

enum {                  /* stage: what is asked next */
       ASK_NOISE,       /* f(x), twice */
       ASK_SLOPES,      /* exact: slopes along the axes in axes, */
       ASK_BENDS,       /* how f bends along all of them, */
       ASK_POINT,       /* and its value at a candidate */
       ASK_LADDER,      /* noise: a direction at several lengths, */
       ASK_LOOK,        /* slopes, */
       ASK_CROSS,       /* cross differences, */
       ASK_STEP,        /* and the value at a candidate */
       ASK_PROOF,       /* is the end what it seems? */
       ASK_SEARCH,      /* a generation of points around x */
       ASK_KINK_SLOPES, /* kinks: slopes, */
       ASK_KINK_POINT,  /* the value at a candidate, */
       ASK_KINK_BEYOND, /* and a little farther on */
       ASK_NOTHING
};

typedef enum verdict {
    GOES_ON,
    EXACT,   /* values repeat */
    NOISY,   /* values have noise that was not known */
    JUMPY,   /* slopes jump within steps: has f kinks? */
    RIPPLES, /* steps win suspiciously little: is f smooth? */
    STILL,   /* no point is better than x, as far as can be seen */
    PROVEN,  /* and that is so because slopes vanish */
    SUSPECT, /* it is not, or that cannot be said */
    LOWER,   /* a better point was found by the way: it is x now */
    ENDLESS  /* F falls without end */
} verdict;

/* Jumps of slopes within steps: none so far, seen, followed as kinks, or of ripples, and no matter. */
enum { JUMPS_NONE, JUMPS_SEEN, JUMPS_FOLLOWED, JUMPS_RIPPLES };

/* State, in structs of 8 bytes a field. */

typedef struct known_kinks { /* jumps of slopes, and what was tried about them */
    uint64_t jumps;          /* one of the above */
    uint64_t kinked,
        around;         /* 1: f has kinks; how often what is around the best point was tried, */
    double around_from; /* and F there, the last time */
} known_kinks;

typedef struct known {       /* of F, and how far the run is: mean.c, exact.c's measure */
    double scale;            /* of F: what a decrease is measured by */
    double steep;            /* |g| at the first slopes */
    double objective;        /* F(x) */
    double least;            /* F at kept */
    double falls;            /* what the step at hand promises */
    uint64_t begun;          /* 1: known are */
    double first, home;      /* F at the start, and max(1, |x|) */
    uint64_t asked;          /* queries so far, */
    double spent;            /* and before mean went on */
    uint64_t anew, searches; /* how often it began anew, by a search */
    known_kinks rough;
} known;

typedef struct noise_state { /* mean.c */
    double level;            /* of one answer, as measured last; 0: never */
    double seen;             /* of the mean in a table of differences; 0: none (proof.c) */
    double fixed;            /* 1: it is a function of x: averages do not help */
    double copies;           /* values that are averaged into one */
    uint64_t repeats;        /* values at x so far, */
    double average, squares; /* their mean, and their squares about it */
    double height;           /* |f| where noise was measured, */
    uint64_t fell;           /* 1: it has fallen since, and noise is measured again */
} noise_state;

typedef struct walk_line { /* a step, and others along the path of it */
    double factor;         /* of the matrix along the path of steps, for the next */
    double good, bad;      /* of the best so far, and of the shortest that was too long; 0: none */
    double won, lowest;    /* what the best is below F(x); f there */
    double promise;        /* of the first step from x */
} walk_line;

typedef struct walk_doubts { /* is f smooth, and defined where it is asked? */
    double since, then;      /* queries and F, a few gradients ago */
    uint64_t smooth;         /* 1: there was no reason to doubt it, or it was looked at */
    uint64_t edges;          /* steps in a row that were cut off where f has no value */
    uint64_t edge;           /* 1: so is this one */
    double left;             /* f at the point before x */
    uint64_t uneven;         /* bits of the last steps, the last one first: slopes jumped */
    uint64_t calm;           /* 1: tables have shown no ripples */
} walk_doubts;

typedef struct walk { /* exact.c */
    uint64_t axes;    /* axes that are asked next */
    uint64_t per;     /* points on each: 1, or 2 for central slopes */
    uint64_t unasked; /* slopes at x that are only foretold */
    uint64_t passed;  /* looks in a row that passed over axes */
    uint64_t tried;   /* values since the last slopes */
    uint64_t begun;   /* 1: its first slopes are known */
    uint64_t mended;  /* 1: sizes that were only guessed were wrong, and are not any more */
    uint64_t valued;  /* 1: f(x) is known, where x is the centre */
    uint64_t learnt;  /* the step up to which the matrix has learnt */
    uint64_t axial;   /* 1 + the step at which the matrix was made of bends along axes */
    uint64_t central; /* 1 + the step at which slopes became central */
    double value;     /* f(x) */
    uint64_t pending; /* the stage that comes next, where something else is asked before */
    walk_line line;
    walk_doubts doubts;
} walk;

typedef struct look { /* noisy.c */
    uint64_t looks, central, metric, sides, whole_from;
    uint64_t lost; /* looks in a row with points that have no value */
    double agrees;
} look;

typedef struct proof {  /* proof.c */
    uint64_t early;     /* 1: tables alone, in the middle of a run */
    uint64_t tables;    /* that were asked */
    uint64_t kinked;    /* 1: f bends as at a kink */
    uint64_t vanish;    /* 1: slopes do */
    uint64_t swings;    /* 1: second differences do, as those of noise */
    double eps[TABLES]; /* what the tables show */
} proof;

typedef struct search { /* search.c */
    uint64_t generation, idle;
    double sigma;                 /* of a step, in units of the spread */
    double begun, lowest, recent; /* F: at its begin, at best, the lowest so far */
} search;

typedef struct kinks_line { /* a step along p */
    double lower;           /* f at the best point */
    double slope, longest;  /* g'p; p in units of sizes */
    double t, low, high;    /* the step that is tried, one too short, one too long */
    double beyond;          /* how much farther the slope there is asked */
    uint64_t tried, found;  /* lengths; 1: one is lower */
} kinks_line;

typedef struct kinks {      /* kinks.c */
    double value;           /* f(x) */
    double since, then;     /* queries and F, many gradients ago, */
    double fell;            /* and what F fell by until then */
    uint64_t valued, moved; /* 1: f is known where slopes are asked; there is a point before x */
    uint64_t begun, learnt; /* 1: there is a W; it has learnt */
    double part;            /* of sizes: how long differences are */
    kinks_line line;
} kinks;

typedef struct mean {
    method base;
    known *at;
    noise_state *noise;
    walk *walk;
    look *look;
    descent *descent; /* of noisy steps */
    proof *proof;
    search *search;
    kinks *kinks;
    double *g, *g_before, *before; /* d: slopes at x and at the x before, and that */
    double *centre;                /* d: where f is walk->value */
    double *kept;                  /* d: the best point whose value repeats: F is at->least there */
    double *cand, *best;           /* d: the point that is tried; the best so far */
    double *size;                  /* d: of a coordinate: the largest |x_j| so far, or 1 */
    double *reach, *bends, *drift; /* d: radii (noise); bends; the last changes of slopes */
    double *matrix, *steady;       /* d x d: B, and as it was before values were told */
    double *middle, *path, *pull;  /* d: of a search */
    double *spread;                /* d x d: its covariance */
    uint32_t *axes;                /* d: axes to ask, then those that are not */
    /* scratch */
    double *work, *image, *y; /* d */
    double *radii;            /* 2 d, and a few */
    uint32_t *asked;          /* 2 d: axes of a question */
    double *root;             /* d x d: of the covariance */
    double *dir;              /* rows of directions */
    uint64_t *comp;           /* components of a question */
    quad_room room;
} mean;

/* look.c: questions along axes, inside psi's domain */
double mean_eps(const mean *s); /* noise of one value of the mean */
void mean_measure_sizes(mean *s);
/* The components that stand for all, a part of them or more, copies included. */
void mean_components(mean *s, zo_fan *fan, double part);
int mean_inside(mean *s, size_t j, double v);
void mean_ask_axes(mean *s, zo_fan *fan, const uint32_t *axes, size_t count, int per,
                   const double *reach, double times);
/* The k-th of them: slope and, with two points, bend; value: f(x), 0 where answers are differences. */
void mean_read_axis(const mean *s, const double *answers, size_t k, double value, double *slope,
                    double *bend);
local_model mean_model(mean *s); /* for steps */

/* matrix.c */
void mean_from_axes(mean *s);   /* B = bends */
void mean_from_slopes(mean *s); /* B where there is no budget for bends */
/* The same, or a power; bend: along MIXED directions of signs. */
void mean_begin_matrix(mean *s, const double *bend);
void mean_learn(mean *s); /* B from the change of slopes since before */
/* a = |a|, and at least least; v: d x d, scratch. */
void mean_absolute(size_t d, double *a, double *v, double least);

/* exact.c */
void exact_begin(mean *s);
void exact_begin_at(mean *s, double value); /* where f(x) is known */
void exact_go_on(mean *s);                  /* where it stood */
void exact_ask(mean *s, zo_fan *fan);
verdict exact_tell(mean *s, const double *answers);

/* noisy.c */
void noisy_begin(mean *s, const double *bent); /* d x d, or NULL */
void noisy_doubt(mean *s);                     /* the first look is central */
void noisy_ask(mean *s, zo_fan *fan);
verdict noisy_tell(mean *s, const double *answers);

/* turned.c: looks along the matrix's own directions */
int turned_suits(const mean *s);
void turned_ask(mean *s, zo_fan *fan);
void turned_learn(mean *s, const double *answers); /* slopes, bends, matrix */

/* proof.c */
void proof_begin(mean *s, int early);
void proof_ask(mean *s, zo_fan *fan);
verdict proof_tell(mean *s, const double *answers);

/* search.c */
size_t search_points(size_t d);
void search_begin(mean *s, double part); /* steps of so large a part of each coordinate's size */
void search_ask(mean *s, zo_fan *fan);
verdict search_tell(mean *s, const double *answers);

/* kinks.c */
int kinks_suit(const mean *s);
void kinks_begin(mean *s);                   /* from x, with its matrix */
void kinks_begin_near(mean *s, double part); /* from a random point so near to x, in sizes */
void kinks_ask(mean *s, zo_fan *fan);
verdict kinks_tell(mean *s, const double *answers);

/* next.c: what comes next, where a phase has come to a verdict; the best point is kept */
void mean_next(mean *s, uint64_t stage, verdict v);
double
mean_most_copies(const mean *s); /* of values that are averaged into one, components included */

#endif
