#!/usr/bin/env bash
# joint.sh - joint tables learned from data, through the command line.
. "$(dirname "$0")/lib.bash"

answer() { # MODEL QUERY
    credence query --csv "$1" "$2" | sed -n '2s/.*,//p'
}

# --- learned from data ----------------------------------------------------------------------------
expect 0 credence train "$data/animals.csv" -m joint --type name=ignore -o animals.model
expect 0 credence show animals.model
says out "The table"
# Those that give birth, do not fly, live on land and have legs, as counted in the file.
grep -q "^  yes *no *no *yes *mammals *$(awk -F, '$2 == "yes" && $3 == "no" && $4 == "no" && $5 == "yes" && $6 == "mammals"' "$data/animals.csv" | wc -l) " out ||
    fail "the cell is not shown: $(cat out)"
expect 2 credence train "$data/tax.csv" -m joint --type id=ignore
says err "-p bins=income:CUT"
expect 0 credence train "$data/tax.csv" -m joint --type id=ignore -p bins=income:80:100 -o tax.model
# of the ten returns: 4 have an income of 80 to 100, 3 of those evade
near "a cut column" "$(answer tax.model 'P(evade=yes | income>80, income<=100)')" 0.75
near "marginal" "$(answer tax.model 'P(evade=yes)')" 0.3
expect 2 credence query tax.model 'P(income<=90)'
says err "<=80, 80..100, >100"

printf 'a,b\nx,p\n,q\ny,p\n' >gaps.csv
expect 0 credence train gaps.csv -m joint -o gaps.model
says out "Cells: 2 of 4 seen; 50 % are empty"
says err "1 row that lacks a value left out of the table"
near "of the complete rows" "$(answer gaps.model 'P(a=x)')" 0.5

# --- change it --------------------------------------------------------------------------------------
head -5 "$data/tax.csv" >first.csv
(head -1 "$data/tax.csv"; tail -n +6 "$data/tax.csv") >second.csv
credence train -q first.csv -m joint --type id=ignore -p bins=income:80:100 -o first.model >/dev/null
credence train -q second.csv -m joint --type id=ignore -p bins=income:80:100 -o second.model >/dev/null
expect 0 credence merge first.model second.model -o merged.model
same "merged, as in one pass" "$(cmp merged.model tax.model && echo same)" same
expect 0 credence learn first.model second.csv
same "learned" "$(cmp first.model tax.model && echo same)" same
cp tax.model less.model
expect 0 credence unlearn less.model second.csv
credence train -q first.csv -m joint --type id=ignore -p bins=income:80:100 -o first.model >/dev/null
same "unlearned" "$(cmp less.model first.model && echo same)" same
expect 1 credence unlearn less.model second.csv
says err "second.csv:2: this row was never learned"
expect 0 credence refit tax.model -p smoothing=laplace -o smooth.model
# (3 + 18) / (10 + 36): half of the 2 x 3 x 3 x 2 cells have evade=yes
near "smoothed" "$(answer smooth.model 'P(evade=yes)')" 0.45652173913043476
expect 2 credence refit tax.model -p bins=income:90
says err "fixed at training"
for threads in 1 2 3; do
    credence train -q --threads $threads "$data/animals.csv" -m joint --type name=ignore \
        -o "animals-$threads.model" >/dev/null
    same "with $threads threads" "$(cmp "animals-$threads.model" animals.model && echo same)" same
done

# --- a target makes it a classifier ---------------------------------------------------------------
credence train -q "$data/tax.csv" -m joint -t evade --type id=ignore -p bins=income:80:100 \
    -o class.model >/dev/null
expect 0 credence test --json class.model "$data/tax.csv"
same "all cells of the training data are told apart" "$(json accuracy out)" 1
printf 'refund,marital,income\nno,single,90\nno,,70\n' >new.csv
expect 0 credence predict --proba class.model new.csv
# no, single, 80 to 100: two rows, both evade. no, 60 or 70: two rows, none evades
same "P(target | rest)" "$(tail -2 out)" 'yes,0,1
no,1,0'
expect 1 credence predict tax.model new.csv
says err "no target"
expect 1 credence test tax.model "$data/tax.csv"

# --- size -----------------------------------------------------------------------------------------
awk 'BEGIN {
    for (i = 1; i <= 100; i++) printf "x%d%s", i, i < 100 ? "," : "\n"
    for (r = 0; r < 64; r++)
        for (i = 1; i <= 100; i++) printf "%d%s", (r * (2 * i + 1) / 3) % 2, i < 100 ? "," : "\n"
}' >wide.csv
expect 0 credence train wide.csv -m joint -p smoothing=laplace -o wide.model
expect 0 credence show --json wide.model
near "2^100 - 1 parameters" "$(json parameters out)" 1.2676506002282294e30
expect 1 credence convert wide.model --to csv
silent out
says err "1.27e+30 cells"
expect 0 credence query wide.model 'P(x1=1 | x2=1, x3=0)'
expect 0 credence show --evidence wide.model
expect 0 credence show --evidence --json tax.model
near "log evidence of the table" "$(json log_evidence out)" \
    "$(awk 'BEGIN { # flat prior over 36 cells, ten rows in eight cells, two of them twice
        s = 2 * log(2); for (i = 0; i < 10; i++) s -= log(36 + i); printf "%.15g", s }')"
# A table that is asked before it is a model: the hint names the table.
printf 'a,probability\nx,0.25\ny,0.75\n' >shares.csv
expect 1 credence query shares.csv 'P(a=x)'
says err "credence convert shares.csv --to joint -o MODEL"
says err "credence train shares.csv -o MODEL"
expect 0 credence convert shares.csv --to joint -o shares.model
expect 0 credence query shares.model 'P(a=x)'
finish
