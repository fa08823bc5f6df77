# SPDX-License-Identifier: MIT
"""Optuna's studies with our sampler."""
import math

import pytest

optuna = pytest.importorskip("optuna", reason="no Optuna (Debian: python3-optuna)")
from zoprox.optuna import ZoproxSampler  # noqa: E402

optuna.logging.set_verbosity(optuna.logging.ERROR)


def bowl(trial):
    x = [trial.suggest_float(f"x{k}", -5, 5) for k in range(3)]
    rate = trial.suggest_float("rate", 1e-5, 1e-1, log=True)
    return sum((k + 1) * (v - 1) ** 2 for k, v in enumerate(x)) + math.log10(rate / 1e-3) ** 2


def study_of(objective, trials, jobs=1, direction="minimize", **how):
    study = optuna.create_study(sampler=ZoproxSampler(**how), direction=direction)
    study.optimize(objective, n_trials=trials, n_jobs=jobs)
    return study


def test_floats():
    study = study_of(bowl, 60, n_trials=60)
    assert study.best_value < 1e-8 and study.best_params["rate"] == pytest.approx(1e-3, rel=1e-4)
    assert study.trials[0].params["x0"] == 0 and study.trials[0].params["rate"] == pytest.approx(1e-3)
    assert all(-5 <= trial.params["x0"] <= 5 for trial in study.trials)
    again = study_of(bowl, 60, n_trials=60)
    assert [t.params for t in again.trials] == [t.params for t in study.trials]


def test_a_study_that_is_given_values():
    study = optuna.create_study(sampler=ZoproxSampler())
    study.enqueue_trial({"x0": 2.0, "x1": 2.0, "x2": 2.0, "rate": 1e-2})
    study.optimize(bowl, n_trials=40)
    assert study.best_value < 1e-6


def test_maximize_in_parallel():
    study = study_of(lambda trial: -bowl(trial), 120, jobs=3, direction="maximize")
    assert -1e-6 < study.best_value <= 0


def test_trials_that_fail_are_tried_again():
    def fails(trial):
        value = bowl(trial)
        if trial.number % 17 == 5:
            raise optuna.TrialPruned()
        return math.nan if trial.number % 17 == 9 else value
    assert study_of(fails, 90).best_value < 1e-6


def test_other_kinds_are_left_to_others():
    def mixed(trial):
        return bowl(trial) + trial.suggest_int("whole", 0, 3) + (trial.suggest_categorical("word", ["a", "b"]) == "a")
    study = study_of(mixed, 30)
    assert {trial.params["whole"] for trial in study.trials} > {0, 1}
    assert study_of(lambda trial: float(trial.suggest_int("whole", 0, 3)), 10).best_value == 0
