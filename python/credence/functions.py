"""Functions for files, frames and everything that is no estimator."""

from __future__ import annotations

from . import _credence
from ._data import PRODUCT, TARGET, describe
from ._estimators import Estimator, _rule
from ._knobs import knob_text, params_of, spec_text
from ._progress import watching
from ._results import (
    Answer,
    Board,
    Comparison,
    Curve,
    Drift,
    Estimate,
    Explanation,
    Figures,
    Hypotheses,
    Independence,
    Quantity,
    Structure,
    Tuning,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from typing import Any, Callable, Mapping, Optional, Sequence, Union

    Progress = Union[None, bool, Callable[[int, int, int], Any]]
    Data = Any  # a path, several, bytes of a file, or a table in memory
    Path = Union[str, os.PathLike]


# --- data ---------------------------------------------------------------------------------------


def _is_path(data) -> bool:
    return isinstance(data, str) or hasattr(data, "__fspath__")


def _path(data) -> str:
    return data if isinstance(data, str) else data.__fspath__()


def _source(data, target=None, types=None, reading=None, learn=True):
    """What the engine reads, and how: paths and bytes as they are, tables as columns."""
    if _is_path(data):
        data = (data,)
    if isinstance(data, bytes) or (
        isinstance(data, (tuple, list)) and data and all(_is_path(p) for p in data)
    ):
        options = {k: v for k, v in (reading or {}).items() if v is not None}
        options["target"] = target
        options["types"] = [f"{name}={kind}" for name, kind in (types or {}).items()]
        return (data if isinstance(data, bytes) else tuple(_path(p) for p in data)), options
    options = {"basis": reading["basis"]} if reading and reading.get("basis") else None
    others = [name for name in reading or {} if name != "basis"]
    if others:
        raise TypeError(f"{', '.join(others)}: for files, not for tables in memory")
    table = describe(data, dict(types or {}))
    names = [c[0] for c in table.columns]
    if any(isinstance(n, tuple) for n in names):
        raise TypeError("a table needs names: pass a frame or a list of dicts, or use an estimator")
    if not learn:
        return table.columns, options
    wanted = target if target is not None else names[-1]
    if wanted not in names:
        raise ValueError(f"there is no column '{wanted}'; the columns are {names}")
    return [c[:3] + ((TARGET if c[0] == wanted else c[3]),) + c[4:] for c in table.columns], options


def _parsed(kind, text):
    import json

    return kind(json.loads(text))


def _specs(learners) -> list[str]:
    """Learners as the engine takes them: names with knobs, or estimators."""
    if isinstance(learners, (str, Estimator)):
        learners = [learners]
    if any(getattr(one, "basis", None) for one in learners):
        raise ValueError("the basis of an estimator is not used here: pass basis= beside the data")
    return [spec_text(one._learner, one._params() + _calibrate(one.calibrate))
            if isinstance(one, Estimator) else one for one in learners]


def _calibrate(method: Optional[str]) -> list[str]:
    """The method of calibration as a knob, which every learner has in a study."""
    return [] if method is None else [f"calibrate={method}"]


# --- models -------------------------------------------------------------------------------------


class Model:
    """A model of the engine: what the command writes, and what an estimator has inside."""

    def __init__(self, model: _credence.Model) -> None:
        self._model = model

    @property
    def learner(self) -> str:
        """The name of its learner."""
        return self._model.learner

    @property
    def classes(self) -> list[str]:
        """The classes that it distinguishes."""
        return self._model.classes

    @property
    def columns(self) -> list[tuple]:
        """(name, kind, role, why) of every column."""
        return self._model.columns

    @property
    def knobs(self) -> dict[str, str]:
        """Its knobs, all of them."""
        return self._model.knobs

    @property
    def facts(self) -> dict[str, Any]:
        """rows, weight, parameters, fingerprint, …"""
        return self._model.facts

    @property
    def calibration(self) -> Optional[str]:
        """How its probabilities are calibrated, or None."""
        return self._model.calibration

    @property
    def tried(self) -> list[dict[str, Any]]:
        """What ``auto`` tried before it trained this model, the best first; else empty."""
        return self._model.tried

    @property
    def _numbers(self) -> bool:
        return self.classes == [""] and any(c[2] == TARGET and c[1] == "real" for c in self.columns)

    @property
    def _target(self) -> str | None:
        return next((c[0] for c in self.columns if c[2] == TARGET), None)

    def _table(self, data):
        table = describe(data)
        if table.named:
            return table
        features = [
            c[0] for c in self.columns if c[2] == 0 and c[1] != "ignore" and c[3] != PRODUCT
        ]
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
        """Why each row is decided as it is: what every feature adds."""
        texts = self._model.explain(self._table(X).columns, None, None, False, self._numbers)
        return [_parsed(Explanation, t) for t in texts]

    def work(self, X) -> list[Board]:
        """The derivation of each row's answer, as on a blackboard."""
        texts = self._model.explain(self._table(X).columns, None, None, True, self._numbers)
        return [Board(t) for t in texts]

    def query(self, question: str) -> Answer:
        """Ask for a probability, as in ``P(rain=yes | grass=wet)``."""
        return Answer(self._model.query(question))

    def learn(self, data: Data, *, progress: Progress = None, **reading) -> int:
        """Learn more rows; how many there were."""
        return self._teach(data, False, progress, reading)

    def unlearn(self, data: Data, *, progress: Progress = None, **reading) -> int:
        """Unlearn rows that were learned."""
        return self._teach(data, True, progress, reading)

    def _teach(self, data, unlearn, progress, reading):
        source, options = _source(data, self._target, None, reading)
        with watching(progress) as told:
            return self._model.learn(source, options, unlearn, 0, told)

    def merge(self, other: Model) -> Model:
        """A model of what both have learned."""
        return Model(self._model.merged(other._model))

    __add__ = merge

    def unmerge(self, other: Model) -> Model:
        """A model of what this one has learned and the other has not."""
        return Model(self._model.without(other._model))

    __sub__ = unmerge

    def refit(self, **knobs: Any) -> Model:
        """A model of the same rows with other knobs."""
        return Model(self._model.refitted(params_of(knobs)))

    def refit_auto(self) -> Model:
        """A model of the same rows whose knobs are chosen anew, where its counts are enough."""
        return Model(self._model.chosen_again())

    def calibrate(self, data: Data, method: str = "auto", *, progress: Progress = None,
                  **reading) -> Model:
        """A model whose probabilities are calibrated on labelled rows that it has not learned."""
        source, options = _source(data, self._target, None, reading)
        with watching(progress) as told:
            return Model(self._model.calibrated(source, options, method, 0, told)[0])

    def drift(self, data: Data, *, level: float = 0.05, progress: Progress = None,
              **reading) -> Drift:
        """Compare recent rows, which need no class, with what the model has learned."""
        if _is_path(data) or isinstance(data, bytes):
            source, options = _source(data, self._target, None, reading)
        else:
            source, options = self._table(data).columns, None
        with watching(progress) as told:
            return _parsed(Drift, _credence.drift(self._model, source, options, level, 0, told))

    def save(self, path: Path) -> None:
        """Write the model file that the command and all other front ends read."""
        self._model.save(_path(path))

    def dumps(self) -> bytes:
        """The bytes of the model file."""
        return self._model.dumps()

    def __reduce__(self):
        return (loads, (self.dumps(),))

    def __repr__(self) -> str:
        facts = self.facts
        return f"<credence.Model {self.learner}: {facts['rows']} rows, {len(self.classes)} classes>"


def train(
    data: Data, target: Optional[str] = None, learner: Optional[str] = None, *,
    types: Optional[Mapping[str, str]] = None, calibrate: Optional[str] = None,
    threads: int = 0, seed: int = 0, progress: Progress = None,
    params: Optional[Mapping[str, Any]] = None, **reading: Any,
) -> Model:
    """Train a model on a file, several (a tuple or list of paths), a frame or a list of dicts.

    Without a learner it is the one that is best on rows it has not seen (``auto``), or with params
    of a learner naive Bayes. Learners get the settings and the calibration that ``credence train``
    gives them; calibrate="none" leaves their probabilities as they are.

    The last column is learned unless target names another. params are the learner's knobs; reading
    may have format, delimiter, missing, columns, weight, member, classes, comment, no_header,
    zero_based and, for tables in memory too, basis.

    >>> rows = [{"wind": "weak", "play": "yes"}, {"wind": "strong", "play": "no"}] * 3
    >>> train(rows, "play").classes
    ['no', 'yes']
    """
    source, options = _source(data, target, types, reading)
    with watching(progress) as told:
        return Model(
            _credence.train(
                source, options, learner, params_of(params or {}), calibrate, False, threads, seed,
                told,
            )
        )


def load(path: Path) -> Model:
    """Open a model file."""
    return Model(_credence.load(_path(path)))


def loads(data: bytes) -> Model:
    """A model from the bytes of its file. They are checked; nothing in them is executed."""
    return Model(_credence.loads(data))


def learners() -> dict[str, str]:
    """The learners of the engine, with a line about each."""
    return _credence.learners()


def knobs(learner: str = "nb") -> dict[str, dict[str, Any]]:
    """The knobs of a learner: default, choices and help of each.

    >>> knobs("nb")["alpha"]["default"]
    '1'
    """
    return {
        name: {"default": default, "choices": choices.split("|") if choices else None, "help": text}
        for name, (default, choices, text) in _credence.knobs(learner).items()
    }


# --- how good -----------------------------------------------------------------------------------


def test(model: Model, data: Data, *, threads: int = 0, progress: Progress = None,
         **reading: Any) -> Figures:
    """Every figure of merit of a model on labelled rows."""
    source, options = _source(data, model._target, None, reading)
    with watching(progress) as told:
        return _parsed(
            Figures, _credence.test(model._model, source, options, model._numbers, threads, told))


def cv(
    data: Data, target: Optional[str] = None, learner: Optional[str] = None, *, folds: int = 10,
    repeats: int = 1, group: Optional[str] = None, types: Optional[Mapping[str, str]] = None,
    calibrate: Optional[str] = None, seed: int = 0, threads: int = 0, progress: Progress = None,
    params: Optional[Mapping[str, Any]] = None, **reading: Any,
) -> Figures:
    """Cross-validate a learner: figures on rows that its models have not seen. folds=-1: leave one
    out. ``fold`` has the figures of each fold, ``mean`` their means with intervals. What is judged
    is what train() makes: without a learner the choice among them, made anew in each fold."""
    source, options = _source(data, target, types, reading)
    knobs = params_of(params or {})
    if learner is None:
        learner = "nb" if folds < 0 else _credence.default_learner(knobs)
    with watching(progress) as told:
        return _parsed(
            Figures,
            _credence.cv(source, options, learner, knobs + _calibrate(calibrate),
                         (folds, repeats, group, seed), threads, told))


def compare(
    data: Data, target: Optional[str] = None,
    learners: Sequence[Union[str, Estimator]] = ("nb", "logistic"), *, by: Optional[str] = None,
    folds: int = 10, repeats: int = 1, group: Optional[str] = None,
    types: Optional[Mapping[str, str]] = None, seed: int = 0, threads: int = 0,
    progress: Progress = None, **reading: Any,
) -> Comparison:
    """Cross-validate several learners on the same folds, with tests of their differences.

    A learner is a name with knobs, ``"nb:alpha=0.5"``, or an estimator. by names the metric that
    tells which is best; mdl, bic, aic, evidence and the like judge on all rows instead.
    """
    source, options = _source(data, target, types, reading)
    with watching(progress) as told:
        return _parsed(
            Comparison,
            _credence.compare(source, options, _specs(learners), by,
                              (folds, repeats, group, seed), threads, told))


def tune(
    data: Data, target: Optional[str] = None, learner: str = "nb", *, space: Mapping[str, Any],
    by: Optional[str] = None, budget: int = 0, seconds: float = 0.0, steps: int = 0,
    nested: bool = False, folds: int = 10, repeats: int = 1, group: Optional[str] = None,
    types: Optional[Mapping[str, str]] = None, seed: int = 0, threads: int = 0,
    progress: Progress = None, **reading: Any,
) -> Tuning:
    """Search for the knobs that make a learner best on rows it has not seen.

    space has for each knob a value, a list of values, or a range as ``"0.1..10:log"``. Settings
    that differ in knobs only share the statistics of the folds: the data are counted once.
    """
    source, options = _source(data, target, types, reading)
    texts = [
        f"{name.rstrip('_').replace('_', '-')}="
        + (",".join(knob_text(v) for v in value) if isinstance(value, (list, tuple))
           else knob_text(value))
        for name, value in space.items()
    ]
    with watching(progress) as told:
        return _parsed(
            Tuning,
            _credence.tune(source, options, learner, texts, (by, budget, seconds, steps, nested),
                           (folds, repeats, group, seed), threads, told))


def curve(
    data: Data, target: Optional[str] = None,
    learners: Sequence[Union[str, Estimator]] = ("auto",), *, sizes: Optional[Sequence[int]] = None,
    repeats: int = 0, withheld: float = 0.0, types: Optional[Mapping[str, str]] = None,
    seed: int = 0, threads: int = 0, progress: Progress = None, **reading: Any,
) -> Curve:
    """How good learners are by the number of rows they have learned."""
    source, options = _source(data, target, types, reading)
    with watching(progress) as told:
        return _parsed(
            Curve,
            _credence.curve(source, options, _specs(learners), sizes, repeats, withheld, seed,
                            threads, told))


def drift(model: Union[Model, Estimator], data: Data, **arguments: Any) -> Drift:
    """Compare recent rows with what a model has learned."""
    return model.drift(data, **arguments)


def independence(
    data: Data, target: Optional[str] = None, *, classes: bool = True, bins: Optional[str] = None,
    types: Optional[Mapping[str, str]] = None, threads: int = 0, progress: Progress = None,
    **reading: Any,
) -> Independence:
    """How far features are from being independent given the class, pair by pair; with
    classes=False, of one another, all columns being variables."""
    source, options = _source(data, target if classes else None, types, reading, learn=classes)
    bins = bins or ("mdl" if classes else "frequency:5")
    with watching(progress) as told:
        return _parsed(
            Independence,
            _credence.independence(source, options, f"bins={bins}", classes, threads, told))


# --- beliefs ------------------------------------------------------------------------------------


def _quantity(name, posterior, level, **more) -> Quantity:
    about = _credence.distribution(posterior, level)
    return Quantity({"name": name, **more, "posterior": posterior, **about})


def _shares(data, prior, level):
    counts = {}
    if hasattr(data, "items"):
        counts = {str(k): float(v) for k, v in data.items()}
    else:
        for outcome in data:
            counts[str(outcome)] = counts.get(str(outcome), 0.0) + 1.0
    log_evidence, mode, shares = _credence.shares(list(counts.values()), prior)
    quantities = [
        _quantity(name, s.pop("posterior"), level, map_kind=mode, **s)
        for name, s in zip(counts, shares)
    ]
    return Estimate(kind="shares", level=level, log_evidence=log_evidence,
                    observations=sum(counts.values()), quantities=quantities)


def _normal(data, prior, level):
    found = _credence.normal([float(x) for x in data], prior)
    quantities = [
        _quantity("mean", found["mean"], level, mle=found["mle_mean"], map=found["map_mean"]),
        _quantity("variance", found["variance"], level, mle=found["mle_variance"],
                  map=found["map_variance"]),
        _quantity("next", found["next"], level),
    ]
    return Estimate(kind="gaussian", level=level, log_evidence=found["log_evidence"],
                    observations=found["observations"],
                    unbiased_variance=found["unbiased_variance"], quantities=quantities)


def _rate(data, exposure, prior, level):
    counts = [float(x) for x in (data if hasattr(data, "__iter__") else [data])]
    exposures = ([float(x) for x in exposure] if hasattr(exposure, "__iter__")
                 else [float(exposure)] * len(counts))
    found = _credence.rate(counts, exposures, prior, level)
    rate = _quantity("rate", found["posterior"], level, mle=found["mle"], map=found["map"])
    return Estimate(kind="poisson", level=level, log_evidence=found["log_evidence"],
                    events=found["events"], exposure=found["exposure"], next=found["next"],
                    quantities=[rate])


def estimate(
    data: Any, kind: str = "shares", *, prior: Optional[str] = None, exposure: Any = 1.0,
    level: float = 0.95, against: Any = None,
) -> Estimate:
    """Estimate shares, a mean and variance (kind="gaussian") or a rate (kind="poisson").

    data are counts by outcome or outcomes one by one, numbers, or counts of events. With against, a
    second sample, the answer has ``versus``: the probability that the first is greater.

    >>> coin = estimate({"heads": 51, "tails": 49}, prior="beta:2,2")
    >>> round(coin.quantities[0].mean, 4)
    0.5096
    """
    solve = {"shares": lambda d: _shares(d, prior, level),
             "gaussian": lambda d: _normal(d, prior, level),
             "poisson": lambda d: _rate(d, exposure, prior, level)}.get(kind)
    if solve is None:
        raise ValueError(f"there is no kind '{kind}'; the kinds are shares, gaussian, poisson")
    found = solve(data)
    if against is not None:
        other = solve(against)
        found["against"] = other
        found["versus"] = _credence.versus(found.quantities[0].posterior,
                                           other.quantities[0].posterior, level)
    return found


def hypotheses(
    table: Any, *, evidence: Optional[Sequence[str]] = None, classes: Optional[Sequence[str]] = None,
    normalise: bool = False, uniform: bool = False,
) -> Hypotheses:
    """Posteriors of hypotheses, the best of them, and what they say together.

    table is a file, or rows (a frame, a list of dicts) with the columns hypothesis, prior, and
    likelihood or those that evidence names, observed in turn ("log_..." are natural logarithms);
    the columns that classes names are P(class | hypothesis).

    >>> bags = [{"hypothesis": "cherry", "prior": 0.2, "likelihood": 1.0},
    ...         {"hypothesis": "mixed", "prior": 0.8, "likelihood": 0.5}]
    >>> [round(h["posterior"], 4) for h in hypotheses(bags).hypotheses]
    [0.3333, 0.6667]
    """
    flags = (1 if normalise else 0) | (2 if uniform else 0)
    if _is_path(table):
        return _parsed(Hypotheses, _credence.read_hypotheses(
            _path(table), flags, None if evidence is None else ",".join(evidence),
            None if classes is None else ",".join(classes)))
    rows = table.to_dict("records") if hasattr(table, "to_dict") else list(table)
    names = [str(row["hypothesis"]) for row in rows]
    if evidence is None:
        evidence = [k for k in ("likelihood", "log_likelihood") if rows and k in rows[0]]
    observed = [(name, [_log_likelihood(name, row[name]) for row in rows]) for name in evidence]
    votes = None if classes is None else [float(row[c]) for row in rows for c in classes]
    priors = None if uniform else [float(row["prior"]) for row in rows]
    return _parsed(Hypotheses, _credence.hypotheses(
        names, priors, flags, observed, None if classes is None else list(classes), votes))


def _log_likelihood(name: str, value) -> float:
    import math

    x = float(value)
    return x if name.startswith("log_") else math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


# --- networks -----------------------------------------------------------------------------------


def read_network(path: Path, target: Optional[str] = None) -> Model:
    """A Bayesian network from a file: BIF, XMLBIF, or plain text (.net)."""
    return Model(_credence.read_network(_path(path), target))


def write_network(model: Model, path: Path, format: Optional[str] = None) -> None:
    """Write a network as bif, xmlbif, net or dot, by the name's ending unless format says it."""
    _credence.write_network(model._model, _path(path), format)


def structure(model: Model, other: Optional[Model] = None, *, rounds: int = 0, seed: int = 0,
              threads: int = 0, progress: Progress = None) -> Structure:
    """The arcs of a network's class; with rounds, how sure they are by redrawing the rows; with
    another network, how that differs (``shd`` is the structural Hamming distance)."""
    if other is not None:
        return Structure(_credence.compare_structures(model._model, other._model))
    with watching(progress) as told:
        return _parsed(lambda arcs: Structure(arcs=arcs),
                       _credence.arcs(model._model, rounds, seed, threads, told))


def sample(model: Model, rows: int = 1000, *, seed: int = 0) -> dict[str, Any]:
    """Rows drawn from a network: an array for each variable, of numbers or of texts.

    ``pandas.DataFrame(sample(model))`` is a frame. Equal seeds give equal rows.
    """
    import numpy as np

    out = {}
    for name, doubles, states in _credence.sample(model._model, rows, seed):
        values = np.frombuffer(doubles)
        out[name] = np.array(states, dtype=object)[values.astype(np.int64)] if states else values
    return out


__all__ = [
    "Model", "compare", "curve", "cv", "drift", "estimate", "hypotheses", "independence", "knobs",
    "learners", "load", "loads", "read_network", "sample", "structure", "test", "train", "tune",
    "write_network",
]
