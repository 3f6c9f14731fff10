#!/usr/bin/env bash
# decide.sh - costs, rejection and other priors: --cost, --reject, --priors of predict and test.
. "$(dirname "$0")/lib.bash"

# --- a model whose posteriors are fractions ------------------------------------------------------
# Nothing is smoothed, and both classes have 20 rows: P(spam | a) = 9/10, P(spam | b) = 6/10,
# P(spam | c) = 0, P(spam | d) = 5/10; no row has the value e.
{
    echo x,class
    for i in 1 2 3 4 5 6 7 8 9; do echo a,spam; done
    echo a,ham
    for i in 1 2 3 4 5 6; do echo b,spam; done
    for i in 1 2 3 4; do echo b,ham; done
    for i in 1 2 3 4 5 6 7 8 9 10; do echo c,ham; done
    for i in 1 2 3 4 5; do echo d,spam; done
    for i in 1 2 3 4 5; do echo d,ham; done
} >mail.csv
expect 0 credence train -q mail.csv -p smoothing=none -p unseen=smooth -o mail.model
printf 'x\na\nb\nc\ne\n' >new.csv

# --- predict -------------------------------------------------------------------------------------
expect 0 credence predict mail.model new.csv
same "the most probable class" "$(tail -n +2 out | tr '\n' ' ')" "spam spam ham ? "
says err "1 of 4 rows undecided, the first on line 5"

# Ham taken for spam costs 20: spam needs more than 20/21, and neither .9 nor .6 is enough.
expect 0 credence predict -q mail.model new.csv --cost 'spam->ham=1, ham->spam=20'
same "the cheapest class" "$(tail -n +2 out | tr '\n' ' ')" "ham ham ham ? "
# At 9 it is a tie for a, which the first class wins: ham.
expect 0 credence predict -q mail.model new.csv -c 'ham->spam=9'
same "a tie" "$(sed -n 2p out)" ham
expect 0 credence predict -q mail.model new.csv -c 'ham->spam=8'
same "no tie" "$(sed -n 2p out)" spam

# Rejecting costs .3: .1 is less, .4 is more.
expect 0 credence predict mail.model new.csv --reject 0.3
same "rejected and impossible" "$(tr '\n' ' ' <out)" \
    "prediction,reason spam, ?,rejected ham, ?,impossible "
says err "1 of 4 rows rejected: any decision is expected to cost more"
says err "1 of 4 rows undecided, the first on line 5"
expect 0 credence predict -q mail.model new.csv --reject 0.3 --proba
same "columns" "$(head -1 out)" "prediction,reason,p(ham),p(spam)"
near "posterior of what is rejected" "$(cell out 'p(spam)' 2)" 0.6
same "posterior of the impossible" "$(sed -n 5p out)" "?,impossible,,"
expect 0 credence predict -q --json mail.model new.csv --reject 0.3
near "expected cost of a decision" \
    "$(sed -n '1s/.*"expected_cost": \([^,}]*\).*/\1/p' out)" 0.1
rejected='^{"prediction": null, "posterior": {.*}, "expected_cost": 0.3, "reason": "rejected"}$'
same "a rejected row" "$(sed -n 2p out | grep -c "$rejected")" 1
impossible="every class gives this row probability zero"
same "an impossible row" "$(sed -n 4p out)" \
    '{"prediction": null, "posterior": null, "reason": "'"$impossible"'"}'
expect 0 credence predict -q --json mail.model new.csv
same "no cost without a rule" "$(grep -c expected_cost out)" 0

# The model's priors are 20/40 each. Where spam is 1 in 10, odds of 9 : 1 become 1 : 1.
expect 0 credence predict -q --proba mail.model new.csv --priors ham:0.9,spam:0.1
near "posterior under other priors" "$(cell out 'p(spam)' 1)" 0.5
expect 0 credence refit -q mail.model -p prior=ham:0.9,spam:0.1 -o other.model
credence predict -q --proba --digits 12 other.model new.csv >refitted
credence predict -q --proba --digits 12 mail.model new.csv --priors ham:0.9,spam:0.1 >ruled
same "a refitted model says the same" "$(cmp refitted ruled && echo same)" same

# --- test ----------------------------------------------------------------------------------------
# a: 9 right, 1 wrong; b and d rejected, 10 each, a decision would cost .4 or .5; c: 10 right.
expect 0 credence test -q --json mail.model mail.csv --reject 0.3
near "cost" "$(json cost out)" 0.175 # (1 · 1 + 20 · .3) / 40
near "expected cost" "$(json expected_cost out)" 0.175
near "rejected" "$(json rejected out)" 20
near "coverage" "$(json coverage out)" 0.5
near "accuracy on the decided" "$(json decided_accuracy out)" 0.95
near "p(mistake) by the labels" "$(json mistakes out)" 0.025
near "p(mistake) by the posteriors" "$(json expected_mistakes out)" 0.025
near "p(correct) by the posteriors" "$(json expected_correct out)" 0.475
says out '"threshold": {"decide": 0.5, "low": 0.3, "high": 0.7}'
expect 0 credence test -q mail.model mail.csv -c 'ham->spam=20'
says out "By the costs spam is decided where P(spam) is above 0.9524."
says out "would have cost least: 0.5 a row" # all ham: 20 spam of 40
says out "the posteriors expect"
expect 0 credence test -q mail.model mail.csv -c 'ham->spam=20' --reject 0.5
says out "By the costs nothing is decided where P(spam) is between 0.5 and 0.975."
expect 0 credence test -q --json mail.model mail.csv
near "mistakes without a rule" "$(json mistakes out)" 0.25 # 1 of a, 4 of b, 5 of d
same "no cost without a rule" "$(json cost out)" ""
expect 0 credence test -q mail.model mail.csv
same "no block without a rule" "$(grep -c Decisions out)" 0

# --- a table of costs ----------------------------------------------------------------------------
printf 'true,ham,spam\nham,0,20\nspam,1,0\n' >costs.csv
credence predict -q mail.model new.csv -c costs.csv >file
credence predict -q mail.model new.csv -c 'ham->spam=20' >text
same "a file says the same as a text" "$(cmp file text && echo same)" same

# --- what is refused -----------------------------------------------------------------------------
fault() { # STATUS MESSAGE OPTION...
    local status=$1 message=$2
    shift 2
    expect "$status" credence predict mail.model new.csv "$@"
    says err "$message"
    silent out
}
fault 2 "the model has no class 'hum'" -c 'hum->spam=1'
says err "did you mean 'ham'?"
fault 2 "a cost is -1; it must be at least 0" -c 'ham->spam=-1'
fault 2 "the costs have 'nan' where a cost" -c 'ham->spam=nan'
fault 2 "the costs have 'spam' where a class and = should be" -c 'spam->ham=1,ham->spam'
fault 2 "--reject takes a cost, a number of at least 0, not '-0.5'" --reject -0.5
fault 2 "--reject takes a cost" --reject nan
fault 2 "--reject takes a cost" --reject cheap
fault 2 "the priors sum to 1.1, not to 1" --priors ham:.5,spam:.6
fault 2 "the priors leave out the class 'spam'" --priors ham:1
fault 2 "the model has no class 'spa'" --priors ham:.5,spa:.5
fault 2 "the prior of 'ham' is 1.5" --priors ham:1.5,spam:-.5
fault 1 "cannot open absent.csv" -c absent.csv
printf 'true,ham,spam\nham,0,-20\n' >bad.csv
fault 1 "bad.csv:2:3: column 'spam' has '-20'" -c bad.csv
printf 'true,ham,spum\nham,0,20\n' >bad.csv
fault 1 "bad.csv:1:3: the model has no class 'spum'" -c bad.csv
says err "did you mean 'spam'?"
finish
