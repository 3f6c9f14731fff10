"""peers/pandas_gaussian_nb.py - read a CSV file with pandas and fit GaussianNB; the last column is
the class.

    pandas_gaussian_nb.py FILE usual|codes

`usual` hands the class over as strings, which scikit-learn sorts; `codes` lets pandas number the
classes, the fastest way that was found. Prints the class counts and the first means, so that the
work can be checked."""
import sys

import pandas
from sklearn.naive_bayes import GaussianNB

table = pandas.read_csv(sys.argv[1])
x, y = table.iloc[:, :-1].to_numpy(), table.iloc[:, -1]
if sys.argv[2] == "codes":
    y = y.astype("category").cat.codes
model = GaussianNB().fit(x, y.to_numpy())
for name, count, mean in zip(model.classes_, model.class_count_, model.theta_[:, 0]):
    print(name, int(count), "%.9g" % mean)
