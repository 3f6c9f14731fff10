#!/usr/bin/env python3
"""peers/sklearn_logistic.py - scikit-learn's logistic regression on the benchmarks' data.

    sklearn_logistic.py npy CSV NPY       a dense table as an array of doubles, classes last
    sklearn_logistic.py libsvm NPY OUT    the same as text for LIBLINEAR, standardised
    sklearn_logistic.py dense NPY         lbfgs, standardised, C=1
    sklearn_logistic.py news FOLDER C     tf-idf of the posts below FOLDER, lbfgs

The objective at the end is printed: minus the log likelihood plus |w|^2 / (2 C).
"""
import sys

import numpy


def objective(model, x, y, c):
    log_p = model.predict_log_proba(x)
    column = numpy.searchsorted(model.classes_, y)
    return -log_p[numpy.arange(len(y)), column].sum() + (model.coef_ ** 2).sum() / (2 * c)


def fit(x, y, c):
    from sklearn.linear_model import LogisticRegression
    model = LogisticRegression(C=c, max_iter=1000).fit(x, y)
    print(f"objective {objective(model, x, y, c):.6f} after {model.n_iter_[0]} steps")


def standardised(path):
    table = numpy.load(path)
    x = table[:, :-1]
    return (x - x.mean(0)) / x.std(0), table[:, -1].astype(int)


def main(what, *rest):
    if what == "npy":
        import pandas
        table = pandas.read_csv(rest[0])
        codes = table.iloc[:, -1].astype("category").cat.codes.to_numpy()
        numpy.save(rest[1], numpy.column_stack([table.iloc[:, :-1].to_numpy(float), codes]))
    elif what == "libsvm":
        x, y = standardised(rest[0])
        with open(rest[1], "w") as out:
            for row, label in zip(x, y):
                pairs = " ".join(f"{i + 1}:{v:.6g}" for i, v in enumerate(row))
                out.write(f"{label} {pairs}\n")
    elif what == "dense":
        fit(*standardised(rest[0]), 1.0)
    elif what == "news":
        from sklearn.datasets import load_files
        from sklearn.feature_extraction.text import TfidfVectorizer
        posts = load_files(rest[0], encoding="latin1")
        fit(TfidfVectorizer().fit_transform(posts.data), posts.target, float(rest[1]))


main(*sys.argv[1:])
