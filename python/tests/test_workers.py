# SPDX-License-Identifier: MIT
"""Whoever calls the function, the bytes are the same."""
import multiprocessing
import os
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import zoprox
from small import run, square

T = np.linspace(0, 5, 40)


def curve(x):
    return x[0] * np.exp(-x[1] * T) + x[2] - np.cos(T)


def test_processes_run_any_function():
    parents, want = [], run(square)
    r = run(lambda x, i: parents.append(os.getpid()) or square(x, i), workers=2)
    assert r.x.tobytes() == want.x.tobytes() and r.nfev == want.nfev and not parents  # they are seen by the workers alone
    assert run(square, workers=-1).x.tobytes() == want.x.tobytes()
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_executors(kind):
    with kind(2) as executor:
        for workers in (executor, executor.map):
            assert run(square, workers=workers).x.tobytes() == run(square).x.tobytes()
        assert run(square, workers=executor, seconds=60, progress=lambda now: None).x.tobytes() == run(square).x.tobytes()


def test_pools():
    with multiprocessing.Pool(2) as pool:
        for workers in (pool, pool.map, pool.imap):
            assert run(square, workers=workers).x.tobytes() == run(square).x.tobytes()


def test_residuals():
    want = zoprox.least_squares(curve, [1.0, 1.0, 0.5], threads=2)
    with ThreadPoolExecutor(2) as executor:
        for workers in (2, executor):
            r = zoprox.least_squares(curve, [1.0, 1.0, 0.5], workers=workers)
            assert r.x.tobytes() == want.x.tobytes() and r.nfev == want.nfev
    again = zoprox.minimize(curve, [1.0, 1.0, 0.5], residuals="squares", workers=2, points=60)
    assert np.allclose(again.x, want.x, atol=1e-6)


def fails(x, i):
    if x[0] != 0 and i == 7:
        raise KeyError("seven")
    return square(x, i)


def dies(x, i):
    if i == 7:
        os._exit(3)
    return square(x, i)


def test_what_happens_there_is_heard_here():
    with pytest.raises(KeyError, match="seven") as caught:
        run(fails, workers=2)
    assert not caught.value.result.success
    with pytest.raises(Exception, match="terminated abruptly"):
        run(dies, workers=2, on_error="raise")
    assert not multiprocessing.active_children()


def test_a_process_that_dies_is_a_point_that_fails(tmp_path):
    def cliff(x):
        if x[0] > 0.8:
            os._exit(3)
        return float(((x - 0.5) ** 2).sum())
    r = zoprox.minimize(cliff, [0.0, 0.0], workers=3, queries=200)
    want = zoprox.minimize(lambda x: np.nan if x[0] > 0.8 else cliff(x), [0.0, 0.0], queries=200)
    assert r.x.tobytes() == want.x.tobytes() and np.allclose(r.x, 0.5, atol=1e-4)
    once = tmp_path / "died"

    def accident(x, i):
        if i == 7 and not once.exists():
            once.touch()
            os._exit(3)
        return square(x, i)
    assert run(accident, workers=3).x.tobytes() == run(square).x.tobytes() and once.exists()
    r = zoprox.least_squares(lambda x: os._exit(1) if x[0] > 2.5 else curve(x), [1.0, 1.0, 0.5], workers=2)
    assert np.allclose(r.x, zoprox.least_squares(curve, [1.0, 1.0, 0.5]).x, atol=1e-5)
    assert not multiprocessing.active_children()


def test_a_death_costs_one_process(tmp_path, monkeypatch):
    died, started = tmp_path / "died", []
    died.touch()

    def cliff(x):
        if x[0] > 0.3:
            with died.open("a") as out:
                out.write("x")
            os._exit(3)
        return float(((x - 0.5) ** 2).sum())

    def pool(size, *rest):
        started.append(size)
        return ProcessPoolExecutor(size, *rest)
    monkeypatch.setattr("zoprox.workers.ProcessPoolExecutor", pool)
    zoprox.minimize(cliff, [0.0, 0.0], workers=3, queries=60)
    assert 10 < died.stat().st_size and sum(started) <= died.stat().st_size + 6


def test_time_that_is_over_ends_them():
    begin = time.monotonic()
    r = run(lambda x, i: time.sleep(0 if i < 25 else 60) or 1.0, workers=2, seconds=0.2, track="off")
    assert r.reason == "seconds" and time.monotonic() - begin < 30
    while multiprocessing.active_children() and time.monotonic() - begin < 60:
        time.sleep(0.01)  # they are dead; a thread of the pool may still be about to note it
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("workers", [0, -2, "many", 1.5, True])
def test_no_workers(workers):
    with pytest.raises(zoprox.ArgumentError, match="workers: expected a whole number of at least 1"):
        run(square, workers=workers)


def test_not_both():
    with pytest.raises(zoprox.ArgumentError, match="workers: 2 is given beside threads=3"):
        run(square, workers=2, threads=3)
    with pytest.raises(zoprox.ArgumentError, match="workers: 2 is for fun"):
        run(workers=2)
