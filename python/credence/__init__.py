"""Credence: Bayesian learning from tables and texts, with honest probabilities.

>>> import credence
>>> model = credence.NaiveBayes().fit([[1.0], [2.0], [9.0], [10.0]], ["low", "low", "high", "high"])
>>> model.predict([[1.5], [8.0]]).tolist()
['low', 'high']

Statistics are exact: learning is addition, unlearning is subtraction, and two models merge into what
one pass over both data sets would have given.
"""

from __future__ import annotations

from . import _credence
from ._credence import Error
from ._errors import NotFitted, Undecided
from .estimators import *  # noqa: F403
from .estimators import __all__ as _estimator_names
from .functions import *  # noqa: F403
from .functions import __all__ as _function_names

__version__ = _credence.version
__all__ = ["Error", "NotFitted", "Undecided", *_function_names, *_estimator_names]
