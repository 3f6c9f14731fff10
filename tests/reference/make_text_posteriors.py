#!/usr/bin/env python3
"""reference/make_text_posteriors.py - the posteriors of scikit-learn on a small table of texts.

    make_text_posteriors.py

Written beside this script:

posts.csv             texts of three classes, made of word lists by a seeded generator, with a column
                      of row weights; posts-new.csv has the texts to be judged
text-posteriors.csv   for every case of the list below the posteriors of each new text

tests/cli/text_reference.sh has the command answer the same questions. Made with scikit-learn 1.2.1.
"""
import csv
import pathlib
import random

import numpy
import sklearn
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

HERE = pathlib.Path(__file__).resolve().parent

WORDS = {
    "chess": "pawn rook bishop knight queen king castle mate check gambit opening endgame board clock "
             "draw move file rank sacrifice defence",
    "kitchen": "salt butter onion pan oven flour dough simmer stir sauce pepper garlic bake knife "
               "board roast spoon draw stock clock",
    "sailing": "wind mast rope sail tack harbour tide anchor keel rudder reef knot chart bow stern "
               "board file buoy squall deck",
}
SHARED = "the and then with after before we they it was very slowly quickly today again never always".split()


def make_rows(rng, count):
    rows = []
    for i in range(count):
        name = rng.choice(["chess", "chess", "kitchen", "sailing"])
        own = WORDS[name].split()
        other = WORDS[rng.choice(sorted(WORDS))].split()
        text = [rng.choice(rng.choices([own, SHARED, other], [6, 5, 2])[0])
                for _ in range(rng.randint(3, 25))]
        if rng.random() < 0.3:
            text[rng.randrange(len(text))] = text[0].upper() + "!"
        rows.append((" ".join(text), name, rng.choice([1, 1, 2, 3])))
    return rows


def write_rows(name, rows, columns):
    with open(HERE / name, "w", newline="") as out:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["text", "class", "rows"][:columns])
        writer.writerows(row[:columns] for row in rows)


# The knobs of the command, what makes vectors of the texts, what judges them.
CASES = [
    ("alpha=1", CountVectorizer(), MultinomialNB(alpha=1)),
    ("alpha=0.1", CountVectorizer(), MultinomialNB(alpha=0.1)),
    ("alpha=0.5 prior=uniform", CountVectorizer(), MultinomialNB(alpha=0.5, fit_prior=False)),
    ("event=boolean alpha=0.3", CountVectorizer(binary=True), MultinomialNB(alpha=0.3)),
    ("event=bernoulli alpha=1", CountVectorizer(binary=True), BernoulliNB(alpha=1)),
    ("event=bernoulli alpha=0.1", CountVectorizer(binary=True), BernoulliNB(alpha=0.1)),
    ("event=complement alpha=1 prior=uniform", CountVectorizer(), ComplementNB(alpha=1)),
    ("event=weighted-complement alpha=0.5 prior=uniform", CountVectorizer(),
     ComplementNB(alpha=0.5, norm=True)),
    ("ngrams=1..2 alpha=0.2", CountVectorizer(ngram_range=(1, 2)), MultinomialNB(alpha=0.2)),
    ("weight=tfidf length-norm=l2 alpha=0.1", TfidfVectorizer(), MultinomialNB(alpha=0.1)),
    ("weight=tfidf alpha=0.1", TfidfVectorizer(norm=None), MultinomialNB(alpha=0.1)),
    ("weight=sublinear-tfidf length-norm=l2 event=complement alpha=0.1 prior=uniform",
     TfidfVectorizer(sublinear_tf=True), ComplementNB(alpha=0.1)),
    ("weight=sublinear-tfidf length-norm=l2 event=weighted-complement alpha=1 prior=uniform",
     TfidfVectorizer(sublinear_tf=True), ComplementNB(alpha=1, norm=True)),
]


def main():
    rng = random.Random(7)
    rows, new = make_rows(rng, 60), make_rows(rng, 20)
    write_rows("posts.csv", rows, 3)
    write_rows("posts-new.csv", new, 1)
    with open(HERE / "text-posteriors.csv", "w", newline="") as out:
        out.write(f"# scikit-learn {sklearn.__version__}; made by make_text_posteriors.py\n")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(["knobs", "weights", "row", *sorted(WORDS)])
        for knobs, vectorizer, judge in CASES:
            for weighted in (False, True):
                # A whole weight is a row that stands there so often, idf included.
                told = [row for row in rows for _ in range(row[2] if weighted else 1)]
                X = vectorizer.fit_transform([row[0] for row in told])
                judge.fit(X, [row[1] for row in told])
                P = judge.predict_proba(vectorizer.transform([row[0] for row in new]))
                assert numpy.isfinite(P).all() and list(judge.classes_) == sorted(WORDS)
                for i, p in enumerate(P, 1):
                    writer.writerow([knobs, "yes" if weighted else "no", i,
                                     *(repr(float(x)) for x in p)])


main()
