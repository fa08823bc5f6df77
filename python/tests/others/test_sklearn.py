# SPDX-License-Identifier: MIT
"""scikit-learn: its own checks of estimators, and its own results."""
import warnings

import numpy as np
import pytest

import zoprox

linear_model = pytest.importorskip("sklearn.linear_model", reason="no scikit-learn (Debian: python3-sklearn)")
from scipy import sparse  # noqa: E402
from sklearn import base, datasets, model_selection, pipeline, preprocessing  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from zoprox.sklearn import BlackBoxRegressor, Lasso, LogisticRegression  # noqa: E402


@pytest.mark.parametrize("kind", [Lasso, LogisticRegression, BlackBoxRegressor])
def test_check_estimator(kind):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_estimator(kind())


@pytest.fixture(scope="module")
def cancer():
    X, y = datasets.load_breast_cancer(return_X_y=True)
    return preprocessing.StandardScaler().fit_transform(X), y


@pytest.mark.parametrize("penalty, ratio", [("l2", None), ("elasticnet", 0.5)])
def test_logistic_regression_as_theirs(cancer, penalty, ratio):
    ours = LogisticRegression(penalty, l1_ratio=ratio).fit(*cancer)
    theirs = linear_model.LogisticRegression(penalty=penalty, l1_ratio=ratio, solver="saga", tol=1e-8, max_iter=20000).fit(*cancer)
    assert np.allclose(ours.coef_, theirs.coef_, atol=1e-4) and np.allclose(ours.intercept_, theirs.intercept_, atol=1e-4)
    assert np.allclose(ours.predict_proba(cancer[0]), theirs.predict_proba(cancer[0]), atol=1e-4)
    assert (ours.predict(cancer[0]) == theirs.predict(cancer[0])).all()


def test_l1_is_at_its_optimum(cancer):
    X, y = cancer
    ours = LogisticRegression("l1").fit(X, y)
    best = zoprox.optimum(zoprox.logistic(np.hstack([X, np.ones((len(X), 1))]), 2.0 * y - 1), zoprox.l1(1 / len(y)).on(0, 30))
    assert ours.result_.fun - best.fun < 1e-10 and (ours.coef_ == 0).any()
    packed = LogisticRegression("l1").fit(sparse.csr_matrix(X), y)
    assert np.allclose(packed.coef_, ours.coef_, atol=1e-4)


def test_three_classes():
    X, y = datasets.load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    ours, theirs = LogisticRegression().fit(X, names), linear_model.LogisticRegression(tol=1e-8, max_iter=5000).fit(X, names)
    assert np.allclose(ours.coef_, theirs.coef_, atol=2e-3) and np.allclose(ours.predict_proba(X).sum(axis=1), 1)
    assert (ours.predict(X) == theirs.predict(X)).all() and list(ours.classes_) == sorted(set(names))


def test_lasso_as_theirs():
    X, y = datasets.load_diabetes(return_X_y=True)
    for intercept in (True, False):
        ours = Lasso(0.1, fit_intercept=intercept).fit(X, y)
        theirs = linear_model.Lasso(0.1, fit_intercept=intercept, tol=1e-10).fit(X, y)
        assert np.allclose(ours.coef_, theirs.coef_, atol=0.01) and ours.intercept_ == pytest.approx(theirs.intercept_, abs=1e-4)


def decay(X, p):
    return p[0] * np.exp(-p[1] * X[:, 0]) + p[2]


def test_a_black_box():
    t = np.linspace(0, 5, 40)[:, None]
    y = decay(t, [3, 0.7, 1]) + 0.01 * np.sin(50 * t[:, 0] ** 2)
    fit = BlackBoxRegressor(decay, [1.0, 1.0, 0.5]).fit(t, y)
    assert np.allclose(fit.parameters_, [3, 0.7, 1], atol=0.02) and fit.score(t, y) > 0.999 and (fit.error_ < 0.02).all()
    assert np.allclose(BlackBoxRegressor(decay, [1.0, 1.0, 0.5], workers=2).fit(t, y).parameters_, fit.parameters_, atol=1e-4)
    assert BlackBoxRegressor(decay, [1.0, 0.1, 0.5], bounds=(0, [9, 0.5, 9])).fit(t, y).parameters_[1] == pytest.approx(0.5)
    with pytest.raises(ValueError, match="x0: expected the parameters to begin with"):
        BlackBoxRegressor(decay).fit(t, y)


def test_in_their_company(cancer):
    search = model_selection.GridSearchCV(
        pipeline.make_pipeline(preprocessing.StandardScaler(), LogisticRegression("l1")), {"logisticregression__C": [0.01, 1.0]}, cv=3)
    search.fit(*cancer)
    assert search.best_params_ == {"logisticregression__C": 1.0} and search.best_score_ > 0.95
    assert base.clone(Lasso(alpha=3)).get_params()["alpha"] == 3


def test_what_is_said():
    X, y = datasets.load_diabetes(return_X_y=True)
    with pytest.warns(ConvergenceWarning, match="Lasso: the next question would pass the budget"):
        Lasso(0.1, units=0.5).fit(X, y)
    with pytest.raises(ValueError, match="expected penalty 'l1', 'l2'"):
        LogisticRegression("l3").fit(X, y > 100)
