# SPDX-License-Identifier: MIT
"""SciPy's words, and scipy.optimize.minimize itself."""
import numpy as np
import pytest

import zoprox
from small import run, square

optimize = pytest.importorskip("scipy.optimize")
sparse = pytest.importorskip("scipy.sparse")


def bowl(x):
    return float(((x - [1.0, -2.0, 0.5]) ** 2).sum())


def test_a_method_of_scipy():
    r = optimize.minimize(optimize.rosen, [-1.2, 1.0], method=zoprox.scipy)
    assert r.success and np.allclose(r.x, 1, atol=1e-4) and isinstance(r, optimize.OptimizeResult)
    few = optimize.minimize(optimize.rosen, [-1.2, 1.0], method=zoprox.scipy, options={"maxfev": 30})
    assert few.nfev <= 30 and not few.success
    inside = optimize.minimize(bowl, [0.0] * 3, method=zoprox.scipy, bounds=optimize.Bounds(0, 0.75))
    assert np.allclose(inside.x, [0.75, 0, 0.5], atol=1e-5)
    shifted = optimize.minimize(lambda x, a, b: (x[0] - a) ** 2 + b, [0.0], args=(3.0, 1.0), method=zoprox.scipy, tol=1e-8)
    assert np.allclose(shifted.x, 3, atol=1e-6) and shifted.fun == pytest.approx(1)
    sparse = optimize.minimize(bowl, [0.0] * 3, method=zoprox.scipy, options={"prox": "l1:2", "solver": "mean"})
    assert np.allclose(sparse.x, [0, -1, 0], atol=1e-5) and sparse.method == "mean"


def test_what_scipy_passes_and_we_do_not_use():
    with pytest.warns(RuntimeWarning, match=r"does not use gradient information \(jac\)"):
        r = optimize.minimize(lambda x: (bowl(x), 2 * (x - 1)), [0.0] * 3, jac=True, method=zoprox.scipy)
    assert r.success and np.allclose(r.x, [1, -2, 0.5], atol=1e-5)
    with pytest.warns(RuntimeWarning, match="Hessian information"):
        optimize.minimize(bowl, [0.0] * 3, hess=lambda x: np.eye(3), method=zoprox.scipy)
    with pytest.raises(zoprox.ArgumentError, match="constraints: linear ones are understood"):
        optimize.minimize(bowl, [0.0] * 3, method=zoprox.scipy, constraints=[{"type": "eq", "fun": lambda x: x[0]}])
    with pytest.raises(zoprox.ArgumentError, match="has no argument 'fatol'; here it is 'tol'"):
        optimize.minimize(bowl, [0.0] * 3, method=zoprox.scipy, options={"fatol": 1})


def test_linear_constraints():
    """As SLSQP has it, for equations, inequalities on one or both sides, several of them, sparse ones, and bounds beside them."""
    line, wedge = optimize.LinearConstraint([[1, 1, 1]], 1, 1), optimize.LinearConstraint([[1, 0, -1], [0, 1, 1]], [-np.inf, -1], 0.25)
    for given in (line, wedge, [line, wedge], optimize.LinearConstraint(sparse.csr_matrix([[1.0, 2.0, 0.0]]), 0.5, np.inf)):
        for bounds in (None, optimize.Bounds(-1.5, 0.9)):
            ours = optimize.minimize(bowl, [0.0] * 3, method=zoprox.scipy, constraints=given, bounds=bounds)
            dense = given if isinstance(given, list) else optimize.LinearConstraint(getattr(given.A, "toarray", lambda: given.A)(), given.lb, given.ub)
            theirs = optimize.minimize(bowl, [0.0] * 3, method="SLSQP", constraints=dense, bounds=bounds)
            assert theirs.success and np.allclose(ours.x, theirs.x, atol=1e-4), (ours, theirs)
    with pytest.raises(zoprox.ArgumentError, match="constraints: they are a psi here, and options has a prox"):
        optimize.minimize(bowl, [0.0] * 3, method=zoprox.scipy, constraints=line, options={"prox": "l1:1"})


def test_callbacks_of_scipy():
    seen = []
    optimize.minimize(bowl, [0.0] * 3, method=zoprox.scipy, callback=lambda x: seen.append(x.copy()))
    assert len(seen) > 1 and seen[0].shape == (3,)

    def stops(intermediate_result):
        seen.append(intermediate_result.fun)
        raise StopIteration
    r = optimize.minimize(bowl, [0.0] * 3, method=zoprox.scipy, callback=stops)
    assert isinstance(seen[-1], float) and not r.success and r.reason == "request"


@pytest.mark.parametrize("word, ours, value", [("maxfev", "queries", 700), ("maxfun", "queries", 700), ("maxiter", "steps", 3)])
def test_understood(word, ours, value):
    want = run(square, units=None, **{ours: value})
    for how in ({word: value}, {"options": {word: value}}, {"options": {ours: value}}):
        assert run(square, units=None, **how).x.tobytes() == want.x.tobytes()
    with pytest.raises(zoprox.ArgumentError, match=f"{word}: 3 is given beside {ours}=5"):
        run(square, **{"units": None, ours: 5, word: 3})
    with pytest.raises(zoprox.ArgumentError, match=f"options: '{word}' is given there and as an argument"):
        run(square, **{"units": None, word: 3, "options": {word: 3}})


def test_words_that_count_calls():
    asked = []
    r = zoprox.minimize(lambda x: asked.append(1) or x - np.arange(3.0), np.zeros(3), residuals="squares", maxfev=3)
    assert len(asked) <= 3 and not r.success


@pytest.mark.parametrize("bounds", [(0, 0.75), [(0, 0.75)] * 3, ([0] * 3, [0.75] * 3), optimize.Bounds([0] * 3, 0.75),
                                    (np.zeros(3), 0.75)])
def test_bounds_in_every_form(bounds):
    assert np.allclose(zoprox.minimize(bowl, [0.1] * 3, bounds=bounds).x, [0.75, 0, 0.5], atol=1e-5)


def test_two_pairs_are_pairs():
    r = zoprox.minimize(lambda x: float(((x - 5) ** 2).sum()), [0.0, 2.0], bounds=((0, 1), (2, 3)))
    assert np.allclose(r.x, [1, 3], atol=1e-6)
    half = zoprox.minimize(lambda x: float(((x - 5) ** 2).sum()), [0.0, 2.0], bounds=(None, 1))
    assert np.allclose(half.x, 1, atol=1e-6)


def test_disp_prints_the_result(capsys):
    r = zoprox.minimize(bowl, [0.0] * 3, disp=True)
    assert capsys.readouterr().out == f"{r}\n" and "converged" in str(r)
