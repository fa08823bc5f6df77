# SPDX-License-Identifier: MIT
"""Residuals: one call gives all of them; fields and losses are SciPy's."""
import threading

import numpy as np
import pytest

import zoprox

T = np.linspace(0, 5, 30)
Y = 3 * np.exp(-0.7 * T) + 1 + 0.02 * np.sin(40 * T * T)


def model(x):
    return x[0] * np.exp(-x[1] * T) + x[2] - Y


def test_fields_and_calls():
    calls = []

    def fun(x):
        calls.append(x.copy())
        return model(x)

    s = zoprox.least_squares(fun, [1.0, 1.0, 0.5])
    assert s.success and s.status == 1 and s.method == "lm"
    assert s.nfev == len(calls) <= 50
    assert np.allclose(s.fun, model(s.x), atol=1e-12)
    assert np.isclose(s.cost, 0.5 * (model(s.x) ** 2).sum(), rtol=1e-12)
    assert s.jac.shape == (30, 3) and np.abs(s.grad).max() < 1e-6 and s.optimality < 1e-6
    exact = np.stack([np.exp(-s.x[1] * T), -s.x[0] * T * np.exp(-s.x[1] * T), np.ones_like(T)], axis=1)
    assert np.allclose(s.jac, exact, atol=1e-3)
    covariance = np.linalg.inv(exact.T @ exact) * (s.fun ** 2).sum() / (30 - 3)
    assert np.allclose(s.covariance, covariance, rtol=1e-3)
    assert np.allclose(s.error, np.sqrt(np.diag(covariance)), rtol=1e-4)
    assert len(s.undetermined) == 0 and s.sensitivity.shape == (3,)


@pytest.mark.parametrize("loss", ["linear", "huber", "soft_l1", "cauchy"])
def test_as_scipy(loss):
    scipy = pytest.importorskip("scipy.optimize")
    data = Y.copy()
    data[4] += 3

    def fun(x):
        return x[0] * np.exp(-x[1] * T) + x[2] - data

    theirs = scipy.least_squares(fun, [1.0, 1.0, 0.5], loss=loss, f_scale=0.1, xtol=1e-15, ftol=1e-15, gtol=1e-15)
    ours = zoprox.least_squares(fun, [1.0, 1.0, 0.5], loss=loss, f_scale=0.1)
    assert ours.cost <= theirs.cost * (1 + 1e-8)
    assert np.allclose(ours.x, theirs.x, atol=1e-4)


def test_bounds_are_kept():
    low, high = np.array([0.0, 0.0, -1.0]), np.array([2.5, 5.0, 5.0])

    def fun(x):
        assert (x >= low).all() and (x <= high).all()
        return model(x)

    s = zoprox.least_squares(fun, [1.0, 1.0, 0.5], bounds=(low, high))
    assert s.x[0] == 2.5 and list(s.active_mask) == [1, 0, 0]


def test_l1_and_minimize():
    A = np.random.default_rng(3).normal(size=(40, 8))
    b = A[:, :2] @ np.array([1.0, -2.0])
    s = zoprox.minimize(lambda x: A @ x - b, np.ones(8), residuals="squares", prox="l1:0.05", points=200)
    assert s.nfev <= 200 and s.method == "lm"
    assert (s.x[2:] == 0).sum() >= 4 and s.x[0] > 0.5 and s.x[1] < -1.5


def test_budget_and_threads():
    count = []
    s = zoprox.least_squares(lambda x: count.append(1) or model(x), [1.0, 1.0, 0.5], points=6)
    assert len(count) == s.nfev == 6 and not s.success and s.status == 0
    names = set()

    def fun(x):
        names.add(threading.get_ident())
        return model(x)

    s = zoprox.least_squares(fun, [1.0, 1.0, 0.5], threads=3)
    assert s.success and np.allclose(model(s.x) @ s.jac, 0, atol=1e-5)


def test_not_determined():
    s = zoprox.least_squares(lambda x: np.array([x[0] + x[1] - 1, 2 * (x[0] + x[1]) - 2.1, x[2] - 1, x[2] - 1.1]),
                             [0.0, 1.0, 2.0])
    assert list(s.undetermined) == [0, 1] and np.isfinite(s.error[2])


def test_sentences():
    with pytest.raises(zoprox.ArgumentError, match="loss: expected one of"):
        zoprox.least_squares(model, [1.0, 1.0, 0.5], loss="cube")
    with pytest.raises(zoprox.ArgumentError, match="a vector of residuals"):
        zoprox.least_squares(lambda x: np.ones((2, 2)), [1.0])
    with pytest.raises(ZeroDivisionError):
        zoprox.least_squares(lambda x: [1 // int(x[0] - 1)], [1.0])
    with pytest.raises(zoprox.ArgumentError, match="points: this problem is paid by component"):
        zoprox.minimize(lambda x: x[0] ** 2, [1.0], points=7)


@pytest.mark.parametrize("how", [{"points": 1}, {"points": 60}, {"points": 60, "workers": map}])
def test_residuals_that_came_are_not_nan(how):
    """However a run ends, the residuals at the point that is returned are those that fun gave there."""
    given, room = {}, np.empty(2)

    def fun(x):
        if x[0] >= 1:
            raise RuntimeError("it ends here")
        room[:] = x[0] - 3, x[1]  # the same array every time
        given[x.tobytes()] = room.copy()
        return room

    s = zoprox.least_squares(fun, [0.0, 1.0], bounds=([-5, -5], [5, 5]), **how)
    assert np.array_equal(s.fun, given[s.x.tobytes()]), s
    assert s.cost == pytest.approx(s.fun @ s.fun / 2)
