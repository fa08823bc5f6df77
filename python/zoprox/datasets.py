# SPDX-License-Identifier: MIT
"""Data sets, the built-in problems over them, and their reference optimum.

>>> data = synth("n=200,d=5")
>>> data
<Data n=200 features=5 nonzeros=399>
>>> problem = logistic(data, l2=1e-3)
>>> best = optimum(problem, "l1:1e-3")
>>> bool(best.bound < 1e-9)
True
"""
from __future__ import annotations

import bz2
import gzip
import lzma
import os
import shutil
import tempfile
import zlib
from typing import Any, Callable, Union

import numpy as np

from . import tables
from ._lib import c_text, check, encoded, ffi, lib, new_error, text_of
from .arrays import as_array, pointer, vector
from .errors import ArgumentError, Error, InputError
from .problems import Problem
from .prox import as_prox
from .result import Result

UNPACK: dict[bytes, Callable[..., Any]] = {b".gz": gzip.open, b".bz2": bz2.open, b".xz": lzma.open}


class Data:
    """n rows (z_i, y_i), sparse or dense. Made by `read`, `synth` and `data`."""

    def __init__(self, make: Callable[[Any, Any], int], *keep: Any, again: Any = None) -> None:
        out, error = ffi.new("zo_data **"), new_error()
        check(make(out, error), error)
        self.c = ffi.gc(out[0], lib.zo_data_free)
        self._keep, self._again = keep, again  # borrowed arrays; how it is made in another process
        facts = lib.zo_data_look(self.c)
        self.n, self.features, self.nonzeros = facts.n, facts.features, facts.nonzeros
        self.dense, self.labels, self.fingerprint = bool(facts.dense), facts.labels, facts.fingerprint
        self.least, self.greatest = facts.least, facts.greatest

    def __reduce__(self) -> Any:
        if self._again is None:
            raise TypeError("a data set that is spread over ranks cannot be pickled; read it in the other process")
        return self._again

    def __repr__(self) -> str:
        kind = "dense" if self.dense else f"nonzeros={self.nonzeros}"
        return f"<Data n={self.n} features={self.features} {kind}>"


def read(path: Union[str, "os.PathLike[str]"], features: int = 0) -> Data:
    """A LIBSVM file, plain or compressed (gz, bz2, xz, zst). features: 0 takes the largest index."""
    def plain(name: bytes) -> Data:
        return Data(lambda out, error: lib.zo_data_read(out, name, features, error), again=(read, (path, features)))

    place = encoded("path", path)
    unpack = UNPACK.get(os.path.splitext(place)[1])
    try:
        return plain(place)
    except Error as error:
        if unpack is None or error.status != "ZO_UNSUPPORTED":
            raise
    with tempfile.NamedTemporaryFile(prefix="zoprox-") as file:  # a library without libarchive
        try:
            with unpack(path) as packed:
                shutil.copyfileobj(packed, file)
        except (EOFError, lzma.LZMAError, zlib.error, ValueError) as damage:
            raise InputError(f"{os.fsdecode(place)}: the stream is damaged or cut off ({damage})") from None
        file.flush()
        return plain(os.fsencode(file.name))


def synth(spec: str = "") -> Data:
    """Generated data, "n=1000,d=20,density=0.1,..."; "" is sized like a9a."""
    return Data(lambda out, error: lib.zo_data_synth(out, c_text("spec", spec), error),
                again=(synth, (spec,)))


def data(A: Any, y: Any) -> Data:
    """An array or SciPy sparse matrix A with one label y for each row.

    Nothing is copied that fits: float64 values, C order or CSR with int32 columns that rise within a row. Do
    not write to A or y while the data set is in use."""
    sparse = hasattr(A, "tocsr")
    A = A.tocsr() if sparse else as_array("A", A, "a matrix of numbers")
    if A.ndim != 2:
        raise ArgumentError(f"A: expected a matrix, got an array of shape {A.shape}")
    if A.dtype.kind not in "fiub":
        raise ArgumentError(f"A: expected real numbers, got type {A.dtype}")
    n, features = A.shape
    label = vector("y", y, n)
    if not sparse:
        values = np.ascontiguousarray(A, dtype=np.float64)
        return Data(lambda out, error: lib.zo_data_dense(out, n, features, pointer(values), pointer(label), error),
                    values, label, again=(data, (values, label)))
    if not A.has_canonical_format:
        A = A.copy()
        A.sum_duplicates()
    rows = A.indptr.astype(np.uint64)
    columns = np.ascontiguousarray(A.indices, dtype=np.int32).view(np.uint32)
    values = np.ascontiguousarray(A.data, dtype=np.float64)
    return Data(lambda out, error: lib.zo_data_csr(
        out, n, features, pointer(rows, "uint64_t[]"), pointer(columns, "uint32_t[]"), pointer(values),
        pointer(label), error), rows, columns, values, label, again=(data, (A, label)))


class Model(Problem):
    """f_i(x) = loss(z_i'x, y_i) + (l2/2) |x|^2 over a data set. Calling it gives the mean of the f_i."""

    def __init__(self, data: Data, loss: str, l2: float = 0.0, threads: int = 0) -> None:
        kind, out, error = ffi.new("zo_loss *"), ffi.new("zo_model **"), new_error()
        made = ffi.new("zo_problem *")
        check(lib.zo_loss_parse(kind, loss.encode(), error), error)
        check(lib.zo_model_new(out, data.c, kind[0], l2, threads, made, error), error)
        super().__init__(made.n, made.d)
        self.built_in = True
        self.c, self.data, self.loss, self.l2, self._threads = made, data, loss, l2, threads
        self.model = ffi.gc(out[0], lib.zo_model_free)
        if data.labels == 1 and loss not in ("squared", "huber"):
            self.remark = f"all {data.n} labels are alike: one class, and nothing to tell apart"

    def __reduce__(self) -> Any:
        return Model, (self.data, self.loss, self.l2, self._threads)

    def __call__(self, x: Any) -> float:
        x = vector("x", x, self.d)
        at = pointer(x)
        fan = ffi.new("zo_fan *", {"n": self.n, "d": self.d, "nbase": 1, "base": [at], "radius": 1, "sides": 1,
                                   "ncomp": self.n})
        out = ffi.new("double *")
        if self.c.answer(self.c.ctx, fan, out):
            raise MemoryError("out of memory in the problem")
        return float(out[0])


def optimum(problem: Model, prox: Any = None, relative: float = 1e-13, x0: Any = None) -> Result:
    """The minimizer of a convex built-in problem, by first-order means, with a bound on F(x) - F*.

    For comparison only: no method uses it."""
    if not isinstance(problem, Model):
        raise ArgumentError(f"problem: expected a built-in problem, got {type(problem).__name__}")
    x = np.zeros(problem.d) if x0 is None else vector("x0", x0, problem.d).copy()
    bound = as_prox(prox, None, problem.d).bind(problem.d)
    found, error = ffi.new("zo_optimum *"), new_error()
    status = lib.zo_find_optimum(found, problem.model, ffi.addressof(bound.c), relative, pointer(x), error)
    bound.raise_caught()
    check(status, error)
    return Result(x=x, fun=found.objective, bound=found.bound, proof=text_of(found.proof), nit=found.iterations,
                  success=True, message=f"F(x) - F* is at most {found.bound:.2g} ({text_of(found.proof)})")


# ---- the functions of the table -----------------------------------------------------------------------------


def _constructor(row: tables.Loss) -> Callable[..., Model]:
    def make(A: Any, y: Any = None, l2: float = 0.0, threads: int = 0) -> Model:
        if isinstance(A, Data):
            if y is not None:
                raise ArgumentError("y: a data set has its labels already")
            return Model(A, row.name, l2, threads)
        if y is None:
            raise ArgumentError("y: expected one label for each row of A")
        return Model(data(A, y), row.name, l2, threads)

    make.__name__ = make.__qualname__ = tables.identifier(row.name)
    make.__module__ = __name__
    make.__doc__ = (f"f_i(x) = loss(m_i, y_i) + (l2/2) |x|^2, m_i = z_i'x, loss = {row.formula}.\n\n"
                    f"    A, y: a data set, or a matrix (array or SciPy sparse) with a label for each row.\n"
                    f"    Labels: {row.labels}. {'Convex.' if row.convex else 'Not convex.'}\n"
                    f"    threads: 0 is all cores; the bytes never depend on it.\n")
    return make


NAMES = [tables.identifier(row.name) for row in tables.losses()]
globals().update({tables.identifier(row.name): _constructor(row) for row in tables.losses()})
