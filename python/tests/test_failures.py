# SPDX-License-Identifier: MIT
"""Failures are facts: an exception of fun counts as NaN, is asked again, and refused where it stays."""
import pickle

import numpy as np
import pytest

import zoprox
from zoprox.failures import Failed
from small import run, square


class Own(Exception):
    def __init__(self, a, b):  # cannot be made again from its args
        super().__init__(f"{a} {b}")


def beyond(edge, error=ValueError):
    def fun(x, i):
        if x[0] > edge:
            raise error("the mesh is torn")
        return (x[0] - 2) ** 2 * (1 + i % 3) + (x[1] - i / 10) ** 2 + np.cosh(x[0] - x[1])
    return fun


def at_random(chance, how, seed=1):
    random = np.random.default_rng(seed)

    def fun(x, i):
        if random.random() < chance:
            if how == "nan":
                return np.nan
            raise RuntimeError("the licence server did not answer")
        return square(x, i)
    return fun


@pytest.mark.parametrize("method", ["auto", "pgd", "saga", "zpdvr", "mean", "lm"])
def test_an_edge(method):
    """Nothing can be evaluated beyond 1.7, the minimizer is at 1.6, and steps go beyond it."""
    free = zoprox.minimize(beyond(np.inf), [-3.0, 4.0], n=10, units=60, method=method)
    r = zoprox.minimize(beyond(1.7), [-3.0, 4.0], n=10, units=60, method=method)
    assert r.x[0] <= 1.7 and r.fun <= 1.05 * free.fun + 0.1
    if r.failures and r.warning:
        assert "f could not be evaluated" in r.warning and "ValueError: the mesh is torn" in r.warning


def test_the_start_is_raised_as_it_was():
    with pytest.raises(ValueError, match="the mesh is torn") as caught:
        zoprox.minimize(beyond(-5), [0.0, 0.0], n=10)
    assert any(entry.name == "fun" for entry in caught.traceback)
    assert not caught.value.result.success


@pytest.mark.parametrize("kind", [TypeError, NameError, AssertionError, AttributeError])
def test_mistakes_are_raised(kind):
    with pytest.raises(kind):
        zoprox.minimize(beyond(1.7, kind), [-3.0, 4.0], n=10, units=60, method="lm")


def test_raise_is_a_choice():
    with pytest.raises(ValueError):
        zoprox.minimize(beyond(1.7), [-3.0, 4.0], n=10, units=60, method="lm", on_error="raise")
    with pytest.raises(zoprox.ArgumentError, match="on_error: expected one of nan, raise, got 'ignore'"):
        zoprox.minimize(square, [0.0], n=2, on_error="ignore")


@pytest.mark.parametrize("how", ["nan", "raise"])
@pytest.mark.parametrize("nonfinite", ["reject", "retry"])
def test_one_in_a_hundred(how, nonfinite):
    """What is asked again is paid: step for step the run is the same, and within one budget it ends a little earlier."""
    straight, r = (run(fun, units=1000, steps=300, method="pgd", nonfinite=nonfinite) for fun in (square, at_random(0.01, how)))
    assert (r.x == straight.x).all() and r.failures > 50 and r.retried >= r.failures
    assert r.nfev > straight.nfev and r.warning == straight.warning


@pytest.mark.parametrize("vectorized", [False, True])
@pytest.mark.parametrize("method", ["auto", "sega", "saga", "pgd", "mean"])
def test_every_call_is_charged(method, vectorized):
    calls, random = 0, np.random.default_rng(3)

    def one(x, i):
        nonlocal calls
        calls += 1
        return np.nan if x[0] > 0.5 or random.random() < 0.02 else square(x, i)

    def many(X, idx):
        return np.array([[one(x, i) for i in idx] for x in X])
    r = run(many if vectorized else one, queries=777, method=method, vectorized=vectorized)
    assert r.nfev == calls <= 777 and r.failures


@pytest.mark.parametrize("how", ["nan", "raise"])
def test_one_in_a_hundred_of_many_at_once(how):
    random = np.random.default_rng(2)

    def fun(X, idx):
        values = np.array([[square(x, i) for i in idx] for x in X])
        bad = random.random(values.shape) < 0.01
        if how == "raise" and bad.any():
            raise RuntimeError("one of them failed")
        return np.where(bad, np.nan, values)
    straight, r = (run(f, units=1000, steps=100, vectorized=f is fun) for f in (square, fun))
    assert (r.x == straight.x).all() and r.failures > 5


@pytest.mark.parametrize("where", [{"threads": 2}, {"workers": 2}])
def test_elsewhere(where):
    """In threads and processes: the same, and the exception comes home."""
    here = zoprox.minimize(beyond(1.7), [-3.0, 4.0], n=10, units=30, method="lm")
    r = zoprox.minimize(beyond(1.7), [-3.0, 4.0], n=10, units=30, method="lm", **where)
    assert (r.x == here.x).all() and r.failures == here.failures > 0
    with pytest.raises(ValueError, match="the mesh is torn"):
        zoprox.minimize(beyond(-5), [0.0, 0.0], n=10, **where)


def test_exceptions_that_cannot_travel():
    back = pickle.loads(pickle.dumps(Failed(Own(1, 2))))
    assert np.isnan(back) and str(back.error) == "Own: 1 2"
    assert isinstance(pickle.loads(pickle.dumps(Failed(ValueError("x")))).error, ValueError)


def test_residuals():
    t = np.linspace(0, 1, 20)

    def fun(x):
        if x[1] > 1.4:
            raise RuntimeError("diverged")
        return x[0] * np.exp(-x[1] * t) - 2 * np.exp(-1.3 * t)
    for more in ({}, {"threads": 2}, {"workers": 2}):
        r = zoprox.least_squares(fun, [0.5, 0.0], **more)
        assert np.allclose(r.x, [2, 1.3]) and r.success
        assert ("RuntimeError: diverged" in r.warning) == (r.failures > 0)


def test_told_by_hand():
    """A loop of one's own tells NaN, and is asked single points to make up for it."""
    solver = zoprox.Solver(None, [0.0, 0.0], 10, method="pgd", step=0.1)
    for _ in range(200):
        fan = solver.ask()
        points = fan.points if not fan.own else fan.points.reshape(-1, 2)
        values = np.array([[(x[0] - 1) ** 2 + (x[1] - i / 10) ** 2 if x[0] <= 1 else np.nan for i in fan.components] for x in points])
        solver.tell(fan.answers_from(values))
    assert np.allclose(solver.best, [1, 0.45], atol=1e-3) and solver.report.failures > 0


def test_a_start_that_a_small_budget_cannot_evaluate():
    """message and warning tell the same: no point around the start was tried, and which component it is."""
    for budget in 20, 22:
        r = zoprox.minimize(lambda x, i: np.nan if i == 7 else float(x @ x), [1.0, 2.0], n=20, queries=budget, method="fista")
        assert r.warning.startswith("no step was taken: f cannot be evaluated at the start, f_7 was nan"), r.warning
        assert "were tried" not in r.message and r.nfev <= budget
