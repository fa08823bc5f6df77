# SPDX-License-Identifier: MIT
"""Arrays that cross the border to C, and Python functions that C calls."""
from __future__ import annotations

import math
import numbers
from sys import getrefcount
from typing import Any, Optional

import numpy as np

from ._lib import ffi, lib
from .errors import ArgumentError

FLOAT = np.dtype(np.float64)
memmove = ffi.memmove


def as_array(name: str, value: Any, wanted: str) -> np.ndarray:
    """value as an array, of any shape and type. Masked numbers are none."""
    try:
        array = np.asarray(value)
    except ValueError:
        raise ArgumentError(f"{name}: expected {wanted}, got lists of different lengths") from None
    if np.ma.is_masked(value):
        raise ArgumentError(f"{name}: expected {wanted}, got {np.ma.count_masked(value)} masked among them")
    return array


def vector(name: str, value: Any, size: Optional[int] = None) -> np.ndarray:
    """value as a vector of float64 (itself when it is one already) of the given size."""
    if type(value) is np.ndarray and value.dtype is FLOAT and value.shape == (size,) and value.flags.c_contiguous:
        return value
    wanted = "a vector of numbers" if size is None else f"a vector of {size} numbers"
    array = as_array(name, value, wanted)
    if array.ndim == 0 and size == 1:
        array = array.reshape(1)
    if array.ndim == 0 and not isinstance(value, np.ndarray):
        raise ArgumentError(f"{name}: expected {wanted}, got {type(value).__name__}")
    if array.ndim != 1 or (size is not None and len(array) != size) or not len(array):
        raise ArgumentError(f"{name}: expected {wanted}, got an array of shape {array.shape}")
    if array.dtype.kind not in "fiub":
        raise ArgumentError(f"{name}: expected {wanted}, got an array of type {array.dtype}")
    return np.ascontiguousarray(array, dtype=np.float64)


def scales(x_scale: Any, d: int) -> np.ndarray:
    """x_scale of minimize: d numbers, or one for all."""
    one = isinstance(x_scale, numbers.Real) or np.ndim(as_array("x_scale", x_scale, "numbers")) == 0
    return vector("x_scale", [x_scale] * d if one else x_scale, d).copy()


def pointer(array: Optional[np.ndarray], ctype: str = "double[]") -> Any:
    """The array's memory for C, which must not outlive it; None is NULL."""
    return ffi.NULL if array is None else ffi.from_buffer(ctype, array)


def copy_of(source: Any, count: int) -> np.ndarray:
    """count doubles of C's memory, as an array of their own."""
    array = np.empty(count)
    ffi.memmove(array, source, 8 * count)
    return array


class Room:
    """A read-only array that is filled from C's memory again and again, until somebody keeps it.

    Views of C's memory would be cheaper by one copy, but a view that a user's function keeps would outlive
    what it looks at. The count of references says whether this array, or any view of it, was kept."""

    __slots__ = ("shape", "dtype", "size", "owner", "memory", "view", "held")

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        self.shape, self.dtype = shape, dtype
        self._renew()

    def _renew(self) -> None:
        self.owner = np.empty(self.shape, self.dtype)
        self.size = self.owner.nbytes
        self.memory = ffi.from_buffer(self.owner)
        self.view = self.owner.view()
        self.view.flags.writeable = False
        self.held = getrefcount(self.owner)

    def fill(self, source: Any) -> np.ndarray:
        if getrefcount(self.view) > 2 or getrefcount(self.owner) > self.held:
            self._renew()
        memmove(self.memory, source, self.size)
        return self.view


class Form:
    """A question of a certain shape: room for its points and components, and the place in C's memory for its values.

    ``shape`` is (points, components), or (pairs,). C wants the values of a component one after the other."""

    __slots__ = ("shape", "points", "indices", "f", "out")

    def __init__(self, shape: tuple[int, ...], d: int) -> None:
        self.shape = shape
        self.points, self.indices = Room((shape[0], d), np.float64), Room(shape[-1:], np.int64)
        self.f = None

    def put(self, table: np.ndarray, f: Any) -> None:
        """The values into f, which mostly is where it was."""
        if f != self.f:
            flat = np.frombuffer(ffi.buffer(f, 8 * math.prod(self.shape)))
            self.out, self.f = flat.reshape(self.shape[::-1]).T, f
        self.out[...] = table


class Forms(dict):
    """One for each shape that is in use."""

    MOST = 8

    def __init__(self, d: int) -> None:
        self.d = d

    def __missing__(self, shape: tuple[int, ...]) -> Form:
        if len(self) >= self.MOST:
            self.clear()
        form = self[shape] = Form(shape, self.d)
        return form


class Halted(BaseException):
    """Raised in a function that C calls, and seen by nobody else: the run is to stop in the middle of an answer."""


class Trap:
    """Keeps the first exception of the Python functions that C calls, until it can be raised as it was."""

    def __init__(self) -> None:
        self.error: Optional[BaseException] = None
        self.stop = ffi.new("int *")
        self.functions: list[Any] = []  # C has only their addresses

    def function(self, ctype: str, python: Any, failed: Any = None) -> Any:
        """python as a C function, which returns failed (nothing for void) when an exception was caught."""
        error = {} if failed is None else {"error": failed}
        self.functions.append(ffi.callback(ctype, python, onerror=self._caught, **error))
        return self.functions[-1]

    def _caught(self, kind: Any, error: BaseException, traceback: Any) -> None:
        if self.error is None:
            self.error = error.with_traceback(traceback)
        self.stop[0] = 1

    def answer(self, ctype: str, python: Any) -> Any:
        """The same for what answers questions: a question that was interrupted was never asked."""
        def caught(kind: Any, error: BaseException, traceback: Any) -> Optional[int]:
            if not isinstance(error, Halted):
                self._caught(kind, error, traceback)
            return lib.ZO_HALTED if isinstance(error, (Halted, KeyboardInterrupt)) else None

        self.functions.append(ffi.callback(ctype, python, onerror=caught, error=lib.ZO_PROBLEM))
        return self.functions[-1]

    def take(self) -> Optional[BaseException]:
        """The exception, if there is one; the trap is empty afterwards."""
        error, self.error = self.error, None
        self.stop[0] = 0
        return error
