# SPDX-License-Identifier: MIT
"""Exceptions, limits, bounds, proxes, what is kept, and the sentences of everything that is wrong."""
import io
import os
import re
import signal
import subprocess
import sys
import time
import traceback
import types
import zipfile
from pathlib import Path

import numpy as np
import pytest

import zoprox


def square(x, i):
    return float(((x - i % 3) ** 2).sum())


def squares(X, idx):
    return ((X[:, None, :] - (idx % 3)[:, None]) ** 2).sum(axis=2)


def run(fun=squares, d=3, n=30, **how):
    how = {"vectorized": fun is squares, "units": 20, "method": "fista", **how}
    return zoprox.minimize(fun, np.zeros(d), n, **how)


# ---- results ------------------------------------------------------------------------------------------------

def test_result():
    r = run()
    assert np.allclose(r.x, 1, atol=1e-4)
    assert r.fun == pytest.approx(2, abs=1e-6)
    assert (r.success, r.reason, r.method) == (True, "queries", "fista")
    assert r.nfev <= 20 * 30 * 3 and r.nwatched > 0 and r.nit > 0
    assert r["x"] is r.x and "fun" in dir(r)
    assert r.trace["queries"][-1] == r.nfev and r.trace["objective"][-1] == r.fun
    assert r.settings["restart"] is True and r.settings["batch"] is None and r.settings["seed"] == 1


def test_every_query_is_counted():
    asked = []
    r = run(lambda x, i: asked.append(i) or square(x, i))
    assert len(asked) == r.nfev + r.nwatched


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
    assert len(rows) == len(r.trace) and rows[-1].fun == r.fun and rows[0].x.shape == (3,)
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
    assert run(optimum=2.0).plot().get_yscale() == "log"
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match="matplotlib is not installed"):
        run().plot()


# ---- exceptions ---------------------------------------------------------------------------------------------

class Own(Exception):
    pass


def failing(after, error):
    calls = [0]

    def fun(x, i):
        calls[0] += 1
        if calls[0] > after:
            raise error
        return square(x, i)
    return fun


@pytest.mark.parametrize("after", [0, 50, 700])
def test_exception_is_raised_as_it_was(after, capsys):
    error = Own("the simulator fell over")
    with pytest.raises(Own) as caught:
        run(failing(after, error))
    assert caught.value is error
    assert any(frame.name == "fun" for frame in traceback.extract_tb(error.__traceback__))
    assert not error.result.success and "fell over" in error.result.message
    if after > 30:
        assert error.result.x.shape == (3,) and np.isfinite(error.result.fun)
    assert capsys.readouterr().err == ""


def test_exception_in_callback_and_prox():
    error = Own()

    def callback(row):
        raise error
    with pytest.raises(Own) as caught:
        run(callback=callback)
    assert caught.value is error

    class Psi:
        def value(self, x):
            return 0.0

        def apply(self, v, step):
            raise error
    with pytest.raises(Own):
        run(prox=Psi())


def test_interrupt_returns_what_is_there():
    r = run(failing(700, KeyboardInterrupt()))
    assert not r.success and "KeyboardInterrupt" in r.message
    assert np.isfinite(r.fun) and r.fun < 5
    solver = zoprox.Solver(failing(700, KeyboardInterrupt()), np.zeros(3), 30, method="fista")
    with pytest.raises(KeyboardInterrupt):
        solver.run(units=20)
    assert solver.best.shape == (3,) and solver.report.nfev > 0


def test_interrupted_in_the_middle_of_a_fan(tmp_path):
    """A fan that was interrupted was never asked: the run that goes on is the run that was never stopped."""
    straight, trace, calls = run(square), [], [0]

    def fun(x, i):
        calls[0] += 1
        if calls[0] % 271 == 0:
            raise KeyboardInterrupt
        return square(x, i)
    for leg in range(100):
        r = run(fun, checkpoint=tmp_path / "c", resume=True)
        trace += r.trace.tolist()
        if r.reason != "request":
            break
    assert leg > 3 and (r.x == straight.x).all() and r.nfev == straight.nfev
    for name in ("queries", "watched", "objective"):
        assert (np.array(trace, r.trace.dtype)[name] == straight.trace[name]).all()


def test_a_checkpoint_is_not_written_over(tmp_path):
    file = tmp_path / "c"
    zoprox.minimize(lambda x, i: float(x @ x), [1.0, 2.0], n=3, units=2, checkpoint=file)
    with pytest.raises(zoprox.ArgumentError, match="checkpoint: .* is already there; go on from it with resume=True"):
        zoprox.minimize(lambda x, i: float(x @ x), [1.0, 2.0], n=3, units=2, checkpoint=file)


@pytest.mark.parametrize("threads", [1, 2])
def test_time_ends_a_long_fan(threads):
    """The first question alone would take 30 * 4 * 0.05 s."""
    calls = []

    def fun(x, i):
        calls.append(i)
        time.sleep(0.05)
        return square(x, i)
    r = run(fun, seconds=0.2, track="off", threads=threads)
    assert (r.reason, r.nfev) == ("seconds", 0) and len(calls) < 60


def test_a_real_signal():
    def fun(x, i):
        if i == 29 and x[0] > 0.5:
            os.kill(os.getpid(), signal.SIGINT)
        return square(x, i)
    assert not run(fun).success


def test_solver_goes_on_after_an_exception():
    calls = [0]

    def fun(x, i):
        calls[0] += 1
        if calls[0] == 500:
            raise Own()
        return square(x, i)
    solver = zoprox.Solver(fun, np.zeros(3), 30, method="fista")
    with pytest.raises(Own):
        solver.run(units=20)
    assert np.allclose(solver.run(units=20).x, 1, atol=1e-4)


# ---- what is wrong, in a sentence ---------------------------------------------------------------------------

@pytest.mark.parametrize("fun, vectorized, words", [
    (lambda X, idx: squares(X, idx).T, True, r"expected an array of shape \(1, 30\).*\(30, 1\); it looks transposed"),
    (lambda X, idx: np.zeros(3), True, r"expected an array of shape \(1, 30\), for 1 points and 30 components, got shape \(3,\)"),
    (lambda X, idx: squares(X, idx) * 1j, True, "expected an array of real numbers, got type complex128"),
    (lambda X, idx: squares(X, idx).astype(object), True, "real numbers, got type object"),
    (lambda x, i: None, False, "expected one real number, got NoneType for component 0"),
    (lambda x, i: "1" if i == 2 else 1.0, False, "expected one real number, got str for component 2"),
    (lambda x, i: x, False, r"expected one real number, got an array of shape \(3,\) for component 0"),
    (lambda x, i: [1.0] if i == 5 else 1.0, False, r"got an array of shape \(1,\) for component 5"),
])
def test_wrong_values(fun, vectorized, words):
    with pytest.raises(zoprox.ArgumentError, match=words):
        run(fun, vectorized=vectorized)


def test_other_real_types():
    assert run(lambda X, idx: squares(X, idx).astype(np.float32), vectorized=True).nit > 0
    assert run(lambda x, i: int(square(x, i))).nit > 0


def test_not_finite():
    r = run(lambda x, i: square(x, i) if i != 7 or x[0] == 0 else np.nan)
    assert (r.reason, r.success) == ("nonfinite", False)
    assert r.message == "an answer was not finite: fun gave nan for component 7"
    retried = run(lambda x, i: np.nan if i == 7 and x[0] > 0 else square(x, i), nonfinite="retry")
    assert retried.retried > 0


@pytest.mark.parametrize("n", [30, 9000])  # few values are looked at in another way than many
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite_among_many(n, bad):
    def fun(X, idx):
        return squares(X, idx) if (X == 0).all() else np.where(idx == 7, bad, squares(X, idx))
    r = run(fun, n=n, vectorized=True)
    assert r.message == f"an answer was not finite: fun gave {bad} for component 7"


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


@pytest.mark.parametrize("how, words", [
    ({"method": "fsta"}, "method: 'fsta' is not known; did you mean 'fista'"),
    ({"stepp": 1}, "stepp"),
    ({"step": -1}, "step: '-1' is not a number more than 0"),
    ({"units": 0}, "units: 0 is not a number more than 0"),
    ({"units": "many"}, "units: expected a number, got 'many'"),
    ({"gap": 1}, "gap: 1 needs the optimum"),
    ({"track": "maybe"}, "track: expected one of off, on, charged"),
    ({"prox": "l7:1"}, "l7"),
    ({"prox": 3}, "prox: expected a spec such as 'l1:1e-3'"),
    ({"prox": "l1:1", "bounds": [(0, 1)] * 3}, "bounds: given beside prox"),
    ({"bounds": [(0, 1)]}, r"bounds: expected 3 pairs \(low, high\), got 1"),
    ({"bounds": [(1, 0)] * 3}, "bounds"),
    ({"threads": 0}, "threads: expected a whole number"),
    ({"resume": True}, "resume: True needs a checkpoint"),
    ({"n": 0}, "n: expected a whole number of at least 1, got 0"),
    ({"n": 2.5}, "n: expected a whole number of at least 1, got 2.5"),
    ({"n": 2 ** 70}, f"n: {2 ** 70} is more than can be counted"),
    ({"bounds": 3}, r"bounds: expected 3 pairs \(low, high\) of numbers, got 3"),
    ({"bounds": [("a", "b")] * 3}, r"bounds: expected 3 pairs \(low, high\) of numbers, got \[\('a', 'b'\)"),
    ({"bounds": types.SimpleNamespace(lb=[0, 1], ub=1)}, r"bounds: expected 3 pairs"),
    ({"callback": 3}, "callback: expected a function, got int"),
    ({"pairs": 3}, "pairs: expected a function, got int"),
    ({"checkpoint": 3}, "checkpoint: expected a path, got 3"),
    ({"resume": 3.5}, "resume: expected a path, got 3.5"),
])
def test_wrong_arguments(how, words):
    with pytest.raises(zoprox.ArgumentError, match=words):
        run(square, **how)


@pytest.mark.parametrize("x0, words", [
    (np.zeros((2, 2)), r"x0: expected a vector of numbers, got an array of shape \(2, 2\)"),
    (["a"], "x0: expected a vector of numbers, got an array of type"),
    ([1.0, np.nan], "x0: coordinate 1 is"),
    (None, "x0: expected a vector"),
])
def test_wrong_start(x0, words):
    with pytest.raises(zoprox.ArgumentError, match=words):
        zoprox.minimize(square, x0, 5)


def test_calls_out_of_order():
    solver = zoprox.Solver(None, n=5, d=2, method="fista")
    with pytest.raises(zoprox.StateError, match="nothing was asked"):
        solver.tell([1.0])
    fan = solver.ask()
    assert solver.ask() is fan
    with pytest.raises(zoprox.ArgumentError, match="values: expected real numbers of shape"):
        fan.answers_from(np.zeros(2))
    with pytest.raises(zoprox.ArgumentError, match="answers: expected a vector of"):
        solver.tell([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0])
    solver.tell(fan.answers_from(np.ones(fan.shape)))
    with pytest.raises(zoprox.StateError, match="it has been told"):
        fan.points
    with pytest.raises(zoprox.ArgumentError, match="made without a function"):
        solver.run()
    with pytest.raises(zoprox.Error):
        solver.load("/nonexistent/run.zo")


# ---- psi ----------------------------------------------------------------------------------------------------

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

    assert run(prox=Lost()).success
    for bad in (np.nan, np.inf):
        with pytest.raises(zoprox.ArgumentError, match=f"prox.apply: expected finite numbers, got {bad} for coordinate 1"):
            run(prox=Lost(apply=bad))
    with pytest.raises(zoprox.ArgumentError, match="prox.value: expected a number, or inf outside a constraint, got nan"):
        run(prox=Lost(value=np.nan))


def test_a_budget_below_the_first_question():
    r = run(units=None, queries=1)
    assert (r.success, r.nfev, r.reason) == (False, 0, "queries")
    assert r.message == "the first question alone would pass the budget of queries"
    assert not zoprox.Solver(square, np.zeros(3), 5).report.success


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


# ---- data ---------------------------------------------------------------------------------------------------

def test_arrays_and_sparse_matrices():
    sp = pytest.importorskip("scipy.sparse")
    random = np.random.default_rng(2)
    A, y = random.normal(size=(80, 5)) * (random.random((80, 5)) < 0.5), np.sign(random.normal(size=80))
    dense, sparse = zoprox.logistic(A, y, l2=0.01), zoprox.logistic(sp.csr_matrix(A), y, l2=0.01)
    x = random.normal(size=5)
    want = np.logaddexp(0, -y * (A @ x)).mean() + 0.005 * x @ x
    for problem in (dense, sparse, zoprox.logistic(sp.coo_matrix(A), y, l2=0.01),
                    zoprox.logistic(A.astype(np.float32).astype(float)[:, ::1], y, l2=0.01)):
        assert problem.n == 80 and problem.d == 5
    assert dense(x) == pytest.approx(want) and sparse(x) == pytest.approx(want)
    best = zoprox.optimum(sparse, "l1:0.01")
    r = zoprox.minimize(sparse, prox="l1:0.01", optimum=best.fun, gap=1e-6, units=200)
    assert r.success and np.allclose(r.x, best.x, atol=1e-2)
    assert zoprox.softmax(A, np.arange(80) % 3).d == 15


def test_a_problem_has_its_own():
    problem = zoprox.squared(np.ones((4, 2)), np.arange(4))
    for how, words in (({"n": 5}, "n: 5 is given, and the problem has 4"), ({"threads": 2}, "threads: 2 is for functions"),
                       ({"x0": np.zeros(3)}, "x0: expected a vector of 2 numbers")):
        with pytest.raises(zoprox.ArgumentError, match=words):
            zoprox.minimize(problem, **how)


def test_nothing_is_copied_that_fits():
    A, y = np.ones((4, 2)), np.array([0.0, 1, 0, 1])
    kept = zoprox.data(A, y)._keep
    assert kept[0] is A and kept[1] is y


@pytest.mark.parametrize("A, y, words", [
    (np.zeros(3), np.zeros(3), r"A: expected a matrix, got an array of shape \(3,\)"),
    (np.zeros((3, 2)), np.zeros(2), r"y: expected a vector of 3 numbers, got an array of shape \(2,\)"),
    (np.full((3, 2), np.nan), np.zeros(3), "not finite"),
    (np.zeros((3, 2), complex), np.zeros(3), "A: expected real numbers, got type complex128"),
    (np.ones((3, 2)), np.arange(3), "two classes"),
])
def test_wrong_data(A, y, words):
    with pytest.raises((zoprox.ArgumentError, zoprox.InputError), match=words):
        zoprox.logistic(A, y)


def test_read(tmp_path):
    file = tmp_path / "small.txt"
    file.write_text("1 1:2 3:1\n-1 2:1\n")
    assert (zoprox.read(file).n, zoprox.read(file).features) == (2, 3)
    file.write_text("1 1:x\n")
    with pytest.raises(zoprox.InputError, match="small.txt"):
        zoprox.read(file)


# ---- the package --------------------------------------------------------------------------------------------

def test_tables_are_functions_and_docs():
    for row in [*zoprox.proxes(), *zoprox.losses()]:
        assert callable(getattr(zoprox, row.name.replace("-", "_")))
    for row in [*zoprox.methods(), *zoprox.settings()]:
        assert row.name in zoprox.minimize.__doc__


def test_progress_on_a_terminal():
    from zoprox.progress import Progress

    class Terminal(io.StringIO):
        def isatty(self):
            return True
    out = Terminal()
    bar = Progress({"units": 10.0, "seconds": float("inf")}, out)
    row = {"units": 5.0, "seconds": 1.0, "objective": 0.25, "gap": float("nan")}
    bar.show(row)
    bar.close(row)
    assert "\r[############............]  50 %  5 units  F 0.25  1.0 s" in out.getvalue()


def test_progress_in_a_notebook(monkeypatch):
    drawn = []
    handle = types.SimpleNamespace(update=lambda html: drawn.append(html))
    display = types.SimpleNamespace(HTML=str, display=lambda text, display_id: handle)
    shell = types.SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    run(progress=True)
    assert "<progress" in drawn[-1] and "units" in drawn[-1]


def install(folder):
    """By pip where there is time for it; its back end alone otherwise."""
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if os.environ.get("ZO_LONG") and not subprocess.run([sys.executable, "-m", "pip", "-V"], capture_output=True).returncode:
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", folder, source],
                       check=True, capture_output=True)
        return
    subprocess.run([sys.executable, "-c", f"import wheel_of_zoprox; wheel_of_zoprox.build_wheel({str(folder)!r})"],
                   check=True, env=dict(os.environ, PYTHONPATH=source))
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        assert wheel.testzip() is None
        wheel.extractall(folder)


def test_install_offline(tmp_path):
    install(tmp_path)
    environment = {k: v for k, v in os.environ.items() if k != "ZOPROX_LIBRARY"}
    code = "import zoprox; print(zoprox.library); zoprox.minimize(lambda x: x @ x, [1.0])"
    out = subprocess.run([sys.executable, "-c", code], env=dict(environment, PYTHONPATH=str(tmp_path)), cwd="/",
                         capture_output=True, text=True, check=True)
    assert out.stdout.strip() == str(tmp_path / "zoprox" / "libzoprox.so")


def test_the_page():
    """Every block of docs/python.md runs."""
    page = Path(__file__).resolve().parent.parent.parent / "docs" / "python.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
    assert len(blocks) == 3
    for block in blocks:
        exec(block, {})


def test_no_library(tmp_path):
    out = subprocess.run([sys.executable, "-c", "import zoprox"], capture_output=True, text=True,
                         env=dict(os.environ, ZOPROX_LIBRARY=str(tmp_path / "none.so")))
    assert out.returncode and "none.so" in out.stderr and "ZOPROX_LIBRARY" in out.stderr
