"""Estimators in the style of scikit-learn, on the exact statistics of the engine.

They need NumPy only. Knobs have the names of the command's, with ``_`` for ``-``; one that is None is
at the engine's default, and ``params`` takes any knob that has no argument of its own.
"""

from __future__ import annotations

from . import _credence
from ._data import TARGET, WEIGHT, WEIGHT_NAME, Table, column, describe, is_frame, number_text
from ._errors import Undecided, conversion_warning, not_fitted
from ._knobs import costs_text, params_of, priors_text
from ._progress import watching
from ._results import Answer, Board, Drift, Explanation, Figures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping

COMMON = ("basis", "params", "types", "calibrate", "threads", "seed")
UNDECIDED = -1


class Estimator:
    """What all estimators share: parameters, columns, the model and its bytes."""

    _learner = "nb"
    _numbers = False  # the target is a number
    _numbers_are_symbols = False  # numbers are the names of categories, as they are to CategoricalNB

    # --- parameters, as scikit-learn's BaseEstimator has them -----------------------------------

    @classmethod
    def _names(cls) -> list[str]:
        return list(cls.__init__.__kwdefaults__)  # all of them are keywords

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any):
        """Set parameters by name."""
        names = self._names()
        for name, value in params.items():
            if name not in names:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: "
                    f"{sorted(names)!r}."
                )
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = type(self).__init__.__kwdefaults__
        given = [
            f"{name}={getattr(self, name)!r}"
            for name in self._names()
            if getattr(self, name) is not defaults[name]
        ]
        return f"{type(self).__name__}({', '.join(given)})"

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": True, "requires_y": True, "X_types": ["2darray", "sparse", "string"]}

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _params(self) -> list[str]:
        knobs = {n: getattr(self, n) for n in self._names() if n not in COMMON}
        return params_of(knobs) + params_of(self.params or {})

    # --- columns ----------------------------------------------------------------------------------

    def _fit_columns(self, X, reset: bool) -> Table:
        table = describe(X, self.types)
        if self._numbers_are_symbols:
            table = _as_symbols(table, self.types)
        if reset:
            self.n_features_in_ = len(table.names)
            self._features = table.names
            if table.named and is_frame(X):
                import numpy as np

                self.feature_names_in_ = np.array(table.names, dtype=object)
            elif hasattr(self, "feature_names_in_"):
                del self.feature_names_in_
        else:
            self._check_columns(X, table)
        return table

    def _check_columns(self, X, table: Table) -> None:
        if is_frame(X) or hasattr(self, "feature_names_in_"):
            self._check_names(X, table)
        if len(table.names) != self.n_features_in_:
            raise ValueError(
                f"X has {len(table.names)} features, but {type(self).__name__} is expecting "
                f"{self.n_features_in_} features as input."
            )

    def _check_names(self, X, table: Table) -> None:
        name = type(self).__name__
        fitted = getattr(self, "feature_names_in_", None)
        named = is_frame(X) and table.named
        if fitted is None and named:
            _warn(
                f"X has feature names, but {name} was fitted without feature names", UserWarning,
                stacklevel=4,
            )
        elif fitted is not None and not named:
            _warn(
                f"X does not have valid feature names, but {name} was fitted with feature names",
                UserWarning, stacklevel=4,
            )
        elif fitted is not None and list(fitted) != list(table.names):
            raise ValueError(_names_message(list(fitted), list(table.names)))

    def _columns(self, X) -> Table:
        """The columns of X for a fitted model; a matrix of doubles takes the short way."""
        if not hasattr(self, "model_"):
            raise not_fitted(type(self).__name__)
        if (
            type(X).__name__ == "ndarray"
            and X.ndim == 2
            and X.dtype.char == "d"
            and X.shape[1] == self.n_features_in_
            and X.shape[0] > 0
            and not hasattr(self, "feature_names_in_")
            and not self.types
        ):
            return Table(
                [(self._features, X, 0, 0, None, None, None, None)], X.shape[0], self._features, False
            )
        table = self._fit_columns(X, reset=False)
        if not table.named and table.names == self._features:
            return table
        return _renamed(table, self._features)

    def _weight_columns(self, sample_weight, rows: int) -> list[tuple]:
        import numpy as np

        if sample_weight is None:
            return []
        weight = np.asarray(sample_weight, dtype=float)
        if weight.ndim == 0:
            weight = np.full(rows, float(weight))
        if weight.ndim != 1:
            raise ValueError("Sample weights must be 1D array or scalar")
        if weight.shape[0] != rows:
            raise ValueError(
                f"sample_weight.shape == {weight.shape}, expected {(rows,)}!"
            )
        return [column(WEIGHT_NAME, weight, 1, WEIGHT)]

    # --- learning -----------------------------------------------------------------------------------

    def _options(self) -> dict[str, Any] | None:
        basis = getattr(self, "basis", None)
        return None if basis is None else {"basis": basis}

    def _train(self, columns: list[tuple], rows: int, progress=None, begins=False) -> None:
        """begins: more rows will come, so nothing is chosen or calibrated by these."""
        try:
            with watching(progress) as told:
                self.model_ = _credence.train(
                    columns, self._options(), self._learner, self._params(), self.calibrate,
                    begins, self.threads or 0, self.seed or 0, told,
                )
        except _credence.Error as error:
            raise _explained(error, columns, rows) from None

    def _teach(self, columns: list[tuple], unlearn: bool, progress=None) -> None:
        try:
            with watching(progress) as told:
                self.model_.learn(columns, None, unlearn, self.threads or 0, told)
        except _credence.Error as error:
            raise _explained(error, columns, 0) from None

    def merge(self, other: Estimator):
        """Add all that another estimator of the same kind has learned."""
        return self._become(self._fitted().merged(other._fitted()))

    def unmerge(self, other: Estimator):
        """Take back all that another estimator of the same kind has learned."""
        return self._become(self._fitted().without(other._fitted()))

    def __add__(self, other):
        return self._fresh().merge(other) if isinstance(other, Estimator) else NotImplemented

    def __sub__(self, other):
        return self._fresh().unmerge(other) if isinstance(other, Estimator) else NotImplemented

    def _fresh(self):
        import copy

        return copy.copy(self)

    def _fitted(self) -> _credence.Model:
        if not hasattr(self, "model_"):
            raise not_fitted(type(self).__name__)
        return self.model_

    def _become(self, model: _credence.Model):
        self.model_ = model
        self._after()
        return self

    def refit(self, **knobs: Any):
        """Turn knobs of a fitted model; the data are not needed."""
        self._become(self._fitted().refitted(params_of(knobs)))
        names = self._names()
        for name, value in knobs.items():
            if name in names:
                setattr(self, name, value)
            else:
                self.params = {**(self.params or {}), name: value}
        return self

    def refit_auto(self):
        """Choose knobs anew where the counts are enough to choose by: of naive Bayes how numbers
        are described and words are smoothed."""
        return self._become(self._fitted().chosen_again())

    # --- what is in it ------------------------------------------------------------------------------

    def query(self, question: str) -> Answer:
        """Ask for a probability, as in ``P(rain=yes | grass=wet)``."""
        return Answer(self._fitted().query(question))

    def drift(self, X, *, level: float = 0.05, progress=None) -> Drift:
        """Compare recent rows, which need no class, with what was learned."""
        columns = self._columns(X).columns
        with watching(progress) as told:
            return _parsed(Drift, _credence.drift(self.model_, columns, None, level,
                                                  self.threads or 0, told))

    def explain(self, X, *, cost=None, reject=None, priors=None) -> list[Explanation]:
        """Why each row is decided as it is: what every feature adds."""
        table = self._columns(X)
        rule = _rule(cost, reject, priors)
        texts = self.model_.explain(table.columns, None, rule, False, self._numbers)
        return [_parsed(Explanation, text) for text in texts]

    def work(self, X) -> list[Board]:
        """The derivation of each row's answer, as on a blackboard."""
        columns = self._columns(X).columns
        return [Board(t) for t in self.model_.explain(columns, None, None, True, self._numbers)]

    def save(self, path: str) -> None:
        """Write the model file that the command and all other front ends read."""
        self.model_.save(str(path))

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        if "model_" in state:
            state["model_"] = state["model_"].dumps()
        return state

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        self.__dict__.update(state)
        if isinstance(state.get("model_"), bytes):
            self.model_ = _credence.loads(state["model_"])

    def _after(self) -> None:
        """Called when the model has changed."""


class Classifier(Estimator):
    """An estimator whose target is a class."""

    _estimator_type = "classifier"

    def fit(self, X, y, sample_weight=None, *, progress=None):
        """Learn from rows X and their classes y. progress is a function of (done, total, rows), or
        True for a bar."""
        table = self._fit_columns(X, reset=True)
        labels, codes = _labels(y, table.rows)
        self.classes_ = labels
        self._train(
            table.columns + [_target(self._features, labels, codes)]
            + self._weight_columns(sample_weight, table.rows), table.rows, progress,
        )
        self._after()
        return self

    def _after(self) -> None:
        known = {name: i for i, name in enumerate(self.model_.classes)}
        self._order = [known.get(label_text(c), UNDECIDED) for c in self.classes_.tolist()]
        self._straight = self._order == list(range(len(known)))

    def _posterior(self, X, rule=None, log=False):
        import numpy as np

        table = self._columns(X)
        answer = np.empty((table.rows, len(self.model_.classes) if not self._straight
                           else len(self._order)))
        outputs = (None, answer, None, None, None, None) if log else (
            answer, None, None, None, None, None)
        self.model_.predict(table.columns, outputs, rule, False, self.threads or 0)
        if self._straight:
            return answer
        ordered = np.full((table.rows, len(self._order)), -np.inf if log else 0.0)
        for i, j in enumerate(self._order):
            if j != UNDECIDED:
                ordered[:, i] = answer[:, j]
        return ordered

    def predict_proba(self, X):
        """P(class | row), one column for each of ``classes_``."""
        return self._posterior(X)

    def predict_log_proba(self, X):
        """ln P(class | row), also where the probability is too small for a double."""
        return self._posterior(X, log=True)

    def predict(self, X):
        """The most probable class of each row."""
        return self._decide(X, None)[0]

    def decide(self, X, *, cost=None, reject=None, priors=None):
        """Classes of least expected cost, and those costs; None where a row is rejected.

        cost is {(true, decided): cost}; reject is what it costs not to decide; priors say how
        common the classes are where the model is used.
        """
        import numpy as np

        labels, decision, expected = self._decide(X, _rule(cost, reject, priors), strict=False)
        out = labels.astype(object)
        out[decision == UNDECIDED] = None
        return out, np.asarray(expected)

    def _decide(self, X, rule, strict=True):
        import numpy as np

        table = self._columns(X)
        decision = np.empty(table.rows, dtype=np.int32)
        expected = np.empty(table.rows) if rule is not None else None
        self.model_.predict(
            table.columns, (None, None, decision, None, expected, None), rule, False,
            self.threads or 0,
        )
        place = np.zeros(len(self.model_.classes) + 1, dtype=np.int64)
        for i, j in enumerate(self._order):
            if j != UNDECIDED:
                place[j] = i
        if strict and (decision == UNDECIDED).any():
            count = int((decision == UNDECIDED).sum())
            _warn(
                f"{count} of {table.rows} rows are undecided: every class gives them probability "
                "zero; they are given the commonest class", Undecided, stacklevel=3,
            )
            best = max(range(len(self.model_.classes)), key=self.model_.prior)
            place[-1] = place[best]
        return self.classes_[place[decision]], decision, expected

    def score(self, X, y, sample_weight=None) -> float:
        """The share of rows that are classified correctly."""
        import numpy as np

        right = self.predict(X) == np.asarray(y).ravel()
        return float(np.average(right, weights=sample_weight))

    def test(self, X, y) -> Figures:
        """Every figure of merit: accuracy, log loss, Brier score, calibration, confusion, …"""
        table = self._columns(X)
        labels, codes = _labels(y, table.rows)
        columns = table.columns + [_target(self._features, labels, codes)]
        return _parsed(Figures, _credence.test(self.model_, columns, None, False,
                                               self.threads or 0, None))

    def calibrate_on(self, X, y, method: str = "auto"):
        """Calibrate the probabilities on labelled rows that were not learned."""
        table = self._columns(X)
        labels, codes = _labels(y, table.rows)
        columns = table.columns + [_target(self._features, labels, codes)]
        return self._become(self.model_.calibrated(columns, None, method, self.threads or 0,
                                                   None)[0])


class IncrementalClassifier(Classifier):
    """A classifier that goes on learning, and takes back what it has learned."""

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn more rows. The first call may name all classes there will be. A model that begins
        here has the textbook settings of its learner and is not calibrated, unless it is asked for:
        the first rows do not tell what the later ones will be."""
        import numpy as np

        first = not hasattr(self, "model_")
        table = self._fit_columns(X, reset=first)
        labels, codes = _labels(y, table.rows)
        if first:
            self.classes_ = labels if classes is None else np.unique(np.asarray(classes))
        unknown = [c for c in labels.tolist() if c not in set(self.classes_.tolist())]
        if unknown:
            raise ValueError(f"y has classes {unknown} that the first call did not name")
        columns = (
            table.columns + [_target(self._features, labels, codes)]
            + self._weight_columns(sample_weight, table.rows)
        )
        if first:
            self._train(columns, table.rows, begins=True)
        else:
            self._teach(_renamed(Table(columns, table.rows, table.names, False), self._features,
                                 extra=True).columns, False)
        self._after()
        return self

    def unlearn(self, X, y, sample_weight=None):
        """Unlearn rows: the model is as if they had never been learned."""
        table = self._columns(X)
        labels, codes = _labels(y, table.rows)
        self._teach(
            table.columns + [_target(self._features, labels, codes)]
            + self._weight_columns(sample_weight, table.rows), True,
        )
        self._after()
        return self


class Regressor(Estimator):
    """An estimator whose target is a number."""

    _estimator_type = "regressor"
    _numbers = True

    def fit(self, X, y, sample_weight=None, *, progress=None):
        """Learn from rows X and their numbers y."""
        table = self._fit_columns(X, reset=True)
        self._train(
            table.columns + [column(_target_name(self._features), _numbers(y, table.rows), 1, TARGET)]
            + self._weight_columns(sample_weight, table.rows), table.rows, progress,
        )
        return self

    def partial_fit(self, X, y, sample_weight=None):
        """Learn more rows."""
        if not hasattr(self, "model_"):
            return self.fit(X, y, sample_weight)
        return self._change(X, y, sample_weight, False)

    def unlearn(self, X, y, sample_weight=None):
        """Unlearn rows that were learned."""
        return self._change(X, y, sample_weight, True)

    def _change(self, X, y, sample_weight, unlearn):
        table = self._columns(X)
        self._teach(
            table.columns + [column(_target_name(self._features), _numbers(y, table.rows), 1, TARGET)]
            + self._weight_columns(sample_weight, table.rows), unlearn,
        )
        return self

    def predict(self, X, return_std: bool = False):
        """The mean of the target; with return_std also its standard deviation."""
        import numpy as np

        table = self._columns(X)
        answer = np.empty((table.rows, 4))
        self.model_.predict(
            table.columns, (None, None, None, None, None, answer), None, False, self.threads or 0
        )
        mean = answer[:, 0].copy()
        if not return_std:
            return mean
        freedom = answer[:, 2]
        with np.errstate(invalid="ignore", divide="ignore"):
            spread = np.where(np.isinf(freedom), 1.0,
                              np.where(freedom > 2, freedom / (freedom - 2), np.inf))
        return mean, answer[:, 1] * np.sqrt(spread)

    def score(self, X, y, sample_weight=None) -> float:
        """R², the share of the variance that is explained."""
        import numpy as np

        truth = np.asarray(y, dtype=float).ravel()
        weight = np.ones_like(truth) if sample_weight is None else np.asarray(sample_weight, float)
        error = np.sum(weight * (truth - self.predict(X)) ** 2)
        spread = np.sum(weight * (truth - np.average(truth, weights=weight)) ** 2)
        return float(1 - error / spread) if spread > 0 else float(error == 0)


# --- pieces ---------------------------------------------------------------------------------------


def _warn(text: str, category: type[Warning], stacklevel: int = 3) -> None:
    import warnings

    warnings.warn(text, category, stacklevel=stacklevel + 1)


def _parsed(kind, text):
    import json

    return kind(json.loads(text))


def label_text(label: Any) -> str:
    """A class label as the engine spells it."""
    if isinstance(label, str):
        return label
    if isinstance(label, bytes):
        return label.decode("utf-8", "replace")
    if isinstance(label, bool):
        return str(label)
    if isinstance(label, (int, float)):
        return number_text(label)
    return str(label)


def _target_name(features) -> str:
    name = "class"
    while name in features:
        name += "_"
    return name


def _target(features, labels, codes):
    return column(
        _target_name(features), codes, 2, TARGET, names=[label_text(c) for c in labels.tolist()]
    )


def _flat(y, rows: int):
    import numpy as np

    if y is None:
        raise ValueError("requires y to be passed, but the target y is None")
    array = np.asarray(y)
    if array.ndim == 2 and array.shape[1] == 1:
        _warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of "
            "y to (n_samples,), for example using ravel().", conversion_warning(), stacklevel=4,
        )
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {array.shape} instead.")
    if array.shape[0] != rows:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[rows, array.shape[0]]}"
        )
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    return array


def _labels(y, rows: int):
    """The different labels of y in order, and the place of each row's among them."""
    import numpy as np

    array = _flat(y, rows)
    if array.dtype.kind == "f":
        if np.isnan(array).any():
            raise ValueError("Input y contains NaN.")
        if np.isinf(array).any():
            raise ValueError("Input y contains infinity or a value too large for dtype('float64').")
        if (array != np.floor(array)).any():
            raise ValueError("Unknown label type: continuous. A regressor learns numbers.")
    if array.dtype.kind in "iu" and (few := _few_integers(array)) is not None:
        return few
    labels, codes = np.unique(array, return_inverse=True)
    return labels, codes.astype(np.int32, copy=False)


def _few_integers(array):
    """The same for integers that lie close together, without sorting them; None where they do not."""
    import numpy as np

    low, high = int(array.min()), int(array.max())
    if high - low > 1 << 16:
        return None
    places = np.subtract(array, low, dtype=np.int64)
    there = np.flatnonzero(np.bincount(places))
    labels = (there + low).astype(array.dtype)
    if len(there) == high - low + 1:
        return labels, places.astype(np.int32)
    rank = np.zeros(high - low + 1, dtype=np.int32)
    rank[there] = np.arange(len(there), dtype=np.int32)
    return labels, rank[places]


def _numbers(y, rows: int):
    import numpy as np

    array = _flat(y, rows)
    array = np.asarray(array, dtype=float)
    if not np.isfinite(array).all():
        raise ValueError("Input y contains NaN, infinity or a value too large.")
    return array


def _rule(cost, reject, priors):
    if cost is None and reject is None and priors is None:
        return None
    return (costs_text(cost), None if reject is None else float(reject), priors_text(priors))


def _renamed(table: Table, names, extra: bool = False) -> Table:
    """The same columns under the names that the model knows, by their order."""
    known = dict(zip(table.names, names))
    columns = []
    for c in table.columns:
        name = tuple(names) if isinstance(c[0], tuple) else known.get(c[0], c[0])
        columns.append((name,) + c[1:])
    return Table(columns, table.rows, tuple(names), table.named)


def _as_symbols(table: Table, types) -> Table:
    """The same columns, numbers taken as symbols unless types says otherwise."""
    types = types or {}
    columns = [c[:2] + (2,) + c[3:] if c[2] == 0 and c[0] not in types else c for c in table.columns]
    return Table(columns, table.rows, table.names, table.named)


def _names_message(fitted, given) -> str:
    unseen = [n for n in given if n not in set(fitted)]
    missing = [n for n in fitted if n not in set(given)]
    text = "The feature names should match those that were passed during fit.\n"
    for title, names in (("Feature names unseen at fit time:\n", sorted(unseen)),
                         ("Feature names seen at fit time, yet now missing:\n", sorted(missing))):
        if names:
            text += title + "".join(f"- {n}\n" for n in names[:5])
            if len(names) > 5:
                text += "- ...\n"
    if not unseen and not missing:
        text += "Feature names must be in the same order as they were in fit.\n"
    return text


def _explained(error, columns, rows):
    """Say what sparse matrices must hold, when one is refused, and that one row may be too few."""
    if any(c[6] is not None for c in columns):
        return ValueError(f"sparse matrices hold counts of words: {error}")
    if rows == 1:
        return ValueError(f"n_samples=1: {error}")
    return error
