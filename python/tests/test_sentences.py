# SPDX-License-Identifier: MIT
"""Everything that is wrong gets a sentence that names what was expected and what came."""
import copy
import pickle
import re
import types

import numpy as np
import pytest

import zoprox
from small import run, square, squares


@pytest.mark.parametrize("fun, vectorized, words", [
    (lambda X, idx: squares(X, idx).T, True, r"expected an array of shape \(1, 30\).*\(30, 1\); it looks transposed"),
    (lambda X, idx: np.zeros(3), True, r"expected an array of shape \(1, 30\), for 1 points and 30 components, got shape \(3,\)"),
    (lambda X, idx: squares(X, idx) * 1j, True, "expected an array of real numbers, got type complex128"),
    (lambda X, idx: squares(X, idx).astype(object), True, "real numbers, got type object"),
    (lambda x, i: None, False, "expected one real number, got NoneType for component 0"),
    (lambda x, i: "1" if i == 2 else 1.0, False, "expected one real number, got str for component 2"),
    (lambda x, i: x, False, r"expected one real number, got an array of shape \(3,\) for component 0"),
    (lambda x, i: [1.0] if i == 5 else 1.0, False, r"got an array of shape \(1,\) for component 5"),
    (lambda x, i: 10 ** 400, False, "expected one real number, got an integer of 1329 bits, too large for a float"),
    (lambda X, idx: [[1.0], [1.0, 2.0]], True, "fun: expected an array, got lists of different lengths"),
])
def test_wrong_values(fun, vectorized, words):
    with pytest.raises(zoprox.ArgumentError, match=words):
        run(fun, vectorized=vectorized, track="apart")






@pytest.mark.parametrize("how, words", [
    ({"method": "fsta"}, "method: 'fsta' is not known; did you mean 'fista'"),
    ({"method": "BFGS"}, "method: 'BFGS' is not known; leave it out .auto chooses., or take one of auto, "),
    ({"maxiter": 0}, "maxiter: 0 is not a number more than 0"),
    ({"options": {"maxfev": 1.5}}, "maxfev: expected a whole number, got 1.5"),
    ({"stepp": 1}, "stepp"),
    ({"step": -1}, "step: '-1' is not a number more than 0"),
    ({"units": 0}, "units: 0 is not a number more than 0"),
    ({"units": "many"}, "units: expected a number, got 'many'"),
    ({"gap": 1}, "gap: 1 needs the optimum"),
    ({"track": "maybe"}, "track: expected one of off, on, charged"),
    ({"prox": "l7:1"}, "l7"),
    ({"prox": 3}, "prox: expected a spec such as 'l1:1e-3'"),
    ({"prox": "tv:1", "bounds": [(0, 1)] * 3}, "cannot be added"),
    ({"bounds": [(0, 1)]}, r"bounds: expected 3 pairs \(low, high\), got 1"),
    ({"bounds": [(1, 0)] * 3}, "bounds"),
    ({"x_scale": "jac"}, "x_scale: expected a vector of 3 numbers, got an array of type <U3"),
    ({"x_scale": [1.0, 2.0]}, r"x_scale: expected a vector of 3 numbers, got an array of shape \(2,\)"),
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
    ({"checkpoint": "/tmp"}, "checkpoint: '/tmp' is a folder"),
    ({"checkpoint": "a\0b"}, r"checkpoint: expected a path, which has no NUL, got 'a\\x00b'"),
    ({"prox": "l1:1\0junk"}, "prox: expected a text without NUL"),
    ({"method": "fis\0ta"}, "method: expected a text without NUL"),
    ({"prox": zoprox.Prox}, "got the class Prox"),
    ({"threads": True}, "threads: expected a whole number of at least 1, or a map, got True"),
    ({"threads": lambda fun, questions: [1.0]}, "workers: expected a map that gives 30 values for as many questions, got 1"),
    ({"queries": 10.5}, "queries: expected a whole number, got 10.5"),
    ({"steps": 1.5}, "steps: expected a whole number, got 1.5"),
    ({"tol": -1}, "tol: expected a number of 0 or more, got -1"),
    ({"gap": -1, "optimum": 0}, "gap: expected a number of 0 or more, got -1"),
])
def test_wrong_arguments(how, words):
    with pytest.raises(zoprox.ArgumentError, match=words):
        run(square, **{"track": "apart", **how})


@pytest.mark.parametrize("x0, words", [
    (np.zeros((2, 2)), r"x0: expected a vector of numbers, got an array of shape \(2, 2\)"),
    (["a"], "x0: expected a vector of numbers, got an array of type"),
    ([1.0, np.nan], "x0: coordinate 1 is"),
    (None, "x0: expected a vector"),
    (1.0, "x0: expected a vector of numbers, got float"),
    ([[1.0], [1.0, 2.0]], "x0: expected a vector of numbers, got lists of different lengths"),
    (np.ma.masked_array([0.0, 1.0], [False, True]), "x0: expected a vector of numbers, got 1 masked among them"),
])
def test_wrong_start(x0, words):
    with pytest.raises(zoprox.ArgumentError, match=words):
        zoprox.minimize(square, x0, 5)


def test_no_function():
    with pytest.raises(zoprox.ArgumentError, match="fun: expected a function, got None"):
        zoprox.minimize(None, np.zeros(2), 5)


def test_a_function_of_another_shape_is_told_what_to_give():
    with pytest.raises(zoprox.ArgumentError, match="fun: it takes one more argument than x; give n=, how many components"):
        zoprox.minimize(lambda x, i: float(x @ x), [1.0, 2.0])
    with pytest.raises(zoprox.ArgumentError, match=r"fun: with n=4 it is called as fun\(x, i\)"):
        zoprox.minimize(lambda x: float(x @ x), [1.0, 2.0], n=4)
    for fun in lambda x, i=0: float(x @ x), lambda *x: float(x[0] @ x[0]):
        assert zoprox.minimize(fun, [1.0, 2.0]).fun < 1e-9 and zoprox.minimize(fun, [1.0, 2.0], n=2).fun < 1e-9
    assert zoprox.minimize(lambda x, a: float(x @ x) + a, [1.0, 2.0], args=(3,)).fun < 3 + 1e-9


def test_one_class_is_told(recwarn):
    A = np.eye(4)
    one = zoprox.logistic(A, np.ones(4), l2=0.1)
    assert one(np.zeros(4)) > 0 and not recwarn.list  # rows that x is tried on may be so
    with pytest.warns(RuntimeWarning, match="all 4 labels are alike: one class"):
        zoprox.minimize(one, units=5)
    recwarn.clear()
    zoprox.minimize(zoprox.squared(A, np.ones(4)), units=5)
    zoprox.minimize(zoprox.logistic(A, [1, 1, -1, 1], l2=0.1), units=5)
    assert not recwarn.list


@pytest.mark.parametrize("bounds", [[(0, 1), None], (None, [0, 1])])
def test_bounds_with_two_meanings(bounds):
    """A pair and none, or low and high: neither is guessed."""
    with pytest.raises(zoprox.ArgumentError, match=r"bounds: .* a coordinate without bounds is \(None, None\)"):
        zoprox.minimize(lambda x: float(x @ x), [0.5, 0.5], bounds=bounds)


def test_a_start_outside_of_bounds_is_told(recwarn):
    with pytest.warns(RuntimeWarning, match=r"the start was moved into the domain of psi: x\[0\] from 9 to 1 \(and 1 more\)") as told:
        r = zoprox.minimize(lambda x: float(x @ x), [9.0, -9.0], bounds=[(0.5, 1), (-1, 1)])
    assert told[0].filename == __file__ and "the start was moved" in r.warning
    with pytest.warns(RuntimeWarning, match="moved"):
        zoprox.least_squares(lambda x: x - 1, [9.0, 0.0], bounds=(0, 2))
    recwarn.clear()
    for how in {"bounds": [(0, 9), (1, 1)]}, {"prox": "simplex:1"}, {"bounds": [(0, 9), (-1, 1)], "x_scale": [3.0, 0.7]}:
        zoprox.minimize(lambda x: float(x @ x), [1 / 3, 1.0] if "x_scale" in how or "bounds" in how else [1 / 3, 2 / 3], **how)
    zoprox.minimize(zoprox.squared(np.eye(2), np.ones(2)), bounds=(2, 3))
    assert not recwarn.list


def test_a_checkpoint_that_cannot_be_is_named_before_anything_is_asked():
    asked = []
    with pytest.raises(zoprox.FileError, match="checkpoint: '/nonexistent/c' cannot be written"):
        run(lambda x, i: asked.append(i) or 1.0, checkpoint="/nonexistent/c")
    assert not asked


@pytest.mark.parametrize("call", ["run", "ask", "load"])
def test_a_solver_that_is_running(call):
    def fun(x, i):
        getattr(solver, call)(*["file"] if call == "load" else [])
        return 1.0
    solver = zoprox.Solver(fun, np.zeros(2), 5)
    with pytest.raises(zoprox.StateError, match=f"{call}: this solver is running"):
        solver.run(units=3)


@pytest.mark.parametrize("copying", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_solver_is_not_copied(copying):
    with pytest.raises(TypeError, match="a Solver cannot be copied or pickled: save"):
        copying(zoprox.Solver(square, np.zeros(2), 5))


@pytest.mark.parametrize("step", [0, -1, np.nan, np.inf])
def test_prox_steps(step):
    with pytest.raises(zoprox.ArgumentError, match=f"step: expected a number more than 0, got {step}"):
        zoprox.l1(1).apply([1.0], step)


def test_masked_values():
    fan = zoprox.Solver(None, n=5, d=2, method="fista").ask()
    with pytest.raises(zoprox.ArgumentError, match="values: expected real numbers, got .* masked among them"):
        fan.answers_from(np.ma.masked_array(np.ones(fan.shape), True))


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


def test_after_a_loop_of_ones_own():
    solver = zoprox.Solver(None, [1.0, 2.0])
    assert (solver.report.message, solver.report.success) == ("not run yet", False)
    while (fan := solver.ask()) is not None:
        solver.tell(fan.answers_from(np.repeat(((fan.points - 3) ** 2).sum(axis=1)[:, None], fan.shape[1], axis=1)))
        assert solver.report.message == "goes on: nothing has ended it"
    assert (solver.report.message, solver.report.reason, solver.report.success) == ("converged", "end", True)
    assert np.allclose(solver.report.x, 3, atol=1e-6)


@pytest.mark.parametrize("name, hint", [("unit", "did you mean 'units'?"), ("stepp", "did you mean 'step'?"),
                                        ("frobnicate", "lists them"), ("maxeval", "here it is 'queries'"),
                                        ("n_jobs", "here it is 'workers'"), ("verbose", "here it is 'disp'"),
                                        ("ftol", "here it is 'tol'"), ("jac", "slopes are measured here"),
                                        ("constraints", "give bounds, or a prox")])
def test_arguments_that_are_none(name, hint):
    with pytest.raises(zoprox.ArgumentError, match=f"minimize has no argument '{name}'; .*{re.escape(hint)}"):
        zoprox.minimize(lambda x: x[0] ** 2, [1.0], **{name: 3})
