# SPDX-License-Identifier: MIT
"""Arrays, sparse matrices and files."""
import numpy as np
import pytest

import zoprox


def test_arrays_and_sparse_matrices():
    sp = pytest.importorskip("scipy.sparse")
    random = np.random.default_rng(2)
    A, y = random.normal(size=(80, 5)) * (random.random((80, 5)) < 0.5), np.sign(random.normal(size=80))
    dense, sparse = zoprox.logistic(A, y, l2=0.01), zoprox.logistic(sp.csr_matrix(A), y, l2=0.01)
    x = random.normal(size=5)
    want = np.logaddexp(0, -y * (A @ x)).mean() + 0.005 * x @ x
    for problem in (dense, sparse, zoprox.logistic(sp.coo_matrix(A), y, l2=0.01),
                    zoprox.logistic(A.astype(np.float32).astype(float)[:, ::1], y, l2=0.01)):
        assert problem.n == 80 and problem.d == 5
    assert dense(x) == pytest.approx(want) and sparse(x) == pytest.approx(want)
    best = zoprox.optimum(sparse, "l1:0.01")
    r = zoprox.minimize(sparse, prox="l1:0.01", optimum=best.fun, gap=1e-6, units=200)
    assert r.success and np.allclose(r.x, best.x, atol=1e-2)
    assert zoprox.softmax(A, np.arange(80) % 3).d == 15


def test_a_problem_has_its_own():
    problem = zoprox.squared(np.ones((4, 2)), np.arange(4))
    for how, words in (({"n": 5}, "n: 5 is given, and the problem has 4"), ({"threads": 2}, "threads: 2 is for functions"),
                       ({"x0": np.zeros(3)}, "x0: expected a vector of 2 numbers")):
        with pytest.raises(zoprox.ArgumentError, match=words):
            zoprox.minimize(problem, **how)


def test_nothing_is_copied_that_fits():
    A, y = np.ones((4, 2)), np.array([0.0, 1, 0, 1])
    kept = zoprox.data(A, y)._keep
    assert kept[0] is A and kept[1] is y


@pytest.mark.parametrize("A, y, words", [
    (np.zeros(3), np.zeros(3), r"A: expected a matrix, got an array of shape \(3,\)"),
    (np.zeros((3, 2)), np.zeros(2), r"y: expected a vector of 3 numbers, got an array of shape \(2,\)"),
    (np.full((3, 2), np.nan), np.zeros(3), "not finite"),
    (np.zeros((3, 2), complex), np.zeros(3), "A: expected real numbers, got type complex128"),
    (np.ones((3, 2)), np.arange(3), "two classes"),
])
def test_wrong_data(A, y, words):
    with pytest.raises((zoprox.ArgumentError, zoprox.InputError), match=words):
        zoprox.logistic(A, y)


def test_read(tmp_path):
    file = tmp_path / "small.txt"
    file.write_text("1 1:2 3:1\n-1 2:1\n")
    assert (zoprox.read(file).n, zoprox.read(file).features) == (2, 3)
    file.write_text("1 1:x\n")
    with pytest.raises(zoprox.InputError, match="small.txt"):
        zoprox.read(file)
