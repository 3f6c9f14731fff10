#!/usr/bin/env bash
# options.sh - options in every spelling, in any order, and messages about wrong ones.
. "$(dirname "$0")/lib.bash"
model=animals.model
expect 0 credence train -m nb "$data/animals.csv" --type name=ignore -o $model
credence predict $model "$data/animals.csv" >plain.csv

# --- spellings --------------------------------------------------------------------------------
expect 0 credence train -m nb --output=a.model --type=name=ignore "$data/animals.csv"
cmp -s a.model $model || fail "--output=FILE differs from -o FILE"
expect 0 credence train -m nb -oa.model --type name=ignore -- "$data/animals.csv"
cmp -s a.model $model || fail "-oFILE differs from -o FILE"
expect 0 credence train -m nb "$data/animals.csv" -qoa.model --type name=ignore
cmp -s a.model $model || fail "-qoFILE differs from -q -o FILE"
expect 0 credence predict --digits 3 -Pk $model "$data/animals.csv"
same "joined flags" "$(head -1 out)" \
    "name,birth,fly,water,legs,class,prediction,p(mammals),p(non-mammals)"
expect 0 credence predict $model "$data/animals.csv" --threads=2 --seed 7 --memory 1.5G -q
same "options after files" "$(cat out)" "$(cat plain.csv)"
cp "$data/animals.csv" ./-dash.csv
expect 0 credence predict $model -- -dash.csv
same "a file after --" "$(cat out)" "$(cat plain.csv)"
for size in 100000000 800M 800MB 0.5GiB 1g 1T; do
    expect 0 credence show --memory $size $model
done

# --- standard input ---------------------------------------------------------------------------
same "no file is standard input" "$(credence predict $model <"$data/animals.csv")" \
    "$(cat plain.csv)"
same "- is standard input" "$(credence predict $model - <"$data/animals.csv")" "$(cat plain.csv)"
if type -P script >/dev/null; then
    script -qec "'$CREDENCE_BIN' predict $model" /dev/null >typescript </dev/null
    says typescript "predict has no DATA to read"
fi

# --- mistakes: two lines on standard error, nothing on standard output, exit status 2 ---------
wrong() { # MESSAGE ARGUMENT...
    local message=$1
    shift
    expect 2 credence "$@"
    silent out
    says err "$message"
}
wrong "train has no option --targt" train --targt x
says err "did you mean --target?"
wrong "train has no option --proba" train --proba
says err "that is an option of credence predict"
# An option that several verbs have is told of all of them.
expect 2 credence test --as spam x
says err "that is an option of credence plot, learn, unlearn"
# A learner by the name that it has elsewhere; learners that are not trained are not offered.
expect 2 credence train -m NaiveBayes "$CREDENCE_SOURCE/examples/data/tax.csv"
says err "did you mean 'nb'?"
same "learners that are not trained" "$(grep -c network-given err)" 0
expect 2 credence train -m J48 "$CREDENCE_SOURCE/examples/data/tax.csv"
says err "did you mean 'tree'?"
expect 2 credence train -m network-given "$CREDENCE_SOURCE/examples/data/tax.csv"
says err "a network-given comes from a file"
# A letter is not like any other letter.
expect 2 credence train -p K=1 "$CREDENCE_SOURCE/examples/data/tax.csv"
same "a slip of one letter" "$(grep -c 'did you mean' err)" 0
expect 2 credence help nb
says err "credence help knobs nb"
wrong "train has no option -z" train -z
wrong "train has no option --zzz" train --zzz=1
says err "credence train --help"
wrong "--output needs a value" train --output
wrong "-o needs a value" train -o
wrong "--output needs a value, and -q is an option" train --output -q "$data/animals.csv"
says err "--output="
wrong "--beliefs needs a value, and -o is an option" plot network a.bif --beliefs -o x.png
wrong "--target needs a value, and --type=name=ignore is an option" \
    train "$data/animals.csv" -t --type=name=ignore
wrong "--output needs a value, and -qo is an option" train -o -qo "$data/animals.csv"
wrong "--at takes COLUMN=VALUE, not '-5'" plot surface $model --at -5
expect 0 credence train -m nb "$data/animals.csv" --type name=ignore --output=-q
cmp -s ./-q $model || fail "--output=-q is not a file of that name"
printf 'x,y\n-1,a\n--,b\n-,b\n2,a\n3,b\n' >dashes.csv
for missing in -1 -- -; do # negative numbers and dashes that are no option are values
    expect 0 credence train -m nb dashes.csv --missing $missing -o d.model
done
credence train -m nb "$data/animals.csv" --type name=ignore --output - >dash.model
cmp -s dash.model $model || fail "--output - is not standard output"
wrong "there is no file 'id,name'" predict --keep id,name $model "$data/animals.csv"
says err "--keep=id,name"
wrong "--json takes no value" show --json=1 $model
wrong "--json and --csv exclude each other" show --json --csv $model
wrong "--threads takes a whole number, not 'two'" show --threads two $model
wrong "--threads takes a whole number, not '-1'" show --threads -1 $model
wrong "--threads takes at most 4096" show --threads 100000 $model
wrong "--seed takes a whole number" show --seed 99999999999999999999 $model
wrong "--memory takes a size" show --memory lots $model
wrong "--memory takes a size" show --memory 5X $model
wrong "--color takes auto|always|never" show --color red $model
wrong "--delimiter takes one ASCII character" train -d ab
wrong "--type takes COLUMN=real|symbol|text|ignore" train --type name
wrong "--param takes KEY=VALUE" train -p smoothing
wrong "predict needs MODEL" predict
says err "usage: credence predict"
wrong "show does not know what to do with 'b'" show a b
wrong "merge needs MODEL MODEL..." merge a
wrong "--digits takes at most 15" predict --digits 99 $model
wrong "would overwrite the data" train -o "$data/animals.csv" "$data/animals.csv"
wrong "merge needs -o" merge $model $model
wrong "refit needs at least one -p" refit $model
wrong "the model has no feature 'watr'" show --feature watr $model
says err "did you mean 'water'?"
wrong "the model has no class 'mamals'" explain --against mamals $model "$data/animals.csv"
says err "did you mean 'mammals'?"

# The library's own names get a suggestion too.
wrong "smothing" train "$data/animals.csv" -p smothing=none
says err "smoothing"
wrong "nbb" train "$data/animals.csv" -m nbb
wrong "clas" train "$data/animals.csv" -t clas
says err "class"
wrong "nme" train "$data/animals.csv" --type nme=ignore
says err "name"
wrong "vector" train "$data/animals.csv" --type name=vector
wrong "cvs" train "$data/animals.csv" -f cvs
says err "csv"
# A negative number is not an option.
expect 0 credence estimate --csv --gaussian -1.5 2 -.5 0
cp out below.csv
expect 0 credence estimate --csv --gaussian -- -1.5 2 -.5 0
same "numbers below zero" "$(cat out)" "$(cat below.csv)"

# --- slips of new users: one line says what is wrong, one what would be right --------------------
slip() { # STATUS MESSAGE HINT ARGUMENT...
    local status=$1 message=$2 hint=$3
    shift 3
    expect "$status" credence "$@" </dev/null
    says err "$message"
    says err "$hint"
}
iris=$CREDENCE_SOURCE/examples/data/iris.csv
credence train -q -m nb "$iris" -o iris.model
slip 2 "train has no option --smoothing" "that is a knob: -p smoothing=VALUE" train --smoothing none "$iris"
slip 2 "train has no option --label" "did you mean --target?" train --label species "$iris"
slip 2 "predict has no option --threshold" "did you mean --cost?" predict --threshold 0.5 iris.model "$iris"
slip 2 "there is no learner 'svm': there are nb, " "credence help knobs" train -m svm "$iris"
slip 1 "cannot open gda" "learners are set apart by commas: -m nb,gda" compare "$iris" -m nb gda
for verb in "cv" "curve" "train -m nb"; do
    # shellcheck disable=SC2086
    slip 1 "iris.model: this is a model, not data to read rows from" "" $verb iris.model
done
for verb in learn unlearn; do
    # shellcheck disable=SC2086
    slip 2 "iris.csv" "" $verb "$iris" iris.model
done
slip 2 "is not a model" "the model comes first: credence learn iris.model" learn "$iris" iris.model
slip 0 "no question was asked" "'P(variable = value)'" query iris.model
slip 1 "there is nothing in it" "credence estimate heads=51 tails=49" estimate
slip 1 "empty" "name a file, or pipe the table in" hypotheses
slip 2 "has no decision and no utility" "by a query" decide "$CREDENCE_SOURCE/examples/data/lawn.bif"
finish
