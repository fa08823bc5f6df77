# SPDX-License-Identifier: MIT
"""A fan: the one question that methods ask."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._lib import ffi, lib
from .arrays import FLOAT, as_array, copy_of, memmove, pointer
from .errors import ArgumentError, OutOfMemory, StateError

NULL, from_buffer = ffi.NULL, ffi.from_buffer  # asking and telling goes through these a million times
zo_fan_points, zo_fan_answers, zo_fan_fill, zo_fan_answer = (
    lib.zo_fan_points, lib.zo_fan_answers, lib.zo_fan_fill, lib.zo_fan_answer)


class Fan:
    """How do some components change around one or two points? Valid until it is told.

    ``points`` are the points at which every component in ``components`` is to be evaluated, and
    ``answers_from(values)`` makes of the values what `Solver.tell` takes, summed as the library does it."""

    __slots__ = ("_c", "_npoints", "_shape", "_count")

    def __init__(self, c: Any) -> None:
        npoints, ncomp = zo_fan_points(c), c.ncomp
        self._c, self._npoints = c, npoints
        self._shape = (ncomp, npoints) if c.own else (npoints, ncomp)
        self._count = zo_fan_answers(c)

    @property
    def c(self) -> Any:
        if self._c is None:
            raise StateError("fan: it has been told, and is gone; ask for the next one")
        return self._c

    def __repr__(self) -> str:
        if self._c is None:
            return "<Fan, told>"
        return f"<Fan of {self._npoints} points for {self.c.ncomp} components{', each its own' if self.own else ''}>"

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
        memmove(array, c.comp, array.nbytes)
        return array

    @property
    def shape(self) -> tuple[int, int]:
        """Of the values: (points, components), or with own (components, points)."""
        self.c
        return self._shape

    @property
    def points(self) -> np.ndarray:
        """points[p] for all components; with own points[k, p] for components[k]."""
        c = self.c
        if not c.own:
            array = np.empty((self._npoints, c.d))
            zo_fan_fill(c, 0, from_buffer("double[]", array))
            return array
        array = np.empty((c.ncomp, self._npoints, c.d))
        first, size = pointer(array), self._npoints * c.d
        if c.known and c.nbase == 1 and not c.naxis and not c.radii:  # row after row: the points of one component along all of them
            rows = ffi.new("zo_fan *", c[0])
            rows.own, rows.ndir = 0, c.ncomp * c.ndir
            zo_fan_fill(rows, 0, first)
        else:
            for entry in range(c.ncomp):
                zo_fan_fill(c, entry, first + entry * size)
        return array

    @property
    def bases(self) -> np.ndarray:
        """The one or two points around which it is asked."""
        return np.array([copy_of(self.c.base[b], self.c.d) for b in range(self.c.nbase)])

    def answers_from(self, values: Any) -> np.ndarray:
        """The answers for `Solver.tell` from values[p, k] of components[k] at points[p] (with own values[k, p])."""
        table, shape, c = as_array("values", values, "real numbers"), self._shape, self.c
        if table.shape != shape or table.dtype.kind not in "fiub":
            raise ArgumentError(f"values: expected real numbers of shape {shape}, "
                                f"got {table.dtype} of shape {table.shape}")
        rows = np.ascontiguousarray(table if c.own else table.T, dtype=FLOAT)
        out = np.empty(self._count)
        if zo_fan_answer(c, from_buffer("double[]", rows), from_buffer("double[]", out), NULL):
            raise OutOfMemory(f"out of memory for {len(out)} answers")
        return out

    @property
    def count(self) -> int:
        """How many answers `Solver.tell` takes."""
        return self._count

    def end(self) -> None:
        """It has been told."""
        self._c = None
