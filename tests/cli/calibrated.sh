#!/usr/bin/env bash
# calibrated.sh - models are calibrated by default, and stay calibrated.
. "$(dirname "$0")/lib.bash"
cp "$CREDENCE_SOURCE"/examples/data/*.csv .

# --- by default ---------------------------------------------------------------------------------
expect 0 credence train -m nb iris.csv -o iris.model
says out "Calibrated by temperature"
expect 0 credence show iris.model
says out "calibrated   by temperature"
expect 0 credence test iris.model iris.csv
says out "calibrated by temperature"
loss=$(credence test --json iris.model iris.csv | sed -n 's/^ *"log_loss": \(.*\),$/\1/p')
expect 0 credence explain --row 1 iris.model iris.csv
says out "calibrated    temperature"
# Where the classes are far apart the blackboard shows how much is left of 1, never 1 itself.
awk 'BEGIN { print "x,c"; for (i = 0; i < 60; i++) print i % 10 / 10 + 5 * (i % 2) "," (i % 2 ? "a" : "b") }' >far.csv
printf 'x\n-9\n0.5\n5.5\n14\n' >near.csv
for learner in nb logistic gda; do
    for method in temperature platt beta; do
        expect 0 credence train -q -m "$learner" --calibrate $method -t c far.csv -o far.model
        expect 0 credence explain --work far.model near.csv
        checks=$((checks + 1))
        if grep -E '^ .*P\([ab] \| row.*[=^] ?[01]$' out >exact; then
            fail "$learner by $method shows a certainty: $(head -1 exact)"
        fi
    done
done
expect 0 credence train -m nb --calibrate none iris.csv -o bare.model
bare=$(credence test --json bare.model iris.csv | sed -n 's/^ *"log_loss": \(.*\),$/\1/p')
checks=$((checks + 1))
awk -v a="$loss" -v b="$bare" 'BEGIN { exit !(a < b) }' || fail "calibrated $loss, bare $bare"

# One pass over a pipe, any number of threads: the same file.
credence train -q -m nb iris.csv --threads 1 -o one.model
credence train -q -m nb iris.csv --threads 5 -o five.model
expect 0 cmp iris.model one.model
expect 0 cmp one.model five.model
cat iris.csv | credence train -q -m nb -o pipe.model
expect 0 cmp iris.model pipe.model

# If calibration is skipped, train says why.
expect 0 credence train -m nb tax.csv -o tax.model
says out "Calibration: none, as there are fewer than 100 rows"
expect 0 credence train -m nb --json tax.csv -o tax.model
says out '"calibration_why": "there are fewer than 100 rows"'
expect 0 credence train -m nb --part 1/2 iris.csv -o part.model
says out "Calibration: none, as this is a part of the data; --calibrate auto does it"
expect 0 credence train -q -m nb --part 1/2 --calibrate auto iris.csv -o part.model
awk 'BEGIN { print "x,c"; for (i = 0; i < 150; i++) print i % 7 ",k" (i < 80 ? i : i - 40) }' >names.csv
expect 0 credence train -m nb names.csv -o names.model
says out "Calibration: none, as most classes have a single row"
credence train -q -m nb --calibrate none tax.csv -o same.model
expect 0 cmp tax.model same.model

# --- by rows that were learned ------------------------------------------------------------------
# The sum of parts, calibrated as one process would have: also where it looks at some chunks only.
awk 'BEGIN { x = 7; print "u,s,class"
    for (r = 0; r < 300000; r++) { x = x * 16807 % 2147483647
        printf "%.5f,symbol%d,class%d\n", x % 1000 / 300 + r % 2, x % 7 + r % 3 % 2, r % 2 } }' >long.csv
credence train -q -m nb -p real=gaussian long.csv -o whole.model
for k in 1 2; do
    credence train -q -m nb -p real=gaussian --calibrate none --part $k/2 long.csv -o part.$k
done
credence merge -q -o sum.model part.1 part.2
for threads in 1 3; do
    expect 0 credence calibrate --learned --threads $threads sum.model long.csv -o own.model
    says out "Calibrated by"
    expect 0 cmp whole.model own.model
done
for learner in nb tan tree; do
    credence train -q -m $learner --calibrate none iris.csv -o bare.model
    credence train -q -m $learner iris.csv -o whole.model
    expect 0 credence calibrate --learned bare.model iris.csv -o own.model
    expect 0 cmp whole.model own.model
done
expect 0 credence calibrate --learned sum.model --part 1/2 long.csv -o own.model
says out "Calibration: none, as this is a part of the data"
expect 0 credence calibrate --json --learned tax.model tax.csv -o own.model
says out '"calibration_why": "there are fewer than 100 rows"'
printf 'u,s,class\n1,other,class0\n2,other,class1\n' >new.csv
expect 0 credence calibrate --learned sum.model new.csv -o own.model
says out "Calibration: none, as its rows cannot be taken back one by one"
expect 2 credence calibrate --learned -m platt sum.model long.csv -o own.model
credence combine -q -o mix.model bare.model whole.model -p weights=equal
expect 1 credence calibrate --learned mix.model iris.csv -o own.model
says err "keeps no statistics"
rm -f long.csv

# --- learners that cannot take rows back --------------------------------------------------------
# Three classes with noise. Half of the rows are learned; the others have the honest log loss.
awk 'function uniform() { x = x * 16807 % 2147483647; return x / 2147483647 }
    BEGIN { x = 5; print "a,b,s,class"
        for (i = 0; i < 1200; i++) { k = int(uniform() * 3)
            printf "%.3f,%.3f,v%d,%s\n", uniform() * 3 + k, uniform() * 4 - k, uniform() * 30,
                substr("pqr", k + 1, 1) } }' >noise.csv
head -601 noise.csv >learned.csv
(head -1 noise.csv; tail -600 noise.csv) >unseen.csv
for learner in tree "logistic -p lambda=0.001" "logistic -p solver=sgd -p passes=20"; do
    # shellcheck disable=SC2086
    {
        expect 0 credence train -m $learner --threads 1 learned.csv -o own.model
        says out "Calibrated by"
        expect 0 credence train -q -m $learner --threads 3 learned.csv -o threads.model
        expect 0 credence train -q -m $learner --calibrate none learned.csv -o bare.model
    }
    expect 0 cmp own.model threads.model
    same "$learner is the same besides" "$(credence show --csv own.model)" \
        "$(credence show --csv bare.model)"
    expect 0 credence show own.model
    says out "calibrated   by"
    expect 0 credence explain --row 1 own.model unseen.csv
    says out "calibrated "
    own=$(credence test --json own.model unseen.csv | sed -n 's/^ *"log_loss": \(.*\),$/\1/p')
    bare=$(credence test --json bare.model unseen.csv | sed -n 's/^ *"log_loss": \(.*\),$/\1/p')
    checks=$((checks + 1))
    awk -v a="$own" -v b="$bare" 'BEGIN { exit !(a < b) }' || fail "$learner: $own, bare $bare"
    checks=$((checks + 1))
    awk -v a="$own" -v b="$(credence train --json -m $learner learned.csv -o own.model |
        sed -n 's/^ *"log_loss_after": \(.*\),$/\1/p')" \
        'BEGIN { exit !(a < b * 1.2 && a > b * 0.8) }' || fail "$learner: $own is not as promised"
done
# Numbers that say nothing are cut where the classes of few rows happen to part: a model that takes
# rows back keeps these cuts, and would seem to know them.
awk 'BEGIN { x = 11; for (k = 0; k < 300; k++) printf "n%d,", k; print "class"
    for (r = 0; r < 400; r++) {
        for (k = 0; k < 300; k++) { x = x * 16807 % 2147483647; printf "%d,", x % 1000 }
        x = x * 16807 % 2147483647; print (x % 2 ? "a" : "b") } }' >chance.csv
sed -n 1,121p chance.csv >few.csv
sed 2,121d chance.csv >others.csv
for learner in tan aode kdb; do
    expect 0 credence train -q -m $learner --threads 1 few.csv -o one.model
    expect 0 credence train -q -m $learner --threads 3 few.csv -o three.model
    expect 0 cmp one.model three.model
    expect 0 credence test --json one.model others.csv
    near "$learner knows nothing" "$(json log_loss out)" "$(awk 'BEGIN { print log(2) }')" 0.01
done
# The answers come from the search for lambda: the same for any threads, and the weights are those
# of a model that is not calibrated.
expect 0 credence train -q --json -m logistic --threads 1 learned.csv -o own.model
same "rows that were answered" "$(json calibration_rows out)" 600
credence train -q -m logistic --threads 3 learned.csv -o threads.model
expect 0 cmp own.model threads.model
credence train -q -m logistic --calibrate none learned.csv -o bare.model
same "weights" "$(credence show --csv own.model)" "$(credence show --csv bare.model)"
# It goes on learning, calibrated; a tree does not learn, and neither is merged.
credence train -q -m logistic -p lambda=0.001 learned.csv -o own.model
expect 0 credence learn own.model unseen.csv -o more.model
expect 0 credence show more.model
says out "calibrated   by"
expect 1 credence unlearn more.model unseen.csv -o less.model
says err "cannot forget"
expect 0 credence refit -p moderate=yes own.model -o turned.model
says err "the calibration is dropped"
credence train -q -m tree learned.csv -o own.model
expect 1 credence learn own.model unseen.csv -o more.model
says err "cannot learn more"
expect 0 credence refit -p m=2 own.model -o turned.model
says err "the calibration is dropped"
# cv judges them as train calibrates them.
for learner in tree logistic; do
    expect 0 credence cv -m $learner --json noise.csv
    calibrated=$(json log_loss out)
    expect 0 credence cv -m $learner:calibrate=none --json noise.csv
    checks=$((checks + 1))
    awk -v a="$calibrated" -v b="$(json log_loss out)" 'BEGIN { exit !(a < b + 0.005) }' ||
        fail "cv of $learner: $calibrated, bare $(json log_loss out)"
done

# --- studies ------------------------------------------------------------------------------------
figures() { grep -v '"seconds"\|"learner"' out; }
expect 0 credence cv -m nb:real=gaussian --json --calibrate none iris.csv
first=$(figures)
expect 0 credence cv -m nb:real=gaussian:calibrate=none --json iris.csv
same "calibrate=none is the bare learner" "$(figures)" "$first"
expect 0 credence cv -m nb:real=gaussian --json iris.csv
calibrated=$(json log_loss out)
checks=$((checks + 1))
[ "$calibrated" != "$(sed -n 's/^  "log_loss": \(.*\),$/\1/p' <<<"$first")" ] ||
    fail "cv -m nb is not calibrated"
# The uncalibrated figure is what cross-validation gave before calibration became the default
near "bare" "$(sed -n 's/^  "log_loss": \(.*\),$/\1/p' <<<"$first")" 0.14676706103870943 1e-9

# --- a large table in the order of its classes ---------------------------------------------------
# Numbers of two classes that overlap; the second column is a copy of the first: naive Bayes counts
# it twice, so the right temperature is 2.
awk 'function normal(  i, s) { for (i = s = 0; i < 12; i++) s += rand(); return s - 6 }
    BEGIN { srand(3); print "a,b,class"
        for (i = 0; i < 240000; i++) { k = i >= 120000; x = normal() + k; print x "," x "," (k ? "y" : "n") }
    }' >twice.csv
expect 0 credence train -m nb twice.csv -o twice.model
says out "Calibrated by"
same "rows that were answered" "$(grep -o 'on 8000 rows' out)" "on 8000 rows"
expect 0 credence test --json twice.model twice.csv
# Two Gaussians of variance 1, one apart: -E ln P(class | x) = 0.5817 by numerical integration
near "log loss" "$(json log_loss out)" 0.5817 0.01
credence train -q -m nb --calibrate none twice.csv -o bare.model
expect 0 credence test --json bare.model twice.csv
checks=$((checks + 1))
awk -v a="$(json log_loss out)" 'BEGIN { exit !(a > 0.62) }' || fail "bare: $(json log_loss out)"

# A tree of 240,000 rows: some thousands are answered, by one tree of the others.
expect 0 credence train --json -m tree twice.csv -o twice.model
same "rows that were answered" "$(json calibration_rows out)" 8000
# a tree is somewhat worse than the best there can be
near "log loss after" "$(json log_loss_after out)" 0.5817 0.07

# --- merge and refit ----------------------------------------------------------------------------
awk 'NR == 1 || NR % 2' twice.csv | head -3000 >odd.csv
awk 'NR == 1 || NR % 2 == 0' twice.csv | tail -3000 | sed '1i a,b,class' >even.csv
{ cat odd.csv; tail -n +2 even.csv; } >both.csv
awk 'NR == 1 || NR % 5 == 2' both.csv >p.csv
awk 'NR == 1 || NR % 5 == 3' both.csv >q.csv
credence train -q -m nb p.csv -o p.model
credence train -q -m nb q.csv -o q.model
expect 0 credence merge p.model q.model -o pq.model
silent err
expect 0 credence merge q.model p.model -o qp.model
expect 0 cmp pq.model qp.model
expect 0 credence show pq.model
says out "calibrated   by"
expect 0 credence refit pq.model -p variance=feature -o again.model
silent err
expect 0 cmp pq.model again.model
expect 0 credence refit pq.model -p variance=class-feature -o other.model
says err "the calibration is dropped"

# If one part has no calibration, that of the larger part stays.
head -40 q.csv >few.csv
tail -40 q.csv >>few.csv
credence train -q -m nb -p real=auto --calibrate none few.csv -o few.model
expect 0 credence merge p.model few.model -o kept.model
silent err
expect 0 credence merge few.model p.model -o kept2.model
expect 0 cmp kept.model kept2.model

# Fewer than 100 rows are Gaussian unasked, and so is their sum with any others.
expect 0 credence train -q -m nb few.csv -o moments.model
expect 0 credence merge p.model moments.model -o sum.model
says out "all at their defaults"
says err "the calibration is dropped"
expect 0 credence merge moments.model p.model -o sum2.model
expect 0 cmp sum.model sum2.model
cat p.csv >sum.csv
tail -n +2 few.csv >>sum.csv
expect 0 credence train -q -m nb -p real=gaussian --calibrate none sum.csv -o whole.model
expect 0 cmp sum.model whole.model

# Lessons and their undoing leave the file as it was, including the calibration.
expect 0 credence learn p.model few.csv -o more.model
expect 0 credence unlearn more.model few.csv -o less.model
expect 0 cmp p.model less.model

# Without calibration, merging is one pass.
for part in p q; do credence train -q -m nb --calibrate none $part.csv -o $part.model; done
{ cat p.csv; tail -n +2 q.csv; } >all.csv
credence train -q -m nb --calibrate none all.csv -o all.model
expect 0 credence merge p.model q.model -o sum.model
expect 0 cmp sum.model all.model
finish
