# SPDX-License-Identifier: MIT
"""A clamped plate in CalculiX as a batch code: which of its twelve patches have lost stiffness?

    zoprox solve --files runs --all --command 'python3 plate.py' --n 63 --dim 12 --residuals squares --targets plate.txt \\
        --prox l1:5 --prox box:0,0.9 --points 40
    python3 plate.py measure                the laboratory: made plate.txt

zoprox starts it in a folder for every point; input.txt has the question, output.txt gets the answer. x_k is the share of its
stiffness that patch k has lost. One run has three load cases; the deflection is measured at 21 places in each, in units of
its error."""
import random
import subprocess
import sys

ACROSS, UP = 12, 9  # elements of 0.1 m; patches have three by three of them
LOST = {5: 0.35, 10: 0.2}  # the laboratory's plate
STIFFNESS, ERROR = 70e9, 2e-5  # N/m^2; m
PLACES = [(2 * i, 2 * j) for i in (2, 4, 6, 8, 9, 10, 12) for j in (0, 5, 9)]  # measured, in half elements
START, BOUNDS, WEIGHT = [0.0] * 12, (0, 0.9), 5  # for compare.py; WEIGHT: of the l1 term
LOADS = {"corner": [((24, 18), -200)], "middle": [((12, 9), -600)], "twist": [((24, 0), -200), ((24, 18), 200)]}


def node(i, j):
    return 1 + i + j * (2 * ACROSS + 1)


def mesh():
    """Nodes and eight-node shell elements, patch by patch."""
    lines = ["*NODE, NSET=all"]
    for j in range(2 * UP + 1):
        lines += [f"{node(i, j)}, {0.05 * i:.3f}, {0.05 * j:.3f}, 0" for i in range(2 * ACROSS + 1) if i % 2 == 0 or j % 2 == 0]
    for k in range(12):
        lines.append(f"*ELEMENT, TYPE=S8R, ELSET=patch{k}")
        for e in range(9):
            i, j = 2 * (k % 4 * 3 + e % 3), 2 * (k // 4 * 3 + e // 3)
            corners = [(0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1)]
            lines.append(f"{9 * k + e + 1}, " + ", ".join(str(node(i + a, j + b)) for a, b in corners))
    return lines


def deck(x):
    """The input of CalculiX."""
    lines = mesh()
    for k, lost in enumerate(x):
        lines += [f"*MATERIAL, NAME=m{k}", "*ELASTIC", f"{STIFFNESS * (1 - lost):.14e}, 0.3",
                  f"*SHELL SECTION, ELSET=patch{k}, MATERIAL=m{k}", "0.008"]
    lines += ["*NSET, NSET=clamped", *(f"{node(0, j)}," for j in range(2 * UP + 1)), "*NSET, NSET=places",
              *(f"{node(i, j)}," for i, j in PLACES), "*BOUNDARY", "clamped, 1, 6"]
    for loads in LOADS.values():
        lines += ["*STEP", "*STATIC", "*CLOAD, OP=NEW", *(f"{node(*at)}, 3, {force}" for at, force in loads),
                  "*NODE PRINT, NSET=places", "U", "*END STEP"]
    return "\n".join(lines) + "\n"


def values(x):
    """The 63 deflections, in units of their error. CalculiX runs in the folder at hand."""
    with open("plate.inp", "w") as file:
        file.write(deck(x))
    subprocess.run(["ccx", "plate"], stdout=subprocess.DEVNULL, check=True)
    rows = [line.split() for line in open("plate.dat")]
    return [float(row[3]) / ERROR for row in rows if len(row) == 4 and row[0].isdigit()]


def answer():
    with open("input.txt") as file:
        _, ident, npoints, _ = file.readline().split()
        file.readline()
        points = [[float(v) for v in file.readline().split()] for _ in range(int(npoints))]
    lines = [ident] + [" ".join(map(repr, values(x))) for x in points]
    with open("output.txt", "w") as file:
        print(*lines, sep="\n", file=file)


def measure():
    random.seed(1)
    for v in values([LOST.get(k, 0) for k in range(12)]):
        print(f"{v + random.gauss(0, 1):.8f}")


if __name__ == "__main__":
    (measure if sys.argv[1:] == ["measure"] else answer)()
