# Reading a plain LIBSVM file: this library and scikit-learn, in turns.
# SPDX-License-Identifier: MIT
#
#     read.py PROGRAM FILE [ROUNDS]
import os
import subprocess
import sys
import time

import numpy as np
from sklearn.datasets import load_svmlight_file

program, path = sys.argv[1:3]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 5
reader = subprocess.Popen([program, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ours(threads):
    reader.stdin.write(f"{threads}\n")
    reader.stdin.flush()
    answer = reader.stdout.readline().split()
    return (float(answer[0]), float(answer[1])), tuple(map(int, answer[2:5])), float(answer[5])


def theirs():
    begun, worked = time.perf_counter(), time.process_time()
    x, _ = load_svmlight_file(path)
    return (time.perf_counter() - begun, time.process_time() - worked), x.shape + (x.nnz,), float(x.data.sum())


took = {"scikit-learn": [], "1 thread": [], "2 threads": []}
for _ in range(rounds):
    for name, run in (("scikit-learn", theirs), ("1 thread", lambda: ours(1)), ("2 threads", lambda: ours(2))):
        seconds, shape, total = run()
        took[name].append(seconds)
        if name == "scikit-learn":
            want = shape, total
        assert shape == want[0] and abs(total - want[1]) <= 1e-9 * abs(total), (shape, total, want)
reader.stdin.close()
reader.wait()

size = os.path.getsize(path) / 1e6
base = np.median(took["scikit-learn"], axis=0)
print(f"{os.path.basename(path)}: {size:.1f} MB of text, medians of {rounds} rounds in turns")
print("                  seconds            of processors      MB/s")
for name, seconds in took.items():
    wall, work = np.median(seconds, axis=0)
    print(f"  {name:<14} {wall:7.3f} {base[0] / wall:6.1f} x   {work:7.3f} {base[1] / work:6.1f} x   {size / wall:6.0f}")
