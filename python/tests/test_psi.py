# SPDX-License-Identifier: MIT
"""Bounds, proxes of the library and of one's own."""
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
                 "nuclear": (0.3, 2, 3)}
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
