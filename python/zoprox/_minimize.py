# SPDX-License-Identifier: MIT
"""minimize, in the manner of scipy.optimize.minimize."""
from __future__ import annotations

import os
from typing import Any, Callable, Optional, Union

from . import tables
from ._lib import encoded
from .control import Path
from .errors import ArgumentError
from .history import dimensions
from .outside import Method
from .problems import Problem
from .residuals import Residuals
from .result import Result
from .solver import Solver
from .words import understands


@understands
def minimize(fun: Union[Problem, Callable[..., Any]], x0: Any = None, n: Optional[int] = None, prox: Any = None,
             method: Union[str, Method, type[Method]] = "auto", *, bounds: Any = None, args: tuple[Any, ...] = (),
             vectorized: Optional[bool] = None, pairs: Optional[Callable[..., Any]] = None, threads: Any = 1,
             workers: Any = None, units: Optional[float] = None, queries: Optional[float] = None, points: Optional[float] = None,
             residuals: Optional[str] = None, seconds: Optional[float] = None,
             steps: Optional[int] = None, target: Optional[float] = None, gap: Optional[float] = None,
             optimum: Optional[float] = None, tol: Optional[float] = None, seed: int = 1, track: str = "on",
             every: Optional[float] = None, callback: Optional[Callable[[Result], Any]] = None,
             progress: Any = False, disp: bool = False, checkpoint: Optional[Path] = None,
             checkpoint_seconds: Optional[float] = None, resume: Union[bool, Path] = False,
             history: Optional[Path] = None, past: Optional[Path] = None, on_error: str = "nan",
             x_scale: Any = None, **settings: Any) -> Result:
    if fun is None:
        raise ArgumentError("fun: expected a function, got None")
    if residuals is not None:
        if isinstance(fun, Problem):
            raise ArgumentError(f"residuals: expected a function of x beside it, got {fun!r}")
        fun, args, n = Residuals(fun, x0, residuals, args=args, threads=threads, workers=workers), (), None
        settings.setdefault("abreast", fun.abreast)
        threads, workers = 1, None
    d = dimensions(past) if past is not None and x0 is None and not isinstance(fun, Problem) else None
    solver = Solver(fun, x0, n, prox, method, d=d, bounds=bounds, args=args, vectorized=vectorized, pairs=pairs,
                    threads=threads, workers=workers, seed=seed, on_error=on_error, x_scale=x_scale, **settings)
    for name, path in (("checkpoint", checkpoint), ("resume", None if isinstance(resume, bool) else resume)):
        if path is not None:
            encoded(name, path)
    if resume is True and checkpoint is None and history is None:
        raise ArgumentError("resume: True needs a checkpoint or a history, which is not given")
    if history is not None and os.path.isdir(history):
        raise ArgumentError(f"history: '{history}' is a folder")
    if history is not None and not resume and os.path.isfile(history):
        raise ArgumentError(f"history: '{history}' is already there; go on with it by resume=True, take its values with "
                            "past=, or remove it")
    if checkpoint is not None and not resume and os.path.isfile(checkpoint):
        raise ArgumentError(f"checkpoint: '{checkpoint}' is already there; go on from it with resume=True, or remove it")
    source = checkpoint if resume is True else resume
    if source and (resume is not True or os.path.exists(source)):
        solver.load(source)
    try:
        result = solver.run(units=units, queries=queries, points=points, seconds=seconds, steps=steps, target=target, gap=gap,
                          optimum=optimum, tol=tol, track=track, every=every, callback=callback, progress=progress,
                          checkpoint=checkpoint, checkpoint_seconds=checkpoint_seconds, history=history, past=past,
                          resume=bool(resume))
    except KeyboardInterrupt as interrupt:
        if not hasattr(interrupt, "result"):
            raise
        result = interrupt.result
    if disp:
        print(result)
    return result


minimize.__doc__ = f"""Minimizes F(x) = (1/n) sum_i f_i(x) + psi(x) when the f_i can only be evaluated.

    One evaluation of one f_i is a query; n*d queries are a unit.

    >>> import zoprox
    >>> def fun(x, i):                                  # f_i(x), i = 0 ... 99
    ...     return (x[0] - i / 100) ** 2 + (x[1] * (1 + i % 2) - 1) ** 2
    >>> r = zoprox.minimize(fun, [0.0, 0.0], n=100, prox="l1:0.01", units=60)
    >>> r.x.round(3)
    array([0.49 , 0.598])
    >>> bool(r.success), r.message
    (True, 'converged')

    Many values at once, through NumPy:

    >>> import numpy as np
    >>> i = np.arange(100)
    >>> def table(X, idx):                              # array[len(X), len(idx)]
    ...     return (X[:, :1] - i[idx] / 100) ** 2 + (X[:, 1:] * (1 + i[idx] % 2) - 1) ** 2
    >>> s = zoprox.minimize(table, [0.0, 0.0], n=100, prox=zoprox.l1(0.01), units=60, vectorized=True)
    >>> np.allclose(s.x, r.x)
    True

    The problem
    -----------
    fun         fun(x, i) is f_i(x); fun(x) without n (or n = 1); with vectorized=True fun(X, idx) is
                array[len(X), len(idx)]; or a built-in problem such as zoprox.logistic(A, y). x, X and idx are read-only.
    x0          where to begin, d numbers; outside psi's domain: the nearest point inside
    n           how many components there are
    method      a name (below), or a class of yours with ask and tell: see `zoprox.Method`
    prox        psi: a spec ("l1:1e-3", "box:-1,1@0:10 l2:0.5@10:20"), a prox of this package (zoprox.l1(1e-3)), or an
                object of yours with value(x) and apply(v, step)
    bounds      alone or beside a prox (that is separable, or made of affine sets and polyhedra): scipy.optimize.Bounds, a (low, high) pair for each coordinate, or one (low, high), of numbers or vectors;
                None for no bound
    x_scale     what is a large change of each coordinate, d numbers or one: for units far from 1 without bounds that show them
    args        further arguments of fun
    residuals   fun(x) gives array[n], all residuals r_i in one call, and f_i = h(r_i): "squares" (r^2/2), "huber:A",
                "soft-l1:A", "cauchy:A", "logistic"; calls are then what is counted, see also `least_squares`
    pairs       beside a vectorised fun: pairs(X, idx) is array[len(idx)], component idx[k] at X[k]; methods that ask
                every component along directions of its own are much faster with it
    workers     processes that call fun(x, i) (-1: as many as there are cores); or a map (pool.map), an executor with submit
                (concurrent.futures', mpi4py.futures'), Dask's client, joblib's Parallel; same bytes
    threads     threads that call fun(x, i)

    Limits (the first reached ends the run; without a budget 100 units, or 1000 queries if that is more) and goals
    ---------------------------------------------------------------------------------------------------------
    units, queries, seconds, steps; points, where one call of fun gives all components (residuals)
                SciPy's maxfev and maxfun are queries, maxiter is steps; options={...} may hold any argument
    target      F(x) <= target
    gap         F(x) - optimum <= gap; optimum is F*, where it is known
    tol         residual <= tol

    What is shown and kept
    ----------------------
    disp        True: prints the result
    track       looks at F: 'on' (the budget pays for them, and they are a tenth of it at most; with built-in problems they
                are in every row, and counted apart), 'off', 'charged' or 'apart' (in every row; the budget pays, or not)
    every       units between two rows of the trace
    callback    callback(row) sees every row (x, fun, nfev, nit, units, ...); True or StopIteration ends the run
    progress    True: a bar, on a terminal or in a notebook; or progress(now), called at most ten times a second, also
                while a question is being answered: now.answered of now.asked values, now.share of the budget (0 to
                1), now.left seconds, now.units, now.objective, now.busy of now.workers, now.failures
    checkpoint  a file to keep up to date, every second (checkpoint_seconds);
                resume=True goes on from it if it exists, resume='file' from another
    history     a file that gets every evaluation as it comes (point, component, value, seconds, failure), to be read while the
                run goes on: SQLite where the name ends in .sqlite or .db, CSV otherwise; with resume=True it goes on,
                and what it holds is not asked again
    past        such a file, or a table of any other tool with columns x0, x1, ..., value and component: what it holds
                is not asked again, and without x0 its best point is the start

    When fun fails
    --------------
    on_error    "nan": an exception of fun counts as a value that is not a number; "raise": it ends the run
    nonfinite   such a value is asked again, alone; what stays is refused, and the run goes on ("reject"), asked again more
                often ("retry"), or ends the run ("stop")

    Exceptions that end a run (those of callback and prox, of fun at the start, and what tells of a mistake in the program:
    TypeError, NameError, AttributeError, AssertionError, ...) are raised as they were, with the result so far in their
    attribute ``result``. KeyboardInterrupt ends it too, and the result so far is returned, with success False.

    Returns a `Result` (SciPy's OptimizeResult): x, fun = F(x), success (a goal was reached, or nothing is left to win; False
    where a limit ended the run), status, reason, message, nfev (calls of fun, of
    which nwatched only showed F; with built-in problems queries alone), nwatched, nit, units, seconds, best_x, best_fun,
    gap, residual, nonzeros, method, chosen, warning, settings, retried, failures, known,
    trace (a structured array), plot().

    Methods
    -------
{tables.methods_help()}

    Settings (None is auto)
    -----------------------
{tables.settings_help()}
    """
