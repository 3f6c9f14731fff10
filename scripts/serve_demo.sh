#!/usr/bin/env bash
# serve_demo.sh - serve models of the example tables until Ctrl-C; the address is printed.
#
# Usage: scripts/serve_demo.sh [COMMAND]        (build/credence)
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
command=$(realpath "${1:-$source/build/credence}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$source/examples/data"

train() { # NAME OPTION...
    local name=$1
    shift
    "$command" train -q "$@" -o "$folder/$name.model" >/dev/null
}
train iris -m nb iris.csv -t species
train tax -m nb tax.csv -t evade
train animals -m nb animals.csv
train messages -m nb messages.csv
train houses -m linear houses.csv -t price
"$command" convert alarm.net -o "$folder/alarm.model" >/dev/null
"$command" convert lawn.bif -o "$folder/lawn.model" >/dev/null
echo "Models of examples/data, which learn; Ctrl-C ends it."
"$command" serve --learn --drift "$folder" "${@:2}"
