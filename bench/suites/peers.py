# SPDX-License-Identifier: MIT
"""What others need on the Moré-Wild problems and NIST's sets: SciPy's least_squares, NLopt, PETSc's POUNDERS.

usage: peers.py SUITES.so WHAT     WHAT: scipy, newuoa, bobyqa, pounders
One line: medians of simplex gradients to 1e-3, 1e-5, 1e-7, and how many are not solved within 500."""
import ctypes
import statistics
import sys

import numpy as np

TAUS = (1e-3, 1e-5, 1e-7)
MOST = 500


class Row(ctypes.Structure):
    _fields_ = [("function", ctypes.c_int), ("d", ctypes.c_size_t), ("m", ctypes.c_size_t), ("far", ctypes.c_int),
                ("best", ctypes.c_double)]


class Enough(Exception):
    pass


class Box:
    """One problem; every call is counted, and the least sum of squares kept."""

    def __init__(self, lib, row):
        self.lib, self.row, self.d, self.m = lib, row, row.d, row.m
        self.least, self.x0 = [], np.empty(row.d)
        lib.mw_start(ctypes.byref(row), self.x0.ctypes.data_as(ctypes.c_void_p))

    def residuals(self, x):
        if len(self.least) >= MOST * (self.d + 1):
            raise Enough
        x, r = np.ascontiguousarray(x, float), np.empty(self.m)
        self.lib.mw_residuals(ctypes.byref(self.row), x.ctypes.data_as(ctypes.c_void_p), r.ctypes.data_as(ctypes.c_void_p))
        total = float(r @ r) if np.isfinite(r).all() else np.inf
        self.least.append(min(total, self.least[-1] if self.least else np.inf))
        return r

    def total(self, x):
        r = self.residuals(x)
        return float(r @ r)

    def need(self, tau):
        goal = self.row.best + tau * (self.least[0] - self.row.best)
        return next((k + 1 for k, v in enumerate(self.least) if v <= goal), np.inf) / (self.d + 1)


def by_scipy(box):
    from scipy.optimize import least_squares
    least_squares(box.residuals, box.x0, max_nfev=100000, ftol=1e-15, xtol=1e-15, gtol=1e-15)


def by_nlopt(name):
    import nlopt

    def run(box):
        opt = nlopt.opt(getattr(nlopt, name), box.d)
        opt.set_min_objective(lambda x, g: box.total(x))
        opt.set_maxeval(MOST * (box.d + 1))
        opt.set_xtol_rel(1e-14)
        opt.optimize(box.x0)
    return run


def by_pounders(box):
    from petsc4py import PETSc
    x, f = PETSc.Vec().createSeq(box.d), PETSc.Vec().createSeq(box.m)
    x.setArray(box.x0)
    tao = PETSc.TAO().create(PETSc.COMM_SELF)
    tao.setType("pounders")
    tao.setResidual(lambda tao, x, f: f.setArray(box.residuals(x.getArray())), f)
    tao.setMaximumFunctionEvaluations(MOST * (box.d + 1))
    tao.setTolerances(0, 0, 0)
    tao.setFromOptions()
    tao.solve(x)


SOLVERS = {"scipy": by_scipy, "newuoa": lambda box: by_nlopt("LN_NEWUOA")(box), "bobyqa": lambda box: by_nlopt("LN_BOBYQA")(box),
           "pounders": by_pounders}


def main(path, what):
    lib = ctypes.CDLL(path)
    rows = (Row * 53).in_dll(lib, "mw_problems")
    need = {tau: [] for tau in TAUS}
    for row in rows:
        box = Box(lib, row)
        try:
            SOLVERS[what](box)
        except ImportError as error:
            print(f"| {what} | not here: {error} | | | |")
            return
        except Exception:  # its own end: the budget, or an overflow that it cannot take
            pass
        for tau in TAUS:
            need[tau].append(box.need(tau))
    medians = " / ".join(f"{statistics.median(need[tau]):.1f}" for tau in TAUS)
    missed = " / ".join(str(sum(np.isinf(need[tau]))) for tau in TAUS)
    within = " / ".join(f"{100 * sum(v <= 10 for v in need[tau]) / 53:.0f}" for tau in TAUS)
    print(f"| {what} | {medians} | {within} | {missed} |")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
