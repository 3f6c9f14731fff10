#!/bin/sh
# bench/auto.sh - the choice of -m auto, made within each of ten folds, beside every single learner.
#
#     bench/auto.sh CREDENCE DATA_FOLDER [TABLE...] > figures.tsv
#
# One line for each table and learner: table, learner, rows, accuracy, log loss, ECE. Tables are the
# ARFF files of the data folder that have a class.
set -eu
credence=$1
folder=$2
shift 2
[ $# -gt 0 ] || set -- $(cd "$folder/table/arff" && ls *.arff)

figure() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*\$/\1/p" "$2" | head -1; }

answers=$(mktemp)
trap 'rm -f "$answers"' EXIT
for table in "$@"; do
    for learner in auto nb nb:real=kde nb:real=bins:mdl tan aode kdb gda:covariance=shared gda \
        logistic tree; do
        "$credence" cv -m "$learner" --json "$folder/table/arff/$table" > "$answers" 2> /dev/null ||
            continue
        loss=$(figure log_loss "$answers")
        [ -n "$loss" ] || continue
        printf '%s\t%s\t%s\t%s\t%s\t%s\n' "${table%.arff}" "$learner" "$(figure rows "$answers")" \
            "$(figure accuracy "$answers")" "$loss" "$(figure ece "$answers")"
    done
done
