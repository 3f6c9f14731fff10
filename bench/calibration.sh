#!/usr/bin/env bash
# calibration.sh - log-loss and calibration error before and after calibration, as a Markdown table.
#
# Usage: calibration.sh CREDENCE DATA, where DATA is the folder of data sets. Two thirds of the rows
# (those whose number, shuffled with a fixed seed, is not a multiple of three) are learned, with the
# calibration fitted on a cross-validation of these alone; the others are tested.
set -eu
credence=$1 data=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
uci=$data/table/uci

split() { # FILE: shuffled rows into train and test
    awk 'BEGIN {srand(7)} {print rand() "\t" $0}' "$1" | sort -k1,1 | cut -f2- |
        awk -v f="$folder" '{print > (f (NR % 3 == 0 ? "/test.csv" : "/train.csv"))}'
}

figures() { # MODEL
    "$credence" test --json "$1" -n "$folder/test.csv" |
        awk -F'[:,]' '/^  "(log_loss|ece)"/ {printf " %.3f |", $2}'
}

row() { # NAME TARGET [OPTION...]
    local name=$1 target=$2
    shift 2
    printf '| %s |' "$name"
    for method in none temperature isotonic auto; do
        "$credence" train -q -n -t "$target" "$@" "$folder/train.csv" --calibrate "$method" \
            -o "$folder/model" 2>/dev/null
        figures "$folder/model"
    done
    printf '\n'
}

echo '| data | none | ECE | temperature | ECE | isotonic | ECE | auto | ECE |'
echo '| --- | --: | --: | --: | --: | --: | --: | --: | --: |'
grep -hv '^|\|^$' "$data/table/adult/adult.data" "$data/table/adult/adult.test" |
    sed 's/, /,/g; s/\.$//' >"$folder/adult"
split "$folder/adult" && row adult 15
awk -F'\t' '{gsub(/"/, "\"\"", $2); print $1 ",\"" $2 "\""}' "$data/text/sms/SMSSpamCollection" \
    >"$folder/sms"
split "$folder/sms" && row 'SMS spam' 1 --type c2=text
split "$uci/agaricus-lepiota.data" && row mushroom 1
split "$uci/house-votes-84.data" && row votes 1
split "$uci/ionosphere.data" && row ionosphere 35
split "$uci/letter-recognition.data" && row letter 1
split "$uci/nursery.data" && row nursery 9
split "$uci/pima-indians-diabetes.data" && row pima 9
split "$uci/sonar.all-data" && row sonar 61
split "$uci/spambase.data" && row spambase 58
split "$uci/tic-tac-toe.data" && row tic-tac-toe 10
split "$uci/wdbc.data" && row wdbc 2 --type c1=ignore
