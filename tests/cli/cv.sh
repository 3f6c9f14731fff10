#!/usr/bin/env bash
# cv.sh - cross-validation, tuning, curves, comparison and calibration at the command line.
. "$(dirname "$0")/lib.bash"
data=$CREDENCE_SOURCE/examples/data

# Figures come with names that scripts rely on.
expect 0 credence cv -m nb --json "$data/iris.csv"
same "rows" "$(json rows out)" 150
same "folds" "$(json folds out)" 10
same "way" "$(json way out)" subtracted
for key in accuracy log_loss brier ece macro_f1 mcc kappa roc_area balanced_accuracy; do
    says out "\"$key\": "
done
expect 0 credence cv -m nb "$data/iris.csv" -k 3 -r 2
says out "2.3 "
expect 0 credence cv -m nb --csv "$data/iris.csv" -k 4
same "a line for each fold" "$(wc -l <out)" 5

# The same seed gives the same folds; every row is answered once.
credence cv -m nb -q "$data/iris.csv" --seed 5 --out a.csv
credence cv -m nb -q "$data/iris.csv" --seed 5 --threads 1 --out b.csv
cmp a.csv b.csv || fail "the answers depend on the threads"
same "every row once" "$(tail -n +2 a.csv | cut -d, -f1 | sort -un | wc -l)" 150
same "the heads" "$(head -1 a.csv)" \
    "row,repeat,fold,truth,prediction,p(setosa),p(versicolor),p(virginica)"

# Leave one out: the answers are those of as many folds as rows.
expect 0 credence cv -m nb --json "$data/animals.csv" --type name=ignore --folds loo
same "as many folds as rows" "$(json folds out)" "$(json rows out)"

# If a model is made for each row, the expected time is reported early.
awk 'BEGIN {print "x,y,class"; for (i = 0; i < 20000; i++)
    print (i * 7919) % 10007 / 100 "," (i * 104729) % 9973 / 7 "," (i % 3 == 0 ? "a" : "b")}' >slow.csv
"$CREDENCE_BIN" cv slow.csv --folds loo -p real=kde >/dev/null 2>err &
slow=$!
for _ in $(seq 300); do
    grep -q "to go" err && break
    sleep 0.1
done
kill "$slow"
wait "$slow" 2>/dev/null
says err "note: a model for each of 20000 rows: about "
says err "to go; --folds 10 makes ten"
expect 0 credence cv -m nb slow.csv --folds loo
silent err

# Groups stay together and are not a feature.
awk -F, 'NR == 1 {print "g," $0; next} {print int(NR / 7) "," $0}' "$data/iris.csv" >grouped.csv
expect 0 credence cv -m nb -q grouped.csv --group g --out g.csv
same "folds are filled" "$(tail -n +2 g.csv | cut -d, -f3 | sort -u | wc -l)" 10
awk -F, 'NR > 1 {g = int($1 / 7); if (g in f && f[g] != $3) bad = 1; f[g] = $3} END {exit bad}' \
    g.csv || fail "a group is in two folds"

# Invalid requests are refused.
expect 2 credence cv -m nb "$data/iris.csv" --folds 1
expect 2 credence cv -m nb "$data/iris.csv" --folds 151
expect 2 credence cv -m nb "$data/iris.csv" --group nothing
expect 2 credence cv "$data/iris.csv" -m nothing

# Tuning: the winner comes first, and is kept.
# Columns of the data beside the answers: each row has its own.
animals=$CREDENCE_SOURCE/examples/data/animals.csv
expect 0 credence cv -m nb "$animals" -k 3 -r 2 --out answers.csv --keep name
same "names of the rows" "$(tail -n +2 answers.csv | cut -d , -f 1,2 | sort -u | wc -l)" 20
same "each its own" "$(tail -n +2 answers.csv | awk -F, 'NR == FNR { own[FNR] = $1; next }
    own[$2] != $1' "$animals" - | wc -l)" 0
expect 2 credence cv -m nb "$animals" --out answers.csv --keep nobody
says err "no such column"
expect 2 credence cv -m nb "$animals" --keep name
says err "--keep is for the answers that --out writes"

# A calibrated learner is tuned: its figure is that of credence compare on the same folds.
expect 0 credence tune -m nb "$data/iris.csv" -p calibrate=platt --json
tuned=$(sed -n 's/.*"log_loss": {"mean": \([0-9.]*\).*/\1/p' out | head -1)
expect 0 credence compare "$data/iris.csv" -m nb:calibrate=platt,nb --csv
near "calibrated and tuned" "$tuned" "$(cell out log_loss 1)" 1e-12
# --calibrate METHOD is that knob for all learners.
expect 0 credence compare "$data/iris.csv" -m nb,tree --calibrate platt --csv
near "calibrated by an option" "$tuned" "$(cell out log_loss 1)" 1e-12
expect 0 credence cv "$data/iris.csv" -m nb --calibrate platt --json
near "calibrated folds" "$(json log_loss out)" "$tuned" 1e-12
expect 0 credence tune -m tan "$data/iris.csv" -p m=1,4 -p calibrate=none --json
grep log_loss out >said
expect 0 credence tune -m tan "$data/iris.csv" -p m=1,4 --calibrate none --json
same "calibrate=none as a setting" "$(cat said)" "$(grep log_loss out)"
expect 0 credence tune -m nb "$data/iris.csv" -p calibrate=none,platt,beta --nested
says out "Best: -p calibrate="

expect 0 credence tune --json "$data/iris.csv" -p variance=feature,class -p variance-floor=1e-9..1e-2:log:3 \
    --nested -o best.model
same "settings" "$(grep -c '"abandoned"' out)" 6
says out '"nested": {'
expect 0 credence test -q best.model "$data/iris.csv"
expect 0 credence tune "$data/iris.csv" -p variance=feature,class-feature -p prior=uniform
same "a column for each knob that is turned" "$(sed -n 3p out | cut -c -23)" "variance       accuracy"
says out "Best: -p variance="
expect 0 credence tune --csv "$data/iris.csv" -p variance=feature,class-feature
same "names once" "$(head -1 out | tr , '\n' | sort | uniq -d)" ""
expect 0 credence tune "$data/iris.csv" -p variance-floor=1e-9..1:log --budget 3
says out "3 settings"
expect 2 credence tune "$data/iris.csv" -p variance-floor=1..0
expect 2 credence tune "$data/iris.csv" --budget many

# Curves.
expect 0 credence curve --csv "$data/iris.csv" -m nb,nb:variance=class --sizes 20,50,100
same "the columns" "$(head -1 out)" \
    "learner,size,accuracy,accuracy_low,accuracy_high,log_loss,log_loss_low,log_loss_high"
same "a line for each learner and size" "$(wc -l <out)" 7
expect 2 credence curve -m nb "$data/iris.csv" --sizes 10,5
expect 2 credence curve -m nb "$data/iris.csv" --sizes 101
expect 2 credence curve -m nb "$data/iris.csv" --withheld 2

# Comparison: the candidate with the least log loss has the star; identical ones are equal.
expect 0 credence compare "$data/iris.csv" -m nb:variance=feature,nb
says out "1.0000"
expect 0 credence compare --json "$data/iris.csv" -m nb,nb:variance=shared
same "criterion" "$(json criterion out)" cv
says out '"mcnemar_p"'
for key in balanced_accuracy mce micro_f1 weighted_f1 mcc kappa roc_area pr_area; do
    says out "\"$key\""
done
# A larger log loss is worse, and an accuracy is at most 1.
same "the worse one" "$(sed -n '/"name": "nb:/,$s/.*log_loss_against_best.*"worse": \([.0-9e-]*\).*/\1/p' out |
    awk '{ print ($1 > .5) }')" 1
expect 0 credence compare --json "$data/iris.csv" -m nb
same "no accuracy above 1" "$(json accuracy_high out)" 1
# A single repeat, and leave one out, have no interval.
expect 0 credence compare "$data/tax.csv" -m nb --folds loo
says out "–"
expect 0 credence curve -m nb --csv "$data/tax.csv" --repeats 1 --sizes 5
same "no interval" "$(cut -d, -f4,5 out | tail -1)" ","
expect 0 credence compare "$data/iris.csv" -m nb,nb:variance=shared --curve --sizes 20,100
says out "p(t) against the first"
expect 0 credence compare --each -k 3 "$data/iris.csv" "$data/tax.csv" -m nb,nb:variance=class
says out "Friedman"

# Calibration is stored in the model, applied, and dropped by a change.
credence train -m nb -q "$data/iris.csv" -o plain.model
expect 0 credence train -m nb --json "$data/iris.csv" --calibrate temperature -o cool.model
same "method" "$(json calibration out)" temperature
credence predict --proba plain.model "$data/iris.csv" >plain.csv
credence predict --proba cool.model "$data/iris.csv" >cool.csv
cmp -s plain.csv cool.csv && fail "the calibration is not applied"
expect 0 credence refit cool.model -p variance=class -o changed.model
says err "calibration is dropped"
expect 0 credence calibrate plain.model "$data/iris.csv" --method isotonic -o iso.model
says out "isotonic"
expect 0 credence calibrate --json plain.model "$data/iris.csv" -o auto.model
says out '"log_loss_after"'
expect 2 credence calibrate plain.model "$data/iris.csv"

# --- a value that only a row of weight 0 has, left out: the others have never seen it ---------------
printf 'c,w,y\nred,1,u\nblue,1,v\nred,2,u\nblue,1,v\ngreen,0,u\nred,1,v\nblue,3,u\n' >nothing.csv
grep -v green nothing.csv >seen.csv
for unseen in skip smooth; do
    expect 0 credence cv -q nothing.csv --weight w --folds loo -p unseen=$unseen --out nothing.out
    credence train -q seen.csv --weight w -p unseen=$unseen -o seen.model
    printf 'c,w\ngreen,0\n' | credence predict seen.model --proba >green.out
    same "the answer to green" "$(sed -n 6p nothing.out | cut -d, -f5-)" "$(sed -n 2p green.out)"
done

# --- rows of weight 0, one of a class of its own, teach nothing --------------------------------------
printf 'c,x,w,y\nred,1,1,u\nblue,2,1,v\nred,2.5,2,u\nblue,4,1,v\ngreen,9,0,u\nred,1.5,1,v\n' >zero.csv
printf 'blue,3,3,u\nred,0.3,1,u\nblue,3,1,v\npink,2,0,w\n' >>zero.csv
grep -v ',0,' zero.csv >seen.csv
for learner in nb gda tan aode kdb pairs tree logistic network; do
    expect 0 credence train -q zero.csv --weight w -t y -m $learner -o zero.model
    credence train -q seen.csv --weight w -t y -m $learner -o seen.model
    same "answers of $learner" "$(credence predict zero.model seen.csv)" \
        "$(credence predict seen.model seen.csv)"
    expect 0 credence cv -q zero.csv --weight w -t y -m $learner --folds 3
done

finish
