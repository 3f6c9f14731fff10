#!/usr/bin/env bash
# bench/learners.sh - every learner beside naive Bayes and beside a peer, and how each grows.
#
# Usage: bench/learners.sh [--quick] [--growth] [--no-peers] [--svg FILE] [BUILD]
#
# Processor seconds of whole commands, both threads together, the least of three runs (of one for
# trees of a million rows and for peers). First a table of what each learner costs as a multiple of
# naive Bayes on the same rows: training, testing, ten-fold cross-validation. Then training from
# 10,000 rows up, ten times as many each time, with the slope in a log-log plot, which --svg draws;
# --growth measures that alone.
# Tables are generated once into CREDENCE_BENCH_DIR (default: /tmp/credence-bench).
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
build=$here/../build
quick=no
growth=too
peers=yes
svg=
usage="usage: bench/learners.sh [--quick] [--growth] [--no-peers] [--svg FILE] [BUILD]"
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=yes ;;
    --growth) growth=only ;;
    --no-peers) peers=no ;;
    --svg) svg=${2:?bench/learners.sh: --svg FILE}; shift ;;
    -*) echo "$usage" >&2; exit 2 ;;
    *) build=$1 ;;
    esac
    shift
done
# shellcheck source=bench/lib.sh
. "$here/lib.sh"
bench_begin learners "$build"

over() { awk -v a="$1" -v b="$2" 'BEGIN {if (a == "-" || !(b > 0)) print "-"; else printf "%.1f\n", a / b}'; }
show() { awk -v a="$1" 'BEGIN {if (a == "-") print "-"; else printf "%.3g\n", a}'; }

# --- beside naive Bayes -----------------------------------------------------------------------

beside() { # KIND ROWS LEARNER...
    local kind=$1 rows=$2 file base_train='' base_test=''
    file=$(bench_table "$kind" "$rows")
    shift 2
    echo
    echo "## $kind, $rows rows"
    echo
    echo "| learner | train s | of nb | test s | of nb | cv s | of train and test | model kB |"
    echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for learner; do
        local train test cv sum
        train=$(bench_cost 3 "$credence" train -q -m "$learner" "$file" -t class \
            --calibrate none -o "$work/model")
        test=$(bench_cost 3 "$credence" test -q "$work/model" "$file")
        cv=$(bench_cost 1 "$credence" cv -q -m "$learner" "$file" -t class --calibrate none)
        base_train=${base_train:-$train}
        base_test=${base_test:-$test}
        sum=$(awk -v a="$train" -v b="$test" 'BEGIN {print a + b}')
        echo "| $learner | $(show "$train") | $(over "$train" "$base_train") | $(show "$test") |" \
            "$(over "$test" "$base_test") | $(show "$cv") | $(over "$cv" "$sum") |" \
            "$(($(wc -c < "$work/model") / 1000)) |"
    done
}

# --- growth -----------------------------------------------------------------------------------

grow() { # KIND MOST LEARNER...
    local kind=$1 most=$2 rows
    shift 2
    for learner; do
        for ((rows = 10000; rows <= most; rows *= 10)); do
            echo "$kind $learner $rows $(bench_figures 1 "$credence" train -q -m "$learner" \
                "$(bench_table "$kind" $rows)" -t class --calibrate none -o "$work/model" |
                cut -d ' ' -f 2-)"
        done
    done
}

# --- trees beside scikit-learn ----------------------------------------------------------------

trees() { # ROWS
    local file
    file=$(bench_table dense "$1")
    bench_python
    echo
    echo "## trees, dense, $1 rows"
    echo
    echo "- credence train -m tree: $(show "$(bench_cost 1 "$credence" train -q -m tree "$file" -t class \
        -o "$work/model")") s, the file read"
    [ -z "$python" ] || echo "- $("$python" "$here/peers/sklearn_tree.py" "$file")"
}

most=10000000 middle=1000000 tree=100000 rows_dense=1000000 rows_categorical=5000000
[ $quick = no ] || most=100000 middle=100000 tree=10000 rows_dense=50000 rows_categorical=250000
if [ $growth = too ]; then
    beside dense $rows_dense nb gda tan kdb aode pairs
    beside categorical $rows_categorical nb tan kdb aode pairs
    [ $peers = no ] || trees $tree
fi
{
    grow categorical $most nb tan kdb aode
    grow dense $most nb gda tan aode logistic
    grow dense $middle kdb tree
} > "$work/growth"
echo
echo "## growth of training"
echo
awk -v csv="$work/growth.csv" -f "$here/growth.awk" "$work/growth"
[ -z "$svg" ] || "$credence" plot lines "$work/growth.csv" -x rows -y 'log10 of CPU seconds' \
    --by learner --log --width 640 --height 420 --title 'training time against rows' -o "$svg" -q
