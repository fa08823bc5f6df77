# SPDX-License-Identifier: MIT
"""A method of the user's: counted, bounded, resumed and shown as the library's own."""
import numpy as np
import pytest

import zoprox
from small import run, square


class Descent:
    """pgd with a step that is given."""

    def begin(self, task):
        self.task, self.state = task, np.zeros(1)

    def ask(self, x):
        return zoprox.Question(axes=True)

    def tell(self, x, question):
        self.state += 1
        return self.task.prox(x - 0.2 * question.slopes, 0.2)


@pytest.mark.parametrize("how", [{}, {"prox": "l1:0.3"}, {"bounds": (0, 0.5)}, {"vectorized": True}])
def test_does_what_pgd_does(how):
    fun = {} if how.get("vectorized") else {"fun": square}
    ours = run(**fun, method=Descent, radius=1e-6, units=30, **how)
    pgd = run(**fun, method="pgd", step=0.2, radius=1e-6, units=30, **how)
    assert np.allclose(ours.x, pgd.x, atol=1e-9) and abs(ours.nfev - pgd.nfev) <= 30
    assert (ours.method, ours.nit) == ("Descent", pgd.nit)
    assert np.allclose(ours.trace["best"][-1], pgd.trace["best"][-1], rtol=1e-9)


def test_data_and_residuals():
    problem = zoprox.squared(np.eye(4), np.arange(4.0))
    assert np.allclose(zoprox.minimize(problem, method=Descent, units=500).x, np.arange(4.0), atol=1e-3)
    r = zoprox.minimize(lambda x: x - np.arange(3.0), np.zeros(3), residuals="squares", method=Descent, points=800)
    assert np.allclose(r.x, np.arange(3.0), atol=1e-3)


class Sampled:
    """Random directions, one component at a time, answers for each."""

    name = "sampled"

    def __init__(self):
        self.random = np.random.default_rng(1)

    def ask(self, x):
        return zoprox.Question(self.random.normal(size=(2, len(x))), radius=1e-5, sides=2, components=[3, 4, 3], each=True)

    def tell(self, x, question):
        assert question.value.shape == (3,) and question.slopes.shape == (3, 2)
        assert question.value[0] == question.value[2] == pytest.approx(square(x, 3))
        for k, i in enumerate(question.components):
            true = question.directions @ (2 * (x - i % 3))
            assert np.allclose(question.slopes[k], true, atol=1e-6)
        self.residual = float(np.abs(x).max())
        return x + 0.1


def test_answers_for_each():
    r = run(square, method=Sampled(), steps=5, units=None, track="off", point="last")
    assert r.method == "sampled" and r.nfev == 5 * 3 * 5 and np.allclose(r.x, 0.5) and r.residual == pytest.approx(0.4)


def test_is_resumed(tmp_path):
    whole = run(square, method=Descent, units=20)
    path = tmp_path / "run.zo"
    run(square, method=Descent, units=20, steps=5, checkpoint=path)
    half = Descent()
    rest = run(square, method=half, units=20, checkpoint=path, resume=True)
    assert rest.x.tobytes() == whole.x.tobytes() and half.state == whole.nit
    with pytest.raises(zoprox.Error):
        run(square, method="pgd", units=20, checkpoint=path, resume=True)


def test_ends():
    class Once(Descent):
        def ask(self, x):
            return None if self.state else super().ask(x)
    r = run(square, method=Once)
    assert r.success and r.reason == "end" and r.nit == 1


class Falls(Descent):
    def __init__(self, **how):
        self.how = how

    def begin(self, task):
        super().begin(task)
        if "begin" in self.how:
            raise KeyError("begin")

    def ask(self, x):
        return self.how.get("ask", super().ask(x))

    def tell(self, x, question):
        return self.how["tell"] if "tell" in self.how else 1 / 0


@pytest.mark.parametrize("method, kind, words", [
    (Falls(begin=1), KeyError, "begin"), (Falls(), ZeroDivisionError, "division"),
    (Falls(ask=3), zoprox.ArgumentError, "ask: expected a Question, or None, got int"),
    (Falls(tell=[1.0]), zoprox.ArgumentError, "tell: expected a vector of 3 numbers"),
    (Falls(ask=zoprox.Question(np.ones((2, 2)))), zoprox.ArgumentError, "directions: expected rows of 3 numbers"),
    (Falls(ask=zoprox.Question(components=[30])), zoprox.ArgumentError, "components: expected numbers below 30"),
    (Falls(ask=zoprox.Question(axes=True, radius=-1)), zoprox.ArgumentError, "radius: expected a number more than 0"),
    (3, zoprox.ArgumentError, "method: expected a name, or an object with ask"),
])
def test_what_goes_wrong(method, kind, words):
    with pytest.raises(kind, match=words):
        run(square, method=method)


class Wild(Descent):
    """Its points leave every box."""

    def __init__(self, much):
        self.much = much

    def tell(self, x, question):
        return x + self.much


def test_its_points_are_brought_into_bounds():
    def fun(x, i):
        assert (x >= 0).all() and (x <= 1).all(), x
        return square(x, i)

    r = zoprox.minimize(fun, [0.5] * 3, n=4, bounds=(0, 1), method=Wild(7.0), queries=300, track="charged")
    assert (r.x >= 0).all() and (r.x <= 1).all() and np.isfinite(r.fun)
    with pytest.raises(zoprox.ArgumentError, match="tell: coordinate 0 is nan, not a finite number"):
        zoprox.minimize(fun, [0.5] * 3, n=4, bounds=(0, 1), method=Wild(np.nan), queries=300)
