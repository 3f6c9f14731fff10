#!/usr/bin/env bash
# A job of several ranks does what the command does, with the same bytes.
source "$(dirname "$0")/lib.bash"
examples=$CREDENCE_SOURCE/examples/data
cp "$examples"/{iris,animals,sports}.csv .

# A table with quoted line ends, and one whose last third breaks the kind of a column.
awk 'BEGIN { srand(1); print "x,text,label"
    for (i = 0; i < 20000; i++) {
        printf "%d,\"", rand() * 50
        for (n = int(rand() * 9); n > 0; n--)
            printf "%s", (rand() < .3 ? "\n1,b,a\n" : rand() < .5 ? "word, " : "say \"\"so\"\" ")
        printf "\",%s\n", rand() < .5 ? "a" : "b" } }' >quoted.csv
awk 'BEGIN { srand(2); print "x,y,c"
    for (i = 0; i < 60000; i++)
        printf "%s,%.3f,%s\n", i == 50000 ? "word" : i % 97, rand(), rand() < .4 ? "a" : "b" }' >broken.csv
gzip -k quoted.csv

bytes() { # ARGUMENT...: train writes the same model for every number of ranks
    expect 0 credence train -q -o plain.model "$@"
    for n in 2 3; do
        rm -f job.model
        expect 0 ranks "$n" train -q -o job.model "$@"
        checks=$((checks + 1))
        cmp -s plain.model job.model || fail "the model of $n ranks differs: $*"
    done
}
bytes -m nb -p real=gaussian --calibrate none quoted.csv
bytes -m nb -p real=gaussian --calibrate none broken.csv
bytes -m nb -p real=gaussian --calibrate none quoted.csv.gz
bytes -m nb -p real=gaussian --calibrate none quoted.csv quoted.csv.gz
bytes iris.csv # a choice among learners, calibrated
bytes -m nb -p real=gaussian --calibrate auto iris.csv
credence train -q -m nb -p real=gaussian iris.csv -o plain.model # one process calibrates unasked;
expect 0 ranks 3 train -q -m nb -p real=gaussian iris.csv -o bare.model
expect 0 credence calibrate -q --learned bare.model iris.csv -o job.model # the job's, afterwards
expect 0 cmp plain.model job.model
bytes -m tan --calibrate none iris.csv
bytes -m logistic -p lambda=1 --calibrate none iris.csv
bytes -m logistic -p lambda=auto --calibrate none iris.csv
bytes -m tree --calibrate none iris.csv
bytes -m gda --calibrate none -p shrinkage=0.1 broken.csv
bytes -m linear --calibrate none -t y broken.csv
expect 0 ranks 2 train -m tree -o job.model iris.csv
says err "every process holds all rows: 'tree' learns from the rows themselves"
gzip -k iris.csv
expect 0 ranks 2 train -m gda -o job.model iris.csv.gz
says err "every process reads all rows: 'gda' needs them in their order"
bytes iris.csv
expect 0 credence train -q -m logistic -p lambda=1 --calibrate none -o plain.model iris.csv
expect 0 ranks 4 train -q -m logistic -p lambda=1 -o job.model iris.csv
expect 0 cmp plain.model job.model
for n in 4 8; do
    expect 0 ranks "$n" train -q -m nb -o job.model quoted.csv
    credence train -q -m nb -p real=gaussian --calibrate none -o plain.model quoted.csv
    expect 0 cmp plain.model job.model
done

# Answers keep the order of the rows; figures are those of one process.
same_output 3 predict --proba plain.model quoted.csv
same_output 2 predict --json plain.model quoted.csv
same_output 3 test plain.model quoted.csv
same_output 2 test plain.model quoted.csv.gz
same_output 3 cv -m logistic iris.csv
same_output 2 cv -m tree iris.csv
same_output 2 cv -m linear -t petal_width iris.csv
same_output 2 tune -m nb -p alpha=0.1..10:4:log animals.csv

# learn on ranks.
awk 'NR == 1 || NR % 3 == 0' iris.csv >first.csv
awk 'NR == 1 || NR % 3 > 0' iris.csv >rest.csv
expect 0 credence train -q -m nb -p real=gaussian --calibrate none -o first.model first.csv
expect 0 ranks 3 learn -q -o learned.model first.model rest.csv
expect 0 credence learn -q -o plain.model first.model rest.csv
expect 0 cmp plain.model learned.model
cp first.model place.model
expect 0 ranks 3 learn -q place.model rest.csv # in place: one of them holds the lock
expect 0 cmp plain.model place.model

# Files of each rank's own.
awk 'NR == 1 || NR <= 9000' broken.csv >own-0.csv
(head -n 1 broken.csv; tail -n +9001 broken.csv) >own-1.csv
expect 0 credence train -q -m nb -p real=gaussian --calibrate none -o plain.model broken.csv
expect 0 ranks 2 train -q -m nb --local -o job.model own-%r.csv
expect 0 cmp plain.model job.model
for learner in gda tree logistic:lambda=1; do
    knob=${learner#"${learner%%:*}"}
    expect 0 credence train -q -m "${learner%%:*}" ${knob:+-p "${knob#:}"} --calibrate none -o plain.model own-0.csv own-1.csv
    expect 0 ranks 2 train -q -m "${learner%%:*}" ${knob:+-p "${knob#:}"} --local -o job.model own-%r.csv
    expect 0 cmp plain.model job.model
done

# A fault is told once, in the words of the command, and leaves no model.
sed '40000s/,.*//' broken.csv >bad.csv
run credence train -m nb -o plain.model bad.csv
head -n 2 err >plain.err
rm -f job.model
run ranks 3 train -m nb -o job.model bad.csv
same "the fault's words" "$(head -n 2 err)" "$(cat plain.err)"
[ "$status" != 0 ] || fail "a job with a fault ends with status 0"
[ ! -e job.model ] || fail "a job with a fault leaves a model"

# Slurm without PMIx makes each process a job of its own.
SLURM_STEP_NUM_TASKS=4 run "$mpi" train -m nb -o job.model iris.csv
[ "$status" != 0 ] || fail "processes that do not know of each other were trained"
says err "Slurm has started 4 processes that do not know of each other"

# Standard input cannot be divided.
run ranks 2 train -m nb -o job.model -
[ "$status" != 0 ] || fail "standard input was divided"
says err "standard input cannot be divided among the processes of a job"
finish
