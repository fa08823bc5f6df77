#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Thirty scales and a regularisation of a scikit-learn pipeline, by cross-validation: pipeline.py [OUT [FITS [REPEATS]]]

569 tumours, 30 measurements each (scikit-learn's breast-cancer set; a third is laid aside as a test). The pipeline scales measurement j by s_j >= 0,
takes a kernel exp(-|u - v|^2) of what comes out, and fits a logistic regression with 10^c as its C. x = (c, s_1, ..., s_30); s_j = 0 leaves measurement j out.
A fold of repeated five-fold cross-validation is a component: f_i(x) is the log loss on fold i of the pipeline fitted to the others, one fit a query."""
import os
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")  # the folds are what runs in parallel
import sys
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.kernel_approximation import Nystroem
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import RepeatedStratifiedKFold, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

import zoprox

LOW, HIGH, MOST, PRICE = -2.0, 5.0, 2.0, 2e-3  # LOW <= c <= HIGH, 0 <= s_j <= MOST; what a unit of s_j costs
DATA = load_breast_cancer()
A, A_TEST, Y, Y_TEST = train_test_split(DATA.data, DATA.target, test_size=1 / 3, random_state=1, stratify=DATA.target)
D = 1 + A.shape[1]
BOUNDS = [(LOW, HIGH)] + [(0, MOST)] * (D - 1)
START = np.r_[0.0, np.full(D - 1, 1 / np.sqrt(D - 1))]  # scikit-learn's own: C = 1, gamma = 1 / (number of features)
FOLDS = list(RepeatedStratifiedKFold(n_splits=5, n_repeats=int((sys.argv + [""] * 3)[3] or 4), random_state=1).split(A, Y))


def scaled(rows, by):
    return rows * by


def pipeline(x):
    """The unfitted pipeline with hyper-parameters x."""
    return make_pipeline(StandardScaler(), FunctionTransformer(scaled, kw_args={"by": x[1:]}),
                         Nystroem(gamma=1.0, n_components=60, random_state=1),
                         LogisticRegression(C=10.0 ** x[0], solver="newton-cholesky", tol=1e-9))


def loss(x, i):
    """The log loss on fold i: one fit, one query."""
    fit, held = FOLDS[i]
    return log_loss(Y[held], pipeline(x).fit(A[fit], Y[fit]).predict_proba(A[held])[:, 1])


def at_fold(question):
    return loss(*question)


class Scales:
    """psi(x) = PRICE sum_j s_j with c and s in their boxes."""

    def value(self, x):
        inside = LOW <= x[0] <= HIGH and (x[1:] >= 0).all() and (x[1:] <= MOST).all()
        return PRICE * x[1:].sum() if inside else np.inf

    def apply(self, v, step):
        return np.r_[np.clip(v[0], LOW, HIGH), np.clip(v[1:] - step * PRICE, 0, MOST)]


class Spent(Exception):
    pass


class Whole:
    """F as one function for the others: every evaluation is a fit on each fold."""

    def __init__(self, pool, fits):
        self.pool, self.fits, self.spent, self.rows, self.best = pool, fits, 0, [], np.inf

    def __call__(self, x):
        if self.spent + len(FOLDS) > self.fits:
            raise Spent
        x = Scales().apply(x, 0)
        F = np.mean(self.pool.map(at_fold, [(x, i) for i in range(len(FOLDS))])) + Scales().value(x)
        self.spent += len(FOLDS)
        if F < self.best:
            self.best, self.x = F, x
        self.rows.append((self.spent, self.best))
        return F

    def until_spent(self, search):
        try:
            search(self)
        except Spent:
            pass
        return self.rows, self.x


def one_scale(F):
    """What is done most: random C and one gamma for all measurements."""
    random = np.random.default_rng(1)
    while True:
        c, gamma = random.uniform(LOW, HIGH), 10 ** random.uniform(-4, 0)
        F(np.r_[c, np.full(D - 1, np.sqrt(gamma))])


def all_scales(F):
    random = np.random.default_rng(1)
    while True:
        F(np.r_[random.uniform(LOW, HIGH), 10 ** random.uniform(-2, 0, D - 1)])


def nelder_mead(F):
    """From a simplex of sensible size: one unit of c, a tenth of each s_j (SciPy's own, of 5 %, is slower here)."""
    simplex = np.vstack([START, START + np.diag(np.r_[1.0, np.full(D - 1, 0.1)])])
    minimize(F, START, method="Nelder-Mead", bounds=BOUNDS,
             options={"initial_simplex": simplex, "maxfev": 10**6, "maxiter": 10**6, "adaptive": True})


def differences(F):
    """Within the boxes sum s_j is linear and F smooth, so that bounds are all this one needs to know."""
    minimize(F, START, method="L-BFGS-B", bounds=BOUNDS, options={"eps": 1e-6, "maxfun": 10**6, "maxiter": 10**6})


def ours(pool, fits):
    rows = Whole(pool, np.inf).until_spent(lambda F: F(START))[0]  # for the curve; the run looks at F now and then, and pays
    r = zoprox.minimize(loss, START, len(FOLDS), prox=Scales(), queries=fits, threads=pool.map, every=0.1,
                        callback=lambda row: np.isnan(row.fun) or rows.append((row.nfev, row.fun)))
    print(f"# {r.method}: {r.chosen}; {r.message}")
    return rows, r.x


RUNS = {"random search, C and one scale": one_scale, "random search, all": all_scales, "Nelder-Mead": nelder_mead,
        "L-BFGS-B on differences": differences, "zoprox auto": None}


def main():
    out, fits = Path((sys.argv + ["build/pipeline"])[1]), int((sys.argv + [""] * 2)[2] or 4000)
    out.mkdir(parents=True, exist_ok=True)
    with Pool(2) as pool, open(out / "table", "w") as table:
        for name, search in RUNS.items():
            if os.environ.get("ONLY", name) not in name:
                continue
            rows, x = ours(pool, fits) if search is None else Whole(pool, fits).until_spent(search)
            test = log_loss(Y_TEST, pipeline(x).fit(A, Y).predict_proba(A_TEST)[:, 1])
            line = f"{name}: F {rows[-1][1]:.5f} after {rows[-1][0]} fits, {np.count_nonzero(x[1:])} measurements, log loss on the test {test:.4f}"
            print(line, flush=True)
            print(line, file=table, flush=True)
            np.savetxt(out / f"{file_of(name)}.txt", rows, fmt="%.9g", header="fits F")
            np.savetxt(out / f"{file_of(name)}.x", x, fmt="%.9g")
    if os.environ.get("DRAW", "yes"):
        draw(out)


def file_of(name):
    return name.replace(",", "").replace(" ", "-")


def draw(out):
    """F against fits, and the scales that were found."""
    import matplotlib
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    plt.rcParams.update({"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "pipeline"})
    fig, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), gridspec_kw={"width_ratios": (3, 2)})
    for name, colour in zip(RUNS, ("#bbbbbb", "#777777", "#669bbc", "#003049", "#c1121f")):
        fits, F = np.loadtxt(out / f"{file_of(name)}.txt").T
        left.plot(fits, F, color=colour, label=name)
    left.set(xlabel="fits of the pipeline", ylabel="mean log loss over the folds + psi", yscale="log", title=f"{len(FOLDS)} folds, {D} hyper-parameters")
    left.legend(frameon=False)
    x = np.loadtxt(out / f"{file_of('zoprox auto')}.x")
    there = np.flatnonzero(x[1:])[np.argsort(x[1:][x[1:] > 0])]
    right.barh(range(len(there)), x[1 + there], color="#c1121f")
    right.axvline(START[1], color="#bbbbbb", linewidth=1)
    right.set(yticks=range(len(there)), yticklabels=[DATA.feature_names[j] for j in there], title=f"scales s_j (C = {10 ** x[0]:.3g}); the others are 0")
    fig.tight_layout()
    for name in ("pipeline.svg", "pipeline.png"):
        fig.savefig(out / name, metadata={"Date": None, "Creator": None} if name.endswith("svg") else None)


if __name__ == "__main__":
    main()
