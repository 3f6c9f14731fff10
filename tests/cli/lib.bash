# lib.bash - what the scripts in tests/cli share.
#
# A script sources this file first and calls finish last. It then runs in a folder of its own that
# goes away afterwards, with these words at hand:
#
#   run COMMAND...              run it; standard output is in file out, standard error in err,
#                               the exit status in $status
#   expect STATUS COMMAND...    the same, and the exit status must be STATUS
#   same WHAT GOT WANT          two texts are equal
#   near WHAT GOT WANT [TOL]    two numbers agree to a relative (near 0: absolute) 1e-12 or TOL
#   says FILE TEXT              a file contains a text
#   silent FILE                 a file is empty
#   cell FILE COLUMN ROW        a field of a CSV file without quotes: by name and row from 1
#   json KEY FILE               a number or word of a JSON file that has one key a line
set -u
: "${CREDENCE_BIN:?the command to be tested}" "${CREDENCE_SOURCE:?the source tree}"
# shellcheck disable=SC2034
data=$CREDENCE_SOURCE/tests/data
folder=$(mktemp -d) || exit 1
readonly folder # it is removed at the end: no script may make it another
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export LC_ALL=C
unset COLUMNS NO_COLOR
# What Graphviz and fontconfig keep for themselves is no leak of ours.
export LSAN_OPTIONS=suppressions=$CREDENCE_SOURCE/tests/cli/leaks:print_suppressions=0
failures=0
checks=0
status=0

credence() { "$CREDENCE_BIN" "$@"; }

fail() {
    failures=$((failures + 1))
    local depth=1 # of the script's own line, beneath the functions of this file
    while [ "$depth" -lt $((${#BASH_SOURCE[@]} - 1)) ] &&
        [ "${BASH_SOURCE[depth]}" = "${BASH_SOURCE[0]}" ]; do
        depth=$((depth + 1))
    done
    printf 'FAILED %s:%s: %s\n' "$(basename "$0")" "${BASH_LINENO[depth - 1]}" "$*" >&2
}

run() {
    "$@" >out 2>err
    status=$?
}

expect() { # STATUS COMMAND...
    local want=$1
    shift
    checks=$((checks + 1))
    "$@" >out 2>err
    status=$?
    [ "$status" = "$want" ] ||
        fail "exit status $status, not $want, of: $*$(printf '\n'; head -c 600 err)"
}

same() { # WHAT GOT WANT
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1 is '$2', not '$3'"
}

near() { # WHAT GOT WANT [TOLERANCE]
    checks=$((checks + 1))
    awk -v got="$2" -v want="$3" -v tolerance="${4:-1e-12}" 'BEGIN {
        if (got !~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/) exit 1
        scale = want < 0 ? -want : want
        difference = got - want
        if (difference < 0) difference = -difference
        exit !(difference <= tolerance * (scale > 1e-3 ? scale : scale > 0 ? scale : 1))
    }' || fail "$1 is '$2', not $3"
}

says() { # FILE TEXT
    checks=$((checks + 1))
    grep -qF -- "$2" "$1" || fail "'$2' is not in $1:$(printf '\n'; head -c 1000 "$1")"
}

silent() { # FILE
    checks=$((checks + 1))
    [ ! -s "$1" ] || fail "$1 is not empty:$(printf '\n'; head -c 600 "$1")"
}

cell() { # FILE COLUMN ROW
    awk -F , -v column="$2" -v row="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
        NR == row + 1 { print $at; exit }' "$1"
}

json() { # KEY FILE
    sed -n 's/^ *"'"$1"'": "\{0,1\}\([^",]*\)"\{0,1\},\{0,1\}$/\1/p' "$2" | head -1
}

finish() {
    [ "$checks" -gt 0 ] || { echo "no checks were made" >&2; exit 1; }
    [ "$failures" = 0 ] || { echo "$failures of $checks checks failed" >&2; exit 1; }
    exit 0
}
