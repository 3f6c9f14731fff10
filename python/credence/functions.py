"""Functions for files, frames and everything that is no estimator."""

from __future__ import annotations

import json
import os
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from . import _credence
from ._data import TARGET, describe
from ._estimators import _rule
from ._knobs import params_of
from ._results import Explanation, Figures

Progress = Optional[Callable[[int, int, int], None]]
Data = Any  # a path, several, bytes of a file, or a table in memory


def _source(data: Data, target: Optional[str], types: Optional[Mapping[str, str]], reading):
    """What the engine reads, and how: paths and bytes as they are, tables as columns."""
    options = {k: v for k, v in reading.items() if v is not None}
    if isinstance(data, (str, os.PathLike)):
        data = (os.fspath(data),)
    if isinstance(data, bytes) or (
        isinstance(data, tuple) and data and isinstance(data[0], (str, os.PathLike))
    ):
        options["target"] = target
        options["types"] = [f"{name}={kind}" for name, kind in (types or {}).items()]
        return (data if isinstance(data, bytes) else tuple(os.fspath(p) for p in data)), options, False
    table = describe(data, dict(types or {}))
    names = [c[0] for c in table.columns]
    if any(isinstance(n, tuple) for n in names):
        raise TypeError("a table needs names: pass a frame or a list of dicts, or use an estimator")
    wanted = target if target is not None else names[-1]
    if wanted not in names:
        raise ValueError(f"there is no column '{wanted}'; the columns are {names}")
    return [c[:3] + ((TARGET if c[0] == wanted else c[3]),) + c[4:] for c in table.columns], None, True


def _paths(data) -> tuple:
    return tuple(data) if isinstance(data, list) else data


class Model:
    """A model of the engine: what the command writes, and what an estimator has inside."""

    def __init__(self, model: "_credence.Model") -> None:
        self._model = model

    @property
    def learner(self) -> str:
        return self._model.learner

    @property
    def classes(self) -> list[str]:
        return self._model.classes

    @property
    def columns(self) -> list[tuple]:
        """(name, kind, role, why) of every column."""
        return self._model.columns

    @property
    def knobs(self) -> dict[str, str]:
        return self._model.knobs

    @property
    def facts(self) -> dict[str, Any]:
        return self._model.facts

    @property
    def _numbers(self) -> bool:
        return self.classes == [""] and any(c[2] == TARGET and c[1] == "real" for c in self.columns)

    def _table(self, data):
        table = describe(data)
        if table.named:
            return table
        features = [c[0] for c in self.columns if c[2] == 0 and c[1] != "ignore"]
        if len(features) != len(table.names):
            raise ValueError(f"X has {len(table.names)} columns, the model {len(features)} features")
        from ._estimators import _renamed

        return _renamed(table, features)

    def predict_proba(self, X):
        """P(class | row), one column for each of ``classes``."""
        import numpy as np

        table = self._table(X)
        out = np.empty((table.rows, len(self.classes)))
        self._model.predict(table.columns, (out, None, None, None, None, None), None, True, 0)
        return out

    def predict(self, X, *, cost=None, reject=None, priors=None) -> list:
        """The class of each row, None where it is undecided; of a regression the numbers."""
        import numpy as np

        table = self._table(X)
        if self._numbers:
            answer = np.empty((table.rows, 4))
            self._model.predict(table.columns, (None,) * 5 + (answer,), None, True, 0)
            return answer[:, 0].tolist()
        decision = np.empty(table.rows, dtype=np.int32)
        self._model.predict(
            table.columns, (None, None, decision, None, None, None), _rule(cost, reject, priors),
            True, 0,
        )
        names = self.classes
        return [names[d] if d >= 0 else None for d in decision.tolist()]

    def explain(self, X) -> list[Explanation]:
        texts = self._model.explain(self._table(X).columns, None, None, False, self._numbers)
        return [Explanation(json.loads(t)) for t in texts]

    def work(self, X) -> list[str]:
        """The derivation of each row's answer, as on a blackboard."""
        return self._model.explain(self._table(X).columns, None, None, True, self._numbers)

    def query(self, question: str) -> dict[str, Any]:
        return self._model.query(question)

    def learn(self, data: Data, *, progress: Progress = None, **reading) -> int:
        """Learn more rows; how many there were."""
        return self._teach(data, False, progress, reading)

    def unlearn(self, data: Data, *, progress: Progress = None, **reading) -> int:
        """Take rows back that were learned."""
        return self._teach(data, True, progress, reading)

    def _teach(self, data, unlearn, progress, reading):
        target = next((c[0] for c in self.columns if c[2] == TARGET), None)
        source, options, _ = _source(_paths(data), target, None, reading)
        return self._model.learn(source, options, unlearn, 0, progress)

    def merge(self, other: "Model") -> "Model":
        """A model of what both have learned."""
        merged = self._model.copy()
        merged.merge(other._model)
        return Model(merged)

    __add__ = merge

    def refit(self, **knobs: Any) -> "Model":
        """A model of the same rows with other knobs."""
        model = self._model.copy()
        model.refit(params_of(knobs))
        return Model(model)

    def save(self, path: Union[str, os.PathLike]) -> None:
        self._model.save(os.fspath(path))

    def dumps(self) -> bytes:
        """The bytes of the model file."""
        return self._model.dumps()

    def __reduce__(self):
        return (loads, (self.dumps(),))

    def __repr__(self) -> str:
        facts = self.facts
        return f"<credence.Model {self.learner}: {facts['rows']} rows, {len(self.classes)} classes>"


def train(
    data: Data, target: Optional[str] = None, learner: str = "nb", *,
    types: Optional[Mapping[str, str]] = None, calibrate: Optional[str] = None,
    threads: int = 0, seed: int = 0, progress: Progress = None,
    params: Optional[Mapping[str, Any]] = None, **reading: Any,
) -> Model:
    """Train a model on a file, several (a tuple or list of paths), a frame or a list of dicts.

    The last column is learned unless target names another. params are the learner's knobs; reading
    may have format, delimiter, missing, columns, weight, member and classes.

    >>> rows = [{"wind": "weak", "play": "yes"}, {"wind": "strong", "play": "no"}] * 3
    >>> train(rows, "play").classes
    ['no', 'yes']
    """
    source, options, _ = _source(_paths(data) if _is_paths(data) else data, target, types, reading)
    return Model(
        _credence.train(
            source, options, learner, params_of(params or {}), calibrate, threads, seed, progress
        )
    )


def _is_paths(data) -> bool:
    return isinstance(data, list) and bool(data) and isinstance(data[0], (str, os.PathLike))


def load(path: Union[str, os.PathLike]) -> Model:
    """Open a model file."""
    return Model(_credence.load(os.fspath(path)))


def loads(data: bytes) -> Model:
    """A model from the bytes of its file. They are checked; nothing in them is executed."""
    return Model(_credence.loads(data))


def test(model: Model, data: Data, *, progress: Progress = None, **reading) -> Figures:
    """Every figure of merit of a model on labelled rows."""
    target = next((c[0] for c in model.columns if c[2] == TARGET), None)
    source, options, _ = _source(_paths(data) if _is_paths(data) else data, target, None, reading)
    return Figures(_credence.test(model._model, source, options, model._numbers, 0, progress))


def cv(
    data: Data, target: Optional[str] = None, learner: str = "nb", *, folds: int = 10,
    repeats: int = 1, group: Optional[str] = None, types: Optional[Mapping[str, str]] = None,
    seed: int = 0, threads: int = 0, progress: Progress = None,
    params: Optional[Mapping[str, Any]] = None, **reading: Any,
) -> Figures:
    """Cross-validate a learner: figures on rows that its models have not seen. folds=-1: leave one
    out."""
    source, options, _ = _source(_paths(data) if _is_paths(data) else data, target, types, reading)
    return Figures(
        _credence.cv(
            source, options, learner, params_of(params or {}), folds, repeats, group, seed, threads,
            progress,
        )
    )


def compare(data: Data, target: Optional[str] = None, learners: Sequence[str] = ("nb", "logistic"),
            **arguments: Any) -> dict[str, Figures]:
    """Cross-validate several learners on the same folds."""
    return {learner: cv(data, target, learner, **arguments) for learner in learners}


def learners() -> dict[str, str]:
    """The learners of the engine, with a line about each."""
    return _credence.learners()

