#!/usr/bin/env bash
# drift.sh - recent data compared with the training data that a model summarises.
. "$(dirname "$0")/lib.bash"
cp "$CREDENCE_SOURCE"/examples/data/*.csv .
credence train -m nb -q iris.csv -o iris.model
credence train -m nb -q tax.csv -o tax.model
credence train -m nb -q messages.csv -o messages.model

expect 0 credence drift iris.model iris.csv
says out "0 of 4 features drifted"
says out "Nothing to do"
expect 0 credence drift --check iris.model iris.csv
head -75 iris.csv >half.csv
expect 1 credence drift --check iris.model half.csv
says out "strong"
expect 0 credence drift --json iris.model half.csv
same "rows" "$(json rows out)" 74
same "labelled" "$(json labelled out)" 74
says out '"name": "virginica"'
says out '"advice": ['
expect 0 credence drift --csv iris.model half.csv
same "a line for each feature" "$(wc -l <out)" 5

# New values are named, missing columns count as missing, labels are not needed.
cut -d, -f1-3 tax.csv | sed 's/married/widowed/' >unlabelled.csv
expect 0 credence drift tax.model unlabelled.csv
says out "1 new value in 40 % of the rows"
says out "credence learn"
same "no labels" "$(grep -c "^class.*labelled" out)" 0
expect 0 credence drift --json tax.model unlabelled.csv
says out '"value": "widowed"'
expect 1 credence drift tax.model <(cut -d, -f1,3 tax.csv)
says err "marital"
expect 0 credence drift -a tax.model <(cut -d, -f1,3 tax.csv)
says out "more often missing"

# A network keeps cross products of numbers: the same comparison as for a linear regression.
head -80 iris.csv >recent.csv
credence train -q iris.csv -m network -p real=gaussian -t petal_width -o number.model
credence train -q iris.csv -m linear -t petal_width -o linear.model
credence drift --csv linear.model recent.csv >linear.out
expect 0 credence drift --csv number.model recent.csv
for row in 1 2 3 4; do
    near "index" "$(cell out index $row)" "$(cell linear.out index $row)" 1e-9
done

# Discretised numbers are compared by interval; 46 of 150 petals are wider than 1.75, then 1 of 79.
for learner in tan aode 'network -p bins=mdl'; do
    # shellcheck disable=SC2086
    credence train -q iris.csv -t species -m $learner -o cut.model
    expect 0 credence drift cut.model recent.csv
    says out ">1.75 30.7 -> 1.27 %"
done

# Without a target there are no class shares; a column without values is not reported as stable.
credence train -q iris.csv -m network -o whole.model
expect 0 credence drift whole.model recent.csv
says out "virginica 33.3 -> 0 %"
! grep -q "Shares of classes" out || fail "shares of no classes"
! grep -q "credence test" out || fail "a test without a target"
expect 0 credence drift -a iris.model <(cut -d, -f1-3,5 iris.csv)
says out "could not be compared"

# Texts.
expect 0 credence drift messages.model messages.csv
says out "on 28.6 -> 28.6 %"
expect 0 credence drift --csv messages.model messages.csv
same "the test of a text" "$(cell out test 1)" words
printf 'text\nwin cash prize now\nfree cash now\n' >spam.csv
expect 0 credence drift --json messages.model spam.csv
says out '"word"'

# Misuse.
expect 2 credence drift --level 2 iris.model iris.csv
says err "between 0 and 1"
printf 'sepal_length,sepal_width,petal_length,petal_width\n' >empty.csv
expect 1 credence drift iris.model empty.csv
finish
