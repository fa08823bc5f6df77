# SPDX-License-Identifier: MIT
"""What people met in their first hours, as they met it: bounds, noise, failures, false success, budgets, ask and tell."""
import numpy as np
import pytest

import zoprox


def inside(x):
    assert (x >= 0).all() and (x <= 1).all(), x
    return float(((x - 2) ** 2).sum())


@pytest.mark.parametrize("how", [{}, {"noise": 0.01}])
def test_bounds_are_never_left(how):
    random = np.random.default_rng(1)
    r = zoprox.minimize(lambda x: inside(x) + (0.01 * random.normal() if how else 0), [0.5] * 3, bounds=[(0, 1)] * 3, **how)
    assert np.allclose(r.x, 1, atol=0.05 if how else 1e-9)


def test_random_failures_do_not_end_a_run():
    random = np.random.default_rng(1)
    r = zoprox.minimize(lambda x, i: np.nan if random.random() < 0.01 else ((x - i % 3) ** 2).sum(), [0.0] * 5, n=30, units=40, nonfinite="retry")
    assert r.success and np.allclose(r.x, 1, atol=1e-4)


@pytest.mark.parametrize("bad", [ValueError, ZeroDivisionError, None])
def test_a_region_that_fails(bad):
    def fun(x):
        if x[0] > 2.2:
            if bad:
                raise bad("too far")
            return np.nan
        return (x[0] - 2.1) ** 2 + (x[1] - 1) ** 2
    r = zoprox.minimize(fun, [0.0, 0.0])
    assert np.allclose(r.x, [2.1, 1], atol=1e-3)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_noise_does_not_end_it_early(seed):
    random = np.random.default_rng(seed)
    scale = np.array([1.0, 2.0, 5.0])
    r = zoprox.minimize(lambda x: ((scale * (x - 0.3)) ** 2).sum() + 1e-4 * random.normal(), [0.9] * 3, bounds=[(0, 1)] * 3, queries=2000)
    assert ((scale * (r.x - 0.3)) ** 2).sum() < 2e-3


def test_no_false_success():
    assert not zoprox.minimize(lambda x: x.sum(), [0.0, 0.0]).success
    top = zoprox.minimize(lambda x: (x ** 4 - x ** 2).sum(), [0.0, 0.0])
    assert not top.success or np.allclose(np.abs(top.x), np.sqrt(0.5), atol=1e-3)
    scales = np.logspace(-3, 3, 10)
    r = zoprox.minimize(lambda x: ((x * scales - 1) ** 2).sum(), [0.0] * 10, queries=20000)
    assert not r.success or r.fun < 1e-8, r
    random = np.random.default_rng(3)
    q = np.linalg.qr(random.normal(size=(40, 40)))[0]
    a = q * np.logspace(-3, 3, 40) @ q.T
    r = zoprox.minimize(lambda x: ((a @ x - 1) ** 2).sum(), [0.0] * 40, queries=20000)
    assert not r.success or r.fun < 1e-4, r


@pytest.mark.parametrize("queries", [50, 200, 1000])
def test_the_budget_is_every_call(queries):
    calls = []
    r = zoprox.minimize(lambda x, i: calls.append(i) or float(((x - i) ** 2).sum()), [0.0] * 4, n=10, queries=queries)
    assert len(calls) == r.nfev <= queries and np.isfinite(r.fun)
    r = zoprox.minimize(lambda x, i: float(((x - i) ** 2).sum()), [0.0] * 4, n=10, queries=queries, track="charged")
    assert np.isfinite(r.fun)


@pytest.mark.parametrize("seed", range(4))
def test_small_budgets_buy_something(seed):
    rows = np.random.default_rng(seed).normal(size=(80, 12))
    for units in 1, 1.5, 2, 3, 4:  # a lower F, or words that say why not
        r = zoprox.minimize(lambda x, i: float(np.tanh(rows[i] @ x - 1) ** 2 + 0.01 * x @ x), [0.0] * 12, n=80, units=units)
        assert r.nfev <= 960 * units and r.fun < np.tanh(1) ** 2 + 1e-12, r
        assert r.fun < 0.99 * np.tanh(1) ** 2 or "no step was taken" in r.warning and units < 3, r


def test_ask_and_tell_to_the_end():
    solver = zoprox.Solver(None, d=2, n=1, method="mean")
    while True:
        fan = solver.ask()
        if fan is None:
            break
        assert set(fan.components) == {0}
        points = fan.points.reshape(-1, 2)
        solver.tell(fan.answers_from(((points - 1) ** 2).sum(axis=1).repeat(1 if fan.own else fan.shape[1]).reshape(fan.shape)))
    report = solver.report
    assert report.success and report.reason == "end" and np.allclose(solver.point, 1, atol=1e-5)


def test_message_and_warning_name_one_component():
    r = zoprox.minimize(lambda x, i: np.nan if i == 7 and x[0] != 0 else float(((x - 1) ** 2).sum()), [0.0] * 3, n=20, units=20, nonfinite="stop")
    assert r.reason == "nonfinite" and "7" in r.message and "7" in r.warning


def test_what_is_fixed_costs_nothing():
    def fun(x):
        return float(((x - np.linspace(-1, 1, len(x))) ** 2 * np.arange(1, len(x) + 1)).sum() + (x[:20].sum() - 1) ** 4)
    half = zoprox.minimize(lambda x: fun(x), [0.0] * 40, bounds=[(-3, 3)] * 20 + [(0.5, 0.5)] * 20)
    free = zoprox.minimize(lambda x: fun(np.concatenate([x, [0.5] * 20])), [0.0] * 20, bounds=[(-3, 3)] * 20)
    assert abs(half.nfev - free.nfev) <= 0.1 * free.nfev and np.allclose(half.x[:20], free.x, atol=1e-4)
