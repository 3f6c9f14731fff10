#!/usr/bin/env bash
# verbs.sh - every verb does its job and reports it, as a table, as JSON and as CSV.
. "$(dirname "$0")/lib.bash"

# Validate JSON, if a suitable program is available.
valid() { # FILE
    checks=$((checks + 1))
    if type -P jq >/dev/null; then
        jq -e . "$1" >/dev/null 2>&1 || fail "$1 is not JSON"
    elif type -P python3 >/dev/null; then
        python3 -c 'import json, sys; [json.loads(x) for x in open(sys.argv[1])] if sys.argv[2] ==
            "lines" else json.load(open(sys.argv[1]))' "$1" "${2:-one}" || fail "$1 is not JSON"
    fi
}

# --- train ------------------------------------------------------------------------------------
expect 0 credence train -m nb "$data/tax.csv" --type id=ignore -o tax.model
says out "Learned 10 rows of $data/tax.csv"
says out "some values are words"
says out "all values are numbers"
says out "income   real          0   104  45.63 "
silent err
expect 0 credence train -m nb "$data/tax.csv" --type id=ignore
says err "the model is not kept"
expect 0 credence train -m nb -q "$data/tax.csv" --type id=ignore
silent err
expect 0 credence train -m nb --json "$data/tax.csv" --type id=ignore -o tax.model
valid out
same "rows" "$(json rows out)" 10
same "target" "$(json target out)" evade
same "the file" "$(json model out)" tax.model
expect 0 credence train -m nb --csv "$data/tax.csv" -o tax-id.model
same "head of the columns" "$(head -1 out)" column,kind,missing,mean,sd,values,why
same "a column of numbers" "$(grep ^income out)" \
    'income,real,0,104,45.63137322306027,,all values are numbers'
same "a column of words" "$(grep ^marital out)" 'marital,symbol,0,,,3,some values are words'
same "standard output holds the model" \
    "$(credence train -m nb "$data/tax.csv" --type id=ignore -o - | cmp - tax.model && echo same)" same
printf 'a,b,c\n1,x,\n2,y,p\n3,,q\n' >gaps.csv
expect 0 credence train -m nb gaps.csv
says err "1 row without a class left out"

# --- predict ----------------------------------------------------------------------------------
printf 'marital,refund,income,comment\nsingle,no,90,"a ""b"", c"\nmarried,yes,,\n' >new.csv
expect 0 credence predict tax.model new.csv
same "answers" "$(cat out)" $'prediction\nyes\nno'
expect 0 credence predict --no-output-header tax.model new.csv
same "answers without a head" "$(cat out)" $'yes\nno'
expect 0 credence predict --keep --csv tax.model new.csv
same "answers beside the input" "$(cat out)" 'marital,refund,income,comment,prediction
single,no,90,"a ""b"", c",yes
married,yes,,,no'
expect 0 credence predict --proba --digits 3 tax.model new.csv
same "sum of the rounded posterior" "$(awk -F , 'NR == 2 { print $2 + $3 }' out)" 1
same "three decimals" "$(sed -n 2p out | grep -cE '^yes,0\.[0-9]{3},0\.[0-9]{3}$')" 1
expect 0 credence predict --json --keep tax.model new.csv
valid out lines
says out '{"input": {"marital": "single", "refund": "no", "income": 90, "comment": "a \"b\", c"}, '
says out '"income": null'
same "objects" "$(grep -c '^{.*"prediction": "[a-z]*", "posterior": {"no": .*}}$' out)" 2
credence predict --proba tax.model "$data/tax.csv" >one
credence predict --proba --threads 3 tax.model "$data/tax.csv" >three
same "any number of threads" "$(cat three)" "$(cat one)"
printf 'refund,marital\nno,single\n' >less.csv
expect 1 credence predict tax.model less.csv
says err income
expect 0 credence predict --allow-absent tax.model less.csv
same "an absent column is missing" "$(sed -n 2p out)" yes
expect 1 credence predict "$data/tax.csv" tax.model
says err "the model comes first"

# --- test -------------------------------------------------------------------------------------
expect 0 credence test tax.model "$data/tax.csv"
for word in accuracy "95 % interval" "log loss" Brier ECE "macro F1" precision recall; do
    says out "$word"
done
expect 0 credence test --json tax.model "$data/tax.csv"
valid out
for key in rows accuracy accuracy_low accuracy_high log_loss brier ece macro_f1 undecided; do
    [ -n "$(json $key out)" ] || fail "no $key in the JSON"
done
same "rows tested" "$(json rows out)" 10
says out '"confusion": ['
says out '"support": 7'
expect 0 credence test --csv tax.model "$data/tax.csv"
same "table of classes" "$(head -1 out)" class,support,precision,recall,f1
expect 1 credence test tax.model new.csv
says err evade
# Nine classes with long names: the headings of the matrix become numbers, then pairs.
{
    echo v,c
    for i in 1 2 3 4 5 6 7 8 9; do
        printf 'x%s,class-number-%s\nx%s,class-number-%s\n' $i $i $i $((i % 9 + 1))
    done
} >nine.csv
expect 0 credence train -m nb nine.csv -o nine.model
COLUMNS=70 credence test nine.model nine.csv >out
says out "1 class-number-1"
awk 'length($0) > 70' out >wide
silent wide
COLUMNS=40 credence test nine.model nine.csv >out
says out "Most confused"

# --- learn, unlearn, merge --------------------------------------------------------------------
head -6 "$data/tax.csv" >first.csv
sed 2,6d "$data/tax.csv" >rest.csv
expect 0 credence train -m nb first.csv --type id=ignore -o first.model
expect 0 credence train -m nb rest.csv --type id=ignore -o rest.model
cp first.model both.model
expect 0 credence learn both.model rest.csv
says out "learned 5 rows"
cmp -s both.model tax.model || fail "learn differs from training on everything"
expect 0 credence unlearn --json both.model rest.csv
valid out
same "rows unlearned" "$(json unlearned out)" 5
cmp -s both.model first.model || fail "unlearn does not undo learn"
expect 0 credence merge -o merged.model first.model rest.model
cmp -s merged.model tax.model || fail "merge differs from training on everything"
says out "10, before 5"
expect 0 credence learn first.model rest.csv -o other.model --csv
same "the change as CSV" "$(sed -n 2p out | cut -d , -f 1-5)" other.model,5,10,2,2
cmp -s other.model tax.model || fail "learn -o differs from training on everything"
printf 'refund,marital,income,evade\nyes,widowed,77,maybe\n' >strange.csv
cp first.model before.model
expect 1 credence unlearn first.model strange.csv
says err strange.csv
cmp -s first.model before.model || fail "a failed unlearn changed the model"
expect 0 credence learn --new-class first.model strange.csv -o grown.model
says out "classes  3, before 2"
expect 0 credence train -m nb "$data/animals.csv" -o animals.model
expect 1 credence merge -o mixed.model tax.model animals.model
says err animals.model
[ ! -e mixed.model ] || fail "a failed merge left a file"

# --- refit ------------------------------------------------------------------------------------
expect 0 credence refit tax.model -p smoothing=none -p prior=uniform -o refitted.model
says out "smoothing=none"
says out "prior=uniform"
expect 0 credence train "$data/tax.csv" --type id=ignore -p smoothing=none -p prior=uniform \
    -o trained.model
cmp -s refitted.model trained.model || fail "refit differs from training with the knobs"
expect 2 credence refit tax.model -p smoothing=nonesuch
expect 2 credence refit tax.model -p variance-floor=-1

# --- show -------------------------------------------------------------------------------------
expect 0 credence show tax.model
for word in "10 rows" "2 classes" parameters "the 2 symbols alone" income marital refund fingerprint bits; do
    says out "$word"
done
expect 0 credence show --feature marital tax.model
same "the three values" "$(grep -cE '^  (single|married|divorced) ' out)" 3
expect 0 credence show --top 1 tax.model
says out "... and 2 more features"
expect 0 credence show --json tax.model
valid out
expect 0 credence show --csv tax.model
same "show as CSV" "$(head -1 out)" feature,bits,value,class,count,probability,mean,variance,documents

# --- explain ----------------------------------------------------------------------------------
expect 0 credence explain tax.model new.csv
says out "Line 2: yes"
says out "all together"
says out "Left out: income (missing)"
expect 0 credence explain --json tax.model new.csv
valid out lines
same "objects" "$(wc -l <out)" 2
# The shares of every row add up to the total.
credence explain --json tax.model "$data/tax.csv" |
    awk '{
        n = split($0, part, "\"log_odds\": ")
        whole = part[2] + 0; sum = 0
        for (i = 3; i <= n; i++) sum += part[i] + 0
        if (whole - sum > 1e-12 || sum - whole > 1e-12) print
    }' >unequal
silent unequal
expect 0 credence explain --row 2 tax.model new.csv
same "rows explained" "$(grep -c '^Line' out)" 1
expect 0 credence explain --rows 3 tax.model "$data/tax.csv"
same "rows explained" "$(grep -c '^Line' out)" 3
expect 2 credence explain --row 20 tax.model new.csv
says err "there is no row 20"
expect 0 credence explain --csv tax.model new.csv
same "explain as CSV" "$(head -1 out)" \
    line,factor,value,class,log_p,count,total,top,bottom,mean,variance,freedom,word,times
near "count" "$(awk -F , '$2 == "marital" && $4 == "yes" { print $6; exit }' out)" 2
near "total" "$(awk -F , '$2 == "marital" && $4 == "yes" { print $7; exit }' out)" 3
# --- a table without rows: nothing asked, nothing answered --------------------------------------
head -n 1 "$CREDENCE_SOURCE/examples/data/iris.csv" >none.csv
credence train -m nb -q "$CREDENCE_SOURCE/examples/data/iris.csv" -o iris.model
expect 0 credence predict --proba iris.model none.csv
same "only a header" "$(cat out)" "prediction,p(setosa),p(versicolor),p(virginica)"
expect 0 credence predict --json iris.model none.csv
silent out
expect 1 credence test iris.model none.csv
says err "there are no rows"

finish
