#!/usr/bin/env bash
# examples.sh - every example of every verb's help runs, one after another, on examples/data.
. "$(dirname "$0")/lib.bash"
cp "$CREDENCE_SOURCE"/examples/data/* .
mkdir bin
ln -s "$CREDENCE_BIN" bin/credence
export PATH=$PWD/bin:$PATH COLUMNS=80

# Tables that a reader of the help would have: hypotheses and coins, a table of probabilities,
# questions.
printf 'hypothesis,prior,likelihood\nh1,.3,.6\nh2,.2,.9\nh3,.5,.7\n' >table.csv
printf 'hypothesis,prior,heads,tails\nfair,.9,.5,.5\nbiased,.1,.8,.2\n' >coins.csv
cat >census.csv <<'END'
gender,hours,wealth,probability
female,<=40.5,poor,.253122
female,<=40.5,rich,.0245895
female,>40.5,poor,.0421768
female,>40.5,rich,.0116293
male,<=40.5,poor,.331313
male,<=40.5,rich,.0971295
male,>40.5,poor,.134106
male,>40.5,rich,.105933
END
credence convert census.csv --to joint -o census.model >/dev/null
echo 'P(species)' >questions.txt

# Rows to learn from and rows kept back, and models made of them.
awk 'NR == 1 || NR % 2 == 0' iris.csv >train.csv
awk 'NR % 2 == 1' iris.csv | tee test.csv >heldout.csv
cp train.csv data.csv
credence train -m nb -q train.csv -o a.model
credence train -q train.csv -p variance=class-feature -o b.model
credence train -q train.csv -p gaussian=predictive -o c.model

printf 'patient,x,ill\na,1,no\na,2,no\nb,3,yes\nb,4,no\nc,5,yes\nd,6,yes\n' >visits.csv
printf 'J,M\nj,m\nno_j,?\n' >calls.csv
cp test.csv later.csv
cp a.model sum.model
cp a.model one.model
cp b.model two.model
cp animals.csv car.csv
credence train -q -m tan --type name=ignore car.csv -o car.model
sed '3s/married/?/; 5s/95/?/' tax.csv | tee gaps.csv >new.csv
credence train -m nb -q --impute median gaps.csv -o filled.model
credence train -q -m linear houses.csv -o houses.model
credence train -m nb -q messages.csv -o spam.model
cp messages.csv this-week.csv
cp messages.csv today.csv
for i in 1 2 3 4 5 6; do
    mkdir -p news/trade news/sport
    echo "prices rose on market day $i" >news/trade/$i.txt
    echo "the home team won match $i" >news/sport/$i.txt
done
credence convert alarm.net -o alarm.bif >/dev/null
credence sample -q alarm.bif -n 500 --seed 1 -o few.csv
credence train -q -m network few.csv -o learned.model

# A pipe into a program that is not installed ends before that program.
available() { # COMMAND
    local command=$1 program
    for program in jq man; do
        type -P $program >/dev/null || command=${command%%" | $program "*}
    done
    printf '%s\n' "$command"
}

# Commands are indented by two columns; remarks begin with # or further right.
try() { # PAGE
    local command count=0
    while IFS= read -r command; do
        count=$((count + 1))
        expect 0 bash -c "$(available "${command#  }")"
        ! grep "^credence: " err | grep -qv "^credence: note: " ||
            fail "a complaint about: $command"
    done <examples
    [ "$count" -gt 0 ] || fail "$1 has no examples"
}

expect 0 credence help
sed -n '/^A first walk/,/^$/s/^  \(credence .*[a-z]\)   *[a-z].*$/  \1/p' out >examples
try "credence help"
credence help --list >verbs
while IFS= read -r verb; do
    credence train -q -m nb iris.csv -o iris.model # a learner that can be asked and converted
    credence help "$verb" | sed -n '/^Examples/,/^See also/p' | grep '^  [^ #]' |
        grep -v '^  credence help [a-z]*$' >examples
    [ "$verb" != help ] || echo "  credence help train" >>examples
    try "$verb"
done <verbs

# The files that an example claims to create exist.
for file in iris.model tax.model animals.model sports.model answers.csv more.model fair.model; do
    [ -s $file ] || fail "no example makes $file"
done
finish
