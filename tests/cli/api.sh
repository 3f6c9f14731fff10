#!/usr/bin/env bash
# api.sh - docs/api.md names every function of the public headers.
. "$(dirname "$0")/lib.bash"
for header in "$CREDENCE_SOURCE"/include/credence/*.h; do
    # Declarations begin a line; comments and members of structs do not.
    for name in $(grep -oE '^[a-z][a-z_0-9 *]*\bcr_[a-z_0-9]+\(' "$header" | grep -oE 'cr_[a-z_0-9]+\($' |
        tr -d '(' | sort -u); do
        checks=$((checks + 1))
        grep -q "\\b$name\\b" "$CREDENCE_SOURCE/docs/api.md" ||
            fail "docs/api.md does not name $name of $(basename "$header")"
    done
done
[ "$checks" -gt 200 ] || fail "only $checks functions were found"
finish
