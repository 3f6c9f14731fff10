#!/usr/bin/env python3
"""Reference values for tests of cuts, kernel densities and conditional mutual information.

Written without a look at the C code: Fayyad and Irani's criterion straight from the paper, kernel
densities and chi-square tails from scipy. Prints what tests/data/test_discretise.c and
tests/model/test_beyond.c quote.
"""
import math

import numpy as np
from scipy import stats


def data():
    x = [round((i * 0.6180339887498949) % 1 * 10, 2) for i in range(1, 61)]
    c = ["a" if v < 3 else ("a" if i % 5 == 0 else "b") if v < 7 else "c"
         for i, v in enumerate(x, 1)]
    return x, c


def entropy(labels):
    n = len(labels)
    return -sum(labels.count(k) / n * math.log2(labels.count(k) / n) for k in set(labels))


def mdl(pairs):
    """Cuts of sorted (value, class) pairs, by recursion."""
    labels = [c for _, c in pairs]
    n = len(pairs)
    best = None
    for i in range(1, n):
        if pairs[i][0] == pairs[i - 1][0]:
            continue
        left, right = labels[:i], labels[i:]
        e = i / n * entropy(left) + (n - i) / n * entropy(right)
        if best is None or e < best[0] - 1e-12:
            best = (e, i)
    if best is None:
        return []
    e, i = best
    left, right = labels[:i], labels[i:]
    k, k1, k2 = len(set(labels)), len(set(left)), len(set(right))
    delta = math.log2(3 ** k - 2) - (k * entropy(labels) - k1 * entropy(left) - k2 * entropy(right))
    if entropy(labels) - e <= (math.log2(n - 1) + delta) / n:
        return []
    return mdl(pairs[:i]) + [(pairs[i - 1][0] + pairs[i][0]) / 2] + mdl(pairs[i:])


def cmi(rows):
    """I(X; Y | C) in nats, G2, degrees of freedom, p of (x, y, c) rows."""
    n = len(rows)
    total, freedom = 0, 0
    for c in set(r[2] for r in rows):
        table = {}
        for x, y, k in rows:
            if k == c:
                table[x, y] = table.get((x, y), 0) + 1
        xs, ys = sorted({x for x, _ in table}), sorted({y for _, y in table})
        m = np.array([[table.get((x, y), 0) for y in ys] for x in xs], float)
        g, _, df, _ = stats.chi2_contingency(m, correction=False, lambda_="log-likelihood")
        total += g
        freedom += df
    return total / 2 / n, total, freedom, stats.chi2.sf(total, freedom)


def main():
    x, c = data()
    print("mdl", mdl(sorted(zip(x, c))))
    a = np.array([v for v, k in zip(x, c) if k == "a"])
    for h in (0.25, 1.0):
        kde = stats.gaussian_kde(a, bw_method=h / a.std(ddof=1))
        print("kde", h, [repr(float(kde.logpdf(v)[0])) for v in (0.5, 4.2, 9.0)])
    rows = [("u" if i % 3 else "v", "p" if (i * i) % 7 < 3 else "q" if i % 2 else "r",
             "yes" if i % 4 < 2 else "no") for i in range(1, 61)]
    print("cmi", [repr(float(v)) for v in cmi(rows)])


main()
