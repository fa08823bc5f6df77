#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What Python costs: microseconds per fan, and the rate of a NumPy loss on a9a beside the same code alone."""
import bz2, gzip, lzma, os, sys, time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))
import numpy as np
import scipy.sparse as sp

import zoprox

N, D = 1000, 20


now = time.thread_time  # processor time of this thread: other programs do not count


class Clock:
    """A function that knows how often it was called and how long it took."""

    def __init__(self, fun):
        self.fun, self.calls, self.seconds = fun, 0, 0.0

    def __call__(self, *question):
        start = now()
        answer = self.fun(*question)
        self.seconds += now() - start
        self.calls += 1
        return answer


class Diary:
    """A function that keeps every question."""

    def __init__(self, fun):
        self.fun, self.asked = fun, []

    def __call__(self, *question):
        self.asked.append(question)  # the arrays are ours: zoprox sees that they are kept, and takes new ones
        return self.fun(*question)


def overhead_by_callback(method, **settings):
    """Microseconds per fan of a run, less those of the function."""
    centres = np.linspace(-1, 1, N)
    clock = Clock(lambda X, idx: X[:, :1] * X[:, 1:2] + centres[idx])
    start = now()
    zoprox.minimize(clock, np.ones(D), N, method=method, steps=4000, track="off", step=1e-9, radius=1e-3,
                    vectorized=True, **settings)
    return 1e6 * (now() - start - clock.seconds) / clock.calls


def overhead_by_ask(method, fans=4000, **settings):
    solver = zoprox.Solver(None, np.ones(D), N, method=method, step=1e-9, radius=1e-3, **settings)
    inside = 0.0
    begin = now()
    for _ in range(fans):
        fan = solver.ask()
        points, components = fan.points, fan.components
        start = now()
        values = points[:, :1] + components
        inside += now() - start
        solver.tell(fan.answers_from(values))
    return 1e6 * (now() - begin - inside) / fans


def a9a():
    """Rows and labels: the real set from $ZOPROX_DATA, or a made-up one of its shape."""
    folder = Path(os.environ.get("ZOPROX_DATA", "."))
    for name, opener in (("a9a", open), ("a9a.xz", lzma.open), ("a9a.bz2", bz2.open), ("a9a.gz", gzip.open)):
        if (folder / name).is_file():
            from sklearn.datasets import load_svmlight_file
            with opener(folder / name, "rb") as file:
                return load_svmlight_file(file, n_features=123)
    print("a9a is not in $ZOPROX_DATA; random rows of its shape instead")
    A = sp.random(32561, 123, 0.11, "csr", random_state=1)
    A.data[:] = 1
    return A, np.where(np.arange(32561) % 4, -1.0, 1.0)


def own_seconds(loss, pairs, n, d, method, budget, **settings):
    """What the method does for itself in such a run: open, ask and tell, with the same NumPy code between them (and so the same caches)."""
    spent, start = 0, now()
    solver = zoprox.Solver(None, np.zeros(d), n, "l1:1e-4", method=method, horizon=budget, **settings)
    seconds = now() - start
    while True:
        start = now()
        fan = solver.ask()
        seconds += now() - start
        if fan is None or spent + fan.queries > budget:
            return seconds
        spent += fan.queries
        X, idx, shape = fan.points, fan.components, fan.shape
        values = pairs(X.reshape(-1, d), np.repeat(idx, shape[1])).reshape(shape) if fan.own else loss(X, idx)
        answers = fan.answers_from(values)
        start = now()
        solver.tell(answers)
        seconds += now() - start


def rates(method, units, rounds=7, **settings):
    """Calls, queries, and seconds of some rounds, one after the other in each: the NumPy loss alone, answering the questions of a run
    once more; the run through zoprox; what the method does for itself in it."""
    A, y = a9a()
    Z = (sp.diags(-y) @ A).tocsr()

    def loss(X, idx):
        z = (Z if len(idx) == len(y) else Z[idx]) @ X.T
        return np.logaddexp(0, z).T + 5e-5 * np.einsum("pj,pj->p", X, X)[:, None]

    def pairs(X, idx):
        rows = Z[idx]
        at = np.repeat(np.arange(len(idx)), np.diff(rows.indptr))
        z = np.bincount(at, rows.data * X[at, rows.indices], len(idx))
        return np.logaddexp(0, z) + 5e-5 * np.einsum("pj,pj->p", X, X)

    def run(*functions):
        return zoprox.minimize(functions[0], np.zeros(123), len(y), prox="l1:1e-4", method=method, units=units,
                               vectorized=True, pairs=functions[1], **settings)

    diaries, seconds = (Diary(loss), Diary(pairs)), []
    r = run(*diaries)
    queries = r.nfev
    assert queries == sum(len(X) * len(idx) for X, idx in diaries[0].asked) + sum(len(X) for X, _ in diaries[1].asked)
    for _ in range(rounds):
        begin = now()
        for diary in diaries:
            for X, idx in diary.asked:
                diary.fun(X, idx)
        middle = now()
        run(loss, pairs)
        end = now()
        seconds.append((middle - begin, end - middle, own_seconds(loss, pairs, *A.shape, method, units * A.shape[0] * A.shape[1], **settings)))
    return sum(len(diary.asked) for diary in diaries), queries, np.array(seconds)


if __name__ == "__main__":
    print("overhead per fan, microseconds (n = 1000, d = 20; the method's own work included)")
    for method, settings in (("zosgd", {"batch": 1, "directions": 1}), ("zosgd", {"batch": 16, "directions": 8}),
                             ("zpdvr", {"batch": 16, "directions": 8, "refresh": 0.001})):
        callback, ask = (min(measure(method, **settings) for _ in range(5))
                         for measure in (overhead_by_callback, overhead_by_ask))
        print(f"  {method:6} {str(settings):55} callback {callback:5.1f}   ask/tell {ask:5.1f}")
    print("NumPy logistic loss on a9a; of its own rate; of that the method's own work; without that (medians of rounds)")
    chosen = sys.argv[1:] or ["zpdvr", "zpsvrg", "sega", "psvrg", "saga", "pgd", "fista", "auto"]
    for method, units, settings in (("zpdvr", 3, {"batch": 256, "directions": 16}), ("zpsvrg", 3, {"batch": 256}),
                                    ("sega", 3, {"directions": 16}), ("psvrg", 3, {"batch": 256}),
                                    ("saga", 3, {"batch": 256}), ("pgd", 2, {}), ("fista", 3, {}), ("auto", 2, {})):
        if method not in chosen:
            continue
        calls, queries, seconds = rates(method, units, **settings)
        alone, through, own = seconds.T
        print(f"  {method:6} {str(settings):35} {calls:6} calls   {queries / np.median(alone):.3g} queries a second alone   "
              f"{np.median(alone / through):4.0%}   {np.median(own / through):4.0%}   {np.median(alone / (through - own)):4.0%}", flush=True)
