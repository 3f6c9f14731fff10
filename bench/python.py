"""The Python package next to scikit-learn, from arrays in memory, in one run.

    PYTHONPATH=build/python python3 bench/python.py [--rows 1000000] [--json]

Times are the least of several runs: of the clock, as users wait, and of the processor (all threads),
which other work on the machine does not change. The texts of 20 Newsgroups are read from the folder
in CREDENCE_DATA; they are left out where that is not set.
"""

import argparse
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np

import credence

RUNS = 7


def spent(work, runs=RUNS):
    """Least times of some runs, of the clock and of the processor, and what the last one gave."""
    clock = processor = float("inf")
    answer = None
    for _ in range(runs):
        begin = time.perf_counter(), time.process_time()
        answer = work()
        clock = min(clock, time.perf_counter() - begin[0])
        processor = min(processor, time.process_time() - begin[1])
    return (clock, processor), answer


def matrix(rows):
    from sklearn.naive_bayes import GaussianNB

    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, rows)
    X = rng.normal(size=(rows, 20)) + y[:, None] * rng.normal(size=20)
    ours, theirs = credence.NaiveBayes(variance="class-feature", calibrate="none"), GaussianNB()
    fit = spent(lambda: ours.fit(X, y))[0], spent(lambda: theirs.fit(X, y))[0]
    a, p = spent(lambda: ours.predict_proba(X))
    b, q = spent(lambda: theirs.predict_proba(X))
    assert np.abs(p - q).max() < 1e-4  # unbiased variances, and no share of the largest
    row = X[:1].copy()
    one = []
    for model in (ours, theirs):
        (clock, processor), _ = spent(lambda: [model.predict_proba(row) for _ in range(1000)])
        one.append((clock / 1000, processor / 1000))
    return [("fit, 1 M × 20 doubles", *fit, 5), ("predict_proba of them", a, b, 5),
            ("predict_proba of one row", *one, None)]


def mixed(rows):
    import pandas
    from sklearn.compose import ColumnTransformer
    from sklearn.naive_bayes import CategoricalNB, GaussianNB
    from sklearn.preprocessing import OrdinalEncoder

    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, rows)
    frame = pandas.DataFrame({f"x{i}": rng.normal(size=rows) + y for i in range(10)})
    names = np.array(["red", "green", "blue", "black", "white"])
    for i in range(10):
        frame[f"c{i}"] = pandas.Categorical(names[(rng.integers(0, 4, rows) + y) % 5])
    symbols, numbers = [f"c{i}" for i in range(10)], [f"x{i}" for i in range(10)]

    def theirs():
        """Both naive Bayes on their columns; their log posteriors add up, one prior too many."""
        coder = ColumnTransformer([("codes", OrdinalEncoder(), symbols)], remainder="passthrough")
        table = coder.fit_transform(frame)
        discrete = CategoricalNB().fit(table[:, :10].astype(int), y)
        real = GaussianNB().fit(table[:, 10:], y)
        table = coder.transform(frame)
        score = discrete.predict_joint_log_proba(table[:, :10].astype(int)) \
            + real.predict_joint_log_proba(table[:, 10:]) - np.log(real.class_prior_)
        score -= score.max(axis=1, keepdims=True)
        p = np.exp(score)
        return p / p.sum(axis=1, keepdims=True)

    model = credence.NaiveBayes(variance="class-feature", variance_estimate="mle", calibrate="none",
                                variance_floor=1e-9)
    a, p = spent(lambda: model.fit(frame, y).predict_proba(frame))
    b, q = spent(theirs, 1)
    assert np.abs(p - q).max() < 1e-6
    return [("fit and predict a frame, 10 numbers, 10 categories", a, b, 10)]


def news():
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    archive = pathlib.Path(os.environ.get("CREDENCE_DATA", "")) / "text" / "20news-bydate.tar.zst"
    if not archive.exists():
        return []
    texts = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["tar", "--zstd", "-xf", archive, "-C", folder], check=True)
        for part in ("train", "test"):
            files = sorted(p for p in pathlib.Path(folder).glob(f"**/20news-bydate-{part}/*/*"))
            texts[part] = ([p.read_text("latin-1") for p in files], [p.parent.name for p in files])
    (X, y), (Z, truth) = texts["train"], texts["test"]
    a, p = spent(lambda: credence.NaiveBayes(event="multinomial", calibrate="none").fit(X, y).predict(Z), 2)
    b, q = spent(lambda: make_pipeline(CountVectorizer(), MultinomialNB()).fit(X, y).predict(Z), 1)
    print(f"# 20 Newsgroups: accuracy {np.mean(p == np.array(truth)):.4f} here, "
          f"{np.mean(q == np.array(truth)):.4f} there", file=sys.stderr)
    return [("20 Newsgroups, fit and predict texts", a, b, 15)]


def starting():
    code = "import time; t = time.process_time(); import {}; print(time.process_time() - t)"
    times = [(0.0, min(float(subprocess.run([sys.executable, "-c", code.format(name)], check=True,
                                      capture_output=True, text=True).stdout) for _ in range(5)))
             for name in ("credence", "sklearn.naive_bayes")]
    return [("import", *times, None)]


def copies(rows):
    """Bytes that the process grows by in a fit, beyond the labels, for each layout."""
    out = {}
    for order in "CF":
        X = np.zeros((rows, 20), order=order)
        X += np.random.default_rng(0).normal(size=20)
        X[::2] += 1
        y = np.arange(rows) % 2
        credence.NaiveBayes(threads=1).fit(X[:1000], y[:1000])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        credence.NaiveBayes(threads=1).fit(X, y)
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
        out[order] = {"matrix": X.nbytes, "grown": grown}
    return out


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--json", action="store_true")
    chosen = options.parse_args()
    memory = copies(chosen.rows)
    rows = matrix(chosen.rows) + mixed(chosen.rows) + news() + starting()
    if chosen.json:
        print(json.dumps({"memory": memory, "times": rows}))
        return
    print(f"{'':52}{'credence':>21}{'scikit-learn':>22}{'ratio':>14}{'wanted':>8}")
    print(f"{'':52}" + f"{'clock':>11}{'processor':>10}" * 2 + f"{'clock':>8}{'proc.':>6}")
    for what, ours, theirs, wanted in rows:
        times = "".join(f"{t:11.6f}" for t in (*ours, *theirs))
        ratios = [b / a if a > 0 else float("nan") for a, b in zip(ours, theirs)]
        print(f"{what:50}{times}{ratios[0]:8.1f}{ratios[1]:6.1f}"
              f"{'' if wanted is None else wanted:>8}")
    for order, m in memory.items():
        print(f"a fit of a {order}-contiguous matrix of {m['matrix'] / 1e6:.0f} MB "
              f"grows the process by {m['grown'] / 1e6:.1f} MB")


main()
