#!/usr/bin/env bash
# Ranks on hosts of their own, which are network namespaces with slow links between them.
source "$(dirname "$0")/hosts.bash"
source "$(dirname "$0")/lib.bash"
make_hosts 4 100mbit 1ms
echo "links: $links"

over() { # N VERB ARGUMENT...
    local n=$1
    shift
    over_hosts "$n" "$mpi" "$@"
}
cp "$CREDENCE_SOURCE"/examples/data/iris.csv .
awk 'BEGIN { srand(4); print "x,text,c"
    for (i = 0; i < 20000; i++) {
        printf "%.3f,\"", rand()
        for (j = 0; j < 12; j++) printf "w%d%s", exp(rand() * 10), rand() < .1 ? "\n" : " "
        printf "\",c%d\n", rand() * 5 } }' >texts.csv

checks=$((checks + 1))
[ "$(over_hosts 4 hostname | sort | uniq | wc -l)" = 4 ] || fail "ranks share a host"
same_bytes() { # FILE RANKS LEARNER...: jobs of so many ranks write what the command writes
    local file=$1 ranks=$2
    shift 2
    expect 0 credence train -q -m "$@" --calibrate none -o plain.model "$file"
    for n in $ranks; do
        rm -f job.model
        expect 0 over "$n" train -q -m "$@" -o job.model "$file"
        expect 0 cmp plain.model job.model
    done
}
same_bytes texts.csv "2 4" nb -p real=gaussian
same_bytes iris.csv 3 logistic -p lambda=1
credence predict plain.model iris.csv >plain.out
over 3 predict plain.model iris.csv >job.out
expect 0 cmp plain.out job.out
finish
