#!/usr/bin/env bash
# bench/mitchell.sh - the 20 Newsgroups experiment of Mitchell, "Machine Learning" (1997), 6.10.
#
# Usage: CREDENCE_DATA=FOLDER bench/mitchell.sh [--splits N] [BUILD]
#
# 19,997 posts with all their headers; two thirds to learn from, one third to be judged. Laplace
# smoothing; words as scikit-learn has them, without the 100 commonest and without those seen fewer
# than three times. Prints the learning curve: the mean accuracy of N random splits (3) after 100,
# 300, 1000, 3000 and all posts.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
usage="usage: bench/mitchell.sh [--splits N] [BUILD]"
splits=3
build=$here/../build
while [ $# -gt 0 ]; do
    case $1 in
    --splits) splits=${2:?$usage}; shift ;;
    --help) echo "$usage"; exit 0 ;;
    -*) echo "$usage" >&2; exit 2 ;;
    *) build=$1 ;;
    esac
    shift
done
credence=$(realpath "$build")/credence
archive=$(realpath "${CREDENCE_DATA:?must name the folder of data sets}")/text/20_newsgroups-19997.tar.zst

[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"
zstd -dc "$archive" | tar xf -
find "$PWD/20_newsgroups" -type f | sort | awk -v OFS='\t' '{ print "post", $0 }' > items

# The listed files, each linked into the folder of its group.
link() { # FOLDER < FILES
    awk -F / -v at="$1" '{ print > (at "." $(NF - 1)) }'
    for list in "$1".*; do
        mkdir -p "$1/${list#"$1".}"
        xargs ln -s -t "$1/${list#"$1".}" < "$list"
        rm "$list"
    done
}

for ((seed = 1; seed <= splits; seed++)); do
    awk -v seed=$seed -v share=0.66667 -f "$here/deal.awk" items > parts
    rm -rf test learn-*
    awk -F '\t' '$1 == "test" { print $3 }' parts | link test
    for n in 100 300 1000 3000 13331; do
        awk -F '\t' -v n=$n '$1 != "test" && ++taken <= n { print $3 }' parts | link learn-$n
        "$credence" train learn-$n -f folder -p event=multinomial -p tokens=words2 -p stop=common:100 -p min-count=3 -o model -q > out
        "$credence" test model test -f folder --json > tested
        echo "$n $(sed -n 's/^ *"accuracy": \([0-9.]*\).*/\1/p' tested)"
    done
done | awk '{ sum[$1] += $2; runs[$1]++ }
    END { print "| posts learned | accuracy |\n|---:|---:|"
          for (n in sum) printf "| %d | %.4f |\n", n, sum[n] / runs[n] | "sort -t \"|\" -k 2n" }'
