#!/usr/bin/env python3
"""bench/auto_means.py - the means over tables of what bench/auto.sh measured, as docs/auto.md has them.

    bench/auto_means.py FIGURES.tsv...

Means are over the tables that every learner of the list could do; ECE of auto on large tables, and
the tables on which it is less accurate than naive Bayes by more than a point, follow.
"""
import sys

SIZES = (0, 100, 1000)


def read(paths):
    of = {}
    for path in paths:
        for line in open(path, encoding="utf-8"):
            table, learner, rows, *figures = line.split()
            of.setdefault(table, {})[learner] = (int(rows), *map(float, figures))
    return of


def mean(values):
    return sum(values) / len(values) if values else float("nan")


def main():
    of = read(sys.argv[1:] or sys.exit(__doc__))
    learners = sorted({name for row in of.values() for name in row})
    whole = {t: row for t, row in of.items() if len(row) == len(learners)}
    partly = {t: sorted(set(learners) - set(row)) for t, row in of.items() if t not in whole}
    groups = [[t for t in whole if whole[t]["auto"][0] >= least] for least in SIZES]
    print("| | " + " | ".join("%d tables of %d rows on: accuracy | log loss | ECE" % (len(g), s)
                              for g, s in zip(groups, SIZES)) + " |")
    print("|---" + "|--:" * 9 + "|")
    lines = [(name, [mean([whole[t][name][k] for t in g]) for g in groups for k in (1, 2, 3)])
             for name in learners]
    for name, figures in sorted(lines, key=lambda line: line[1][1]):
        print("| `%s` | %s |" % (name, " | ".join("%.3f" % f for f in figures)))
    for name in (n for n in learners if n != "auto"):
        worse = [t for t in whole if whole[t][name][1] > whole[t]["auto"][1] + 0.01]
        print("%s is more than a point more accurate than auto on %d tables: %s"
              % (name, len(worse), ", ".join(worse)))
    best = [max(row[name][1] for name in learners if name != "auto") for row in whole.values()]
    least = [min(row[name][2] for name in learners if name != "auto") for row in whole.values()]
    print("the best single learner of each table: %.3f, %.3f" % (mean(best), mean(least)))
    print("not all learners:", partly)


main()
