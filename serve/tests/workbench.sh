#!/usr/bin/env bash
# workbench.sh - the workbench in a browser, used as a person would: every room shows what the server
# computes, the console has no error, and axe-core finds nothing that keeps anybody out. The browser
# is Debian's, driven by playwright-core; both packages of npm are kept in the build folder.
. "$(dirname "$0")/server.bash"
tools=$(dirname "$CREDENCE_BIN")/tests/browser
for program in chromium node npm; do
    type -P $program >/dev/null || { echo "skipped: there is no $program" >&2; exit 77; }
done
if ! cmp -s "$CREDENCE_SOURCE/serve/tests/package-lock.json" "$tools/package-lock.json"; then
    rm -rf "$tools"
    mkdir -p "$tools"
    cp "$CREDENCE_SOURCE"/serve/tests/package{,-lock}.json "$tools"
    (cd "$tools" && npm ci --ignore-scripts --no-audit --no-fund) >npm.out 2>&1 || {
        rm -rf "$tools"
        echo "skipped: npm cannot get playwright-core and axe-core: $(tail -n 1 npm.out)" >&2
        exit 77
    }
fi

# --- what is served -------------------------------------------------------------------------------
cp "$CREDENCE_SOURCE"/examples/data/* .
credence convert alarm.net -o alarm.model >/dev/null 2>&1
credence convert census.csv --to joint -o census.model >/dev/null 2>&1
credence train -m nb -p real=gaussian --calibrate none iris.csv -t species -o iris.model >/dev/null 2>&1
credence train -m nb tax.csv -t evade -o tax.model >/dev/null 2>&1
credence train -m nb messages.csv -o messages.model >/dev/null 2>&1
credence train -m linear houses.csv -t price -o houses.model >/dev/null 2>&1
awk 'BEGIN { srand(1); for (c = 1; c <= 20; c++) printf "f%d,", c; print "class"
    for (r = 0; r < 400; r++) { k = r % 3
        for (c = 1; c <= 20; c++) printf "%.3f,", rand() * 4 + k * (c % 4) / 3; print "c" k } }' >wide.csv
credence train -m nb wide.csv -t class -o wide.model >/dev/null 2>&1
start --learn --drift .

# --- the files of the page ------------------------------------------------------------------------
weight=0
for file in "" style.css icon.svg $(cd "$CREDENCE_SOURCE/serve/web" && find . -name '*.js' | cut -c3-); do
    curl -sf -o out "$url/$file" || fail "there is no /$file"
    weight=$((weight + $(wc -c <out)))
done
[ "$weight" -lt 200000 ] || fail "the page weighs $weight bytes"
same "addresses of other servers" "$(cd "$CREDENCE_SOURCE/serve/web" &&
    grep -rnE 'https?://' . | grep -v 'http://www.w3.org/2000/svg')" ""

# --- the rooms ------------------------------------------------------------------------------------
TOOLS=$tools node "$CREDENCE_SOURCE/serve/tests/workbench.mjs" "$url" "$PWD" 2>rooms.err >rooms.out ||
    fail "$(cat rooms.err)"
checks=$((checks + $(sed -n 's/^\([0-9]*\) checks$/\1/p' rooms.out) + 0))
grep -v ' checks$' rooms.out
echo "the page weighs $weight bytes"
stop
finish
