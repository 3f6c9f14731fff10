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
for learner in nb logistic; do
    file=texts.csv
    [ $learner = nb ] || file=iris.csv
    expect 0 credence train -q -m $learner $([ $learner = nb ] && echo -p real=gaussian) --calibrate none -o plain.model $file
    for n in $([ $learner = nb ] && echo 2 4 || echo 3); do
        rm -f job.model
        expect 0 over "$n" train -q -m $learner -o job.model $file
        expect 0 cmp plain.model job.model
    done
done
credence predict plain.model iris.csv >plain.out
over 3 predict plain.model iris.csv >job.out
expect 0 cmp plain.out job.out
finish
