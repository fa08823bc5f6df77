# SPDX-License-Identifier: MIT
"""What comes out of a run."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._lib import lib, text_of
from .errors import sentence

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
SHOWN = ("success", "message", "fun", "cost", "x", "error", "nfev", "nit", "units", "seconds", "gap", "residual", "method", "warning")


class Result(OptimizeResult):
    """An OptimizeResult: x, fun, nfev, nit, status, success, message and more; see `zoprox.minimize`. ``print`` shows
    what matters in ten lines at most, ``list(r)`` names all there is."""

    def __repr__(self) -> str:
        lines = {name: _shown(self[name]) for name in SHOWN if name in self}
        if len(lines) < 2:  # a row of a trace, or what progress has
            lines = {name: _shown(value) for name, value in self.items()}
        if "units" in lines and "seconds" in lines:
            lines["units"], _ = f"{self['units']:.5g} in {self['seconds']:.3g} s", lines.pop("seconds")
        lines = {name: text for name, text in lines.items() if text not in ("nan", "")}
        for spare in ("nit", "error", "residual"):
            if len(lines) > 10:
                lines.pop(spare, None)
        width = max(map(len, lines), default=0)
        return "\n".join(f"{name:>{width}}: {text}" for name, text in lines.items())

    __str__ = __repr__

    def plot(self, ax: Any = None, x: str = "evaluations", y: Optional[str] = None, log: bool = True, **style: Any) -> Any:
        """Draws the trace with matplotlib, evaluations below: the gap where F* is known, otherwise the lowest F so far;
        where that is not above 0, how far it is above the last. x, y: any column of the trace."""
        try:
            import matplotlib.pyplot as plt
        except ImportError as error:
            raise ImportError("plot: matplotlib is not installed (Debian: python3-matplotlib)") from error
        trace = self["trace"]
        across = trace["queries"] + trace["watched"] if x == "evaluations" else trace[x]
        y = y or ("gap" if np.isfinite(trace["gap"]).any() else "best")
        up, label = trace[y], {"objective": "F(x)", "best": "lowest F", "gap": "F(x) - F*"}.get(y, y)
        if log and y in ("objective", "best") and np.nanmin(up, initial=np.inf) <= 0:
            up, label = up - np.nanmin(up), f"{label} - {np.nanmin(up):.6g}"
        ax = ax if ax is not None else plt.subplots(constrained_layout=True)[1]
        known = np.isfinite(up) & ((up > 0) | (not log))
        few = {"marker": "o"} if known.sum() < 30 else {}
        ax.plot(across[known], up[known], **{"label": self["method"], **few, **style})
        ax.set_xlabel(x)
        ax.set_ylabel(label)
        if log:
            ax.set_yscale("log")
        return ax


def _shown(value: Any) -> str:
    """In one line."""
    if isinstance(value, np.ndarray):
        text = np.array2string(value, precision=6, threshold=6, edgeitems=3, max_line_width=10 ** 6) if value.ndim == 1 else ""
        return text or f"array of shape {value.shape}"
    return f"{value:.8g}" if isinstance(value, float) else str(value).replace("\n", " ")


def from_report(report: Any, x: np.ndarray, best: np.ndarray, trace: list[tuple[Any, ...]],
                raised: Optional[Exception], settings: dict[str, Any], calls: bool) -> Result:
    """The report of a run as a result. raised: the last exception of the user's function that counted as NaN."""
    reason, warning = text_of(lib.zo_reason_name(report.reason)), text_of(report.warning)
    message = SENTENCES.get(reason, reason)
    if reason == "nonfinite":  # in the words of the warning, which says too what may help
        message += ": " + warning.rpartition("; f")[-1].partition(": ")[0]
    if raised is not None:
        warning += f"; fun raised {sentence(raised)}" if warning else ""
    if reason == "running" and report.queries:
        message = "goes on: nothing has ended it"
    if reason == "queries" and not report.queries:
        message = "the first question alone would pass the budget of queries" + (
            "; points around the start were tried with it" if calls and "around the start" in warning else "")
    return Result(
        x=x, fun=report.objective, success=reason in GOALS,
        status=int(report.reason), reason=reason, message=message, nfev=int(report.queries + (report.watched if calls else 0) + report.extra),
        nwatched=int(report.watched), nit=int(report.steps), units=report.units, seconds=report.seconds,
        best_x=best, best_fun=report.best_objective, gap=report.gap, residual=report.residual,
        nonzeros=int(report.nonzeros), retried=int(report.retried), failures=int(report.failures), known=0,
        method=text_of(report.method), chosen=text_of(report.chosen), warning=warning,
        settings=settings, trace=np.array(trace, TRACE))
