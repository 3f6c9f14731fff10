#!/usr/bin/env bash
# work.sh - explain --work writes the derivation of the lectures, word for word.
. "$(dirname "$0")/lib.bash"

expect 0 credence train "$data/animals.csv" --type name=ignore -p smoothing=none -o animals.model
printf 'birth,fly,water,legs\nyes,no,yes,no\n' >stranger.csv
expect 0 credence explain --work animals.model stranger.csv
cat >want <<'TEXT'
Line 2: birth=yes, fly=no, water=yes, legs=no

mammals
  P(mammals)                  = 7/20 = 0.35
  P(birth=yes | mammals)      = 6/7 = 0.8571
  P(fly=no | mammals)         = 6/7 = 0.8571
  P(water=yes | mammals)      = 2/7 = 0.2857
  P(legs=no | mammals)        = 2/7 = 0.2857
  P(row | mammals)            = 6/7 × 6/7 × 2/7 × 2/7 = 0.05998
  P(row | mammals) P(mammals) = 0.05998 × 0.35 = 0.02099

non-mammals
  P(non-mammals)                      = 13/20 = 0.65
  P(birth=yes | non-mammals)          = 1/13 = 0.07692
  P(fly=no | non-mammals)             = 10/13 = 0.7692
  P(water=yes | non-mammals)          = 3/13 = 0.2308
  P(legs=no | non-mammals)            = 4/13 = 0.3077
  P(row | non-mammals)                = 1/13 × 10/13 × 3/13 × 4/13 = 0.004202
  P(row | non-mammals) P(non-mammals) = 0.004202 × 0.65 = 0.002731

Together
  P(row) = 0.02099 + 0.002731 = 0.02372
  P(mammals | row)     = 0.02099 / 0.02372 = 0.8849
  P(non-mammals | row) = 0.002731 / 0.02372 = 0.1151

Decision: mammals, the most probable class, 88.49 %.
TEXT
diff want out || fail "the derivation of the animals"

# Smoothing is written out; so are the columns that were left out.
expect 0 credence refit animals.model -p smoothing=laplace -p prior=uniform
printf 'birth,fly,water,legs\nyes,perhaps,sometimes,\n' >stranger.csv
expect 0 credence explain --work animals.model stranger.csv
says out "P(mammals)                   = 1/2 = 0.5"
says out "P(birth=yes | mammals)       = (6 + 1)/(7 + 2) = 7/9 = 0.7778"
says out "P(water=sometimes | mammals) = (0 + 1)/(7 + 3) = 1/10 = 0.1"
says out "P(fly=perhaps | mammals)     left out: never seen"
says out "left out: missing"

# Densities, with the sample variance of the lecture.
expect 0 credence train "$data/tax.csv" --type id=ignore -p smoothing=none \
    -p variance=class-feature -p variance-estimate=unbiased -p variance-floor=0 -o tax.model
printf 'refund,marital,income\nno,married,120\n' >return.csv
expect 0 credence explain --work tax.model return.csv
says out "p(income=120 | no)      = exp(-(120 - 110)²/(2 × 2975))/√(2π × 2975) = 0.007192"
says out "p(income=120 | yes)      = exp(-(120 - 90)²/(2 × 25))/√(2π × 25) = 1.2152e-09"
says out "P(marital=married | yes) = 0/3 = 0"
says out "Decision: no, the most probable class, 100 %."
expect 0 credence refit tax.model -p gaussian=predictive
expect 0 credence explain --work tax.model return.csv
says out "degrees of freedom"
# Variances that naive Bayes pools by default are marked as pooled.
expect 0 credence train -m nb "$data/tax.csv" --type id=ignore -o pooled.model
expect 0 credence explain --work pooled.model return.csv
says out "Variances are pooled over the classes."
says out "= exp(-(120 - 110)²/(2 × "
expect 0 credence refit pooled.model -p variance=class-feature
expect 0 credence explain --work pooled.model return.csv
grep -q pooled out && fail "own variances are called pooled"

# Each learner has its own form: no weight of a logistic regression is taken for a probability.
expect 0 credence train "$data/animals.csv" --type name=ignore -m logistic -o lr.model
expect 0 credence explain --work --row 1 lr.model "$data/animals.csv"
says out "w0 "
says out "= 1/(1 + e^"
grep -q 'P(birth' out && fail "a weight is called a probability"
expect 0 credence train "$data/animals.csv" --type name=ignore -m tree -o tree.model
expect 0 credence explain --work --row 1 tree.model "$data/animals.csv"
says out "all rows"
says out "mammals 7, non-mammals 13"

# A calibration comes last, and its arithmetic is correct (tests/render computes every line again).
expect 0 credence train -m nb "$data/animals.csv" --type name=ignore --calibrate temperature -o cal.model
expect 0 credence explain --work --row 1 cal.model "$data/animals.csv"
says out "Calibration by temperature"
says out "calibrated P(mammals | row)"

# Costs decide as in predict, and are worked out.
printf 'birth,fly,water,legs\nno,no,yes,no\n' >doubt.csv
expect 0 credence train -m nb "$data/animals.csv" --type name=ignore -o nb.model
expect 0 credence predict --cost 'mammals->non-mammals=200' nb.model doubt.csv
grep -qx mammals out || fail "costs do not decide"
expect 0 credence explain --work --cost 'mammals->non-mammals=200' nb.model doubt.csv
says out "cost of non-mammals"
says out "Decision: mammals, the least expected cost"
expect 0 credence explain --cost 'mammals->non-mammals=200' nb.model doubt.csv
says out "It is expected to cost"
expect 0 credence explain --json --work --cost 'mammals->non-mammals=200' nb.model doubt.csv
says out '"prediction": "mammals"'
says out '"expected_cost": '
says out '"work": {"heading": "Line 2'

# Rows of a pipe are answered one by one: the second is sent after the first was answered.
mkfifo rows answers
credence explain --json nb.model - <rows >answers &
exec 3>rows 4<answers
printf '{"birth": "yes", "fly": "no", "water": "no", "legs": "yes"}\n' >&3
read -r -t 20 first <&4 || fail "the first row was not answered"
printf '{"birth": "no", "fly": "yes", "water": "no", "legs": "yes"}\n' >&3
read -r -t 20 second <&4 || fail "the second row was not answered"
exec 3>&- 4<&-
wait
case $first$second in *'"prediction": "mammals"'*'"prediction": "non-mammals"'*) ;;
    *) fail "answers through a pipe: $first $second" ;; esac

# Plain fractions of a text: the zeros are shown, and no class is chosen.
expect 0 credence train "$data/sports.csv" -p smoothing=none -o plain.model
printf 'text\nA very close game\n' >text.csv
expect 0 credence predict plain.model text.csv
grep -qx '?' out || fail "a text that no class can explain is decided"
expect 0 credence explain --work plain.model text.csv
says out "P(close | Sports)         = 0/11 = 0"
says out "P(game | Not sports)              = 0/9 = 0"
says out "P(row) = 0 + 0 = 0"
says out "Sports: the word 'close' is impossible"
expect 0 credence train "$data/sports.csv" -p alpha=0 -o plain.model
expect 0 credence predict plain.model text.csv
grep -qx '?' out || fail "a text that no class can explain is decided"
expect 2 credence train "$data/sports.csv" -p alpha=0 -p event=bernoulli -o plain.model

# Counterfactuals: a suggested value leads to the promised decision.
examples=$CREDENCE_SOURCE/examples/data
expect 0 credence train "$examples/tax.csv" -t evade -m nb -o tax.model
expect 0 credence explain --changes --json --row 3 tax.model "$examples/tax.csv"
to=$(sed -n 's/.*"changes": \[{"name": "income", "to": \([0-9.]*\), "prediction": "no".*/\1/p' out)
printf 'refund,marital,income\nno,single,%s\nno,single,%s\n' "$to" "$(awk "BEGIN { print $to - 0.5 }")" >near.csv
expect 0 credence predict tax.model near.csv
same "the decision at the change, and before it" "$(tr '\n' ' ' <out)" "prediction no yes "
expect 0 credence explain --json --row 3 --cost 'no->yes=4' tax.model "$examples/tax.csv"
says out '"threshold": {"class": "yes", "decide": 0.8, '
expect 2 credence explain --changes --csv tax.model "$examples/tax.csv"
says err "--changes has no form in CSV"
expect 0 credence train "$examples/houses.csv" -t price -m linear -o houses.model
expect 2 credence explain --changes houses.model "$examples/houses.csv"
says err "answers with numbers"
finish
