#!/usr/bin/env bash
# The choice of a learner from the command: what is tried, kept, shown, and gone on with.
. "$CREDENCE_SOURCE/tests/cli/lib.bash"
data=$CREDENCE_SOURCE/examples/data

# --- a table --------------------------------------------------------------------------------------
expect 0 credence train "$data/iris.csv" -o iris.model
says out "tried"
expect 0 credence show iris.model
says out "tried"
expect 0 credence train "$data/iris.csv" -p among=exact -o exact.model
expect 0 credence show --json exact.model
says out '"chosen": true'
same "learners that are not exact" "$(grep -c '"exact": false' out)" 0
cp exact.model before.model
sed -n '1p;20,40p' "$data/iris.csv" >lesson.csv
expect 0 credence learn -q exact.model lesson.csv
expect 0 credence unlearn -q exact.model lesson.csv
expect 0 cmp exact.model before.model
expect 2 credence train -m nb "$data/iris.csv" --budget 3
says err "--budget is for a choice among learners"
credence train -q "$data/iris.csv" --threads 1 -o one.model
credence train -q "$data/iris.csv" --threads 3 -o three.model
expect 0 cmp one.model three.model

# Knobs without -m are those of naive Bayes.
expect 0 credence train "$data/tax.csv" -p smoothing=none
says out "Learner: naive Bayes"

# --- texts ------------------------------------------------------------------------------------------
# Two words of six tell the class, one of them only as a pair. Members of a blend cut texts into other
# words; rows that a split holds out must not shift them.
awk 'BEGIN {
    srand(5)
    print "text,class"
    for (i = 0; i < 400; i++) {
        c = rand() < 0.5
        text = ""
        for (k = 0; k < 6; k++)
            text = text " w" int(40 * rand())
        text = text (rand() < 0.8 ? (c ? " good day" : " day good") : " day")
        text = text (rand() < 0.6 ? (c ? " yes" : " no") : "")
        print text " end of it," (c ? "one" : "two")
    }
}' >texts.csv
expect 0 credence train -q texts.csv --type text=text --split 0.3 -o texts.model
expect 0 credence test texts.model texts.csv --split 0.3 --json
near "accuracy on rows held out" "$(json accuracy out)" 0.9 0.1
expect 0 credence cv -k 3 -m auto texts.csv --type text=text --json
near "accuracy in folds" "$(json accuracy out)" 0.9 0.1
expect 0 credence curve texts.csv --type text=text --sizes 100 --repeats 1 --csv
finish
