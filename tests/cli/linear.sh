#!/usr/bin/env bash
# linear.sh - linear regression at the command line: every verb that supports numbers, and the
# messages of those that do not. The small table is that of tests/learners/test_linear.c, where R's
# lm() has the weights; RMSE with one left out: sqrt(mean((residuals(m) / (1 - hatvalues(m)))^2)) of
# R 4.2.2.
. "$(dirname "$0")/lib.bash"
data=$CREDENCE_SOURCE/examples/data
houses=$data/houses.csv

# Trained, shown, predicted, tested.
expect 0 credence train -m linear -o h.model "$houses"
says out "4 weights and the intercept"
expect 0 credence show --json h.model
says out '"noise": 0.63678039568'
expect 0 credence predict --interval 90 h.model "$houses"
same "the columns" "$(head -1 out)" "prediction,low,high"
expect 0 credence test --json h.model "$houses"
near "R²" "$(json r2 out)" 0.996448072847034 1e-12
expect 0 credence test -q h.model "$houses" --plot t.svg
says t.svg "truth less predicted"

# Cross-validation: every answer, the figures of folds, leave one out.
expect 0 credence cv -m linear "$houses" -k 4 --json --out a.csv
same "way" "$(json way out)" subtracted
for key in rmse mae r2 bias log_density coverage width level unlabelled; do
    says out "\"$key\": "
done
same "the heads" "$(head -1 a.csv)" "row,repeat,fold,truth,prediction,low,high,log_density"
same "every row once" "$(tail -n +2 a.csv | cut -d, -f1 | sort -un | wc -l)" 12
expect 0 credence cv -m linear "$houses" --folds loo --json
near "RMSE with one left out" "$(json rmse out)" 0.832109603117264 1e-9
expect 0 credence cv -m linear "$houses" -k 3 -r 2
says out "2.3 "
expect 0 credence cv -m linear "$houses" -k 4 --csv
same "a line for each fold" "$(wc -l <out)" 5
expect 2 credence cv -m linear "$houses" --cost 1,1
says err "about classes"
expect 2 credence cv -m linear "$houses" --interval 100

# The answers of a fold are those of a model trained on the other folds.
fold=$(sed -n 2p a.csv | cut -d, -f3)
awk -F, -v fold="$fold" 'NR == FNR {if (FNR > 1 && $3 == fold) out[$1]; next}
    FNR == 1 || !(FNR in out)' a.csv "$houses" >others.csv
credence train -q -m linear -o others.model others.csv
credence predict others.model <(sed -n 1,2p "$houses") >one.csv
near "an answer" "$(sed -n 2p a.csv | cut -d, -f5)" "$(sed -n 2p one.csv)" 1e-9

# Tuning, with different measures and learners.
expect 0 credence tune -m linear "$houses" -k 4 -p lambda=0.01,100 --by rmse --json --nested -o b.model
says out '"rmse": {'
says out '"nested": {'
same "the best first" "$(grep -m1 -o 'lambda=[0-9.]*' out)" "lambda=0.01"
expect 0 credence test -q b.model "$houses"
expect 0 credence tune -m linear "$houses" -k 4 -p lambda=0.01,100
says out "log density"
expect 2 credence tune -m linear "$houses" -k 4 -p lambda=1,2 --by accuracy
says err "rmse"
expect 2 credence tune "$data/iris.csv" --by mae
says err "accuracy"

# Curves and comparisons.
expect 0 credence curve -m linear,linear:lambda=evidence "$houses" --sizes 7,8 --csv
same "the columns" "$(head -1 out)" \
    "learner,size,rmse,rmse_low,rmse_high,r2,log_density,log_density_low,log_density_high"
expect 1 credence curve -m linear "$houses" --sizes 3
says err "lambda=evidence"
expect 0 credence compare -m linear,linear:lambda=10 "$houses" -k 4 --json
says out '"rmse_against_best"'
says out '"sign_p"'
expect 0 credence compare -m linear,linear:lambda=10 "$houses" -k 4
says out "p(sign)"
expect 0 credence compare --curve -m linear,linear:lambda=1 "$houses" --sizes 8
says out "RMSE"
expect 0 credence compare -m linear "$houses" --criterion aic --json
near "AIC, as R has it" "$(json aic out)" 28.7546364537845 1e-10
expect 0 credence compare -m linear,nb "$houses" -k 4
says out "nb predicts a class, and linear a number"
expect 0 credence compare -m linear,nb "$houses" --criterion aic
says out "nb predicts a class, and linear a number"

# Explained: shares and the mean add up to the prediction.
expect 0 credence explain --csv h.model "$houses"
awk -F, 'NR > 1 {sum[$1] += $8; mean = $3; answer[$1] = $2}
    END {for (l in sum) {d = sum[l] + mean - answer[l]; if (d * d > 1e-20) exit 1}}' out ||
    fail "shares do not add up"
expect 0 credence explain --work --row 1 h.model "$houses"
says out "4.153 × (1.5 - 4.433)"
says out "0.6368 × √(1 + 1/12 + 0.2754) = 0.7423"
expect 0 credence explain --json --row 2 --interval 50 h.model "$houses"
says out '"level": 0.5'
printf 'size,age,colour\n,3,purple\n' >strange.csv
expect 0 credence explain h.model strange.csv
says out "stands for the mean"
expect 2 credence explain --against red h.model "$houses"

# Learned and unlearned; rows without the target are left out, with a note.
(head -3 "$houses"; printf '4,4,red,\n') >more.csv
expect 0 credence learn h.model more.csv -o more.model
says err "1 row without the target left out"
expect 0 credence unlearn more.model more.csv -o less.model
credence show --json less.model | grep -q '"rows": 12' || fail "unlearning is not learning back"

# Drift looks at features; there are no classes.
sed '1!s/^[0-9.]*/99/' "$houses" >far.csv
expect 0 credence drift h.model far.csv
says out "strong"
! grep -q "Shares of classes" out || fail "there are no classes"

# Options about classes are refused.
for kind in roc reliability confusion densities; do
    expect 2 credence plot $kind h.model "$houses" -o p.svg
    says err "no classes"
done
expect 0 credence report h.model "$houses" -o r.html
expect 2 credence calibrate h.model "$houses" -o c.model
says err "is a regression"
expect 2 credence train -m linear "$houses" --calibrate auto

# The diabetes data, if available: R's lm() by tests/reference/make_linear_reference.R.
people=${CREDENCE_DATA:-}/table/regression
if [ -r "$people/diabetes_target.csv.gz" ]; then
    {
        echo age,sex,bmi,bp,s1,s2,s3,s4,s5,s6,y
        paste -d, <(zcat "$people/diabetes_data_raw.csv.gz" | sed 's/  */,/g') \
            <(zcat "$people/diabetes_target.csv.gz")
    } >diabetes.csv
    expect 0 credence cv -m linear diabetes.csv --folds loo --json
    near "RMSE with one left out" "$(json rmse out)" 54.78825464458081 1e-10
    expect 0 credence compare -m linear diabetes.csv --criterion aic --json
    near "AIC" "$(json aic out)" 4795.985724247039 1e-11
else
    echo "linear.sh: the diabetes data are left out: CREDENCE_DATA is not set" >&2
fi

# Bad input.
printf 'a,b\n1,x\n2,y\n3,x\n' >words.csv
expect 1 credence train -m linear words.csv
expect 1 credence cv -m linear words.csv -k 2
printf 'a,b,c,y\n1,2,3,1\n2,3,5,2\n3,5,9,4\n' >few.csv
expect 1 credence train -m linear few.csv --type a=real --type b=real --type c=real
says err "lambda"
# --- weights of nothing, and too few rows -------------------------------------------------------
printf 'x,y,w\n1,2,0\n2,3,0\n3,5,0\n' >nothing.csv
for learner in linear 'network -p real=gaussian' gda; do
    expect 1 credence train -q -m $learner nothing.csv -t y --weight w
    says err "no row has a weight above 0"
    expect 1 credence cv -q -m $learner nothing.csv -t y --weight w -k 2
    says err "no row with a target has a weight above 0"
done
# A fold whose rows all have weight 0 has no figures, but the others have.
printf 'x,y,w\n1,2,1\n2,3,1\n3,5,0\n4,4,0\n5,6,1\n7,8,1\n9,9,1\n' >light.csv
for learner in linear 'network -p real=gaussian' nb; do
    # shellcheck disable=SC2086
    expect 0 credence cv -q -m $learner light.csv -t y --weight w -k 5
    same "the empty fold" "$(grep -c '^3 *0 *–' out)" 1
    # shellcheck disable=SC2086
    expect 0 credence cv -q --csv -m $learner light.csv -t y --weight w -k 5
    same "empty cells" "$(grep -c '^3,0,,,' out)" 1
done
printf 'x,y\n1,2\n' >one.csv
expect 1 credence train -q -m linear one.csv -t y
same "nothing but the message" "$(wc -l <err | tr -d ' ')" 2
printf 'x,y\n1,2\n2,3\n3,5\n4,4\n5,6\n6,7\n' >six.csv
expect 0 credence curve -q -m linear six.csv -t y

# --- numbers at the end of what a double holds: the root of 1e600 is 1e300, but 2e308 is none -------
credence train -q -m linear six.csv -t y -o six.model
printf 'x\n3\n1e300\n' >far.csv
expect 0 credence predict --interval 95 six.model far.csv
! grep -qE 'inf|nan' out || fail "a number that is none: $(cat out)"
printf 'x\n3\n1.7e308\n' >farther.csv
expect 0 credence predict --interval 99.9999 six.model farther.csv
! grep -qE 'inf|nan' out || fail "a number that is none: $(cat out)"
awk 'BEGIN { print "x,y"; for (i = 1; i <= 6; i++) print i "," 3 * i + (i % 2) }' >steep.csv
credence train -q -m linear steep.csv -t y -o steep.model
for verb in predict explain 'predict --json'; do
    # shellcheck disable=SC2086
    expect 1 credence $verb steep.model farther.csv
    says err "farther.csv:3: the numbers of this row are too large to calculate with"
done
# --- lessons taken back -----------------------------------------------------------------------------
# Whatever the column: of z only the lesson has a number.
awk 'BEGIN { srand(2); print "x,y,z,w,c"; for (i = 0; i < 200; i++) { k = rand() < .4
    printf "%.3f,%.3f,,%.3f,%s\n", k + rand(), 2 * k + rand(), rand() * k, k ? "a" : "b" } }' >before.csv
printf 'x,y,z,w,c\n0.3,0.7,12.1,0.11,a\n1e3,,-0.37,0.1,b\n' >lesson.csv
for how in "gda -t c --type z=real" "linear -t w --type z=ignore" "network -p real=gaussian --type z=ignore"; do
    # shellcheck disable=SC2086
    expect 0 credence train -q -m $how before.csv --calibrate none -o lesson.model
    cp lesson.model before.model
    expect 0 credence learn lesson.model lesson.csv
    expect 1 cmp -s lesson.model before.model
    expect 0 credence show lesson.model
    expect 0 credence unlearn lesson.model lesson.csv
    expect 0 cmp lesson.model before.model
done
finish
