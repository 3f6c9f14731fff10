#!/usr/bin/env bash
# impute.sh - missing values: each method, stored in the model and used again in prediction.
. "$(dirname "$0")/lib.bash"

# The mean of x is 24 / 8 = 3, its median and mode are 2; the mode of c is red. One row lacks both,
# and one the target.
cat >gaps.csv <<'END'
x,c,y
1,red,10
2,red,12
2,,11
7,blue,
,blue,21
,,14
1,red,9
2,blue,19
5,red,15
4,red,13
END
filled() { sed -n "$2p" "$1" | cut -d, -f1; } # the x of a line

# The verb alone: a number and a symbol with each method.
expect 0 credence impute --impute mean gaps.csv -t y
same "mean" "$(filled out 6)" 3
same "commonest" "$(sed -n 4p out | cut -d, -f2)" red
expect 0 credence impute --impute median gaps.csv -t y
same "median" "$(filled out 6)" 2
expect 0 credence impute --impute mode gaps.csv -t y
same "mode" "$(filled out 6)" 2
expect 0 credence impute --impute model gaps.csv -t y
[ "$(filled out 6)" != "$(filled out 7)" ] || fail "the model does not look at the other features"
expect 0 credence impute --impute drop gaps.csv -t y
same "rows that lack nothing" "$(($(wc -l <out) - 1))" 7

# Stored in the model and applied in prediction: a gap is answered like the imputed value.
printf 'x,c\n,red\n' >gap.csv
for case in "mean 3" "median 2" "mode 2"; do
    read -r how value <<<"$case"
    expect 0 credence train -m linear -p lambda=1 --impute "$how" -o "$how.model" gaps.csv
    says out "Missing values: $how"
    printf 'x,c\n%s,red\n' "$value" >full.csv
    same "$how at prediction" "$(credence predict "$how.model" gap.csv)" \
        "$(credence predict "$how.model" full.csv)"
    expect 0 credence explain --json "$how.model" gap.csv
    says out '"filled": true'
done
expect 0 credence train -m linear -p lambda=1 --impute model -o model.model gaps.csv
credence impute --model model.model gap.csv >given.csv
same "model at prediction" "$(credence predict model.model gap.csv)" \
    "$(credence predict model.model given.csv)"
[ "$(credence predict model.model gap.csv)" != \
    "$(credence predict model.model <(printf 'x,c\n,blue\n'))" ] || fail "the colour tells nothing"
expect 0 credence train -m linear -p lambda=1 --impute drop -o drop.model gaps.csv --json
same "rows that were learned" "$(json rows out)" 6

# Logistic regression and naive Bayes have it too; a later file is filled by the same numbers.
awk -F, -v OFS=, 'NR == 1 {print $1, $2, "k"; next} {print $1, $2, ($3 > 12 ? "big" : "small")}' \
    gaps.csv >classes.csv
for learner in logistic nb; do
    expect 0 credence train -q -m $learner --impute mean -o k.model classes.csv
    printf 'x,c\n3,red\n' >full.csv
    same "$learner" "$(credence predict --proba k.model gap.csv)" \
        "$(credence predict --proba k.model full.csv)"
done

# In cross-validation it is learned again without each fold.
expect 0 credence cv -m linear -p lambda=1 -p impute=mean gaps.csv -k 2 --json
same "way" "$(json way out)" retrained

# A network completes rows: all missing values jointly, and absent columns too. Given two calls the
# alarm went off (AIMA, P = 0.76), without a burglar or an earthquake.
net=$CREDENCE_SOURCE/examples/data/alarm.net
printf 'J,M\nj,m\nno_j,?\n' >calls.csv
expect 0 credence impute --model "$net" calls.csv
same "completed" "$(tail -n +2 out | tr '\n' ' ')" "no_b,no_e,a,j,m no_b,no_e,no_a,no_j,no_m "
says err "2 rows, 7 values filled in"
expect 2 credence impute --model "$net" --impute mean calls.csv
says err "most probable together"
printf 'J,M\nj,x\n' >calls.csv
expect 1 credence impute --model "$net" calls.csv
says err "line 2: 'x' is not a state of 'M'"
expect 2 credence impute --model "$CREDENCE_SOURCE/examples/data/garden.net" calls.csv

# Bad input.
expect 2 credence train -m linear --impute guess gaps.csv
expect 2 credence impute --impute guess gaps.csv
expect 2 credence train -p impute=guess gaps.csv
says err "impute"
printf 'x,c,y\n,red,1\n2,,2\n,blue,3\n' >holes.csv
expect 1 credence train -m linear --impute drop holes.csv
says err "lacks something"
credence train -q -m linear -p lambda=1 -o plain.model gaps.csv
expect 2 credence impute --model plain.model gaps.csv
says err "does not fill in missing values"
expect 1 credence impute --impute mean nothing.csv
finish
