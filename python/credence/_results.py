"""Small result objects: dicts that notebooks show as tables."""

from __future__ import annotations

import html
from typing import Any


class Figures(dict):
    """Figures of merit by key."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def to_dict(self) -> dict[str, Any]:
        return dict(self)

    def to_pandas(self):
        """The figures that are numbers, as a Series."""
        import pandas

        return pandas.Series({k: v for k, v in self.items() if isinstance(v, (int, float))})

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(k)}</td><td style='text-align:right'>{v:.6g}</td></tr>"
            for k, v in self.items()
            if isinstance(v, (int, float))
        )
        return f"<table>{rows}</table>"


class Explanation(dict):
    """Why a row is decided as it is; a waterfall of log-odds in notebooks."""

    def to_dict(self) -> dict[str, Any]:
        return dict(self)

    def factors(self) -> list[dict[str, Any]]:
        """What each feature adds, in the order of the model."""
        return list(self.get("factors", []))

    def to_pandas(self):
        import pandas

        return pandas.DataFrame(self.factors())

    def _repr_html_(self) -> str:
        factors = [f for f in self.factors() if isinstance(f.get("log_odds"), (int, float))]
        scale = max((abs(f["log_odds"]) for f in factors), default=1.0) or 1.0
        rows = "".join(_bar(f, scale) for f in factors)
        decision = html.escape(str(self.get("decision", self.get("prediction", "?"))))
        return f"<p><b>{decision}</b></p><table>{rows}</table>"


def _bar(factor: dict[str, Any], scale: float) -> str:
    x = factor["log_odds"]
    width = int(round(120 * min(1.0, abs(x) / scale)))
    colour = "#2a7" if x >= 0 else "#c54"
    name = html.escape(str(factor.get("factor", factor.get("feature", factor.get("name", "")))))
    value = html.escape(str(factor.get("value", "")))
    return (
        f"<tr><td>{name}</td><td>{value}</td><td style='text-align:right'>{x:+.3f}</td>"
        f"<td><div style='background:{colour};height:0.8em;width:{width}px'></div></td></tr>"
    )
