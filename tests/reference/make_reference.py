#!/usr/bin/env python3
"""reference/make_reference.py - posteriors of scikit-learn's naive Bayes, for the reference cases.

    make_reference.py DATA

DATA is the folder of data sets. One CSV file per case is written beside this script; the names
and the knobs are those of cases.csv. See README.md for the layout of the files.
"""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy
import sklearn
from sklearn.discriminant_analysis import (LinearDiscriminantAnalysis,
                                           QuadraticDiscriminantAnalysis)
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB
from sklearn.preprocessing import OrdinalEncoder

HERE = pathlib.Path(__file__).resolve().parent
DATA = pathlib.Path(sys.argv[1])
SHOWN = 100          # about so many rows of each case are stored


def rows_of(path, header):
    """The rows of a plain CSV file as lists of strings; empty lines do not count."""
    with open(path, newline="") as f:
        rows = [row for row in csv.reader(f) if row]
    return rows[1:] if header else rows


def prepared(recipe, *names):
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([HERE / "prepare.sh", recipe, DATA, out], check=True)
        tables = [rows_of(pathlib.Path(out) / name, header=True) for name in names]
    return tables if len(tables) > 1 else tables[0]


def original(name):
    return rows_of(DATA / "table" / "uci" / name, header=False)


def columns(rows, wanted):
    return [[row[i] for i in wanted] for row in rows]


def real(rows, wanted):
    return numpy.array(columns(rows, wanted), dtype=float)


def codes(train, *others):
    """Number each column's values by the training rows; every value must occur there."""
    encoder = OrdinalEncoder(dtype=int).fit(train)
    return [encoder.transform(rows) for rows in (train, *others)]


def labels(rows, target):
    return numpy.array([row[target] for row in rows])


def quoted(text):
    return '"%s"' % text.replace('"', '""') if any(c in text for c in ',"') else text


def write(case, learner, posterior, remark=""):
    """Store every k-th row of the posterior, and the sum over all rows of each class."""
    knobs = " ".join("%s=%s" % item for item in sorted(learner.get_params().items()))
    step = max(1, len(posterior) // SHOWN)
    digits = lambda values: ",".join("%.17g" % v for v in values)
    with open(HERE / (case + ".csv"), "w") as f:
        f.write("# scikit-learn %s %s %s%s\n" % (sklearn.__version__, type(learner).__name__,
                                                 knobs, remark))
        f.write("# rows %d\n" % len(posterior))
        f.write("row," + ",".join(quoted("p(%s)" % c) for c in learner.classes_) + "\n")
        for row in range(0, len(posterior), step):
            f.write("%d,%s\n" % (row + 1, digits(posterior[row])))
        f.write("sum,%s\n" % digits(math.fsum(column) for column in posterior.T))


def fit(case, learner, x, y, new=None, weight=None):
    if weight is None:
        learner.fit(x, y)
    else:
        learner.fit(x, y, sample_weight=weight)
    remark = "" if weight is None else " sample_weight=0.5,1,1.5,2,..."
    write(case, learner, learner.predict_proba(x if new is None else new), remark)


def turns(rows):
    """The weights that prepare.sh writes into its tables."""
    return 0.5 + numpy.arange(len(rows)) % 4 / 2


def discriminants(name, x, y):
    """Linear by both solvers (they divide by n - k and by n), and quadratic."""
    fit(name + "-lda", LinearDiscriminantAnalysis(solver="svd", tol=1e-12), x, y)
    fit(name + "-lda-lsqr", LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.1), x, y)
    fit(name + "-lda-wolf", LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto"), x, y)
    fit(name + "-qda", QuadraticDiscriminantAnalysis(), x, y)


def iris():
    rows = original("iris.data")
    x, y = real(rows, range(4)), labels(rows, 4)
    fit("iris-gaussian", GaussianNB(var_smoothing=1e-9), x, y)
    fit("iris-gaussian-floor", GaussianNB(var_smoothing=0.01), x, y)
    fit("iris-gaussian-prior", GaussianNB(priors=[0.2, 0.3, 0.5]), x, y)
    discriminants("iris", x, y)
    fit("iris-lda-prior", LinearDiscriminantAnalysis(solver="svd", priors=[0.2, 0.3, 0.5]), x, y)
    fit("iris-gaussian-weighted", GaussianNB(var_smoothing=0), x, y, weight=turns(rows))


def wine():
    rows = original("wine.data")
    x, y = real(rows, range(1, 14)), labels(rows, 0)
    fit("wine-gaussian", GaussianNB(var_smoothing=1e-9), x, y)
    fit("wine-gaussian-floor", GaussianNB(var_smoothing=1e-6), x, y)
    discriminants("wine", x, y)


def breast_cancer():
    rows = original("wdbc.data")
    x, y = real(rows, range(2, 32)), labels(rows, 1)
    fit("wdbc-gaussian", GaussianNB(var_smoothing=1e-9), x, y)
    fit("wdbc-gaussian-floor", GaussianNB(var_smoothing=1e-7), x, y)
    fit("wdbc-lda", LinearDiscriminantAnalysis(solver="svd", tol=1e-12), x, y)
    fit("wdbc-qda", QuadraticDiscriminantAnalysis(), x, y)


def votes():
    rows = prepared("votes-absent", "votes.csv")
    (x,), y = codes(columns(rows, range(1, 17))), labels(rows, 0)
    fit("votes-categorical", CategoricalNB(alpha=1.0, force_alpha=True), x, y)
    fit("votes-categorical-half", CategoricalNB(alpha=0.5, force_alpha=True), x, y)
    fit("votes-categorical-weighted", CategoricalNB(alpha=1.0, force_alpha=True), x, y,
        weight=turns(rows))

    rows = prepared("votes-binary", "votes.csv")
    x, y = real(rows, range(1, 17)), labels(rows, 0)
    fit("votes-bernoulli", BernoulliNB(alpha=1.0, force_alpha=True), x, y)
    fit("votes-bernoulli-half", BernoulliNB(alpha=0.5, force_alpha=True), x, y)


def mushroom():
    rows = prepared("mushroom-absent", "mushroom.csv")
    (x,), y = codes(columns(rows, range(1, 23))), labels(rows, 0)
    fit("mushroom-categorical", CategoricalNB(alpha=1.0, force_alpha=True), x, y)
    fit("mushroom-categorical-half", CategoricalNB(alpha=0.5, force_alpha=True), x, y)
    fit("mushroom-categorical-uniform",
        CategoricalNB(alpha=1.0, force_alpha=True, fit_prior=False), x, y)

    rows = prepared("mushroom-indicators", "mushroom.csv")
    x, y = numpy.array(columns(rows, range(1, len(rows[0])))) == "yes", labels(rows, 0)
    fit("mushroom-bernoulli", BernoulliNB(alpha=1.0, force_alpha=True), x, y)


def adult():
    train, test = prepared("adult-absent", "adult.csv", "adult-test.csv")
    numbers = [0, 2, 4, 10, 11, 12]
    words = [i for i in range(14) if i not in numbers]
    y = labels(train, 14)
    x, new = real(train, numbers), real(test, numbers)
    fit("adult-gaussian", GaussianNB(var_smoothing=1e-9), x, y, new)
    fit("adult-gaussian-exact", GaussianNB(var_smoothing=0), x, y, new)
    x, new = codes(columns(train, words), columns(test, words))
    fit("adult-categorical", CategoricalNB(alpha=1.0, force_alpha=True), x, y, new)
    fit("adult-categorical-half", CategoricalNB(alpha=0.5, force_alpha=True), x, y, new)


for data_set in (iris, wine, breast_cancer, votes, mushroom, adult):
    data_set()
