#!/bin/sh
# cli/reference.sh - posteriors of the command against those of scikit-learn and R's e1071.
#
#   CREDENCE_BIN=build/credence CREDENCE_DATA=FOLDER reference.sh [CASE ...]
#
# Runs the cases of tests/reference/cases.csv (or only those named) and prints the worst
# difference of each. The paths in the cases are relative to a temporary folder that holds the
# prepared tables, and the data sets under the name `data`.
set -eu
LC_ALL=C
export LC_ALL

if [ -z "${CREDENCE_DATA:-}" ]; then
    echo "skipped: CREDENCE_DATA does not name the folder of data sets"
    exit 77
fi
: "${CREDENCE_BIN:?must name the command to be tested}"
bin=$(realpath "$CREDENCE_BIN")
reference=$(realpath "$(dirname "$0")/../reference")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
ln -s "$(realpath "$CREDENCE_DATA")" "$work/data"
cd "$work"
set -f

# The arguments of the cases hold no blanks within themselves, so splitting at blanks is right.
run_case() { # PREPARE TRAIN PREDICT REFERENCE TOLERANCE RELATIVE
    # shellcheck disable=SC2086
    {
        if [ "$1" != - ]; then
            "$reference/prepare.sh" "$1" data . || return
        fi
        "$bin" train $2 --calibrate none -o model -q > /dev/null || return
        "$bin" predict model $3 --proba --csv -q > predicted.csv || return
        awk -f "$reference/csv.awk" -f "$reference/compare.awk" -v tolerance="$5" \
            -v relative="$6" "$reference/$4" predicted.csv
    }
}

# One line per case, its fields separated by tabs.
awk -f "$reference/csv.awk" -f - "$reference/cases.csv" > cases <<'END'
NR > 1 {
    n = csv_split($0, field)
    line = field[1]
    for (i = 2; i <= n; i++)
        line = line "\t" field[i]
    print line
}
END

tab=$(printf '\t')
ran=0
failed=0
while IFS=$tab read -r case prepare train predict file tolerance relative; do
    if [ $# -gt 0 ]; then
        case " $* " in
        *" $case "*) ;;
        *) continue ;;
        esac
    fi
    echo "$case"
    ran=$((ran + 1))
    if ! run_case "$prepare" "$train" "$predict" "$file" "$tolerance" "$relative" < /dev/null; then
        echo "    FAILED: credence train -m nb $train"
        failed=$((failed + 1))
    fi
done < cases
echo "$ran cases, $failed failed"
[ "$ran" -gt 0 ] && [ "$failed" -eq 0 ]
