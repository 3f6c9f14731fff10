"""Every form of table gives the same model, and the command's."""

import pickle
import subprocess

import numpy as np
import pytest

import credence


def test_arrays_of_any_layout_and_type():
    rng = np.random.default_rng(0)
    X = rng.integers(-50, 50, (200, 4)).astype(float)
    y = rng.integers(0, 2, 200)
    expected = credence.NaiveBayes().fit(X, y).model_.dumps()
    wide = np.zeros((400, 8))
    wide[::2, ::2] = X
    forms = [np.asfortranarray(X), wide[::2, ::2], X[::-1][::-1], X.astype("f4"), X.astype("i1"),
             X.astype(">f8"), X.astype("f2"), X.astype(object), X.tolist()]
    for form in forms:
        assert credence.NaiveBayes().fit(form, y).model_.dumps() == expected
    read_only = X.copy()
    read_only.flags.writeable = False
    assert credence.NaiveBayes().fit(read_only, y).model_.dumps() == expected


def test_missing_values_as_nan_and_masked():
    X = np.array([[1.0, np.nan], [2.0, 5.0], [np.nan, 6.0], [4.0, 7.0]])
    y = [0, 0, 1, 1]
    a = credence.NaiveBayes().fit(X, y)
    masked = np.ma.masked_invalid(X)
    b = credence.NaiveBayes().fit(masked, y)
    assert a.model_.dumps() == b.model_.dumps()
    assert np.isfinite(a.predict_proba(X)).all()


def test_frames_of_mixed_kinds_equal_the_command(data, command, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(data / "tax.csv", keep_default_na=False)
    ours = credence.train(frame, "evade", "nb", calibrate="none")
    path = tmp_path / "tax.model"
    subprocess.run([command, "train", "-q", "-m", "nb", "--calibrate", "none", str(data / "tax.csv"),
                    "-o", str(path)], check=True)
    theirs = credence.load(path)
    assert ours.facts["fingerprint"] == theirs.facts["fingerprint"]
    X = frame.drop(columns="evade")
    assert (ours.predict_proba(X) == theirs.predict_proba(X)).all()


def test_pandas_types():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({
        "c": pandas.Categorical(["a", "b", None, "a"]),
        "i": pandas.array([1, 2, None, 4], dtype="Int64"),
        "b": pandas.array([True, None, False, True], dtype="boolean"),
        "s": pandas.array(["x", None, "y", "x"], dtype="string"),
        "f": [0.5, 1.5, np.nan, 2.5],
    })
    model = credence.NaiveBayes().fit(frame, [0, 1, 0, 1])
    kinds = {name: kind for name, kind, _, _ in model.model_.columns}
    assert kinds["c"] == kinds["s"] == kinds["b"] == "symbol"
    assert kinds["i"] == kinds["f"] == "real"
    assert model.feature_names_in_.tolist() == list("cibsf")
    assert np.isfinite(model.predict_proba(frame)).all()
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["c"]])


def test_dicts_and_texts():
    rows = [{"wind": "weak", "heat": 20}, {"wind": "strong", "heat": 5}] * 4
    model = credence.NaiveBayes().fit(rows, ["yes", "no"] * 4)
    assert model.predict([{"wind": "weak", "heat": 19}]).tolist() == ["yes"]
    texts = ["a great game", "the election was over", "very clean match", "a clean but forgettable game",
             "it was a close election"]
    sports = credence.NaiveBayes().fit(texts, ["Sports", "Not", "Sports", "Sports", "Not"])
    # by hand: 3/5 · 3/25 · 2/25 · 1/25 · 3/25 = 2.7648e-5 against 5.7175e-6
    (p,) = sports.predict_proba(["A very close game"])
    assert p[1] == pytest.approx(2.7648e-5 / (2.7648e-5 + 5.7175e-6), abs=1e-4)


def test_files_bytes_and_pickle(data, tmp_path):
    model = credence.train(data / "iris.csv", "species", "gda")
    assert credence.loads(model.dumps()).dumps() == model.dumps()
    assert pickle.loads(pickle.dumps(model)).dumps() == model.dumps()
    again = credence.train((data / "iris.csv").read_bytes(), "species", "gda")
    assert again.dumps() == model.dumps()
    model.save(tmp_path / "m.model")
    assert credence.load(tmp_path / "m.model").classes == ["setosa", "versicolor", "virginica"]
    with pytest.raises(credence.Error):
        credence.loads(b"not a model")
    with pytest.raises(credence.Error) as caught:
        credence.train(tmp_path / "nowhere.csv")
    assert "nowhere.csv" in str(caught.value)


def test_errors_tell_where(tmp_path):
    (tmp_path / "bad.csv").write_text("a,b\n1,x\n2\n")
    with pytest.raises(credence.Error) as caught:
        credence.train(tmp_path / "bad.csv")
    assert caught.value.line == 3


def test_functions(data):
    figures = credence.cv(data / "iris.csv", folds=5)
    assert 0.9 < figures.accuracy < 1 and len(figures.fold) == 5
    both = credence.compare(data / "iris.csv", learners=["nb", "gda"])
    assert both.best == "gda" and [m["name"] for m in both.models] == ["nb", "gda"]
    assert both.models[1]["log_loss"] < both.models[0]["log_loss"]
    model = credence.train(data / "animals.csv", types={"name": "ignore"},
                           params={"smoothing": "none"})
    answer = model.query("P(class=mammals | birth=yes, fly=no, water=yes, legs=no)")
    # the lectures' twenty animals: .0210 / (.0210 + .0027)
    assert answer["probability"] == pytest.approx(0.8849, abs=1e-4)
    assert credence.test(model, data / "animals.csv").rows == 20
    assert "nb" in credence.learners()


def test_import_needs_nothing_but_the_package():
    import sys

    code = ("import sys, credence; "
            "assert not {'numpy', 'pandas', 'sklearn', 'scipy'} & set(sys.modules), sys.modules.keys()")
    subprocess.run([sys.executable, "-c", code], check=True)
