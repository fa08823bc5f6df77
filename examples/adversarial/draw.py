#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""draw.py FOLDER VICTIM PICTURE: fooled images against queries; the perturbation; some images before and after."""
import sys
from glob import glob

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

CLASSES = ("T-shirt", "trousers", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "boot")
folder, victim, picture = sys.argv[1:4]
data = np.fromfile(victim)
hidden, images = int(data[0]), int(data[1])
sizes = np.cumsum([2, 784 * hidden, hidden, hidden * 10, 10])
W, b, V, c = (data[i:j] for i, j in zip(sizes, sizes[1:]))
rows = data[sizes[-1]:].reshape(images, 785)
scores = lambda pixels: np.maximum(pixels @ W.reshape(784, hidden) + b, 0) @ V.reshape(hidden, 10) + c  # noqa: E731
x = np.kron(np.loadtxt(min(glob(f"{folder}/auto-*.x"))).reshape(14, 14), np.ones((2, 2)))

fig = plt.figure(figsize=(11, 3.8))
progress = fig.add_axes((0.06, 0.14, 0.36, 0.76))
runs = {"auto": "auto"}  # of each method, the setting that was best for the most images
for line in open(f"{folder}/table").read().splitlines()[1:]:
    method = line.split()[0] if line[0] != " " else method
    settings = line.split()[1:7] if line.split()[0] == "setting" else []
    if settings:
        runs[method] = f"{method}-{settings[-1].replace('/', '-')}"
for name, colour in zip(runs.values(), ("#c1121f", "#669bbc", "#003049")):
    for k, seed in enumerate(sorted(f.split("-")[-1][:-2] for f in glob(f"{folder}/auto-*.x"))):
        q, _, fooled = np.loadtxt(f"{folder}/{name}-{seed}").T
        progress.plot(np.maximum(q, 100), fooled, color=colour, linewidth=0.8, drawstyle="steps-post", label=None if k else name)
progress.set(xscale="log", xlabel="queries", ylabel="share taken for bags", title="100 images, five seeds")
progress.legend(frameon=False, loc="upper left")

def show(place, pixels, title, limits):
    ax = fig.add_axes(place)
    ax.imshow(pixels.reshape(28, 28), cmap="gray", vmin=limits[0], vmax=limits[1])
    ax.set_axis_off()
    ax.set_title(title, fontsize=8)

show((0.45, 0.3, 0.15, 0.4), x, "the perturbation\n(-0.15 to 0.15)", (-0.15, 0.15))
fooled = [i for i in range(500, images) if rows[i, 0] != 8 and scores(rows[i, 1:] + x.ravel()).argmax() == 8][:40:8][:4]
for k, i in enumerate(fooled):
    left = 0.615 + 0.096 * k
    show((left, 0.53, 0.09, 0.3), rows[i, 1:], CLASSES[int(rows[i, 0])], (0, 1))
    after = rows[i, 1:] + x.ravel()
    show((left, 0.1, 0.09, 0.3), after, CLASSES[scores(after).argmax()], (0, 1))
fig.savefig(picture, dpi=90)
