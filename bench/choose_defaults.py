#!/usr/bin/env python3
"""bench/choose_defaults.py - choose a learner's default on half of the tables, judge it on the rest.

Usage: choose_defaults.py measure CREDENCE DATA FIGURES [GROUP...]
       choose_defaults.py choose FIGURES [GROUP...]

measure cross-validates every setting of the groups below on every table (ten folds, settings
calibrated as `credence train` does it) and appends a line for each to FIGURES: table, setting,
rows, accuracy, log loss, ECE, seconds of processor time. What FIGURES has already is not measured
again. Tables are the ARFF files of DATA that have a class, and UCI sets that are not among them.

choose deals the tables into halves, a hundred times by chance: the setting with the least mean log
loss on one half is judged on the other half, and the other way round. It prints for each setting
its means over all tables and how often it was chosen, and for the choice its means over the tables
that it was not chosen on, beside those of the setting in use and of the best of each table.
"""
import json
import os
import random
import resource
import subprocess
import sys

# The first setting of a group is the one in use.
GROUPS = {
    "nb": ["nb:real=auto", "nb:real=gaussian", "nb:real=gaussian:variance=class-feature",
           "nb:real=kde", "nb:real=bins:mdl"],
    "nb-bare": ["nb:real=auto:calibrate=none", "nb:real=gaussian:calibrate=none",
                "nb:real=kde:calibrate=none", "nb:real=bins:mdl:calibrate=none"],
    "logistic": ["logistic:lambda=auto", "logistic:lambda=1", "logistic:lambda=0.1",
                 "logistic:lambda=10"],
    "gda": ["gda", "gda:covariance=shared", "gda:covariance=full", "gda:covariance=diagonal",
            "gda:shrinkage=cv", "gda:covariance=full:shrinkage=ledoit-wolf",
            "gda:covariance=full:pool=0.5"],
    "tree": ["tree"] + ["tree:m=%d:confidence=%g" % (m, c)
                        for m in (1, 2, 4, 8, 16) for c in (0.05, 0.1, 0.25, 0.5, 1)],
    "tree-bare": ["tree:calibrate=none", "tree:m=8:calibrate=none", "tree:m=16:calibrate=none"],
    "single": ["auto", "tan", "aode", "kdb"],
}

# The class is the last column unless it is named here; tables without one are left out.
CLASS = {"shuttle.landing.control": "Class", "spect.test": "OVERALL_DIAGNOSIS",
         "spect.train": "OVERALL_DIAGNOSIS", "spectf.test": "OVERALL_DIAGNOSIS",
         "spectf.train": "OVERALL_DIAGNOSIS", "wine": "class", "spectrometer": "LRS-class"}
NONE = {"autompg", "autoprice", "cleveland", "cpu", "diabetes.numeric", "housing", "machine.cpu",
        "servo"}
UCI = ["satellite", "waveform", "wdbc", "zoo"]
SECONDS_MOST = 600


def tables(data):
    """Name, path and options of each table."""
    folder = os.path.join(data, "table", "arff")
    out = []
    for file in sorted(os.listdir(folder)):
        name = file[:-len(".arff")]
        if file.endswith(".arff") and name not in NONE:
            out.append((name, os.path.join(folder, file),
                        ["-t", CLASS[name]] if name in CLASS else []))
    here = os.path.dirname(os.path.abspath(__file__))
    made = os.path.join(os.environ.get("TMPDIR", "/tmp"), "choose_defaults.%d" % os.getuid())
    subprocess.run([sys.executable, os.path.join(here, "tables.py"), data, made] + UCI, check=True,
                   stdout=subprocess.DEVNULL)
    return out + [(name, os.path.join(made, name + ".arff"), []) for name in UCI]


def read_figures(path):
    figures = {}
    if os.path.exists(path):
        with open(path) as f:
            for line in f:
                table, setting, rows, accuracy, loss, ece, seconds = line.split("\t")
                figures[table, setting] = (float(rows), float(accuracy), float(loss), float(ece),
                                           float(seconds))
    return figures


def judge(credence, setting, path, options):
    """Rows, accuracy, log loss, ECE and seconds; None where it cannot be done."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run([credence, "cv", "-q", "--json", "-m", setting, *options, path],
                              capture_output=True, timeout=SECONDS_MOST)
    except subprocess.TimeoutExpired:
        return None
    if done.returncode != 0:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = json.loads(done.stdout)
    return (result["rows"], result["accuracy"], result["log_loss"], result["ece"],
            after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def measure(credence, data, path, groups):
    figures = read_figures(path)
    with open(path, "a") as out:
        for group in groups:
            for name, file, options in tables(data):
                for setting in GROUPS[group]:
                    if (name, setting) in figures:
                        continue
                    got = judge(credence, setting, file, options)
                    if got is not None:
                        out.write("\t".join([name, setting] + ["%.6g" % x for x in got]) + "\n")
                        out.flush()


def mean(values):
    return sum(values) / len(values)


def show(title, of, names, chosen):
    print("| `%s` | %.4f | %.4f | %.4f | %s |" % (
        title, mean([of[n][1] for n in names]), mean([of[n][2] for n in names]),
        mean([of[n][3] for n in names]), chosen))


def choose(path, groups):
    figures = read_figures(path)
    for group in groups:
        settings = GROUPS[group]
        names = sorted(t for t in {t for t, _ in figures}
                       if all((t, s) in figures for s in settings))
        if not names:
            continue
        of = {s: {t: figures[t, s] for t in names} for s in settings}
        taken, judged, used, dealer = dict.fromkeys(settings, 0), [], [], random.Random(1)
        for _ in range(100):
            order = dealer.sample(names, len(names))
            halves = order[:len(order) // 2], order[len(order) // 2:]
            for on, off in (halves, halves[::-1]):
                best = min(settings, key=lambda s: mean([of[s][t][2] for t in on]))
                taken[best] += 1
                judged.append([mean([of[best][t][k] for t in off]) for k in (1, 2, 3)])
                used.append([mean([of[settings[0]][t][k] for t in off]) for k in (1, 2, 3)])
        print("\n%s: %d tables\n" % (group, len(names)))
        print("| setting | accuracy | log loss | ECE | chosen, of 200 |\n|---|--:|--:|--:|--:|")
        for s in settings:
            show(s, of[s], names, taken[s])
        for title, rows in (("chosen on the other half", judged), ("in use, on the same", used)):
            print("| %s | %.4f | %.4f | %.4f | |" % (title, *[mean(c) for c in zip(*rows)]))
        best = [min((of[s][t] for s in settings), key=lambda f: f[2]) for t in names]
        print("| best of each table | %.4f | %.4f | %.4f | |" % tuple(
            mean([b[k] for b in best]) for k in (1, 2, 3)))


def main():
    if sys.argv[1:2] == ["measure"] and len(sys.argv) >= 5:
        measure(*sys.argv[2:5], sys.argv[5:] or list(GROUPS))
    elif sys.argv[1:2] == ["choose"] and len(sys.argv) >= 3:
        choose(sys.argv[2], sys.argv[3:] or list(GROUPS))
    else:
        sys.exit(__doc__)


main()
