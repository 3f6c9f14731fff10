#!/usr/bin/env bash
# The choice of a learner at the command line: what is tried, kept, shown and continued.
. "$CREDENCE_SOURCE/tests/cli/lib.bash"
data=$CREDENCE_SOURCE/examples/data

# --- a table --------------------------------------------------------------------------------------
expect 0 credence train "$data/iris.csv" -o iris.model
says out "tried"
says out "* the simplest that is about as good"
expect 0 credence show iris.model
says out "tried"
says out "* the simplest that is about as good"
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
for threads in 2 3 8; do
    credence train -q "$data/iris.csv" --threads $threads -o other.model
    expect 0 cmp one.model other.model
done

# Features that are independent in each class: with few rows the simplest learner is taken, although
# one of the others is always ahead by chance. Exclusive or is not a matter of chance.
independent() { # SEED
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        print "a,b,c,class"
        for (i = 0; i < 240; i++) {
            k = rand() < 0.5
            for (f = 0; f < 3; f++)
                printf "%s,", rand() < (k ? 0.75 : 0.35) ? "yes" : "no"
            print k ? "one" : "two"
        }
    }'
}
for seed in 1 2 3 4 5; do
    independent $seed >independent.csv
    expect 0 credence train independent.csv
    says out "*  nb "
done
awk 'BEGIN { print "a,b,class"; for (i = 0; i < 240; i++) { a = i % 2; b = int(i / 2) % 2
    print (a ? "yes" : "no") "," (b ? "yes" : "no") "," ((a != b) != (i % 9 == 0) ? "one" : "two") } }' \
    >xor.csv
expect 0 credence train xor.csv
same "naive Bayes cannot do exclusive or" "$(grep -c '^\*  nb' out)" 0

# --- few rows -------------------------------------------------------------------------------------
# Nine are not judged, however a choice is asked for.
sed -n '1,7p;60,62p' "$data/iris.csv" >nine.csv
expect 0 credence train nine.csv -o nine.model
for asked in "-m auto" "-p among=exact" "-m auto --calibrate platt" "-m auto -p among=nb,gda"; do
    expect 0 credence train $asked nine.csv -o same.model
    says err "learners are compared from 10 rows on: 'nb' learned the few there are; -m names another"
    expect 0 cmp nine.model same.model
done
expect 0 credence train nine.csv --store nine.store
expect 2 credence cv -m auto nine.csv
says err "fewer folds, or one row left out at a time"
expect 0 credence cv -m auto -k 3 nine.csv

# Of two dozen rows, several candidates share the answer. One number follows the class with some
# noise and four others copy it, so that naive Bayes takes the same evidence five times.
awk 'BEGIN { srand(4); print "a,b,c,d,e,class" > "two-dozen.csv"
    print "a,b,c,d,e,class" > "rest.csv"
    for (i = 0; i < 624; i++) { k = rand() < 0.5; x = rand() + rand() + k / 2
        printf "%.3f,%.3f,%.3f,%.3f,%.3f,%s\n", x, x + rand() / 9, x + rand() / 9, x + rand() / 9, \
            x + rand() / 9, k ? "one" : "two" > (i < 24 ? "two-dozen.csv" : "rest.csv") } }'
loss_of() { # MODEL
    credence test -q --json "$1" rest.csv | sed -n 's/^ *"log_loss": \([0-9.e-]*\),*$/\1/p' | head -1
}
expect 0 credence train two-dozen.csv -o few.model
says out "*  blend "
says out "* of so few rows, several share the answer"
same "more than one member" "$([ "$(grep -c '^+' out)" -gt 1 ] && echo yes)" yes
expect 0 credence train -m nb two-dozen.csv -o nb.model
same "a blend of few rows is better than naive Bayes" \
    "$(echo "$(loss_of few.model) $(loss_of nb.model)" | awk '{ print ($1 < $2) }')" 1

# A class that is declared and has no rows yet is unlikely, not impossible; unless asked for.
{
    echo "@relation r"
    echo "@attribute a {x,y}"
    echo "@attribute b {x,y}"
    echo "@attribute class {one,two,none}"
    echo "@data"
    for i in 1 2 3 4 5 6 7 8; do echo "x,y,one"; echo "y,x,two"; done
} >declared.arff
expect 0 credence train declared.arff -p among=nb -p blend=no -o declared.model
says out "nb:prior=map"
expect 0 credence predict --proba declared.model declared.arff
same "an unseen class has some probability" \
    "$(awk -F, 'NR == 2 { print ($4 > 0.001 && $4 < 0.2) }' out)" 1
expect 0 credence train -m auto declared.arff -p among=nb -p blend=no -p prior=empirical \
    -o declared.model
expect 0 credence predict --proba declared.model declared.arff
same "by the shares of the rows it has none" "$(awk -F, 'NR == 2 { print $4 }' out)" 0

# --- a budget, and an end before it ------------------------------------------------------------------
awk 'BEGIN { srand(9); print "x,y,z,class"; for (i = 0; i < 30000; i++) { k = rand() < 0.5
    printf "%.5f,%.5f,%.5f,%s\n", rand() + k / 2, rand() * rand(), rand() - k / 3, k ? "a" : "b" } }' \
    >many.csv
expect 0 credence train many.csv --budget 0.3 --json -o small.model
expect 0 credence show --json small.model
few=$(sed -n 's/.*"rows": \([0-9]*\), "work.*/\1/p' out | sort -n | head -1)
same "a small budget judges on a sample" "$([ "${few:-0}" -lt 30000 ] && echo yes)" yes
expect 0 credence train many.csv --budget 0.3 --threads 1 -q -o again.model
expect 0 cmp small.model again.model
expect 2 credence train many.csv --budget none
says err "budget is 'none'"
# An interrupt takes the best model so far, which records what was not tried. An interrupt before
# anything was judged leaves no model. (A separate job, in which interrupts are not ignored.)
(
    set -m
    "$CREDENCE_BIN" train many.csv --threads 1 --budget 600 -o stopped.model >out 2>err &
    sleep 1.5
    kill -INT $!
    wait $!
    echo $? >status
)
if [ "$(cat status)" = 0 ]; then
    expect 0 credence show stopped.model
    says out "tried"
    expect 0 credence test -q stopped.model many.csv
else
    same "no model is left" "$(ls stopped.model* 2>/dev/null)" ""
fi

# Knobs without -m are those of naive Bayes.
expect 0 credence train "$data/tax.csv" -p smoothing=none
says out "Learner: naive Bayes"

# --- choosing again without the data ----------------------------------------------------------------
expect 0 credence train -q -m nb --calibrate none -p values=keep "$data/iris.csv" -o kept.model
expect 0 credence refit -q --auto kept.model -o chosen.model
expect 0 credence train -q -m nb --calibrate none -p values=keep -p real=auto "$data/iris.csv" -o trained.model
credence predict -P chosen.model "$data/iris.csv" >chosen.csv
credence predict -P trained.model "$data/iris.csv" >trained.csv
expect 0 cmp chosen.csv trained.csv
expect 0 credence train -q -m tree "$data/iris.csv" -o tree.model
expect 1 credence refit --auto tree.model
says err "rows are needed"
expect 0 credence train -q -m gda "$data/iris.csv" -o gda.model
expect 1 credence refit --auto gda.model
says err "rows are needed"
for knobs in "-m linear -t petal_width" "-m linear -t petal_width -p lambda=3"; do
    expect 0 credence train -q $knobs "$data/iris.csv" -o line.model
    expect 0 credence refit -q --auto line.model
    expect 0 credence train -q -m linear -t petal_width -p lambda=evidence "$data/iris.csv" -o evidence.model
    expect 0 cmp line.model evidence.model
done
# A knob that changes drops the calibration; one that stays does not.
expect 0 credence train -q -m tan -p worth=all --calibrate temperature "$data/iris.csv" -o tan.model
expect 0 credence refit --auto tan.model
says err "the calibration is dropped"
expect 0 credence refit --auto tan.model -o again.model
expect 0 cmp tan.model again.model
expect 0 credence train -q -m nb -p real=gaussian "$data/iris.csv" -o moments.model
expect 2 credence refit --auto moments.model
says err "not its numbers"

# --- a number as target ------------------------------------------------------------------------------
# y = 2 a - b + noise of variance 1: the mean negative log density is ln(2 pi e) / 2 = 1.419 at best.
awk 'function normal(  i, s) { for (i = s = 0; i < 12; i++) s += rand(); return s - 6 }
    BEGIN { srand(7); print "a,b,y"
        for (i = 0; i < 2000; i++) { a = normal(); b = normal(); print a "," b "," 2 * a - b + normal() } }' >line.csv
expect 0 credence train line.csv -o line.model
says out "Learner: linear regression"
loss=$(credence train line.csv --json -o line.model | sed -n 's/.*"log_loss": \([0-9.]*\).*/\1/p' | head -1)
near "negative log density" "$loss" 1.419 0.05

# Thirty columns of noise and forty rows: least squares follow the noise, a strong prior does not.
awk 'function normal(  i, s) { for (i = s = 0; i < 12; i++) s += rand(); return s - 6 }
    BEGIN { srand(8); for (k = 0; k < 30; k++) printf "x%d,", k; print "y"
        for (i = 0; i < 40; i++) { for (k = 0; k < 30; k++) printf "%.4f,", normal(); print normal() } }' >noise.csv
expect 0 credence train noise.csv -o noise.model
says out "Knobs: lambda="

# Fifteen different fractions are quantities, fifteen different whole numbers may be names.
awk 'BEGIN { srand(9); print "x,y"; for (i = 0; i < 60; i++) { k = int(15 * rand()); print k + rand() "," k / 10 } }' >tenths.csv
expect 0 credence train tenths.csv -o tenths.model
says out "-log density"
awk 'BEGIN { srand(9); print "x,y"; for (i = 0; i < 60; i++) { k = int(15 * rand()); print k + rand() "," k } }' >whole.csv
expect 0 credence train whole.csv -o whole.model
says out "accuracy"

# --- texts ------------------------------------------------------------------------------------------
# Two words of six determine the class, one of them only as a pair. Members of a blend tokenise
# texts differently; rows that a split holds out must not shift them.
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
# Classes of one row each: no learner can be judged, naive Bayes learns them, and auto says so.
awk 'BEGIN { print "a,b,c"; for (i = 0; i < 300; i++)
    print i % 7 "," (i * 13) % 11 ",k" (i < 295 ? i : i - 10) }' >names.csv
expect 0 credence train -m auto -p among=exact names.csv -o names.model
says err "not compared: no learner could be judged on rows that it had not learned; 'nb' learned the"
expect 0 credence train -q -m nb --calibrate none names.csv -o plain.model
expect 0 cmp names.model plain.model
finish
