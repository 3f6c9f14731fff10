#!/usr/bin/env python3
"""bench/beyond.py - accuracy of the less naive classifiers on UCI sets, beside Weka's and scikit-learn's.

Usage: CREDENCE_DATA=FOLDER beyond.py [--credence COMMAND] [--weka JAR] [--sets A,B] [--cache DIR]

Twice ten-fold stratified cross-validation of every learner on every set, each program with folds of
its own. The log-loss is the mean of -ln P(true class); as Weka prints probabilities to three digits, all
of them are taken as at least 0.0005. Prints Markdown. Without --weka, or without scikit-learn, their
columns are left out. --cache keeps tables and Weka's answers between runs.
"""
import csv
import math
import os
import re
import subprocess
import sys
import tempfile

OURS = [("nb", "nb", []), ("nb mdl", "nb", ["real=bins:mdl"]), ("nb kde", "nb", ["real=kde"]),
        ("tan", "tan", []), ("aode", "aode", []), ("kdb", "kdb", []), ("pairs", "pairs", []),
        ("tree", "tree", [])]
WEKA = [("weka nb", "weka.classifiers.bayes.NaiveBayes"),
        ("weka nb -D", "weka.classifiers.bayes.NaiveBayes -D"),
        ("weka nb -K", "weka.classifiers.bayes.NaiveBayes -K"),
        ("weka tan", "weka.classifiers.bayes.BayesNet -Q weka.classifiers.bayes.net.search.local.TAN"),
        ("weka aode", "weka.classifiers.meta.FilteredClassifier "
                      "-F weka.filters.supervised.attribute.Discretize -W weka.classifiers.bayes.AODE"),
        ("weka j48", "weka.classifiers.trees.J48")]
PEERS = ["sk nb", "sk bins", "sk tree"]
SETS = ("balance-scale breast-cancer breast-w car chess credit-a german glass heart-c hepatitis "
        "ionosphere iris lymphography pima segment sonar soybean tic-tac-toe vehicle votes vowel wdbc "
        "wine zoo").split()
LEAST = 0.0005
REPEATS = 2


def figures(pairs):
    """Accuracy and log-loss of (right, P(true class)) pairs."""
    return (sum(r for r, _ in pairs) / len(pairs),
            -sum(math.log(max(p, LEAST)) for _, p in pairs) / len(pairs))


def ours(command, table, learner, knobs, work):
    out = os.path.join(work, "answers.csv")
    params = [word for knob in knobs for word in ("-p", knob)]
    subprocess.run([command, "cv", "-q", "-r", str(REPEATS), "-m", learner, *params, "-o", out, table], check=True,
                   stdout=subprocess.DEVNULL)
    with open(out, newline="") as f:
        rows = list(csv.DictReader(f))
    return figures([(r["truth"] == r["prediction"], float(r["p(%s)" % r["truth"]])) for r in rows])


def weka(jar, arff, words, cache):
    pairs = []
    for seed in range(1, REPEATS + 1):
        answers = "%s.%d.txt" % (cache, seed)
        if not os.path.exists(answers):
            done = subprocess.run(["java", "-Xmx1g", "-cp", jar, *words.split(), "-t", arff, "-x", "10",
                                   "-s", str(seed), "-p", "0", "-distribution"], capture_output=True,
                                  text=True)
            with open(answers, "w") as f:
                f.write(done.stdout)
        pairs += read_weka(answers)
    return figures(pairs) if pairs else None


def read_weka(path):
    pairs = []
    with open(path, errors="replace") as f:
        for line in f:
            m = re.match(r"\s*\d+\s+(\d+):\S*\s+(\d+):\S*\s+\+?\s*([*\d.,]+)\s*$", line)
            if m:
                p = float(m.group(3).split(",")[int(m.group(1)) - 1].lstrip("*"))
                pairs.append((m.group(1) == m.group(2), p))
    return pairs


def peers(table):
    """scikit-learn: Gaussian naive Bayes, categorical on five quantile bins, a tree."""
    import numpy as np
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import StratifiedKFold, cross_val_predict
    from sklearn.naive_bayes import CategoricalNB, GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder
    from sklearn.tree import DecisionTreeClassifier

    with open(table, newline="") as f:
        rows = list(csv.reader(f))[1:]
    columns = list(zip(*rows))
    y = np.array(columns[-1])

    def is_real(column):
        known = [v for v in column if v != "?"]
        return not set(known) <= {"0", "1"} and all(re.match(r"^[-+]?[\d.]+(e[-+]?\d+)?$", v, re.I)
                                                    for v in known)

    real = [i for i, c in enumerate(columns[:-1]) if is_real(c)]
    word = [i for i in range(len(columns) - 1) if i not in real]
    x = np.array([[(float(v) if v != "?" else np.nan) if i in real else v for i, v in
                   enumerate(r[:-1])] for r in rows], dtype=object)
    sizes = [len(set(columns[i])) + 1 for i in word]
    plain = ColumnTransformer([("r", SimpleImputer(), real),
                               ("w", OneHotEncoder(handle_unknown="ignore", sparse_output=False), word)])
    codes = ColumnTransformer([
        ("r", make_pipeline(SimpleImputer(), KBinsDiscretizer(5, encode="ordinal")), real),
        ("w", OrdinalEncoder(categories=[sorted(set(columns[i])) for i in word]), word)])
    models = [make_pipeline(plain, GaussianNB()),
              make_pipeline(codes, CategoricalNB(min_categories=[5] * len(real) + sizes)),
              make_pipeline(plain, DecisionTreeClassifier(min_samples_leaf=2, random_state=1))]
    place = {c: k for k, c in enumerate(sorted(set(y)))}
    result = []
    for model in models:
        pairs = []
        for seed in range(1, REPEATS + 1):
            folds = StratifiedKFold(10, shuffle=True, random_state=seed)
            p = cross_val_predict(model, x, y, cv=folds, method="predict_proba")
            pairs += [(p[i].argmax() == place[y[i]], p[i][place[y[i]]]) for i in range(len(y))]
        result.append(figures(pairs))
    return result


def table_of(title, heads, rows, which):
    print("\n%s\n\n| set | %s |\n|---|%s" % (title, " | ".join(heads), "---:|" * len(heads)))
    for name, row in rows:
        best = (max if which == 0 else min)(f[which] for f in row if f)
        cells = ["–" if f is None else ("**%s**" if f[which] == best else "%s") %
                 ("%.1f" % (100 * f[0]) if which == 0 else "%.3f" % f[1]) for f in row]
        print("| %s | %s |" % (name, " | ".join(cells)))
    whole = [row for _, row in rows if None not in row]
    mean = [sum(r[k][which] for r in whole) / len(whole) for k in range(len(heads))]
    print("| mean of %d | %s |" % (len(whole), " | ".join(
        "%.2f" % (100 * m) if which == 0 else "%.4f" % m for m in mean)))


def main():
    arguments = dict(zip(sys.argv[1::2], sys.argv[2::2]))
    command = arguments.get("--credence", "build/credence")
    jar = arguments.get("--weka")
    sets = arguments["--sets"].split(",") if "--sets" in arguments else SETS
    work = arguments.get("--cache") or tempfile.mkdtemp()
    here = os.path.dirname(os.path.abspath(__file__))
    subprocess.run([sys.executable, os.path.join(here, "tables.py"), os.environ["CREDENCE_DATA"], work,
                    *sets], check=True, stdout=subprocess.DEVNULL)
    rows, heads = [], []
    for name in sets:
        table = os.path.join(work, name + ".csv")
        row = [ours(command, table, learner, knobs, work) for _, learner, knobs in OURS]
        heads = [title for title, _, _ in OURS]
        if jar:
            heads += [title for title, _ in WEKA]
            row += [weka(jar, os.path.join(work, name + ".arff"), words,
                         os.path.join(work, "%s.%s" % (name, title.replace(" ", "")))) for
                    title, words in WEKA]
        try:
            row += peers(table)
            heads += PEERS
        except ImportError:
            pass
        print(name, file=sys.stderr)
        rows.append((name, row))
    table_of("Accuracy in per cent", heads, rows, 0)
    table_of("Log-loss in nats", heads, rows, 1)


main()
