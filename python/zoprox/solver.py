# SPDX-License-Identifier: MIT
"""The solver: a problem, a method, and one question at a time between them."""
from __future__ import annotations

from contextlib import nullcontext, suppress
from typing import Any, Callable, Optional, Union

import numpy as np

from . import tables
from ._lib import c_text, check, encoded, failure, ffi, lib, new_error
from .arrays import copy_of, pointer, scales, vector
from .control import Control, Path, Watcher
from .errors import ArgumentError, StateError, sentence, warn
from .history import History
from .failures import is_lenient
from .fan import Fan
from .interrupt import Interrupt
from .outside import Method, Outside
from .problems import Function, Nobody, Problem
from .prox import as_prox
from .result import Result, from_report

FAILURES = (lib.ZO_AT_NONFINITE, lib.ZO_AT_FAILURE)  # reasons of a run that ended because fun failed
NULL = ffi.NULL
DEFAULTS = {"args": (), "vectorized": None, "pairs": None, "threads": 1, "workers": None}


def make_problem(fun: Any, x0: Any, n: Optional[int], d: Optional[int], **how: Any) -> Problem:
    """What the arguments of `minimize` and `Solver` stand for."""
    if isinstance(fun, Problem):
        for name, value, there in (("n", n, fun.n), ("d", d, fun.d)):
            if value is not None and value != there:
                raise ArgumentError(f"{name}: {value} is given, and the problem has {there}")
        for name, usual in DEFAULTS.items():
            if how[name] is not usual and how[name] != usual:
                raise ArgumentError(f"{name}: {how[name]!r} is for functions, and {fun!r} is a problem already")
        return fun
    if x0 is not None:
        size = len(vector("x0", x0))
        if d is not None and d != size:
            raise ArgumentError(f"d: {d} is given, and x0 has {size} numbers")
        d = size
    if d is None:
        raise ArgumentError("x0: expected a vector of numbers (or d, to start at 0), got None")
    return Nobody(1 if n is None else n, d) if fun is None else Function(fun, n, d, **how)


class Solver:
    """Minimizes F(x) = (1/n) sum_i f_i(x) + psi(x), by `run`, or driven by you with `ask` and `tell`.

    The arguments are those of `minimize`; fun may be None when only ask and tell are used, and d stands for an x0
    of zeros.

    >>> import numpy as np, zoprox
    >>> centres = np.arange(12.0).reshape(4, 3)
    >>> solver = zoprox.Solver(None, d=3, n=4, method="fista", prox="l1:0.1")
    >>> for _ in range(60):
    ...     fan = solver.ask()
    ...     differences = fan.points[:, None, :] - centres[fan.components]
    ...     solver.tell(fan.answers_from(0.5 * (differences ** 2).sum(axis=-1)))
    >>> solver.point.round(3)
    array([4.4, 5.4, 6.4])
    """

    def __init__(self, fun: Union[None, Problem, Callable[..., Any]], x0: Any = None, n: Optional[int] = None,
                 prox: Any = None, method: Union[str, Method, type[Method]] = "auto", *, d: Optional[int] = None, bounds: Any = None,
                 args: tuple[Any, ...] = (), vectorized: Optional[bool] = None,
                 pairs: Optional[Callable[..., Any]] = None, threads: Any = 1, workers: Any = None, seed: int = 1,
                 on_error: str = "nan", x_scale: Any = None, **settings: Any) -> None:
        self.problem = make_problem(fun, x0, n, d, args=args, vectorized=vectorized, pairs=pairs, threads=threads,
                                    workers=workers)
        self.n, self.d = self.problem.n, self.problem.d
        if self.problem.remark:
            warn(self.problem.remark)
        self._lenient = is_lenient(on_error)
        self._x0 = None if x0 is None else vector("x0", x0, self.d).copy()
        self._psi = as_prox(prox, bounds, self.d).bind(self.d)
        self._stop = ffi.new("int *")
        for trap in self._psi.traps:
            trap.stop = self._stop
        self._traps = [self.problem.trap, *self._psi.traps]
        self._next = ffi.new("zo_fan **")
        self._error, self._started, self._running = new_error(), False, False
        self._fan: Optional[Fan] = None
        self._outside = None if isinstance(method, str) else Outside(method)
        if self._outside is not None:
            self._outside.trap.stop = self._stop
            self._traps.append(self._outside.trap)
        self._set(dict(settings, method=method if self._outside is None else "auto", seed=seed))
        self._problem = ffi.new("zo_problem *", self.problem.c[0])
        self._problem.psi = self._psi.c
        if x_scale is not None:
            self._scale = scales(x_scale, self.d)
            self._problem.scale = pointer(self._scale)
        out = ffi.new("zo_solver **")
        own = NULL if self._outside is None else self._outside.c
        self._check(lib.zo_new_with(out, self._problem, self._settings, own, self._error))
        self._c = ffi.gc(out[0], lib.zo_free)

    def _set(self, values: dict[str, Any]) -> None:
        self._settings = ffi.new("zo_settings *", lib.zo_defaults())
        for name, value in values.items():
            self._check(lib.zo_set(self._settings, name.encode(), c_text(name, tables.as_text(value)), self._error))

    def _check(self, status: int) -> None:
        """Raises a user's own exception as it was, and otherwise what the status says."""
        for trap in self._traps:
            if trap.error is not None:
                raise self._caught()
        if status:
            check(status, self._error)

    def _be_free(self, call: str) -> None:
        if self._running:
            raise StateError(f"{call}: this solver is running; its functions and other threads must wait for the end")

    def __reduce__(self) -> Any:
        raise TypeError("a Solver cannot be copied or pickled: save(file), and load(file) in another one")

    def _caught(self) -> Any:
        errors = [trap.take() for trap in self._traps if trap.error is not None]
        return errors[0] if errors else None

    def start(self) -> "Solver":
        """Begins at x0. Done by itself when it is needed."""
        if not self._started:
            self._check(lib.zo_start(self._c, pointer(self._x0), self._error))
            self._started = True
            if self._x0 is not None and "the start was moved" in self.report.warning:
                warn(self.report.warning)
        return self

    # ---- one question at a time -----------------------------------------------------------------------------

    def ask(self) -> Optional[Fan]:
        """The next question, or None when the run has converged. Asking twice gives the same one."""
        self._be_free("ask")
        if not self._started:
            self.start()
        if self._fan is None:
            self._check(lib.zo_ask(self._c, self._next, self._error))
            self._fan = Fan(self._next[0]) if self._next[0] else None
        return self._fan

    def tell(self, answers: Any) -> None:
        """The answers to the last question: see `Fan.answers_from`."""
        fan = self._fan
        if fan is None:
            raise StateError("tell: nothing was asked")
        room = vector("answers", answers, fan.count)
        fan.end()
        self._fan = None
        self._check(lib.zo_tell(self._c, pointer(room), self._error))

    # ---- a whole run ----------------------------------------------------------------------------------------

    def run(self, *, units: Optional[float] = None, queries: Optional[float] = None, points: Optional[float] = None,
            seconds: Optional[float] = None, steps: Optional[int] = None, target: Optional[float] = None,
            gap: Optional[float] = None, optimum: Optional[float] = None, tol: Optional[float] = None,
            track: str = "on", every: Optional[float] = None, callback: Optional[Callable[[Result], Any]] = None,
            progress: Any = False, checkpoint: Optional[Path] = None,
            checkpoint_seconds: Optional[float] = None, history: Optional[Path] = None, past: Optional[Path] = None,
            resume: bool = False) -> Result:
        """Runs until a limit is reached; limits count from the very start, so that a run can be continued.

        An exception of the user's function counts as NaN (on_error='nan'), or ends the run (on_error='raise', and at the
        start); those of callback and prox, and KeyboardInterrupt, end it. They are raised as they were, and the solver
        keeps its point, its best point and its counters."""
        self._be_free("run")
        kept = self._history(history, past, resume)
        self.start()
        control = Control(self._problem, {"units": units, "queries": queries, "points": points, "seconds": seconds, "steps": steps},
                          {"target": target, "gap": gap, "optimum": optimum, "tol": tol}, track, every, checkpoint,
                          checkpoint_seconds)
        control.c.stop = self._stop
        if kept is not None:
            control.c.history = kept.c
        control.calls = not self.problem.built_in
        watcher = Watcher(control, callback, progress, self.d)
        watcher.trap.stop = self._stop
        report = ffi.new("zo_report *")
        if self._fan is not None:
            self._fan.end()
            self._fan = None
        self.problem.raised, self.problem.timed, self.problem.lenient = None, seconds is not None, self._lenient
        self._running = True
        guard: Any = Interrupt(self._stop) if self.problem.built_in else nullcontext()
        self.problem.open()
        with guard as interrupt:
            status = lib.zo_run(self._c, control.c, report, self._error)
        self._running = False
        self.problem.close()
        result = self._result(report, watcher)
        watcher.close(result)
        if kept is not None:
            result["known"] = kept.known
            kept.close()
        error: Any = (self._caught() or watcher.trap.take() or (interrupt.again() if interrupt else None)
                      or (self.problem.raised if report.reason in FAILURES else None)
                      or (failure(status, self._error) if status else None))
        if error is None:
            return result
        result.update(x=result.best_x, fun=result.best_fun, success=False, message=sentence(error))
        with suppress(Exception):
            error.result = result
        raise error

    def _history(self, file: Optional[Path], past: Optional[Path], resume: bool) -> Optional[History]:
        """What is kept and what is known; without an x0 the run begins at the best point that is."""
        if file is None and past is None:
            return None
        if self.problem.built_in:
            raise ArgumentError(f"history: {self.problem!r} answers whole questions, and its single values are not seen")
        kept = History(self.n, self.d, file, past, resume)
        if past is not None and self._x0 is None and not self._started:
            self._x0 = kept.best(self._psi.c)
        return kept

    def _result(self, report: Any, watcher: Watcher) -> Result:
        return from_report(report, self.point, self.best, watcher.trace, self.problem.raised,
                           tables.read_settings(report.settings), not self.problem.built_in)

    # ---- what is known --------------------------------------------------------------------------------------

    @property
    def point(self) -> np.ndarray:
        """The result: the best point whose F is known; with point='last' the method's last one."""
        self.start()
        return copy_of(lib.zo_point(self._c), self.d)

    @property
    def best(self) -> np.ndarray:
        """The best point whose F is known."""
        self.start()
        return copy_of(lib.zo_best(self._c), self.d)

    @property
    def last(self) -> np.ndarray:
        """The method's last point."""
        self.start()
        return copy_of(lib.zo_last(self._c), self.d)

    @property
    def report(self) -> Result:
        """Counters and choices so far, as a result without a trace."""
        report = ffi.new("zo_report *")
        self.start()
        lib.zo_look(self._c, report)
        return from_report(report, self.point, self.best, [], None, tables.read_settings(report.settings), not self.problem.built_in)

    def residuals(self) -> tuple[np.ndarray, np.ndarray]:
        """r and its Jacobian at the point, of a method that models residuals (lm)."""
        r, jac = np.empty(self.n), np.empty((self.n, self.d))
        self._check(lib.zo_residuals(self._c, pointer(r), ffi.from_buffer("double[]", jac), self._error))
        return r, jac

    def covariance(self) -> tuple[np.ndarray, np.ndarray]:
        """The covariance of the parameters, as curve_fit defines it, and their standard errors (inf: not determined)."""
        covariance, error = np.empty((self.d, self.d)), np.empty(self.d)
        self._check(lib.zo_covariance(self._c, ffi.from_buffer("double[]", covariance), pointer(error), ffi.NULL,
                                      self._error))
        return covariance, error

    def save(self, path: Path) -> None:
        """Writes a checkpoint, between a tell and the next ask."""
        self.start()
        self._check(lib.zo_save(self._c, encoded("path", path), self._error))

    def load(self, path: Path) -> "Solver":
        """Goes on from a checkpoint, with the same bytes, in place of starting at x0."""
        self._be_free("load")
        self._check(lib.zo_load(self._c, encoded("path", path), self._error))
        self._started = True
        return self
