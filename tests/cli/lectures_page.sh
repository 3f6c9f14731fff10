#!/usr/bin/env bash
# lectures_page.sh - docs/lectures.md: every test that it names exists and holds what is stated.
. "$(dirname "$0")/lib.bash"
page=$CREDENCE_SOURCE/docs/lectures.md

# A file without its comments: what is only said in one is held by nothing.
code() {
    case $1 in
    *.c) awk '{ line = $0
            while (1) {
                if (inside) {
                    if ((at = index(line, "*/")) == 0) { line = ""; break }
                    line = substr(line, at + 2); inside = 0
                }
                if ((at = index(line, "/*")) == 0) break
                printf "%s ", substr(line, 1, at - 1)
                line = substr(line, at + 2); inside = 1
            }
            print line }' "$1" ;;
    *.sh) sed 's/^ *#.*//' "$1" ;;
    *) cat "$1" ;;
    esac
}

# TEST WHAT: the rows of the tables, one line for each thing in backticks of the last column.
rows() {
    sed -n '/^|.*`.*|$/p' "$page" | sed 's/\\|/\x01/g' | awk -F'|' '
        { test = $4; gsub(/^ +| +$/, "", test)
          rest = $5
          while (match(rest, /`[^`]*`/)) {
              what = substr(rest, RSTART + 1, RLENGTH - 2)
              rest = substr(rest, RSTART + RLENGTH)
              gsub(/\001/, "|", what)
              print test "\t" what
          } }'
}
rows >wanted
same "the page has rows" "$(($(wc -l <wanted) > 120))" 1
while IFS=$'\t' read -r test what; do
    room=${test%%/*} thing=${test#*/}
    case $room in
    cli) file=tests/cli/$thing.sh ;;
    docs) file=$test ;;
    serve) file=serve/tests/$thing.sh ;;
    *) file=tests/$room/test_$thing.c ;;
    esac
    checks=$((checks + 1))
    if [ ! -f "$CREDENCE_SOURCE/$file" ]; then
        fail "there is no test $test"
        continue
    fi
    code "$CREDENCE_SOURCE/$file" >code
    grep -qF -- "$what" code || fail "$test does not have $what"
done <wanted

# Every row names one test, and every verb of the commands exists.
same "rows without a test" "$(sed -n '/^|.*`.*|$/p' "$page" | sed 's/\\|//g' |
    awk -F'|' '$4 !~ /^ [a-z]+\/[a-z_.]+ $/' | wc -l)" 0
for verb in $(sed -n '/^|.*`.*|$/p' "$page" | sed 's/\\|//g' | cut -d'|' -f3 | grep -o '`[a-z]*' | tr -d '`' | sort -u); do
    expect 0 credence help "$verb"
done
finish
