"""scikit-learn's own checks, its tools, and what only exact statistics can do."""

import copy
import pickle
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest

import credence

sklearn = pytest.importorskip("sklearn")
pytest.importorskip("sklearn.exceptions")

ALL = ["NaiveBayes", "GaussianDiscriminant", "LogisticRegression", "LinearRegression", "TAN", "AODE",
       "KDB", "Tree", "JointTable", "BayesianNetwork", "VersionSpace", "Ensemble", "Auto"]
# The checks have rows that contradict each other, which leave no conjunction of values.
ARGUMENTS = {"VersionSpace": {"contradiction": "nb"}}


def blobs(rows=300, columns=5, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, rows)
    return rng.normal(size=(rows, columns)) + y[:, None], y


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ALL)
def test_check_estimator(name):
    """Every check that scikit-learn runs on its own naive Bayes, and none is skipped."""
    from sklearn.naive_bayes import GaussianNB
    from sklearn.utils.estimator_checks import check_estimator

    estimator = getattr(credence, name)(**ARGUMENTS.get(name, {}))
    ours = [check.func.__name__ for _, check in check_estimator(estimator, generate_only=True)]
    if name != "LinearRegression":
        theirs = {check.func.__name__ for _, check in check_estimator(GaussianNB(), generate_only=True)}
        assert theirs - set(ours) == {"check_estimators_nan_inf"}  # here NaN is a missing value
    with warnings.catch_warnings():
        warnings.simplefilter("error", sklearn.exceptions.SkipTestWarning)
        warnings.simplefilter("ignore", credence.Undecided)
        check_estimator(estimator)


@pytest.mark.parametrize("name, learner", [("NaiveBayes", "nb"), ("LogisticRegression", "logistic"),
                                           ("GaussianDiscriminant", "gda"), ("AODE", "aode"),
                                           ("Tree", "tree"), ("Auto", "auto")])
def test_fit_is_what_the_command_trains(name, learner, tmp_path):
    """Unasked: the same settings and calibration; a model that begins with partial_fit has none."""
    X, y = blobs()
    rows = [{**{f"x{i}": float(v) for i, v in enumerate(r)}, "class": str(k)} for r, k in zip(X, y)]
    make = getattr(credence, name)
    assert make().fit(X, y).model_.dumps() == credence.train(rows, "class", learner).dumps()
    assert (make(calibrate="none").fit(X, y).model_.dumps()
            == credence.train(rows, "class", learner, calibrate="none").dumps())
    if name == "NaiveBayes":
        fitted = make().fit(X, y).model_
        assert fitted.knobs["real"] == "auto"
        begun = make().partial_fit(X[:150], y[:150]).partial_fit(X[150:], y[150:])
        bare = make(real="gaussian", calibrate="none").fit(X, y)
        assert begun.model_.dumps() == bare.model_.dumps()


def test_tools_of_scikit_learn():
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.compose import ColumnTransformer
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y = blobs()
    assert cross_val_score(credence.NaiveBayes(), X, y, cv=5).mean() > 0.8
    search = GridSearchCV(credence.KDB(), {"k": [1, 2]}, cv=3, n_jobs=2).fit(X, y)
    assert search.best_params_["k"] in (1, 2)
    pipe = make_pipeline(StandardScaler(), credence.GaussianDiscriminant()).fit(X, y)
    assert pipe.score(X, y) > 0.8
    mixed = make_pipeline(
        ColumnTransformer([("some", StandardScaler(), [0, 1])], remainder="passthrough"),
        credence.NaiveBayes(),
    )
    assert mixed.fit(X, y).score(X, y) > 0.8
    calibrated = CalibratedClassifierCV(credence.NaiveBayes(), cv=3).fit(X, y)
    assert calibrated.predict_proba(X).shape == (300, 3)


@pytest.mark.parametrize("name", ["NaiveBayes", "GaussianDiscriminant", "TAN", "AODE"])
def test_unlearning_is_as_if_nothing_had_happened(name):
    X, y = blobs()
    model = getattr(credence, name)(**({"bins": "width:4"} if name in ("TAN", "AODE") else {}))
    model.fit(X, y)
    before = model.model_.dumps()
    more, labels = blobs(50, seed=9)
    lo, hi = X.min(), X.max()
    more = np.clip(more, lo, hi)
    model.partial_fit(more, labels)
    assert model.model_.dumps() != before
    answers = model.predict_proba(X)
    model.unlearn(more, labels)
    if name == "GaussianDiscriminant":  # products of pairs are rounded: equal to a few last digits
        fresh = credence.GaussianDiscriminant().fit(X, y)
        assert np.abs(model.predict_proba(X) - fresh.predict_proba(X)).max() < 1e-9
    else:
        assert model.model_.dumps() == before
    assert not (answers == model.predict_proba(X)).all()


def test_the_sum_of_two_models_is_the_model_of_all_rows():
    X, y = blobs()
    whole = credence.NaiveBayes().fit(X, y)
    both = credence.NaiveBayes().fit(X[:100], y[:100]) + credence.NaiveBayes().fit(X[100:], y[100:])
    assert both.model_.dumps() == whole.model_.dumps()


def test_refit_is_training_with_the_knob():
    X, y = blobs()
    turned = credence.NaiveBayes(real="gaussian", calibrate="none").fit(X, y).refit(
        variance="class-feature")
    fitted = credence.NaiveBayes(variance="class-feature", calibrate="none").fit(X, y)
    assert turned.model_.dumps() == fitted.model_.dumps()
    assert turned.variance == "class-feature"


def test_pickle_deepcopy_and_clone():
    from sklearn.base import clone

    X, y = blobs()
    model = credence.NaiveBayes(alpha=2).fit(X, y)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert (other.predict_proba(X) == model.predict_proba(X)).all()
    assert clone(model).alpha == 2 and not hasattr(clone(model), "model_")


def test_labels_keep_their_type_and_order():
    X, _ = blobs(6)
    for labels in (["10", "9", "10", "9", "b", "b"], [2.0, 1.0, 2.0, 1.0, 3.0, 3.0],
                   [True, False, True, False, True, False], [10, 9, 10, 9, -1, -1]):
        y = np.array(labels)
        model = credence.NaiveBayes().fit(X, y)
        assert model.classes_.tolist() == sorted(set(labels))
        assert model.predict(X).dtype == y.dtype
        assert np.allclose(model.predict_proba(X).sum(axis=1), 1)
        best = model.classes_[model.predict_proba(X).argmax(axis=1)]
        assert (best == model.predict(X)).all()


def test_decisions_by_cost():
    X, y = blobs()
    model = credence.NaiveBayes().fit(X, y)
    plain = model.predict(X)
    careful, cost = model.decide(X, cost={(2, 0): 50.0, (2, 1): 50.0})
    assert (careful == 2).sum() > (plain == 2).sum()
    assert np.isfinite(cost.astype(float)).all()
    rejected, _ = model.decide(X, reject=0.01)
    assert any(label is None for label in rejected)
    with pytest.raises(credence.Error, match="class"):
        model.decide(X, cost={("nobody", 0): 1.0})


def test_the_other_learners():
    X, y = blobs(150, 3)
    auto = credence.Auto().fit(X, y)
    assert auto.score(X, y) > 0.7 and auto.model_.learner != "auto"
    assert credence.JointTable(bins="width:3").fit(X, y).score(X, y) > 0.6
    assert credence.BayesianNetwork().fit(X, y).score(X, y) > 0.6
    rows = [{"sky": "sunny", "wind": "strong"}, {"sky": "rainy", "wind": "strong"}]
    assert credence.VersionSpace().fit(rows, ["yes", "no"]).predict(rows).tolist() == ["yes", "no"]


def test_an_ensemble_of_members_that_learn_all_rows(command, tmp_path):
    """What credence combine --learned makes, and not what answers to known rows would."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 1000, (200, 2)).astype(float)
    y = np.where((X[:, 0] < 500) ^ (rng.random(200) < 0.15), "a", "b")
    members = [("tree", credence.Tree(params={"confidence": 1, "m": 0})),
               ("tan", credence.TAN()), ("nb", credence.NaiveBayes(real="gaussian"))]
    mix = credence.Ensemble(estimators=members, weights="stacking", held_out=None).fit(X, y)
    for (name, _), fitted in zip(members, mix.estimators_):
        fitted.model_.save(str(tmp_path / name))
    rows = "".join(f"{a},{b},{k}\n" for (a, b), k in zip(X, y))
    (tmp_path / "rows.csv").write_text("x0,x1,class\n" + rows)
    for way, file in (("--learned", "learned"), ("--data", "known")):
        subprocess.run([command, "combine", "-q", "-o", file, "tree", "tan", "nb", way, "rows.csv",
                        "-p", "weights=stacking"], cwd=tmp_path, check=True)
    assert mix.model_.dumps() == (tmp_path / "learned").read_bytes()
    assert mix.model_.dumps() != (tmp_path / "known").read_bytes()
    once = mix.predict_proba(X)
    again = mix.fit(np.vstack([X, X]), np.append(y, y), sample_weight=np.repeat([1.0, 0.0], 200))
    assert (again.predict_proba(X) == once).all()  # a row without weight is not there


def test_explanations_add_up():
    X, y = blobs()
    model = credence.NaiveBayes().fit(X, y)
    (why,) = model.explain(X[:1])
    (board,) = model.work(X[:1])
    assert "P(" in board and "Decision" in board
    assert why.to_dict() and "_repr_html_" in dir(why)


def test_threads_share_a_model_for_reading():
    X, y = blobs(2000)
    model = credence.NaiveBayes().fit(X, y)
    expected = model.predict_proba(X)
    wrong = []

    def work():
        for _ in range(20):
            if not (model.predict_proba(X) == expected).all():
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_the_interpreter_goes_on_during_a_pass():
    X, y = blobs(200000, 20)
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(1)
            time.sleep(0.001)

    clock = threading.Thread(target=tick)
    clock.start()
    credence.Tree().fit(X[:50000], y[:50000])
    stop.set()
    clock.join()
    assert len(ticks) > 3


def test_interrupt_stops_a_pass():
    script = """
import numpy as np, credence, threading, os, signal, time
rng = np.random.default_rng(0)
X = rng.normal(size=(400000, 40)); y = rng.integers(0, 5, 400000)
threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begin = time.time()
try:
    for _ in range(200):
        credence.LogisticRegression(iterations=100000, epsilon=1e-12).fit(X, y)
except KeyboardInterrupt:
    print("stopped")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert "stopped" in done.stdout, done.stderr


def test_no_copy_of_an_array_is_made():
    import resource

    for order in "CF":
        X = np.zeros((1_000_000, 20), order=order)
        X += np.random.default_rng(0).normal(size=20)
        X[:: 2] += 1
        y = np.arange(len(X)) % 2
        credence.NaiveBayes().fit(X[:1000], y[:1000])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        credence.NaiveBayes(threads=1).fit(X, y)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert grown < X.nbytes / 1024 / 3  # in kB: labels take a little, the matrix would take all


def test_memory_does_not_grow():
    import resource

    X, y = blobs(2000)
    model = credence.NaiveBayes().fit(X, y)

    def churn(times):
        for _ in range(times):
            credence.NaiveBayes().fit(X, y)
            model.predict_proba(X)
            pickle.loads(pickle.dumps(model))
            with pytest.raises(ValueError):
                model.predict(X[:, :2])

    churn(50)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    churn(300)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8000
