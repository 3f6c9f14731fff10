#!/usr/bin/env bash
# bench/run_text.sh - measure texts and mail, beside their peers and the practical limit, in one run.
#
# Usage: [CREDENCE_DATA=FOLDER] bench/run_text.sh [--quick] [--no-corpus] [BUILD]
#
# A corpus of 1,000,000 documents, 20 classes and 500,000 words is generated once into
# CREDENCE_BENCH_DIR (default: /tmp/credence-bench); --quick takes a tenth, --no-corpus nothing of
# it. With CREDENCE_DATA also 20 Newsgroups and mail (news.sh). Peers that are not there are left
# out; scikit-learn gets a tenth of the corpus. Prints a table in Markdown of the least of three runs
# (one for the slow peers): wall time, CPU time, peak memory.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
usage="usage: bench/run_text.sh [--quick] [--no-corpus] [BUILD]"
generated=yes
documents=1000000
build=$here/../build
while [ $# -gt 0 ]; do
    case $1 in
    --quick) documents=100000 ;;
    --no-corpus) generated=no ;;
    --help) echo "$usage"; exit 0 ;;
    -*) echo "$usage" >&2; exit 2 ;;
    *) build=$1 ;;
    esac
    shift
done
# shellcheck source=bench/lib.sh
. "$here/lib.sh"
bench_begin text "$build"
bench_python

take() { # LABEL REPEATS COMMAND...
    local label=$1 repeats=$2 figures
    shift 2
    echo "bench: $label" >&2
    figures=$(bench_figures "$repeats" "$@")
    # shellcheck disable=SC2086
    printf '| %s | %s | %s | %s |\n' "$label" $figures
}

heading() { printf '\n%s\n\n| program | wall s | CPU s | peak MiB |\n|---|---:|---:|---:|\n' "$1"; }

# --- The corpus -----------------------------------------------------------------------------------

run_corpus() {
    corpus=$(bench_table text $documents)
    head -n $((documents / 10)) "$corpus" > "$work/tenth.txt"
    heading "Corpus: $documents documents, $(($(wc -c < "$corpus") / 1000000)) MB"
    take 'wc -w' 1 wc -w "$corpus"
    for threads in 1 2; do
        take "limit program, $threads threads" 3 "$build/bench/limit_text" "$corpus" $threads
        take "credence train -m nb, $threads threads" 3 "$credence" train -m nb "$corpus" -q \
            --calibrate none --threads $threads -o "$work/corpus.model"
    done
    echo "| (the model's file) | | | $(($(wc -c < "$work/corpus.model") / 1048576)) |"
    take "credence predict a tenth, 1 thread" 3 "$credence" predict "$work/corpus.model" \
        "$work/tenth.txt" -q --threads 1
    if type -P fasttext > /dev/null; then
        take 'fastText supervised, 1 epoch, dim 20, 2 threads' 1 fasttext supervised -input "$corpus" \
            -output "$work/fast" -epoch 1 -dim 20 -thread 2 -verbose 0
    fi
    [ -z "$python" ] || take 'scikit-learn HashingVectorizer + partial_fit, a tenth' 1 \
        "$python" "$here/peers/hashing_nb.py" "$work/tenth.txt"
    echo
    "$build/bench/micro_document" "$work/corpus.model" "$work/tenth.txt"
}
[ $generated = no ] || run_corpus

[ -z "${CREDENCE_DATA:-}" ] || { echo; "$here/news.sh" "$build"; }
