# SPDX-License-Identifier: MIT
"""A fan: the one question that methods ask."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._lib import ffi, lib
from .arrays import copy_of, pointer
from .errors import ArgumentError, OutOfMemory, StateError


class Fan:
    """How do some components change around one or two points? Valid until it is told.

    ``points`` are the points at which every component in ``components`` is to be evaluated, and
    ``answers_from(values)`` makes of the values what `Solver.tell` takes, summed as the library does it."""

    def __init__(self, c: Any) -> None:
        self._c = c

    @property
    def c(self) -> Any:
        if self._c is None:
            raise StateError("fan: it has been told, and is gone; ask for the next one")
        return self._c

    def __repr__(self) -> str:
        if self._c is None:
            return "<Fan, told>"
        npoints, ncomp = lib.zo_fan_points(self.c), self.c.ncomp
        return f"<Fan of {npoints} points for {ncomp} components{', each its own' if self.own else ''}>"

    @property
    def own(self) -> bool:
        """Has every component points of its own? Then ``points`` has one more dimension."""
        return bool(self.c.own)

    @property
    def each(self) -> bool:
        """Is there one set of answers for each component, or one of means over them?"""
        return bool(self.c.each)

    @property
    def queries(self) -> int:
        """What it costs."""
        return int(lib.zo_fan_queries(self.c))

    @property
    def components(self) -> np.ndarray:
        """The components that are asked, repeats allowed."""
        c = self.c
        if not c.comp:
            return np.arange(c.ncomp)
        array = np.empty(c.ncomp, np.int64)
        ffi.memmove(array, c.comp, array.nbytes)
        return array

    @property
    def shape(self) -> tuple[int, int]:
        """Of the values: (points, components), or with own (components, points)."""
        c = self.c
        npoints, ncomp = lib.zo_fan_points(c), c.ncomp
        return (ncomp, npoints) if c.own else (npoints, ncomp)

    @property
    def points(self) -> np.ndarray:
        """points[p] for all components; with own points[k, p] for components[k]."""
        c, (npoints, d) = self.c, (lib.zo_fan_points(self.c), self.c.d)
        if not c.own:
            array = np.empty((npoints, d))
            lib.zo_fan_fill(c, 0, pointer(array))
            return array
        array = np.empty((c.ncomp, npoints, d))
        for entry in range(c.ncomp):
            lib.zo_fan_fill(c, entry, pointer(array[entry]))
        return array

    @property
    def bases(self) -> np.ndarray:
        """The one or two points around which it is asked."""
        return np.array([copy_of(self.c.base[b], self.c.d) for b in range(self.c.nbase)])

    def answers_from(self, values: Any) -> np.ndarray:
        """The answers for `Solver.tell` from values[p, k] of components[k] at points[p] (with own values[k, p])."""
        table, shape, c = np.asarray(values), self.shape, self.c
        if table.shape != shape or table.dtype.kind not in "fiub":
            raise ArgumentError(f"values: expected real numbers of shape {shape}, "
                                f"got {table.dtype} of shape {table.shape}")
        rows = np.ascontiguousarray(table if c.own else table.T, dtype=np.float64)
        out = np.empty(lib.zo_fan_answers(c))
        if lib.zo_fan_answer(c, pointer(rows), pointer(out), ffi.NULL):
            raise OutOfMemory(f"out of memory for {len(out)} answers")
        return out

    def end(self) -> None:
        """It has been told."""
        self._c = None
