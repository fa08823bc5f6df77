# SPDX-License-Identifier: MIT
"""A sampler for Optuna: the float parameters of a study are moved by zoprox, by ask and tell."""
from __future__ import annotations

import math
import threading
from typing import Any, Optional

import numpy as np

try:
    import optuna
    from optuna.distributions import BaseDistribution, FloatDistribution
    from optuna.samplers import BaseSampler, RandomSampler
    from optuna.trial import TrialState
except ImportError as error:
    raise ImportError("zoprox.optuna: Optuna is not installed (Debian: python3-optuna)") from error

from .solver import Solver

try:
    from optuna.search_space import IntersectionSearchSpace
except ImportError:  # before 3.2
    from optuna.samplers import IntersectionSearchSpace

DONE = (TrialState.COMPLETE, TrialState.PRUNED)
TRIES = 3  # of a point whose trials fail


class ZoproxSampler(BaseSampler):
    """For optuna.create_study(sampler=zoprox.optuna.ZoproxSampler()).

    Float parameters (log=True too) are zoprox's, within their ranges; those with a step, whole numbers and categories are those
    of ``independent_sampler`` (random without it). The first trial is in the middle of the ranges, or where
    study.enqueue_trial says; a point whose trial fails or is pruned is tried again, and after three trials it counts as
    a value that is not finite. When a run has converged, the next begins at a random point. Trials that are run at the same time are as many as a question has points;
    further ones are left to independent_sampler.

    n_trials    how many there will be, if it is known: methods plan with it
    method, seed and further settings: as in `zoprox.Solver`"""

    def __init__(self, *, method: str = "auto", seed: int = 1, n_trials: Optional[int] = None,
                 independent_sampler: Optional[BaseSampler] = None, **settings: Any) -> None:
        self._others = independent_sampler or RandomSampler(seed=seed)
        self._settings: dict[str, Any] = {"method": method, "nonfinite": "reject", "horizon": n_trials, **settings}
        self._seed, self._random = seed, np.random.default_rng(seed)
        self._common = IntersectionSearchSpace()
        self._lock = threading.Lock()
        self._space: dict[str, FloatDistribution] = {}
        self._solver: Optional[Solver] = None
        self._clear()

    def _clear(self) -> None:
        self._fan: Any = None
        self._points, self._values = np.empty((0, 0)), np.empty(0)
        self._todo: list[int] = []  # points that nobody has
        self._tried = np.empty(0, int)
        self._who: dict[int, int] = {}  # which point has a trial that goes on?

    def reseed_rng(self) -> None:
        self._others.reseed_rng()

    def infer_relative_search_space(self, study: Any, trial: Any) -> dict[str, BaseDistribution]:
        try:
            common = self._common.calculate(study)
        except TypeError:
            common = self._common.calculate(study.get_trials(deepcopy=False))
        return {name: kind for name, kind in common.items()
                if isinstance(kind, FloatDistribution) and kind.step is None and kind.low < kind.high}

    def sample_independent(self, study: Any, trial: Any, param_name: str, param_distribution: Any) -> Any:
        first = not any(t.state in DONE for t in study.get_trials(deepcopy=False))
        if first and isinstance(param_distribution, FloatDistribution) and param_distribution.step is None:
            return _from_unit(param_distribution, 0.5)
        return self._others.sample_independent(study, trial, param_name, param_distribution)

    def sample_relative(self, study: Any, trial: Any, search_space: dict[str, Any]) -> dict[str, Any]:
        if not search_space:
            return {}
        with self._lock:
            if self._solver is None or list(search_space.items()) != list(self._space.items()):
                self._space = dict(search_space)
                self._begin(self._best(study))
            if not self._todo and not self._who:
                self._ask()
            if not self._todo:
                return {}  # all points of the question are with others
            self._who[trial.number] = slot = self._todo.pop(0)
            self._tried[slot] += 1
            return {name: _from_unit(kind, t) for (name, kind), t in zip(self._space.items(), self._points[slot])}

    def after_trial(self, study: Any, trial: Any, state: Any, values: Any) -> None:
        self._others.after_trial(study, trial, state, values)
        with self._lock:
            slot = self._who.pop(trial.number, None)
            if slot is None:
                return
            sign = -1.0 if study.direction == optuna.study.StudyDirection.MAXIMIZE else 1.0
            self._values[slot] = sign * values[0] if values and state == TrialState.COMPLETE else math.nan
            if not math.isfinite(self._values[slot]) and self._tried[slot] < TRIES:
                self._todo.append(slot)
            if not self._todo and not self._who:
                self._tell()

    def _best(self, study: Any) -> np.ndarray:
        """Where to begin: the best that is known."""
        done = [t for t in study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)) if t.values and all(n in t.params for n in self._space)]
        if not done:
            return np.full(len(self._space), 0.5)
        largest = study.direction == optuna.study.StudyDirection.MAXIMIZE
        best = (max if largest else min)(done, key=lambda t: t.value)
        return np.array([_to_unit(kind, best.params[name]) for name, kind in self._space.items()])

    def _begin(self, start: np.ndarray) -> None:
        self._solver = Solver(None, start, bounds=(0, 1), seed=self._seed, **self._settings)
        self._clear()

    def _ask(self) -> None:
        assert self._solver is not None
        fan = self._solver.ask()
        if fan is None:  # this run is at its end
            self._seed += 1
            self._begin(self._random.random(len(self._space)))
            fan = self._solver.ask()
            assert fan is not None
        self._clear()
        self._fan = fan
        points = fan.points if fan.own else np.repeat(fan.points[:, None], fan.shape[1], axis=1)
        self._points = points.reshape(-1, len(self._space))
        self._values, self._tried = np.full(len(self._points), math.nan), np.zeros(len(self._points), int)
        self._todo = list(range(len(self._points)))

    def _tell(self) -> None:
        assert self._solver is not None
        self._solver.tell(self._fan.answers_from(self._values.reshape(self._fan.shape)))
        self._clear()


def _from_unit(kind: FloatDistribution, t: float) -> float:
    """The parameter at t in [0, 1] of its range."""
    low, high = (math.log(kind.low), math.log(kind.high)) if kind.log else (kind.low, kind.high)
    value = low + float(t) * (high - low)
    return min(max(math.exp(value) if kind.log else value, kind.low), kind.high)


def _to_unit(kind: FloatDistribution, value: float) -> float:
    low, high, at = map(math.log, (kind.low, kind.high, value)) if kind.log else (kind.low, kind.high, value)
    return min(max((at - low) / (high - low), 0.0), 1.0)
