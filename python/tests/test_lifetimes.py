"""Nothing is leaked, no reference is lost, and threads may teach a model that others read."""

import copy
import gc
import sys
import threading

import numpy as np
import pytest

import credence


def everything(data, X, y, frame):
    """One call of everything, right and wrong."""
    model = credence.NaiveBayes().fit(X, y)
    model.partial_fit(X[:9], y[:9]).unlearn(X[:9], y[:9])
    (model + model - model).refit(alpha=2)
    model.predict(X), model.predict_log_proba(X), model.decide(X, reject=0.1)
    model.explain(X[:2]), model.work(X[:2]), model.drift(X), model.test(X, y)
    model.calibrate_on(X, y, "platt")
    credence.loads(model.model_.dumps())
    credence.cv(frame, "y", folds=3)
    credence.compare(frame, "y", learners=["nb", "tan"], folds=3)
    credence.tune(frame, "y", space={"alpha": [1, 2]}, folds=3)
    credence.curve(frame, "y", sizes=[20], repeats=2)
    credence.independence(frame, "y")
    credence.estimate({"a": 1, "b": 2}, against={"a": 2, "b": 1})
    credence.estimate([1.0, 2.0, 4.0], "gaussian"), credence.estimate([1, 2], "poisson")
    credence.hypotheses([{"hypothesis": "h", "prior": 1.0, "likelihood": 0.5}])
    net = credence.read_network(data / "lawn.bif")
    credence.sample(net, 10), credence.structure(net), credence.structure(net, net)
    for wrong in (lambda: model.predict(X[:, :1]), lambda: credence.loads(b"no model"),
                  lambda: credence.cv(frame, "nobody"), lambda: model.query("P("),
                  lambda: credence.train(frame, "y", "nothing"),
                  lambda: credence.compare(frame, "y", learners=["nb", "no such learner"]),
                  lambda: credence.estimate([1.0], "gaussian", prior="wrong"),
                  lambda: credence.read_network(data / "iris.csv")):
        with pytest.raises(ValueError):
            wrong()


@pytest.fixture
def small():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = rng.normal(size=(60, 3)) + y[:, None]
    rows = [{"a": float(r[0]), "b": f"v{int(r[1] > 0)}", "y": str(k)} for r, k in zip(X, y)]
    return X, y, rows


def resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


def test_memory_and_references_stay(data, small):
    X, y, frame = small
    for _ in range(5):
        everything(data, X, y, frame)
    gc.collect()
    held = [sys.getrefcount(o) for o in (X, y, None)]
    blocks, before = sys.getallocatedblocks(), resident()
    for _ in range(25):
        everything(data, X, y, frame)
    gc.collect()
    after = [sys.getrefcount(o) for o in (X, y, None)]
    assert after[:2] == held[:2]
    assert abs(after[2] - held[2]) < 500  # of None, others use it too
    assert sys.getallocatedblocks() - blocks < 2000
    assert resident() - before < 6_000_000


def test_one_thread_teaches_while_others_read(small):
    X, y, _ = small
    model = credence.NaiveBayes().fit(X, y)
    allowed = {model.predict_proba(X).tobytes()}
    allowed.add(copy.deepcopy(model).partial_fit(X, y).predict_proba(X).tobytes())
    wrong, stop = [], threading.Event()

    def read():
        while not stop.is_set():
            if model.predict_proba(X).tobytes() not in allowed:
                wrong.append(1)

    readers = [threading.Thread(target=read) for _ in range(4)]
    for r in readers:
        r.start()
    for _ in range(100):
        model.partial_fit(X, y)
        model.unlearn(X, y)
    stop.set()
    for r in readers:
        r.join()
    assert not wrong
