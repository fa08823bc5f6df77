# SPDX-License-Identifier: MIT
"""A progress bar: a line of text on a terminal, a bar in a notebook, one last line anywhere else."""
from __future__ import annotations

import math
import sys
import time
from typing import Any, Optional

WIDTH, PAUSE = 24, 0.1  # letters of the bar; seconds between two pictures


class Progress:
    """Shows rows of a run. ``shares`` are the budgets: (name, limit) pairs, of which the first spent counts."""

    def __init__(self, limits: dict[str, float], stream: Any = None) -> None:
        self.limits = {name: limit for name, limit in limits.items() if math.isfinite(limit)}
        self.stream = stream if stream is not None else sys.stderr
        self.handle = _notebook()
        self.shown, self.last = 0.0, ""

    def share(self, row: dict[str, float]) -> float:
        """How much of the budget is spent, from 0 to 1; 0 when there is none."""
        return min(1.0, max((row[name] / limit for name, limit in self.limits.items()), default=0.0))

    def text(self, row: dict[str, float]) -> str:
        share = self.share(row)
        full = round(share * WIDTH)
        parts = [f"[{'#' * full}{'.' * (WIDTH - full)}] {100 * share:3.0f} %", f"{row['units']:.4g} units"]
        parts += [f"{name} {row[key]:.{digits}g}" for name, key, digits in (("F", "objective", 8), ("gap", "gap", 3))
                  if math.isfinite(row[key])]
        return "  ".join(parts + [f"{row['seconds']:.1f} s"])

    def show(self, row: dict[str, float]) -> None:
        """Called with every row; draws when the last picture is old enough."""
        self.last = self.text(row)
        if time.monotonic() - self.shown >= PAUSE:
            self.shown = time.monotonic()
            self._draw(row, end="")

    def close(self, row: Optional[dict[str, float]] = None) -> None:
        if row is not None:
            self.last = self.text(row)
        if self.handle is not None:
            self._draw(row, end="")
        elif self.last:
            self.stream.write(("\r" if self.stream.isatty() else "") + self.last + "\n")
            self.stream.flush()

    def _draw(self, row: Optional[dict[str, float]], end: str) -> None:
        if self.handle is not None:
            from IPython.display import HTML
            share = self.share(row) if row else 1.0
            self.handle.update(HTML(f"<progress max='1' value='{share:.4f}'></progress> <code>{self.last}</code>"))
        elif self.stream.isatty():
            self.stream.write("\r" + self.last + end)
            self.stream.flush()


def _notebook() -> Any:
    """A place in the notebook that can be drawn again and again, or None outside of one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display
    return display("", display_id=True)
