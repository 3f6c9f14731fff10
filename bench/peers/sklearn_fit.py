# peers/sklearn_fit.py - read a table with pandas, fit one of scikit-learn's learners, predict.
#
# Usage: sklearn_fit.py FILE lda|qda|logistic|cv, a table of numbers with the column class. cv is
# ten-fold cross-validation of GaussianNB.
import sys

import pandas
from sklearn.discriminant_analysis import (LinearDiscriminantAnalysis,
                                           QuadraticDiscriminantAnalysis)
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.naive_bayes import GaussianNB

table = pandas.read_csv(sys.argv[1])
y = table.pop("class").to_numpy()
x = table.to_numpy()
if sys.argv[2] == "cv":
    print(cross_val_score(GaussianNB(), x, y, cv=10).mean())
else:
    model = {"lda": LinearDiscriminantAnalysis(), "qda": QuadraticDiscriminantAnalysis(),
             "logistic": LogisticRegression(max_iter=1000)}[sys.argv[2]]
    print(model.fit(x, y).classes_)
