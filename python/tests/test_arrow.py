"""Tables that come as Arrow capsules give the models that dicts give, and are released."""

import gc

import pytest
from arrow_table import Column, Streamed, Table

import credence

ROWS = 60
NAMES = ["red", "green", "a colour with a long name"]
VALUES = {
    "x": [None if i % 7 == 0 else i * 0.5 for i in range(ROWS)],
    "n": [None if i % 11 == 0 else i % 5 for i in range(ROWS)],
    "flag": [i % 3 == 0 for i in range(ROWS)],
    "word": [None if i % 13 == 0 else f"w{i % 4}" for i in range(ROWS)],
    "colour": [None if i % 17 == 0 else NAMES[i % 3] for i in range(ROWS)],
    "y": ["yes" if i % 2 else "no" for i in range(ROWS)],
}


def expected():
    rows = [dict(zip(VALUES, values)) for values in zip(*VALUES.values())]
    for row in rows:
        row["flag"] = "1" if row["flag"] else "0"
    return credence.train(rows, "y", "nb", types={"n": "real", "flag": "symbol"}).facts["fingerprint"]


def columns(text="u", view=None):
    codes = [None if v is None else NAMES.index(v) for v in VALUES["colour"]]
    colour = (Column("colour", view, VALUES["colour"]) if view
              else Column("colour", "c", codes, NAMES))
    return [Column("x", "g", VALUES["x"]), Column("n", "l", VALUES["n"]),
            Column("flag", "b", VALUES["flag"]), Column("word", text, VALUES["word"]), colour,
            Column("y", text, VALUES["y"])]


@pytest.mark.parametrize("make", [
    lambda: Table(columns()),
    lambda: Table(columns("U"), offset=3),
    lambda: Streamed(columns()),
    lambda: Streamed(columns(), batch=7),
    lambda: Streamed(columns("U"), batch=8, offset=5),
    lambda: Streamed(columns(view="vu"), batch=60),
    lambda: Streamed(columns(view="vu"), batch=9),
])
def test_the_same_model_in_any_layout(make):
    table = make()
    model = credence.train(table, "y", "nb")
    assert model.facts["fingerprint"] == expected()
    assert len(model.predict(make())) == ROWS
    gc.collect()
    assert table.alive == 0  # every record batch has been released


def test_estimators_take_them():
    X = Streamed(columns()[:-1], batch=25)
    model = credence.NaiveBayes().fit(X, VALUES["y"])
    assert model.n_features_in_ == 5
    assert model.predict_proba(Table(columns()[:-1])).shape == (ROWS, 2)


def test_sentences_are_texts():
    texts = [f"this is a sentence with number {i} in it" for i in range(20)]
    model = credence.train(Table([Column("body", "u", texts),
                                  Column("y", "u", ["a", "b"] * 10)]), "y")
    assert {c[0]: c[1] for c in model.columns}["body"] in ("text", "bag")


def test_what_cannot_be_read():
    with pytest.raises(TypeError, match="tdD"):
        credence.train(Table([Column("day", "tdD", [1, 2]), Column("y", "u", ["a", "b"])]), "y")
    broken = Streamed(columns(), batch=10)
    broken.fails = True
    with pytest.raises(OSError, match="the wire was cut"):
        credence.train(broken, "y")
    gc.collect()
    assert broken.alive == 0
    table = Table(columns())
    capsules = table.__arrow_c_array__()

    class Same:
        def __arrow_c_array__(self):
            return capsules

    credence.train(Same(), "y")
    with pytest.raises(ValueError, match="already"):
        credence.train(Same(), "y")
