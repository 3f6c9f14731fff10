#!/usr/bin/env bash
# bench/before.sh - compare this build with that of an earlier commit: CPU time, best of five.
#
# Usage: bench/before.sh OLD_COMMAND [NEW_COMMAND]
#
# OLD_COMMAND is the command built from the earlier commit, for instance
#
#     git worktree add /tmp/before COMMIT && cd /tmp/before && make all
#     bench/before.sh /tmp/before/build/credence build/credence
#
# Both commands run the same work in turns, on one thread; user and system time are added up, so
# that other work on the machine counts for little. A ratio above 1.03 is a loss, and the exit
# status is 1.
set -euo pipefail
export LC_ALL=C

old=${1:?usage: bench/before.sh OLD_COMMAND [NEW_COMMAND]}
new=${2:-$(dirname "$0")/../build/credence}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The data: numbers and symbols with two classes, and short texts.
awk 'BEGIN {
    srand(7); print "a,b,c,d,e,f,class"
    for (i = 0; i < 1600000; i++) {
        k = rand() < 0.4
        printf "%.4f,%.4f,%d,v%d,w%d,%s,%s\n", rand() + k, rand() * 3 - k, rand() * 100,
            rand() * 8, rand() * 30, rand() < 0.3 + 0.4 * k ? "yes" : "no", k ? "one" : "two"
    }
}' >"$work/table.csv"
awk 'BEGIN {
    srand(8); print "class,text"
    for (i = 0; i < 120000; i++) {
        k = rand() < 0.5; printf "%s,", k ? "spam" : "ham"
        for (w = 0; w < 60; w++) printf "w%d ", int(exp(rand() * 9)) + k * (w % 7 == 0) * 9000
        print ""
    }
}' >"$work/texts.csv"

# CPU seconds of one run.
cpu() {
    local TIMEFORMAT='%U %S'
    { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}

best() { # command arguments: the least of five
    for _ in 1 2 3 4 5; do
        cpu "$@"
    done | sort -g | head -1
}

worst=0
row() { # name, then the arguments with MODEL for the model of each command
    local name=$1 a b
    shift
    a=$(best "$old" "${@//MODEL/$work/old.model}")
    b=$(best "$new" "${@//MODEL/$work/new.model}")
    awk -v name="$name" -v a="$a" -v b="$b" 'BEGIN {
        printf "%-22s %7.3f s  %7.3f s  %.3f\n", name, a, b, b / a }'
    awk -v a="$a" -v b="$b" 'BEGIN { exit !(b > 1.03 * a && b - a > 0.01) }' && worst=1
    return 0
}

echo "work                     before      now     ratio"
row "train table" train -q -m nb --threads 1 "$work/table.csv" -t class -o MODEL
row "test table" test --threads 1 MODEL "$work/table.csv"
row "predict table" predict --threads 1 MODEL "$work/table.csv"
row "predict --proba" predict --threads 1 --proba MODEL "$work/table.csv"
row "predict --json --keep" predict --threads 1 --json --keep MODEL "$work/table.csv"
row "cv table" cv --threads 1 "$work/table.csv" -t class -m nb
row "train texts" train -q -m nb --threads 1 "$work/texts.csv" -t class -o MODEL
row "predict texts" predict --threads 1 MODEL "$work/texts.csv"
row "--version" --version
exit $worst
