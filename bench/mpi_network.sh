#!/usr/bin/env bash
# mpi_network.sh - what it takes to add up the words of ranks on several hosts, by their number and
# the rate of their links. Hosts are network namespaces, so this needs the right to make them.
#
# Usage: bench/mpi_network.sh [BUILD] [TEXTS]    default: build, 40000 texts of 60 words
#
# Prints for each job the bytes sent in all, the seconds in which they were added up, and the bytes
# that go through the busiest link; then a line fitted to them: seconds = a + b * bytes / rate.
build=$(cd "${1:-build}" && pwd)
source "$(dirname "$0")/../mpi/tests/hosts.bash"
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

awk -v n="${2:-40000}" 'BEGIN { srand(3); print "text,c"
    for (i = 0; i < n; i++) { for (j = 0; j < 60; j++) printf "w%d ", exp(rand() * 13.122); print ",c" int(rand() * 20) } }' >texts.csv
number() { sed -n "s/.*\"$1\": \([0-9.e+-]*\),*$/\1/p" "$2"; }
"$build/credence" train -m nb --json texts.csv >one.json 2>/dev/null
echo "data $(stat -c %s texts.csv) bytes, $(number seconds one.json) s in one process"
make_hosts 4
printf '%6s %10s %12s %10s %12s\n' ranks mbit/s sent seconds 'busiest link'
for rate in 100 300 1000; do
    for k in 1 2 3 4; do
        ip netns exec "host-10.77.0.$k" tc qdisc replace dev net root tbf rate ${rate}mbit burst 256kb latency 100ms
    done
    for n in 2 3 4; do
        over_hosts $n "$build/credence-mpi" train -m nb --threads 1 --json texts.csv >job.json 2>/dev/null
        # A rank sends its words but for its own share, and the shares go to the first. All links are
        # as busy, but the first one's: of two ranks the second sends all it has.
        awk -v n=$n -v rate=$rate -v sent="$(number sent_bytes job.json)" -v s="$(number adding_seconds job.json)" \
            'BEGIN { m = n == 2 ? sent : sent / n * 2; printf "%6d %10d %12d %10.2f %12d\n", n, rate, sent, s, m }'
    done
done | tee table
awk '{ x = $5 * 8 / ($2 * 1e6); y = $4; n++; sx += x; sy += y; sxx += x * x; sxy += x * y; syy += y * y }
    END { b = (n * sxy - sx * sy) / (n * sxx - sx * sx); a = (sy - b * sx) / n
        r = (n * sxy - sx * sy) / sqrt((n * sxx - sx * sx) * (n * syy - sy * sy))
        printf "seconds = %.2f + %.2f * bytes / rate, r = %.3f\n", a, b, r }' table
