# SPDX-License-Identifier: MIT
"""The trajectory has the same bytes in C and in Python: by fun(x, i), vectorised, on threads, by ask and tell."""
import csv
import json
import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import zoprox

N, D, UNITS = 300, 6, 12
HOW = {"prox": "l1:0.125", "seed": 5, "sides": 2, "point": "last"}
CENTRES = ((7 * np.arange(N)[:, None] + 3 * np.arange(D)) % 11) * 0.25 - 1
METHODS = [row.name for row in zoprox.methods()]


def fun(x, i):
    f = 0.0
    for j in range(D):
        t = x[j] - CENTRES[i, j]
        f += t * t + 0.25 * t * t * t * t
    return f


def table(X, idx):
    f = np.zeros((len(X), len(idx)))
    for j in range(D):
        t = X[:, j, None] - CENTRES[idx, j]
        f += t * t + 0.25 * t * t * t * t
    return f


def pairs(X, idx):
    f = np.zeros(len(idx))
    for j in range(D):
        t = X[:, j] - CENTRES[idx, j]
        f += t * t + 0.25 * t * t * t * t
    return f


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """{method: (queries, objective, x)} as C found them."""
    compiler = shutil.which(os.environ.get("CC", "cc"))
    if compiler is None:
        pytest.skip("no C compiler")
    here, library = Path(__file__).resolve().parent, Path(zoprox.library).resolve()
    program = tmp_path_factory.mktemp("reference") / "reference"
    subprocess.run([compiler, "-std=c11", "-O2", "-ffp-contract=off", f"-I{here.parent.parent / 'include'}",
                    str(here / "reference.c"), str(library), f"-Wl,-rpath,{library.parent}", "-o", str(program)],
                   check=True)
    lines = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
    return {w[0]: (int(w[1]), *map(float.fromhex, w[2:])) for w in map(str.split, lines)}


def facts(r):
    return (r.nfev - r.nwatched, r.fun, *r.x)


@pytest.mark.parametrize("method", METHODS)
def test_vectorised(reference, method):
    r = zoprox.minimize(table, np.zeros(D), N, method=method, units=UNITS, track="apart", vectorized=True, **HOW)
    assert facts(r) == reference[method]


@pytest.mark.parametrize("method", METHODS)
def test_pairs(reference, method):
    r = zoprox.minimize(table, np.zeros(D), N, method=method, units=UNITS, track="apart", vectorized=True, pairs=pairs, **HOW)
    assert facts(r) == reference[method]


@pytest.mark.parametrize("method, threads", [("auto", 1), ("zpdvr", 1), ("zpdvr", 3), ("saga", map)])
def test_one_by_one(reference, method, threads):
    r = zoprox.minimize(fun, np.zeros(D), N, method=method, units=UNITS, track="apart", threads=threads, **HOW)
    assert facts(r) == reference[method]


@pytest.mark.parametrize("method", METHODS)
def test_ask_tell(reference, method):
    budget = UNITS * N * D
    solver = zoprox.Solver(None, n=N, d=D, method=method, horizon=budget, **HOW)
    spent = 0
    while (fan := solver.ask()) is not None and spent + fan.queries <= budget:
        spent += fan.queries
        if fan.own:
            rows = fan.points.reshape(-1, D)
            values = pairs(rows, np.repeat(fan.components, fan.shape[1])).reshape(fan.shape)
        else:
            values = table(fan.points, fan.components)
        solver.tell(fan.answers_from(values))
    queries, _, *x = reference[method]
    assert spent == queries
    assert list(solver.point) == x
    assert solver.report.nfev == queries


def test_save_and_load(reference, tmp_path):
    file = tmp_path / "run.zo"
    how = dict(HOW, n=N, method="zpdvr", vectorized=True, horizon=UNITS * N * D)
    first = zoprox.Solver(table, np.zeros(D), **how)
    first.run(units=5)
    first.save(file)
    second = zoprox.Solver(table, np.zeros(D), **how).load(file)
    assert list(second.point) == list(first.point)
    r = second.run(units=UNITS)
    assert facts(r) == reference["zpdvr"]


def test_checkpoint_and_resume(reference, tmp_path):
    file = tmp_path / "run.zo"
    how = dict(HOW, n=N, method="zpdvr", vectorized=True, horizon=UNITS * N * D, checkpoint=file, resume=True)
    zoprox.minimize(table, np.zeros(D), units=4, **how)
    assert file.exists()
    assert facts(zoprox.minimize(table, np.zeros(D), units=UNITS, track="apart", **how)) == reference["zpdvr"]
    with pytest.raises(zoprox.MismatchError, match="seed"):
        zoprox.minimize(table, np.zeros(D), units=UNITS, track="apart", **dict(how, seed=6))


@pytest.mark.parametrize("method", ["auto", "sega", "psvrg"])
def test_the_command(method, tmp_path):
    command = os.environ.get("ZOPROX")
    if not command or not Path(command).exists():
        pytest.skip("no zoprox command ($ZOPROX)")
    trace, report = tmp_path / "trace.csv", tmp_path / "report.json"
    with open(report, "w") as out:
        subprocess.run([command, "solve", "synth:n=500,d=12", "--l1", "1e-3", "--l2", "1e-2", "--method", method,
                        "--units", "8", "--trace", str(trace), "--json"], check=True, stdout=out)
    problem = zoprox.logistic(zoprox.synth("n=500,d=12"), l2=1e-2)
    r = zoprox.minimize(problem, prox=zoprox.l1(1e-3), method=method, units=8)
    with open(trace) as lines:
        rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    assert [float(row["objective"]) for row in rows] == list(r.trace["objective"])
    assert [int(row["queries"]) for row in rows] == list(r.trace["queries"])
    assert json.loads(report.read_text())["objective"] == r.fun
