#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A prompt of 100000 numbers for a frozen model, from its losses alone: prompt.py [OUT [TOKENS [QUERIES]]]

The model cannot be changed and shows no gradient: it reads an input e_i (1000 numbers) behind a prompt P of some tokens,
    a = softmax(P e_i / sqrt(1000)),   h = e_i + sum_k a_k P_k,   scores = U tanh(W h),
and was made for another task. f_i is its cross-entropy on example i of the new one. The budget is less than a thousandth of a unit: not one
difference gradient of one example."""
import os
import sys
from pathlib import Path

import numpy as np

import zoprox

WIDTH, HIDDEN, CLASSES, N, HELD = 1000, 64, 4, 256, 300


class Model:
    """Frozen weights, and examples whose classes it gets wrong more often than not."""

    def __init__(self, tokens):
        random = np.random.default_rng(1)
        self.tokens = tokens
        self.W = random.normal(size=(WIDTH, HIDDEN)) / np.sqrt(WIDTH)
        self.U = random.normal(size=(HIDDEN, CLASSES)) * 0.5
        self.bias = random.normal(size=HIDDEN) * 1.5  # the new task is the old one seen with another bias, which a prompt can give
        self.E = random.normal(size=(N + HELD, WIDTH))
        self.y = (np.tanh(self.E @ self.W + self.bias) @ self.U).argmax(1)

    def scores(self, P, idx):
        P, E = P.reshape(self.tokens, WIDTH), self.E[idx]
        a = np.exp(E @ P.T / np.sqrt(WIDTH))
        a /= a.sum(1, keepdims=True)
        return np.tanh((E + a @ P) @ self.W) @ self.U

    def losses(self, X, idx):
        """array[len(X), len(idx)], as zoprox asks for it."""
        table = np.empty((len(X), len(idx)))
        for k, P in enumerate(X):
            s = self.scores(P, idx)
            s = s - s.max(1, keepdims=True)
            table[k] = np.log(np.exp(s).sum(1)) - s[np.arange(len(idx)), self.y[idx]]
        return table

    def right(self, P, idx):
        return float((self.scores(P, idx).argmax(1) == self.y[idx]).mean())


def tune(model, queries, **settings):
    """The rows of a run: queries, F, and how many of the held-out examples are right."""
    rows, held, d = [], np.arange(N, N + HELD), model.tokens * WIDTH

    def look(row):
        rows.append((row.nfev, row.fun, model.right(row.x, held)))

    r = zoprox.minimize(model.losses, np.zeros(d), N, prox="squared-l2:1e-6", queries=queries, vectorized=True, callback=look,
                        track="apart", every=queries / 10 / N / d, **settings)
    return r, rows


def main():
    out, tokens, queries = Path((sys.argv + ["build/prompt"])[1]), int((sys.argv + [0, 0])[2] or 100), int((sys.argv + [0, 0, 0])[3] or 10000)
    out.mkdir(parents=True, exist_ok=True)
    model = Model(tokens)
    runs = {"tuned": {"method": "zosgd", "step": 1.5, "directions": 1, "batch": 32, "radius": 1e-3}, "auto": {}}
    with open(out / "table", "w") as table:
        for name, settings in runs.items():
            r, rows = tune(model, queries, **settings)
            np.savetxt(out / f"{name}.txt", rows, fmt="%.9g", header="queries F right")
            line = f"{name} ({r.method}): F {rows[0][1]:.3f} -> {rows[-1][1]:.3f}, {rows[0][2]:.1%} -> {rows[-1][2]:.1%} right, {r.nfev} queries, {r.units:.2g} units"
            print(line, flush=True)
            print(line, "|", r.chosen, file=table, flush=True)
    if os.environ.get("DRAW", "yes"):
        draw(out)


def draw(out):
    """F and the held-out examples against queries."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    plt.rcParams.update({"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "prompt"})
    fig, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2))
    for name, label, colour in (("tuned", "zosgd, step 1.5 by hand", "#c1121f"), ("auto", "auto (zosgd, its own step)", "#0353a4")):
        q, F, share = np.loadtxt(out / f"{name}.txt").T
        left.plot(q, F, color=colour, label=label)
        right.plot(q, 100 * share, color=colour)
    left.set(xlabel="queries", ylabel="F", title="256 examples, d = 100000")
    right.set(xlabel="queries", ylabel="per cent right", title="300 held-out examples")
    left.legend(frameon=False)
    fig.tight_layout()
    for name in ("prompt.svg", "prompt.png"):
        fig.savefig(out / name, metadata={"Date": None, "Creator": None} if name.endswith("svg") else None)


if __name__ == "__main__":
    main()
