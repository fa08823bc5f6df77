# SPDX-License-Identifier: MIT
"""Who calls the user's function: this thread, threads, processes, or a map or executor of the user's.

Whoever does it, values come back in the order of the questions: the bytes of a run do not depend on it."""
from __future__ import annotations

import math
import os
import signal
import sys
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from multiprocessing import get_context
from time import perf_counter
from typing import Any, Callable, Iterable, Iterator, Sequence

import numpy as np

from .errors import ArgumentError
from .failures import Failed

PART_SECONDS = 0.01  # a message to another process costs about 0.1 ms: not more than a hundredth of the work
LOOK_EVERY = 0.02  # seconds between two looks whether the run is to stop
Call = Callable[[Any], Any]
Look = Callable[[], None]


def _whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


class Crew:
    """Calls ``call(question)`` for many questions. ``size`` is how many are at work at a time, 0: not known."""

    size = 1

    def map(self, questions: Sequence[Any], look: Look) -> Iterable[Any]:
        """The values in the order of the questions. look() is called now and then where it takes long, and may raise."""
        raise NotImplementedError

    def open(self) -> None:
        """Before a run."""

    def close(self) -> None:
        """After it."""


class Mapped(Crew):
    """By a map; that of Python is this thread."""

    def __init__(self, call: Call, mapper: Callable[..., Iterable[Any]] = map, size: int = 1) -> None:
        self.call, self.mapper, self.size = call, mapper, size

    def map(self, questions: Sequence[Any], look: Look) -> Iterable[Any]:
        return self.mapper(self.call, questions)


class Submitted(Crew):
    """By an executor: questions go there in parts, as large as their price suggests."""

    def __init__(self, call: Call, executor: Any, size: int) -> None:
        self.task: Callable[[Sequence[Any]], Any] = _Part(call)
        self.executor, self.size = executor, size
        self.seconds = math.inf  # of one question, as last seen
        self.left = False  # were answers given up?

    def _part(self, count: int) -> int:
        """Questions a part: two parts for each worker, or smaller ones where they take long."""
        enough = PART_SECONDS / self.seconds if self.seconds else math.inf
        return max(1, int(min(math.ceil(count / (2 * max(self.size, 1))), enough)))

    def map(self, questions: Sequence[Any], look: Look) -> Iterator[Any]:
        part = self._part(len(questions))
        futures = [self.executor.submit(self.task, questions[k:k + part]) for k in range(0, len(questions), part)]
        spent, self.left = 0.0, True
        try:
            for future in futures:
                while isinstance(future, Future) and not wait([future], LOOK_EVERY).done:
                    look()
                values, seconds = future.result()
                spent += seconds
                yield from values
            self.seconds, self.left = spent / max(len(questions), 1), False
        finally:
            for future in futures if self.left else ():
                future.cancel()


class Threads(Submitted):
    """By threads of our own."""

    def __init__(self, call: Call, size: int) -> None:
        super().__init__(call, None, size)

    def open(self) -> None:
        self.executor = ThreadPoolExecutor(self.size)

    def close(self) -> None:
        self.executor.shutdown(cancel_futures=True)


class Processes(Submitted):
    """By processes of our own. Where they are forked, fun is there already: it need not be one that can be pickled.

    A process that dies takes all the others of its pool with it, and nobody says at which question. From then on each has a
    pool of its own, which lasts until it dies, and one question at a time. One at which a process dies twice has no value; after
    two of these once is enough."""

    def __init__(self, call: Call, size: int) -> None:
        super().__init__(call, None, size)
        self.lenient: Callable[[], bool] = lambda: getattr(call, "lenient", False)
        self.call = self.task
        self.vain = 0  # questions asked twice that nobody survived, less those that somebody did
        self.alone: list[ProcessPoolExecutor] = []  # pools of one, once somebody has died
        if _forks():
            self.task = _kept_part

    def map(self, questions: Sequence[Any], look: Look) -> Iterator[Any]:
        done = 0
        try:
            for value in () if self.alone else super().map(questions, look):
                done += 1
                yield value
        except BrokenExecutor:
            if not self.lenient():
                raise
            self.alone = [self._pool(1) for _ in range(self.size)]
        if self.alone:
            yield from self._one_by_one(questions[done:], look)

    def _one_by_one(self, questions: Sequence[Any], look: Look) -> list[Any]:
        values: list[Any] = [None] * len(questions)
        todo = [(k, False) for k in reversed(range(len(questions)))]
        free = list(range(self.size))
        at_hand: dict[Any, tuple[int, int, bool]] = {}  # who, which question, has somebody died of it?
        self.left = True
        while todo or at_hand:
            while todo and free:
                who, (k, died) = free.pop(), todo.pop()
                at_hand[self._ask(who, questions[k:k + 1])] = who, k, died
            for future in wait(at_hand, LOOK_EVERY, FIRST_COMPLETED).done:
                who, k, died = at_hand.pop(future)
                free.append(who)
                try:
                    values[k] = future.result()[0][0]
                    self.vain -= died
                except BrokenExecutor:
                    if died or self.vain > 1:
                        self.vain += died
                        values[k] = Failed(RuntimeError("the process that evaluated it died"))
                    else:
                        todo.append((k, True))
            look()
        self.left = False
        return values

    def _ask(self, who: int, question: Sequence[Any]) -> Any:
        try:
            return self.alone[who].submit(self.task, question)
        except BrokenExecutor:  # it died of the question before, or of nothing that we know
            self._end(self.alone[who])
            self.alone[who] = self._pool(1)
            return self.alone[who].submit(self.task, question)

    def _pool(self, size: int) -> ProcessPoolExecutor:
        context = get_context("fork" if _forks() else "spawn")
        return ProcessPoolExecutor(size, context, _begin, (self.call if _forks() else None,))

    def _end(self, pool: ProcessPoolExecutor) -> None:
        processes = list((pool._processes or {}).values())
        broken = bool(getattr(pool, "_broken", False))  # then all of them are being ended
        pool.shutdown(broken or not self.left, cancel_futures=True)
        for process in processes if self.left else ():  # what they do may take hours
            process.kill()
            process.join()

    def open(self) -> None:
        self.executor, self.alone = self._pool(self.size), []

    def close(self) -> None:
        for pool in (self.executor, *self.alone):
            self._end(pool)


def _forks() -> bool:
    return sys.platform.startswith("linux")


class _Part:
    """Some questions, and the seconds they took; a class, so that other processes can be sent it."""

    def __init__(self, call: Call) -> None:
        self.call = call

    def __call__(self, questions: Sequence[Any]) -> tuple[list[Any], float]:
        begin = perf_counter()
        return [self.call(question) for question in questions], perf_counter() - begin


_kept: Any = None  # in a process of `Processes`: what it is there for


def _begin(part: Any) -> None:
    global _kept
    _kept = part
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run hears it, and ends us


def _kept_part(questions: Sequence[Any]) -> Any:
    return _kept(questions)


def _size_of(executor: Any) -> int:
    size = getattr(executor, "_max_workers", None)
    return size if _whole(size) and size else os.cpu_count() or 1


def crew(call: Call, threads: Any, workers: Any) -> Crew:
    """What the arguments threads and workers of `minimize` stand for."""
    if workers is not None:
        if threads != 1:
            raise ArgumentError(f"workers: {workers!r} is given beside threads={threads!r}; one of them does the work")
        return _of_workers(call, workers)
    if callable(threads):
        return Mapped(call, threads, 0)
    if not _whole(threads) or threads < 1:
        raise ArgumentError(f"threads: expected a whole number of at least 1, or a map, got {threads!r}")
    return Mapped(call) if threads == 1 else Threads(call, int(threads))


def _of_workers(call: Call, workers: Any) -> Crew:
    if _whole(workers):
        size = (os.cpu_count() or 1) if workers == -1 else int(workers)
        if size >= 1:
            return Mapped(call) if size == 1 else Processes(call, size)
    elif hasattr(workers, "get_executor"):  # Dask's client, which would take two equal questions for one
        return Submitted(call, workers.get_executor(pure=False), sum(workers.ncores().values()) or 1)
    elif hasattr(workers, "submit"):
        return Submitted(call, workers, _size_of(workers))
    elif callable(workers) and hasattr(workers, "n_jobs"):  # joblib's Parallel takes calls, each with its arguments
        return Mapped(call, lambda f, questions: workers((f, (question,), {}) for question in questions),
                      workers.n_jobs if workers.n_jobs > 0 else 0)
    elif callable(workers) or hasattr(workers, "map"):
        return Mapped(call, workers if callable(workers) else workers.map, 0)
    raise ArgumentError("workers: expected a whole number of at least 1 (-1: all cores), a map, or an executor, "
                        f"got {workers!r}")
