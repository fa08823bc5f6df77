# SPDX-License-Identifier: MIT
"""One problem on several processes: an mpi4py communicator, or anything with the same three calls.

    from mpi4py import MPI
    import zoprox
    problem = zoprox.share(zoprox.logistic(zoprox.read_part("a9a", MPI.COMM_WORLD), l2=1e-4), MPI.COMM_WORLD)
    r = zoprox.minimize(problem, units=20)              # on every rank, with the bytes of one process

Every rank runs the same minimization and evaluates the components of its own share. Stop by queries, units or steps:
clocks and callbacks of single ranks must not end a run. Give the same checkpoint on every rank: rank 0 writes it.
"""
from __future__ import annotations

import os
from typing import Any, Union

import numpy as np

from ._lib import check, encoded, ffi, lib, new_error
from .arrays import Trap
from .datasets import Data
from .errors import ArgumentError
from .problems import Problem

KINDS = {field: kind.type for field, kind in ffi.typeof("zo_ranks").fields}


class _Ranks:
    """A communicator as the library sees it."""

    def __init__(self, comm: Any, trap: Trap) -> None:
        for name in ("Get_rank", "Get_size", "Allgatherv"):
            if not hasattr(comm, name):
                raise ArgumentError(f"comm: expected a communicator as mpi4py has them, got {type(comm).__name__}")
        self.comm, self.trap = comm, trap
        self.rank, self.size = comm.Get_rank(), comm.Get_size()
        self.c = ffi.new("zo_ranks *", {"rank": self.rank, "size": self.size})
        self.c.gather = trap.function(KINDS["gather"], self._gather, 1)

    def _gather(self, _: Any, mine: Any, count: Any, everybody: Any) -> int:
        counts = [int(count[r]) for r in range(self.size)]
        total = sum(counts)
        send, receive = np.zeros(counts[self.rank]), np.empty(total)
        if counts[self.rank]:
            ffi.memmove(ffi.cast("double *", ffi.from_buffer(send)), mine, 8 * counts[self.rank])
        places = [sum(counts[:r]) for r in range(self.size)]
        self.comm.Allgatherv(send, (receive, (counts, places)))
        if total:
            ffi.memmove(everybody, ffi.from_buffer(receive), 8 * total)
        return 0


def share(problem: Problem, comm: Any) -> Problem:
    """problem, spread over the ranks of comm: each evaluates its own share of the components.

    Collective. problem is the same on every rank: a function of yours, or a built-in problem over whole data or
    over this rank's part of it (`read_part`)."""
    if not isinstance(problem, Problem):
        raise ArgumentError(f"problem: expected a Problem (Function, logistic, ...), got {type(problem).__name__}")
    return Shared(problem, comm)


class Shared(Problem):
    """A problem on several ranks, made by `share`."""

    def __init__(self, whole: Problem, comm: Any) -> None:
        super().__init__(whole.n, whole.d)
        self.whole, self.trap, self.built_in = whole, whole.trap, False  # ranks stop together
        self._ranks = _Ranks(comm, whole.trap)
        out, error, made = ffi.new("zo_spread **"), new_error(), ffi.new("zo_problem *")
        check(lib.zo_spread_new(out, whole.c, self._ranks.c, made, error), error)
        self._spread = ffi.gc(out[0], lib.zo_spread_free)
        self.c = made

    def close(self) -> None:
        self.whole.close()


def read_part(path: Union[str, "os.PathLike[str]"], comm: Any, features: int = 0, threads: int = 1) -> Data:
    """This rank's rows of a LIBSVM file; no rank reads or keeps all of a plain one. Collective."""
    trap = Trap()
    ranks = _Ranks(comm, trap)
    return Data(lambda out, error: lib.zo_data_read_part(out, encoded("path", path), features, threads, ranks.c, error))


def components(n: int, comm: Any) -> range:
    """Which components this rank will be asked for."""
    first, count = ffi.new("size_t *"), ffi.new("size_t *")
    lib.zo_share(n, comm.Get_rank(), comm.Get_size(), first, count)
    return range(first[0], first[0] + count[0])
