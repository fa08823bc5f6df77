/* inq within its files: what each does. state.h has what it keeps.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_METHOD_INQ_H
#define ZO_METHOD_INQ_H

#include "method/inq/state.h"

/* state.c: memory and state */
double inq_bytes(size_t n, size_t d, double sides); /* memory that inq needs; */
/* where rows turn out to have few numbers; which method goes on where they do not, and there is no room for them */
double inq_least_bytes(size_t n, size_t d, double sides);
double inq_affordable(const inq *s); /* components that the horizon can pay for */
double inq_least_size(const inq *s); /* a sample from which on its steps are cheap to judge */
uint64_t inq_first_size(const inq *s);
zo_status inq_open(method *m, zo_error *err);
void inq_close(method *m);

/* sane.c: state that was read from a file */
const char *inq_check(const method *m); /* NULL: it can be gone on with */

/* the question of each phase */
void ask_noise(inq *s, zo_fan *fan);
void ask_gradients(inq *s, zo_fan *fan);
void ask_bends(inq *s, zo_fan *fan);
void ask_fresh(inq *s, zo_fan *fan);
void ask_try(inq *s, zo_fan *fan);
void ask_values(inq *s, zo_fan *fan);
void ask_entered(inq *s, zo_fan *fan);
void ask_renewal(inq *s, zo_fan *fan);
void ask_check(inq *s, zo_fan *fan);
void ask_across(inq *s, zo_fan *fan);
void ask_spans(inq *s, zo_fan *fan);
void ask_scale(inq *s, zo_fan *fan);
void ask_whole(inq *s, zo_fan *fan);
void ask_proof(inq *s, zo_fan *fan);
void ask_wall_rows(inq *s, zo_fan *fan);
void ask_walls(inq *s, zo_fan *fan);
void walls_learn_row(inq *s, const double *answers);
void walls_learn(inq *s, const double *answers);

/* recover.c: directions that are recovered */
int inq_begin_recovery(inq *s); /* 1: new components are asked so */
void inq_ask_recovery(inq *s, zo_fan *fan);
/* 1: all are in; those to be asked in full are in the queue's tail. */
int inq_learn_recovered(inq *s, const double *answers);
void inq_start_here(inq *s); /* the last point is where slopes are alive */
int inq_leave_start(inq *s); /* 1: they were asked at the start, and not at x */

/* lend.c: supports goes on, and may come back */
int inq_lend_sample(inq *s); /* 1: it does, with the first sample */
int inq_lend_all(inq *s);    /* 1: at the end, with all components; full: their Hessian */
void inq_take_sample(inq *s, const handover *known);

/* beside.c: do components depend on the coordinates of their spans alone? */
int inq_asks_beside(const inq *s);       /* 1: that is asked, instead of gradients again */
uint64_t inq_beside_count(const inq *s); /* of so many */
void ask_beside(inq *s, zo_fan *fan);
void inq_learn_beside(inq *s, const double *answers); /* others: to the queue's tail */

/* step.c: which candidate is tried, and what values say of it */
typedef enum inq_verdict {
    ANOTHER,        /* another candidate is to be tried */
    BETTER,         /* offer[pick] is the step to take, */
    BETTER_AS_TOLD, /* and the answers are the values of all components there */
    NO_BETTER,
    TOO_LONG /* none is better, and the shortest was the best of them */
} inq_verdict;
void inq_offer_point(inq *s);      /* cand's first is the only candidate */
int inq_says_little(inq *s);       /* 1: the sample is too small for any step */
void inq_no_steps(inq *s);         /* so far */
void inq_new_sample(inq *s);       /* begins at x */
void inq_new_round_of_all(inq *s); /* F(x) is what its steps are judged by */
void inq_boost(inq *s);            /* all candidates were too long: others, more damped */
void inq_take(inq *s);             /* offer[pick] is the step that is taken */
void inq_forgive(inq *s);          /* steps that were refused, but one */
int inq_is_judged(inq *s);         /* are the values at x of those who judge known? */
void inq_keep_judgement(inq *s, size_t count, const double *answers); /* they are these */
inq_verdict inq_judge_sample(inq *s, const double *answers);
inq_verdict inq_judge_full(inq *s, const double *answers);

/* sinq.c: components that fit in memory */
size_t sinq_part(size_t n, size_t d, double sides, double memory);
int sinq_suits(const method *m); /* are they enough to say something of the whole? */

/* sample.c: how large it is, passes over it */
void inq_project(inq *s); /* now = u'x for the sample */
void inq_mark_new(inq *s);
void inq_sum_curves(inq *s);                       /* slope, bend, g at x */
double inq_mean_of(inq *s, const double *answers); /* values of all components */
/* Sum over the sample of one number for each component. */
double inq_total(inq *s, double (*of)(const inq *s, uint64_t i));

/* model.c */
void inq_curve_model(inq *s);                     /* slope, bend, g, matrix at x */
void inq_offer(inq *s);                           /* candidates for the sample's model */
void inq_offer_full(inq *s);                      /* one candidate, at step.damping */
void inq_solve_full(inq *s, const double *start); /* it is found from there */
double inq_unit(const inq *s);
double inq_mean_value(inq *s); /* mean of f over the sample */
void inq_model(inq *s);        /* g and matrix at x, by curves or by spans */
void inq_residual(inq *s, double most);
int inq_measured(const inq *s); /* 0: every component that was seen is constant and 0 */
void inq_measure(inq *s);       /* scale and length, from the first sample; */
void inq_measure_again(inq *s); /* and from the curves of this one, where f has fallen far */

void inq_fill_columns(inq *s); /* factor form: all numbers of it */
quad inq_quad(inq *s, double damping);

/* marks: what a value says of a component; blunt: its slope is alive here, and was not where its direction was found */
enum { CERTAIN, CURVE_IN_DOUBT, DIRECTION_IN_DOUBT, DIRECTION_BLUNT };
/* span.c: components that see x through several indices */
void inq_keep_point(inq *s);
int inq_at_last_point(const inq *s);
void inq_mark_ranks(inq *s);
void inq_mark_stale(inq *s);
/* The queue: at most count components of the sample that were not asked in full at x, those asked longest ago first. */
void inq_plan_stalest(inq *s, uint64_t count);
int inq_all_told(const inq *s);
void inq_keep_values(inq *s, const double *answers);
void inq_values_told(inq *s, int known); /* those of all components at x are known; or not */
const double *inq_point(const inq *s, uint64_t number); /* numbers begin at 1 */
size_t inq_rank(const inq *s, uint64_t i);
void inq_span_row(const inq *s, uint64_t i, size_t k, double *to);           /* to = u_k */
void inq_span_project(const inq *s, uint64_t i, const double *v, double *t); /* t = U v */
void inq_span_add(const inq *s, uint64_t i, const double *t, double *to);    /* to += U't */
/* to = gradient - mu z; its length, or 0 where that is not above the blur of differences. */
double inq_slope(const inq *s, const double *gradient, const double *z, double mu, double *to);
void inq_fold(inq *s, uint64_t i); /* J += U'e, e = 0 */
void inq_span_curvature(const inq *s, uint64_t i, double b[SPAN][SPAN]);
void inq_keep_curvature(inq *s, uint64_t i, double b[SPAN][SPAN]);
/* B changes so that B step = y, and stays positive: by the symmetric update of rank one where B falls short along the
 * step, else by BFGS's; not at all where y does not bend upwards, or says nothing new above the blur of differences. */
void inq_learn_curvature(const inq *s, uint64_t i, double b[SPAN][SPAN], const double *step,
                         const double *y);

/* guess.c: spans that one gradient gives away */
void inq_find_shape(inq *s, const double *answers); /* of a spot check: what gradients share */
void inq_forget_shape(inq *s);
int inq_shape_fits(const inq *s);                    /* of what was read from a file */
int inq_has_axes(const inq *s);                      /* components depend on few coordinates each */
int inq_guess_span(inq *s, uint64_t i, double bend); /* 1: from its gradient; bend: along that */

/* span_learn.c */
void inq_enter_spans(inq *s, const double *answers); /* of a spot check */
void inq_learn_again(inq *s, const double *answers); /* full gradients */
void inq_learn_rest(inq *s, const double *answers);
void inq_learn_spans(inq *s, const double *answers); /* slopes along the span */

/* span_model.c */
void inq_span_model(inq *s);
double inq_add_gradient(inq *s, uint64_t i, double *to);

/* shared.c: what components have in common */
/* So many components that were last asked at a point: the sum of the directions that their gradients changed in. */
void inq_add_changes(inq *s, uint32_t point, uint64_t count, const double *directions);
void inq_close_changes(inq *s);
int inq_shares(const inq *s); /* does one matrix stand for all Hessians? */
size_t inq_whole_sample(const inq *s);
int inq_whole_due(inq *s);
/* Sums over components: squares of changes of gradients, and what is left of them. */
typedef struct comparison {
    double whole_error, whole_total, secant_error, outside, inside;
} comparison;
void inq_compare_shared(inq *s, uint64_t i, const double *change, const double *step,
                        comparison *to);
void inq_add_comparison(inq *s, const comparison *sum);
void inq_judge_shared(inq *s);
double inq_weight(const inq *s, uint64_t i);
double inq_mean_weight(inq *s);
void inq_weigh(inq *s, const double *z, const double *values);

/* accuracy.c: rounding, forward error, noise, and the radii that follow */
double inq_noise(const inq *s);
int inq_learn_noise(inq *s, const double *answers);
double inq_unseen(const inq *s);                         /* a decrease that F cannot show */
double inq_coarse(const inq *s, double times, double f); /* what a value near f may be off by */
double inq_blur_at(const inq *s, double r, double far, double f, double bend);
double inq_length(const inq *s, uint64_t i); /* along u_i, that it bends over */
double inq_bend_part(const inq *s);
double inq_renew_part(const inq *s);
typedef double (*inq_radius)(const inq *s, uint64_t i); /* along u_i */
double inq_bend_radius(const inq *s, uint64_t i);
double inq_renew_radius(const inq *s, uint64_t i);
void ask_ladder(inq *s, zo_fan *fan);
void inq_know_unit(inq *s, double unit); /* as ladder_unit has found it */
void inq_learn_ladder(inq *s, const double *answers);
void inq_settle_radius(inq *s); /* of differences of single components */

/* curve_learn.c: what answers say about components */
void inq_learn_gradient(inq *s, const double *answers);
void inq_learn_bend(inq *s, const double *answers);
void inq_learn_values(inq *s, const double *answers);
void inq_learn_renewed(inq *s, const double *answers);
void inq_forget_matrix(inq *s); /* directions change: it is summed anew */

/* spot.c: spot checks */
void inq_learn_check(inq *s, const double *answers);
int inq_sketched(inq *s); /* was the check along a few directions? The next ones are in full */
void inq_learn_across(inq *s, const double *answers);
void inq_correct_mu(inq *s, double more, double error); /* mu + more was measured */

/* Where directions are asked for: x, or an early point; and its number among the points. */
static inline const double *inq_place(const inq *s)
{
    return s->start.there ? s->point + s->start.place * s->base.d : s->base.x;
}
static inline double inq_place_number(const inq *s)
{
    return (double)(s->start.there ? s->start.place + 1 : s->points.count);
}

/* Is a rule on? */
static inline int inq_rule(const inq *s, int rule) { return !(s->without >> rule & 1); }

/* The ridge (mu/2)|x|^2, which is part of every component's value. */
static inline double inq_ridge(const inq *s, const double *x)
{
    return 0.5 * s->ridge.mu * vec_dot(s->base.d, x, x);
}

/* Are all components in the sample? */
static inline int inq_all(const inq *s) { return s->sample.size == s->base.n; }

/* Noise, and curves that do not explain what components do: what they promise is not to be relied on. */
static inline int inq_doubted(const inq *s)
{
    return s->base.set.noise > 0 && s->dense && !s->spans_on && s->check.misfit > most_misfit;
}

/* So many walls there may be. */
static inline uint64_t inq_most_walls(const inq *s)
{
    return s->base.n / WALL_PART < MOST_WALLS ? s->base.n / WALL_PART : MOST_WALLS;
}
/* Of a component that is one. */
static inline wall *inq_wall(const inq *s, uint64_t i)
{
    uint64_t low = 0, high = s->outliers.count;
    while (high - low > 1) {
        uint64_t k = low + (high - low) / 2;
        if (s->who[k] <= i)
            low = k;
        else
            high = k;
    }
    return &s->wall[low];
}

static inline int inq_is_wall(const inq *s, uint64_t i)
{
    return s->outliers.count && s->who[inq_wall(s, i) - s->wall] == i;
}

/* Of my components. */
static inline size_t inq_at(const inq *s, uint64_t i) { return (size_t)i - s->base.first; }
static inline double *inq_row(const inq *s, uint64_t i)
{
    return s->row + inq_at(s, i) * s->base.d;
}
static inline curve *inq_curve(const inq *s, uint64_t i) { return &s->curves[inq_at(s, i)]; }
/* Its gradient was not above rounding, it has no direction: it counts as constant until its value changes. */
static inline int inq_is_flat(const inq *s, uint64_t i) { return inq_curve(s, i)->size == 0; }
static inline span *inq_span(const inq *s, uint64_t i) { return &s->spans[inq_at(s, i)]; }
static inline double *inq_along(const inq *s, uint64_t i, size_t k)
{
    return s->within[k] + inq_at(s, i) * (k + 2);
}
static inline float *inq_layer(const inq *s, uint64_t i, size_t k)
{
    return s->layer[k] + inq_at(s, i) * s->stride;
}
/* Of a difference gradient. */
static inline double inq_blur(const inq *s) { return gradient_blur * s->scale.steep; }
/* It is asked in full at the last point, and along its span. */
static inline void inq_visit(inq *s, uint64_t i)
{
    s->asked[i] = (visits){(uint32_t)s->points.count, (uint32_t)s->points.count};
}
/* Where its direction was found. */
static inline const double *inq_found_at(const inq *s, uint64_t i)
{
    return inq_point(s, (uint64_t)inq_curve(s, i)->point);
}
/* Are the values of all components at x known? */
static inline int inq_valued(const inq *s) { return s->points.valued == s->base.step + 1; }
static inline uint64_t inq_end(const inq *s) { return s->base.first + s->base.count; }

#endif
