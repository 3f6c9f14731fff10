#!/usr/bin/env bash
# docs.sh - is what the documentation shows what the command does?
#
# Usage: scripts/docs.sh [--update] [PAGE...]        (README.md docs/*.md)
#
# A block marked ```console is a transcript. Lines that begin with "$ " are commands; a command goes
# on in the next line when it ends in a backslash, and in lines right after it that begin with
# "> ". The other lines are what the commands write, to standard output and standard error, in a
# window of 80 columns. The transcripts of a page run one after another in a copy of examples/data.
# Times and rates differ from run to run, so each of them is shown as "…" (see mask below). Numbers
# may differ from the page's by 1e-7 of their size (see near.pl).
#
# A block marked ```c is a whole C file; ```c body is what stands inside a function, and may use
# what the page's block ```c prelude declares. All must compile without a warning. Links to files
# of the tree must lead somewhere, and docs/README.md must name every page of docs/.
#
# With --update the transcripts are written anew with what the command says now. The command is
# $CREDENCE_BIN, or build/credence.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
command=$(realpath "${CREDENCE_BIN:-$source/build/credence}")
update=0
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
cd "$source"
[ $# -gt 0 ] || set -- README.md docs/*.md

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$command" "$work/bin/credence"
export PATH=$work/bin:$PATH COLUMNS=80 LC_ALL=C
unset NO_COLOR
failures=0

fail() {
    echo "docs: $*" >&2
    failures=$((failures + 1))
}

# "in 3.1 ms (4.2 k rows/s)", "seconds": 0.0031
mask() {
    sed -E -e 's/ in [0-9.]+ (ns|µs|ms|s|min|h)( \([^()]*rows\/s\))?/ in …/' \
        -e 's/"(seconds|rows_per_second)": [-+.0-9e]+/"\1": …/'
}

# --- transcripts -------------------------------------------------------------------------------

run() { # FOLDER COMMAND
    cd "$1"
    bash -c "$2" </dev/null 2>&1 || true
}

# A page on standard input becomes the page as it should be on standard output.
play() { # FOLDER
    local folder=$1 line='' asked='' state=text
    while IFS= read -r line || [ -n "$line" ]; do
        case $state in
        text)
            printf '%s\n' "$line"
            [ "$line" != '```console' ] || state=output
            continue
            ;;
        continued) ;;
        *)
            if [ $state = asked ] && [[ $line == '> '* ]]; then
                printf '%s\n' "$line"
                asked+=$'\n'${line#> }
                continue
            fi
            if [ $state = asked ]; then
                run "$folder" "$asked" | mask
                state=output
            fi
            if [ "$line" = '```' ]; then
                printf '%s\n' "$line"
                state=text
                continue
            fi
            [[ $line == '$ '* ]] || continue
            asked='' line=${line#'$ '}
            printf '$ '
            ;;
        esac
        printf '%s\n' "$line"
        if [[ $line == *\\ ]]; then
            asked+=${line%\\}
            state=continued
        else
            asked+=$line
            state=asked
        fi
    done
}

check_transcripts() { # PAGE
    local folder=$work/data
    rm -rf "$folder"
    mkdir "$folder"
    cp examples/data/*.* "$folder"
    play "$folder" <"$1" >"$work/page"
    if cmp -s "$1" "$work/page" || scripts/near.pl 1e-7 "$1" "$work/page"; then
        return
    elif [ $update = 1 ]; then
        cat "$work/page" >"$1"
        echo "docs: $1 is written anew"
    else
        fail "$1 shows what the command does not say (scripts/docs.sh --update mends it):"
        diff -u --label "$1" --label "as it is" "$1" "$work/page" >&2 || true
    fi
}

# --- C -----------------------------------------------------------------------------------------

# Write the C blocks of a page as files block-1.c, block-2.c, ..., which know their lines.
extract() { # PAGE
    rm -f "$work"/block-*.c
    awk -v page="$1" -v work="$work" '
        /^```c( prelude| body)?$/ && !inside {
            inside = 1
            kind = $2
            file = work "/block-" ++blocks ".c"
            if (kind == "body")
                printf "%sstatic void fragment(void)\n{\n", prelude >file
            printf "#line %d \"%s\"\n", NR + 1, page >file
            if (kind == "prelude")
                prelude = sprintf("#line %d \"%s\"\n", NR + 1, page)
            next
        }
        /^```$/ && inside {
            if (kind == "body")
                print "}\nvoid (*use)(void) = fragment;" >file
            close(file)
            inside = 0
        }
        inside {
            print >file
            if (kind == "prelude")
                prelude = prelude $0 "\n"
        }' "$1"
}

check_c() { # PAGE
    local block
    extract "$1"
    for block in "$work"/block-*.c; do
        [ -e "$block" ] || continue
        "${CC:-cc}" -std=c17 -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only -Iinclude \
            "$block" || fail "$1 has C that does not compile"
    done
}

# --- links -------------------------------------------------------------------------------------

# The index may name pages that are still to be written; nothing else may lead nowhere.
check_links() { # PAGE
    local link
    while IFS= read -r link; do
        link=${link%%#*}
        if [ -z "$link" ] || [ -e "$(dirname "$1")/$link" ]; then
            continue
        elif grep -q "(${link#docs/})" docs/README.md; then
            echo "docs: $1 links to $link, which is still to be written"
        else
            fail "$1 links to $link, which is not there"
        fi
    done < <(grep -oE '\]\([^) ]+\)' "$1" | sed -e 's/^](//' -e 's/)$//' |
        grep -vE '^(https?|mailto):')
}

check_index() {
    local page
    for page in docs/*.md; do
        [ "$page" = docs/README.md ] || grep -q "(${page#docs/})" docs/README.md ||
            fail "docs/README.md does not name $page"
    done
}

for page in "$@"; do
    check_transcripts "$page"
    check_c "$page"
    check_links "$page"
done
check_index
[ $failures = 0 ] || exit 1
