# SPDX-License-Identifier: MIT
"""The competitors. Each is a function of a Box and of a Judge, who counts, remembers the best F and ends the run."""
import glob
import os
import sys

import numpy as np

STEP = 0.5  # first step, simplex edge, sigma: the same for all that take one


class Over(Exception):
    """The budget is spent, or the goal reached."""


# ---- peers: the sum is one function, an evaluation costs n queries ------------------------------------------

def nlopt(name):
    def run(box, judge):
        import nlopt
        opt = nlopt.opt(getattr(nlopt, name), box.d)
        opt.set_min_objective(lambda x, grad: judge.ask(x))
        opt.set_initial_step(STEP)
        if name == "GN_CRS2_LM":
            wide = 2 * STEP + np.abs(box.x0).max() + 2
            opt.set_lower_bounds(np.full(box.d, -wide))
            opt.set_upper_bounds(np.full(box.d, wide))
            nlopt.srand(1)
        opt.optimize(box.x0.copy())
    return run


def scipy_direct(name):
    def run(box, judge):
        from scipy.optimize import minimize
        options = {"maxiter": 10 ** 9, "maxfev": 10 ** 9, "xtol": 1e-12, "ftol": 1e-15}
        if name == "Nelder-Mead":
            options = {"maxiter": 10 ** 9, "maxfev": 10 ** 9, "xatol": 1e-12, "fatol": 1e-15, "adaptive": True,
                       "initial_simplex": np.vstack([box.x0, box.x0 + STEP * np.eye(box.d)])}
        minimize(judge.ask, box.x0, method=name, options=options)
    return run


def scipy_smooth(name):
    """Forward differences, d + 1 evaluations a gradient, of the smooth part alone; an l1 term by x = u - v, u, v >= 0, which
    costs no further evaluations. The radius is the best for the noise, which is told."""
    def run(box, judge):
        from scipy.optimize import BFGS, Bounds, minimize
        d, noise = box.d, max(box.noise / np.sqrt(box.n), 2.2e-16)
        radius = 2 * np.sqrt(noise)

        def smooth(x):
            f = judge.ask(x, smooth=True)
            return f, np.array([(judge.ask(x + radius * e, smooth=True) - f) / radius for e in np.eye(d)])

        def split(z):
            f, g = smooth(z[:d] - z[d:])
            return f + box.l1 * z.sum(), np.r_[g + box.l1, box.l1 - g]

        options = {"maxiter": 10 ** 6, "gtol": 1e-12}
        options |= {"ftol": 0, "maxfun": 10 ** 9} if name == "L-BFGS-B" else {"xtol": 1e-14, "barrier_tol": 1e-10}
        more = {} if name == "L-BFGS-B" else {"hess": BFGS()}
        if box.l1:
            z0 = np.r_[np.maximum(box.x0, 0), np.maximum(-box.x0, 0)] + (1e-3 if name == "trust-constr" else 0)
            minimize(split, z0, jac=True, method=name, bounds=Bounds(np.zeros(2 * d), np.inf), options=options, **more)
        else:
            minimize(smooth, box.x0, jac=True, method=name, options=options, **more)
    return run


def cma(box, judge):
    from cmaes import CMA
    opt = CMA(mean=box.x0.copy(), sigma=STEP, seed=1)
    while True:
        points = [opt.ask() for _ in range(opt.population_size)]
        opt.tell([(x, judge.ask(x)) for x in points])


def petsc():
    """PETSc's Python package, which Debian keeps beside PETSc; None where it is not."""
    sys.path += glob.glob("/usr/lib/petscdir/petsc*/*-real/lib/python3/dist-packages")
    try:
        import petsc4py
        petsc4py.init(["peers"])
        from petsc4py import PETSc
        return PETSc
    except ImportError:
        return None


def pounders(box, judge):
    """Is shown the residuals one by one, signs included: more than any other competitor."""
    PETSc = petsc()
    tao = PETSc.TAO().create(PETSc.COMM_SELF)
    tao.setType("pounders")
    x = PETSc.Vec().createWithArray(box.x0.copy(), comm=PETSc.COMM_SELF)
    over = []

    def residuals(tao, x, out):
        try:
            judge.ask(x.getArray().copy())
        except Over as end:  # no exception gets through PETSc: from here on nothing is counted
            over.append(end)
        out.setArray(box.of.residuals(x.getArray()))

    tao.setResidual(residuals, PETSc.Vec().createSeq(len(box.of.residuals(box.x0)), comm=PETSc.COMM_SELF))
    tao.setTolerances(gatol=1e-12, grtol=0, gttol=0)
    PETSc.Options().setValue("tao_pounders_delta", STEP)
    tao.setMaximumFunctionEvaluations(judge.budget // box.n + 1)
    tao.setFromOptions()
    tao.setMonitor(lambda tao: tao.setConvergedReason(2) if over else None)
    tao.solve(x)


PEERS = {"BOBYQA": nlopt("LN_BOBYQA"), "SBPLX": nlopt("LN_SBPLX"), "COBYLA": nlopt("LN_COBYLA"),
         "CRS2": nlopt("GN_CRS2_LM"), "L-BFGS-B": scipy_smooth("L-BFGS-B"), "trust-constr": scipy_smooth("trust-constr"),
         "Powell": scipy_direct("Powell"), "Nelder-Mead": scipy_direct("Nelder-Mead"), "CMA-ES": cma,
         "POUNDERS": pounders}


def fits(peer, box):
    """Where it cannot be used, the reason; otherwise nothing."""
    if peer != "POUNDERS":
        return ""
    if not box.of.squares or box.l1 or box.noise:
        return "needs exact squares and no l1 term"
    if box.d > 100:
        return "keeps n d^2 numbers"
    return ""


# ---- zoprox ------------------------------------------------------------------------------------------------

SEED = {"seed": int(os.environ["SEED"])} if "SEED" in os.environ else {}  # of zoprox, to see how much is chance


def zoprox_on(method, hidden):
    """By components, or with the sum hidden (n = 1). F is taken at the points the method stands for. auto is told nothing of
    noise; the others take the radius that is best for it, as SciPy's do."""
    def run(box, judge):
        import zoprox
        n = 1 if hidden else box.n
        price = box.n if hidden else 1  # of one zoprox query, in queries
        fun = {"fun": judge.time(lambda X, idx: np.array([[box.whole(x) for _ in idx] for x in X])), "vectorized": True}
        if not hidden:
            fun = {"fun": judge.time(box.value), "pairs": judge.time(box.pairs), "vectorized": True}

        told = {} if method == "auto" or not box.noise else {"radius": 2 * np.sqrt(box.noise / np.sqrt(box.n if hidden else 1))}

        def look(row):
            judge.see(row.x, row.nfev * price)

        r = zoprox.minimize(x0=box.x0, n=n, prox=f"l1:{box.l1}" if box.l1 else None, method=method, **fun,
                            queries=judge.budget // price, track="off", every=1 / box.d if hidden else 0.01, callback=look, **SEED, **told)
        judge.see(r.x, r.nfev * price)
        judge.note = f"{r.method}: {r.reason}"
    return run


OURS = {name: zoprox_on(name, False) for name in ("auto", "saga", "psvrg")}
HIDDEN = {"auto (sum hidden)": zoprox_on("auto", True), "fista (sum hidden)": zoprox_on("fista", True)}
ALL = OURS | HIDDEN | PEERS
