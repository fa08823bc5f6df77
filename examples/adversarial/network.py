#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The victim: a network of two layers for Fashion-MNIST, trained once with NumPy. network.py OUT [IMAGES [EPOCHS]]

OUT gets, as doubles behind each other: hidden, images; W (784 x hidden), b, V (hidden x 10), c; then for every image that the
network gets right, out of the 10000 it was not trained on, its class and its 784 pixels in [0, 1]."""
import gzip
import struct
import sys
from pathlib import Path

import numpy as np

FOLDER = Path("/usr/share/datasets/fashion-mnist")  # Debian: dataset-fashion-mnist
HIDDEN = 32


def idx(name):
    """A file of the IDX format: sizes, then bytes."""
    with gzip.open(FOLDER / name) as file:
        dimensions = struct.unpack(">HBB", file.read(4))[2]
        shape = struct.unpack(f">{dimensions}I", file.read(4 * dimensions))
        return np.frombuffer(file.read(), np.uint8).reshape(shape)


def images(part):
    """Images as rows of 784 numbers, and their classes; part is 'train' or 't10k'."""
    pixels, labels = idx(f"{part}-images-idx3-ubyte.gz"), idx(f"{part}-labels-idx1-ubyte.gz")
    return pixels.reshape(len(pixels), -1) / np.float32(255), labels.astype(int)


def scores(weights, pixels):
    W, b, V, c = weights
    return np.maximum(pixels @ W + b, 0) @ V + c


def train(pixels, labels, epochs, batch=100):
    """Adam on the cross-entropy, a few seconds for 20000 images. The last gradient anybody will see."""
    random = np.random.default_rng(1)
    weights = [random.normal(0, 0.05, (784, HIDDEN)), np.zeros(HIDDEN), random.normal(0, 0.1, (HIDDEN, 10)), np.zeros(10)]
    weights = [w.astype(np.float32) for w in weights]
    first, second = [[np.zeros_like(w) for w in weights] for _ in range(2)]
    for t in range(1, epochs * len(pixels) // batch + 1):
        pick = random.integers(0, len(pixels), batch)
        W, b, V, c = weights
        inner = np.maximum(pixels[pick] @ W + b, 0)
        share = np.exp(inner @ V + c)
        share /= share.sum(1, keepdims=True)
        share[np.arange(batch), labels[pick]] -= 1
        back = share @ V.T * (inner > 0)
        for k, g in enumerate((pixels[pick].T @ back, back.sum(0), inner.T @ share, share.sum(0))):
            g = g / batch
            first[k] = 0.9 * first[k] + 0.1 * g
            second[k] = 0.999 * second[k] + 0.001 * g * g
            weights[k] = weights[k] - 2e-3 * first[k] / (1 - 0.9 ** t) / (np.sqrt(second[k] / (1 - 0.999 ** t)) + 1e-8)
    return weights


def main():
    out, count, epochs = sys.argv[1], int((sys.argv + ["", ""])[2] or 20000), int((sys.argv + ["", ""])[3] or 5)
    pixels, labels = images("train")
    weights = train(pixels[:count], labels[:count], epochs)
    pixels, labels = images("t10k")
    right = scores(weights, pixels).argmax(1) == labels
    with open(out, "wb") as file:
        np.array([HIDDEN, right.sum()], float).tofile(file)
        for w in weights:
            w.astype(float).tofile(file)
        np.column_stack([labels[right], pixels[right]]).astype(float).tofile(file)
    print(f"{right.mean():.1%} of 10000 new images right")


if __name__ == "__main__":
    main()
