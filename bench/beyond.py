#!/usr/bin/env python3
"""bench/beyond.py - accuracy of the less naive classifiers on UCI sets, beside Weka's and scikit-learn's.

Usage: CREDENCE_DATA=FOLDER beyond.py [--credence COMMAND] [--weka JAR] [--sets A,B] [--cache DIR]

Five times ten-fold stratified cross-validation of every learner on every set. All programs have the
same folds, those that `credence cv` deals: WekaFolds.java gives them to Weka, which needs a JDK. The
log-loss is the mean of -ln P(true class); as some programs answer 0, all probabilities are taken as at
least 0.0005. Prints Markdown. Without --weka, or without scikit-learn, their columns are left out.
--cache keeps tables and Weka's answers between runs.
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
        ("network", "network", []), ("network class>", "network", ["whitelist=%s>", "score=aic"]),
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
REPEATS = 5


def figures(pairs):
    """Accuracy and log-loss of (right, P(true class)) pairs."""
    return (sum(r for r, _ in pairs) / len(pairs),
            -sum(math.log(max(p, LEAST)) for _, p in pairs) / len(pairs))


def ours(command, table, learner, knobs, out):
    with open(table, newline="") as f:
        target = next(csv.reader(f))[-1]
    params = [word for knob in knobs for word in ("-p", knob.replace("%s", target))]
    subprocess.run([command, "cv", "-q", "-r", str(REPEATS), "-m", learner, *params, "-o", out, table],
                   check=True, stdout=subprocess.DEVNULL)
    with open(out, newline="") as f:
        rows = list(csv.DictReader(f))
    return figures([(r["truth"] == r["prediction"], float(r["p(%s)" % r["truth"]])) for r in rows])


def folds_of(answers):
    """folds[repeat][row] of a file that `credence cv --out` wrote."""
    folds = []
    with open(answers, newline="") as f:
        for r in csv.DictReader(f):
            if int(r["repeat"]) > len(folds):
                folds.append({})
            folds[-1][int(r["row"]) - 2] = int(r["fold"])
    return folds


def weka(jar, arff, answers, cache):
    """Figures of all of Weka's classifiers, on the folds of our answers."""
    here = os.path.dirname(os.path.abspath(__file__))
    missing = [(title, words) for title, words in WEKA if not os.path.exists(cache + "." + title)]
    if missing:
        subprocess.run(["java", "-Xmx1g", "-cp", jar, os.path.join(here, "WekaFolds.java"), arff, answers,
                        cache, *["%s=%s" % learner for learner in missing]], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    result = []
    for title, _ in WEKA:
        with open(cache + "." + title) as f:
            result.append(figures([(right == "1", float(p)) for right, p, _ in map(str.split, f)]))
    return result


def peers(table, folds):
    """scikit-learn: Gaussian naive Bayes, categorical on five quantile bins, a tree."""
    import warnings

    import numpy as np
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.model_selection import PredefinedSplit, cross_val_predict
    from sklearn.naive_bayes import CategoricalNB, GaussianNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, OrdinalEncoder
    from sklearn.tree import DecisionTreeClassifier

    warnings.simplefilter("ignore")  # bins that fall together
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
        for fold in folds:
            split = PredefinedSplit([fold[i] for i in range(len(y))])
            p = cross_val_predict(model, x, y, cv=split, method="predict_proba")
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
        answers = os.path.join(work, name + ".answers.csv")
        row = [ours(command, table, learner, knobs, answers) for _, learner, knobs in OURS]
        heads = [title for title, _, _ in OURS]
        if jar:
            heads += [title for title, _ in WEKA]
            row += weka(jar, os.path.join(work, name + ".arff"), answers, os.path.join(work, name))
        try:
            row += peers(table, folds_of(answers))
            heads += PEERS
        except ImportError:
            pass
        print(name, file=sys.stderr)
        rows.append((name, row))
    table_of("Accuracy in per cent", heads, rows, 0)
    table_of("Log-loss in nats", heads, rows, 1)


main()
