#!/usr/bin/env bash
# bench/single.sh - one row and one text through the C API: what learning it costs.
#
# Usage: bench/single.sh [BUILD]
#
# Microseconds of processor time. Rows of 20 columns by naive Bayes, filled, answered, explained,
# learned (bench/micro_row.c). Texts of 100 words learned and taken back by models of 20,000
# generated texts with 20 classes, with the settings that texts get unasked and in the textbook form,
# calibrated or not (bench/micro_lesson.c); and the same for the training posts of 20 Newsgroups where
# CREDENCE_DATA names a folder that has them.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A table of labels and texts from lines of fastText's format, and 1,000 lessons of 100 words.
tables() { # LINES: "__label__CLASS words..."
    awk -v table="$work/table.tsv" -v lessons="$work/lessons.tsv" '
        BEGIN {print "class\ttext" >table}
        {
            label = substr($1, 10)
            text = ""
            for (i = 2; i <= NF; i++) {
                text = text (i > 2 ? " " : "") $i
                if (i == 101 && made < 1000) {
                    print label "\t" text >lessons
                    made++
                }
            }
            print label "\t" text >table
        }' "$1"
}

lessons() { # NAME
    local method form knobs
    for form in unasked textbook; do
        knobs=()
        [ $form = unasked ] || knobs=(-p event=multinomial)
        for method in none temperature isotonic; do
            "$build/credence" train -q -m nb "${knobs[@]}" --calibrate $method "$work/table.tsv" \
                -t class --type text=text -o "$work/model"
            echo "$1, $form settings, calibration $method:"
            echo "    $("$build/bench/micro_lesson" "$work/model" "$work/lessons.tsv")"
        done
    done
}

for shape in "20 0" "10 10" "0 20"; do
    echo "row of ${shape% *} symbols and ${shape#* } numbers:"
    # shellcheck disable=SC2086
    "$build/bench/micro_row" $shape | sed 's/^/    /'
done
"$build/bench/generate" text 20000 20 50000 1 >"$work/lines"
tables "$work/lines"
lessons "generated texts"
posts=${CREDENCE_DATA:-}/text/20news-bydate.tar.zst
if [ -f "$posts" ]; then
    tar --zstd -xf "$posts" -C "$work"
    find "$work" -path '*bydate-train*' -type f -print0 | sort -z | xargs -0 awk '
        FNR == 1 {
            n = split(FILENAME, part, "/")
            printf "%s__label__%s", began++ ? "\n" : "", part[n - 1]
        }
        {
            gsub(/["\t\r]/, " ")
            printf " %s", $0
        }
        END {print ""}' >"$work/lines"
    tables "$work/lines"
    lessons "20 Newsgroups"
fi
