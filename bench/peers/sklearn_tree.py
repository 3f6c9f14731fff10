# peers/sklearn_tree.py - scikit-learn's tree by entropy, grown to the end: fitting alone is timed.
#
# Usage: sklearn_tree.py FILE, a table of numbers with the column class
import sys
import time

import pandas
import sklearn
from sklearn.tree import DecisionTreeClassifier

table = pandas.read_csv(sys.argv[1])
y = table.pop("class").to_numpy()
x = table.to_numpy()
tree = DecisionTreeClassifier(criterion="entropy", random_state=0)
began = time.process_time()
tree.fit(x, y)
print("scikit-learn %s, fit alone: %.3g s, %d leaves"
      % (sklearn.__version__, time.process_time() - began, tree.get_n_leaves()))
