# SPDX-License-Identifier: MIT
"""What comes out of a run."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._lib import lib, text_of

try:
    from scipy.optimize import OptimizeResult
except ImportError:
    class OptimizeResult(dict):  # type: ignore[no-redef]
        """A dict whose entries are attributes too, as SciPy's."""

        def __getattr__(self, name: str) -> Any:
            try:
                return self[name]
            except KeyError as error:
                raise AttributeError(name) from error

        __setattr__ = dict.__setitem__  # type: ignore[assignment]
        __delattr__ = dict.__delitem__  # type: ignore[assignment]

        def __dir__(self) -> list[str]:
            return list(self.keys())

        def __repr__(self) -> str:
            width = max(map(len, self.keys()), default=0)
            return "\n".join(f"{name:>{width}}: {value!r}" for name, value in self.items())


TRACE = np.dtype([("step", np.uint64), ("queries", np.uint64), ("watched", np.uint64), ("units", float),
                  ("seconds", float), ("objective", float), ("gap", float), ("residual", float),
                  ("nonzeros", np.uint64), ("best", float)])

SENTENCES = {"running": "not run yet", "queries": "the next question would pass the budget of queries",
             "seconds": "the time is over", "steps": "the steps are done", "target": "the objective is at the target",
             "gap": "the gap is closed", "tol": "the residual is below tol", "request": "stopped by the callback",
             "nonfinite": "an answer was not finite", "end": "converged",
             "noise": "nothing more can be learnt above the noise", "failure": "the problem failed",
             "stalled": "no better point was found, and the slopes do not vanish", "unbounded": "the objective falls without end"}
GOALS = ("target", "gap", "tol", "end", "noise")
BUDGETS = ("queries", "seconds", "steps", "request", "running")


class Result(OptimizeResult):
    """An OptimizeResult: x, fun, nfev, nit, status, success, message and more; see `zoprox.minimize`."""

    def plot(self, ax: Any = None, x: str = "units", y: Optional[str] = None, **style: Any) -> Any:
        """Draws the trace with matplotlib: the gap where it is known (log scale), the objective otherwise."""
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise ImportError("plot: matplotlib is not installed (Debian: python3-matplotlib)") from error
        trace = self["trace"]
        y = y or ("gap" if np.isfinite(trace["gap"]).any() else "objective")
        ax = ax if ax is not None else plt.subplots()[1]
        ax.plot(trace[x], trace[y], **{"label": self["method"], **style})
        ax.set_xlabel(x)
        ax.set_ylabel({"objective": "F(x)", "gap": "F(x) - F*"}.get(y, y))
        if y == "gap":
            ax.set_yscale("log")
        return ax


def from_report(report: Any, x: np.ndarray, best: np.ndarray, trace: list[tuple[Any, ...]], note: str,
                settings: dict[str, Any], goal: bool, calls: bool) -> Result:
    """The report of a run as a result."""
    reason = text_of(lib.zo_reason_name(report.reason))
    message = SENTENCES.get(reason, reason) + (f": {note}" if note else "")
    if reason == "queries" and not report.queries:
        message = "the first question alone would pass the budget of queries" + (
            "; points around the start were tried with it" if calls and report.watched else "")
    return Result(
        x=x, fun=report.objective, success=reason in GOALS or bool(reason in BUDGETS and not goal and (report.queries or report.watched)),
        status=int(report.reason), reason=reason, message=message, nfev=int(report.queries + (report.watched if calls else 0)),
        nwatched=int(report.watched), nit=int(report.steps), units=report.units, seconds=report.seconds,
        best_x=best, best_fun=report.best_objective, gap=report.gap, residual=report.residual,
        nonzeros=int(report.nonzeros), retried=int(report.retried), failures=int(report.failures), known=0,
        method=text_of(report.method), chosen=text_of(report.chosen), warning=text_of(report.warning),
        settings=settings, trace=np.array(trace, TRACE))
