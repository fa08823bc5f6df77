# SPDX-License-Identifier: MIT
"""A transistor in ngspice as a black box: nine parameters of its model from 101 measured currents.

    zoprox solve --command 'python3 transistor.py' --n 101 --dim 9 --residuals squares --targets transistor.txt --points 60
    python3 transistor.py show x.txt        the parameters and the currents at a point, for a picture
    python3 transistor.py measure           the laboratory: made transistor.txt

One run of ngspice gives all currents: collector and base over the base voltage (Gummel's plot), and the collector over its own
voltage at three base currents. x_j is the logarithm (base 10) of a parameter over what the textbook says; values are natural
logarithms of currents, so that residuals are relative errors."""
import math
import random
import re
import subprocess
import sys
import tempfile

# name: the textbook, what the laboratory has, what it is
PARAMETERS = {
    "is": (1e-14, 2.3e-14, "saturation current, A"), "bf": (100, 184, "current gain"), "vaf": (100, 74, "Early voltage, V"),
    "ikf": (0.1, 0.31, "knee of the gain, A"), "ise": (1e-13, 4.6e-14, "base leakage, A"),
    "ne": (1.5, 1.83, "its exponent"), "rb": (10, 21, "base resistance, ohm"), "re": (0.5, 0.27, "emitter resistance, ohm"),
    "rc": (1, 0.62, "collector resistance, ohm")}
START, BOUNDS, WEIGHT = [0.0] * len(PARAMETERS), None, 0  # for compare.py

CIRCUIT = """a transistor twice: base voltage swept, collector voltage swept
.model t npn({model} br=4)
vc c 0 3
vb b 0 0.6
q1 c b 0 t
vc2 c2 0 2
ib 0 b2 20u
q2 c2 b2 0 t
.options reltol=1e-8 abstol=1e-17 vntol=1e-11 gmin=1e-15
.control
set numdgt=14
dc vb 0.3 0.9 0.025
print i(vc) i(vb)
dc vc2 0.1 8.1 0.5 ib 20u 60u 20u
print i(vc2)
.endc
.end
"""


def simulate(x):
    """The 101 currents, in amperes."""
    values = {name: row[0] * 10 ** v for (name, row), v in zip(PARAMETERS.items(), x)}
    model = " ".join(f"{name}={value:.17g}" for name, value in values.items())
    with tempfile.NamedTemporaryFile("w", suffix=".cir") as file:
        file.write(CIRCUIT.format(model=model))
        file.flush()
        said = subprocess.run(["ngspice", "-b", file.name], capture_output=True, text=True).stdout
    rows = [line.split()[2:] for line in said.split("\n") if re.match(r"\d+\t", line)]
    return [-float(v) for column in (0, 1) for v in (r[column] for r in rows if len(r) == 2)] + \
           [-float(r[0]) for r in rows if len(r) == 1]


def values(x):
    """What zoprox asks for; a circuit that ngspice cannot solve has no values."""
    currents = simulate(x)
    if len(currents) != 101 or min(currents) <= 0:
        return [math.nan] * 101
    return [math.log(i) for i in currents]


def answer():
    print("zoprox-all", flush=True)
    for line in sys.stdin:
        _, ident, npoints, _ = line.split()
        sys.stdin.readline()
        points = [[float(v) for v in sys.stdin.readline().split()] for _ in range(int(npoints))]
        print(ident, *(" ".join(map(repr, values(x))) for x in points), sep="\n", flush=True)


def measure():
    """The currents of the laboratory's transistor, each with an error of 1 %."""
    random.seed(1)
    x = [math.log10(row[1] / row[0]) for row in PARAMETERS.values()]
    for v in values(x):
        print(f"{v + 0.01 * random.gauss(0, 1):.10f}")


def show(path):
    x = [float(v) for v in open(path).read().split()]
    for (name, row), v in zip(PARAMETERS.items(), x):
        print("parameter", name, f"{row[0]:g} {row[1]:g} {row[0] * 10 ** v:.4g}", row[2])
    for begin, end in zip(simulate([0] * len(x)), simulate(x)):
        print("current", f"{begin:.6e} {end:.6e}")


if __name__ == "__main__":
    if sys.argv[1:] == ["measure"]:
        measure()
    elif sys.argv[1:2] == ["show"]:
        show(sys.argv[2])
    else:
        answer()
