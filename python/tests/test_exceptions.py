# SPDX-License-Identifier: MIT
"""Exceptions, interrupts and time limits: what they leave."""
import os
import signal
import subprocess
import sys
import time
import traceback

import numpy as np
import pytest

import zoprox
from small import run, square


class Own(Exception):
    pass


def failing(after, error):
    calls = [0]

    def fun(x, i):
        calls[0] += 1
        if calls[0] > after:
            raise error
        return square(x, i)
    return fun


@pytest.mark.parametrize("after", [0, 50, 700])
def test_exception_is_raised_as_it_was(after, capsys):
    error = Own("the simulator fell over")
    with pytest.raises(Own) as caught:
        run(failing(after, error), track="apart", on_error="raise")
    assert caught.value is error
    assert any(frame.name == "fun" for frame in traceback.extract_tb(error.__traceback__))
    assert not error.result.success and "fell over" in error.result.message
    if after > 30:
        assert error.result.x.shape == (3,) and np.isfinite(error.result.fun)
    assert capsys.readouterr().err == ""


def test_exception_without_words():
    class Mute(Exception):
        def __str__(self):
            raise ValueError("the exception's own")
    with pytest.raises(Mute) as caught:
        run(failing(50, Mute()), on_error="raise")
    assert caught.value.result.message == "Mute"


def test_a_checkpoint_that_fails_keeps_the_result(tmp_path):
    folder = tmp_path / "c"

    def fun(x, i):  # somebody is faster
        (tmp_path / "c" / "d").mkdir(parents=True, exist_ok=True)
        return square(x, i)
    with pytest.raises(zoprox.FileError) as caught:
        run(fun, checkpoint=folder)
    assert np.allclose(caught.value.result.x, 1, atol=1e-4) and not caught.value.result.success


def test_interrupt_while_c_is_at_work():
    """No line of Python runs before the first row, and that is far away."""
    code = """if 1:
        import os, signal, threading, time, numpy as np, zoprox
        signal.signal(signal.SIGINT, signal.default_int_handler)
        random = np.random.default_rng(1)
        problem = zoprox.logistic(random.normal(size=(2000, 9)), np.sign(random.normal(size=2000)))
        def interrupt():  # once the run hears it, and steps were made
            while signal.getsignal(signal.SIGINT) is signal.default_int_handler:
                time.sleep(0.001)
            begun = time.process_time()
            while time.process_time() < begun + 0.2:
                time.sleep(0.001)
            os.kill(os.getpid(), signal.SIGINT)
        threading.Thread(target=interrupt, daemon=True).start()
        r = zoprox.minimize(problem, method="pgd", units=1e12)
        print(r.success, r.message, r.nit > 0, signal.getsignal(signal.SIGINT) is signal.default_int_handler)"""
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert out.stdout == "False KeyboardInterrupt True True\n", out.stderr


def test_exception_in_callback_and_prox():
    error = Own()

    def callback(row):
        raise error
    with pytest.raises(Own) as caught:
        run(callback=callback)
    assert caught.value is error

    class Psi:
        def value(self, x):
            return 0.0

        def apply(self, v, step):
            raise error
    with pytest.raises(Own):
        run(prox=Psi())


def test_interrupt_returns_what_is_there():
    r = run(failing(700, KeyboardInterrupt()))
    assert not r.success and "KeyboardInterrupt" in r.message
    assert np.isfinite(r.fun) and r.fun < 5
    solver = zoprox.Solver(failing(700, KeyboardInterrupt()), np.zeros(3), 30, method="fista")
    with pytest.raises(KeyboardInterrupt):
        solver.run(units=20)
    assert solver.best.shape == (3,) and solver.report.nfev > 0


def test_interrupted_in_the_middle_of_a_fan(tmp_path):
    """A fan that was interrupted was never asked: the run that goes on is the run that was never stopped."""
    straight, trace, calls = run(square), [], [0]

    def fun(x, i):
        calls[0] += 1
        if calls[0] % 271 == 0:
            raise KeyboardInterrupt
        return square(x, i)
    for leg in range(100):
        r = run(fun, checkpoint=tmp_path / "c", resume=True)
        trace += r.trace.tolist()
        if r.reason != "request":
            break
    assert leg > 3 and (r.x == straight.x).all() and r.nfev == straight.nfev
    for name in ("queries", "watched", "objective"):
        assert np.array_equal(np.array(trace, r.trace.dtype)[name], straight.trace[name], equal_nan=name == "objective")


def test_a_checkpoint_is_there_after_a_second(tmp_path):
    path, seen = tmp_path / "run.zo", []

    def slow(x, i):
        time.sleep(0.002)
        seen.append(path.exists())
        return square(x, i)

    run(slow, d=2, n=5, method="pgd", seconds=2.5, units=None, checkpoint=path)
    assert sum(seen) > 20  # the last look at F is behind the last checkpoint in any case: 5


def test_a_checkpoint_is_not_written_over(tmp_path):
    file = tmp_path / "c"
    zoprox.minimize(lambda x, i: float(x @ x), [1.0, 2.0], n=3, units=2, checkpoint=file)
    with pytest.raises(zoprox.ArgumentError, match="checkpoint: .* is already there; go on from it with resume=True"):
        zoprox.minimize(lambda x, i: float(x @ x), [1.0, 2.0], n=3, units=2, checkpoint=file)


@pytest.mark.parametrize("threads", [1, 2])
def test_time_ends_a_long_fan(threads):
    """The first question alone would take 30 * 4 * 0.05 s."""
    calls = []

    def fun(x, i):
        calls.append(i)
        time.sleep(0.05)
        return square(x, i)
    r = run(fun, seconds=0.2, track="off", threads=threads)
    assert (r.reason, r.nfev) == ("seconds", 0) and len(calls) < 60


def test_a_real_signal():
    def fun(x, i):
        if i == 29 and x[0] > 0.5:
            os.kill(os.getpid(), signal.SIGINT)
        return square(x, i)
    assert not run(fun).success


def test_solver_goes_on_after_an_exception():
    calls = [0]

    def fun(x, i):
        calls[0] += 1
        if calls[0] == 500:
            raise Own()
        return square(x, i)
    solver = zoprox.Solver(fun, np.zeros(3), 30, method="fista", on_error="raise")
    with pytest.raises(Own):
        solver.run(units=20)
    assert np.allclose(solver.run(units=22).x, 1, atol=1e-4)
