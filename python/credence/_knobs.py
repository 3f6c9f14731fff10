"""Knobs as keyword arguments: ``variance_floor=1e-9`` is the engine's ``variance-floor=1e-9``."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Mapping


def knob_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return repr(value)
    if hasattr(value, "items"):
        return ",".join(f"{k}:{knob_text(v)}" for k, v in value.items())
    return str(value)


def params_of(knobs: Mapping[str, Any]) -> list[str]:
    """KEY=VALUE texts; knobs that are None stay at the engine's default."""
    return [
        f"{name.rstrip('_').replace('_', '-')}={knob_text(value)}"
        for name, value in knobs.items()
        if value is not None
    ]


def spec_text(learner: str, params: list[str]) -> str:
    """A learner with its knobs in one text: nb:alpha=0.5."""
    return ":".join([learner, *params])


def costs_text(cost: Any) -> str | None:
    """Costs as {(true, decided): cost} or the engine's own text."""
    if cost is None or isinstance(cost, str):
        return cost
    return ", ".join(f'"{t}"->"{d}"={c!r}' for (t, d), c in cost.items())


def priors_text(priors: Any) -> str | None:
    if priors is None or isinstance(priors, str):
        return priors
    return ",".join(f"{name}:{p!r}" for name, p in priors.items())
