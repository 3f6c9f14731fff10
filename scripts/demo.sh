#!/usr/bin/env bash
# demo.sh - the main job, on small tables. Each command is shown before it runs.
#
# Usage: scripts/demo.sh [COMMAND]        (build/credence)
#
# Everything is written to a temporary folder, which goes away afterwards.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
command=$(realpath "${1:-$source/build/credence}")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/bin"
ln -s "$command" "$folder/bin/credence"
PATH=$folder/bin:$PATH
cd "$folder"
cp "$source"/examples/data/*.csv .

if [ -t 1 ]; then bold=$(printf '\033[1m') plain=$(printf '\033[0m'); else bold='' plain=''; fi

say() { printf '\n%s%s%s\n' "$bold" "$*" "$plain"; }
run() {
    printf '\n%s$ %s%s\n' "$bold" "$1" "$plain"
    eval "$1"
}

say "1. Measure 75 irises, learn the three species, and try it on 75 others."
run "awk 'NR == 1 || NR % 2 == 0' iris.csv > known.csv; awk 'NR % 2 == 1' iris.csv > new.csv"
run "credence train -m nb known.csv -t species -o iris.model"
run "credence test iris.model new.csv"

say "2. Ask about single flowers: the answer and how sure it is. A missing value is left out."
cat >flowers.csv <<'ROWS'
sepal_length,sepal_width,petal_length,petal_width
5.0,3.4,1.5,0.2
6.0,2.8,4.9,1.7
6.3,,5.6,?
ROWS
run "cat flowers.csv"
run "credence predict iris.model flowers.csv --proba"

say "3. Why? Something gives birth, lives in water, neither flies nor walks: the work on the board."
run "credence train animals.csv --type name=ignore -p smoothing=none -o animals.model"
printf 'birth,fly,water,legs\nyes,no,yes,no\n' >stranger.csv
run "cat stranger.csv"
run "credence explain animals.model stranger.csv --work"

say "4. Take back one tax return. Now no class explains the new one, and Credence says so."
run "credence train tax.csv -p smoothing=none -o tax.model"
run "sed -n '1p; 8p' tax.csv > seventh.csv; cat seventh.csv"
run "credence unlearn tax.model seventh.csv -o without.model"
printf 'refund,marital,income\nyes,divorced,120\n' >return.csv
run "cat return.csv"
run "credence predict without.model return.csv --proba"

say "5. Turn a knob. The data are not needed for that."
run "credence refit without.model -p smoothing=laplace -o smooth.model"
run "credence predict smooth.model return.csv --proba"

say "6. Learn the return again: the same file as before, byte for byte."
run "credence learn without.model seventh.csv -o again.model"
run "cmp tax.model again.model && echo identical"

say "7. What a model knows."
run "credence show iris.model"
