/* A plan: every component is asked once, in questions no larger than allowed, by rank, and what is damaged is refused.
 * SPDX-License-Identifier: MIT */
#include "runs.h"

#include "method/core/plan.h"
#include "settings_of.h"

typedef struct planned {
    toy t;
    method *m;
    plan p;
} planned;

static void open_plan(planned *a)
{
    zo_error e = {0};
    zo_settings set = settings_of("pgd");
    *a = (planned){0};
    toy_fill(&a->t, 0.1);
    zo_problem p = toy_problem(&a->t, 0.01);
    assert_int_equal(method_new(&a->m, &p, &set, &e), ZO_OK);
    assert_true(plan_open(&a->p, a->m));
}

static void close_plan(planned *a) { method_free(a->m); }

/* Asks all, so many at once at most; counts how often each is in a question. */
static void ask_all(planned *a, size_t most, int by_rank, int *times)
{
    memset(times, 0, TOY_N * sizeof *times);
    do {
        zo_fan *fan = &a->m->fan;
        (by_rank ? plan_ranked_chunk : plan_chunk)(&a->p, fan, most);
        assert_true(fan->ncomp >= 1 && fan->ncomp <= most);
        for (size_t e = 0; e < fan->ncomp; e++) times[fan->comp[e]]++;
    } while (!plan_done(&a->p));
}

static void each_is_asked_once(void **state)
{
    (void)state;
    planned a;
    int times[TOY_N];
    open_plan(&a);
    for (size_t most = 1; most < 2 * TOY_N; most += 7) {
        plan_over(&a.p, OF_ORDER, 0, TOY_N);
        ask_all(&a, most, 0, times);
        for (size_t i = 0; i < TOY_N; i++) assert_int_equal(times[i], 1);
    }
    plan_clear(&a.p);
    for (size_t i = 0; i < TOY_N; i++) plan_add(&a.p, i);
    plan_queue(&a.p);
    ask_all(&a, 9, 0, times);
    for (size_t i = 0; i < TOY_N; i++) assert_int_equal(times[i], 1);
    close_plan(&a);
}

static void queue_and_tail_are_apart(void **state)
{
    (void)state;
    planned a;
    int times[TOY_N];
    open_plan(&a);
    for (size_t i = 0; i < TOY_N; i++) (i % 3 ? plan_add : plan_add_tail)(&a.p, i);
    assert_true(plan_sane(&a.p));
    plan_queue(&a.p);
    ask_all(&a, 4, 0, times);
    for (size_t i = 0; i < TOY_N; i++) assert_int_equal(times[i], i % 3 != 0);
    plan_tail(&a.p);
    ask_all(&a, 4, 0, times);
    for (size_t i = 0; i < TOY_N; i++) assert_int_equal(times[i], i % 3 == 0);
    plan_once(&a.p);
    assert_true(plan_done(&a.p));
    close_plan(&a);
}

static void ranks_are_asked_together(void **state)
{
    (void)state;
    planned a;
    unsigned char rank[TOY_N];
    size_t seen = 0, last = 0;
    open_plan(&a);
    for (size_t i = 0; i < TOY_N; i++)
        rank[i] = (unsigned char)(i % 5 == 4 ? PLAN_RANKS + 1 : i % 5);
    plan_by_rank(&a.p, NULL, TOY_N, rank);
    assert_int_equal(a.p.queued, TOY_N - TOY_N / 5); /* rank 0 is not asked */
    plan_queue(&a.p);
    do {
        zo_fan *fan = &a.m->fan;
        size_t r = plan_rank(&a.p);
        plan_ranked_chunk(&a.p, fan, 8);
        assert_true(r >= last && fan->ncomp <= 8);
        for (size_t e = 0; e < fan->ncomp; e++) assert_int_equal(rank[fan->comp[e]], r);
        seen += fan->ncomp;
        last = r;
    } while (!plan_done(&a.p));
    assert_int_equal(seen, a.p.queued);
    assert_int_equal(last, PLAN_RANKS + 1);
    close_plan(&a);
}

static void damage_is_seen(void **state)
{
    (void)state;
    planned a;
    open_plan(&a);
    plan_over(&a.p, OF_ORDER, 3, 2);
    assert_false(plan_sane(&a.p));
    plan_once(&a.p);
    assert_true(plan_sane(&a.p));
    a.p.tail = TOY_N + 1;
    assert_false(plan_sane(&a.p));
    a.p.tail = 0;
    a.p.ranked[2] = 1;
    assert_false(plan_sane(&a.p));
    close_plan(&a);
}

/* From the tail to the queue, in the order in which they came, also where all are in it. */
static void the_tail_becomes_the_queue(void **state)
{
    (void)state;
    planned a;
    open_plan(&a);
    for (uint64_t count = 0; count <= TOY_N; count++)
        for (uint64_t most = count / 2; most <= count + 1; most += count / 2 + 1) {
            plan_clear(&a.p);
            for (uint64_t i = 0; i < count; i++) plan_add_tail(&a.p, i);
            plan_take_tail(&a.p, most);
            assert_int_equal(a.p.tail, 0);
            assert_int_equal(a.p.queued, count < most ? count : most);
            for (uint64_t k = 0; k < a.p.queued; k++) assert_int_equal(a.p.queue[k], k);
        }
    close_plan(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_is_asked_once),       cmocka_unit_test(the_tail_becomes_the_queue),
        cmocka_unit_test(queue_and_tail_are_apart), cmocka_unit_test(ranks_are_asked_together),
        cmocka_unit_test(damage_is_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
