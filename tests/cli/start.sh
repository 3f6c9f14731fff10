#!/usr/bin/env bash
# start.sh - train --start: the same weights in fewer steps, and invalid starts.
. "$(dirname "$0")/lib.bash"
data=$CREDENCE_SOURCE/examples/data

weights() { credence show --csv "$1"; }
steps() { sed -n 's/.*"iterations": \([0-9][0-9]*\).*/\1/p' "$1" | head -1; }

# Half of the flowers, then all of them: the maximum does not depend on the starting point.
awk 'NR == 1 || NR % 2 == 0' "$data/iris.csv" >half.csv
for knobs in "solver=lbfgs" "solver=newton" "solver=lbfgs standardise=no" "solver=lbfgs lambda=auto"; do
    params=()
    for knob in $knobs; do
        params+=(-p "$knob")
    done
    credence train -q -m logistic "${params[@]}" -o half.model half.csv
    # what starts at another model is not calibrated
    expect 0 credence train -m logistic --calibrate none "${params[@]}" -p epsilon=1e-10 \
        -o cold.model "$data/iris.csv" --json
    cold=$(steps out)
    expect 0 credence train -m logistic "${params[@]}" -p epsilon=1e-10 -o warm.model \
        --start cold.model "$data/iris.csv" --json
    says out '"start": "cold.model"'
    warm=$(steps out)
    [ "$warm" -lt "$cold" ] || fail "$knobs: $warm steps from the end, $cold from nothing"
    expect 0 credence train -m logistic "${params[@]}" -p epsilon=1e-10 -o warm.model \
        --start half.model "$data/iris.csv"
    says out "Start: the weights of half.model"
    paste -d, <(credence predict --proba cold.model "$data/iris.csv") \
        <(credence predict --proba warm.model "$data/iris.csv") |
        awk -F, 'NR > 1 {for (i = 2; i <= 4; i++) {d = $i - $(i + 4); if (d * d > 1e-12) exit 1}}' ||
        fail "$knobs: the posteriors depend on the start"
done

# Symbols and words unknown to the start begin at zero.
printf 'c,t,y\nred,good game,p\nblue,bad law,q\nred,game on,p\nblue,law law,q\n' >some.csv
(cat some.csv; printf 'green,new words,p\ngreen,bad words,q\n') >more.csv
credence train -q -m logistic --type t=text -o some.model some.csv
credence train -q -m logistic --type t=text -p epsilon=1e-10 -o cold.model more.csv
expect 0 credence train -q -m logistic --type t=text -p epsilon=1e-10 -o warm.model \
    --start some.model more.csv
for at in 2 3; do
    near "a posterior" "$(credence predict --proba warm.model more.csv | sed -n 6p | cut -d, -f$at)" \
        "$(credence predict --proba cold.model more.csv | sed -n 6p | cut -d, -f$at)" 1e-6
done

# Invalid starts.
credence train -m nb -q -o nb.model "$data/iris.csv"
credence train -q -m logistic -o l.model "$data/iris.csv"
expect 2 credence train -m nb --start l.model "$data/iris.csv"
says err "nothing to start"
expect 1 credence train -m logistic --start nb.model "$data/iris.csv"
says err "is of 'nb'"
expect 1 credence train -m logistic --start some.model "$data/iris.csv"
says err "other columns"
grep -v virginica "$data/iris.csv" >two.csv
expect 1 credence train -m logistic --start l.model two.csv
says err "classes"
expect 1 credence train -m logistic -p form=reference --start l.model "$data/iris.csv"
says err "form"
expect 2 credence train -m logistic --start l.model --calibrate auto "$data/iris.csv"
expect 1 credence train -m logistic --start nothing.model "$data/iris.csv"
expect 2 credence train -m nb -p calibrate=auto "$data/iris.csv"
says err "use --calibrate auto"
expect 0 credence train --help
says out "linear: linear regression of a number"
finish
