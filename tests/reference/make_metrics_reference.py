#!/usr/bin/python3
"""Write metrics.txt: answers with ties and their figures by scikit-learn 1.2.1.

Posteriors are multiples of 1/16, so that many are equal and the file holds them exactly. A case is

    case ROWS CLASSES
    truth decision weight numerator...      (one line a row; the posterior times 16)
    NAME VALUE                              (figures; nan where there is none)
    end

Some cases have rows of one class only, or classes without rows. DeLong's deviation, the Brier score
for several classes and Murphy's decomposition are worked here from their definitions.
"""
import sys
import warnings

import numpy as np
from sklearn import metrics as m

warnings.filterwarnings("ignore")
random = np.random.default_rng(20261116)
BINS = 15


def delong(positive, negative):
    wins = (positive[:, None] > negative[None, :]) + 0.5 * (positive[:, None] == negative[None, :])
    return np.sqrt(wins.mean(1).var(ddof=1) / len(positive) + wins.mean(0).var(ddof=1) / len(negative))


def murphy(p, onehot, w):
    total = w.sum()
    reliability = resolution = uncertainty = 0
    for c in range(p.shape[1]):
        share = (w * onehot[:, c]).sum() / total
        uncertainty += share * (1 - share)
        bins = np.clip(np.ceil(p[:, c] * BINS).astype(int) - 1, 0, BINS - 1)
        for b in range(BINS):
            at = bins == b
            n = w[at].sum()
            if n > 0:
                o = (w * onehot[:, c])[at].sum() / n
                reliability += n * ((w * p[:, c])[at].sum() / n - o) ** 2 / total
                resolution += n * (o - share) ** 2 / total
    return reliability, resolution, uncertainty


def top_k(p, y, w, k):
    order = np.argsort(-p, axis=1, kind="stable")
    return (w * (order[:, :k] == y[:, None]).any(1)).sum() / w.sum()


def calibration(p, y, decision, w):
    confidence = p.max(1)
    bins = np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)
    gaps = []
    for b in range(BINS):
        at = bins == b
        if w[at].sum() > 0:
            gaps.append((abs((w * (decision == y))[at].sum() - (w * confidence)[at].sum()), w[at].sum()))
    return sum(g for g, _ in gaps) / w.sum(), max(g / n for g, n in gaps)


def case(rows, classes, present, weighted):
    p = random.multinomial(16, random.dirichlet(np.ones(classes)), size=rows)
    y = random.choice(present, size=rows)
    lift = random.integers(0, 2, size=rows) == 1
    for r in np.flatnonzero(lift):
        donor = p[r].argmax()
        p[r, y[r]] += p[r, donor] if donor != y[r] else 0
        p[r, donor] -= p[r, donor] if donor != y[r] else 0
    w = random.integers(1, 5, size=rows) if weighted else np.ones(rows, int)
    decision = p.argmax(1)
    q = p / 16
    onehot = np.eye(classes)[y]
    figures = {
        "accuracy": m.accuracy_score(y, decision, sample_weight=w),
        "balanced_accuracy": m.balanced_accuracy_score(y, decision, sample_weight=w),
        "macro_f1": m.f1_score(y, decision, average="macro", sample_weight=w, zero_division=0),
        "micro_f1": m.f1_score(y, decision, average="micro", sample_weight=w),
        "weighted_f1": m.f1_score(y, decision, average="weighted", sample_weight=w, zero_division=0),
        "mcc": m.matthews_corrcoef(y, decision, sample_weight=w),
        "kappa": m.cohen_kappa_score(y, decision, sample_weight=w),
        "log_loss": m.log_loss(y, q, labels=range(classes), sample_weight=w),
        "brier": (w * ((q - onehot) ** 2).sum(1)).sum() / w.sum(),
    }
    if np.isnan(figures["kappa"]):
        figures["kappa"] = 0
    figures["ece"], figures["mce"] = calibration(q, y, decision, w)
    figures["reliability"], figures["resolution"], figures["uncertainty"] = murphy(q, onehot, w)
    for k in (1, 2, 3):
        figures[f"top{k}"] = top_k(q, y, w, k)
    for c in range(classes):
        is_c = y == c
        both = is_c.any() and not is_c.all()
        figures[f"roc{c}"] = m.roc_auc_score(is_c, q[:, c], sample_weight=w) if both else np.nan
        figures[f"pr{c}"] = m.average_precision_score(is_c, q[:, c], sample_weight=w) if is_c.any() else np.nan
        if not weighted:
            many = is_c.sum() > 1 and (~is_c).sum() > 1
            figures[f"deviation{c}"] = delong(q[is_c, c], q[~is_c, c]) if many else np.nan
    print("case", rows, classes)
    for r in range(rows):
        print(y[r], decision[r], w[r], *p[r])
    for name, value in figures.items():
        print(name, repr(float(value)))
    print("end")


sys.stdout = open("metrics.txt", "w")
for classes in (2, 3, 5):
    for weighted in (False, True):
        case(60, classes, list(range(classes)), weighted)
        case(17, classes, list(range(classes)), weighted)
        case(9, classes, [classes - 1], weighted)      # one class only
        case(40, classes, list(range(classes - 1)) or [0], weighted)  # a class without rows
        case(1, classes, [0], weighted)
