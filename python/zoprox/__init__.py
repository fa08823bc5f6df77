# SPDX-License-Identifier: MIT
"""zoprox: minimize F(x) = (1/n) sum_i f_i(x) + psi(x) when the f_i can only be evaluated.

`minimize` does it in one call, in the manner of scipy.optimize.minimize; `Solver` is driven step by step, by ask and
tell. psi is one of the proxes (`l1`, `box`, `simplex`, ...; `proxes()` lists them) or your own; `logistic`, `squared`, ...
are built-in problems over arrays and sparse matrices. `methods()` and `settings()` say what there is.

>>> import zoprox
>>> r = zoprox.minimize(lambda x: (x[0] - 1) ** 2 + (x[1] + 2) ** 2, [0.0, 0.0], bounds=[(0, None), (0, None)])
>>> r.x.round(4)
array([1., 0.])
"""
from __future__ import annotations

import sys as _sys
from importlib import import_module as _import_module
from typing import Any


def _in_main_interpreter() -> bool:
    """C calls back into Python, and cffi cannot do that in a sub-interpreter: it would wait for ever."""
    name = "_interpreters" if _sys.version_info >= (3, 13) else "_xxsubinterpreters"
    try:
        module = __import__(name)
        return bool(module.get_current() == module.get_main())
    except (ImportError, AttributeError):
        return True


if not _in_main_interpreter():
    raise ImportError("zoprox: cannot be used in a sub-interpreter; use the main one, or a process of its own")

from . import datasets as _datasets, prox as _prox
from ._lib import LIBRARY as library, VERSION as __version__
from ._minimize import minimize
from ._scipy import scipy
from .datasets import Data, Model, data, optimum, read, synth
from .errors import (ArgumentError, Error, FileError, InputError, MismatchError, OutOfMemory, ProblemError,
                     StateError)
from .fan import Fan
from .outside import Method, Question, Task
from .problems import Function, Problem, vectorized
from .prox import OwnProx, Prox, own, parsed
from .ranks import components, read_part, share
from .residuals import Residuals, least_squares
from .result import Result
from .solver import Solver
from .tables import losses, method, methods, proxes, setting, settings

for _module in (_prox, _datasets):
    globals().update({_name: getattr(_module, _name) for _name in _module.NAMES})

__all__ = ["minimize", "least_squares", "scipy", "Residuals", "Solver", "Fan", "Method", "Question", "Task", "Result", "Problem", "Function", "vectorized", "Prox", "OwnProx", "own", "parsed",
           "Data", "Model", "data", "read", "synth", "optimum", "methods", "method", "settings", "setting", "proxes",
           "losses", "share", "read_part", "components", "Error", "ArgumentError", "InputError", "StateError", "OutOfMemory", "FileError", "ProblemError",
           "MismatchError", "library", *_prox.NAMES, *_datasets.NAMES]


def __getattr__(name: str) -> Any:  # type checkers: the names of the tables exist
    if name in ("sklearn", "optuna"):  # need packages that not everybody has
        return _import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'zoprox' has no attribute '{name}'")
