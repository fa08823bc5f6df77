#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""draw.py FOLDER VICTIM PICTURE: fooled images against queries; the perturbation; some images before and after."""
import sys

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
x = np.kron(np.loadtxt(f"{folder}/auto.x").reshape(7, 7), np.ones((4, 4)))

fig = plt.figure(figsize=(11, 3.8))
progress = fig.add_axes((0.06, 0.14, 0.36, 0.76))
best = {}  # of each method, the run that fools most
for line in open(f"{folder}/table").read().splitlines()[1:]:
    name, most = line.split()[0], float(line.split()[-1])
    method = name.split("-")[0]
    best[method] = max(best.get(method, (0, "")), (most, name))
for (method, (_, name)), colour in zip(best.items(), ("#c1121f", "#669bbc", "#003049")):
    q, _, fooled, unseen = np.loadtxt(f"{folder}/{name}").T
    progress.plot(np.maximum(q, 100), fooled, color=colour, label=name)
    progress.plot(np.maximum(q, 100), unseen, color=colour, linestyle=":")
progress.set(xscale="log", xlabel="queries", ylabel="share of images fooled", title="500 images (dotted: 1000 unseen)")
progress.legend(frameon=False)

def show(place, pixels, title, limits):
    ax = fig.add_axes(place)
    ax.imshow(pixels.reshape(28, 28), cmap="gray", vmin=limits[0], vmax=limits[1])
    ax.set_axis_off()
    ax.set_title(title, fontsize=8)

show((0.45, 0.3, 0.15, 0.4), x, "the perturbation\n(-0.25 to 0.25)", (-0.25, 0.25))
fooled = [i for i in range(500, images) if scores(rows[i, 1:] + x.ravel()).argmax() != int(rows[i, 0])][:40:8][:4]
for k, i in enumerate(fooled):
    left = 0.615 + 0.096 * k
    show((left, 0.53, 0.09, 0.3), rows[i, 1:], CLASSES[int(rows[i, 0])], (0, 1))
    after = rows[i, 1:] + x.ravel()
    show((left, 0.1, 0.09, 0.3), after, CLASSES[scores(after).argmax()], (0, 1))
fig.savefig(picture, dpi=90)
