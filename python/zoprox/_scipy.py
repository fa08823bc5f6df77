# SPDX-License-Identifier: MIT
"""zoprox as a method of scipy.optimize.minimize."""
from __future__ import annotations

import inspect
import warnings
from typing import Any, Callable, Optional

import numpy as np

from ._minimize import minimize
from .errors import ArgumentError
from .prox import ARRAYS
from .result import Result


def scipy(fun: Callable[..., Any], x0: Any, args: tuple[Any, ...] = (), jac: Any = None, hess: Any = None, hessp: Any = None,
          bounds: Any = None, constraints: Any = (), callback: Optional[Callable[..., Any]] = None,
          solver: str = "auto", **options: Any) -> Result:
    """For ``scipy.optimize.minimize(fun, x0, method=zoprox.scipy, options={...})``.

    >>> import zoprox
    >>> from scipy.optimize import minimize, rosen
    >>> r = minimize(rosen, [-1.2, 1.0], method=zoprox.scipy, options={"maxfev": 2000})
    >>> bool(r.success), r.x.round(4)
    (True, array([1., 1.]))

    options are those of `zoprox.minimize`, and SciPy's maxfev, maxiter, disp; ``solver`` names the method. jac and hess
    are not used, as by SciPy's own methods without derivatives. LinearConstraint is understood. callback(x), or callback(intermediate_result=...)."""
    for name, given in (("gradient information (jac)", jac), ("Hessian information (hess)", hess),
                        ("Hessian-vector product information (hessp)", hessp)):
        if given is not None and given is not False:
            warnings.warn(f"Method zoprox does not use {name}.", RuntimeWarning, stacklevel=2)
    linear = _linear(constraints)
    if linear is not None:
        if options.get("prox") is not None:
            raise ArgumentError("constraints: they are a psi here, and options has a prox; give one of them")
        options["prox"] = linear
    return minimize(fun, x0, method=solver, args=args, bounds=bounds, callback=_in_scipys_manner(callback), **options)


def _linear(constraints: Any) -> Any:
    """The psi of SciPy's LinearConstraints; None: there are none."""
    if constraints is None or isinstance(constraints, (tuple, list)) and not len(constraints):
        return None
    rows, low, high = [], [], []
    for one in constraints if isinstance(constraints, (tuple, list)) else [constraints]:
        if not all(hasattr(one, name) for name in ("A", "lb", "ub")):
            raise ArgumentError("constraints: linear ones are understood (scipy.optimize.LinearConstraint); any other is a psi here: "
                                "give bounds, or options={'prox': ...} (zoprox.proxes() lists them)")
        matrix = np.atleast_2d(one.A.toarray() if hasattr(one.A, "toarray") else np.asarray(one.A, float))
        rows.append(matrix)
        low.append(np.broadcast_to(np.asarray(one.lb, float), len(matrix)))
        high.append(np.broadcast_to(np.asarray(one.ub, float), len(matrix)))
    A, lo, hi = np.concatenate(rows), np.concatenate(low), np.concatenate(high)
    if (lo == hi).all():
        return ARRAYS["affine"](A, lo)
    above, below = np.isfinite(hi), np.isfinite(lo)
    return ARRAYS["polyhedron"](np.concatenate([A[above], -A[below]]), np.concatenate([hi[above], -lo[below]]))


def _in_scipys_manner(callback: Optional[Callable[..., Any]]) -> Optional[Callable[[Result], Any]]:
    """callback(x), or by its argument's name callback(intermediate_result); True or StopIteration ends the run."""
    if callback is None:
        return None
    called = callback
    try:
        names = list(inspect.signature(callback).parameters)
    except (TypeError, ValueError):
        names = []
    if names == ["intermediate_result"]:
        return lambda row: called(intermediate_result=row)
    return lambda row: called(row.x)
