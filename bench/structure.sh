#!/usr/bin/env bash
# structure.sh - the table of docs/structure.md: structures learned from rows drawn from networks.
#
# Usage: bench/structure.sh NETWORKS [PROGRAM]
#
# NETWORKS is a folder with alarm.bif, insurance.bif, hailfinder.bif, andes.bif and others from the
# repository at bnlearn.com. PROGRAM is bench/structure of a build with -DCREDENCE_BENCH=ON. Times
# are processor time of one thread, the least of three; the rows are in memory.
set -euo pipefail
networks=${1:?the folder of networks}
program=${2:-build/bench/structure}

line() { # NETWORK ROWS WAY
    for _ in 1 2 3; do
        "$program" "$networks/$1.bif" "$2" "$3" bic 1 1
    done | sort -t' ' -k4,4g | head -1 | awk -v net="$1" -v rows="$2" -v way="$3" '{
        match($0, /score [-0-9.]+/); score = substr($0, RSTART + 6, RLENGTH - 6)
        match($0, /true [-0-9.]+/); truth = substr($0, RSTART + 5, RLENGTH - 5)
        match($0, /SHD [0-9]+/); shd = substr($0, RSTART + 4, RLENGTH - 4)
        match($0, /[0-9]+ arcs of [0-9]+/); arcs = substr($0, RSTART, RLENGTH)
        sub(/ arcs/, "", arcs)
        printf "| %s | %d | %s | %.3f | %.0f | %.0f | %d | %s |\n", net, rows, way, $4, score,
               truth, shd, arcs
    }'
}

echo "| network | rows | structure | seconds | BIC found | BIC of the network | SHD | arcs |"
echo "|---|---|---|---|---|---|---|---|"
for net in alarm insurance hailfinder andes; do
    for rows in 10000 100000; do
        for way in hc tabu:100 mmhc pc; do
            line "$net" "$rows" "$way"
        done
    done
done
line alarm 5000 pc
line insurance 5000 pc
