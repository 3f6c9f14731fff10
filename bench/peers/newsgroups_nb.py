"""peers/newsgroups_nb.py - train and test MultinomialNB on 20 Newsgroups by date, as whole work.

    newsgroups_nb.py csv TRAIN.csv TEST.csv | folders TRAIN TEST

Prints the accuracy."""
import sys

import pandas
from sklearn.datasets import load_files
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB


def read(kind, path):
    if kind == "csv":
        table = pandas.read_csv(path, keep_default_na=False)
        return table["text"], table["class"]
    files = load_files(path, encoding="latin1")
    return files.data, files.target


vectorizer = CountVectorizer()
text, label = read(sys.argv[1], sys.argv[2])
model = MultinomialNB().fit(vectorizer.fit_transform(text), label)
text, label = read(sys.argv[1], sys.argv[3])
print("%.4f" % model.score(vectorizer.transform(text), label))
