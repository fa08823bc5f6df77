#!/usr/bin/python3
"""How fast fans are answered, beside the same computation in scipy and NumPy.
SPDX-License-Identifier: MIT

    bench/fans.py [--build build/release] [--rounds 15] [--data FOLDER] [NAME ...]

Full passes of 16 gaussian directions, logistic, radius 1e-3, l2 1e-4, in turns in one run, ten fans in a row; the fastest of the rounds. NumPy: one product
for the point and the 16 points around it, np.logaddexp, means, differences; one thread. Columns:

    numpy, zoprox   milliseconds for one fan, one thread
    ratio           numpy / zoprox: at least 8 (sparse), 1.6 (dense)
    2 threads       one thread / two threads: at least 1.7
    median          the same, each round's two compared with each other, the median of the rounds: at least 1.7
    of parts        zoprox / (product alone + losses alone): at most 1.3
    normals         nanoseconds for one number of a direction
    small           microseconds for one fan of psvrg (2 bases, all axes, batch 4)
    error           largest difference between the two answers

Exit code 1 if a bar is missed."""
import argparse, os, subprocess, sys, tempfile, time

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"
import numpy as np
import scipy.sparse as sp

SETS = ["a9a", "w8a", "covtype.libsvm.binary.scale", "gisette_scale.t"]
RADIUS, L2, Q = 1e-3, 1e-4, 16
IN_A_ROW = 10  # fans in one go, on both sides


def load(folder, n, d, dense):
    get = lambda name, kind="f8": np.fromfile(os.path.join(folder, name), dtype=kind)
    if dense:
        z = get("dense").reshape(n, d)
    else:
        z = sp.csr_matrix((get("val"), get("col", "u4").astype("i4"), get("row", "u8").astype("i4")), shape=(n, d))
    return z, get("target"), get("x"), get("dir").reshape(Q, d)


def numpy_fan(z, y, x, u):
    points = np.ascontiguousarray(np.vstack([x, x + RADIUS * u]).T)
    losses = np.logaddexp(0, -y[:, None] * (z @ points)).mean(axis=0)
    values = losses + L2 / 2 * (points * points).sum(axis=0)
    return np.concatenate([values[:1], values[1:] - values[0]])


class Fans:
    def __init__(self, program, path, folder):
        self.process = subprocess.Popen([program, path, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        n, d, nonzeros, dense, self.isa = self.process.stdout.readline().split()
        self.n, self.d, self.nonzeros, self.dense = int(n), int(d), int(nonzeros), int(dense)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure(program, path, rounds):
    with tempfile.TemporaryDirectory() as folder:
        fans = Fans(program, path, folder)
        z, y, x, u = load(folder, fans.n, fans.d, fans.dense)
        lines = ["fan 1", "fan 2", "product", "loss", "normals", "small"]
        times = {key: [] for key in lines + ["numpy"]}
        wanted = numpy_fan(z, y, x, u)
        for line in lines:
            fans.ask(line)
        for _ in range(rounds):
            start = time.perf_counter()
            for _ in range(IN_A_ROW):
                numpy_fan(z, y, x, u)
            times["numpy"].append((time.perf_counter() - start) / IN_A_ROW)
            for line in lines:
                times[line].append(float(fans.ask(line)))
        error = np.abs(np.array(fans.ask("answers").split(), dtype=float) - wanted).max()
        fans.close()
        paired = float(np.median(np.divide(times["fan 1"], times["fan 2"])))
        return fans, {key: min(value) for key, value in times.items()}, paired, error


def find(folder, name):
    for end in ("", ".xz", ".gz", ".bz2", ".zst"):
        path = os.path.join(folder, name + end)
        if os.path.exists(path):
            return path
    sys.exit(f"fans.py: no {name} in {folder}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--data", default=os.environ.get("ZOPROX_DATA", "."))
    parser.add_argument("names", nargs="*", default=SETS)
    args = parser.parse_args()
    print(f"{'set':28}{'numpy':>9}{'zoprox':>9}{'ratio':>7}{'2 threads':>10}{'median':>7}{'of parts':>9}{'normals':>9}{'small':>8}{'error':>9}")
    missed = 0
    for name in args.names or SETS:
        fans, t, paired, error = measure(os.path.join(args.build, "bench", "fans"), find(args.data, name), args.rounds)
        ratio, scaling = t["numpy"] / t["fan 1"], t["fan 1"] / t["fan 2"]
        parts = t["fan 1"] / (t["product"] + t["loss"])
        bad = ratio < (1.6 if fans.dense else 8) or min(scaling, paired) < 1.7 or parts > 1.3 or error > 1e-12
        missed |= bad
        print(f"{name:28}{1e3 * t['numpy']:9.2f}{1e3 * t['fan 1']:9.3f}{ratio:7.1f}{scaling:10.2f}{paired:7.2f}{parts:9.2f}"
              f"{1e9 * t['normals'] / (Q * fans.d):9.2f}{1e3 * t['small']:8.2f}{error:9.1e}{'  missed' if bad else ''}")
    return missed


sys.exit(int(main()))
