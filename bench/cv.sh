#!/usr/bin/env bash
# cv.sh - what cross-validation costs, in milliseconds of processor time, best of five.
#
# Usage: cv.sh CREDENCE DATA [OPTION...]: train, predict, ten folds, and one left out at a time, of the
# same rows with the same options. The ratios are to train and predict together.
set -eu
credence=$1 data=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cost() { # COMMAND...
    local best=0 ms
    for _ in 1 2 3 4 5; do
        ms=$({ TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1 | awk '{print ($1 + $2) * 1000}')
        best=$(awk -v a="$best" -v b="$ms" 'BEGIN {print a == 0 || b < a ? b : a}')
    done
    echo "$best"
}

train=$(cost "$credence" train -q "$data" "$@" -o "$folder/model")
predict=$(cost "$credence" predict -q --proba "$folder/model" "$data")
folds=$(cost "$credence" cv -q "$data" "$@")
loo=$(cost "$credence" cv -q "$data" "$@" --folds loo)
awk -v t="$train" -v p="$predict" -v f="$folds" -v l="$loo" 'BEGIN {
    printf "train %d, predict %d, ten folds %d (%.2f), one left out %d (%.2f)\n",
        t, p, f, f / (t + p), l, l / (t + p)
}'
