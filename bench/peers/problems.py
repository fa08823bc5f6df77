# SPDX-License-Identifier: MIT
"""The black boxes on which zoprox is compared with its peers: sums of n components in d dimensions, x near 1 in size.

Every family has value(X, idx) -> array[len(X), len(idx)], pairs(X, idx) -> array[len(idx)], and slope(x), the gradient of
the mean, which no competitor is shown: it serves to find F* only."""
import os

import numpy as np
from scipy.optimize import minimize

N = 1000


class Family:
    """n components; noise is the standard deviation that every single answer gets."""
    squares = False  # is every f_i a sum of squares that residuals(x) can give one by one?

    def __init__(self, d, seed=1):
        self.n, self.d, self.x0 = N, d, np.zeros(d)
        self.random = np.random.default_rng([seed, d])
        self.make()

    def mean(self, x):
        return float(self.value(x[None], slice(None)).mean())


def correlated(random, n, d):
    """Rows with neighbours that resemble each other, and columns of different size (condition of some hundreds)."""
    rows = random.normal(size=(n, d))
    for j in range(1, d):
        rows[:, j] = 0.5 * rows[:, j - 1] + np.sqrt(0.75) * rows[:, j]
    return rows * np.geomspace(1.5, 0.3, d)[random.permutation(d)] * np.sqrt(10 / d)


def sparse_truth(random, d):
    return np.where(random.random(d) < 0.4, random.normal(size=d) * 1.5, 0)


class Logistic(Family):
    """f_i = log(1 + exp(-y_i a_i'x)) + (ridge/2) |x|^2: components that see x through one index."""
    ridge, l1 = 1e-3, 5e-3

    def make(self):
        rows = correlated(self.random, self.n, self.d)
        sign = np.sign(rows @ sparse_truth(self.random, self.d) + self.random.logistic(size=self.n))
        self.Z = -sign[:, None] * rows

    def value(self, X, idx):
        return np.logaddexp(0, X @ self.Z[idx].T) + self.ridge / 2 * np.einsum("pj,pj->p", X, X)[:, None]

    def pairs(self, X, idx):
        return np.logaddexp(0, np.einsum("pj,pj->p", X, self.Z[idx])) + self.ridge / 2 * np.einsum("pj,pj->p", X, X)

    def slope(self, x):
        return self.Z.T @ (1 / (1 + np.exp(-self.Z @ x))) / self.n + self.ridge * x


class Tanh(Family):
    """f_i = (tanh(a_i'x) - y_i)^2: curve fitting, not convex, one index."""
    squares, l1 = True, 1e-3

    def make(self):
        self.Z = correlated(self.random, self.n, self.d) / 2
        self.y = np.tanh(self.Z @ sparse_truth(self.random, self.d)) + 0.1 * self.random.normal(size=self.n)

    def residuals(self, x):
        return np.tanh(self.Z @ x) - self.y

    def value(self, X, idx):
        return (np.tanh(X @ self.Z[idx].T) - self.y[idx]) ** 2

    def pairs(self, X, idx):
        return (np.tanh(np.einsum("pj,pj->p", X, self.Z[idx])) - self.y[idx]) ** 2

    def slope(self, x):
        t = np.tanh(self.Z @ x)
        return self.Z.T @ (2 * (t - self.y) * (1 - t * t)) / self.n


class Softmax(Family):
    """f_i = log sum_c exp(w_c'a_i) - w_{y_i}'a_i + (ridge/2) |x|^2, five classes: components with five indices."""
    ridge, l1, classes = 1e-3, 2e-3, 5

    def make(self):
        self.p = self.d // self.classes
        self.A = correlated(self.random, self.n, self.p) * np.sqrt(self.p / 10 if self.p < 10 else 1)
        scores = self.A @ self.random.normal(size=(self.p, self.classes)) * 2
        self.y = (scores + self.random.gumbel(size=scores.shape)).argmax(1)

    def value(self, X, idx):
        A, y = self.A[idx], self.y[idx]
        scores = np.einsum("ip,kcp->kic", A, X.reshape(len(X), self.classes, self.p), optimize=True)
        top = scores.max(2)
        loss = top + np.log(np.exp(scores - top[..., None]).sum(2)) - scores[:, np.arange(len(y)), y]
        return loss + self.ridge / 2 * np.einsum("pj,pj->p", X, X)[:, None]

    def pairs(self, X, idx):
        scores = np.einsum("ip,icp->ic", self.A[idx], X.reshape(len(X), self.classes, self.p))
        top = scores.max(1)
        loss = top + np.log(np.exp(scores - top[:, None]).sum(1)) - scores[np.arange(len(idx)), self.y[idx]]
        return loss + self.ridge / 2 * np.einsum("pj,pj->p", X, X)

    def slope(self, x):
        W = x.reshape(self.classes, self.p)
        scores = self.A @ W.T
        share = np.exp(scores - scores.max(1)[:, None])
        share /= share.sum(1)[:, None]
        share[np.arange(self.n), self.y] -= 1
        return (share.T @ self.A).ravel() / self.n + self.ridge * x


class Valley(Family):
    """f_i = a_i (x_{2k+1} - x_{2k}^2)^2 + (c_i - x_{2k})^2, k random: a curved valley for every pair of coordinates."""
    squares, l1 = True, 1e-3

    def make(self):
        self.x0 = np.tile([-1.2, 1.0], self.d // 2)
        self.k = 2 * self.random.permutation(np.arange(self.n) % (self.d // 2))
        self.a = self.random.uniform(5, 20, self.n)
        self.c = self.random.normal(1, 0.1, self.n)

    def residuals(self, x):
        u, v = x[self.k], x[self.k + 1]
        return np.r_[np.sqrt(self.a) * (v - u * u), self.c - u]

    def value(self, X, idx):
        u, v = X[:, self.k[idx]], X[:, self.k[idx] + 1]
        return self.a[idx] * (v - u * u) ** 2 + (self.c[idx] - u) ** 2

    def pairs(self, X, idx):
        row = np.arange(len(idx))
        u, v = X[row, self.k[idx]], X[row, self.k[idx] + 1]
        return self.a[idx] * (v - u * u) ** 2 + (self.c[idx] - u) ** 2

    def slope(self, x):
        u, v = x[self.k], x[self.k + 1]
        g = np.zeros(self.d)
        np.add.at(g, self.k, -4 * self.a * u * (v - u * u) - 2 * (self.c - u))
        np.add.at(g, self.k + 1, 2 * self.a * (v - u * u))
        return g / self.n


FAMILIES = {"logistic": Logistic, "tanh": Tanh, "softmax": Softmax, "valley": Valley}
NOISE = 1e-3


class Box:
    """A family with or without l1, exact or noisy, with everything counted. F is the truth, without noise."""

    def __init__(self, family, d, l1, noisy):
        self.of = FAMILIES[family](d)
        self.n, self.d, self.x0 = self.of.n, d, self.of.x0
        self.l1 = self.of.l1 if l1 else 0.0
        self.noise = NOISE if noisy else 0.0
        self.random = np.random.default_rng([7, int(os.environ["SEED"])] if "SEED" in os.environ else 7)
        self.start = self.F(self.x0)

    def F(self, x):
        return self.of.mean(x) + self.l1 * np.abs(x).sum()

    def shake(self, values, scale=1.0):
        return values + self.random.normal(0, self.noise * scale, np.shape(values)) if self.noise else values

    def value(self, X, idx):
        return self.shake(self.of.value(X, idx))

    def pairs(self, X, idx):
        return self.shake(self.of.pairs(X, idx))

    def noisy(self, mean):
        """The mean of all components as one number: n queries; its noise is that of a mean."""
        return float(self.shake(mean, self.n ** -0.5))

    def whole(self, x):
        return self.noisy(self.of.mean(x))

    def optimum(self):
        """F* with gradients, x = u - v, u, v >= 0 where there is an l1 term; from the start and from near there."""
        d = self.d

        def split(z):
            x = z[:d] - z[d:]
            g = self.of.slope(x)
            return self.of.mean(x) + self.l1 * z.sum(), np.r_[g + self.l1, self.l1 - g]

        best = np.inf
        for shift in (0.0, 0.3):
            x = self.x0 + shift * np.random.default_rng(1).normal(size=d)
            z = np.r_[np.maximum(x, 0), np.maximum(-x, 0)]
            for _ in range(3):  # L-BFGS-B stops early where F is flat: begin anew
                z = minimize(split, z, jac=True, method="L-BFGS-B", bounds=[(0, None)] * (2 * d),
                             options={"maxiter": 5000, "maxfun": 20000, "ftol": 0, "gtol": 1e-13, "maxcor": 30}).x
            best = min(best, self.F(z[:d] - z[d:]))
        return best
