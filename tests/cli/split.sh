#!/usr/bin/env bash
# split.sh - rows to learn from and rows to test on, by class, by group, by order.
. "$(dirname "$0")/lib.bash"
iris=$CREDENCE_SOURCE/examples/data/iris.csv

# --- each class has its share -----------------------------------------------------------------
expect 0 credence split "$iris" --split 0.3 --train a.csv --test b.csv
says err "105 rows to a.csv, 45 to b.csv"
for class in setosa versicolor virginica; do
    same "$class held out" "$(grep -c "$class" b.csv)" 15
done
same "no row is lost" "$(cat a.csv b.csv | sort)" "$(cat "$iris" <(head -1 "$iris") | sort)"
same "rows stay in order" "$(grep -vxFf b.csv "$iris")" "$(grep -vxFf b.csv a.csv)"
expect 0 credence split "$iris" --split 0.3 --train c.csv --test d.csv
same "the same again" "$(cat c.csv d.csv | md5sum)" "$(cat a.csv b.csv | md5sum)"
expect 0 credence split "$iris" --split 0.3 --seed 1 --train c.csv --test d.csv
cmp -s b.csv d.csv && fail "another seed draws the same rows"
expect 0 credence split --json "$iris" --train c.csv --test d.csv
same "a third" "$(json test_rows out)" 50

# --- train and test without files: the same bytes, the same figures ---------------------------
for learner in nb gda tree logistic; do
    credence train -q -m "$learner" a.csv -o files.model
    credence train -q -m "$learner" "$iris" --split 0.3 -o split.model
    same "model of $learner" "$(cmp files.model split.model && echo same)" same
done
credence train -q -m nb a.csv -o files.model
same "figures" "$(credence test --json files.model "$iris" --split 0.3 | grep -v seconds)" \
    "$(credence test --json files.model b.csv | grep -v seconds)"
credence train -q -m linear -t petal_width a.csv -o width.model
credence train -q -m linear -t petal_width "$iris" --split 0.3 -o width2.model
expect 0 credence test --json width.model "$iris" --split 0.3
same "rows of a regression" "$(json rows out)" 45

# --- by group: all rows of a group are on one side ----------------------------------------------
awk 'BEGIN { print "who,x,y"; for (i = 0; i < 300; i++) print "p" i % 23 "," i % 7 "," (i % 3 ? "a" : "b") }' \
    >visits.csv
expect 0 credence split visits.csv --group who --split 0.25 --train a.csv --test b.csv
same "groups on both sides" \
    "$(comm -12 <(cut -d, -f1 a.csv | sort -u) <(cut -d, -f1 b.csv | sort -u))" who
held=$(($(wc -l <b.csv) - 1))
[ "$held" -ge 60 ] && [ "$held" -le 90 ] || fail "$held of 300 rows held out, not about 75"

# --- by order ------------------------------------------------------------------------------------
printf 'day,x,y\n2024-03-01,1,a\n2023-01-05,2,b\n2024-01-01,3,a\n2022-07-07,4,b\n' >days.csv
expect 0 credence split days.csv --order day --split 0.5 --train a.csv --test b.csv
same "the newest" "$(cat b.csv)" $'day,x,y\n2024-03-01,1,a\n2024-01-01,3,a'
expect 0 credence split days.csv --last --split 0.25 --train a.csv --test b.csv
same "the last" "$(cat b.csv)" $'day,x,y\n2022-07-07,4,b'
printf 'n,y\n10,a\n9,b\n100,a\n2,b\n' >numbers.csv
expect 0 credence split numbers.csv --order n --split 0.25 --train a.csv --test b.csv
same "the largest number" "$(tail -1 b.csv)" 100,a

# --- what cannot be ----------------------------------------------------------------------------
expect 2 credence split "$iris" --train a.csv
says err "two files"
expect 2 credence split "$iris" --split 1.5 --train a.csv --test b.csv
says err "between 0 and 1"
expect 2 credence split "$iris" --group nobody --train a.csv --test b.csv
says err "no column 'nobody'"
expect 1 credence split days.csv --group y --split 0.01 --train a.csv --test b.csv
says err "one side"
expect 2 credence train -m nb "$iris" --group species
says err "--split"
expect 2 credence train -m nb - --split 0.5 <"$iris"
says err "twice"
finish
