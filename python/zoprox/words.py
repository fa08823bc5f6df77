# SPDX-License-Identifier: MIT
"""The words of other libraries for what `minimize` takes: some are understood, the others are answered with ours."""
from __future__ import annotations

import difflib
import functools
import inspect
from typing import Any, Callable, Mapping, TypeVar, cast

from . import tables
from .errors import ArgumentError

Any_function = TypeVar("Any_function", bound=Callable[..., Any])

UNDERSTOOD = {"maxfev": "queries", "maxfun": "queries", "max_nfev": "queries", "maxiter": "steps"}

# ours, and who means it by another name
OURS = {
    "queries": "maxeval maxevals max_evals max_eval max_fevals maxfevals n_calls n_trials nfev budget evaluations",
    "steps": "max_iter max_iterations maxit niter nit iterations num_steps",
    "seconds": "timeout maxtime max_time time_limit walltime",
    "tol": "gtol ftol xtol fatol xatol ftol_rel xtol_rel ftol_abs xtol_abs tolerance atol rtol",
    "radius": "eps epsilon delta mu finite_diff_rel_step smoothing",
    "step": "lr learning_rate eta stepsize step_size",
    "seed": "random_state rng random_seed rseed",
    "bounds": "lb ub lower upper lo hi xl xu limits",
    "prox": "regularizer regulariser penalty psi reg constraint",
    "workers": "n_jobs processes nproc num_workers parallel pool executor client map",
    "disp": "verbose iprint print_level",
    "fun": "f func function objective fn",
    "x0": "x x_init x_start guess start p0 initial",
    "n": "n_components ncomp m",
    "residuals": "loss",
    "method": "algorithm solver optimizer",
    "target": "fmin f_min fval stopval f_target",
    "history": "log trace_file database",
    "vectorized": "vectorised batched",
}
OTHER = {word: ours for ours, words in OURS.items() for word in words.split()}
NOT_NEEDED = dict.fromkeys(("jac", "gradient", "grad", "hess", "hessp"), "slopes are measured here, leave it out; as a method of scipy.optimize.minimize this is zoprox.scipy")
NOT_NEEDED["constraints"] = "a constraint is a psi here: give bounds, or a prox (zoprox.proxes() lists them)"


def unknown(word: str, known: list[str], caller: str) -> ArgumentError:
    """What is to be said about a word that nobody knows."""
    near = difflib.get_close_matches(word, [*known, *UNDERSTOOD, "options", "disp"], 1, 0.8)
    if word in NOT_NEEDED:
        hint = NOT_NEEDED[word]
    elif word in OTHER:
        hint = f"here it is '{OTHER[word]}'"
    else:
        hint = f"did you mean '{near[0]}'?" if near else f"help(zoprox.{caller}) lists them"
    return ArgumentError(f"{caller} has no argument '{word}'; {hint}")


def _one_level(given: dict[str, Any]) -> dict[str, Any]:
    """options={...} as arguments."""
    options = given.pop("options", None)
    if options is None:
        return given
    if not isinstance(options, Mapping):
        raise ArgumentError(f"options: expected a dict, got {type(options).__name__}")
    twice = sorted(set(options) & set(given))
    if twice:
        raise ArgumentError(f"options: '{twice[0]}' is given there and as an argument")
    return {**given, **options}


def understands(function: Any_function) -> Any_function:
    """function with **settings, called with SciPy's words too; a word that is no argument and no setting is answered."""
    known = [*inspect.signature(function).parameters, *(row.name for row in tables.settings())]
    known.remove("settings")

    @functools.wraps(function)
    def translated(*args: Any, **given: Any) -> Any:
        ours: dict[str, Any] = {}
        given = _one_level(given)
        for word, value in given.items():
            name = UNDERSTOOD.get(word, word)
            if name not in known:
                raise unknown(word, known, function.__name__)
            if ours.get(name) is not None and value is not None:
                raise ArgumentError(f"{word}: {value!r} is given beside {name}={ours[name]!r}, which is the same")
            ours[name] = ours.get(name) if value is None else value
        try:
            return function(*args, **ours)
        except ArgumentError as error:  # in the caller's own words
            name, colon, rest = str(error).partition(": ")
            words = [word for word in given if UNDERSTOOD.get(word) == name]
            if not colon or not words:
                raise
            raise ArgumentError(f"{words[0]}: {rest}") from None
    return cast(Any_function, translated)
