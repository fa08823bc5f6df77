# SPDX-License-Identifier: MIT
"""psi: the regulariser or constraint. One function for each row of the library's table, made when this is imported.

>>> p = l1(0.5)
>>> p
l1(0.5)
>>> p.apply([3.0, -0.2, 1.0], step=1.0)
array([2.5, 0. , 0.5])
>>> p.value([3.0, -0.2])
1.6
>>> both = box(-1, 1).on(0, 2) + l1(0.5).on(2, 4)
>>> both.apply([5.0, -5.0, 5.0, -5.0], step=1.0)
array([ 1. , -1. ,  4.5, -4.5])
"""
from __future__ import annotations

import inspect
import math
import re
from typing import Any, Callable, Protocol, Sequence, Union, runtime_checkable

import numpy as np

from . import tables
from ._lib import c_text, check, ffi, lib, new_error
from .arrays import Trap, copy_of, pointer, vector
from .errors import ArgumentError


@runtime_checkable
class OwnProx(Protocol):
    """A psi of your own: any object with these two. ``apply`` returns argmin psi(x) + |x - v|^2 / (2 step)."""

    def value(self, x: np.ndarray) -> float: ...
    def apply(self, v: np.ndarray, step: float) -> np.ndarray: ...


class Bound:
    """A psi in d dimensions, as C sees it, with all that must live as long."""

    def __init__(self, c: Any, *keep: Any, traps: Sequence[Trap] = ()) -> None:
        self.c, self.keep, self.traps = c, keep, traps

    def check(self, d: int) -> "Bound":
        error = new_error()
        check(lib.zo_prox_check(ffi.addressof(self.c), d, error), error)
        return self

    def raise_caught(self) -> None:
        for trap in self.traps:
            if (error := trap.take()) is not None:
                raise error


class Prox:
    """A psi that the library knows. ``make(d)`` gives its C form."""

    def __init__(self, text: str, make: Callable[[int], Bound], again: tuple[Callable[..., "Prox"], tuple[Any, ...]]) -> None:
        self._text, self._make, self._again = text, make, again

    def __repr__(self) -> str:
        return self._text

    def __reduce__(self) -> tuple[Callable[..., "Prox"], tuple[Any, ...]]:
        return self._again  # what C has of it is made anew in each process

    def bind(self, d: int) -> Bound:
        """This psi in d dimensions."""
        return self._make(d).check(d)

    def value(self, x: Any) -> float:
        """psi(x); infinite outside a constraint."""
        x = vector("x", x)
        psi = ffi.new("zo_prox *", (bound := self.bind(len(x))).c)
        value = float(bound.c.value(psi, len(x), pointer(x)))
        bound.raise_caught()
        return value

    def apply(self, v: Any, step: float = 1.0) -> np.ndarray:
        """argmin_x psi(x) + |x - v|^2 / (2 step)."""
        v = vector("v", v)
        if not 0 < step < math.inf:
            raise ArgumentError(f"step: expected a number more than 0, got {step!r}")
        psi = ffi.new("zo_prox *", (bound := self.bind(len(v))).c)
        x = np.empty(len(v))
        work = np.empty(bound.c.work(psi, len(v)) if bound.c.work else 0)
        bound.c.apply(psi, len(v), step, pointer(v), pointer(x), pointer(work))
        bound.raise_caught()
        return x

    def on(self, start: int, stop: int) -> "Blocks":
        """This psi on the coordinates start <= j < stop only; add several up with +."""
        return Blocks([(start, stop, self)])

    def __add__(self, other: "Prox") -> "Prox":
        """The sum on the same coordinates: bounds and one more that is separable, or affine sets and polyhedra."""
        return Sum([self, other]) if isinstance(other, Prox) else NotImplemented


class Blocks(Prox):
    """A sum over disjoint blocks of coordinates, 0 elsewhere."""

    def __init__(self, parts: list[tuple[int, int, Prox]]) -> None:
        super().__init__(" + ".join(f"{p!r}.on({a}, {b})" for a, b, p in parts), self._blocks, (Blocks, (parts,)))
        self.parts = parts

    def __add__(self, other: Prox) -> Prox:
        return Blocks(self.parts + other.parts) if isinstance(other, Blocks) else super().__add__(other)

    def _blocks(self, d: int) -> Bound:
        bound = [prox.bind(max(stop - start, 1)) for start, stop, prox in self.parts]
        c = ffi.new("zo_block[]", len(bound))
        for k, (start, stop, _) in enumerate(self.parts):
            if not 0 <= start < stop <= d:
                raise ArgumentError(f"prox: block {start}:{stop} is not within 0:{d}")
            c[k].__setattr__("from", start)
            c[k].to, c[k].psi = stop, bound[k].c
        return Bound(lib.zo_blocks(c, len(bound)), c, bound, traps=[trap for b in bound for trap in b.traps])


class Sum(Prox):
    """A sum on the same coordinates."""

    BOUNDS = ("nonnegative", "box", "bounds")  # these come last

    def __init__(self, parts: list[Prox]) -> None:
        super().__init__(" + ".join(map(repr, parts)), self._sum, (Sum, (parts,)))
        self.parts = parts

    def _sum(self, d: int) -> Bound:
        bound = [prox.bind(d) for prox in self.parts]
        single: list[Any] = []
        for c in (b.c for b in bound):
            single += [c.part[k].psi for k in range(c.nparts)] if _name(c) == "sum" else [c]
        single.sort(key=lambda c: _name(c) in self.BOUNDS)
        blocks = ffi.new("zo_block[]", len(single))
        for k, c in enumerate(single):
            blocks[k].to, blocks[k].psi = d, c
        return Bound(lib.zo_sum(blocks, len(single)), blocks, bound, traps=[trap for b in bound for trap in b.traps])


def _name(c: Any) -> str:
    return ffi.string(c.name).decode() if c.name else ""


def parsed(spec: str) -> Prox:
    """The psi of a spec as on the command line, "l1:1e-4" or "box:-1,1@0:10 l2:0.5@10:20"."""
    def make(d: int) -> Bound:
        error, c = new_error(), ffi.new("zo_prox *")
        check(lib.zo_prox_parse(c, c_text("prox", spec), d, error), error)
        return Bound(c[0], ffi.gc(c, lib.zo_prox_free))
    return Prox(f"parsed({spec!r})", make, (parsed, (spec,)))


def own(psi: OwnProx) -> Prox:
    """A psi of the user's, called through Python."""
    def make(d: int) -> Bound:
        trap = Trap()

        def value(_: Any, size: int, x: Any) -> float:
            value = float(psi.value(copy_of(x, size)))
            if math.isnan(value):
                raise ArgumentError("prox.value: expected a number, or inf outside a constraint, got nan")
            return value

        def apply(_: Any, size: int, step: float, v: Any, x: Any, work: Any) -> None:
            point = copy_of(v, size)
            result = vector("prox.apply", psi.apply(point, step), size)
            bad = np.flatnonzero(~np.isfinite(result))
            if len(bad) and np.isfinite(copy_of(v, size)).all():  # apply may have written into its point
                raise ArgumentError(f"prox.apply: expected finite numbers, got {result[bad[0]]} for coordinate {bad[0]}")
            ffi.memmove(x, result, 8 * size)

        kinds = {field: kind.type for field, kind in ffi.typeof("zo_prox").fields}
        c = ffi.new("zo_prox *")
        name = ffi.new("char[]", type(psi).__name__.encode())
        c.name = name
        c.value = trap.function(kinds["value"], value, float("nan"))
        c.apply = trap.function(kinds["apply"], apply)
        return Bound(c[0], c, name, traps=[trap])
    return Prox(f"own({psi!r})", make, (own, (psi,)))


def _from_bounds(lo: Any, hi: Any) -> Prox:
    def make(d: int) -> Bound:
        low, high = (vector(name, np.broadcast_to(np.asarray(side, float), d) if np.ndim(side) == 0 else side, d)
                     for name, side in (("lo", lo), ("hi", hi)))
        return Bound(lib.zo_bounds(pointer(low), pointer(high)), low, high)
    return Prox("bounds(...)", make, (_from_bounds, (lo, hi)))


def _from_weights(a: float, weights: Any) -> Prox:
    def make(d: int) -> Bound:
        w = vector("weights", weights, d)
        return Bound(lib.zo_weighted_l1(a, pointer(w)), w)
    return Prox(f"weighted_l1({a!r}, ...)", make, (_from_weights, (a, weights)))


def _linear(name: str, make: Any, A: Any, b: Any) -> Prox:
    def bind(d: int) -> Bound:
        rows = np.atleast_2d(np.asarray(A, float))
        if rows.ndim != 2 or rows.shape[1] != d:
            raise ArgumentError(f"{name}: expected an array A of shape (rows, {d}), got shape {np.shape(A)}")
        matrix, right = np.ascontiguousarray(rows).reshape(-1), vector("b", np.atleast_1d(b), len(rows))
        return Bound(make(pointer(matrix), pointer(right), len(rows)), matrix, right)
    return Prox(f"{name}(...)", bind, (globals()[name], (A, b)))


def _affine(A: Any, b: Any) -> Prox:
    return _linear("affine", lib.zo_affine, A, b)


def _polyhedron(A: Any, b: Any) -> Prox:
    return _linear("polyhedron", lib.zo_polyhedron, A, b)


def from_pairs(pairs: Any, d: int) -> Prox:
    """SciPy's ``bounds``: a Bounds object, a (low, high) pair for each coordinate, or one pair (low, high), of numbers or of
    vectors; None for no bound."""
    try:
        return _from_bounds(*low_and_high(pairs, d))
    except ArgumentError:
        raise
    except (TypeError, ValueError):
        raise ArgumentError(f"bounds: expected {d} pairs (low, high) of numbers, got {pairs!r}") from None


def low_and_high(pairs: Any, d: int) -> tuple[np.ndarray, np.ndarray]:
    if hasattr(pairs, "lb") and hasattr(pairs, "ub"):
        lo, hi = np.broadcast_to(pairs.lb, d), np.broadcast_to(pairs.ub, d)
        return np.array(lo, float), np.array(hi, float)
    pairs = list(pairs)
    if d == 2 and len(pairs) == 2 and sum(side is None for side in pairs) == 1 and any(np.ndim(side) == 1 for side in pairs):
        raise ArgumentError(f"bounds: {pairs!r} may be a pair and none, or low and high; a coordinate without bounds is (None, None)")
    if len(pairs) == 2 and (d != 2 or any(np.ndim(side) == 0 for side in pairs)):  # (low, high): numbers or vectors
        pairs = list(zip(*(np.broadcast_to(np.asarray(side), (d,)) for side in pairs)))
    if len(pairs) != d or any(np.shape(pair) != (2,) for pair in pairs):
        raise ArgumentError(f"bounds: expected {d} pairs (low, high), got {len(pairs)} entries of which the first "
                            f"is {pairs[0] if pairs else None!r}")
    low, high = ([missing if pair[k] is None else pair[k] for pair in pairs]
                 for k, missing in ((0, -np.inf), (1, np.inf)))
    return np.array(low, float), np.array(high, float)


def as_prox(prox: Union[None, str, Prox, OwnProx], bounds: Any, d: int) -> Prox:
    """What the arguments prox and bounds of `minimize` stand for."""
    if bounds is not None:
        pairs = from_pairs(bounds, d)
        return pairs if prox is None else Sum([as_prox(prox, None, d), pairs])
    if prox is None:
        return parsed("zero")
    if isinstance(prox, str):
        return parsed(prox)
    if isinstance(prox, Prox):
        return prox
    if isinstance(prox, OwnProx) and not isinstance(prox, type):
        return own(prox)
    other: Any = prox
    got = f"the class {other.__name__}" if isinstance(other, type) else type(other).__name__
    raise ArgumentError(f"prox: expected a spec such as 'l1:1e-3', a prox, or an object with value(x) and "
                        f"apply(v, step), got {got}")


# ---- the functions of the table -----------------------------------------------------------------------------


def _spec(row: tables.ProxRow, values: dict[str, Any]) -> str:
    """"NAME:A,ROWSxCOLS" with every word in capitals replaced by its value."""
    if not values:
        return row.name
    return row.name + ":" + re.sub("[A-Z]+", lambda word: tables.as_text(values[str(word[0]).lower()]),
                                   row.arguments.strip("[]"))


def _parameters(row: tables.ProxRow) -> list[inspect.Parameter]:
    default = None if row.arguments.startswith("[") else inspect.Parameter.empty
    return [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default,
                              annotation="int" if name in ("size", "rows", "cols") else "float")
            for name in re.findall("[a-z]+", re.sub("x", " ", row.arguments).lower())]


def _by_name(name: str, *values: Any) -> Prox:
    made: Prox = globals()[name](*values)
    return made


def _constructor(row: tables.ProxRow) -> Callable[..., Prox]:
    name = tables.identifier(row.name)
    signature = inspect.Signature(_parameters(row), return_annotation="Prox")

    def make(*args: Any, **kwargs: Any) -> Prox:
        values = signature.bind(*args, **kwargs).arguments
        return Prox(f"{name}({', '.join(map(repr, values.values()))})", parsed(_spec(row, values))._make,
                    (_by_name, (name, *values.values())))

    make = ARRAYS.get(row.name, make)
    if make not in ARRAYS.values():
        make.__signature__ = signature  # type: ignore[attr-defined]
    make.__name__ = make.__qualname__ = name
    make.__module__ = __name__
    make.__doc__ = f"psi(x) = {row.formula}: {row.help}.\n\n    prox(v, t) = {row.prox}\n"
    return make


ARRAYS = {"bounds": _from_bounds, "weighted-l1": _from_weights, "affine": _affine, "polyhedron": _polyhedron}  # those that read a file on the command line
NAMES = [tables.identifier(row.name) for row in tables.proxes()]
globals().update({tables.identifier(row.name): _constructor(row) for row in tables.proxes()})
