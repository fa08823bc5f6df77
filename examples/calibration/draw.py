#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""draw.py FOLDER PICTURE: progress, one experiment, and the rates that were found beside the true ones."""
import csv
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

folder, picture = sys.argv[1:3]
plt.rcParams.update({"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "calibration"})
fig, (progress, curves, rates) = plt.subplots(1, 3, figsize=(11, 3.6))

for method, colour in (("auto", "#c1121f"), ("saga", "#669bbc"), ("fista", "#003049")):
    with open(f"{folder}/{method}.csv") as file:
        rows = list(csv.DictReader(file))
    progress.plot([float(r["queries"]) for r in rows], [float(r["objective"]) for r in rows], label=method, color=colour)
progress.set(yscale="log", xlabel="simulations", ylabel="mean squared deviation (errors of 1 %)", title="60 experiments, 24 rates")
progress.legend(frameon=False)

lines = [line.split() for line in open(f"{folder}/shown")]
for name, colour in (("A_1", "#c1121f"), ("A_4", "#2a9d8f"), ("A_6", "#003049")):
    t, measured, start, end = zip(*(map(float, line[1:]) for line in lines if line[0] == name))
    curves.plot(t, measured, "o", color=colour, markersize=4, label=f"{name} measured")
    curves.plot(t, start, ":", color=colour)
    curves.plot(t, end, "-", color=colour)
curves.set(xlabel="time", ylabel="amount", title="experiment 0: dotted textbook, solid found")
curves.legend(frameon=False)

truth, found = zip(*(map(float, line[2:4]) for line in lines if line[0] == "rate"))
rates.plot([-1, 1], [-1, 1], color="#bbbbbb", linewidth=1)
rates.plot(truth, found, "o", color="#c1121f", markersize=4)
rates.set(xlabel="true, log10 of rate over textbook", ylabel="found", title="the 24 rates", xlim=(-1, 1), ylim=(-1.05, 1.05))
fig.tight_layout()
fig.savefig(picture, metadata={"Date": None, "Creator": None} if picture.endswith("svg") else None)
