#!/usr/bin/env python3
"""Reference values of EM for Gaussian discriminants on rows that lack numbers.

    make_gda_em_reference.py        writes em-gaps.csv and em-gaps.txt beside itself

Written from Dempster, Laird & Rubin (1977) with NumPy alone: row by row, in the units of the
features, nothing grouped. 150 rows of three classes and four correlated features of different
scales, a quarter of the numbers missing, some rows without any; weights 1/2, 1, 3/2, 2 in turn. For
each form of the covariance and with or without weights the steps go on until nothing moves by 1e-13 of
a standard deviation. em-gaps.txt has the means and covariances (divided by n) of each class and the log
likelihood of the numbers that are there.
"""
import os

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
CLASSES = ["ash", "birch", "cedar"]


def make_data():
    random = np.random.default_rng(20261116)
    rows = []
    for r in range(150):
        c = int(random.integers(3))
        common = random.normal()
        x = np.array([100 + 3 * c, 5 - c, 0.02 * c, 7.0]) + \
            np.array([10, 1, 0.05, 2]) * ((0.6 + 0.2 * c) * common + random.normal(size=4))
        x = np.round(x, 4)
        x[random.random(4) < 0.25] = np.nan
        if r % 37 == 0:
            x[:] = np.nan
        rows.append((x, c))
    return np.array([x for x, _ in rows]), np.array([c for _, c in rows])


def log_normal(x, mean, cov):
    d = x - mean
    _, log_det = np.linalg.slogdet(cov)
    return -0.5 * (len(x) * np.log(2 * np.pi) + log_det + d @ np.linalg.solve(cov, d))


def form(covs, counts, how):
    if how == "shared":
        shared = sum(n * s for n, s in zip(counts, covs)) / sum(counts)
        return [shared] * len(covs)
    if how == "diagonal":
        return [np.diag(np.diag(s)) for s in covs]
    if how == "spherical":
        return [np.eye(len(s)) * np.trace(s) / len(s) for s in covs]
    return covs


def em(X, y, w, how):
    n = X.shape[1]
    used = ~np.isnan(X).all(axis=1)
    scale = np.nanstd(X, axis=0)
    means = [np.nanmean(X[y == c], axis=0) for c in range(3)]
    covs = [np.diag(np.nanvar(X[y == c], axis=0)) for c in range(3)]
    counts = [w[used & (y == c)].sum() for c in range(3)]
    for _ in range(100000):
        sigma = form(covs, counts, how)
        log_likelihood, new_means, new_covs = 0, [], []
        for c in range(3):
            total, filled, left = np.zeros(n), [], np.zeros((n, n))
            chosen = np.where(used & (y == c))[0]
            for r in chosen:
                o, m = ~np.isnan(X[r]), np.isnan(X[r])
                s = sigma[c]
                log_likelihood += w[r] * log_normal(X[r][o], means[c][o], s[np.ix_(o, o)])
                B = s[np.ix_(m, o)] @ np.linalg.inv(s[np.ix_(o, o)])
                x = X[r].copy()
                x[m] = means[c][m] + B @ (X[r][o] - means[c][o])
                filled.append(x)
                total += w[r] * x
                left[np.ix_(m, m)] += w[r] * (s[np.ix_(m, m)] - B @ s[np.ix_(o, m)])
            mean = total / counts[c]
            cov = left + sum(w[r] * np.outer(x - mean, x - mean) for r, x in zip(chosen, filled))
            new_means.append(mean)
            new_covs.append(cov / counts[c])
        moved = max(max(np.abs((a - b) / scale).max() for a, b in zip(means, new_means)),
                    max(np.abs((a - b) / np.outer(scale, scale)).max()
                        for a, b in zip(covs, new_covs)))
        means, covs = new_means, new_covs
        if moved < 1e-13:
            break
    return means, form(covs, counts, how), log_likelihood


def main():
    X, y = make_data()
    half = np.array([0.5 + (r % 4) / 2 for r in range(len(X))])
    with open(os.path.join(HERE, "em-gaps.csv"), "w") as out:
        out.write("height,girth,leaf,age,kind,weight\n")
        for x, c, w in zip(X, y, half):
            out.write(",".join("" if np.isnan(v) else repr(float(v)) for v in x) +
                      f",{CLASSES[c]},{w}\n")
    with open(os.path.join(HERE, "em-gaps.txt"), "w") as out:
        out.write(f"# NumPy {np.__version__}, make_gda_em_reference.py\n")
        for weighted in (0, 1):
            for how in ("full", "shared", "diagonal", "spherical"):
                means, covs, ll = em(X, y, half if weighted else np.ones(len(X)), how)
                out.write(f"{how} {weighted} {ll:.17g}\n")
                for mean, cov in zip(means, covs):
                    out.write(" ".join(f"{v:.17g}" for v in list(mean) + list(cov.ravel())) + "\n")


main()
