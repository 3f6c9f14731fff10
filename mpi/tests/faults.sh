#!/usr/bin/env bash
# Ranks that die end the job without a half model, and a second run takes up what was done.
source "$(dirname "$0")/lib.bash"

awk 'BEGIN { srand(3); print "x,y,z,c"
    for (i = 0; i < 120000; i++)
        printf "%.4f,%d,%s,%s\n", rand(), rand() * 9, substr("uvw", 1 + i % 3, 1),
            rand() < .4 ? "a" : "b" }' >table.csv
expect 0 credence train -q -m nb -o plain.model table.csv

# A rank is killed once pieces are being kept: a launcher that loses a rank while it starts may hang,
# which is no matter of ours. The job may be faster than the blow: then its model is there, and right.
for round in 1 2 3 4; do
    rm -rf job.model pieces
    timeout -k 2 20 mpirun -n 3 "$mpi" train -q -m nb --checkpoint pieces -o job.model table.csv \
        </dev/null >out 2>err &
    job=$!
    for _ in $(seq 200); do
        [ -z "$(ls pieces 2>/dev/null)" ] || break
        sleep 0.01
    done
    launcher=$(pgrep -P "$job" -x mpirun)
    victim=$(pgrep -P "${launcher:-0}" | tail -n 1) # a rank
    [ -z "$victim" ] || kill -9 "$victim" 2>/dev/null
    wait "$job"
    checks=$((checks + 1))
    [ ! -e job.model ] || cmp -s plain.model job.model || fail "a killed job left a half model"
    [ $((round % 2)) != 0 ] || continue
    expect 0 ranks 2 train -q -m nb --checkpoint pieces -o job.model table.csv # taken up
    expect 0 cmp plain.model job.model
done
expect 0 ranks 2 train -q -m nb --checkpoint pieces -o job.model table.csv
expect 0 cmp plain.model job.model

# Without MPI: parts by any scheduler, added up.
for k in 1 2 3 4; do
    expect 0 credence train -q -m nb --part "$k/4" -o "part-$k.model" table.csv
done
expect 0 credence merge -q -o merged.model part-*.model
expect 0 cmp plain.model merged.model
expect 2 credence train --part 5/4 table.csv
says err "--part is '5/4'"
finish
