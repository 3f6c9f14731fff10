#!/usr/bin/env bash
# docs.sh - the tour in docs/sql.md is what happens; with CREDENCE_UPDATE=1 it is written anew.
. "$CREDENCE_SOURCE/tests/cli/lib.bash"
. "$(dirname "$0")/server.bash"
start_server one
install_extension one
cp "$CREDENCE_SOURCE/examples/data/tax.csv" .
page=$CREDENCE_SOURCE/docs/sql.md
sed -n '/^```psql$/,/^```$/p' "$page" | sed '1d;$d' >shown
sed -n 's/^=> //p' shown >input
same "the page has a tour" "$(wc -l <input)" 14
# psql repeats what it reads; such lines get their prompt back.
psql -X -q -a -A -t -F ' | ' -h "$folder/one" -U postgres -d postgres <input 2>&1 |
    awk 'BEGIN {while ((getline line < "input") > 0) asked[++n] = line; at = 1}
        at <= n && $0 == asked[at] {print "=> " $0; at++; next} {print}' >happened
if [ -n "${CREDENCE_UPDATE:-}" ]; then
    awk '/^```psql$/ {print; while ((getline line < "happened") > 0) print line; skip = 1; next}
        /^```$/ {skip = 0} !skip {print}' "$page" >new && cp new "$page"
else
    diff shown happened >&2
    same "docs/sql.md shows what happens" "$(cmp shown happened && echo same)" same
fi
finish
