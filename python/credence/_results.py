"""Small result objects: dicts with attributes, which notebooks show as tables and pictures."""

from __future__ import annotations

from . import _credence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def _escape(value: Any) -> str:
    import html

    return html.escape(_show(value))


def _show(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(_show(v) for v in value)
    return str(value)


def _table(rows: list[dict], columns: list[str] | None = None) -> str:
    """Rows as an HTML table; numbers stand to the right."""
    if not rows:
        return ""
    names = columns or list(dict.fromkeys(k for row in rows for k in row))
    names = [n for n in names if any(not isinstance(row.get(n), (dict, list)) for row in rows)]
    head = "".join(f"<th>{_escape(n)}</th>" for n in names)
    body = "".join(
        "<tr>" + "".join(
            f"<td style='text-align:{'right' if isinstance(row.get(n), (int, float)) else 'left'}'>"
            f"{_escape(row.get(n))}</td>" for n in names
        ) + "</tr>"
        for row in rows
    )
    return f"<table><tr>{head}</tr>{body}</table>"


class Result(dict):
    """What a function found, by key and as attributes."""

    _rows = ""  # the key of its main table

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __dir__(self):
        return [*super().__dir__(), *self]

    def __reduce__(self):
        return (type(self), (dict(self),))

    def to_dict(self) -> dict[str, Any]:
        """A plain dict, as json.dumps takes it."""
        return dict(self)

    def rows_(self) -> list[dict[str, Any]]:
        """The rows of its main table."""
        return [dict(row) for row in self.get(self._rows, [])] if self._rows else [dict(self)]

    def to_pandas(self):
        """Its main table as a frame."""
        import pandas

        return pandas.DataFrame(self.rows_())

    def _repr_html_(self) -> str:
        return _table(self.rows_())


class Figures(Result):
    """Figures of merit by key, such as accuracy, log_loss, brier and ece."""

    def to_pandas(self):
        """The figures that are numbers, as a series."""
        import pandas

        return pandas.Series(self._numbers())

    def _numbers(self) -> dict[str, float]:
        return {k: v for k, v in self.items()
                if isinstance(v, (int, float)) and not isinstance(v, bool)}

    def _repr_svg_(self) -> str | None:
        """The confusion matrix; None where numbers were predicted or classes are many."""
        classes, cells = self.get("classes"), self.get("confusion")
        if not classes or not cells or len(classes) > 20:
            return None
        flat = _doubles([x for row in cells for x in row])
        return _credence.confusion_picture("confusion", [c["name"] for c in classes], len(cells[0]),
                                           flat)

    def _repr_html_(self) -> str:
        rows = [{"figure": k, "value": v} for k, v in self._numbers().items()]
        return _table(rows) + (self._repr_svg_() or "")


class Comparison(Result):
    """Learners on the same folds, or by what accounts for all rows; ``best`` names one."""

    _rows = "models"


class Tuning(Result):
    """Settings that were tried, the best first."""

    _rows = "settings"

    @property
    def best(self) -> dict[str, str]:
        """The knobs of the best setting, for ``params=`` or ``set_params``."""
        return dict(p.split("=", 1) for p in self["settings"][0]["params"])

    def rows_(self):
        out = []
        for s in self["settings"]:
            row = dict(p.split("=", 1) for p in s["params"])
            row.update({k: v["mean"] for k, v in s.items() if isinstance(v, dict) and "mean" in v})
            out.append({**row, "folds": s["folds"], "abandoned": s["abandoned"]})
        return out


class Curve(Result):
    """How good learners are by the number of rows they have learned."""

    _rows = "points"

    def _repr_svg_(self) -> str:
        points = self["points"]
        measure = "accuracy" if "accuracy" in points[0] else "rmse"
        series = []
        for learner in dict.fromkeys(p["learner"] for p in points):
            own = [p for p in points if p["learner"] == learner]
            series.append((learner, *(_doubles([_number(p[k]) for p in own]) for k in
                                      ("size", measure, f"{measure}_low", f"{measure}_high"))))
        return _credence.lines_picture("", "rows", measure, True, series)

    def _repr_html_(self) -> str:
        return self._repr_svg_() + _table(self.rows_())


def _doubles(values):
    from array import array

    return array("d", values)


def _number(value) -> float:
    return float("nan") if value is None else float(value)


class Drift(Result):
    """Recent rows next to those that a model has learned: verdicts, and ``advice``."""

    _rows = "features"

    def _repr_html_(self) -> str:
        shown = ["name", "verdict", "index", "test", "p_corrected", "mean_before", "mean_after",
                 "new_share"]
        advice = "".join(f"<li>{_escape(a)}</li>" for a in self["advice"])
        return _table(self.rows_(), shown) + f"<ul>{advice}</ul>"


class Quantity(Result):
    """Something unknown and what is known of it: mle, map, posterior, mean, sd, interval, highest."""

    def density(self, x):
        """The posterior density at x."""
        return _credence.density(tuple(self["posterior"]), x)

    def _repr_svg_(self) -> str:
        low, high = _credence.distribution(tuple(self["posterior"]), 0.999)["interval"]
        x = _doubles([low + (high - low) * i / 200 for i in range(201)])
        curve = (self.get("name", ""), x, _doubles(self.density(x)), None, None)
        return _credence.lines_picture(self.get("name", ""), self.get("name", ""), "density", False,
                                       [curve])

    def _repr_html_(self) -> str:
        return _table([dict(self)]) + self._repr_svg_()


class Estimate(Result):
    """Shares, a mean and variance, or a rate, with their posteriors."""

    _rows = "quantities"

    def to_pandas(self):
        """The quantities as a frame."""
        import pandas

        return pandas.DataFrame([{k: v for k, v in q.items() if k != "posterior"}
                                 for q in self["quantities"]])


class Hypotheses(Result):
    """Hypotheses with their posteriors, the best of them, and what they say together."""

    _rows = "hypotheses"


class Independence(Result):
    """Pairs of features, the most dependent first."""

    _rows = "pair"


class Structure(Result):
    """The arcs of a network, or how two networks differ."""

    _rows = "arcs"

    def rows_(self):
        arcs = self.get("arcs")
        return [dict(a) for a in arcs] if isinstance(arcs, list) else [
            {"compared": k, **self[k]} for k in ("arcs", "classes")]


class Answer(Result):
    """What a model says to a query; float() of it is the probability."""

    def __float__(self) -> float:
        return float(self["probability"])

    def rows_(self):
        values = self.get("values")
        return [{"value": v, "probability": p} for v, p in values.items()] if values else [dict(self)]


class Explanation(Result):
    """Why a row is decided as it is: what each feature adds, as a waterfall in notebooks."""

    def factors(self) -> list[dict[str, Any]]:
        """What each feature adds, in the order of the model: log-odds, or shares of a number."""
        return [dict(f) for f in self.get("factors", self.get("shares", []))]

    def rows_(self):
        return [{k: v for k, v in f.items() if not isinstance(v, (dict, list))}
                for f in self.factors()]

    def _repr_svg_(self) -> str | None:
        key = "share" if "shares" in self else "log_odds"
        bars = [(str(f.get("name", f.get("column", ""))), f.get("value"), f.get(key))
                for f in self.factors()]
        bars = [b for b in bars if isinstance(b[2], (int, float))]
        if not bars:
            return None
        names = [n if v is None else f"{n} = {_show(v)}" for n, v, _ in bars]
        against, decision = _show(self.get("against", "less")), _show(self.get("prediction", "more"))
        return _credence.weights_picture(
            f"{decision}", "what it adds", against if key == "log_odds" else "less",
            decision if key == "log_odds" else "more", names, _doubles([b[2] for b in bars]))

    def _repr_html_(self) -> str:
        picture = self._repr_svg_()
        return f"<p><b>{_escape(self.get('prediction'))}</b></p>" + (picture or _table(self.rows_()))


class Board(str):
    """The derivation of an answer, as on a blackboard."""

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self)}</pre>"


__all__ = ["Answer", "Board", "Comparison", "Curve", "Drift", "Estimate", "Explanation", "Figures",
           "Hypotheses", "Independence", "Quantity", "Result", "Structure", "Tuning"]
