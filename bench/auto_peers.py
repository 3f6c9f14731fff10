#!/usr/bin/env python3
"""bench/auto_peers.py - scikit-learn's and Weka's classifiers in the folds that bench/auto.sh has.

    bench/auto_peers.py CREDENCE DATA_FOLDER [--weka JAR] TABLE... > figures.tsv

One line for each table and classifier, as bench/auto.sh prints them: table, classifier, rows, accuracy,
log loss, ECE. `credence cv` deals the folds. Some classifiers answer 0, so probabilities count as 0.0005
at least in the log loss. Weka needs a JDK; without --weka it is left out. bench/auto_means.py makes
tables of both.
"""
import csv
import math
import os
import re
import subprocess
import sys
import tempfile
import warnings

WEKA = [("weka-nb", "weka.classifiers.bayes.NaiveBayes"),
        ("weka-nb-K", "weka.classifiers.bayes.NaiveBayes -K"),
        ("weka-nb-D", "weka.classifiers.bayes.NaiveBayes -D"),
        ("weka-tan", "weka.classifiers.bayes.BayesNet -Q weka.classifiers.bayes.net.search.local.TAN"),
        ("weka-aode", "weka.classifiers.meta.FilteredClassifier "
                      "-F weka.filters.supervised.attribute.Discretize -W weka.classifiers.bayes.AODE"),
        ("weka-logistic", "weka.classifiers.functions.Logistic"),
        ("weka-j48", "weka.classifiers.trees.J48"),
        ("weka-forest", "weka.classifiers.trees.RandomForest -I 100")]
LEAST = 0.0005
BINS = 15
TARGETS = {"wine": "class"}
ATTRIBUTE = re.compile(r"@attribute\s+('[^']*'|\"[^\"]*\"|\S+)\s+(.*)", re.I)


def target_of(table):
    return "OVERALL_DIAGNOSIS" if table.startswith("spect") and table != "spectrometer" else \
        TARGETS.get(table)


def read(path, target):
    """(name, None or the declared values) of the columns, and rows; the class last."""
    columns, lines, data = [], [], False
    for line in open(path, encoding="latin-1"):
        line = line.strip()
        if not line or line.startswith("%"):
            continue
        found = ATTRIBUTE.match(line)
        if data:
            lines.append(line)
        elif found:
            kind = found.group(2).strip()
            values = next(csv.reader([kind.strip("{} \t")], quotechar="'", skipinitialspace=True)) \
                if kind.startswith("{") else None
            columns.append((found.group(1).strip("'\""), values and [v.strip() for v in values]))
        elif line.lower().startswith("@data"):
            data = True
    rows = [[v.strip() for v in row] for row in csv.reader(lines, quotechar="'",
                                                           skipinitialspace=True)]
    if target:
        at = [name for name, _ in columns].index(target)
        columns.append(columns.pop(at))
        for row in rows:
            row.append(row.pop(at))
    if columns[-1][1] is None:  # classes that are written as numbers
        columns[-1] = (columns[-1][0], sorted({row[-1] for row in rows}))
    return columns, rows


def quoted(value):
    return value if value == "?" else "'%s'" % value.replace("'", "\\'")


def write(path, columns, rows):
    with open(path, "w", encoding="utf-8") as f:
        f.write("@relation table\n")
        for name, values in columns:
            f.write("@attribute %s %s\n" % (quoted(name), "real" if values is None else
                                            "{%s}" % ",".join(map(quoted, values))))
        f.write("@data\n")
        for row in rows:
            f.write(",".join(v if columns[i][1] is None else quoted(v) for i, v in enumerate(row)))
            f.write("\n")


def folds_of(command, path, target, work):
    """The fold of each row, from 1; rows are in the order of their lines."""
    out = os.path.join(work, "answers.csv")
    subprocess.run([command, "cv", "-q", "-m", "nb:calibrate=none", "-o", out, path]
                   + (["-t", target] if target else []), check=True, stdout=subprocess.DEVNULL)
    with open(out, newline="") as f:
        fold = {int(r["row"]): int(r["fold"]) for r in csv.DictReader(f)}
    return [fold[line] for line in sorted(fold)]


def report(table, title, answers):
    """answers: (right, P(true class), P(decided class)) of each row."""
    n = len(answers)
    bins = [[0, 0, 0] for _ in range(BINS)]
    for right, _, confidence in answers:
        into = bins[max(0, min(BINS - 1, math.ceil(confidence * BINS) - 1))]
        into[0] += 1
        into[1] += right
        into[2] += confidence
    print(table, title, n, sum(a[0] for a in answers) / n,
          -sum(math.log(max(a[1], LEAST)) for a in answers) / n,
          sum(abs(right - sure) for _, right, sure in bins) / n, sep="\t", flush=True)


def weka(jar, table, columns, rows, fold, work):
    here = os.path.dirname(os.path.abspath(__file__))
    arff, folds, out = (os.path.join(work, name) for name in ("table.arff", "folds.csv", "weka"))
    write(arff, columns, rows)
    with open(folds, "w", encoding="ascii") as f:
        f.write("row,repeat,fold\n")
        f.writelines("%d,1,%d,\n" % (i + 2, k) for i, k in enumerate(fold))
    subprocess.run(["java", "-Xmx1g", "-XX:+UseSerialGC", "-cp", jar,
                    os.path.join(here, "WekaFolds.java"), arff, folds, out,
                    *["%s=%s" % learner for learner in WEKA]], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for title, _ in WEKA:
        if os.path.exists(out + "." + title):
            with open(out + "." + title, encoding="ascii") as f:
                report(table, title, [(right == "1", float(p), float(sure)) for right, p, sure in
                                      map(str.split, f)])


def models(real, word, values, rows):
    """scikit-learn's classifiers; a missing number is the mean, a missing symbol has no indicator."""
    from sklearn.compose import ColumnTransformer
    from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import CategoricalNB, GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder, StandardScaler

    known = [values[i] for i in word]
    indicators = OneHotEncoder(categories=known, handle_unknown="ignore", sparse_output=False)
    plain = ColumnTransformer([("r", SimpleImputer(), real), ("w", indicators, word)])
    scaled = ColumnTransformer([("r", make_pipeline(SimpleImputer(), StandardScaler()), real),
                                ("w", indicators, word)])
    codes = ColumnTransformer([
        ("r", make_pipeline(SimpleImputer(), KBinsDiscretizer(5, encode="ordinal")), real),
        ("w", OrdinalEncoder(categories=[list(v) + ["?"] for v in known]), word)])
    yield "sklearn-nb", make_pipeline(plain, GaussianNB())
    yield "sklearn-nb-bins", make_pipeline(codes, CategoricalNB(
        min_categories=[5] * len(real) + [len(v) + 1 for v in known]))
    yield "sklearn-logistic", make_pipeline(scaled, LogisticRegression(max_iter=1000))
    yield "sklearn-forest", make_pipeline(plain, RandomForestClassifier(100, random_state=1))
    if rows <= 15000:
        yield "sklearn-boosting", make_pipeline(plain, HistGradientBoostingClassifier(random_state=1))


def scikit(table, columns, rows, fold):
    import numpy as np

    real = [i for i, (_, values) in enumerate(columns[:-1]) if values is None]
    word = [i for i, (_, values) in enumerate(columns[:-1]) if values is not None]
    x = np.array([[(float(v) if v != "?" else np.nan) if columns[i][1] is None else v
                   for i, v in enumerate(row[:-1])] for row in rows], dtype=object)
    y = np.array([row[-1] for row in rows])
    of = np.array(fold)
    for title, model in models(real, word, [values for _, values in columns], len(rows)):
        answers = []
        try:
            for k in range(1, max(fold) + 1):
                model.fit(x[of != k], y[of != k])
                p, names = model.predict_proba(x[of == k]), list(model.classes_)
                for row, truth in zip(p, y[of == k]):
                    place = names.index(truth) if truth in names else None
                    answers.append((place is not None and row.argmax() == place,
                                    0 if place is None else row[place], row.max()))
        except ValueError as why:
            print(table, title, why, file=sys.stderr)
            continue
        report(table, title, answers)


def main():
    command, folder, *tables = sys.argv[1:] if len(sys.argv) > 3 else sys.exit(__doc__)
    jar = None
    if tables[0] == "--weka":
        _, jar, *tables = tables
    warnings.simplefilter("ignore")  # bins that fall together, searches that were cut short
    for table in tables:
        path = os.path.join(folder, "table", "arff", table + ".arff")
        with tempfile.TemporaryDirectory() as work:
            fold = folds_of(command, path, target_of(table), work)
            columns, rows = read(path, target_of(table))
            if len(rows) != len(fold):
                print(table, len(rows), len(fold), "rows differ", file=sys.stderr)
                continue
            scikit(table, columns, rows, fold)
            if jar:
                weka(jar, table, columns, rows, fold, work)


main()
