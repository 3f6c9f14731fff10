#!/usr/bin/env bash
# compare.sh - models compared by description length, BIC, AIC, evidence and held-out rows.
. "$(dirname "$0")/lib.bash"

# x = a 3 times in A, once in B; x = b once in A, 3 times in B. Without smoothing six rows have
# P(class, x) = 3/8 and two 1/8; 3 free parameters, 8 rows: 3/2 · 3 = 4.5 bits.
printf 'x,class\na,A\na,A\na,A\nb,A\na,B\nb,B\nb,B\nb,B\n' >eight.csv

# One key of one model in the JSON, by the model's number from 1.
of() { # KEY PLACE
    sed -n 's/^ *"'"$1"'": "\{0,1\}\([^",]*\)"\{0,1\},\{0,1\}$/\1/p' out | sed -n "$2p"
}

expect 0 credence compare --criterion mdl --json eight.csv -m nb:smoothing=none,nb
same "rows" "$(json rows out)" 8
same "criterion" "$(json criterion out)" mdl
near "log-likelihood" "$(of log_likelihood 1)" -10.04385860143003 # 6 ln 3/8 + 2 ln 1/8
near "of the classes" "$(of log_conditional 1)" -4.498681156950454 # 6 ln 3/4 + 2 ln 1/4
near "bits of the parameters" "$(of parameter_bits 1)" 4.5
near "bits of the data" "$(of data_bits 1)" 14.490224995673063
near "BIC" "$(of bic 1)" 15.23568693894044 # 3 ln 8 - 2 ln P(classes | rows)
near "AIC" "$(of aic 1)" 14.997362313900933
near "bits of the list of mistakes" "$(of mistake_bits 1)" 7.977279923 1e-9 # log2 9 + log2 (8 over 2)
near "error" "$(of error 1)" 0.25
# P(class) and P(x | class) under Dirichlet priors of ones: 4! 4!/9! · (3!/5!)²
near "evidence" "$(of log_evidence 2)" -12.437184366493558
same "the default costs fewer bits" "$(sed -n 's/^  "best": "\(.*\)",/\1/p' out)" nb

# As few variances as the data justify: two classes of equal spread, then of unequal spread.
echo x,y,class | tee alike.csv >unlike.csv
awk 'BEGIN {
    for (i = 0; i < 200; i++) {
        s = i % 2
        u = ((i * 37) % 101) / 50 - 1
        v = ((i * 61) % 103) / 51 - 1
        printf "%.4f,%.4f,%s\n", u + s, v - s, s ? "p" : "q" >> "alike.csv"
        printf "%.4f,%.4f,%s\n", u * (s ? 5 : 1), v * (s ? 1 : 5), s ? "p" : "q" >> "unlike.csv"
    }
}'
for criterion in mdl bic evidence; do
    credence compare --json alike.csv -m nb:variance=class-feature,nb:variance=feature \
        --criterion $criterion >out
    same "equal spread by $criterion" "$(sed -n 's/^  "best": "\(.*\)",/\1/p' out)" \
        nb:variance=feature
    credence compare --json unlike.csv -m nb:variance=class-feature,nb:variance=feature \
        --criterion $criterion >out
    same "unequal spread by $criterion" "$(sed -n 's/^  "best": "\(.*\)",/\1/p' out)" \
        nb:variance=class-feature
done

# Reused statistics give the same result as new training.
credence compare --criterion mdl --csv unlike.csv -m nb:variance=shared,nb:variance=class >both
credence compare --criterion mdl --csv unlike.csv -m nb:variance=class >alone
same "shared counts" "$(sed -n 3p both)" "$(sed -n 2p alone)"

# The table, other ways to name models, other sources.
expect 0 credence compare --criterion mdl unlike.csv -m nb -m nb:variance=class-feature
says out "unlike.csv: 200 rows, 2 models by description length: hypothesis and classes given the rows, in bits"
same "the best has a star" "$(grep -c '^\*  nb:variance=class-feature' out)" 1
expect 0 credence compare unlike.csv -m nb --criterion aic
says out "1 model by AIC"
expect 0 credence compare --criterion mdl --json unlike.csv -m nb:prior=p:0.3,q:0.7:variance=class,nb
says out '"name": "nb:prior=p:0.3,q:0.7:variance=class"'
credence compare --criterion mdl --csv -m nb,nb:variance=class <unlike.csv >piped
credence compare --criterion mdl --csv -m nb,nb:variance=class unlike.csv >named
same "from a pipe" "$(cmp piped named && echo same)" same
expect 0 credence compare --json eight.csv -t class -m nb,joint --criterion evidence
same "learners of two kinds" "$(of learner 2)" joint

# --- held-out rows -------------------------------------------------------------------------------
printf 'x,class\na,A\nb,B\na,B\n' >new.csv
expect 0 credence compare --json eight.csv -m nb:smoothing=none --holdout new.csv
same "criterion" "$(json criterion out)" holdout
near "held-out bits" "$(of holdout_bits 1)" 2.830074998557688 # -2 log2 3/4 - log2 1/4
near "held-out rows" "$(of holdout_rows 1)" 3

# --- what is refused -----------------------------------------------------------------------------
fault() { # STATUS MESSAGE ARGUMENT...
    local status=$1 message=$2
    shift 2
    expect "$status" credence compare "$@"
    says err "$message"
    silent out
}
fault 2 "compare needs -m" eight.csv
fault 2 "nbb: there is no learner 'nbb'" eight.csv -m nbb
says err "did you mean 'nb'?"
fault 2 "nb:smothing=none: there is no knob 'smothing'" eight.csv -k 2 -m nb,nb:smothing=none
says err "did you mean 'smoothing'?"
fault 2 "--criterion holdout needs rows" eight.csv -m nb --criterion holdout
fault 2 "--criterion takes cv|mdl|joint|mistakes|penalty|bic|aic|evidence|holdout, not 'best'" eight.csv -m nb \
    --criterion best
fault 2 "ensemble: an ensemble is not trained on data" eight.csv -m ensemble
fault 2 "joint needs to know which column is to be predicted" eight.csv -m joint --criterion mdl
fault 1 "cannot open absent.csv" absent.csv -m nb
fault 1 "cannot open absent.csv" eight.csv -m nb --holdout absent.csv
# Files with different columns are not one data set.
printf 'a,c\n1,x\n2,y\n' >one.csv
printf 'b,c\n1,x\n2,y\n' >other.csv
expect 1 credence compare one.csv other.csv -m nb,tan
says err "--each takes every file as a data set of its own"
# Over several data sets, a learner that cannot handle one has no rank, and the others continue.
data=$CREDENCE_SOURCE/examples/data
expect 0 credence compare --each "$data/iris.csv" "$data/animals.csv" "$data/tax.csv" \
    -m nb,linear,tree --csv
says err "linear cannot do $data/iris.csv: 'setosa' in column 'species' is not a number"
same "no rank" "$(awk -F, '$1 == "mean rank" { print $3 }' out)" ""
same "ranks of the others" "$(awk -F, '$1 == "mean rank" { print $2 + $4 }' out)" 3
same "a mean row" "$(awk -F, '$1 == "mean" { print $2 * 3 }' out)" \
    "$(awk -F, '$1 ~ /csv$/ { sum += $2 } END { print sum }' out)"
expect 0 credence compare --each "$data/iris.csv" "$data/animals.csv" -m nb,linear --json
says out '"p": null'
# gda needs at least one number for its matrix.
expect 0 credence compare "$data/animals.csv" -m nb,gda
same "complaints of BLAS" "$(grep -c "illegal value" err)" 0
# A discriminative model has no code for rows: not -28.8 bits, but none. All models are judged by
# the classes given the rows, and BIC is that of a logistic regression.
animals=$CREDENCE_SOURCE/examples/data/animals.csv
expect 0 credence compare --csv "$animals" --type name=ignore -t class -m nb,logistic,tree --criterion mdl
same "no code for rows" "$(cell out data_bits 2),$(cell out joint_mdl 3)" ","
for row in 1 2 3; do
    near "BIC of model $row" "$(cell out bic $row)" "$(awk -v k="$(cell out parameters $row)" \
        -v l="$(cell out log_conditional $row)" 'BEGIN { printf "%.15g", k * log(20) - 2 * l }')" 1e-9
done
expect 0 credence compare --csv "$animals" --type name=ignore -t class -m nb,tree --criterion joint
same "a criterion that one lacks" "$status" 0
expect 0 credence compare --json "$animals" --type name=ignore -t class -m nb,tree \
    --criterion penalty --lambda 0.5
near "F(h)" "$(of penalty 1)" "$(awk -v e="$(of error 1)" -v k="$(of parameters 1)" \
    'BEGIN { printf "%.15g", e + 0.5 * k }')"
expect 0 credence compare "$animals" --type name=ignore -t class -m nb,tree --criterion mistakes
says out "bits list"

# A learner that cannot handle the table is listed with the reason, and the others continue.
iris=$CREDENCE_SOURCE/examples/data/iris.csv
expect 0 credence compare "$iris" -m joint,nb,linear -k 3
says out "joint cannot: a joint table cannot hold the numbers"
says out "linear cannot:"
same "the best of the others" "$(grep -c '^\*  nb' out)" 1
expect 0 credence compare "$iris" -m all -k 3 --json
says out '"cannot": '
says out '"name": "tan"'
expect 1 credence compare "$iris" -m linear -k 3

# Costs: the cheapest is best, and each row's cost is that of credence cv.
tax=$CREDENCE_SOURCE/examples/data/tax.csv
expect 0 credence compare "$tax" -m nb,tree -k 2 --cost 'yes->no=5' --json
cost=$(of cost 1)
expect 0 credence cv "$tax" -m nb -k 2 --cost 'yes->no=5' --json
near "cost" "$cost" "$(json cost out)"
expect 0 credence compare "$tax" -m nb,tree -k 2 --by brier --json
expect 2 credence compare "$tax" -m nb,tree -k 2 --by rmse
says err "is not a metric of classes"
expect 0 credence tune "$tax" -p alpha=0.1,1 -k 2 --cost 'yes->no=5' --json
says out '"cost": {"mean": '
# Without a model to keep, the table is the result: -q leaves it.
expect 0 credence tune -q "$tax" -p alpha=0.1,1 -k 2
says out "Best: -p alpha="
silent err
expect 0 credence tune -q "$tax" -p alpha=0.1,1 -k 2 -o tuned.model
silent out
expect 0 credence tune "$tax" -p alpha=0.1,1 -k 2 --by kappa
says out "kappa"
finish
