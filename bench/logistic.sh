#!/usr/bin/env bash
# bench/logistic.sh - logistic regression beside scikit-learn and LIBLINEAR: CPU seconds of whole
# commands, and the objective that each reached.
#
#   bench/logistic.sh CREDENCE GENERATE [PART...]
#
# PART is dense, news, a9a or threads; all of them when none is named. CREDENCE_DATA names the folder
# of data sets, for news and a9a. liblinear-train and /usr/bin/python3 with scikit-learn are used
# where they are found. Files stay in ./logistic-bench.
set -eu
here=$(realpath "$(dirname "$0")")
bin=$(realpath "$1")
generate=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- dense news a9a threads
mkdir -p logistic-bench
cd logistic-bench
peer="/usr/bin/python3 -W ignore $here/peers/sklearn_logistic.py"

cpu() { # NAME COMMAND...
    local name=$1
    shift
    /usr/bin/time -f "%U %S %e" -o time "$@" >out 2>err || { echo "$name failed"; return 0; }
    awk -v name="$name" '{printf "%-34s %7.2f s CPU  %7.2f s elapsed  ", name, $1 + $2, $3}' time
    grep -ho 'objective.*' out | head -1 || true
    grep -q objective out || echo
}

ours() { # NAME TRAIN-ARGUMENTS...
    local name=$1
    shift
    cpu "$name" "$bin" train -q "$@" -m logistic -o model
    "$bin" show --json model 2>/dev/null | sed -n 's/^ *"objective": \(.*\),/    objective \1/p'
}

dense() {
    [ -f dense.csv ] || "$generate" dense 1000000 20 5 1 >dense.csv
    [ -f dense.npy ] || $peer npy dense.csv dense.npy
    ours "credence dense" --threads 1 -p epsilon=1e-4 dense.csv
    cpu "scikit-learn dense, .npy" env OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $peer dense dense.npy
    cpu "naive Bayes, for sgd" "$bin" train -q --threads 1 dense.csv -o model
    ours "credence dense, sgd" --threads 1 -p solver=sgd dense.csv
    if command -v liblinear-train >/dev/null; then
        [ -f dense.libsvm ] || $peer libsvm dense.npy dense.libsvm
        cpu "LIBLINEAR -s 0 dense, text" liblinear-train -s 0 -B 1 dense.libsvm liblinear.model
    fi
}

news() {
    [ -d 20news-bydate ] || zstd -dcq "$CREDENCE_DATA/text/20news-bydate.tar.zst" | tar xf -
    ours "credence 20 Newsgroups" -p tokens=words2 -p weight=tfidf -p length-norm=l2 \
        -p lambda=0.1 -p epsilon=5e-5 20news-bydate/20news-bydate-train
    cpu "scikit-learn 20 Newsgroups" env OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
        $peer news 20news-bydate/20news-bydate-train 10
}

# LIBLINEAR's usual -e leaves -s 0 a part in four thousand above its minimum; 0.003 brings it to within
# a part in ten thousand, as far as the others go.
a9a() {
    ours "credence a9a" --threads 1 -f libsvm -p epsilon=1e-4 "$CREDENCE_DATA/table/libsvm/a9a"
    command -v liblinear-train >/dev/null || return 0
    for solver in "0 -e 0.01" "0 -e 0.003" 7; do
        cpu "LIBLINEAR -s $solver a9a" liblinear-train -s $solver -B 1 \
            "$CREDENCE_DATA/table/libsvm/a9a" liblinear.model
    done
}

threads() {
    [ -f dense.csv ] || "$generate" dense 1000000 20 5 1 >dense.csv
    for n in 1 2; do
        cpu "credence dense, $n threads" "$bin" train -q --threads $n -m logistic dense.csv -o model
    done
}

for part in "$@"; do
    "$part"
done
