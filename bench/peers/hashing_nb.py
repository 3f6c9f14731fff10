"""peers/hashing_nb.py - texts in fastText's format through scikit-learn's HashingVectorizer and
MultinomialNB.partial_fit, 10,000 documents at a time.

    hashing_nb.py FILE

Prints the class counts, so that the work can be checked."""
import itertools
import sys

from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.naive_bayes import MultinomialNB

vectorizer = HashingVectorizer(alternate_sign=False, norm=None, n_features=2**20)
model = MultinomialNB()
classes = sorted({line.split(" ", 1)[0] for line in itertools.islice(open(sys.argv[1]), 10000)})
with open(sys.argv[1]) as file:
    while lines := list(itertools.islice(file, 10000)):
        label, text = zip(*(line.split(" ", 1) for line in lines))
        model.partial_fit(vectorizer.transform(text), label, classes)
for name, count in zip(model.classes_, model.class_count_):
    print(name, int(count))
