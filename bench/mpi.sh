#!/usr/bin/env bash
# mpi.sh - two ranks of one thread beside one process of two threads, weak scaling, and what it takes
# to add up 500,000 words of 20 classes.
#
# Usage: bench/mpi.sh [BUILD] [ROWS]    default: build, 1000000 rows of 20 numbers
#
# Prints wall seconds, the best of three, and the ratio; models must have the same bytes. Times mean
# something on an otherwise idle machine with at least two cores.
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
rows=${2:-1000000}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

awk -v n="$rows" 'BEGIN { srand(1); for (j = 0; j < 20; j++) printf "x%d,", j; print "c"
    for (i = 0; i < n; i++) { for (j = 0; j < 20; j++) printf "%.4f,", rand(); print int(rand() * 3) } }' >dense.csv
awk -v n="$((rows * 3))" 'BEGIN { srand(2); for (j = 0; j < 10; j++) printf "a%d,", j; print "c"
    for (i = 0; i < n; i++) { for (j = 0; j < 10; j++) printf "v%d,", rand() * 8; print "c" int(rand() * 2) } }' >symbols.csv
awk -v n="$((rows / 5))" 'BEGIN { srand(3); print "text,c"
    for (i = 0; i < n; i++) { for (j = 0; j < 60; j++) printf "w%d ", exp(rand() * 13); print ",c" int(rand() * 20) } }' >texts.csv

best() { # COMMAND...: wall seconds of the best of three
    local least=
    for _ in 1 2 3; do
        local start end
        start=$(date +%s.%N)
        "$@" >/dev/null 2>&1 </dev/null
        end=$(date +%s.%N)
        least=$(awk -v a="$start" -v b="$end" -v l="$least" \
            'BEGIN { t = b - a; print l == "" || t < l ? t : l }')
    done
    echo "$least"
}
printf '%-10s %12s %12s %8s  %s\n' table '1x2 threads' '2x1 ranks' ratio bytes
for table in dense symbols texts; do
    one=$(best "$build/credence" train -q -m nb --calibrate none --threads 2 -o one.model $table.csv)
    two=$(best mpirun -n 2 "$build/credence-mpi" train -q -m nb --calibrate none --threads 1 -o two.model $table.csv)
    start=$(best mpirun -n 2 "$build/credence-mpi" --version)
    printf '%-10s %12.2f %12.2f %8.2f  %s\n' $table "$one" "$two" \
        "$(awk -v a="$one" -v b="$two" -v s="$start" 'BEGIN { print (b - s) / a }')" \
        "$(cmp -s one.model two.model && echo same || echo DIFFERENT)"
done
echo "the time in which mpirun starts two ranks is taken off: $start s"

cp dense.csv own-0.csv
cp dense.csv own-1.csv
one=$(best mpirun -n 1 "$build/credence-mpi" train -q -m nb --calibrate none --threads 1 -o one.model dense.csv)
two=$(best mpirun -n 2 "$build/credence-mpi" train -q -m nb --calibrate none --threads 1 --local -o two.model own-%r.csv)
printf 'weak scaling from 1 to 2 ranks: %.2f s, %.2f s, efficiency %.2f\n' "$one" "$two" \
    "$(awk -v a="$one" -v b="$two" 'BEGIN { print a / b }')"

# Words that are log-uniform over 500,000: nearly all of them turn up in 24 million.
awk 'BEGIN { srand(3); print "text,c"
    for (i = 0; i < 400000; i++) { for (j = 0; j < 60; j++) printf "w%d ", exp(rand() * 13.122); print ",c" int(rand() * 20) } }' >words.csv
number() { sed -n "s/.*\"$1\": \([0-9.e+-]*\),*$/\1/p" job.json; }
"$build/credence" train -q -m nb -o one.model words.csv
for n in 2 3 4; do
    mpirun -n $n "$build/credence-mpi" train -m nb --threads 1 --json -o two.model words.csv >job.json 2>/dev/null </dev/null
    awk -v n=$n -v sent="$(number sent_bytes)" -v adding="$(number adding_seconds)" -v all="$(number seconds)" \
        -v model="$(stat -c %s one.model)" -v bytes="$(cmp -s one.model two.model && echo same || echo DIFFERENT)" \
        'BEGIN { printf "words on %d ranks: %.2f models sent, adding up %.2f s of %.2f s (%.0f %%), %s bytes\n",
            n, sent / model, adding, all, 100 * adding / all, bytes }'
done
