#!/usr/bin/env bash
# Ranks that die end the job without a half model, and a second run takes up what was done.
source "$(dirname "$0")/lib.bash"

# Pairs of 60 columns take a while to count.
awk 'BEGIN { srand(3); for (j = 0; j < 60; j++) printf "a%d,", j; print "c"
    for (i = 0; i < 40000; i++) {
        for (j = 0; j < 60; j++) printf "%c,", 97 + rand() * 9
        print rand() < .4 ? "a" : "b" } }' >table.csv
expect 0 credence train -q -m aode --calibrate none -o plain.model table.csv

# A rank is killed as soon as the job has kept a piece more: a launcher that loses a rank while it
# starts may hang, which is no matter of ours. The job may be faster than the blow: then its model is
# there, and right. Every fourth time the rest is done, on another number of ranks.
# CREDENCE_KILLS=50 does it until so many jobs were hit.
count_pieces() {
    local files=(pieces/*)
    echo "${#files[@]} ${files[0]}"
}
kills=0
hits=0
rm -rf pieces
while [ "$hits" -lt "${CREDENCE_KILLS:-4}" ] && [ "$kills" -lt $((3 * ${CREDENCE_KILLS:-4})) ]; do
    rm -f job.model
    before=$(count_pieces)
    timeout -k 2 20 mpirun -n $((2 + kills % 3)) "$mpi" train -q -m aode --checkpoint pieces \
        -o job.model table.csv </dev/null >out 2>err &
    job=$!
    victim=
    while [ -z "$victim" ] && [ -d /proc/$job ]; do
        launcher=$(pgrep -P "$job" -x mpirun)
        victim=$(pgrep -P "${launcher:-0}" -x credence | tail -n $((1 + kills % 2)) | head -n 1) # a rank
    done
    while [ "$(count_pieces)" = "$before" ] && [ -d /proc/$job ]; do :; done
    [ -z "$victim" ] || kill -9 "$victim" 2>/dev/null
    wait "$job" || hits=$((hits + 1))
    kills=$((kills + 1))
    checks=$((checks + 1))
    [ ! -e job.model ] || cmp -s plain.model job.model || fail "a killed job left a half model"
    [ $((kills % 4)) = 0 ] || [ "$hits" = "${CREDENCE_KILLS:-4}" ] || continue
    expect 0 ranks $((2 + kills / 4 % 2)) train -q -m aode --checkpoint pieces -o job.model table.csv
    expect 0 cmp plain.model job.model
    rm -rf pieces
done
echo "$kills ranks killed, $hits jobs ended by it"
checks=$((checks + 1))
[ "$hits" -gt 0 ] || fail "no job was hit"

# What needs rows keeps no pieces, says so, and learns what is there.
expect 0 ranks 2 train -m gda --checkpoint none -o job.model "$CREDENCE_SOURCE/examples/data/iris.csv"
says err "no pieces are kept: this learner needs rows, not only what was counted"
head -n 20000 table.csv >first.csv
for file in first.csv table.csv; do # rows in memory have no name: their statistics are not kept
    expect 0 ranks 2 train -q -m tree --checkpoint rows -o job.model $file
    expect 0 credence train -q -m tree --calibrate none -o plain.model $file # jobs do not calibrate unasked
    expect 0 cmp plain.model job.model
done

# Without MPI: parts by any scheduler, added up.
expect 0 credence train -q -m nb -p real=gaussian --calibrate none -o plain.model table.csv
for k in 1 2 3 4; do
    expect 0 credence train -q -m nb --part "$k/4" -o "part-$k.model" table.csv
done
expect 0 credence merge -q -o merged.model part-*.model
expect 0 cmp plain.model merged.model
expect 2 credence train --part 5/4 table.csv
says err "--part is '5/4'"
finish
