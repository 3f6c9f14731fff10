#!/usr/bin/env bash
# hostile.sh - the world is not kind: commands at the same time, outputs that are inputs, odd files.
. "$(dirname "$0")/lib.bash"

# --- commands that change the same model at the same time lose nothing -----------------------------
credence train -q "$data/tax.csv" --type id=ignore -o tax.model
cp tax.model one.model
for _ in 1 2 3 4 5 6 7 8; do
    credence learn -q tax.model "$data/tax.csv" &
done
for _ in 1 2 3 4; do
    credence merge -q -o tax.model tax.model one.model &
done
wait
credence show --json tax.model >shown.json
same "rows of 8 lessons and 4 merges" "$(json rows shown.json)" 130
credence refit tax.model -q -p prior=uniform & # nor does turning a knob
credence unlearn tax.model -q "$data/tax.csv"
wait
credence show --json tax.model >shown.json
same "rows without one lesson" "$(json rows shown.json)" 120
says shown.json '"prior": "uniform"'

finish
