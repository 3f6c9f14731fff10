#!/usr/bin/env bash
# bench/run.sh - measure Credence, its peers and the practical limit in one run.
#
# Usage: bench/run.sh [--quick] [--text] [--out FILE] [--no-peers] [BUILD]
#
# BUILD is the build folder (default: build) with the command and the programs of bench/. Prints one
# table in Markdown for each data set, and writes it to FILE too. The data are generated once into
# CREDENCE_BENCH_DIR (default: /tmp/credence-bench). --quick makes them 20 times smaller, which
# tells whether everything runs but not how fast. --no-peers leaves out pandas and R. --text runs
# bench/run_text.sh afterwards, which measures texts and mail and takes some minutes. The learners
# besides naive Bayes are measured by bench/learners.sh, which draws how they grow into growth.svg
# beside the data.
#
# Times are of whole commands with the file in the page cache: the best of three runs, or of one
# for the slow peers.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
shrink=1
out=
peers=yes
build=$here/../build
text=no
usage="usage: bench/run.sh [--quick] [--text] [--out FILE] [--no-peers] [BUILD]"
while [ $# -gt 0 ]; do
    case $1 in
    --quick) shrink=20 ;;
    --text) text=yes ;;
    --no-peers) peers=no ;;
    --out) out=${2:?$usage}; shift ;;
    --help) echo "$usage"; exit 0 ;;
    -*) echo "$usage" >&2; exit 2 ;;
    *) build=$1 ;;
    esac
    shift
done

# shellcheck source=bench/lib.sh
. "$here/lib.sh"
bench_begin run "$build"
limit=$build/bench/limit

# --- The peers ------------------------------------------------------------------------------------

python=
if [ $peers = yes ]; then
    [ -x "$here/../scripts/deps.sh" ] && "$here/../scripts/deps.sh" bench >&2
    bench_python
    [ -n "$python" ] || echo "bench: no Python with pandas and scikit-learn, left out" >&2
    type -P Rscript >/dev/null || echo "bench: no R, left out" >&2
fi

# Debian has no naivebayes; peers/naivebayes.R then does its work without it.
naivebayes_label() {
    if Rscript -e 'quit(status = !requireNamespace("naivebayes", quietly = TRUE))' 2>/dev/null; then
        echo "R, fread + naivebayes"
    else
        echo "R, fread + table() as naivebayes does"
    fi
}

# --- Data -----------------------------------------------------------------------------------------

dense_rows=$((1000000 / shrink))
categorical_rows=$((5000000 / shrink))
dense=$(bench_table dense $dense_rows)
dense_tenth=$(bench_table dense $((dense_rows / 10)))
categorical=$(bench_table categorical $categorical_rows)
categorical_tenth=$(bench_table categorical $((categorical_rows / 10)))

# --- Measuring ------------------------------------------------------------------------------------

# Each measurement is a line: data set | role | label | threads | wall | processor | peak MiB. A
# program that fails leaves a line without numbers.
results=$work/results
: > "$results"

take() { # SET ROLE LABEL THREADS REPEATS COMMAND...
    local set=$1 role=$2 label=$3 threads=$4 repeats=$5 figures
    shift 5
    echo "bench: $set: $label, $threads thread(s)" >&2
    figures=$(bench_figures "$repeats" "$@")
    echo "$set|$role|$label|$threads|${figures// /|}" >> "$results"
}

take_set() { # SET FILE TENTH
    local set=$1 file=$2 tenth=$3 model=$work/$1.model threads
    take "$set" other 'wc -l' 1 3 wc -l "$file"
    for threads in 1 2; do
        take "$set" limit 'limit.c, parse and sum only' $threads 3 "$limit" "$set" "$file" $threads
        take "$set" train 'credence train -m nb' $threads 3 \
            "$credence" train -m nb "$file" -t class --calibrate none -o "$model" -q \
            --threads $threads
    done
    take "$set" tenth 'credence train -m nb, a tenth of the rows' 1 3 \
        "$credence" train -m nb "$tenth" -t class --calibrate none -o "$work/tenth.model" -q \
        --threads 1
    for threads in 1 2; do
        take "$set" predict 'credence predict' $threads 3 \
            "$credence" predict "$model" "$file" --csv -q --threads $threads
        take "$set" proba 'credence predict --proba' $threads 3 \
            "$credence" predict "$model" "$file" --proba --csv -q --threads $threads
    done
}

take_set dense "$dense" "$dense_tenth"
take_set categorical "$categorical" "$categorical_tenth"

if [ -n "$python" ]; then
    take dense peer 'pandas + GaussianNB' 1 1 \
        "$python" "$here/peers/pandas_gaussian_nb.py" "$dense" usual
    take dense peer 'pandas + GaussianNB, classes by number' 1 1 \
        "$python" "$here/peers/pandas_gaussian_nb.py" "$dense" codes
    take categorical peer 'pandas + OrdinalEncoder + CategoricalNB' 1 1 \
        "$python" "$here/peers/pandas_categorical_nb.py" "$categorical" usual
    take categorical peer 'pandas categories + CategoricalNB, all by number' 1 1 \
        "$python" "$here/peers/pandas_categorical_nb.py" "$categorical" codes
fi
if [ $peers = yes ] && type -P Rscript >/dev/null; then
    label=$(naivebayes_label)
    take dense peer "$label" 1 1 Rscript "$here/peers/naivebayes.R" "$dense"
    take dense peer 'R, fread + e1071' 1 1 Rscript "$here/peers/e1071.R" "$dense"
    take categorical peer "$label" 1 1 Rscript "$here/peers/naivebayes.R" "$categorical"
    take categorical peer 'R, fread + e1071' 1 1 Rscript "$here/peers/e1071.R" "$categorical"
fi

# --- The report -----------------------------------------------------------------------------------

versions() {
    "$credence" --version | head -n 1
    [ -z "$python" ] || "$python" -c 'import platform, pandas, sklearn
print("Python %s, pandas %s, scikit-learn %s" % (platform.python_version(), pandas.__version__,
                                                 sklearn.__version__))'
    [ $peers = no ] || Rscript -e 'cat(R.version.string)
for (p in c("data.table", "e1071")) cat(",", p, format(packageVersion(p)))' 2>/dev/null
}

report_set() { # SET ROWS FILE
    echo
    echo "## $1: $2 rows, $(($(wc -c < "$3") / 1000000)) MB"
    echo
    awk -F '|' -v set="$1" -v rows="$2" -f "$here/report.awk" "$results"
}

report() {
    bench_machine
    versions | paste -sd '@' | sed 's/@/; /g'
    [ $shrink = 1 ] || echo "(quick: data $shrink times smaller, the ratios say little)"
    report_set dense $dense_rows "$dense"
    report_set categorical $categorical_rows "$categorical"
}

report_text() {
    if [ $shrink = 1 ]; then
        "$here/run_text.sh" "$build"
    else
        "$here/run_text.sh" --quick "$build"
    fi
}

report_learners() {
    local options=(--svg "$data/growth.svg")
    [ $shrink = 1 ] || options+=(--quick)
    [ $peers = yes ] || options+=(--no-peers)
    CREDENCE_BENCH_DIR=$data "$here/learners.sh" "${options[@]}" "$build"
}

report_all() {
    report
    report_learners
    [ $text = no ] || report_text
}

if [ -n "$out" ]; then
    report_all | tee "$out"
else
    report_all
    [ $text = yes ] || echo "bench: --text measures texts and mail, too" >&2
fi
! grep -qE '^[^|]*\|(limit|train|tenth|predict|proba)\|.*\|-\|' "$results"
