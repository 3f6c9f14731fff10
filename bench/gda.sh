#!/usr/bin/env bash
# gda.sh - Gaussian discriminants beside scikit-learn: whole commands from a CSV file, and MNIST.
#
#   CREDENCE_BIN=build/credence [CREDENCE_DATA=FOLDER] bench/gda.sh [ROWS]
#
# Prints CPU seconds (user + system) of training and predicting ROWS rows (300000) of 20 numbers in 5
# classes, each side with one thread; then, where the folder of data sets has MNIST, accuracies. Needs
# Python with scikit-learn and pandas.
set -euo pipefail
bin=$(realpath "${CREDENCE_BIN:-build/credence}")
rows=${1:-300000}
python=${PYTHON:-/usr/bin/python3}
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$python" - "$rows" <<'PY'
import sys
import numpy as np
rng = np.random.default_rng(1)
n, d, k = int(sys.argv[1]), 20, 5
y = rng.integers(0, k, n)
mean = rng.normal(0, 1, (k, d))
x = np.empty((n, d))
for c in range(k):
    mix = rng.normal(0, 1, (d, d)) / 4 + np.eye(d)
    x[y == c] = rng.normal(0, 1, ((y == c).sum(), d)) @ mix + mean[c]
with open("dense.csv", "w") as f:
    f.write(",".join(f"x{i}" for i in range(d)) + ",y\n")
    np.savetxt(f, np.c_[x, y], ",".join(["%.6g"] * d + ["c%d"]))
PY

cat > peer.py <<'PY'
import sys
import pandas
from sklearn.discriminant_analysis import (LinearDiscriminantAnalysis,
                                           QuadraticDiscriminantAnalysis)
d = pandas.read_csv("dense.csv")
x, y = d.iloc[:, :20].to_numpy(), d["y"].to_numpy()
m = LinearDiscriminantAnalysis() if sys.argv[1] == "shared" else QuadraticDiscriminantAnalysis()
m.fit(x, y).predict(x)
PY

cpu() { # COMMAND...: CPU seconds
    local times
    times=$( { TIMEFORMAT='%U %S'; time "$@" > /dev/null 2> /dev/null; } 2>&1 )
    awk '{ printf "%.2f", $1 + $2 }' <<< "$times"
}

ours() {
    "$bin" train -q --threads 1 -m gda -p "covariance=$1" -o model dense.csv
    "$bin" predict --threads 1 model dense.csv
}

printf '%-8s %10s %14s\n' covariance credence scikit-learn
for covariance in shared full; do
    printf '%-8s %10s %14s\n' "$covariance" "$(cpu ours "$covariance")" \
        "$(cpu "$python" peer.py "$covariance")"
done

images=${CREDENCE_DATA:-/nowhere}/image/mnist
[ -e "$images/train-images-idx3-ubyte.gz" ] || exit 0
accuracy() { # NAME TRAIN...
    local name=$1
    shift
    "$bin" train -q -o model "$@" "$images/train-images-idx3-ubyte.gz"
    printf '%-28s %s\n' "$name" "$("$bin" test --json model \
        "$images/t10k-images-idx3-ubyte.gz" | awk -F'[:,]' '/^  "accuracy"/ { print $2 }')"
}
accuracy 'linear' -m gda -p covariance=shared 2> /dev/null
accuracy 'quadratic, ridge 0.03 * 255^2' -m gda -p covariance=full -p ridge=1950.75 2> /dev/null
for floor in 1e-9 0.1; do
    accuracy "naive Bayes, floor $floor" -m nb -p variance=class-feature -p variance-estimate=mle \
        -p "variance-floor=$floor"
done
