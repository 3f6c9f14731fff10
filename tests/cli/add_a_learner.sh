#!/usr/bin/env bash
# add_a_learner.sh - the code on docs/add-a-learner.md is that of the learner in the tree.
. "$(dirname "$0")/lib.bash"
page=$CREDENCE_SOURCE/docs/add-a-learner.md
# Blocks marked ```c FILE occur in that file verbatim.
awk '/^```c src/ { file = $2; n++; out = sprintf("block%02d", n); print file > (out ".of"); next }
     /^```$/ { out = ""; next }
     out != "" { print > out }' "$page"
for block in block??; do
    file=$CREDENCE_SOURCE/$(cat "$block.of")
    checks=$((checks + 1))
    awk 'NR == FNR { want[++n] = $0; next }
         { have[++m] = $0 }
         END {
             for (i = 1; i + n - 1 <= m; i++) {
                 for (k = 1; k <= n && have[i + k - 1] == want[k]; k++);
                 if (k > n) exit 0
             }
             exit 1
         }' "$block" "$file" ||
        fail "$(cat "$block.of") has no longer what the page shows: $(head -n 1 "$block")"
done
[ "$checks" -ge 8 ] || fail "only $checks blocks were found"
# The file that the page describes is built into the command.
expect 0 credence help knobs
says out 'poisson'
finish
