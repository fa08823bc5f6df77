#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""draw.py FOLDER SCENARIOS ASSETS PICTURE: the gap to the linear program's optimum, the shares, the losses."""
import csv
import sys

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from exact import market, optimum, tail_mean

folder, scenarios, assets, picture = sys.argv[1:5]
returns = market(f"{folder}/portfolio.so", scenarios, assets)
best, exact = optimum(returns)
found = np.loadtxt(f"{folder}/auto.x")[:-1]
equal = np.full(len(exact), 1 / len(exact))
plt.rcParams.update({"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "portfolio"})
fig, (progress, shares, losses) = plt.subplots(1, 3, figsize=(11, 3.6))

for name, colour in (("auto", "#c1121f"), ("saga-tuned", "#669bbc"), ("psvrg-tuned", "#003049"), ("zosgd-tuned", "#2a9d8f")):
    with open(f"{folder}/{name}.csv") as file:
        rows = list(csv.DictReader(file))
    gaps = np.minimum.accumulate([float(r["objective"]) - best for r in rows])  # the best so far
    progress.plot([float(r["units"]) for r in rows], gaps, label=name, color=colour)
progress.set(yscale="log", xlabel="units (scenarios x assets queries)", ylabel="F less the optimum, best so far", title="a corner in every scenario")
progress.legend(frameon=False)

held = np.flatnonzero(np.maximum(exact, found) > 2e-3)
shares.bar(np.arange(len(held)) - 0.2, exact[held], 0.4, label="linear program", color="#999999")
shares.bar(np.arange(len(held)) + 0.2, found[held], 0.4, label="auto, from values", color="#c1121f")
shares.set(xticks=np.arange(len(held)), xticklabels=held, xlabel="asset", ylabel="share", title="shares")
shares.legend(frameon=False)

edges = np.linspace(-4, 4, 41)
for w, name, colour in ((equal, "equal shares", "#999999"), (found, "auto", "#c1121f")):
    losses.hist(-returns @ w, edges, histtype="step", color=colour, label=name)
    losses.axvline(tail_mean(returns, w), color=colour, linestyle=":")
losses.set(xlim=(-5.5, 4), xlabel="loss, per cent", ylabel="scenarios", title="dotted: mean of the worst tenth")
losses.legend(frameon=False, loc="upper left")
fig.tight_layout()
fig.savefig(picture, metadata={"Date": None, "Creator": None} if picture.endswith("svg") else None)
