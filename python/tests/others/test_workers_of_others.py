# SPDX-License-Identifier: MIT
"""joblib, Dask and mpi4py call the function: the same bytes."""
import os
import shutil
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import zoprox
from zoprox.workers import crew

LONG = pytest.mark.skipif(not os.environ.get("ZO_LONG"), reason="ZO_LONG=1 starts clusters")


def square(x, i):
    return float(((x - i % 3) ** 2).sum())


def curve(x):
    t = np.linspace(0, 5, 40)
    return x[0] * np.exp(-x[1] * t) + x[2] - np.cos(t)


def run(**how):
    return zoprox.minimize(square, np.zeros(3), 30, method="fista", units=10, **how)


@pytest.mark.parametrize("kind", ["threading", "loky"])
def test_joblib(kind):
    joblib = pytest.importorskip("joblib", reason="no joblib (Debian: python3-joblib)")
    workers = joblib.Parallel(n_jobs=2, backend=kind)
    assert run(workers=workers).x.tobytes() == run().x.tobytes()
    want = zoprox.least_squares(curve, [1.0, 1.0, 0.5], threads=2)
    assert zoprox.least_squares(curve, [1.0, 1.0, 0.5], workers=workers).x.tobytes() == want.x.tobytes()


@LONG
def test_dask():
    distributed = pytest.importorskip("distributed", reason="no Dask (Debian: python3-distributed)")
    with distributed.LocalCluster(2, threads_per_worker=1, dashboard_address=None, processes=False) as cluster:
        with distributed.Client(cluster) as client:
            assert run(workers=client).x.tobytes() == run().x.tobytes()
            drawn = list(crew(lambda question: os.urandom(8), 1, client).map([0] * 4, lambda: None))
            assert len(set(drawn)) == 4  # equal questions are not taken for one


@LONG
def test_mpi4py(tmp_path):
    pytest.importorskip("mpi4py.futures", reason="no mpi4py (Debian: python3-mpi4py)")
    if shutil.which("mpiexec") is None:
        pytest.skip("no mpiexec (Debian: openmpi-bin)")
    (tmp_path / "program.py").write_text(textwrap.dedent("""
        import os, numpy as np, zoprox
        from mpi4py.futures import MPIPoolExecutor

        def square(x, i):
            return float(((x - i % 3) ** 2).sum())

        def where(question):
            return os.getpid()

        if __name__ == "__main__":
            alone = zoprox.minimize(square, np.zeros(3), 30, method="fista", units=10)
            with MPIPoolExecutor() as executor:
                there = set(executor.map(where, range(20)))
                assert os.getpid() not in there, there
                r = zoprox.minimize(square, np.zeros(3), 30, method="fista", units=10, workers=executor)
            print("the same" if r.x.tobytes() == alone.x.tobytes() else "another")
        """))
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}
    done = subprocess.run(["mpiexec", "-n", "3", sys.executable, "-m", "mpi4py.futures", "program.py"], cwd=tmp_path,
                          env={**os.environ, **root}, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    assert done.returncode == 0 and done.stdout.strip() == "the same", done.stderr[-2000:]
