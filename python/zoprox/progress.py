# SPDX-License-Identifier: MIT
"""A progress bar: a line of text on a terminal, a bar in a notebook, one last line anywhere else."""
from __future__ import annotations

import math
import sys
from typing import Any, Optional

from ._lib import ffi

WIDTH = 24  # letters of the bar
FIELDS = [name for name, _ in ffi.typeof("zo_progress").fields]
CONVERGED = ("end", "tol", "target", "gap", "noise")
SPENT = ("queries", "seconds", "steps")


def as_dict(now: Any) -> dict[str, float]:
    """A zo_progress by its names."""
    return {name: getattr(now, name) for name in FIELDS}


def _time(seconds: float) -> str:
    whole = int(seconds + 0.5)
    hours = f"{whole // 3600}:{whole // 60 % 60:02d}" if whole >= 3600 else f"{whole // 60}"
    return f"{hours}:{whole % 60:02d} left"


class Progress:
    """Shows how far a run has come: ``show`` with what is known now, ``close`` with the result, once."""

    def __init__(self, stream: Any = None) -> None:
        self.stream = stream if stream is not None else sys.stderr
        self.handle = _notebook()
        self.width = 0  # letters of the line that is there

    def text(self, now: dict[str, float]) -> str:
        """All but the bar."""
        parts = [f"{100 * now['share']:3.0f} %"] if math.isfinite(now["share"]) else []
        parts.append(f"{now['units']:.4g} units")
        parts += [f"{name} {now[key]:.{digits}g}" for name, key, digits in (("F", "objective", 8), ("gap", "gap", 3))
                  if math.isfinite(now[key])]
        if now["asked"]:
            parts.append(f"answers {now['answered']} of {now['asked']}")
        if now["workers"] > 1:
            parts.append(f"busy {now['busy']} of {now['workers']}")
        if now["failures"]:
            parts.append(f"failures {now['failures']}")
        return "  ".join(parts + [_time(now["left"]) if math.isfinite(now["left"]) else f"{now['seconds']:.0f} s"])

    def show(self, now: dict[str, float]) -> None:
        self._draw(now["share"], self.text(now))

    def close(self, result: Optional[dict[str, Any]]) -> None:
        """The last picture: full when the run came to its end, and why it ended."""
        if result is None:
            return
        reason = result["reason"]
        ended = "converged" if reason in CONVERGED else "100 %" if reason in SPENT else "stopped"
        parts = [ended, f"{result['units']:.4g} units"]
        parts += [f"F {result['fun']:.8g}"] if math.isfinite(result["fun"]) else []
        self._draw(1.0 if ended != "stopped" else math.nan, "  ".join(parts + [f"{result['seconds']:.1f} s"]), last=True)

    def _draw(self, share: float, text: str, last: bool = False) -> None:
        known = math.isfinite(share)
        if self.handle is not None:
            from IPython.display import HTML
            bar = f"<progress max='1' value='{share:.4f}'></progress> " if known else ""
            self.handle.update(HTML(f"{bar}<code>{text}</code>"))
            return
        if known:
            full = round(share * WIDTH)
            text = f"[{'#' * full}{'.' * (WIDTH - full)}] {text}"
        if self.stream.isatty():
            self.stream.write("\r" + text + " " * (self.width - len(text)) + ("\n" if last else ""))
            self.width = len(text)
        elif last:
            self.stream.write(text + "\n")
        self.stream.flush()


def _notebook() -> Any:
    """A place in the notebook that can be drawn again and again, or None outside of one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display
    return display("", display_id=True)
