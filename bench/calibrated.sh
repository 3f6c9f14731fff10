#!/bin/sh
# bench/calibrated.sh - learners as they are beside learners as train calibrates them.
#
#     bench/calibrated.sh CREDENCE DATA_FOLDER [TABLE...] > figures.tsv
#
# One line for each table, learner and way: table, learner, none or auto, rows, log loss of ten
# folds. Tables are ARFF files of the data folder; wine and spectf.test are left out, since the last
# column there is a number, which few rows share.
set -eu
credence=$1
folder=$2
shift 2
[ $# -gt 0 ] || set -- iris openml_corral lymph hepatitis sonar glass heart.c ionosphere vote \
    balance.scale breast.cancer heart.statlog spect.test solar.flare1 credit.a diabetes vehicle \
    soybean
figure() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*\$/\1/p" "$2" | head -1; }

answers=$(mktemp)
trap 'rm -f "$answers"' EXIT
for table in "$@"; do
    for learner in nb gda tan aode kdb; do
        for way in none auto; do
            "$credence" cv -m "$learner" --calibrate $way --json \
                "$folder/table/arff/$table.arff" > "$answers" 2> /dev/null || continue
            printf '%s\t%s\t%s\t%s\t%s\n' "$table" "$learner" $way "$(figure rows "$answers")" \
                "$(figure log_loss "$answers")"
        done
    done
done
