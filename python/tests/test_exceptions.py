# SPDX-License-Identifier: MIT
"""Exceptions, interrupts and time limits: what they leave."""
import os
import signal
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
        run(failing(after, error))
    assert caught.value is error
    assert any(frame.name == "fun" for frame in traceback.extract_tb(error.__traceback__))
    assert not error.result.success and "fell over" in error.result.message
    if after > 30:
        assert error.result.x.shape == (3,) and np.isfinite(error.result.fun)
    assert capsys.readouterr().err == ""


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
        assert (np.array(trace, r.trace.dtype)[name] == straight.trace[name]).all()


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
    solver = zoprox.Solver(fun, np.zeros(3), 30, method="fista")
    with pytest.raises(Own):
        solver.run(units=20)
    assert np.allclose(solver.run(units=20).x, 1, atol=1e-4)
