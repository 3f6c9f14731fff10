"""Exceptions and warnings, as scikit-learn's users expect them where it is loaded."""

from __future__ import annotations

import sys

from ._credence import Error


class NotFitted(ValueError, AttributeError):
    """The estimator has not been fitted."""


class Undecided(UserWarning):
    """Every class gives some rows probability zero."""


def not_fitted(name: str) -> Exception:
    text = (
        f"This {name} instance is not fitted yet. Call 'fit' with appropriate arguments before "
        "using this estimator."
    )
    exceptions = sys.modules.get("sklearn.exceptions")
    return (exceptions.NotFittedError if exceptions is not None else NotFitted)(text)


def conversion_warning() -> type[Warning]:
    exceptions = sys.modules.get("sklearn.exceptions")
    return exceptions.DataConversionWarning if exceptions is not None else UserWarning


__all__ = ["Error", "NotFitted", "Undecided"]
