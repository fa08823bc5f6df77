# SPDX-License-Identifier: MIT
"""Problems: what answers questions. Here, a Python function; in datasets.py, the built-in losses."""
from __future__ import annotations

import inspect
from time import monotonic
from typing import Any, Callable, Iterator, Optional

import numpy as np

from ._lib import ffi, lib
from .arrays import Forms, Halted, Trap, as_array
from .errors import ArgumentError
from .failures import Failed, failed
from .workers import LOOK_EVERY, crew

FAILED = 1  # a code that says: these values cannot be had
KINDS = {field: kind.type for field, kind in ffi.typeof("zo_problem").fields}


class Problem:
    """n components in d dimensions. ``c`` is the zo_problem, without psi."""

    def __init__(self, n: int, d: int) -> None:
        for name, value in (("n", n), ("d", d)):
            if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
                raise ArgumentError(f"{name}: expected a whole number of at least 1, got {value!r}")
            if value >= 2 ** 63:
                raise ArgumentError(f"{name}: {value} is more than can be counted")
        self.n, self.d = int(n), int(d)
        self.c = ffi.new("zo_problem *", {"n": self.n, "d": self.d})
        self.trap = Trap()
        self.built_in = False  # are all its answers made by C?
        self.timed = False  # does the run have a limit of seconds?
        self.lenient = False  # does an exception count as NaN?
        self.raised: Optional[Exception] = None  # the last one that did
        self.remark = ""  # a warning to whoever minimizes it

    def __repr__(self) -> str:
        return f"<{type(self).__name__} n={self.n} d={self.d}>"

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} cannot be pickled: C has a part of it; make it anew in the other process")

    def open(self) -> None:
        """Takes what a run needs and the problem does not."""

    def close(self) -> None:
        """Gives it back."""


class Nobody(Problem):
    """For ask and tell alone: nobody can be asked."""

    def __init__(self, n: int, d: int) -> None:
        super().__init__(n, d)
        self.c.values = self.trap.function(KINDS["values"], self._refuse, lib.ZO_PROBLEM)

    def _refuse(self, *_: Any) -> int:
        raise ArgumentError("fun: this solver was made without a function; drive it with ask and tell")


class Function(Problem):
    """Components that are Python functions: fun(x, i), fun(x) for n = 1, or fun(X, idx) for many at once."""

    def __init__(self, fun: Callable[..., Any], n: Optional[int], d: int, args: tuple[Any, ...] = (),
                 vectorized: Optional[bool] = None, pairs: Optional[Callable[..., Any]] = None,
                 threads: Any = 1, workers: Any = None) -> None:
        super().__init__(1 if n is None else n, d)
        if not callable(fun):
            raise ArgumentError(f"fun: expected a function, got {type(fun).__name__}")
        if pairs is not None and not callable(pairs):
            raise ArgumentError(f"pairs: expected a function, got {type(pairs).__name__}")
        self.fun, self.own_pairs = fun, pairs
        self.args = tuple(args) if isinstance(args, (tuple, list)) else (args,)  # one alone, as SciPy takes it
        self.vectorized = getattr(fun, "vectorized", False) if vectorized is None else vectorized
        if not self.vectorized and n is None and not _accepts(fun, 1 + len(self.args)) and _accepts(fun, 2 + len(self.args)):
            raise ArgumentError("fun: it takes one more argument than x; give n=, how many components there are, where that is "
                                "the number of one, or args=")
        if not self.vectorized and self.n > 1 and not _accepts(fun, 2 + len(self.args)) and _accepts(fun, 1 + len(self.args)):
            raise ArgumentError(f"fun: with n={self.n} it is called as fun(x, i), i the number of a component, and it takes x alone")
        self.alone = self.n == 1 and not self.vectorized and (n is None or not _takes_two(fun, len(self.args)))
        self.here = threads == 1 and workers in (None, 1)  # is it this thread that calls fun?
        self.call = _Call(fun, self.args, self.alone)
        self.crew = crew(self.call, threads, workers)
        if self.vectorized and workers is not None and workers != 1:
            raise ArgumentError(f"workers: {workers!r} is for fun(x, i), and a vectorised fun answers many questions in one call")
        self._given = (fun, n, d, args, vectorized, pairs, threads, workers)
        self._forms = Forms(self.d)
        self._halt: Any = None  # the library's zo_halt, while a run goes on that has a limit of seconds or is watched
        self.c.values = self.trap.answer(KINDS["values"], self._values)
        self.c.by_component = 1
        self.c.pairs = self.trap.answer(KINDS["pairs"], self._pairs)
        self.c.heed = self.trap.function(KINDS["heed"], self._heed)

    def __reduce__(self) -> Any:
        return Function, self._given

    def open(self) -> None:
        self.call.lenient = self.lenient
        self.crew.open()

    def close(self) -> None:
        self.crew.close()

    # C calls these three. An exception of fun counts as NaN, or is caught by the trap and ends the run.

    def _heed(self, _: Any, halt: Any) -> None:
        self._halt = halt if halt and (self.timed or halt.told or halt.heard) else None

    def _values(self, _: Any, npoints: int, x: Any, ncomp: int, comp: Any, f: Any) -> int:
        form = self._forms[npoints, ncomp]
        points, indices = form.points.fill(x), form.indices.fill(comp)
        if self.vectorized:
            table = self._many(lambda: _table(self.fun(points, indices, *self.args), form.shape))
        else:
            table = _numbers(self._one_by_one([(x, i) for x in points for i in indices.tolist()]), indices)
        if table is None:
            return FAILED
        form.put(table.reshape(form.shape), f)
        return 0

    def _pairs(self, _: Any, count: int, x: Any, comp: Any, f: Any) -> int:
        form = self._forms[count,]
        points, indices = form.points.fill(x), form.indices.fill(comp)
        if self.own_pairs is not None:
            own: Callable[..., Any] = self.own_pairs
            table = self._many(lambda: _table(own(points, indices, *self.args), form.shape))
        elif self.vectorized:
            table = self._many(lambda: self._group_by_group(points, indices))
        else:
            table = _numbers(self._one_by_one(list(zip(points, indices.tolist()))), indices)
        if table is None:
            return FAILED
        form.put(table.reshape(form.shape), f)
        return 0

    def _many(self, call: Callable[[], np.ndarray]) -> Optional[np.ndarray]:
        """What a vectorised function gives; None where it raised: C then asks for less at a time, in the end for single values."""
        try:
            return call()
        except Exception as error:
            if not self.lenient:
                raise
            self._failed(error)
            return None

    def _failed(self, error: Exception) -> Failed:
        value = failed(error)
        self.raised = error
        return value

    def _one_by_one(self, questions: list[tuple[np.ndarray, int]]) -> list[Any]:
        fun, args = self.fun, self.args
        if self._halt is not None or not self.here:
            values = list(self._until_halted(questions))
            if len(values) != len(questions):
                raise ArgumentError(f"workers: expected a map that gives {len(questions)} values for as many questions, "
                                    f"got {len(values)}")
            for value in values:
                if type(value) is Failed:
                    self.raised = value.error
            return values
        values = []
        for x, i in questions:
            try:
                values.append(fun(x, *args) if self.alone else fun(x, i, *args))
            except Exception as error:
                if not self.lenient:
                    raise
                values.append(self._failed(error))
        return values

    def _until_halted(self, questions: list[tuple[np.ndarray, int]]) -> Iterator[Any]:
        """The values as they come, unless the run's time is over; those who watch are told how far it is, and a history
        gets them one by one."""
        halt, asked, answered, workers = self._halt, len(questions), 0, self.crew.size
        told, heard = (halt.told or None, halt.heard or None) if halt is not None else (None, None)

        def look() -> None:
            if told is not None:
                told(halt.ctx, answered, asked, min(workers, asked - answered), workers)
            if halt is not None and halt.asked(halt.ctx):
                raise Halted

        last = monotonic()
        again = last + LOOK_EVERY
        for value in self.crew.map(questions, look):
            yield value
            answered += 1
            now = monotonic()
            if heard is not None and isinstance(value, (float, np.floating)):
                heard(halt.ctx, answered - 1, value, now - last)
            last = now
            if now >= again:
                again = now + LOOK_EVERY
                look()

    def _group_by_group(self, points: np.ndarray, indices: np.ndarray) -> np.ndarray:
        """fun(X, idx) for the points of one component after another."""
        starts = np.flatnonzero(np.r_[True, indices[1:] != indices[:-1]])
        table = np.empty(len(indices))
        for start, stop in zip(starts, np.r_[starts[1:], len(indices)]):
            values = _table(self.fun(points[start:stop], indices[start:start + 1], *self.args), (stop - start, 1))
            table[start:stop] = values[:, 0]
        return table


class _Call:
    """fun of one question; a class, so that other processes can be sent it."""

    def __init__(self, fun: Callable[..., Any], args: tuple[Any, ...], alone: bool) -> None:
        self.fun, self.args, self.alone, self.lenient = fun, args, alone, False

    def __call__(self, question: tuple[np.ndarray, int]) -> Any:
        try:
            return self.fun(*question[:1 if self.alone else 2], *self.args)
        except Exception as error:
            if not self.lenient:
                raise
            return failed(error)


def vectorized(fun: Callable[..., Any]) -> Callable[..., Any]:
    """Marks fun(X, idx) -> array[len(X), len(idx)] as taking many points and components at once."""
    fun.vectorized = True  # type: ignore[attr-defined]
    return fun


def _accepts(fun: Callable[..., Any], count: int) -> bool:
    """Can it be called with so many arguments? True where nobody knows."""
    try:
        signature = inspect.signature(fun)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*[None] * count)
    except TypeError:
        return False
    return True


def _takes_two(fun: Callable[..., Any], extra: int) -> bool:
    """Does fun need a second argument, beside the extra ones?"""
    try:
        kinds = inspect.signature(fun).parameters.values()
    except (TypeError, ValueError):
        return False
    needed = [p for p in kinds if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(needed) - extra >= 2


def _table(table: Any, shape: tuple[int, ...]) -> np.ndarray:
    """What a vectorised function returned, if it is what was asked for."""
    array = as_array("fun", np.ma.filled(table.astype(float), np.nan) if np.ma.is_masked(table) else table, "an array")
    if array.shape != shape:
        what = f"{shape[0]} points and {shape[1]} components" if len(shape) == 2 else f"{shape[0]} pairs"
        turned = "; it looks transposed" if array.shape == shape[::-1] else ""
        raise ArgumentError(f"fun: expected an array of shape {shape}, for {what}, got shape {array.shape}{turned}")
    if array.dtype.kind not in "fiub":
        raise ArgumentError(f"fun: expected an array of real numbers, got type {array.dtype}")
    return array


def _numbers(values: list[Any], indices: np.ndarray) -> np.ndarray:
    """What a function of one component returned, value by value."""
    try:
        array = np.array(values)
    except ValueError:
        array = np.empty(0, object)
    if array.dtype.kind in "fiub" and array.size == len(values):
        return array
    for k, value in enumerate(values):
        if (got := _not_a_number(value)) is not None:
            raise ArgumentError(f"fun: expected one real number, got {got} for component {indices[k % len(indices)]}")
    return np.array(values, float)


def _not_a_number(value: Any) -> Optional[str]:
    """What value is instead of one real number; None where it is one."""
    if isinstance(value, (list, tuple, np.ndarray)) and np.ndim(value) != 0:
        return f"an array of shape {np.shape(value)}"
    if isinstance(value, int):  # of any length, and NumPy makes no number of most of them
        return None if abs(value) < 2 ** 1023 else f"an integer of {value.bit_length()} bits, too large for a float,"
    return None if np.asarray(value).dtype.kind in "fiub" else type(value).__name__
