# peers/sklearn_tree.py - scikit-learn's trees, fitting alone timed: CPU seconds of the process.
#
# Usage: sklearn_tree.py FILE [entropy|boosting], a table of numbers with the column class. entropy:
# one tree, grown to the end; boosting: a hundred trees of 31 leaves over 255 intervals.
import sys
import time

import pandas
import sklearn
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.tree import DecisionTreeClassifier

table = pandas.read_csv(sys.argv[1])
y = table.pop("class").to_numpy()
x = table.to_numpy()
boosting = sys.argv[2:] == ["boosting"]
tree = (HistGradientBoostingClassifier(random_state=0, early_stopping=False) if boosting
        else DecisionTreeClassifier(criterion="entropy", random_state=0))
began = time.process_time()
tree.fit(x, y)
print("scikit-learn %s, fit alone: %.3g s, %s" % (
    sklearn.__version__, time.process_time() - began,
    "%d rounds" % tree.n_iter_ if boosting else "%d leaves" % tree.get_n_leaves()))
