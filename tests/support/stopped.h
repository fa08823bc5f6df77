/* A run that is stopped again and again is the run that was not.
 * SPDX-License-Identifier: MIT */
#ifndef ZO_TESTS_STOPPED_H
#define ZO_TESTS_STOPPED_H

#include "runs.h"
#include "solve/solver.h"

/* One question and its answer; 0: there is none. */
static inline int go_on(zo_solver *solver)
{
    const zo_fan *fan;
    zo_error e = {0};
    assert_int_equal(zo_ask(solver, &fan, &e), ZO_OK);
    if (!fan) return 0;
    double *answers = calloc(zo_fan_answers(fan), sizeof *answers);
    assert_int_equal(solver->problem.answer(solver->problem.ctx, fan, answers), 0);
    assert_int_equal(zo_tell(solver, answers, &e), ZO_OK);
    free(answers);
    return 1;
}

/* After every so many of at most most questions the run is saved, and goes on in another solver: it is the same run. */
static inline void stopped_often(const zo_problem *p, const zo_settings *set, const char *file,
                                 int every, int most)
{
    zo_solver *straight = solver_of(p, set), *broken = solver_of(p, set);
    zo_error e = {0};
    for (int k = 0; k < most && go_on(straight); k++) {
        assert_true(go_on(broken));
        if (k % every) continue;
        remove(file);
        assert_int_equal(zo_save(broken, file, &e), ZO_OK);
        zo_free(broken);
        assert_int_equal(zo_new(&broken, p, set, &e), ZO_OK);
        if (zo_load(broken, file, &e)) fail_msg("%s", e.text);
    }
    assert_memory_equal(zo_point(straight), zo_point(broken), p->d * sizeof(double));
    remove(file);
    zo_free(straight);
    zo_free(broken);
}

#endif
