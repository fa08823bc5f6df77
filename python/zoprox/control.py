# SPDX-License-Identifier: MIT
"""What does not shape the trajectory: limits, goals, and who watches."""
from __future__ import annotations

import math
import os
from typing import Any, Callable, Optional, Union

from ._lib import encoded, ffi, lib
from .arrays import Trap, copy_of
from .errors import ArgumentError, FileError
from .progress import Progress, as_dict
from .result import TRACE, Result

Path = Union[str, "os.PathLike[str]"]
LIMITS = {"units": "max_units", "queries": "max_queries", "points": "max_points", "seconds": "max_seconds", "steps": "max_steps"}
GOALS = ("target", "gap", "tol")
TRACKS = ("off", "on", "charged", "apart")
FIELDS = dict(ffi.typeof("zo_control").fields)


class Control:
    """A zo_control, and all that it points to."""

    def __init__(self, p: Any, limits: dict[str, Any], goals: dict[str, Any], track: str,
                 every: Optional[float], checkpoint: Optional[Path], checkpoint_seconds: Optional[float]) -> None:
        self.c = ffi.new("zo_control *", lib.zo_no_limits())
        n, d = 1 if p.by_point else p.n, p.d
        self.calls = False  # is what is watched part of what was called? with a function of the user's
        for name, field in LIMITS.items():
            _set(self.c, field, name, limits[name])
        for name in (*GOALS, "optimum"):
            _set(self.c, name, name, goals[name])
        if all(value is None for value in limits.values()):
            self.c.max_units = lib.zo_usual_units(p)
        if track not in TRACKS:
            raise ArgumentError(f"track: expected one of {', '.join(TRACKS)}, got {track!r}")
        self.c.track = TRACKS.index(track)
        self.shares = {"units": min(self.c.max_units, self.c.max_queries / n / d, self.c.max_points / d), "seconds": self.c.max_seconds,
                       "step": self.c.max_steps if limits["steps"] is not None else math.inf}
        budget = self.shares["units"] if limits["queries"] is not None or limits["points"] is not None else self.c.max_units
        _set(self.c, "every", "every", every if every is not None
             else max(budget / 100 if math.isfinite(budget) else 0.1, 1 / d))
        if checkpoint is not None:
            self._path = ffi.new("char[]", _place(checkpoint))
            self.c.checkpoint = self._path
        _set(self.c, "checkpoint_seconds", "checkpoint_seconds", checkpoint_seconds)


def _set(c: Any, field: str, name: str, value: Any) -> None:
    if value is None:
        return
    try:
        whole = field in ("max_queries", "max_points", "max_steps")
        if whole and math.isinf(value):
            return
        setattr(c, field, int(value) if whole else float(value))
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{name}: expected a number, got {value!r}") from None
    if whole and int(value) != value:
        raise ArgumentError(f"{name}: expected a whole number, got {value!r}")
    if name in ("gap", "tol") and value < 0:
        raise ArgumentError(f"{name}: expected a number of 0 or more, got {value!r}")


def _place(path: Path) -> bytes:
    """Where a checkpoint goes, if it can: not to be told so when all queries were spent."""
    place = encoded("checkpoint", path)
    folder = os.path.dirname(place) or b"."
    if os.path.isdir(place):
        raise ArgumentError(f"checkpoint: '{os.fsdecode(place)}' is a folder")
    if not os.access(folder, os.W_OK):
        raise FileError(f"checkpoint: '{os.fsdecode(place)}' cannot be written: the folder is not there, or not for you to write")
    return place


class Watcher:
    """Sees every row of a run: keeps the trace, draws the bar, calls the user's callback."""

    def __init__(self, control: Control, callback: Optional[Callable[[Result], Any]], progress: Any, d: int) -> None:
        for name, function in (("callback", callback), ("progress", progress)):
            if function not in (None, True, False) and not callable(function):
                raise ArgumentError(f"{name}: expected a function, got {type(function).__name__}")
        self.trace: list[tuple[Any, ...]] = []
        self.bar = Progress() if progress is True else None
        self.progress = self.bar.show if self.bar is not None else progress
        self.callback, self.d, self.trap = callback, d, Trap()
        control.c.watch = self.trap.function(FIELDS["watch"].type, self._row, 1)
        if self.progress:
            control.c.progress = self.trap.function(FIELDS["progress"].type, self._far)
        self.control = control

    def _far(self, _: Any, now: Any) -> None:
        self.progress(Result(as_dict(now)))

    def _row(self, _: Any, row: Any) -> int:
        self.trace.append((row.step, row.queries, row.watched, row.units, row.seconds, row.objective, row.gap,
                           row.residual, row.nonzeros, row.best))
        if self.callback is None:
            return 0
        try:
            return 1 if self.callback(Result(self.last(), x=copy_of(row.x, self.d), fun=row.objective,
                                             nfev=row.queries + (row.watched if self.control.calls else 0),
                                             nit=row.step)) is True else 0
        except StopIteration:
            return 1

    def last(self) -> dict[str, float]:
        """The last row, by name."""
        return dict(zip(TRACE.names or (), self.trace[-1]))

    def close(self, result: Result) -> None:
        if self.bar is not None:
            self.bar.close(result)
