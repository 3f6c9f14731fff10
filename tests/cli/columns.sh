#!/usr/bin/env bash
# columns.sh - columns that identify rows, and targets that are quantities.
. "$(dirname "$0")/lib.bash"

table() { # FIRST-COLUMN AWK-EXPRESSION
    awk -v name="$1" 'BEGIN { srand(3); print name ",a,b,class"
        for (i = 1; i <= 60; i++) { c = rand() < .5
            print '"$2"' "," rand() + c "," (rand() < .5 + .3 * c) "," (c ? "yes" : "no") } }'
}

# --- names of rows are left out, and data without them are accepted ------------------------------
table who '"p" i' >words.csv
expect 0 credence train -m nb words.csv -o words.model
says err "column 'who' is different in every row"
says err "--type who=symbol keeps it"
cut -d, -f2- words.csv >without.csv
expect 0 credence predict --csv words.model without.csv
cp out answers
expect 0 credence predict --csv words.model words.csv
same "answers with and without the names" "$(cat out)" "$(cat answers)"
expect 0 credence train -m nb without.csv -o without.model
expect 0 credence test --json words.model without.csv
accuracy=$(json accuracy out)
expect 0 credence test --json without.model without.csv
same "accuracy of the model that never saw them" "$(json accuracy out)" "$accuracy"

# --- the way to keep them --------------------------------------------------------------------------
expect 0 credence train -m nb words.csv -o kept.model --type who=symbol
same "no word of it" "$(grep -vc "'a' alone determines" err)" 0
expect 1 credence predict kept.model without.csv
says err "no column 'who'"

# --- row numbers, and numbers that are called an id -------------------------------------------------
table row i >rows.csv
expect 0 credence train -m nb rows.csv -o rows.model
says err "column 'row' is different"
table patient_id 'i * 7919 % 1009' >ids.csv
expect 0 credence cv -m nb ids.csv
says err "column 'patient_id' is different"
table reading 'i * 7919 % 1009' >readings.csv
expect 0 credence train -m nb readings.csv -o readings.model
same "no word of them" "$(grep -vc "'a' alone determines" err)" 0
table day i >days.csv # time may matter where a number is predicted
expect 0 credence train -m linear -t a days.csv -o days.model
silent err

# --- every verb that trains sees the same columns ---------------------------------------------------
expect 0 credence compare words.csv -m nb,tree
says err "column 'who' is different"
expect 0 credence cv -m nb --group who --csv words.csv
head -12 words.csv >few.csv # too few to tell
expect 0 credence train -m nb few.csv -o few.model
silent err
awk -F, 'NR == 1 || NR < 40 { print $1 "," $4 }' words.csv >only.csv # nothing else is left
expect 0 credence train -m nb only.csv -o only.model
silent err

# --- a table is written whole, whatever names its rows ----------------------------------------------
sed '5s/,[^,]*,/,,/' words.csv >gap.csv
expect 0 credence impute gap.csv
same "the names that impute gives back" "$(cut -d, -f1 out)" "$(cut -d, -f1 words.csv)"

# --- a quantity as target is noted in every verb that learns classes ----------------------------------
awk 'BEGIN { print "x,price"; for (i = 0; i < 60; i++) print i % 9 "," i * 3 + 1 }' >prices.csv
for command in "train -m nb -o p.model" "cv -m nb --folds 2" "compare -m nb,tree --folds 2" \
    "tune -m nb -p alpha=1,2 --folds 2" "curve -m nb"; do
    # shellcheck disable=SC2086
    run credence $command prices.csv
    says err "the target 'price' is a number"
done

# A small table, in which nearly every price is unique; repeated grades are names.
cp "$CREDENCE_SOURCE/examples/data/houses.csv" houses.csv
for command in "train -m nb -o p.model" "cv -m nb" "compare -m nb,tree"; do
    # shellcheck disable=SC2086
    run credence $command houses.csv
    says err "the target 'price' is a number: its 12 different values are 12 classes"
    says err "-m linear predicts the number itself"
done
# If auto is chosen and predicts the number, it does not mention classes.
for command in "train -o p.model" cv; do
    # shellcheck disable=SC2086
    expect 0 credence $command prices.csv
    ! grep -q classes err || fail "a number that is predicted as one: $(cat err)"
    says err "the target 'price' is a number, and is predicted as one; --type price=symbol"
    same "it is said once by $command" "$(grep -c "is a number" err)" 1
done
# As classes there are too many to compare learners, so nb learns them: still one note.
expect 0 credence train -o p.model prices.csv --type price=symbol
same "it is said once" "$(grep -c "is a number" err)" 1
awk 'BEGIN { print "x,grade"; for (i = 0; i < 12; i++) print i "," i % 6 + 1 }' >grades.csv
expect 0 credence train -m nb -o g.model grades.csv
! grep -q "is a number" err || fail "grades are noted: $(cat err)"

# --- a class that the header declares and no row has, in all learners ----------------------------
awk 'BEGIN { print "@relation r\n@attribute x real\n@attribute s {a,b}\n" \
        "@attribute class {yes,no,never}\n@data"
    for (i = 0; i < 120; i++)
        print i * 37 % 60 / 10 + i % 2 "," (i % 3 ? "a" : "b") "," (i % 2 ? "yes" : "no") }' >declared.arff
for learner in nb tan aode kdb pairs gda tree logistic "network -t class"; do
    # shellcheck disable=SC2086
    expect 0 credence train -q -m $learner --calibrate none -o d.model declared.arff
    expect 0 credence predict -q --proba d.model declared.arff
    limit=$(case $learner in logistic) echo 0.001 ;; tree | network*) echo 0.05 ;; *) echo 0 ;; esac)
    same "$learner gives it at most $limit" \
        "$(awk -F, -v l="$limit" 'NR > 1 && !($4 <= l)' out | wc -l)" 0
done
for learner in nb tan aode kdb gda; do
    expect 0 credence train -q -m $learner -p prior=map --calibrate none -o d.model declared.arff
    expect 0 credence predict -q --proba d.model declared.arff
    same "$learner with prior=map gives it a chance" "$(awk -F, 'NR > 1 && !($4 > 0)' out | wc -l)" 0
done
finish
