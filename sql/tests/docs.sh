#!/usr/bin/env bash
# docs.sh - the tour in docs/sql.md is what happens; with CREDENCE_UPDATE=1 it is written anew.
. "$CREDENCE_SOURCE/tests/cli/lib.bash"
. "$(dirname "$0")/server.bash"
start_server one
install_extension one
cp "$CREDENCE_SOURCE/examples/data/tax.csv" .
ln -s "$CREDENCE_BUILD/sql/sqlite/credence.so" .
page=$CREDENCE_SOURCE/docs/sql.md

# tour LANGUAGE PROMPT COMMAND…: what stands in the page's block of that language, and what the command says to it.
# The command repeats what it reads; such lines get their prompt back.
tour() {
    local language=$1 prompt=$2
    shift 2
    sed -n "/^\`\`\`$language\$/,/^\`\`\`\$/p" "$page" | sed '1d;$d' >"shown.$language"
    sed -n "s/^$prompt//p" "shown.$language" >input
    "$@" <input 2>&1 |
        awk -v prompt="$prompt" 'BEGIN {while ((getline line < "input") > 0) asked[++n] = line; at = 1}
            at <= n && $0 == asked[at] {print prompt $0; at++; next} {print}' >"happened.$language"
    if [ -n "${CREDENCE_UPDATE:-}" ]; then
        awk -v fence="\`\`\`$language" -v file="happened.$language" '$0 == fence {
            print; while ((getline line < file) > 0) print line; skip = 1; next}
            /^```$/ {skip = 0} !skip {print}' "$page" >new && cp new "$page"
    else
        diff "shown.$language" "happened.$language" >&2
        same "docs/sql.md shows what happens in $language" "$(cmp "shown.$language" "happened.$language" && echo same)" same
    fi
}
tour psql '=> ' psql -X -q -a -A -t -F ' | ' -h "$folder/one" -U postgres -d postgres
same "the page has a tour" "$(wc -l <input)" 14
if type -P sqlite3 >/dev/null && [ -e credence.so ]; then
    tour sqlite 'sqlite> ' sqlite3 -batch -echo :memory:
    same "and one of SQLite" "$(wc -l <input)" 11
fi
finish
