#!/usr/bin/env python3
"""reference/make_logistic_reference.py - posteriors of scikit-learn's logistic regression.

    make_logistic_reference.py DATA

DATA is the folder of data sets. Writes the files *-logistic*.csv beside this script, in the layout
that README.md describes. Newton steps are used because they can be driven to the maximum.
"""
import csv
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import OneHotEncoder, StandardScaler

HERE = pathlib.Path(__file__).resolve().parent
DATA = pathlib.Path(sys.argv[1])
SHOWN = 60


def table(path, header):
    with open(path, newline="") as f:
        rows = [row for row in csv.reader(f) if row]
    return numpy.array(rows[1:] if header else rows, dtype=object)


def prepared(recipe, *names):
    with tempfile.TemporaryDirectory() as out:
        subprocess.run([HERE / "prepare.sh", recipe, DATA, out], check=True)
        return [table(pathlib.Path(out) / name, True) for name in names]


def write(case, model, posterior):
    step = max(1, len(posterior) // SHOWN)
    with open(HERE / f"{case}.csv", "w") as f:
        f.write(f"# scikit-learn {sklearn.__version__} LogisticRegression C={model.C:g}\n")
        f.write(f"# rows {len(posterior)}\n")
        f.write("row," + ",".join(f"p({c})" for c in model.classes_) + "\n")
        for row in range(0, len(posterior), step):
            f.write(f"{row + 1}," + ",".join(f"{p:.17g}" for p in posterior[row]) + "\n")
        f.write("sum," + ",".join(f"{math.fsum(c):.17g}" for c in posterior.T) + "\n")


def fit(case, x, y, c, new=None):
    model = LogisticRegression(C=c, solver="newton-cg", tol=1e-9, max_iter=100).fit(x, y)
    write(case, model, model.predict_proba(x if new is None else new))


def standard(x):
    return StandardScaler().fit_transform(x)


uci = DATA / "table" / "uci"
rows = table(uci / "iris.data", False)
fit("iris-logistic", standard(rows[:, :4].astype(float)), rows[:, 4], 1)
fit("iris-logistic-raw", rows[:, :4].astype(float), rows[:, 4], 10)
rows = table(uci / "wdbc.data", False)
fit("wdbc-logistic", standard(rows[:, 2:].astype(float)), rows[:, 1], 1)
rows = table(uci / "pima-indians-diabetes.data", False)
fit("pima-logistic", standard(rows[:, :8].astype(float)), rows[:, 8], 1)
(rows,) = prepared("votes-absent", "votes.csv")
fit("votes-logistic", OneHotEncoder().fit_transform(rows[:, 1:]).toarray(), rows[:, 0], 1)
train, test = prepared("adult-absent", "adult.csv", "adult-test.csv")
numbers = [0, 2, 4, 10, 11, 12]
words = [i for i in range(14) if i not in numbers]
scale, code = StandardScaler().fit(train[:, numbers].astype(float)), OneHotEncoder().fit(train[:, words])
both = [numpy.hstack([scale.transform(t[:, numbers].astype(float)),
                      code.transform(t[:, words]).toarray()]) for t in (train, test)]
fit("adult-logistic", both[0], train[:, 14], 1, both[1])
