#!/usr/bin/env bash
# reports.sh - messages to people: notes, silence, grammar, figures in use.
. "$(dirname "$0")/lib.bash"
expect 0 credence train -m nb "$data/tax.csv" --type id=ignore -o tax.model
printf 'refund,marital,income,evade\nno,single,90,yes\n' >more.csv

# --- what a model knows is not asked again ----------------------------------------------------
for verb in predict test explain learn unlearn; do
    for option in "-t evade" "-w income" "--type income=symbol" "--target evade"; do
        # shellcheck disable=SC2086
        expect 2 credence $verb $option tax.model "$data/tax.csv"
        says err "$verb has no option"
        says err "the model's"
    done
    credence help $verb >out
    ! grep -qE -- '--(type|target|weight)' out || fail "help of $verb offers what it refuses"
done
cmp -s <(credence train -m nb "$data/tax.csv" --type id=ignore -o -) tax.model || fail "a model changed"

# Values that mean missing in training mean it in prediction, too.
printf 'a,c\nx,p\n-,p\ny,q\ny,q\n' >gaps.csv
credence train -m nb -q gaps.csv --missing - -o gaps.model
printf 'a\n-\n' >gap.csv
expect 0 credence explain gaps.model gap.csv
says out "Left out: a (missing)"
expect 0 credence explain gaps.model gap.csv --missing nothing
says out "Left out: a (never seen)"

# --- one class --------------------------------------------------------------------------------
printf 'a,c\n1,p\n2,p\n' >lonely.csv
expect 0 credence train -m nb lonely.csv -o lonely.model
says err "there is one class only: 'c' is 'p' in every row"
says out "1 class "
expect 0 credence explain lonely.model lonely.csv
says out "Line 2: p, 100 %, the only class"
expect 0 credence show lonely.model
says out "1 class of c, 1 feature"

# --- silence ----------------------------------------------------------------------------------
for verb in "train $data/tax.csv" "learn tax.model more.csv -o x.model" "merge tax.model tax.model" \
    "unlearn tax.model more.csv -o y.model" "refit tax.model -p alpha=2"; do
    # shellcheck disable=SC2086
    expect 0 credence $verb -q -o quiet.model
    silent out
    silent err
    # shellcheck disable=SC2086
    expect 0 credence $verb -q --json -o quiet.model
    says out '"fingerprint": '
done
for verb in "predict tax.model more.csv" "test tax.model more.csv" "show tax.model" \
    "explain tax.model more.csv"; do
    # shellcheck disable=SC2086
    expect 0 credence $verb -q
    [ -s out ] || fail "-q silenced the result of $verb"
done

# --- no time, no rate, where there is none worth telling --------------------------------------
expect 0 credence train -m nb "$data/tax.csv"
! grep -q "rows/s" out || fail "a rate from ten rows"
for verb in "refit tax.model -p alpha=1" "merge tax.model tax.model"; do
    # shellcheck disable=SC2086
    expect 0 credence $verb --json -o x.model
    ! grep -q seconds out || fail "seconds of $verb"
done
expect 0 credence learn tax.model more.csv --json -o x.model
says out '"seconds": '

# --- standard input ---------------------------------------------------------------------------
expect 1 credence train -m nb </dev/null
says err "standard input is empty"
says err "name DATA or pipe it in"
expect 1 credence predict tax.model < <(printf 'refund,marital,income\nno,single,lots\n')
says err "standard input:2:3: 'lots'"
! grep -q -- --type err || fail "a hint that predict refuses"

# --- a bad row: those before it are answered, notes come before what they explain --------------
printf 'refund,marital,income\nno,single,90\nno,single\n' >ragged.csv
expect 1 credence predict tax.model ragged.csv
same "the row before" "$(cat out)" "$(head -2 ragged.csv | credence predict tax.model)"
printf 'refund,marital,income\nno,single\n' >ragged.csv
expect 1 credence predict tax.model ragged.csv
same "the head" "$(cat out)" prediction
printf '1,2,x\n3,4,y\n5,6\n' >headless.csv
expect 1 credence train -m nb headless.csv
grep -q "note:" err && same "what comes last" "$(grep -n "headless.csv:3" err | cut -d : -f 1)" \
    "$(grep -vc hint: err)"

# --- show: figures in use ---------------------------------------------------------------------
expect 0 credence show --feature income tax.model
same "no empty line before" "$(head -c 6 out)" income
says out "sd in use"
# The sample's deviation: sqrt(2975) = 54.54, sqrt(25) = 5 (LECTURES: variances 2975 and 25).
says out "no        7   110  54.54"
credence refit -q tax.model -p variance=class-feature -p variance-estimate=unbiased \
    -p variance-floor=0 -o plain.model
credence show --feature income plain.model >out
says out "yes       3    90      5          5"
credence refit -q tax.model -p gaussian=predictive -o student.model
credence show --feature income student.model >out
says out "Student t"
says out "mean in use  scale in use  freedom"
expect 0 credence show --feature marital tax.model --class yes
same "one class" "$(sed -n 2p out)" "  value     count     yes"
expect 2 credence show --class yess tax.model
says err "did you mean 'yes'?"
printf 'a,b,w,c\n1,x,0.5,p\n2,y,1,q\n3,x,2,p\n' >weighted.csv
expect 0 credence train -m nb weighted.csv -w w -o weighted.model
says out "class  weight  P(class)"
expect 0 credence show weighted.model
says out "3 rows of weight 3.5"
says out "class  weight  P(class)"
says out "the symbol alone"
printf 'x,c\n1,a\n2,b\n' >numbers.csv
credence train -m nb -q numbers.csv -o numbers.model
credence show numbers.model >out
! grep -q combination out || fail "a table of symbols is compared where there are none"

# --- many classes, few features shown ---------------------------------------------------------
awk 'BEGIN { print "a,b,c"; for (i = 1; i <= 21; i++) for (k = 0; k < 2; k++)
    print i % 7 ",v" k ",class" i }' >many.csv
credence train -m nb -q many.csv --type a=symbol -o many.model
expect 0 credence show --top 1 many.model
says out "... and 1 smaller class"
says out "... and 1 more feature (--all shows them)"
same "classes are not features" "$(grep -cE '^class[0-9]+ ' out)" 20
expect 0 credence show --all many.model
same "all classes" "$(grep -cE '^class[0-9]+ ' out)" 21

# --- explain ----------------------------------------------------------------------------------
expect 0 credence explain --against yes tax.model more.csv
says out "(yes is the decision; no is the next most probable class.)"
expect 0 credence explain --against no tax.model more.csv
! grep -q "is the decision" out || fail "no is not the decision"
# The posterior of the derivation has as many nines as needed.
printf 'x,c\n0,a\n1,a\n9,b\n10,b\n' >far.csv
credence train -m nb -q far.csv -o far.model
printf 'x\n0\n' >near.csv
expect 0 credence explain --work far.model near.csv
! grep -q '>0' out || fail "a number that is not given"
same "nines" "$(grep -cE '^  P\(a \| row\) = .* = (0\.99999[0-9]+|1 - [0-9.]+e-[0-9]+)$' out)" 1
# Certain figures are aligned with the others.
expect 0 credence test many.model many.csv
same "figures out of line" \
    "$(grep -E '^class[0-9]+ ' out | grep -vcE '( +(0|[01]\.[0-9]{4})){3}$')" 0
finish
