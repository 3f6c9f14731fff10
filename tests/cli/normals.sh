#!/usr/bin/env bash
# normals.sh - networks with numbers, and correlations, through the command line.
. "$(dirname "$0")/lib.bash"
iris=$CREDENCE_SOURCE/examples/data/iris.csv
net=$CREDENCE_SOURCE/examples/data/garden.net

answer() { # MODEL QUERY: the first number of the answer
    credence query --csv "$@" | sed -n '2s/.*,//p'
}

# --- a network that is given; numbers from numpy, by Schur complements ------------------------------
near "a mean" "$(answer "$net" 'E(growth | height=30)')" 13.0034166117869
near "a probability" "$(answer "$net" 'P(height > 30 | light=40)')" 0.367706367079484
near "a word given a number" "$(answer "$net" 'P(rain=much | height=30)')" 0.9606671881627776
expect 0 credence query --json "$net" 'P(growth | height=30)'
says out '"kind": "number"'
says out '"low": 9.936259786417'
expect 0 credence query "$net" 'E(growth | light=42, rain=much)'
says out '= 15.6 ± 1  (95 % in 13.64 .. 17.56)'
expect 1 credence query "$net" 'P(growth > 3 | height > 30)'
says err "only one number that is not observed can be asked about at a time"
expect 1 credence query "$net" --mpe 'rain=much'
says err "the network has numbers"
expect 0 credence convert "$net" -t growth -o growth.model
expect 0 credence convert growth.model -o again.net
near "from text to model to text" "$(answer again.net 'E(growth | height=30)')" 13.0034166117869
expect 2 credence convert growth.model -o garden.bif
says err "this format is written with discrete variables only"
expect 0 credence show growth.model
says out "growth    number  light, rain"
says out "× light"
printf 'height\n30\n' >height.csv
expect 0 credence predict --interval 95 growth.model height.csv
near "a number is predicted" "$(cell out prediction 1)" 13.0034166117869
says err "3 columns of the model are missing"

# --- learned from rows ------------------------------------------------------------------------------
expect 0 credence sample "$net" -n 3000 --seed 4 -o rows.csv
expect 0 credence train -q rows.csv -m network -p real=gaussian -t rain -o rain.model
expect 0 credence structure compare "$net" rain.model --json
says out '"shd": 0'
expect 0 credence test --json rain.model rows.csv
same "rain is known from the plants" "$(awk -v a="$(json accuracy out)" 'BEGIN { print (a > .99) }')" 1
expect 0 credence explain --work rain.model rows.csv --row 1
says out "p(height="
expect 0 credence train -q rows.csv -m network -p real=gaussian -t growth -o number.model
expect 0 credence test --json number.model rows.csv
same "a number is predicted well" "$(awk -v a="$(json r2 out)" 'BEGIN { print (a > .9) }')" 1
expect 0 credence cv -m network-number -t growth rows.csv
says out "RMSE"
expect 0 credence cv --json -m network-number -t growth rows.csv
of_number=$(json rmse out)
expect 0 credence cv --json -m network -p real=gaussian -t growth rows.csv
same "as in training, a network of numbers predicts one" "$(json rmse out)" "$of_number"
expect 0 credence compare -m network:real=gaussian,linear -t growth rows.csv
says out "RMSE"
expect 0 credence curve -m network -p real=gaussian -t growth rows.csv --sizes 100
says out "RMSE"
expect 2 credence tune -m network -p real=gaussian,bins -t growth rows.csv
says err "some settings predict numbers and others classes"

# A number is explained column by column, each given those before it, as query computes it.
head -2 rows.csv >one.csv
expect 0 credence explain --csv number.model one.csv
near "before anything is known" "$(cell out base 1)" "$(answer number.model 'E(growth)')" 1e-9
known="" sum=$(cell out base 1)
for row in $(seq 1 $(($(wc -l <out) - 1))); do
    known="$known${known:+, }$(cell out column "$row")=$(cell out value "$row")"
    sum=$(awk -v a="$sum" -v b="$(cell out share "$row")" 'BEGIN { printf "%.15g", a + b }')
    near "given $known" "$sum" "$(answer number.model "E(growth | $known)")" 1e-9
done
near "all together" "$sum" "$(cell out prediction 1)" 1e-9
expect 0 credence explain number.model one.csv
says out "adds, given those before"
expect 0 credence explain --work number.model one.csv
says out "% of a Gaussian"
awk 'BEGIN { print "x,y"; for (i = 1; i <= 20; i++) print i "," 3 * i + i % 3 }' >steep.csv
credence train -q steep.csv -m network -p real=gaussian -t y -o steep.model
printf 'x\n3\n1.7e308\n' >far.csv
expect 1 credence predict steep.model far.csv
says err "far.csv:3: the numbers of this row are too large to calculate with"
expect 2 credence train -q rows.csv -m network -p real=gaussian -t rain -p 'whitelist=light>rain'
says err "the arc light>rain leads from a number to a discrete variable"
expect 2 credence train -q rows.csv -m network -p real=gaussian -p 'whitelist=rain>light'
says err "from a discrete variable that is not the target"
expect 2 credence refit rain.model -p real=bins -o other.model
says err "fixed at training"
expect 2 credence train -q rows.csv -m network -p real=gaussian -p score=bdeu
says err "numbers have bic, aic and loglik"

# --- correlations within classes; numpy and scipy: r, -log2(1-r²)/2, -150 ln(1-r²), t with 146 ------
expect 0 credence independence --gaussian --csv --top 1 "$iris"
near "bits" "$(cell out bits 1)" 0.611058337215 1e-6
near "p" "$(cell out p 1)" 1.20823013355e-28 1e-6
expect 0 credence independence --gaussian --json --top 1 "$iris"
near "r" "$(sed -n 's/.*"correlation": \([-.0-9e]*\).*/\1/p' out)" 0.755874757731
expect 0 credence independence --gaussian --no-class "$iris"
says out "r = 0.9628"
expect 2 credence independence --gaussian rain.model
says err "is for data"
finish
