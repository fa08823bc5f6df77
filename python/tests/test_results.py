# SPDX-License-Identifier: MIT
"""What a run gives back: the point, the trace, goals, what is kept, answers that are not finite."""
import sys

import numpy as np
import pytest

import zoprox
from small import run, square, squares


def test_result():
    r = run()
    assert np.allclose(r.x, 1, atol=1e-4)
    assert r.fun == pytest.approx(2, abs=1e-6)
    assert (r.success, r.reason, r.method) == (False, "queries", "fista")
    assert r.nfev <= 20 * 30 * 3 and r.nwatched > 0 and r.nit > 0
    assert r["x"] is r.x and "fun" in dir(r)
    assert r.trace["queries"][-1] + r.trace["watched"][-1] == r.nfev and r.trace["best"][-1] == r.fun
    assert r.settings["restart"] is True and r.settings["batch"] is None and r.settings["seed"] == 1


def test_every_query_is_counted():
    asked = []
    r = run(lambda x, i: asked.append(i) or square(x, i))
    assert len(asked) == r.nfev


def test_one_function():
    r = zoprox.minimize(lambda x: float((x ** 2).sum()), np.ones(4), units=50)
    assert np.allclose(r.x, 0, atol=1e-5)
    two = zoprox.minimize(lambda x, i: float((x ** 2).sum()) + i, np.ones(4), 1, units=50)
    assert (two.x == r.x).all()
    more = zoprox.minimize(lambda x, a, b: float(((x - a) ** 2).sum()) + b, np.ones(4), args=(2.0, 1.0), units=50)
    assert np.allclose(more.x, 2, atol=1e-5)
    alone = zoprox.minimize(lambda x, a: float(((x - a) ** 2).sum()), np.ones(4), args=2.0, units=50)
    assert np.allclose(alone.x, 2, atol=1e-5)


def test_goals():
    assert run(target=4.0).reason == "target"
    near = run(gap=1.0, optimum=2.0)
    assert near.success and near.gap <= 1
    assert not run(target=-1.0).success
    assert run(units=None, steps=2).nit == 2
    assert run(track="off").nwatched == 0


def test_callback_and_progress(capsys):
    rows = []
    r = run(callback=rows.append, every=1)
    assert len(rows) == len(r.trace) and rows[-1].best == r.fun and rows[0].x.shape == (3,)
    assert run(callback=lambda row: row.nit >= 2).nit == 2
    stopped = run(callback=lambda row: next(iter(())))
    assert stopped.reason == "request" and stopped.nit == 0
    run(progress=True)
    assert "units" in capsys.readouterr().err


def test_kept_arrays_stay_as_they_were():
    kept = []

    def fun(X, idx):
        kept.append((X[0], idx, X[0].copy(), idx.copy()))
        return squares(X, idx)

    run(zoprox.vectorized(fun), vectorized=None)
    assert len(kept) > 5
    for x, idx, then, idx_then in kept:
        assert (x == then).all() and (idx == idx_then).all()
        assert not x.flags.writeable and not idx.flags.writeable


def test_plot(monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    r = run(optimum=2.0)
    ax = r.plot()
    assert (ax.get_yscale(), ax.get_xlabel(), ax.get_ylabel()) == ("log", "evaluations", "F(x) - F*")
    assert ax.lines[0].get_xdata()[-1] == r.nfev
    assert run().plot().get_ylabel() == "lowest F"
    below = run(lambda x, i: square(x, i) - 5).plot()
    assert below.get_yscale() == "log" and below.get_ylabel().startswith("lowest F - -3")
    assert run().plot(x="units", y="objective", log=False).get_yscale() == "linear"
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="matplotlib is not installed"):
        run().plot()


def test_print():
    for r in (run(), run(n=3, d=500, optimum=2.0), zoprox.least_squares(lambda x: x - np.arange(40.0), np.zeros(40)),
              zoprox.optimum(zoprox.squared(np.eye(3), np.ones(3)))):
        lines = str(r).split("\n")
        assert len(lines) <= 10 and max(map(len, lines)) < 100
        assert lines[0].strip() == f"success: {r.success}" and any(" x: [" in line for line in lines)
    rows = []
    run(callback=rows.append)
    assert str(rows[0]).startswith("    x: [0. 0. 0.]\n nfev: 0\n")


def test_a_budget_below_the_first_question():
    r = run(units=None, queries=1)
    assert (r.success, r.nfev, r.reason) == (False, 0, "queries")
    assert r.message == "the first question alone would pass the budget of queries"
    assert not zoprox.Solver(square, np.zeros(3), 5).report.success


def test_other_real_types():
    assert run(lambda X, idx: squares(X, idx).astype(np.float32), vectorized=True).nit > 0
    assert run(lambda x, i: int(square(x, i))).nit > 0
    assert run(lambda x, i: 2 ** 70).fun == 2.0 ** 70
    assert (run(lambda X, idx: squares(X, idx).tolist(), vectorized=True).x == run().x).all()
    missing = run(lambda X, idx: np.ma.masked_where((X != 0).any(axis=1)[:, None] & (idx == 4), squares(X, idx)), vectorized=True)
    assert missing.nit == 0 or "f_4 was nan" in missing.warning


def test_not_finite():
    r = run(lambda x, i: square(x, i) if i != 7 or x[0] == 0 else np.nan, nonfinite="stop")
    assert (r.reason, r.success) == ("nonfinite", False)
    assert r.message.startswith("an answer was not finite: f_7 was nan at query ")
    assert r.message.partition(": ")[2] in r.warning  # both name the same component and query
    retried = run(lambda x, i: np.nan if i == 7 and x[0] > 0 else square(x, i), nonfinite="retry")
    assert retried.retried > 0


@pytest.mark.parametrize("n", [30, 9000])  # few values are looked at in another way than many
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite_among_many(n, bad):
    def fun(X, idx):
        return squares(X, idx) if (X == 0).all() else np.where(idx == 7, bad, squares(X, idx))
    r = run(fun, n=n, vectorized=True, nonfinite="stop")
    assert r.message.startswith(f"an answer was not finite: f_7 was {bad} at query ")


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("known", [0, 1])
def test_points_of_their_own(sides, known):
    from zoprox._lib import ffi, lib
    rows, base, x = np.random.default_rng(1).normal(size=(10, 3)), np.arange(3.0), np.empty(3)
    c = ffi.new("zo_fan *", {"n": 5, "d": 3, "nbase": 1, "ndir": 2, "own": 1, "each": 1, "ncomp": 5, "radius": 0.1})
    c.base[0], c.dir, c.sides, c.known = ffi.from_buffer("double[]", base), ffi.from_buffer("double[]", rows), sides, known
    points = zoprox.Fan(c).points
    assert points.shape == (5, 2 * sides + 1 - known, 3)
    for entry in range(5):
        for p in range(points.shape[1]):
            lib.zo_fan_point(c, entry, p, ffi.from_buffer("double[]", x))
            assert (points[entry, p] == x).all()


def test_success_is_true():
    """Scales from 1e-3 to 1e3: whatever is reached, what is called a success is one."""
    scale = np.array([1e-3, 1e-1, 1, 10, 1e3])
    r = zoprox.minimize(lambda x, i: float(((x * scale - 1) ** 2).sum() * (1 + i)), np.zeros(5), n=4)
    assert not r.success or r.fun < 1e-3
