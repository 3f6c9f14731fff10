"""What the functions answer: the command's numbers, and those worked by hand."""

import json
import pickle
import subprocess

import numpy as np
import pytest

import credence


def said(command, *arguments):
    done = subprocess.run([command, *map(str, arguments), "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def without_time(result):
    return {k: v for k, v in result.items() if k not in ("seconds", "models")}


def test_every_result_is_the_command_s(data, command, tmp_path):
    iris = data / "iris.csv"
    for ours, theirs in ((dict(), ()), (dict(learner="nb"), ("-m", "nb")),
                         (dict(params={"alpha": 2}), ("-p", "alpha=2")),
                         (dict(learner="nb", calibrate="none"), ("-m", "nb", "--calibrate", "none"))):
        found = {k: v for k, v in without_time(credence.cv(iris, **ours)).items() if k != "learner"}
        assert found == {k: v for k, v in without_time(said(command, "cv", *theirs, iris)).items()
                         if k != "learner"}
    ours, theirs = (credence.compare(iris, learners=["nb:real=gaussian", "gda:covariance=shared"]),
                    said(command, "compare", "-m", "nb:real=gaussian,gda:covariance=shared", iris))
    assert without_time(ours) == without_time(theirs)
    assert [m["mcc"] for m in ours.models] == [m["mcc"] for m in theirs["models"]]
    space = {"alpha": [0.5, 1], "real": "gaussian"}
    assert without_time(credence.tune(iris, learner="nb", space=space)) == without_time(
        said(command, "tune", "-m", "nb", "-p", "alpha=0.5,1", "-p", "real=gaussian", iris))
    assert without_time(credence.curve(iris, learners=["nb:real=gaussian", "gda"])) == without_time(
        said(command, "curve", "-m", "nb:real=gaussian,gda", iris))
    assert without_time(credence.curve(iris, sizes=[50, 100])) == without_time(
        said(command, "curve", "--sizes", "50,100", iris))
    assert credence.independence(iris) == said(command, "independence", iris)
    assert credence.independence(iris, classes=False) == said(
        command, "independence", "--no-class", iris)
    model = credence.train(iris)
    model.save(tmp_path / "iris.model")
    assert without_time(credence.test(model, iris)) == without_time(
        said(command, "test", tmp_path / "iris.model", iris))
    assert credence.drift(model, iris) == said(command, "drift", tmp_path / "iris.model", iris)


def made(command, tmp_path, *arguments):
    """The bytes of the model that the command trains."""
    path = tmp_path / "made.model"
    subprocess.run([command, "train", "-q", *map(str, arguments), "-o", path], check=True,
                   capture_output=True)
    return path.read_bytes()


@pytest.mark.parametrize("ours, theirs", [
    ({}, []), ({"learner": "auto"}, ["-m", "auto"]), ({"learner": "nb"}, ["-m", "nb"]),
    ({"learner": "logistic"}, ["-m", "logistic"]), ({"learner": "gda"}, ["-m", "gda"]),
    ({"params": {"alpha": 2}}, ["-p", "alpha=2"]),
    ({"params": {"blend": False}, "calibrate": "none"}, ["-p", "blend=no", "--calibrate", "none"]),
    ({"learner": "nb", "calibrate": "none"}, ["-m", "nb", "--calibrate", "none"]),
    ({"learner": "tree", "calibrate": "platt"}, ["-m", "tree", "--calibrate", "platt"]),
])
def test_what_is_trained_is_what_the_command_trains(ours, theirs, data, command, tmp_path):
    """The same bytes, from a file and from columns in memory."""
    pandas = pytest.importorskip("pandas")
    iris = data / "iris.csv"
    wanted = made(command, tmp_path, *theirs, iris)
    assert credence.train(iris, **ours).dumps() == wanted
    assert credence.train(pandas.read_csv(iris), **ours).dumps() == wanted


def test_a_choice_says_what_was_tried(data, command):
    model = credence.train(data / "iris.csv")
    theirs = said(command, "train", data / "iris.csv")["tried"]
    assert model.tried == [{"reason": "", **t} for t in theirs]
    assert model.tried[0]["chosen"] and model.learner == model.tried[0]["name"].split(":")[0]
    plain = credence.train(data / "iris.csv", learner="nb")
    assert plain.tried == [] and plain.calibration == "temperature"
    assert credence.train(data / "iris.csv", learner="nb", calibrate="none").calibration is None
    with pytest.raises(credence.Error, match="calibration 'magic'"):
        credence.train(data / "iris.csv", calibrate="magic")


def test_knobs_are_chosen_again_without_the_data(data, command, tmp_path):
    iris = data / "iris.csv"
    kept = credence.train(iris, learner="nb", params={"real": "gaussian", "values": "keep"})
    kept.save(tmp_path / "kept.model")
    subprocess.run([command, "refit", "-q", "--auto", tmp_path / "kept.model", "-o",
                    tmp_path / "chosen.model"], check=True, capture_output=True)
    assert kept.refit_auto().dumps() == (tmp_path / "chosen.model").read_bytes()
    with pytest.raises(credence.Error):  # a choice among learners needs the rows
        credence.train(iris).refit_auto()


def test_one_class_is_learned_by_naive_bayes():
    model = credence.train([{"x": 1.0, "y": "a"}, {"x": 2.0, "y": "a"}], "y")
    assert model.learner == "nb" and model.classes == ["a"]


def test_criteria_of_all_rows(data):
    found = credence.compare(data / "iris.csv", learners=["nb", credence.GaussianDiscriminant()],
                             by="bic")
    assert found.criterion == "bic" and {m["name"] for m in found.models} == {"nb", "gda"}


def test_tuning_gives_its_best_as_knobs(data):
    found = credence.tune(data / "tax.csv", learner="nb", space={"alpha": "0.1..10:log"}, steps=3,
                          folds=5)
    assert set(found.best) == {"alpha"} and len(found.settings) == 3
    assert credence.train(data / "tax.csv", params=found.best).knobs["alpha"] == found.best["alpha"]


def test_shares_of_a_coin(command):
    coin = credence.estimate({"heads": 51, "tails": 49}, prior="beta:2,2")
    theirs = said(command, "estimate", "heads=51", "tails=49", "--prior", "beta:2,2")
    for ours, other in zip(coin.quantities, theirs["outcomes"]):
        for key in ("mle", "map", "mean", "sd", "mode", "predictive"):
            assert ours[key] == other[key]
        assert list(ours.interval) == other["interval"]
    assert coin.log_evidence == theirs["log_evidence"]
    assert coin.quantities[0].mean == pytest.approx(53 / 104)  # (51 + 2) / (100 + 4)
    assert sum(credence.estimate(["a", "b", "a"]).to_pandas()["mean"]) == pytest.approx(1)


def test_means_and_rates(command):
    numbers = [1.2, 3.4, 2.2, 5.1, 0.7]
    ours = credence.estimate(numbers, "gaussian")
    theirs = said(command, "estimate", "--gaussian", *numbers)
    assert ours.quantities[0].mle == pytest.approx(np.mean(numbers))
    for q in ours.quantities:
        assert list(q.interval) == theirs[q.name]["interval"]
    day = credence.estimate([12], "poisson", exposure=24, against=[3])
    both = said(command, "estimate", "--poisson", "day:", "12/24", "night:", "3/24")
    assert day.versus["greater"] == both["versus"][0]["greater"]
    with pytest.raises(credence.Error, match="prior"):
        credence.estimate(numbers, "gaussian", prior="beta:1,1")


def test_hypotheses(tmp_path, command):
    # Surprise Candy: 10, 20, 40, 20, 10 % of the bags have 0, 25, 50, 75, 100 % lime; two limes drawn
    prior, lime = [0.1, 0.2, 0.4, 0.2, 0.1], [0, 0.25, 0.5, 0.75, 1]
    rows = [{"hypothesis": f"h{i}", "prior": p, "lime": q, "cherry": 1 - q}
            for i, (p, q) in enumerate(zip(prior, lime), 1)]
    bags = credence.hypotheses(rows, evidence=["lime", "lime"], classes=["lime", "cherry"])
    weight = [p * q * q for p, q in zip(prior, lime)]
    for h, w in zip(bags.hypotheses, weight):
        assert h["posterior"] == pytest.approx(w / sum(weight), abs=1e-12)
    expected = sum(w * q for w, q in zip(weight, lime)) / sum(weight)
    assert bags.classes[0]["predictive"] == pytest.approx(expected, abs=1e-12)
    assert bags.optimal_class == "lime" and bags.map == ["h5"] or bags.map == ["h4"]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rows)
    assert credence.hypotheses(frame, evidence=["lime"] * 2, classes=["lime", "cherry"]) == bags
    frame.to_csv(tmp_path / "bags.csv", index=False)
    assert credence.hypotheses(tmp_path / "bags.csv", evidence=["lime", "lime"],
                               classes=["lime", "cherry"]) == bags
    with pytest.raises(credence.Error, match="normalise=True"):
        credence.hypotheses([{"hypothesis": "a", "prior": 1, "likelihood": 1}] * 2)


def test_networks(data, command, tmp_path):
    lawn = credence.read_network(data / "lawn.bif")
    credence.write_network(lawn, tmp_path / "lawn.xml")
    again = credence.read_network(tmp_path / "lawn.xml")
    assert credence.structure(lawn, again).shd == 0
    arcs = credence.structure(lawn)
    assert arcs.arcs == said(command, "structure", "arcs", data / "lawn.bif")["arcs"]
    rows = credence.sample(lawn, 20000, seed=3)
    assert set(rows) == {c[0] for c in lawn.columns}
    name = next(iter(rows))
    for value in set(rows[name].tolist()):
        share = (rows[name] == value).mean()
        assert share == pytest.approx(float(lawn.query(f"P({name}={value})")), abs=0.02)
    csv = subprocess.run([command, "sample", data / "lawn.bif", "-n", "5", "--seed", "3"],
                         capture_output=True, text=True).stdout.splitlines()
    assert csv[1] == ",".join(rows[n][0] for n in csv[0].split(","))
    learned = credence.train([dict(zip(rows, r)) for r in zip(*rows.values())], name, "network")
    sure = credence.structure(learned, rounds=10)
    assert all(0 <= a["strength"] <= 1 for a in sure.arcs)


def test_products_of_columns_from_memory(data, tmp_path):
    pd = pytest.importorskip("pandas")
    iris = data / "iris.csv"
    frame = pd.read_csv(iris)
    basis = "polynomial:2"
    by_file = credence.train(iris, learner="logistic", basis=basis)
    by_frame = credence.train(frame, learner="logistic", basis=basis)
    assert by_frame.dumps() == by_file.dumps()
    with pytest.raises(TypeError, match="delimiter: for files"):
        credence.train(frame, basis=basis, delimiter=",")
    X, y = frame.iloc[:, :4], frame.iloc[:, 4]
    estimator = credence.LogisticRegression(basis=basis).fit(X, y)
    assert np.array_equal(estimator.predict_proba(X), by_file.predict_proba(frame))
    assert by_file.predict(X.to_numpy()) == by_file.predict(frame)
    with pytest.raises(ValueError, match="pass basis= beside the data"):
        credence.compare(frame, learners=[estimator])
    straight = credence.LogisticRegression().fit(X, y)
    assert not np.array_equal(estimator.predict_proba(X), straight.predict_proba(X))


def test_models_add_and_subtract(data):
    lines = (data / "iris.csv").read_text().splitlines()
    half = ["\n".join([lines[0], *lines[a:b]]).encode() for a, b in ((1, 76), (76, 151))]
    bare = {"learner": "nb", "params": {"real": "gaussian"}, "calibrate": "none"}
    first, second = (credence.train(part, **bare) for part in half)
    whole = first + second
    assert whole.dumps() == credence.train(data / "iris.csv", **bare).dumps()
    assert (whole - second).dumps() == first.dumps()
    with pytest.raises(credence.Error):
        first - second


def test_hints_speak_python(tmp_path):
    with pytest.raises(credence.Error) as caught:
        credence.JointTable(bins="none").fit([[1.5], [2.5]], [0, 1])
    assert 'types={"x0": "ignore"}' in caught.value.hint and "--" not in str(caught.value)
    with pytest.raises(credence.Error) as caught:
        credence.NaiveBayes(params={"alhpa": 1}).fit([[1.5], [2.5]], [0, 1])
    assert "alpha" in str(caught.value) and "credence help" not in str(caught.value)


def test_results_for_notebooks(data):
    pandas = pytest.importorskip("pandas")
    iris = data / "iris.csv"
    model = credence.train(iris)
    flower = [{"sepal_length": 6.0, "petal_width": 1.7}]
    results = [
        credence.cv(iris), credence.test(model, iris), credence.compare(iris),
        credence.tune(iris, space={"alpha": [1, 2]}), credence.curve(iris, sizes=[20, 100]),
        credence.drift(model, iris), credence.independence(iris),
        credence.estimate({"a": 1, "b": 2}), credence.estimate({"a": 1, "b": 2}).quantities[0],
        credence.hypotheses([{"hypothesis": "<h>", "prior": 1.0, "likelihood": 1.0}]),
        credence.structure(credence.read_network(data / "lawn.bif")),
        model.query("P(species | petal_width<1)"), model.explain(flower)[0],
    ]
    for result in results:
        page = result._repr_html_()
        assert page.startswith("<") and "<script" not in page and "<h>" not in page
        assert isinstance(result.to_pandas(), (pandas.DataFrame, pandas.Series))
        assert json.dumps(result.to_dict())
        assert pickle.loads(pickle.dumps(result)) == result
    pictures = [results[0], results[4], results[8], results[-1]]
    assert all(p._repr_svg_().startswith("<svg") for p in pictures)
    assert model.work(flower)[0]._repr_html_().startswith("<pre>")


def test_progress(data, monkeypatch):
    seen = []
    X = np.random.default_rng(0).normal(size=(200_000, 10))
    y = np.arange(len(X)) % 3
    credence.NaiveBayes(threads=1).fit(X, y, progress=lambda *told: seen.append(told))
    assert seen and all(done <= total or total == 0 for done, total, _ in seen)

    def stop(*_):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        credence.LogisticRegression().fit(X, y, progress=stop)
    with pytest.raises(TypeError, match="progress"):
        credence.cv(data / "iris.csv", progress="yes")

    class Bar:
        n = 0
        closed = False

        def update(self, more):
            Bar.n += more

        def close(self):
            Bar.closed = True

    import sys
    import types

    fake = types.ModuleType("tqdm.auto")
    fake.tqdm = lambda **_: Bar()
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", fake)
    credence.NaiveBayes().fit(X, y, progress=True)
    assert Bar.closed
