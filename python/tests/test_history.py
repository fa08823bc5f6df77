# SPDX-License-Identifier: MIT
"""Every evaluation in a file, and runs that begin with those of others."""
import csv
import random
import sqlite3

import numpy as np
import pytest

import zoprox
from small import square, squares


def run(fun=square, **how):
    return zoprox.minimize(fun, how.pop("x0", np.zeros(4)), 12, **{"method": "fista", "units": 6, **how})


class Counted:
    def __init__(self, fun=square):
        self.fun, self.calls = fun, 0

    def __call__(self, x, i):
        self.calls += 1
        return self.fun(x, i)


def rows(path):
    if path.suffix == ".csv":
        with open(path, newline="") as lines:
            return [({int(k[1:]): float(v) for k, v in r.items() if k[0] == "x"}, int(r["component"]), float(r["value"]),
                     float(r["seconds"]), int(r["number"])) for r in csv.DictReader(lines)]
    db = sqlite3.connect(path)
    names = [f"x{j}" for j in range(4)]
    got = db.execute(f"SELECT {', '.join(names)}, component, value, seconds, number FROM history").fetchall()
    db.close()
    return [(dict(enumerate(r[:4])), *r[4:]) for r in got]


@pytest.mark.parametrize("name", ["h.csv", "h.sqlite"])
@pytest.mark.parametrize("how", [{}, {"threads": 3}, {"fun": squares, "vectorized": True}, {"method": "inq"}])
def test_every_evaluation_and_the_same_bytes(tmp_path, name, how):
    plain, r = run(**how), run(**how, history=tmp_path / name)
    assert r.x.tobytes() == plain.x.tobytes() and r.nfev == plain.nfev
    got = rows(tmp_path / name)
    assert len(got) == r.nfev
    assert sorted(number for *_, number in got) == list(range(len(got)))
    for x, i, value, seconds, _ in got:
        assert value == square(np.array([x[j] for j in range(4)]), i) and 0 <= seconds < 1
    counted = Counted()
    fun = counted if not how.get("vectorized") else lambda X, idx: pytest.fail("asked again")
    again = run(**{**how, "fun": fun}, past=tmp_path / name)
    assert again.x.tobytes() == plain.x.tobytes() and again.known == len(got) and counted.calls == 0


def test_parts_of_the_past_in_any_order(tmp_path):
    """Half of the lines, shuffled: the others are asked, the bytes stay."""
    plain = run(history=tmp_path / "h.csv")
    head, *lines = (tmp_path / "h.csv").read_text().splitlines(keepends=True)
    random.Random(3).shuffle(lines)
    (tmp_path / "half.csv").write_text(head + "".join(lines[::2]))
    for fun, how in ((square, {}), (square, {"threads": 3}), (squares, {"vectorized": True}), (square, {"method": "inq"})):
        counted = Counted(fun)
        r = run(counted, **how, past=tmp_path / "half.csv")
        if not how.get("method"):
            assert r.x.tobytes() == plain.x.tobytes()
            assert r.known == len(lines[::2])
        if not how:
            assert counted.calls == r.nfev - r.known


def test_of_another_tool(tmp_path):
    """Points without a component, other columns and separators: the best point is the start."""
    table = tmp_path / "doe.csv"
    table.write_text('"run";"x1";"x0";"value";"note"\n1;2;0.5;-3;a\n2;1;0.25;-7;"b; c"\n3;0;0;;failed\n')
    seen = []

    def fun(x):
        seen.append(x.copy())
        return float((x ** 2).sum()) - 8

    r = zoprox.minimize(fun, past=table, units=20, method="fista")
    assert r.known >= 1 and np.abs(seen[0] - [0.25, 1]).max() < 1e-3
    x0 = zoprox.minimize(fun, [0.0, 3.0], past=table, units=3, method="fista", track="apart").trace["objective"][0]
    assert x0 == 1


def test_a_noisy_function_is_quoted_as_often_as_it_was_asked(tmp_path):
    draws = random.Random(1)
    noisy = Counted(lambda x, i: square(x, i) + draws.gauss(0, 1e-3))
    r = run(noisy, history=tmp_path / "h.csv", method="inq")
    again = run(Counted(lambda x, i: pytest.fail("asked again")), past=tmp_path / "h.csv", method="inq")
    assert again.x.tobytes() == r.x.tobytes()


def test_goes_on(tmp_path):
    """Stopped in the middle: a history alone, and with a checkpoint."""
    plain = run()
    for checkpoint in (None, tmp_path / "c"):
        path = tmp_path / f"h{checkpoint is None}.csv"
        first = Counted()

        def dies(x, i):
            if first.calls >= 60:
                raise KeyboardInterrupt
            return first(x, i)
        assert not run(dies, history=path, checkpoint=checkpoint, checkpoint_seconds=0).success
        assert len(rows(path)) == 60
        second = Counted()
        r = run(second, history=path, checkpoint=checkpoint, resume=True)
        assert r.x.tobytes() == plain.x.tobytes()
        assert first.calls + second.calls == plain.nfev == len(rows(path))


def test_what_is_wrong_is_said(tmp_path):
    (tmp_path / "h.csv").write_text("x0,x1,x2\n")
    with pytest.raises(zoprox.ArgumentError, match="is already there"):
        run(history=tmp_path / "h.csv")
    with pytest.raises(zoprox.Error, match="no column 'value'"):
        run(past=tmp_path / "h.csv")
    (tmp_path / "h.csv").write_text("x0,x1,x2,x3,component,value\n0,0,0,0,12,1\n")
    with pytest.raises(zoprox.Error, match="line 2: '12' is not a component"):
        run(past=tmp_path / "h.csv")
    with pytest.raises(zoprox.Error, match="No such file"):
        run(past=tmp_path / "none.csv")
    with pytest.raises(zoprox.ArgumentError, match="whole questions"):
        zoprox.minimize(zoprox.squared(np.eye(3), np.ones(3)), past=tmp_path / "h.csv")
    r = run(history=tmp_path / "d.csv")
    text = (tmp_path / "d.csv").read_text().splitlines(keepends=True)
    text[5] = text[5].replace(",", ",1", 1)  # a number that was never given
    (tmp_path / "d.csv").write_text("".join(text) + "0,0,0")
    assert run(past=tmp_path / "d.csv").known == r.nfev - 1
