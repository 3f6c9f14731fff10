#!/usr/bin/env bash
# query.sh - probabilities of expressions through the command line: the lectures' figures, the
# forms of the output, errors that point.
. "$(dirname "$0")/lib.bash"
examples=$CREDENCE_SOURCE/examples/data

# The answer to one query, with all its digits.
answer() { # MODEL QUERY
    credence query --csv "$1" "$2" | sed -n '2s/.*,//p'
}

# --- the lectures' tables ----------------------------------------------------------------------
expect 0 credence convert "$examples/abc.csv" --to joint -o abc.model
says out "a joint table of 3 variables, 8 of 8 cells above 0, sum 1"
near "P(A)" "$(answer abc.model 'P(A=1)')" 0.5
near "P(A | B)" "$(answer abc.model 'P(A=1 | B=1)')" 0.7
expect 0 credence query abc.model 'P(A | B)'
says out "1  0.7000"

expect 0 credence convert "$examples/census.csv" --to joint -o census.model
says out "sum 0.9999991"
while read -r want query; do
    near "$query" "$(answer census.model "$query")" "$want" 2.5e-3
done <<'FIGURES'
.4654 P(poor, male)
.7607 P(poor)
.612 P(male | poor)
.0885 P(rich | female, hours<=40.5)
.216 P(rich | female, hours>40.5)
.227 P(rich | male, hours<=40.5)
.441 P(rich | male, hours>40.5)
FIGURES
expect 0 credence query census.model 'P(rich | female, hours<=40.5)' 'argmax(wealth | male)'
same "answers for people" "$(cat out)" 'P(rich | female, hours<=40.5) = 0.0885
argmax(wealth | male) = poor  (0.6962)'

# --- naive Bayes: what predict says --------------------------------------------------------------
credence train -m nb -q "$data/tax.csv" --type id=ignore -o tax.model >/dev/null
printf 'refund,marital,income\nno,single,90\n' >row.csv
credence predict --proba tax.model row.csv >posterior.csv
near "the posterior of a row" \
    "$(answer tax.model "P(evade=yes | refund=no, marital=single, income=90)")" \
    "$(cell posterior.csv 'p(yes)' 1)"
expect 0 credence query tax.model 'P(evade | income>90, not married)' 'P(income<=100 | evade=yes)'
silent err

# --- forms ----------------------------------------------------------------------------------------
expect 0 credence query --json census.model 'P(poor)' 'P(wealth | male)' 'argmax(wealth)'
same "one object a line" "$(wc -l <out)" 3
says out '{"query": "P(poor)", "kind": "probability", "probability": 0.76071'
says out '"variable": "wealth", "distribution": {"poor": 0.69623'
says out '"kind": "argmax", "value": "poor"'
expect 0 credence query --json tax.model 'P(evade | income=90)'
says out '"log_density": '
expect 0 credence query --csv census.model 'P(wealth | male)' 'P(poor, male)'
same "head" "$(head -1 out)" query,value,probability
same "a query with a comma is quoted" "$(tail -1 out | cut -c1-16)" '"P(poor, male)",'
printf '# comment\n\nP(poor)\nP(rich)\n' >questions
credence query census.model <questions >out 2>err
same "from standard input" "$(cat out)" 'P(poor) = 0.7607
P(rich) = 0.2393'

# --- errors ---------------------------------------------------------------------------------------
expect 2 credence query census.model 'P(rich | gendr=male)'
same "the message, the place and the hint" "$(cat err)" "credence: there is no variable 'gendr'
  P(rich | gendr=male)
           ^
  hint: did you mean 'gender'?"
expect 2 credence query census.model 'P(poor' 'P(poor)'
same "the others are answered" "$(cat out)" 'P(poor) = 0.7607'
expect 1 credence query census.model 'P(poor | male, female)'
says err "the condition has probability zero"
expect 1 credence query nothing.model 'P(x)'
expect 2 credence query
printf 'the text,class\n"one two three, four",a\n"two three, five six",b\n' >text.csv
credence train -m nb -q text.csv --type 'the text=text' -o text.model >/dev/null
expect 2 credence query text.model "P('the text' = one)"
says err "is a text"
expect 0 credence query text.model 'P(class)'

# --- tables that are no distributions ------------------------------------------------------------
printf 'a,probability\nx,0.5\ny,0.4\n' >short.csv
expect 1 credence convert short.csv --to joint -o short.model
says err "short.csv: the probabilities sum to 0.9, not to 1"
[ ! -e short.model ] || fail "a refused table left a model"
printf 'a,probability\nx,1.5\ny,-0.5\n' >negative.csv
expect 1 credence convert negative.csv --to joint
says err "negative.csv:3:"
says err "negative"
printf 'a,probability\nx,0.5\ny,NaN\n' >nan.csv
expect 1 credence convert nan.csv --to joint
says err "nan.csv:3:"
printf 'a,probability\nx,0.5\ny,half\n' >word.csv
expect 1 credence convert word.csv --to joint
says err "word.csv:3:2: 'half'"
printf 'a,b,probability\nx,p,0.5\n,q,0.5\n' >gap.csv
expect 1 credence convert gap.csv --to joint
says err "gap.csv:3: 'a' has no value"
printf 'a,p\nx,0.5\ny,0.5\n' >other.csv
expect 2 credence convert other.csv --to joint
says err "'probability'"
expect 0 credence convert other.csv --to joint --probability p -o other.model
near "a named column" "$(answer other.model 'P(x)')" 0.5
expect 2 credence convert other.csv
says err "convert needs --to"

# --- and back ------------------------------------------------------------------------------------
printf 'face,odd,probability\n1,yes,0.25\n2,no,0.5\n3,yes,0.25\n4,no,0\n' >dice.csv
expect 0 credence convert dice.csv --to joint -o dice.model
near "numbers are words" "$(answer dice.model 'P(face > 1 | odd)')" 0.5
near "a value of probability 0 is one" "$(answer dice.model 'P(face=4)')" 0
expect 0 credence convert dice.model --to csv
same "the table again" "$(cat out)" 'face,odd,probability
1,yes,0.25
2,no,0.5
3,yes,0.25'
expect 0 credence convert dice.model --to csv -o again.csv
expect 0 credence convert again.csv --to joint -o again.model
near "the same answers" "$(answer again.model 'P(face=3 | odd)')" 0.5
expect 2 credence convert tax.model --to csv
says err "not a joint table"
finish
