"""Several estimators that answer as one, weighed by their answers to rows not learned."""

from __future__ import annotations

from . import _credence
from ._data import is_frame
from ._estimators import Classifier, _labels, _target
from ._knobs import params_of
from ._progress import watching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping, Optional, Sequence

MIX = 0x9E3779B97F4A7C15  # 2^64 over the golden ratio: spreads bits


class Ensemble(Classifier):
    """Several estimators that answer as one.

    Some rows of each class, chosen by what is in them and not by their order, are withheld from the
    members and give the weights. Or no row is withheld: the members learn all rows, and those of
    each tenth are answered by members without them.

    Parameters
    ----------
    estimators : (name, estimator) each; None: naive Bayes, TAN and logistic regression
    weights : posterior, stacking or equal
    rule : optimal mixes the members' posteriors, gibbs draws a member, product multiplies
    held_out : share of the rows of each class that give the weights; None: all are learned
    params : other knobs of the learner by name
    types : kind of a column by its name, for members that have none: real, symbol, text or ignore
    threads : threads to use; None: one per core
    seed : seed of whatever is random

    >>> X, y = [[1.0], [1.2], [1.1], [1.4], [3.0], [3.1], [3.3], [2.9]], ["a"] * 4 + ["b"] * 4
    >>> Ensemble(held_out=0.5).fit(X, y).predict([[1.3], [3.2]]).tolist()
    ['a', 'b']
    """

    _learner = "ensemble"

    def __init__(
        self,
        *,
        estimators: Optional[Sequence[tuple[str, Classifier]]] = None,
        weights: Optional[str] = None,
        rule: Optional[str] = None,
        held_out: Optional[float] = 0.25,
        params: Optional[Mapping[str, Any]] = None,
        types: Optional[Mapping[str, str]] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.estimators = estimators
        self.weights = weights
        self.rule = rule
        self.held_out = held_out
        self.params = params
        self.types = types
        self.threads = threads
        self.seed = seed

    def _members(self) -> list[tuple[str, Classifier]]:
        from . import estimators as known

        given = self.estimators or [
            ("nb", known.NaiveBayes()), ("tan", known.TAN()),
            ("logistic", known.LogisticRegression()),
        ]
        fresh = [(name, type(one)(**one.get_params())) for name, one in given]
        for _, one in fresh:
            if one.types is None:
                one.types = self.types
            if getattr(one, "calibrate", "") is None:
                one.calibrate = "none"  # members count as they were before calibration
        return fresh

    def fit(self, X, y, sample_weight=None, *, progress=None):
        """Learn from rows X and their classes y."""
        import numpy as np

        table = self._fit_columns(X, reset=True)
        labels, codes = _labels(y, table.rows)
        y = labels[codes]
        weight = None
        if sample_weight is not None:
            weight = self._weight_columns(sample_weight, table.rows)[0][1]
            there = np.flatnonzero(weight > 0)  # a row without weight is not there
            X, y, codes, weight = _take(X, there), y[there], codes[there], weight[there]
            labels, codes = np.unique(y, return_inverse=True)
        self.classes_ = labels
        apart = rest = np.arange(len(codes))
        if self.held_out is not None:
            withheld = _apart(_row_keys(X, self.seed or 0), codes, len(labels), self.held_out)
            apart, rest = np.flatnonzero(withheld), np.flatnonzero(~withheld)
        members = self._members()
        for _, one in members:
            one.fit(_take(X, rest), y[rest], None if weight is None else weight[rest],
                    progress=progress)
        self.estimators_ = [one for _, one in members]
        self._weigh(members, X, labels, codes, weight, apart, progress)
        self._after()
        return self

    def _weigh(self, members, X, labels, codes, weight, apart, progress):
        knobs = {"weights": self.weights, "rule": self.rule, **(self.params or {})}
        if self.seed is not None:
            knobs["seed"] = self.seed
        columns = None
        if len(apart) == 0:
            knobs["weights"] = "equal"  # too few rows to withhold any
        else:
            table = self._columns_named(_take(X, apart))
            columns = table.columns + [
                _target(self._features, labels, codes[apart].astype("int32"))
            ] + self._weight_columns(None if weight is None else weight[apart], len(apart))
        with watching(progress) as told:
            self.model_ = _credence.combine(
                [one.model_ for _, one in members], [name for name, _ in members], columns, None,
                self.held_out is None, params_of(knobs), self.threads or 0, told,
            )

    def _columns_named(self, X):
        return self._fit_columns(X, reset=False)


def _apart(keys, codes, classes: int, share: float):
    """Which rows are withheld: of each class those with the smallest keys, never all."""
    import numpy as np

    out = np.zeros(len(codes), dtype=bool)
    for c in range(classes):
        own = np.flatnonzero(codes == c)
        first = own[np.argsort(keys[own], kind="stable")]
        out[first[: min(int(len(own) * share), len(own) - 1)]] = True
    return out


def _row_keys(X, seed: int):
    """A number for each row that depends on what is in it, and on the seed."""
    import zlib

    import numpy as np

    if is_frame(X) and all(getattr(t, "kind", "O") in "fiub" for t in X.dtypes):
        return _mixed(X.to_numpy(), seed)
    if is_frame(X):
        import pandas

        key = pandas.util.hash_pandas_object(X, index=False).to_numpy()
    elif hasattr(X, "tocsr"):
        rows = X.tocsr()
        rows.sort_indices()
        cut = list(zip(rows.indptr[:-1], rows.indptr[1:]))
        key = np.array([zlib.crc32(rows.data[a:b].tobytes() + rows.indices[a:b].tobytes())
                        for a, b in cut], dtype=np.uint64)
    else:
        array = np.asarray(X)
        if array.ndim == 2 and array.dtype.kind in "fiub":
            return _mixed(array, seed)
        key = np.array([zlib.crc32(repr(row).encode()) for row in X], dtype=np.uint64)
    return _spread(key.astype(np.uint64), seed)


def _mixed(array, seed: int):
    import numpy as np

    key = np.zeros(len(array), dtype=np.uint64)
    for column in range(array.shape[1]):
        bits = (array[:, column].astype(np.float64) + 0.0).view(np.uint64)
        key = (key ^ bits) * np.uint64(MIX)
        key ^= key >> np.uint64(29)
    return _spread(key, seed)


def _spread(key, seed: int):
    import numpy as np

    key = (key ^ np.uint64((seed * MIX + 1) % 2**64)) * np.uint64(MIX)
    return key ^ (key >> np.uint64(32))


def _take(X, index):
    """Some rows of a table."""
    if is_frame(X) or hasattr(X, "iloc"):
        return X.iloc[index]
    if hasattr(X, "tocsr"):
        return X.tocsr()[index]
    if isinstance(X, (list, tuple)):
        return [X[i] for i in index.tolist()]
    if hasattr(X, "shape") and hasattr(X, "__getitem__"):
        return X[index]
    if hasattr(X, "__array__"):
        import numpy as np

        return np.asarray(X)[index]
    raise TypeError(f"an ensemble withholds rows, which a {type(X).__name__} does not give one by one")
