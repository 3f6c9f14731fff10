#!/bin/sh
# bench/auto.sh - the choice of -m auto, made within each of ten folds, beside every single learner.
#
#     bench/auto.sh CREDENCE DATA_FOLDER [TABLE...] > figures.tsv
#
# One line for each table and learner: table, learner, rows, accuracy, log loss, ECE. Tables are the
# ARFF files of the data folder that have a class; by default all of them, small ones first. LEARNERS
# in the environment names others than all. bench/auto_means.py makes the table of docs/auto.md of it.
set -eu
credence=$1
folder=$2
shift 2
[ $# -gt 0 ] || set -- trains weather.nominal weather.numeric shuttle.landing.control \
    contact-lenses spect.train spectf.train lymph iris hepatitis openml_corral wine spect.test \
    sonar glass spectf.test heart.statlog breast.cancer cleveland heart.c solar.flare1 ionosphere \
    vote balance.scale spectrometer soybean credit.a breast.w diabetes vehicle tic-tac-toe vowel credit.g \
    solar.flare2 openml_mofn-3-7-10 car segment kr.vs.kp spambase waveform5000 optdigits mushroom \
    nursery letter
: "${LEARNERS:=auto nb nb:real=kde nb:real=bins:mdl tan aode kdb gda:covariance=shared gda \
    logistic tree}"

figure() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*\$/\1/p" "$2" | head -1; }

answers=$(mktemp)
trap 'rm -f "$answers"' EXIT
for table in "$@"; do
    table=${table%.arff}
    case $table in # the class is the first column of these, the last of the others
    wine) target="-t class" ;;
    spect.* | spectf.*) target="-t OVERALL_DIAGNOSIS" ;;
    *) target= ;;
    esac
    for learner in $LEARNERS; do
        # shellcheck disable=SC2086
        "$credence" cv -m "$learner" $target --json "$folder/table/arff/$table.arff" \
            > "$answers" 2> /dev/null || continue
        loss=$(figure log_loss "$answers")
        [ -n "$loss" ] || continue
        printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$table" "$learner" "$(figure rows "$answers")" \
            "$(figure accuracy "$answers")" "$loss" "$(figure ece "$answers")"
    done
done
