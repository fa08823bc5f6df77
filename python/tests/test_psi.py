# SPDX-License-Identifier: MIT
"""Bounds, proxes of the library and of one's own."""
import pickle

import numpy as np
import pytest

import zoprox
from small import run


def test_bounds():
    pairs = run(bounds=[(None, 0.5), (0, None), (2, 3)]).x
    assert np.allclose(pairs, [0.5, 1, 2], atol=1e-4)
    scipy = pytest.importorskip("scipy.optimize")
    same = run(bounds=scipy.Bounds([-np.inf, 0, 2], [0.5, np.inf, 3])).x
    assert (same == pairs).all()


class Ridge:
    def value(self, x):
        return 0.5 * float(x @ x)

    def apply(self, v, step):
        return v / (1 + step)


def test_own_prox_that_is_not_finite():
    class Lost(Ridge):
        def __init__(self, **bad):
            self.bad = bad

        def value(self, x):
            return self.bad.get("value", 0.0)

        def apply(self, v, step):
            v[1] = self.bad.get("apply", v[1])
            return v

    assert run(prox=Lost()).reason == "queries"
    for bad in (np.nan, np.inf):
        with pytest.raises(zoprox.ArgumentError, match=f"prox.apply: expected finite numbers, got {bad} for coordinate 1"):
            run(prox=Lost(apply=bad))
    with pytest.raises(zoprox.ArgumentError, match="prox.value: expected a number, or inf outside a constraint, got nan"):
        run(prox=Lost(value=np.nan))



def test_own_prox_as_the_library_s():
    mine, theirs = run(prox=Ridge()), run(prox=zoprox.squared_l2(1.0))
    assert np.allclose(mine.x, theirs.x, atol=1e-9) and mine.fun == pytest.approx(theirs.fun)
    part = run(prox=zoprox.own(Ridge()).on(0, 1) + zoprox.nonnegative().on(1, 3))
    assert np.allclose(part.x, [2 / 3, 1, 1], atol=1e-5)


@pytest.mark.parametrize("name", [row.name for row in zoprox.proxes()])
def test_every_prox_is_its_definition(name):
    """No point nearby has a lower psi(x) + |x - v|^2 / (2 step)."""
    arguments = {"weighted-l1": (0.3, np.arange(6.0)), "bounds": (np.full(6, -0.5), 0.25), "box": (-0.5, 0.5),
                 "elastic-net": (0.3, 0.2), "group-lasso": (0.3, 2), "sparse-group-lasso": (0.1, 0.2, 2),
                 "nuclear": (0.3, 2, 3), "affine": ([[1, 2, 0, 0, 1, -1]], 0.5), "polyhedron": ([[1, 2, 0, 0, 1, -1], [0, 1, 1, 0, 0, 0]], [0.1, 0.2])}
    row = next(row for row in zoprox.proxes() if row.name == name)
    prox = getattr(zoprox, name.replace("-", "_"))(*arguments.get(name, (0.3,) if row.arguments else ()))
    random, step = np.random.default_rng(1), 0.7
    v = random.normal(size=6)
    x = prox.apply(v, step)
    least = prox.value(x) + ((x - v) ** 2).sum() / (2 * step)
    for _ in range(50):
        y = prox.apply(x + 0.1 * random.normal(size=6), 1e-9)
        assert prox.value(y) + ((y - v) ** 2).sum() / (2 * step) >= least - 1e-7
    assert row.formula in getattr(zoprox, name.replace("-", "_")).__doc__


def test_linear_sets():
    random = np.random.default_rng(3)
    A, b = random.normal(size=(2, 5)), np.array([0.3, -0.2])
    v = random.normal(size=5)
    x = zoprox.affine(A, b).apply(v)
    assert np.allclose(x, v - np.linalg.pinv(A) @ (A @ v - b)) and zoprox.affine(A, b).value(x) == 0
    p = zoprox.polyhedron(A, b)
    assert p.value(p.apply(v)) == 0 and p.value(v + 100 * A[0]) == np.inf
    assert (zoprox.polyhedron([[1.0, 0, 0, 0, 0]], 0.5).apply(v)[1:] == v[1:]).all()
    both = p + zoprox.box(-0.1, 0.1)
    x = both.apply(v)
    assert np.abs(x).max() <= 0.1 and (A @ x <= b + 1e-10).all()
    assert (pickle.loads(pickle.dumps(both)).apply(v) == x).all()
    with pytest.raises(zoprox.ArgumentError, match="the set is empty"):
        zoprox.polyhedron([[1.0], [-1.0]], [-1.0, -1.0]).apply([0.0])
    with pytest.raises(zoprox.ArgumentError, match=r"polyhedron: expected an array A of shape \(rows, 3\)"):
        zoprox.polyhedron(A, b).apply([0.0, 1.0, 2.0])


def test_bounds_beside_prox():
    def fun(x, i):
        return ((x - 2) ** 2).sum() * (1 + i % 2)
    for prox in ("l1:0.5", zoprox.l1(0.5), "l1:0.5 box:-9,9"):
        r = zoprox.minimize(fun, np.zeros(3), n=4, prox=prox, bounds=[(0, 1), (None, None), (0.5, 0.75)])
        assert np.allclose(r.x, [1, 2 - 0.5 / 3, 0.75], atol=1e-6)
    r = zoprox.minimize(fun, np.zeros(3), n=4, prox=zoprox.affine([[1, 1, 1]], [2]), bounds=[(0, 0.25)] + [(None, None)] * 2)
    assert np.allclose(r.x, [0.25, 0.875, 0.875], atol=1e-6)
    with pytest.raises(zoprox.ArgumentError, match="cannot be added"):
        zoprox.minimize(fun, np.zeros(3), n=4, prox="tv:1", bounds=[(0, 1)] * 3)


def test_units_do_not_matter():
    """Picofarads and gigapascals: by their bounds, or by x_scale."""
    unit = np.array([3e-12, 1.0, 2e11])

    def f(x):
        y = x / unit
        return (y[0] - 1.5) ** 2 + 5 * (y[1] - y[0] ** 2) ** 2 + (y[2] - y[1]) ** 2

    for words in (dict(bounds=list(zip(0.1 * unit, 10 * unit))), dict(x_scale=unit)):
        r = zoprox.minimize(f, 0.5 * unit, **words)
        assert r.success and np.allclose(r.x / unit, [1.5, 2.25, 2.25], rtol=1e-5), r
    with pytest.raises(zoprox.ArgumentError, match="scale: number 2 is 0"):
        zoprox.minimize(f, unit, x_scale=[1.0, 1.0, 0.0])


@pytest.mark.parametrize("psi", ["simplex", "l1-ball:1", "l2-ball:1", "affine", "polyhedron"])
def test_inside_no_question_leaves_the_set(psi):
    rows = np.array([[1.0, 1.0, 1.0]])
    if psi in ("affine", "polyhedron"):
        psi = getattr(zoprox, psi)(rows, np.array([1.0]))
    centre, within = np.array([0.5, 0.8, -0.3]) * 2, {
        "simplex": lambda x: abs(x.sum() - 1) < 1e-12 and (x >= 0).all(), "l1-ball:1": lambda x: abs(x).sum() < 1 + 1e-12,
        "l2-ball:1": lambda x: (x**2).sum() < 1 + 1e-12}

    def f(x):
        assert within.get(psi if isinstance(psi, str) else "", lambda x: x.sum() < 1 + 1e-10)(x), x
        return float(((x - centre) ** 2).sum())

    r = zoprox.minimize(f, [0.2, 0.3, 0.5], prox=psi, inside="on")
    free = zoprox.minimize(lambda x: float(((x - centre) ** 2).sum()), [0.2, 0.3, 0.5], prox=psi)
    assert abs(r.fun - free.fun) < 1e-9 and r.success
