# SPDX-License-Identifier: MIT
"""Methods from outside: a class with ask and tell, run and counted as the library's own are.

>>> import numpy as np, zoprox
>>> class Descent:
...     def begin(self, task):
...         self.task = task
...     def ask(self, x):
...         return zoprox.Question(axes=True)
...     def tell(self, x, question):
...         return self.task.prox(x - 0.2 * question.slopes, 0.2)
>>> r = zoprox.minimize(lambda x, i: ((x - i) ** 2).sum(), [0.0, 0.0], n=3, prox="l1:0.5", method=Descent, units=60)
>>> r.method, r.x.round(3)
('Descent', array([0.75, 0.75]))
"""
from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple, Optional, Protocol, Union, runtime_checkable

import numpy as np

from . import tables
from ._lib import ffi
from .arrays import Trap, as_array, copy_of, pointer, vector
from .errors import ArgumentError

KINDS = {field: kind.type for field, kind in ffi.typeof("zo_method").fields}


class Question:
    """How do the f_i change around the point, along directions? With its answers when it is told.

    directions  rows of d numbers; axes=True: the axes, before them
    radius      of the differences; None: the setting, or the library's rule
    sides       1: forward differences, 2: central ones; None: the setting
    components  which, repeats allowed; None: all
    each        True: answers for each of them, and not their means

    ``value`` is f at the point, ``slopes`` the difference quotients along the directions; with each they have a row for
    each of ``components``."""

    value: Any
    slopes: np.ndarray

    def __init__(self, directions: Any = None, *, axes: bool = False, radius: Optional[float] = None,
                 sides: Optional[int] = None, components: Any = None, each: bool = False) -> None:
        self.directions = None if directions is None else np.ascontiguousarray(directions, dtype=np.float64)
        self.components = None if components is None else np.ascontiguousarray(components, dtype=np.uint64)
        self.axes, self.radius, self.sides, self.each = axes, radius, sides, each

    def fill(self, fan: Any) -> None:
        """Into a zo_fan, which then points to us."""
        fan.naxis = fan.d if self.axes else 0
        if self.directions is not None:
            if self.directions.ndim != 2 or self.directions.shape[1] != fan.d:
                raise ArgumentError(f"directions: expected rows of {fan.d} numbers, got an array of shape {self.directions.shape}")
            fan.ndir, self._dir = len(self.directions), pointer(self.directions)
            fan.dir = self._dir
        if self.components is not None:
            if self.components.ndim != 1 or not len(self.components) or self.components.max() >= fan.n:
                raise ArgumentError(f"components: expected numbers below {fan.n}, got {self.components!r}")
            fan.ncomp, self._comp = len(self.components), pointer(self.components, "uint64_t[]")
            fan.comp = self._comp
        fan.each = int(bool(self.each))
        if self.radius is not None:
            if not 0 < self.radius < math.inf:
                raise ArgumentError(f"radius: expected a number more than 0, got {self.radius!r}")
            fan.radius = self.radius
        if self.sides is not None:
            if self.sides not in (1, 2):
                raise ArgumentError(f"sides: expected 1 or 2, got {self.sides!r}")
            fan.sides = self.sides

    def hear(self, fan: Any, answers: Any) -> None:
        """What was answered to the fan."""
        sets, size = fan.ncomp if fan.each else 1, 1 + fan.sides * (fan.naxis + fan.ndir)
        table = copy_of(answers, sets * size).reshape(sets, size)
        changes = table[:, 1:].reshape(sets, -1, fan.sides)
        quotients = (changes[:, :, 0] if fan.sides == 1 else 0.5 * (changes[:, :, 0] - changes[:, :, 1])) / fan.radius
        self.value, self.slopes = (table[:, 0], quotients) if fan.each else (float(table[0, 0]), quotients[0])


class Task(NamedTuple):
    """What a method is told at its beginning. d: coordinates that are free; prox(v, step) is psi's."""

    n: int
    d: int
    settings: dict[str, Any]
    prox: Callable[[np.ndarray, float], np.ndarray]


@runtime_checkable
class Method(Protocol):
    """A method of yours, for `minimize(method=...)`: a class, or an object of one.

    ``ask(x)`` gives the next `Question`, None: there is none. ``tell(x, question)`` gets its answers and returns the next point,
    None: x stays. Where they are there, ``begin(task)`` comes first (perhaps more than once), ``name`` stands in the report, ``residual`` is
    the prox-gradient norm, and ``state`` (an array of float64, all that it remembers) goes into checkpoints."""

    def ask(self, x: np.ndarray) -> Optional[Question]: ...
    def tell(self, x: np.ndarray, question: Question) -> Any: ...


class Outside:
    """Such a method as C sees it."""

    def __init__(self, method: Union[Method, type[Method]]) -> None:
        made: Any = method() if isinstance(method, type) else method
        if not isinstance(made, Method):
            raise ArgumentError(f"method: expected a name, or an object with ask(x) and tell(x, question), got {method!r}")
        self.method, self.trap = made, Trap()
        self.question: Optional[Question] = None
        self.at = b""
        self._name = ffi.new("char[]", str(getattr(made, "name", type(made).__name__)).encode()[:15])
        self.c = ffi.new("zo_method *", {"name": self._name})
        self.c.open = self.trap.function(KINDS["open"], self._open, 1)
        self.c.ask = self.trap.function(KINDS["ask"], self._ask, 0)
        self.c.tell = self.trap.function(KINDS["tell"], self._tell, 0)

    def _open(self, _: Any, n: int, d: int, settings: Any, psi: Any) -> int:
        def prox(v: Any, step: float) -> np.ndarray:
            v, x = vector("v", v, d), np.empty(d)
            work = np.empty(psi.work(psi, d) if psi.work else 0)
            psi.apply(psi, d, step, pointer(v), pointer(x), pointer(work))
            return x

        self.d, self.question = d, None
        if hasattr(self.method, "begin"):
            self.method.begin(Task(n, d, tables.read_settings(settings[0]), prox))
        state = getattr(self.method, "state", None)
        if state is not None:
            if not isinstance(state, np.ndarray) or state.dtype != np.float64 or not state.flags.c_contiguous or not state.size:
                raise ArgumentError(f"state: expected an array of float64 in C order, got {state!r}")
            self._state = ffi.from_buffer("double[]", state)
            self.c.state, self.c.nstate = self._state, state.size
        return 0

    def _ask(self, _: Any, x: Any, fan: Any) -> int:
        point = copy_of(x, self.d)
        if self.question is None or self.at != point.tobytes():  # asked twice, it is the same
            self.question, self.at = self.method.ask(point), point.tobytes()
        if self.question is None:
            return 0
        if not isinstance(self.question, Question):
            raise ArgumentError(f"ask: expected a Question, or None, got {type(self.question).__name__}")
        self.question.fill(fan)
        return 1

    def _tell(self, _: Any, fan: Any, answers: Any, x: Any, residual: Any) -> int:
        question, self.question = self.question, None
        assert question is not None
        question.hear(fan, answers)
        found = self.method.tell(copy_of(x, self.d), question)
        residual[0] = getattr(self.method, "residual", math.nan)
        if found is None:
            return 0
        point = vector("tell", as_array("tell", found, f"a vector of {self.d} numbers"), self.d)
        if not np.isfinite(point).all():
            wrong = int(np.flatnonzero(~np.isfinite(point))[0])
            raise ArgumentError(f"tell: coordinate {wrong} is {point[wrong]}, not a finite number")
        ffi.memmove(x, point, 8 * self.d)
        return 1
