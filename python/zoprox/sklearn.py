# SPDX-License-Identifier: MIT
"""Estimators in scikit-learn's manner: fit, predict, score, get_params.

>>> import numpy as np
>>> from zoprox.sklearn import Lasso
>>> X = np.random.default_rng(0).normal(size=(80, 5))
>>> model = Lasso(alpha=0.1).fit(X, 3 * X[:, 0] + 1)
>>> model.coef_.round(1), round(float(model.score(X, 3 * X[:, 0] + 1)), 2)
(array([2.9, 0. , 0. , 0. , 0. ]), 1.0)
"""
from __future__ import annotations

import functools
import operator
import warnings
from typing import Any, Callable, Optional

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.utils import check_random_state
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError("zoprox.sklearn: scikit-learn is not installed (Debian: python3-sklearn)") from error
from scipy import sparse

from . import prox as proxes
from ._minimize import minimize
from .datasets import Model, data
from .prox import Prox
from .residuals import least_squares
from .result import Result


def _checked(estimator: Any, *arrays: Any, **how: Any) -> Any:
    """X, or X and y, as scikit-learn wants them checked."""
    try:
        from sklearn.utils.validation import validate_data
    except ImportError:  # before 1.6
        return estimator._validate_data(*arrays, **how)
    return validate_data(estimator, *arrays, **how)


class _Linear(BaseEstimator):
    """What the linear models share: a penalty on the weights, none on the intercepts, and the run."""

    def _columns(self, X: Any) -> Any:
        """X, with a column of ones for the intercept."""
        if not self.fit_intercept:
            return X
        ones = np.ones((X.shape[0], 1))
        return sparse.hstack([X, ones], format="csr") if sparse.issparse(X) else np.hstack([X, ones])

    def _run(self, X: Any, y: np.ndarray, loss: str, psi: Optional[Prox], rows: int = 1) -> np.ndarray:
        """The weights, one row for each class, and the intercepts at their end."""
        A = self._columns(X)
        width, features = A.shape[1], X.shape[1]
        if psi is not None and self.fit_intercept:  # nothing is asked of the intercepts
            psi = functools.reduce(operator.add, (psi.on(k * width, k * width + features) for k in range(rows)))
        seed = int(check_random_state(self.random_state).randint(2 ** 31 - 1)) if self.random_state is not None else 1
        self.result_ = minimize(Model(data(A, y), loss), prox=psi, method=self.method, units=self.units, tol=self.tol, seed=seed)
        self.n_iter_ = self.result_.nit
        _said(self, self.result_)
        return self.result_.x.reshape(rows, width)

    def _sparse_tag(self, tags: Any) -> Any:
        tags.input_tags.sparse = True
        return tags

    def _values(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = _checked(self, X, accept_sparse="csr", reset=False)
        return X @ self.coef_.T + self.intercept_


def _said(estimator: Any, result: Result) -> None:
    if not result.success:
        warnings.warn(f"{type(estimator).__name__}: {result.message}", ConvergenceWarning, stacklevel=4)


class Lasso(RegressorMixin, _Linear):
    """Least squares with an l1 penalty, from values alone: (1/2n) |y - Xw - b|^2 + alpha |w|_1, as scikit-learn's Lasso.

    Parameters: alpha, fit_intercept; method, units, tol and random_state (seed) of `zoprox.minimize`.
    Attributes: coef_, intercept_, n_iter_, result_."""

    def __init__(self, alpha: float = 1.0, *, fit_intercept: bool = True, method: str = "auto", units: Optional[float] = None,
                 tol: Optional[float] = None, random_state: Any = None) -> None:
        self.alpha, self.fit_intercept, self.method = alpha, fit_intercept, method
        self.units, self.tol, self.random_state = units, tol, random_state

    def fit(self, X: Any, y: Any) -> "Lasso":
        X, y = _checked(self, X, y, accept_sparse="csr", dtype=np.float64, y_numeric=True)
        penalty: Prox = proxes.l1(self.alpha)  # type: ignore[attr-defined]
        found = self._run(X, np.asarray(y, float), "squared", penalty)[0]
        self.coef_, self.intercept_ = found[:X.shape[1]], float(found[-1]) if self.fit_intercept else 0.0
        return self

    def predict(self, X: Any) -> np.ndarray:
        return self._values(X)

    def __sklearn_tags__(self) -> Any:
        return self._sparse_tag(super().__sklearn_tags__())


class LogisticRegression(ClassifierMixin, _Linear):
    """Logistic regression from values alone, as scikit-learn's: C sum_i loss_i + penalty(w), softmax for three classes and more.

    Parameters: penalty ('l1', 'l2', 'elasticnet' with l1_ratio, None), C, fit_intercept; method, units, tol and random_state (seed)
    of `zoprox.minimize`. Attributes: classes_, coef_, intercept_, n_iter_, result_."""

    def __init__(self, penalty: Optional[str] = "l2", *, C: float = 1.0, l1_ratio: Optional[float] = None, fit_intercept: bool = True,
                 method: str = "auto", units: Optional[float] = None, tol: Optional[float] = None,
                 random_state: Any = None) -> None:
        self.penalty, self.C, self.l1_ratio, self.fit_intercept = penalty, C, l1_ratio, fit_intercept
        self.method, self.units, self.tol, self.random_state = method, units, tol, random_state

    def _psi(self, n: int) -> Optional[Prox]:
        if self.penalty is None or self.penalty == "none":
            return None
        share = {"l1": 1.0, "l2": 0.0, "elasticnet": self.l1_ratio}.get(self.penalty)
        if share is None or not 0 <= share <= 1 or not self.C > 0:
            raise ValueError(f"expected penalty 'l1', 'l2', 'elasticnet' (with an l1_ratio from 0 to 1) or None, and C > 0, got "
                             f"penalty={self.penalty!r}, l1_ratio={self.l1_ratio!r}, C={self.C!r}")
        made: Prox = proxes.elastic_net(share / (self.C * n), (1 - share) / (self.C * n))  # type: ignore[attr-defined]
        return made

    def fit(self, X: Any, y: Any) -> "LogisticRegression":
        X, y = _checked(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        classes = len(self.classes_)
        if classes < 2:
            raise ValueError(f"y: expected samples of two classes or more, got one class, {self.classes_[0]!r}")
        two = classes == 2
        found = self._run(X, 2.0 * labels - 1 if two else labels.astype(float), "logistic" if two else "softmax",
                          self._psi(X.shape[0]), 1 if two else classes)
        self.coef_ = found[:, :X.shape[1]]
        self.intercept_ = found[:, -1] if self.fit_intercept else np.zeros(len(found))
        if not two:
            self.intercept_ = self.intercept_ - self.intercept_.mean()  # a number that all of them have changes nothing
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        scores = self._values(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        scores = self._values(X)
        if scores.shape[1] == 1:
            scores = np.hstack([np.zeros_like(scores), scores])
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        return shares / shares.sum(axis=1, keepdims=True)

    def __sklearn_tags__(self) -> Any:
        return self._sparse_tag(super().__sklearn_tags__())


def linear(X: np.ndarray, parameters: np.ndarray) -> np.ndarray:
    """The model that `BlackBoxRegressor` has where none is given: weights, and an intercept at their end."""
    return X @ parameters[:-1] + parameters[-1]


class BlackBoxRegressor(RegressorMixin, BaseEstimator):
    """y = model(X, parameters) with parameters to be found: any function that gives a value for each row of X, a simulator say.

    >>> import numpy as np
    >>> from zoprox.sklearn import BlackBoxRegressor
    >>> t = np.linspace(0, 5, 30)[:, None]
    >>> fit = BlackBoxRegressor(lambda X, p: p[0] * np.exp(-p[1] * X[:, 0]), x0=[1.0, 1.0]).fit(t, 3 * np.exp(-0.7 * t[:, 0]))
    >>> fit.parameters_.round(4)
    array([3. , 0.7])

    Parameters: model and x0 (without them a linear model), and loss, f_scale, bounds, prox, points, workers of `zoprox.least_squares`.
    Attributes: parameters_, error_ (standard errors), n_iter_, result_."""

    def __init__(self, model: Optional[Callable[[Any, np.ndarray], Any]] = None, x0: Any = None, *, loss: str = "linear",
                 f_scale: float = 1.0, bounds: Any = None, prox: Any = None, points: Optional[int] = None,
                 workers: Any = None) -> None:
        self.model, self.x0, self.loss, self.f_scale = model, x0, loss, f_scale
        self.bounds, self.prox, self.points, self.workers = bounds, prox, points, workers

    def fit(self, X: Any, y: Any) -> "BlackBoxRegressor":
        X, y = _checked(self, X, y, dtype=np.float64, y_numeric=True)
        if self.model is not None and self.x0 is None:
            raise ValueError("x0: expected the parameters to begin with, beside a model of yours")
        start = np.zeros(X.shape[1] + 1) if self.x0 is None else self.x0
        self.result_ = least_squares(_Misfit(self.model or linear, X, np.asarray(y, float)), start, loss=self.loss,
                                     f_scale=self.f_scale, bounds=self.bounds, prox=self.prox, points=self.points,
                                     workers=self.workers)
        self.parameters_, self.error_, self.n_iter_ = self.result_.x, self.result_.error, self.result_.nit
        _said(self, self.result_)
        return self

    def predict(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = _checked(self, X, dtype=np.float64, reset=False)
        return np.asarray((self.model or linear)(X, self.parameters_))


class _Misfit:
    """model(X, parameters) - y; a class, so that other processes can be sent it."""

    def __init__(self, model: Callable[[Any, np.ndarray], Any], X: np.ndarray, y: np.ndarray) -> None:
        self.model, self.X, self.y = model, X, y

    def __call__(self, parameters: np.ndarray) -> np.ndarray:
        return np.asarray(self.model(self.X, parameters)) - self.y
