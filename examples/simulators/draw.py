# SPDX-License-Identifier: MIT
"""The pictures of docs/examples/transistor.md and plate.md: draw.py NAME OUT PICTURE"""
import csv
import os
import sys

import matplotlib
matplotlib.use("svg")
matplotlib.rcParams.update({"svg.hashsalt": "zoprox", "font.size": 9})
import matplotlib.pyplot as plt  # noqa: E402
import numpy as np  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
COLOURS = {"zoprox": "#000000", "defaults": "#d55e00", "told": "#e69f00"}
LABELS = {"zoprox": "zoprox", "defaults": "SciPy least_squares", "told": "SciPy, told a step of 1e-4"}


def progress(axes, out):
    """F above the least that anybody found, after each run."""
    with open(f"{out}/zoprox.csv") as file:
        rows = [(float(r["queries"]), float(r["best"] or r["objective"])) for r in csv.DictReader(file)]
    curves = {"zoprox": np.array(rows)}
    for way in ("defaults", "told"):
        if os.path.exists(f"{out}/{way}.runs"):
            curves[way] = np.loadtxt(f"{out}/{way}.runs", ndmin=2)
    least = min(c[:, 1].min() for c in curves.values())
    for way, curve in curves.items():
        axes.step(curve[:, 0], curve[:, 1] / least - 1, where="post", label=LABELS[way], color=COLOURS[way])
    axes.set(yscale="log", ylim=(1e-5, None), xlabel="runs of the simulator", ylabel="F over the least, minus 1")
    axes.legend(frameon=False)


def transistor(out, figure):
    left, middle, right = figure.subplots(1, 3)
    progress(left, out)
    measured = np.exp(np.loadtxt(f"{HERE}/transistor.txt"))
    shown = [line.split()[1:] for line in open(f"{out}/shown") if line.startswith("current")]
    start, fit = np.array(shown, float).T
    volts, across = 0.3 + 0.025 * np.arange(25), 0.1 + 0.5 * np.arange(17)
    for k, (name, colour) in enumerate((("collector", "#0072b2"), ("base", "#009e73"))):
        part = slice(25 * k, 25 * k + 25)
        middle.plot(volts, measured[part], "o", markersize=3, color=colour, label=f"{name}, measured")
        middle.plot(volts, start[part], ":", color=colour)
        middle.plot(volts, fit[part], "-", linewidth=1, color=colour)
    middle.set(yscale="log", xlabel="base voltage, V", ylabel="current, A", title="dotted: textbook, solid: found")
    middle.legend(frameon=False)
    for k, micro in enumerate((20, 40, 60)):
        part = slice(50 + 17 * k, 67 + 17 * k)
        right.plot(across, 1e3 * measured[part], "o", markersize=3, color="#0072b2")
        right.plot(across, 1e3 * start[part], ":", color="#0072b2")
        right.plot(across, 1e3 * fit[part], "-", linewidth=1, color="#0072b2")
        right.text(8.2, 1e3 * fit[part][-1], f"{micro} µA", va="center")
    right.set(xlabel="collector voltage, V", ylabel="collector current, mA", xlim=(0, 9.8))


def plate(out, figure):
    left, *maps = figure.subplots(1, 3)
    progress(left, out)
    for axes, weight, title in zip(maps, (5, 0), ("stiffness lost, with an l1 term", "without it")):
        lost = np.loadtxt(f"{out}/x-{weight}.txt").reshape(3, 4)
        axes.imshow(lost, origin="lower", cmap="Oranges", vmin=0, vmax=0.5)
        for (j, i), v in np.ndenumerate(lost):
            axes.text(i, j, "0" if v == 0 else f"{v:.3f}", ha="center", va="center")
        axes.set(title=title, xticks=[], yticks=[], ylabel="clamped" if weight else "")


def main(name, out, picture):
    figure = plt.figure(figsize=(11, 3.4))
    {"transistor": transistor, "plate": plate}[name](out, figure)
    figure.tight_layout()
    figure.savefig(picture, metadata={"Date": None, "Creator": None} if picture.endswith("svg") else None)


if __name__ == "__main__":
    main(*sys.argv[1:])
