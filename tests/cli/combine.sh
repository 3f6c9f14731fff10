#!/usr/bin/env bash
# combine.sh - models that answer as one: the lectures' votes, weights, rules, what is refused.
. "$(dirname "$0")/lib.bash"

# A model of one column x with P(A | x = a) = $2/10 and P(A | x = b) = $3/10: so many rows of each,
# nothing smoothed.
hypothesis() { # NAME FIRST SECOND
    awk -v first="$2" -v second="$3" 'BEGIN {
        print "x,class"
        for (i = 0; i < 10; i++) print "a," (i < first ? "A" : "B")
        for (i = 0; i < 10; i++) print "b," (i < second ? "A" : "B")
    }' | credence train -q -f csv -p smoothing=none -o "$1"
}
printf 'x,class\nb,A\n' >seen.csv
printf 'x,class\na,A\n' >new.csv

# --- the lectures --------------------------------------------------------------------------------
# Likelihoods .6 .9 .7 and priors .3 .2 .5 make posteriors .2535 .2535 .4930; the votes for A are
# .3 .4 .9, so A has .441 / .71.
hypothesis h1 3 6
hypothesis h2 4 9
hypothesis h3 9 7
expect 0 credence combine -o mix h1 h2 h3 --data seen.csv -p prior=h1:.3,h2:.2,h3:.5
says out "mix: 3 models, weighed by 1 held-out row"
says out "h3      nb"
expect 0 credence show --csv mix
same "columns" "$(head -1 out)" member,learner,rows,prior,log_likelihood,accuracy,stacking,weight
near "P(h1 | D)" "$(cell out weight 1)" 0.253521126760563
near "P(h2 | D)" "$(cell out weight 2)" 0.253521126760563
near "P(h3 | D)" "$(cell out weight 3)" 0.492957746478873
expect 0 credence predict --proba mix new.csv
same "Bayes optimal" "$(cell out prediction 1)" A
near "P(A | D)" "$(cell out 'p(A)' 1)" 0.621126760563380

# Posteriors .4 .3 .3 and votes A B B: the most probable hypothesis says A, but B has .6.
hypothesis v1 10 5
hypothesis v2 0 5
hypothesis v3 0 5
expect 0 credence combine -q -o votes v1 v2 v3 --data seen.csv -p prior=v1:.4,v2:.3,v3:.3
expect 0 credence predict --proba votes new.csv
same "outvoted" "$(cell out prediction 1)" B
near "P(B | D)" "$(cell out 'p(B)' 1)" 0.6
expect 0 credence explain votes new.csv
says out "Line 2: B, 60 %, against A, 40 %"
says out "v1"
says out "0.3000"
expect 0 credence explain --json votes new.csv
says out '"members": [{"name": "v1", "weight": 0.'
expect 0 credence explain --csv votes new.csv
same "columns of shares" "$(head -1 out)" line,member,weight,drawn,class,probability
near "a weight" "$(cell out weight 1)" 0.4
same "a share" "$(sed -n 3p out | grep -c '^2,v1,0[.0-9]*,0,B,0$')" 1

# --- Gibbs ---------------------------------------------------------------------------------------
expect 0 credence refit -q votes -p rule=gibbs
awk 'BEGIN { print "x"; for (i = 0; i < 4000; i++) print "a" }' >many.csv
credence predict -q votes many.csv >one
credence predict -q --threads 3 votes many.csv >three
same "draws do not depend on threads" "$(cmp one three && echo same)" same
share=$(awk '$1 == "A" { n++ } END { print n / (NR - 1) }' one)
same "about .4 of the draws say A" "$(awk -v s="$share" 'BEGIN { print (s > .37 && s < .43) }')" 1
expect 0 credence refit -q votes -p seed=1 -o other
credence predict -q other many.csv >two
same "another seed, other draws" "$(cmp -s one two || echo other)" other
expect 0 credence explain votes new.csv
says out "drawn"
expect 0 credence combine -q --seed 1 -o seeded v1 v2 v3 --data seen.csv -p rule=gibbs \
    -p prior=v1:.4,v2:.3,v3:.3
credence predict -q seeded many.csv >three
same "--seed is the knob" "$(cmp two three && echo same)" same

# --- a model like any other ----------------------------------------------------------------------
expect 0 credence test --json mix seen.csv
near "accuracy" "$(json accuracy out)" 1
expect 0 credence show mix
says out "weighed      by 1 held-out row"
expect 0 credence show --json mix
says out '"members": ['
same "learner" "$(json learner out)" ensemble
expect 0 credence refit mix -p weights=equal -o equal
expect 0 credence predict --proba equal new.csv
near "equal weights" "$(cell out 'p(A)' 1)" 0.533333333333333
expect 0 credence refit mix -p weights=stacking -o stacked # the best of .6 .9 .7 alone
expect 0 credence predict --proba stacked new.csv
near "stacking" "$(cell out 'p(A)' 1)" 0.4 1e-6
expect 0 credence combine -q -o equal2 h1 h2 h3 -p weights=equal
expect 0 credence combine --json -o mix2 h1 h2 h3 --data - -p prior=h1:.3,h2:.2,h3:.5 <seen.csv
same "rows" "$(json rows out)" 1
same "from a pipe" "$(cmp mix mix2 && echo same)" same
printf 'x,class\nb,A\na,\nb,C\n' >gaps.csv
expect 0 credence combine -o gaps h1 h2 --data gaps.csv
says err "2 held-out rows without a class that the models know left out"

# --- what is refused -----------------------------------------------------------------------------
fault() { # STATUS MESSAGE ARGUMENT...
    local status=$1 message=$2
    shift 2
    expect "$status" credence combine -o none "$@"
    says err "$message"
    silent out
    [ ! -e none ] || fail "a file was written"
}
printf 'x,class\na,A\nb,B\na,C\n' | credence train -m nb -q -f csv -o third
printf 'x,kind\na,A\nb,B\n' | credence train -m nb -q -f csv -o kind
printf 'x,class\n1.5,A\n2.5,B\n' | credence train -m nb -q -f csv -o real
fault 1 "'third' has the class 'C', others do not" h1 third -p weights=equal
fault 1 "'h1' lacks the class 'C', which others have" third h1 -p weights=equal
fault 1 "'kind' predicts 'kind', others 'class'" h1 kind -p weights=equal
fault 1 "'x' is real in 'real', elsewhere it is symbol" h1 real -p weights=equal
fault 2 "'mix' is an ensemble itself" h1 mix -p weights=equal
fault 2 "weights=posterior needs held-out rows" h1 h2
says err "--data HELDOUT"
fault 2 "the priors sum to 1.1, not to 1" h1 h2 --data seen.csv -p prior=h1:.5,h2:.6
fault 2 "prior names the member 'h3'" h1 h2 --data seen.csv -p prior=h1:.5,h3:.5
fault 1 "every member holds some label of the held-out rows impossible" v2 v3 --data new.csv
fault 1 "cannot open absent" h1 absent --data seen.csv
fault 2 "combine needs MODEL MODEL..." h1 --data seen.csv
expect 2 credence combine h1 h2 --data seen.csv
says err "combine needs -o"
expect 1 credence learn mix seen.csv
says err "an ensemble keeps no statistics of its own"
expect 1 credence merge -o none mix mix2
says err "an ensemble keeps no statistics of its own"
expect 2 credence train -m ensemble seen.csv
says err "an ensemble is not trained on data"
# --- P(D | h) as accuracy -------------------------------------------------------------------------
# The weight is prior times accuracy, normalised; the accuracies are those of test.
cp "$CREDENCE_SOURCE"/examples/data/iris.csv .
awk 'NR == 1 || NR % 3 == 0' iris.csv >learn.csv
awk 'NR == 1 || NR % 3 == 1' iris.csv >judge.csv
credence train -q -m nb learn.csv -o nb.model
credence train -q -m nb learn.csv --type petal_length=ignore --type petal_width=ignore -o sepals.model
expect 0 credence combine -o accurate.model nb.model sepals.model --data judge.csv \
    -p weights=accuracy -p prior=nb.model:0.25,sepals.model:0.75 --json
for m in nb sepals; do
    credence test --json $m.model judge.csv | sed -n 's/^  "accuracy": \(.*\),$/\1/p' >$m.accuracy
done
want=$(awk 'NR == FNR { a = $1; next } { print 0.25 * a / (0.25 * a + 0.75 * $1) }' OFMT=%.17g nb.accuracy sepals.accuracy)
near "the weight" "$(grep '"nb.model"' out | sed 's/.*"weight": \([0-9.]*\).*/\1/')" "$want" 1e-12
near "the accuracy" "$(grep '"nb.model"' out | sed 's/.*"accuracy": \([0-9.]*\).*/\1/')" "$(cat nb.accuracy)" 1e-12
expect 0 credence refit accurate.model -p weights=posterior -o other.model
expect 0 credence refit other.model -p weights=accuracy -o back.model
same "there and back" "$(credence show --json back.model | grep '"weight"')" "$(credence show --json accurate.model | grep '"weight"')"
# --- rows that the members have learned ----------------------------------------------------------
# Six rows A and four B in ten folds: each is answered without itself, by the shares of the other nine.
printf 'x,class\na,A\na,A\na,A\na,A\na,A\na,A\na,B\na,B\na,B\na,B\n' >ten.csv
expect 0 credence train -q -m nb -p smoothing=none ten.csv -o ten
expect 0 credence train -q -m tree -p confidence=1 ten.csv -o again
expect 0 credence combine -o mix ten again --learned ten.csv
says out "mix: 2 models, weighed by 10 learned rows"
expect 0 credence show --csv mix
near "ln P(labels), taken back" "$(cell out log_likelihood 1)" "$(awk 'BEGIN { print 6 * log(5 / 9) + 4 * log(3 / 9) }')" 1e-4
expect 0 credence combine -q -o held ten again --data ten.csv
expect 0 credence show --csv held
near "ln P(labels), as learned" "$(cell out log_likelihood 1)" "$(awk 'BEGIN { print 6 * log(6 / 10) + 4 * log(4 / 10) }')" 1e-4
# A tree that has learned by heart loses what it would win with the rows it knows.
awk 'BEGIN { x = 5; print "u,v,class"; for (r = 0; r < 200; r++) {
    for (k = 0; k < 3; k++) { x = x * 16807 % 2147483647; d[k] = x % 1000 }
    print d[0] "," d[1] "," (d[2] < 150 ? (d[0] >= 500 ? "a" : "b") : (d[0] < 500 ? "a" : "b")) } }' >noisy.csv
expect 0 credence train -q -m tree -p confidence=1 -p min-rows=1 -p m=0 --calibrate none noisy.csv -o heart
expect 0 credence train -q -m nb -p real=bins:mdl --calibrate none noisy.csv -o careful
expect 0 credence combine -q -o mix heart careful --data noisy.csv -p weights=stacking
expect 0 credence show --csv mix
above() { # WHAT A B
    checks=$((checks + 1))
    awk -v a="$2" -v b="$3" 'BEGIN { exit !(a > b) }' || fail "$1: $2 is not above $3"
}
above "by what it knows" "$(cell out weight 1)" "$(cell out weight 2)"
for threads in 1 3; do
    expect 0 credence combine -q -o mix.$threads heart careful --learned noisy.csv -p weights=stacking --threads $threads
    expect 0 credence show --csv mix.$threads
    above "by cross-validation" "$(cell out weight 2)" 0.8
done
expect 0 cmp mix.1 mix.3
# Cuts of numbers that mean nothing were found with the rows: taken back, these would still be known.
awk 'BEGIN { x = 11; for (k = 0; k < 150; k++) printf "n%d,", k; print "class"; for (r = 0; r < 60; r++) {
    for (k = 0; k < 150; k++) { x = x * 16807 % 2147483647; printf "%d,", x % 1000 }
    x = x * 16807 % 2147483647; print (x % 2 ? "a" : "b") } }' >chance.csv
expect 0 credence train -q -m tan chance.csv -o cut
expect 0 credence train -q -m nb -p real=gaussian chance.csv -o careless
expect 0 credence combine -q -o mix cut careless --learned chance.csv
expect 0 credence show --csv mix
above "guessing, against chance" "$(awk 'BEGIN { print 60 * log(1 / 2) - 5 }')" "$(cell out log_likelihood 1)"
expect 1 credence combine -o mix ten ten --learned <(printf 'x,class\nb,A\nb,B\n')
expect 1 credence combine -o mix careful careful --learned <(printf 'u,v,class\n1,2,a\n1,3,a\n')
says err "would be removed than were learned"
expect 2 credence combine -o mix ten again --learned ten.csv --data ten.csv
expect 2 credence combine -o mix ten again
says err "--learned ROWS"

finish
