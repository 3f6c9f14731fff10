#!/usr/bin/env bash
# bench/start.sh - what it costs to begin: CPU time of short commands, beside bogofilter's.
#
# Usage: bench/start.sh [BUILD [MAIL]]
#
# Mail servers start a filter for each message. MAIL is a folder with the folders spam and ham, one
# message a file; without it a few messages of our own must do. Both filters learn them, and then judge
# the first of the spam. Each command runs 100 times, in five rounds by turns; the table has the least
# of the rounds in milliseconds of CPU time a run, and how many times as much as `true` that is, a
# program that does nothing.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
credence=$(realpath "${1:-$here/../build}")/credence
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mail=$work/mail
if [ $# -gt 1 ]; then
    ln -s "$(realpath "$2")" "$mail"
else
    mkdir -p "$mail/spam" "$mail/ham"
    awk -F, -v mail="$mail" 'NR > 1 {
        file = mail "/" $NF "/" NR
        sub(/,[^,]*$/, "")
        printf "Subject: %s\n\n%s\n", $0, $0 > file
    }' "$here/../examples/data/messages.csv"
fi
set -- "$mail"/spam/*
message=$1

"$credence" train -q -f mail "$mail" -o "$work/model"
names=(true 'credence --version' 'credence filter')
commands=(/bin/true "$credence --version" "$credence filter $work/model")
if type -P bogofilter >/dev/null; then
    mkdir "$work/words"
    bogofilter -d "$work/words" -s -B "$mail"/spam/*
    bogofilter -d "$work/words" -n -B "$mail"/ham/*
    names+=('bogofilter --version' bogofilter)
    commands+=('bogofilter --version' "bogofilter -d $work/words")
fi

hundred() { # COMMAND...
    for _ in {1..100}; do
        "$@" <"$message" >/dev/null || true
    done
}

TIMEFORMAT='%U %S'
for _ in {1..5}; do
    for i in "${!commands[@]}"; do
        # shellcheck disable=SC2086
        echo "$i $({ time hundred ${commands[i]} 2>/dev/null; } 2>&1)"
    done
done | sort -n | awk '{ ms = ($2 + $3) * 10; if (!($1 in least) || ms < least[$1]) least[$1] = ms }
    END { for (i = 0; i in least; i++) print least[i], least[i] / least[0] }' >"$work/figures"

printf '| command | CPU ms | of true |\n|---|---:|---:|\n'
for name in "${names[@]}"; do
    read -r ms ratio
    printf '| %s | %.2f | %.1f |\n' "$name" "$ms" "$ratio"
done <"$work/figures"
