#!/usr/bin/env bash
# Ranks that die end the job without a half model, and a second run takes up what was done.
source "$(dirname "$0")/lib.bash"

awk 'BEGIN { srand(3); print "x,y,z,c"
    for (i = 0; i < 120000; i++)
        printf "%.4f,%d,%s,%s\n", rand(), rand() * 9, substr("uvw", 1 + i % 3, 1),
            rand() < .4 ? "a" : "b" }' >table.csv
expect 0 credence train -q -m nb -o plain.model table.csv

killed=0
for k in 1 2 3 4 5 6; do
    rm -f job.model
    timeout 120 mpirun -n 3 "$mpi" train -q -m nb --checkpoint pieces -o job.model table.csv \
        </dev/null >out 2>err &
    job=$!
    sleep "0.0$((3 * k))"
    launcher=$(pgrep -P "$job" -x mpirun)
    victim=$(pgrep -P "${launcher:-0}" | tail -n 1) # a rank
    if [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null; then
        killed=$((killed + 1))
    fi
    if wait "$job"; then
        expect 0 cmp plain.model job.model
    else
        checks=$((checks + 1))
        [ ! -e job.model ] || cmp -s plain.model job.model || fail "a killed job left a half model"
    fi
    [ $((k % 3)) != 0 ] || rm -rf pieces # begin anew now and then
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
