#!/usr/bin/env bash
# compute.sh - what the lectures show: coins, hypotheses, joint tables, surfaces, curves, networks.
. "$(dirname "$0")/server.bash"
cp "$CREDENCE_SOURCE"/examples/data/* .
credence convert alarm.net -o alarm.model >/dev/null 2>&1
credence train -m nb -p real=gaussian --calibrate none iris.csv -t species -o iris.model >/dev/null 2>&1
start .

# A JSON string of a file.
text() { awk 'BEGIN { printf "\"" } { gsub(/[\\"]/, "\\\\&"); printf "%s\\n", $0 } END { print "\"" }' "$1"; }

# --- coins ----------------------------------------------------------------------------------------
# By hand: beta(2 + 7, 2 + 3), mean 9/14, mode 8/12.
answers 200 /compute/estimate -d '{"counts": [7, 3], "names": ["head", "tail"], "prior": "beta:2,2"}'
says out '"predictive": 0.6428571428571429'
says out '"map": 0.6666666666666666'
says out '"mle": 0.7'
says out '"family": "beta", "a": 9, "b": 5'
answers 200 /compute/estimate -d '{"counts": [1, 0, 0, 2, 0, 3], "prior": [1, 1, 1, 1, 1, 1]}'
near "the next six" "$(grep -o '"predictive": [0-9.]*' out | tail -n 1 | cut -d' ' -f2)" 0.3333333333333333
answers 400 /compute/estimate -d '{"counts": [1]}'
answers 400 /compute/estimate -d '{"counts": [1, -1]}'
answers 400 /compute/estimate -d '[]'
answers 400 /compute/estimate -d '{"counts": [1, 2], "prior": "wild"}'

# --- hypotheses: Mitchell's Bayes optimal classifier (Machine Learning, 6.7): .4 says +, .6 says - --
answers 200 /compute/hypotheses -d '{"hypotheses": [
    {"name": "h1", "prior": 0.4, "votes": {"+": 1, "-": 0}},
    {"name": "h2", "prior": 0.3, "votes": {"+": 0, "-": 1}},
    {"name": "h3", "prior": 0.3, "votes": {"+": 0, "-": 1}}]}'
says out '"predictive": {"+": 0.4, "-": 0.6}'
says out '"bayes_optimal": "-"'
says out '"map_class": "+"'
near "error of Gibbs" "$(json gibbs_error out)" 0.48
# Cancer (6.2): P(cancer | +) = 0.0078 / (0.0078 + 0.0298)
answers 200 /compute/hypotheses -d '{"hypotheses": [
    {"name": "cancer", "prior": 0.008, "likelihood": [0.98]},
    {"name": "healthy", "prior": 0.992, "likelihood": [0.03]}], "evidence": ["+"]}'
near "posterior" "$(grep -o '"posterior": [0-9.]*' out | head -n 1 | cut -d' ' -f2)" 0.20851063829787234
answers 400 /compute/hypotheses -d '{"hypotheses": [{"name": "h", "prior": 0.4}]}'

# --- tables ---------------------------------------------------------------------------------------
answers 200 /compute/model -d "{\"table\": $(text census.csv), \"weight\": \"probability\",
    \"learner\": \"probabilities\", \"queries\": [\"P(wealth=rich | gender=female)\", \"P(\"]}"
credence convert census.csv --to joint -o census.model >/dev/null 2>&1
credence query --json census.model 'P(wealth=rich | gender=female)' >want
same "the question" "$(grep -F '"P(wealth=rich | gender=female)"' out | sed 's/[],]*$//')" "$(cat want)"
same "cells" "$(grep -c '"gender": .*"probability"' out)" 8
says out '"error": '
answers 200 /compute/model -d "{\"table\": $(text tax.csv), \"target\": \"evade\", \"work\": true,
    \"rows\": [{\"refund\": \"no\", \"marital\": \"married\", \"income\": 120}]}"
printf 'refund,marital,income\nno,married,120\n' >row.csv
credence train -m nb tax.csv -t evade -o tax.model >/dev/null 2>&1
credence explain --json --work tax.model row.csv | sed 's/^{"line": 2, //' >want
same "the blackboard" "$(grep '"work"' out | sed -E 's/^\{("line": [0-9]*, )?//; s/[],]*$//' |
    sed 's/"Line [0-9]*: /"Line 2: /; s/"heading": "[^"]*"//')" "$(sed 's/"heading": "[^"]*"//' want)"
# Means 0 and 2, variance 1, equal priors: the boundary is 1, p(mistake) = Phi(-1).
answers 200 /compute/model -d '{"table": "x,class\n-1,a\n1,a\n1,b\n3,b\n", "target": "class",
    "mistake": "x", "learner": "nb:variance-estimate=mle:variance-floor=0"}'
near "p(mistake)" "$(sed -n 's/^ *"mistake": \([0-9.]*\),/\1/p' out)" 0.15865525393145707 1e-12
says out '{"low": null, "high": 1, "decision": "a"}'
answers 400 /compute/model -d '{"table": "x,class\n-2,a\n0,b\n", "mistake": "y"}'
# Classes that are given by their Gaussians: the same numbers, and with scipy's quad for others.
answers 200 /compute/gaussians -d '{"classes": [{"name": "a", "mean": 0, "sd": 1, "prior": 0.5},
    {"name": "b", "mean": 2, "sd": 1, "prior": 0.5}], "points": 5}'
near "p(mistake)" "$(sed -n 's/^ *"mistake": \([0-9.]*\),/\1/p' out)" 0.15865525393145707 1e-12
answers 200 /compute/gaussians -d '{"classes": [{"name": "a", "mean": -1.5, "sd": 1, "prior": 0.5},
    {"name": "b", "mean": 1.5, "sd": 1.5, "prior": 0.5}], "low": -8, "high": 8, "points": 3}'
near "p(mistake)" "$(sed -n 's/^ *"mistake": \([0-9.]*\),/\1/p' out)" 0.1119083 1e-6
# Taking a for b costs 4 times as much: the boundary is where p(x, a) 4 = p(x, b), at 1 + ln(4)/2.
answers 200 /compute/gaussians -d '{"classes": [{"name": "a", "mean": 0, "sd": 1, "prior": 0.5},
    {"name": "b", "mean": 2, "sd": 1, "prior": 0.5}], "cost": "a->b=4"}'
near "the boundary" "$(sed -n 's/.*"low": null, "high": \([0-9.]*\),.*/\1/p' out)" 1.6931471805599454 1e-12
answers 400 /compute/gaussians -d '{"classes": [{"name": "a", "mean": 0, "sd": 0, "prior": 1}, {}]}'
answers 400 /compute/gaussians -d '{}'
# A network that comes with the question; Russell and Norvig, figure 14.2: P(b | j, m) = 0.284.
answers 200 /compute/model -d "{\"network\": \"$(awk '{ printf "%s\\n", $0 }' "$CREDENCE_SOURCE/examples/data/alarm.net")\",
    \"queries\": [\"P(B=b | J=j, M=m)\", \"dsep(B, E)\", \"dsep(B, E | A)\", \"P(\"]}"
near "P(b | j, m)" "$(grep -o '"probability": [0-9.e-]*' out | head -n 1 | cut -d' ' -f2)" 0.284171835364393 1e-12
says out '"separated": true'
says out '"separated": false, "path": ["B", "A", "E"]'
says out '"error": '
answers 400 /compute/model -d '{"network": "nonsense"}'
answers 400 /compute/model -d '{"table": ""}'
answers 400 /compute/model -d '{}'

answers 200 /compute/surface -d "{\"table\": $(text iris.csv), \"target\": \"species\", \"learners\":
    [\"nb\", \"tree\", \"version-space\"], \"x\": \"petal_length\", \"y\": \"petal_width\",
    \"low\": [1, 0], \"high\": [7, 2.5], \"columns\": 4, \"rows\": 3}"
same "surfaces" "$(grep -c '"learner"' out)" 3
same "points" "$(grep '"nb"' out | sed 's/.*"posterior": \[//; s/\].*//' | tr ',' '\n' | wc -l)" 36
answers 200 /compute/curve -d "{\"table\": $(text iris.csv), \"target\": \"species\", \"repeats\": 2}"
says out '"accuracy"'
answers 200 /compute/accounts -d "{\"table\": $(text iris.csv), \"target\": \"species\"}"
says out '"mdl"'

# --- networks: Burglary, Russell and Norvig: P(burglary | both call) = 0.284 ----------------------
answers 200 /models/alarm/network
says out '"parents"'
answers 409 /models/iris/network
answers 200 /models/alarm/network/beliefs -d '{"evidence": {"J": "j", "M": "m"}}'
near "belief" "$(grep '"B"' out | grep -o '"b": [0-9.]*' | cut -d' ' -f2)" 0.2841718353643929 1e-12
answers 200 /models/alarm/network/explanation -d '{"evidence": {"J": "j"}}'
says out '"states"'
answers 400 /models/alarm/network/beliefs -d '{"evidence": {"Job": "j"}}'
answers 400 /models/alarm/network/beliefs -d '{"evidence": {"J": "perhaps"}}'
stop
finish
