"""peers/pandas_categorical_nb.py - read a CSV file with pandas and fit CategoricalNB; the last
column is the class.

    pandas_categorical_nb.py FILE usual|codes

CategoricalNB wants small integers. `usual` makes them with scikit-learn's OrdinalEncoder, as its
manual does; `codes` lets pandas number the values and the classes while it reads, the fastest way
that was found. Prints the class counts, so that the work can be checked."""
import sys

import pandas
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import OrdinalEncoder

if sys.argv[2] == "codes":
    codes = pandas.read_csv(sys.argv[1], dtype="category").apply(lambda column: column.cat.codes)
    x, y = codes.iloc[:, :-1].to_numpy(), codes.iloc[:, -1].to_numpy()
else:
    table = pandas.read_csv(sys.argv[1])
    x = OrdinalEncoder(dtype="int8").fit_transform(table.iloc[:, :-1])
    y = table.iloc[:, -1].to_numpy()
model = CategoricalNB().fit(x, y)
for name, count in zip(model.classes_, model.class_count_):
    print(name, int(count))
