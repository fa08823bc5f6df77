# SPDX-License-Identifier: MIT
"""What others need on the suites. usage: peers.py FOLDER PART SOLVER,SOLVER,... [FROM TO]

Writes FOLDER/PART@SOLVER.csv (with @SEED where that is set), lines as those of bench/suites.c. PART: one of its names, whose suite and value are taken; a solver that wants residuals gets
them, the others one number. Environment: BUILD, SEED, MOST (simplex gradients, 500), SECONDS_EACH of processor time a problem (60)."""
import ctypes
import glob
import os
import sys
import time

import numpy as np
from box import Enough, library, problems

SEED, MOST, SECONDS = (float(os.environ.get(k, v)) for k, v in (("SEED", 1), ("MOST", 500), ("SECONDS_EACH", 60)))
SUITE = {"residuals": "morewild", "function": "morewild", "components": "morewild", "noisy-function": "morewild",
         "wild-function": "morewild", "absolute-function": "morewild", "separable-function": "separable", "l1-function": "l1"}
GOALS = {True: (1e-3, 1e-5, 1e-7), False: (1e-2, 1e-4, 1e-6)}
FIRST_STEP = 0.5  # where a solver wants one and has no rule of its own


class View:
    """A box as a solver sees it: noise on top, time limited, the point it would return."""

    def __init__(self, box, part):
        self.box, self.d, self.x0, self.m, self.weight = box, box.d, box.x0, box.m, box.weight
        self.random = np.random.default_rng(int(SEED))
        self.kind = part.split("-")[0] if part.endswith("-function") else ""
        self.until = time.process_time() + SECONDS
        self.lowest, self.at = np.inf, box.x0
        if self.kind == "absolute":
            box.smooth = lambda v: float(np.abs(v).sum())

    def shown(self, x, f):
        if self.kind == "noisy":
            f *= 1 + 1e-3 * self.random.standard_normal()
        elif self.kind == "wild":
            x = np.ascontiguousarray(x, float)
            f *= 1 + 1e-3 * self.box.lib.mw_wild_factor(ctypes.c_size_t(self.d), ctypes.c_void_p(x.ctypes.data))
        if self.box.noise > 0:
            f += self.box.noise * self.random.standard_normal()
        if time.process_time() > self.until:
            raise Enough
        return f

    def residuals(self, x):
        v = self.box.parts(x)
        self.keep(x, self.box.smooth(v) + self.weight * np.abs(x).sum())
        return v

    def smooth(self, x):
        f = self.shown(x, self.box.sum(x))
        self.keep(x, f + self.weight * np.abs(x).sum())
        return f

    def value(self, x):
        return self.smooth(x) + self.weight * np.abs(np.asarray(x)).sum()

    def keep(self, x, f):
        if f < self.lowest:
            self.lowest, self.at = f, np.array(x, float)


def forward(f, x, at):
    """The gradient or Jacobian (rows: coordinates) by forward differences: d evaluations."""
    step = 1.5e-8 * np.maximum(np.abs(x), 1)
    return np.array([(f(x + h * e) - at) / h for h, e in zip(step, np.eye(x.size))])


# ---- solvers: view -> the point that is returned, or None for the one of the lowest value seen ------------------------


def least_squares(view):
    from scipy.optimize import least_squares
    return least_squares(view.residuals, view.x0, max_nfev=100000, ftol=1e-15, xtol=1e-15, gtol=1e-15).x


def least_squares_split(view):
    """x = p - q, p, q >= 0: the l1 term is the sum of squares of sqrt(lambda p), sqrt(lambda q)."""
    from scipy.optimize import least_squares
    d, tiny = view.d, 1e-12

    def parts(z):
        return np.concatenate([view.residuals(z[:d] - z[d:]), np.sqrt(view.weight * np.maximum(z, 0))])

    def jacobian(z):
        x = z[:d] - z[d:]
        J = forward(view.residuals, x, view.box.true_parts(x)).T
        return np.block([[J, -J], [np.diag(0.5 * np.sqrt(view.weight / np.maximum(z, tiny)))]])
    z0 = np.concatenate([np.maximum(view.x0, 0), np.maximum(-view.x0, 0)]) + 1e-3
    least_squares(parts, z0, jacobian, bounds=(0, np.inf), max_nfev=100000, ftol=1e-15, xtol=1e-15, gtol=1e-15)


def lbfgsb(view):
    """Forward differences of the smooth part: d + 1 evaluations a point; an l1 term by x = p - q, p, q >= 0."""
    from scipy.optimize import minimize
    d, w = view.d, view.weight
    split = w > 0

    def both(z):
        x = z[:d] - z[d:] if split else z
        f = view.smooth(x)
        g = forward(view.smooth, x, f)
        return (f + w * z.sum(), np.concatenate([g, -g]) + w) if split else (f, g)
    z0 = np.concatenate([np.maximum(view.x0, 0), np.maximum(-view.x0, 0)]) if split else view.x0
    minimize(both, z0, jac=True, method="L-BFGS-B", bounds=[(0, None)] * (2 * d) if split else None,
             options={"maxiter": 100000, "maxfun": 1000000, "ftol": 1e-15, "gtol": 1e-14})


def scipy_direct(method, options):
    def run(view):
        from scipy.optimize import minimize
        return minimize(view.value, view.x0, method=method,
                        options={"maxiter": 10 ** 7, "maxfev": 10 ** 7, **options}).x
    return run


def by_nlopt(name, step=None):
    def run(view):
        import nlopt
        opt = nlopt.opt(getattr(nlopt, name), view.d)
        opt.set_min_objective(lambda x, g: view.value(x))
        opt.set_maxeval(view.box.most)
        opt.set_xtol_rel(1e-14)
        if step:
            opt.set_initial_step(step)
        opt.optimize(view.x0)
    return run


def pounders(view):
    sys.path += glob.glob("/usr/lib/petscdir/petsc*/*-real/lib/python3/dist-packages")  # where Debian keeps it
    from petsc4py import PETSc
    x, f = PETSc.Vec().createSeq(view.d), PETSc.Vec().createSeq(view.m)
    x.setArray(view.x0)
    tao = PETSc.TAO().create(PETSc.COMM_SELF)
    tao.setType("pounders")
    tao.setResidual(lambda tao, x, f: f.setArray(view.residuals(x.getArray())), f)
    tao.setMaximumFunctionEvaluations(view.box.most)
    tao.setTolerances(0, 0, 0)
    tao.setFromOptions()
    tao.solve(x)


def cmaes(view):
    """The mean of the last generation is what it stands for."""
    from cmaes import CMA
    optimizer = CMA(mean=view.x0.copy(), sigma=FIRST_STEP, seed=int(SEED))
    mean = view.x0
    try:
        while not optimizer.should_stop():
            asked = [optimizer.ask() for _ in range(optimizer.population_size)]
            optimizer.tell([(x, view.value(x)) for x in asked])
            mean = np.mean(asked, axis=0) if view.box.noise > 0 else None
    except Enough:
        pass
    return mean


SOLVERS = {
    "least_squares": least_squares, "least_squares-split": least_squares_split, "L-BFGS-B": lbfgsb, "POUNDERS": pounders,
    "NEWUOA": by_nlopt("LN_NEWUOA"), "BOBYQA": by_nlopt("LN_BOBYQA"), "SBPLX": by_nlopt("LN_SBPLX"),
    "COBYLA": by_nlopt("LN_COBYLA"), "CMA-ES": cmaes,
    "Nelder-Mead": scipy_direct("Nelder-Mead", {"adaptive": True, "xatol": 1e-12, "fatol": 1e-14}),
    "Powell": scipy_direct("Powell", {"xtol": 1e-12, "ftol": 1e-14}),
}


def row(lib, box, part, solver, best):
    view = View(box, part)
    first, end, reason = box.true(box.x0), None, "end"
    try:
        with np.errstate(all="ignore"):
            end = SOLVERS[solver](view)
    except ImportError:
        raise
    except Enough:
        reason = "queries"
    except Exception as error:  # its own end: an overflow that it cannot take, rounding
        reason = type(error).__name__
    by_gap = not part.startswith("nist")
    need = []
    for goal in GOALS[by_gap]:
        level = best + goal * (first - best if by_gap else best)
        need.append(next((k + 1 for k, f in enumerate(box.least) if f <= level), np.inf))
    used = len(box.least)
    return [box.name, box.d, box.m, *(f"{v:g}" for v in need), used, f"{box.true(view.at if end is None else end):.10g}", reason]


def measure(lib, path, part, solver, only):
    least = (ctypes.c_double * 53).in_dll(lib, "mw_least_absolute")
    with open(path, "w") as out:
        print("problem,d,m," + ",".join(f"{g:g}" for g in GOALS[not part.startswith("nist")]) + ",used,F,reason", file=out)
        for k, box in problems(lib, SUITE.get(part, part), lambda d: int(MOST * (d + 1)), only):
            best = least[k] if part.startswith("absolute") else box.best
            print(*row(lib, box, part, solver, best), sep=",", file=out, flush=True)


def main(folder, part, solvers, first=None, last=None):
    lib = library()
    lib.mw_wild_factor.restype = ctypes.c_double
    only = None if first is None else range(int(first) - 1, int(last or first))
    for solver in solvers.split(","):
        path = os.path.join(folder, f"{part}@{solver}{'@' + os.environ['SEED'] if 'SEED' in os.environ else ''}.csv")
        try:
            measure(lib, path, part, solver, only)
        except ImportError as error:  # left out
            print(f"suites: {solver} is not here: {error}", file=sys.stderr)
            os.remove(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
