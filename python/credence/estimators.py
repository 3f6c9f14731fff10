"""The estimators, one for each learner of the engine."""

from __future__ import annotations

from . import _credence
from ._ensemble import Ensemble
from ._errors import Error, Undecided
from ._estimators import Classifier, IncrementalClassifier, Regressor, _warn
from ._knobs import params_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping, Optional, Union

    Knob = Optional[Union[str, float, int, bool, Mapping[str, Any]]]


class NaiveBayes(IncrementalClassifier):
    """Naive Bayes over any mix of numbers, symbols and texts.

    Parameters
    ----------
    smoothing : how P(value | class) is smoothed: laplace, none, m-estimate, dirichlet
    alpha : added to every count
    prior : P(class): empirical, uniform, map, or given
    variance : what has a variance of its own: class-feature, feature, class or all
    variance_estimate : unbiased or mle
    variance_floor : share of the largest variance that is added to all
    real : numbers: gaussian, kde, bins:..., or auto, what is best for each; None: auto from 100 rows
        on and up to 100,000
    unseen : a value never seen: skip or smooth
    event : texts: multinomial, bernoulli, complement, ...
    weight : texts: counts, binary, tfidf, ...
    ngrams : texts: runs of words, as 1..2
    params : other knobs of the learner by name
    types : kind of a column by its name: real, symbol, text or ignore
    calibrate : None as the command does, none, or by ten folds: auto, temperature, confidence,
        platt, isotonic or beta
    threads : threads to use; None: one per core
    seed : seed of whatever is random
    """

    _learner = "nb"

    def __init__(
        self,
        *,
        smoothing: Knob = None,
        alpha: Knob = None,
        prior: Knob = None,
        variance: Knob = None,
        variance_estimate: Knob = None,
        variance_floor: Knob = None,
        real: Knob = None,
        unseen: Knob = None,
        event: Knob = None,
        weight: Knob = None,
        ngrams: Knob = None,
        params: Optional[Mapping[str, Any]] = None,
        types: Optional[Mapping[str, str]] = None,
        calibrate: Optional[str] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.smoothing = smoothing
        self.alpha = alpha
        self.prior = prior
        self.variance = variance
        self.variance_estimate = variance_estimate
        self.variance_floor = variance_floor
        self.real = real
        self.unseen = unseen
        self.event = event
        self.weight = weight
        self.ngrams = ngrams
        self.params = params
        self.types = types
        self.calibrate = calibrate
        self.threads = threads
        self.seed = seed


class GaussianDiscriminant(IncrementalClassifier):
    """Gaussian discriminants: numbers that are correlated within a class.

    Parameters
    ----------
    covariance : full, shared, diagonal or spherical
    pool : share of the shared covariance in each class
    shrinkage : share of the diagonal
    ridge : added to the diagonal
    prior : P(class)
    variance_estimate : unbiased or mle
    params : other knobs of the learner by name
    types : kind of a column by its name: real, symbol, text or ignore
    calibrate : None as the command does, none, or by ten folds: auto, temperature, confidence,
        platt, isotonic or beta
    threads : threads to use; None: one per core
    seed : seed of whatever is random
    """

    _learner = "gda"

    def __init__(
        self,
        *,
        covariance: Knob = None,
        pool: Knob = None,
        shrinkage: Knob = None,
        ridge: Knob = None,
        prior: Knob = None,
        variance_estimate: Knob = None,
        params: Optional[Mapping[str, Any]] = None,
        types: Optional[Mapping[str, str]] = None,
        calibrate: Optional[str] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.covariance = covariance
        self.pool = pool
        self.shrinkage = shrinkage
        self.ridge = ridge
        self.prior = prior
        self.variance_estimate = variance_estimate
        self.params = params
        self.types = types
        self.calibrate = calibrate
        self.threads = threads
        self.seed = seed


class LogisticRegression(IncrementalClassifier):
    """Logistic regression over any mix of numbers, symbols and texts.

    Parameters
    ----------
    lambda_ : strength of the prior on the weights; None: found from 100 rows on, without texts
    prior : gaussian or laplace
    solver : auto, newton, lbfgs, gradient or sgd
    epsilon : stop when a step changes less
    iterations : steps at most
    standardise : whether the prior sees standardised features
    coding : symbols: onehot or reference
    class_weight : what a row of a class counts
    basis : products of columns to add, as in "polynomial:2,x*y"
    params : other knobs of the learner by name
    types : kind of a column by its name: real, symbol, text or ignore
    calibrate : None as the command does, none, or by ten folds: auto, temperature, confidence,
        platt, isotonic or beta
    threads : threads to use; None: one per core
    seed : seed of whatever is random
    """

    _learner = "logistic"

    def __init__(
        self,
        *,
        lambda_: Knob = None,
        prior: Knob = None,
        solver: Knob = None,
        epsilon: Knob = None,
        iterations: Knob = None,
        standardise: Knob = None,
        coding: Knob = None,
        class_weight: Knob = None,
        basis: Optional[str] = None,
        params: Optional[Mapping[str, Any]] = None,
        types: Optional[Mapping[str, str]] = None,
        calibrate: Optional[str] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.lambda_ = lambda_
        self.prior = prior
        self.solver = solver
        self.epsilon = epsilon
        self.iterations = iterations
        self.standardise = standardise
        self.coding = coding
        self.class_weight = class_weight
        self.basis = basis
        self.params = params
        self.types = types
        self.calibrate = calibrate
        self.threads = threads
        self.seed = seed


class TAN(IncrementalClassifier):
    """Tree-augmented naive Bayes: features depend on one another along a tree.

    Parameters
    ----------
    alpha : added to every count
    m : rows that the backoff is worth
    bins : how numbers are cut
    params : other knobs of the learner by name
    types : kind of a column by its name: real, symbol, text or ignore
    calibrate : None as the command does, none, or by ten folds: auto, temperature, confidence,
        platt, isotonic or beta
    threads : threads to use; None: one per core
    seed : seed of whatever is random
    """

    _learner = "tan"

    def __init__(
        self,
        *,
        alpha: Knob = None,
        m: Knob = None,
        bins: Knob = None,
        params: Optional[Mapping[str, Any]] = None,
        types: Optional[Mapping[str, str]] = None,
        calibrate: Optional[str] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.alpha = alpha
        self.m = m
        self.bins = bins
        self.params = params
        self.types = types
        self.calibrate = calibrate
        self.threads = threads
        self.seed = seed


class AODE(IncrementalClassifier):
    """The mean of models in each of which all features depend on one of them.

    Parameters
    ----------
    alpha : added to every count
    m : rows that the prior is worth
    limit : rows a value needs to be a parent
    bins : how numbers are cut
    params : other knobs of the learner by name
    types : kind of a column by its name: real, symbol, text or ignore
    calibrate : None as the command does, none, or by ten folds: auto, temperature, confidence,
        platt, isotonic or beta
    threads : threads to use; None: one per core
    seed : seed of whatever is random
    """

    _learner = "aode"

    def __init__(
        self,
        *,
        alpha: Knob = None,
        m: Knob = None,
        limit: Knob = None,
        bins: Knob = None,
        params: Optional[Mapping[str, Any]] = None,
        types: Optional[Mapping[str, str]] = None,
        calibrate: Optional[str] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.alpha = alpha
        self.m = m
        self.limit = limit
        self.bins = bins
        self.params = params
        self.types = types
        self.calibrate = calibrate
        self.threads = threads
        self.seed = seed


class KDB(IncrementalClassifier):
    """Naive Bayes in which each feature depends on up to k others.

    Parameters
    ----------
    k : parents that a feature may have
    alpha : added to every count
    m : rows that the backoff is worth
    bins : how numbers are cut
    params : other knobs of the learner by name
    types : kind of a column by its name: real, symbol, text or ignore
    calibrate : None as the command does, none, or by ten folds: auto, temperature, confidence,
        platt, isotonic or beta
    threads : threads to use; None: one per core
    seed : seed of whatever is random
    """

    _learner = "kdb"

    def __init__(
        self,
        *,
        k: Knob = None,
        alpha: Knob = None,
        m: Knob = None,
        bins: Knob = None,
        params: Optional[Mapping[str, Any]] = None,
        types: Optional[Mapping[str, str]] = None,
        calibrate: Optional[str] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.k = k
        self.alpha = alpha
        self.m = m
        self.bins = bins
        self.params = params
        self.types = types
        self.calibrate = calibrate
        self.threads = threads
        self.seed = seed


class Tree(Classifier):
    """A decision tree: questions by gain ratio, pruned, as C4.5 grows it.

    Parameters
    ----------
    confidence : confidence level of the pruning; lower prunes more
    min_rows : rows that a leaf needs
    symbols : a branch for each value, or binary
    params : other knobs of the learner by name
    types : kind of a column by its name: real, symbol, text or ignore
    calibrate : None as the command does, none, or by ten folds: auto, temperature, confidence,
        platt, isotonic or beta
    threads : threads to use; None: one per core
    seed : seed of whatever is random
    """

    _learner = "tree"

    def __init__(
        self,
        *,
        confidence: Knob = None,
        min_rows: Knob = None,
        symbols: Knob = None,
        params: Optional[Mapping[str, Any]] = None,
        types: Optional[Mapping[str, str]] = None,
        calibrate: Optional[str] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.confidence = confidence
        self.min_rows = min_rows
        self.symbols = symbols
        self.params = params
        self.types = types
        self.calibrate = calibrate
        self.threads = threads
        self.seed = seed


class JointTable(IncrementalClassifier):
    """A joint table: how often each combination of values occurs.

    Parameters
    ----------
    smoothing : none, laplace or dirichlet
    alpha : added to every cell
    bins : how numbers are cut; the command takes none unless it is told
    params : other knobs of the learner by name
    types : kind of a column by its name: real, symbol, text or ignore
    calibrate : None as the command does, none, or by ten folds: auto, temperature, confidence,
        platt, isotonic or beta
    threads : threads to use; None: one per core
    seed : seed of whatever is random
    """

    _learner = "joint"

    def __init__(
        self,
        *,
        smoothing: Knob = None,
        alpha: Knob = None,
        bins: Knob = "mdl",
        params: Optional[Mapping[str, Any]] = None,
        types: Optional[Mapping[str, str]] = None,
        calibrate: Optional[str] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.smoothing = smoothing
        self.alpha = alpha
        self.bins = bins
        self.params = params
        self.types = types
        self.calibrate = calibrate
        self.threads = threads
        self.seed = seed


class BayesianNetwork(IncrementalClassifier):
    """A Bayesian network, its structure and tables learned from data.

    Parameters
    ----------
    structure : tabu, hc, k2, chow-liu, pc, mmhc, naive or file:NETWORK
    max_parents : the most parents a variable may have
    parameters : mle, bdeu:ROWS or dirichlet:COUNT
    real : numbers: bins or gaussian
    bins : how numbers are cut
    params : other knobs of the learner by name
    types : kind of a column by its name: real, symbol, text or ignore
    calibrate : None as the command does, none, or by ten folds: auto, temperature, confidence,
        platt, isotonic or beta
    threads : threads to use; None: one per core
    seed : seed of whatever is random
    """

    _learner = "network"

    def __init__(
        self,
        *,
        structure: Knob = None,
        max_parents: Knob = None,
        parameters: Knob = None,
        real: Knob = None,
        bins: Knob = None,
        params: Optional[Mapping[str, Any]] = None,
        types: Optional[Mapping[str, str]] = None,
        calibrate: Optional[str] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.structure = structure
        self.max_parents = max_parents
        self.parameters = parameters
        self.real = real
        self.bins = bins
        self.params = params
        self.types = types
        self.calibrate = calibrate
        self.threads = threads
        self.seed = seed


class VersionSpace(Classifier):
    """All conjunctions of values that are right on every row, which vote. There are two classes, and
    numbers are names of categories.

    Parameters
    ----------
    contradiction : where no conjunction is right on every row: error, or nb to warn and answer as
        naive Bayes on the same values
    params : other knobs of the learner by name
    types : kind of a column by its name: real, symbol, text or ignore
    calibrate : None as the command does, none, or by ten folds: auto, temperature, confidence,
        platt, isotonic or beta
    threads : threads to use; None: one per core
    seed : seed of whatever is random
    """

    _learner = "candidate-elimination"
    _numbers_are_symbols = True

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "binary_only": True, "poor_score": True}

    def _params(self) -> list[str]:
        return params_of(self.params or {})

    def _train(self, columns: list[tuple], rows: int, progress=None, begins=False) -> None:
        if self.contradiction not in ("error", "nb"):
            raise ValueError(f"contradiction is {self.contradiction!r}, not 'error' or 'nb'")
        try:
            super()._train(columns, rows, progress, begins)
        except Error as error:
            if self.contradiction == "error" or "version space is empty" not in str(error):
                raise
            _warn(f"{error}; naive Bayes answers instead", Undecided, stacklevel=4)
            self.model_ = _credence.train(columns, None, "nb", [], self.calibrate, begins,
                                          self.threads or 0, self.seed or 0, None)

    def __init__(
        self,
        *,
        contradiction: str = "error",
        params: Optional[Mapping[str, Any]] = None,
        types: Optional[Mapping[str, str]] = None,
        calibrate: Optional[str] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.contradiction = contradiction
        self.params = params
        self.types = types
        self.calibrate = calibrate
        self.threads = threads
        self.seed = seed


class Auto(Classifier):
    """The learner that is best on rows it has not seen, calibrated.

    Parameters
    ----------
    among : all, or exact: those that learn, unlearn and merge exactly
    blend : whether several may answer as one
    budget : seconds of work that judging may take
    params : other knobs of the learner by name
    types : kind of a column by its name: real, symbol, text or ignore
    calibrate : None as the command does, none, or by ten folds: auto, temperature, confidence,
        platt, isotonic or beta
    threads : threads to use; None: one per core
    seed : seed of whatever is random
    """

    _learner = "auto"

    def __init__(
        self,
        *,
        among: Knob = None,
        blend: Knob = None,
        budget: Knob = None,
        params: Optional[Mapping[str, Any]] = None,
        types: Optional[Mapping[str, str]] = None,
        calibrate: Optional[str] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.among = among
        self.blend = blend
        self.budget = budget
        self.params = params
        self.types = types
        self.calibrate = calibrate
        self.threads = threads
        self.seed = seed


class LinearRegression(Regressor):
    """Linear regression of a number: least squares, ridge, Bayesian.

    Parameters
    ----------
    lambda_ : strength of the prior on the weights
    standardize : whether the prior sees standardised features
    coding : symbols: reference or onehot
    basis : products of columns to add, as in "polynomial:2,x*y"
    params : other knobs of the learner by name
    types : kind of a column by its name: real, symbol, text or ignore
    calibrate : None as the command does, none, or by ten folds: auto, temperature, confidence,
        platt, isotonic or beta
    threads : threads to use; None: one per core
    seed : seed of whatever is random
    """

    _learner = "linear"

    def __init__(
        self,
        *,
        lambda_: Knob = None,
        standardize: Knob = None,
        coding: Knob = None,
        basis: Optional[str] = None,
        params: Optional[Mapping[str, Any]] = None,
        types: Optional[Mapping[str, str]] = None,
        calibrate: Optional[str] = None,
        threads: Optional[int] = None,
        seed: Optional[int] = None,
    ) -> None:
        self.lambda_ = lambda_
        self.standardize = standardize
        self.coding = coding
        self.basis = basis
        self.params = params
        self.types = types
        self.calibrate = calibrate
        self.threads = threads
        self.seed = seed


__all__ = [
    "NaiveBayes",
    "GaussianDiscriminant",
    "LogisticRegression",
    "TAN",
    "AODE",
    "KDB",
    "Tree",
    "JointTable",
    "BayesianNetwork",
    "VersionSpace",
    "Ensemble",
    "Auto",
    "LinearRegression",
]
