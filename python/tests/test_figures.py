"""Posteriors equal scikit-learn's from the same arrays: to 1e-9, or 1e-6 where both iterate."""

import numpy as np
import pytest

import credence

pytest.importorskip("sklearn")

from sklearn.datasets import load_breast_cancer, load_iris, load_wine  # noqa: E402
from sklearn.discriminant_analysis import (  # noqa: E402
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from sklearn.linear_model import LinearRegression, LogisticRegression  # noqa: E402
from sklearn.naive_bayes import (  # noqa: E402
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    GaussianNB,
    MultinomialNB,
)


def near(a, b, tolerance=1e-9):
    assert np.abs(a - b).max() < tolerance


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_gaussian(load):
    X, y = load(return_X_y=True)
    ours = credence.NaiveBayes(variance="class-feature", variance_estimate="mle", variance_floor=1e-9,
                              calibrate="none")
    theirs = GaussianNB(var_smoothing=1e-9).fit(X, y)
    near(ours.fit(X, y).predict_proba(X), theirs.predict_proba(X))


def counts(rows=400, words=60, seed=1):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 4, rows)
    return rng.poisson(rng.gamma(0.4, 1, (4, words))[y]), y


@pytest.mark.parametrize(
    "event, theirs", [("multinomial", MultinomialNB), ("bernoulli", BernoulliNB),
                      ("complement", ComplementNB)],
)
def test_words(event, theirs):
    sparse = pytest.importorskip("scipy.sparse")
    X, y = counts()
    X = X[:, X.sum(axis=0) > 0]
    prior = "uniform" if event == "complement" else None  # scikit-learn's has no prior
    ours = credence.NaiveBayes(event=event, prior=prior, calibrate="none").fit(sparse.csr_matrix(X), y)
    peer = theirs().fit(X, y)
    near(ours.predict_proba(sparse.csr_matrix(X)), peer.predict_proba(X))


def test_categories():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 500)
    X = (rng.integers(0, 4, (500, 6)) + y[:, None]) % 4
    kinds = {f"x{i}": "symbol" for i in range(6)}
    ours = credence.NaiveBayes(types=kinds, calibrate="none").fit(X, y)
    near(ours.predict_proba(X), CategoricalNB().fit(X, y).predict_proba(X))


def test_discriminants():
    X, y = load_wine(return_X_y=True)
    shared = credence.GaussianDiscriminant(covariance="shared", calibrate="none").fit(X, y)
    near(shared.predict_proba(X), LinearDiscriminantAnalysis().fit(X, y).predict_proba(X))
    full = credence.GaussianDiscriminant(covariance="full", calibrate="none").fit(X, y)
    near(full.predict_proba(X), QuadraticDiscriminantAnalysis().fit(X, y).predict_proba(X))


def test_logistic():
    X, y = load_iris(return_X_y=True)
    ours = credence.LogisticRegression(
        lambda_=1, standardise=False, params={"form": "softmax"}, epsilon=1e-12,
        calibrate="none",
    ).fit(X, y)
    theirs = LogisticRegression(C=1, solver="newton-cg", tol=1e-10, max_iter=10000).fit(X, y)
    near(ours.predict_proba(X), theirs.predict_proba(X), 1e-6)


def test_linear():
    X, y = load_breast_cancer(return_X_y=True)
    target = X[:, 0]
    ours = credence.LinearRegression().fit(X[:, 1:8], target)
    near(ours.predict(X[:, 1:8]), LinearRegression().fit(X[:, 1:8], target).predict(X[:, 1:8]), 1e-8)
    mean, sd = ours.predict(X[:, 1:8], return_std=True)
    inside = np.abs(target - mean) < 1.96 * sd
    assert 0.92 < inside.mean() < 0.98
