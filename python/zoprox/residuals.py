# SPDX-License-Identifier: MIT
"""Residuals: one call gives all of them, and the loss on top is known. least_squares, in the manner of SciPy's."""
from __future__ import annotations

import os
import threading
from typing import Any, Callable, Mapping, Optional

import numpy as np

from ._lib import c_text, check, ffi, lib, new_error
from .arrays import as_array, copy_of, pointer, scales, vector
from .errors import ArgumentError
from .failures import Failed, failed
from .problems import KINDS, Problem
from .prox import low_and_high
from .result import Result
from .workers import crew

LOSSES = {"linear": "squares", "huber": "huber", "soft_l1": "soft-l1", "cauchy": "cauchy"}
KEPT = 1 << 25  # bytes of residuals that are remembered


def _residuals(value: Any, n: Optional[int]) -> np.ndarray:
    array = as_array("fun", value, "a vector of residuals")
    array = array.reshape(1) if array.ndim == 0 else array
    if array.ndim != 1 or (n is not None and len(array) != n) or array.dtype.kind not in "fiub" or not len(array):
        wanted = "a vector of residuals" if n is None else f"a vector of {n} residuals"
        raise ArgumentError(f"fun: expected {wanted}, got an array of shape {array.shape} and type {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


class _Call:
    """fun at one point; a class, so that other processes can be sent it."""

    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.fun, self.args, self.kwargs, self.lenient = fun, args, kwargs, False

    def __call__(self, x: np.ndarray) -> Any:
        try:
            value = self.fun(x, *self.args, **self.kwargs)
            return value.copy() if isinstance(value, np.ndarray) else value  # fun may use its array again
        except Exception as error:
            if not self.lenient:
                raise
            return failed(error)


class Residuals(Problem):
    """fun(x) -> array[n]: all residuals in one call. loss: "squares", "huber:A", "soft-l1:A", "cauchy:A" or "logistic".

    fun is called once at x0 here, to see how many there are; that call is not made again."""

    def __init__(self, fun: Callable[..., Any], x0: Any, loss: str = "squares", *, args: tuple[Any, ...] = (),
                 kwargs: Optional[Mapping[str, Any]] = None, weights: Any = None, targets: Any = None,
                 x_scale: Any = None, threads: int = 1, workers: Any = None) -> None:
        if not callable(fun):
            raise ArgumentError(f"fun: expected a function, got {type(fun).__name__}")
        if x0 is None:
            raise ArgumentError("x0: expected a vector of numbers, got None")
        x = vector("x0", x0).copy()
        if callable(threads):
            raise ArgumentError(f"threads: expected a whole number of at least 1, got {threads!r}; workers takes a map")
        self.fun = _Call(fun, tuple(args) if isinstance(args, (tuple, list)) else (args,), dict(kwargs or {}))
        self.crew, self.calls = crew(self.fun, threads, workers), 0
        self.abreast: int = threads if workers is None else self.crew.size or os.cpu_count() or 1  # points asked at a time
        first = self._call(x)
        super().__init__(len(first), len(x))
        self._first: Any = (x, first)
        self._seen: dict[bytes, np.ndarray] = {}
        self._lock = threading.Lock()
        self._remember(x, first)
        error = new_error()
        check(lib.zo_outer_parse(ffi.addressof(self.c, "outer"), c_text("residuals", loss), error), error)
        self._weights = None if weights is None else vector("weights", weights, self.n).copy()
        self._targets = None if targets is None else vector("targets", targets, self.n).copy()
        self._scale = None if x_scale is None else scales(x_scale, self.d)
        self._held = [pointer(v) for v in (self._weights, self._targets, self._scale)]
        self.c.outer.weight, self.c.outer.target, self.c.scale = self._held
        if workers in (None, 1):
            self.c.all, self.c.threads = self.trap.answer(KINDS["all"], self._all), threads  # C has threads of its own
        else:
            self.c.values = self.trap.answer(KINDS["values"], self._values)
        self.c.by_point = 1

    def open(self) -> None:
        self.fun.lenient = self.lenient
        self.crew.open()

    def close(self) -> None:
        self.crew.close()

    def _call(self, x: np.ndarray) -> np.ndarray:
        self.calls += 1
        return self._checked(self.fun(x))

    def _checked(self, value: Any) -> np.ndarray:
        """What fun gave, or NaN where it raised."""
        if type(value) is Failed:
            self.raised = value.error
            return np.full(self.n, np.nan)
        return _residuals(value, getattr(self, "n", None))

    def _known(self, x: np.ndarray) -> Optional[np.ndarray]:
        """The residuals at x0, if this is the first that is asked."""
        first, self._first = self._first, None
        return first[1] if first is not None and np.array_equal(first[0], x) else None

    def _all(self, _: Any, x: Any, f: Any) -> int:
        point = copy_of(x, self.d)
        values = self._known(point)
        if values is None:
            values = self._call(point)
            self._remember(point, values)
        ffi.memmove(f, values, 8 * self.n)
        return 0

    def _remember(self, x: np.ndarray, values: np.ndarray) -> None:
        """For the point that is returned in the end. What came first goes where it is too much."""
        with self._lock:
            self._seen[(x + 0.0).tobytes()] = values
            if len(self._seen) > 1 and len(self._seen) * (8 * (self.n + self.d) + 300) > KEPT:
                del self._seen[next(iter(self._seen))]

    def seen(self, x: np.ndarray) -> Optional[np.ndarray]:
        """The residuals at x as they came, if they did."""
        return self._seen.get((x + 0.0).tobytes())

    def _values(self, _: Any, npoints: int, x: Any, ncomp: int, comp: Any, f: Any) -> int:
        """At several points at once, by those who work for us."""
        points = list(copy_of(x, npoints * self.d).reshape(npoints, self.d))
        first = self._known(points[0])
        asked = points if first is None else points[1:]
        values = [self._checked(value) for value in self.crew.map(asked, lambda: None)]
        self.calls += len(asked)
        if len(values) != len(asked):
            raise ArgumentError(f"workers: expected a map that gives {len(asked)} values for as many questions, got {len(values)}")
        for point, value in zip(asked, values):
            self._remember(point, value)
        table = np.array(values if first is None else [first, *values])
        if ncomp != self.n:
            table = table[:, np.frombuffer(ffi.buffer(comp, 8 * ncomp), np.uint64).astype(np.int64)]
        ffi.memmove(f, np.ascontiguousarray(table), 8 * npoints * ncomp)
        return 0


def _scale(x_scale: Any) -> Any:
    if isinstance(x_scale, str):
        if x_scale != "jac":
            raise ArgumentError(f"x_scale: expected 'jac' or numbers, got {x_scale!r}")
        return None
    return None if np.ndim(x_scale) == 0 and x_scale == 1 else x_scale


def _pairs(bounds: Any, d: int) -> Any:
    """SciPy's (lo, hi), each a number or a vector, as pairs; Bounds objects and pairs as they are."""
    if hasattr(bounds, "lb"):
        return bounds
    if not isinstance(bounds, tuple) or len(bounds) != 2:
        return bounds
    low, high = (np.broadcast_to(np.asarray(side, float), (d,)) for side in bounds)
    if np.all(np.isneginf(low)) and np.all(np.isposinf(high)):
        return None
    return list(zip(low.tolist(), high.tolist()))


def _sides(bounds: Any, d: int) -> tuple[np.ndarray, np.ndarray]:
    if bounds is None:
        return np.full(d, -np.inf), np.full(d, np.inf)
    return low_and_high(bounds, d)


def least_squares(fun: Callable[..., Any], x0: Any, jac: Any = "2-point", bounds: Any = (-np.inf, np.inf),
                  method: str = "lm", *, loss: str = "linear", f_scale: float = 1.0, x_scale: Any = "jac", prox: Any = None,
                  weights: Any = None, points: Optional[int] = None, max_nfev: Optional[int] = None,
                  ftol: Any = None, xtol: Any = None, gtol: Optional[float] = None, args: tuple[Any, ...] = (),
                  kwargs: Optional[Mapping[str, Any]] = None, threads: int = 1, workers: Any = None, verbose: int = 0,
                  **more: Any) -> Result:
    """Least squares with functions that can only be evaluated, in the manner of scipy.optimize.least_squares.

    Minimizes cost(x) = sum_i w_i h(r_i(x)) + n psi(x), where one call fun(x) gives all n residuals; h(r) = r^2/2, or
    with loss='huber', 'soft_l1' or 'cauchy' what SciPy has (f_scale is where it bends). Calls are what is counted.

    >>> import numpy as np, zoprox
    >>> t = np.linspace(0, 5, 20)
    >>> y = 3 * np.exp(-0.7 * t) + 1
    >>> s = zoprox.least_squares(lambda x: x[0] * np.exp(-x[1] * t) + x[2] - y, [1.0, 1.0, 0.5])
    >>> s.x.round(6), bool(s.success), s.nfev < 60
    (array([3. , 0.7, 1. ]), True, True)

    bounds    (low, high), numbers or vectors, a scipy Bounds, or a pair for each coordinate: no call leaves them
    x_scale   what is a large change of each parameter; 'jac': by what is seen
    prox      psi, as in `minimize`: "l1:0.01", zoprox.l1(0.01), ...
    points    the most calls (also max_nfev); without either 100 (d + 1)
    gtol      stop where the largest slope of cost is about so small; ftol and xtol are taken and not needed: the run ends
              where nothing is left to win, and fresh differences along all axes agree
    threads   calls of fun at a time, in so many threads: other points are then asked, several at once
    workers   the same in processes, or by an executor of yours, as in `minimize`
    jac       SciPy's words for differences are taken; a function is not needed

    Returns a `Result`: x, cost, fun (the residuals), jac, grad, optimality, active_mask, nfev, status, message, success,
    covariance and error (standard errors as curve_fit has them, inf where residuals do not determine a parameter),
    sensitivity (root mean square of the residuals' slopes, times |x_j|), undetermined (numbers of such parameters).
    """
    from .solver import Solver
    if callable(jac):
        raise ArgumentError("jac: slopes are measured here; leave it out")
    if loss not in LOSSES:
        raise ArgumentError(f"loss: expected one of {', '.join(LOSSES)}, got {loss!r}")
    spec = LOSSES[loss] + ("" if loss == "linear" else f":{float(f_scale)!r}")
    problem = Residuals(fun, x0, spec, args=args, kwargs=kwargs, weights=weights, x_scale=_scale(x_scale), threads=threads,
                        workers=workers)
    more.setdefault("abreast", problem.abreast)
    limits = [limit for limit in (points, max_nfev) if limit is not None]
    bounds = None if bounds is None else _pairs(bounds, problem.d)
    solver = Solver(problem, x0, prox=prox, bounds=bounds, method=method if method not in ("trf", "dogbox") else "lm",
                    **more)
    result = solver.run(points=min(limits) if limits else 100 * (problem.d + 1), tol=None if gtol is None else gtol / problem.n)
    return _as_scipy(result, solver, problem, bounds, verbose)


def _as_scipy(result: Result, solver: Any, problem: Residuals, bounds: Any, verbose: int) -> Result:
    """The fields that SciPy's least_squares has, and what residuals say about parameters."""
    n, d, outer = problem.n, problem.d, problem.c.outer
    nan = np.full
    try:
        r, jac = solver.residuals()
        covariance, error = solver.covariance()
    except Exception:  # a budget that ended before the first slopes
        seen = problem.seen(result.x)
        r, jac, covariance, error = (nan(n, np.nan) if seen is None else seen, nan((n, d), np.nan), nan((d, d), np.inf),
                                     nan(d, np.inf))
    h = ffi.addressof(problem.c, "outer")
    weights = np.ones(n) if problem._weights is None else problem._weights
    slope = weights * np.array([outer.slope(h, v) for v in r.tolist()]) if np.all(np.isfinite(r)) else nan(n, np.nan)
    low, high = _sides(bounds, d)
    result.update(
        cost=n * result.fun, fun=r, jac=jac, grad=jac.T @ slope, optimality=n * result.residual,
        active_mask=np.where(result.x <= low, -1, np.where(result.x >= high, 1, 0)), nfev=problem.calls, njev=None,
        covariance=covariance, error=error, sensitivity=np.sqrt((jac ** 2).mean(axis=0)) * np.abs(result.x),
        undetermined=np.flatnonzero(np.isinf(error)),
        status={"end": 1, "tol": 1, "target": 1, "gap": 1, "noise": 2}.get(result.reason, 0),
        success=result.reason in ("end", "tol", "target", "gap", "noise"))
    if verbose:
        print(f"zoprox: {result.message}; {result.nfev} calls, cost {result.cost:.6g}")
    return result
