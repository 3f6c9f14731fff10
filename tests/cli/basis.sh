#!/usr/bin/env bash
# basis.sh - products of columns: a model that computes them has the same figures, byte for byte, as
# one trained on a table that contains them; a regression has those of numpy.linalg.lstsq.
. "$(dirname "$0")/lib.bash"

# A ring, with some noise, and the same with the products written out.
awk 'BEGIN {print "x,y,class"; for (i = 0; i < 300; i++) {x = (i * 37 % 101) / 20 - 2.5
    y = (i * 53 % 97) / 19 - 2.5; printf "%.3f,%.3f,%s\n", x, y,
    (x * x + y * y < 3) != (i % 17 == 0) ? "in" : "out"}}' >ring.csv
awk -F, 'NR == 1 {print $0 ",a,b,c"; next} {printf "%s,%.17g,%.17g,%.17g\n", $0, $1 * $1, $2 * $2,
    $1 * $2}' ring.csv >hand.csv

for learner in logistic "logistic -p prior=laplace" "logistic -p lambda=auto" gda tree; do
    # shellcheck disable=SC2086
    expect 0 credence train -q -m $learner --basis polynomial:2,interactions -o basis.model ring.csv
    # shellcheck disable=SC2086
    expect 0 credence train -q -m $learner -t class -o hand.model hand.csv
    credence predict --proba basis.model ring.csv >basis.out
    credence predict --proba hand.model hand.csv >hand.out
    same "$learner: the answers" "$(cat basis.out)" "$(cat hand.out)"
done

# Every verb that learns supports them, and every verb that has a model computes them.
for how in "cv -m logistic -k 5 --json" "tune -m logistic -p lambda=1,10 -k 5 --csv" \
    "compare -m logistic,nb -k 5 --csv" "curve -m logistic --csv"; do
    # shellcheck disable=SC2086
    credence $how --basis 'x^2,y^2,x*y' ring.csv 2>/dev/null | grep -v '_s"\|ring\|seconds' >with
    # shellcheck disable=SC2086
    credence $how -t class hand.csv 2>/dev/null | grep -v '_s"\|hand\|seconds' >by_hand
    same "$how" "$(cut -d, -f1-4 with)" "$(cut -d, -f1-4 by_hand)"
done
expect 0 credence train -q -m logistic --basis polynomial:2 -o ring.model ring.csv
expect 0 credence show --json ring.model
says out '"x^2"'
expect 0 credence explain ring.model ring.csv
says out "y^2"
expect 0 credence plot surface ring.model ring.csv -o ring.svg
says ring.svg ">x<"
printf '{"x": 0, "y": 0}\n{"y": 2.4, "x": 0}\n' >two.jsonl
expect 0 credence predict ring.model two.jsonl
same "a JSON row" "$(tr '\n' ' ' <out)" "prediction in out "
printf 'x,y,x^2\n0,0,far\n' >own.csv
expect 0 credence predict ring.model own.csv
same "a file's own column of that name" "$(tail -1 out)" in

# Late fields, and a column that turns out not to be numeric, change the products.
printf '{"x": %s, "y": 1.5, "c": "a"}\n{"x": 2.5, "y": 2.5, "c": "b", "z": 3.5}\n' 1.5 >late.jsonl
expect 0 credence train -m nb -t c --basis interactions -o late.model late.jsonl
says out "y*z"

# A regression: 14 stopping distances by speed; numpy.linalg.lstsq on 1, v, v * v.
printf 'v,d\n4,2\n7,4\n8,16\n9,10\n10,18\n11,17\n12,24\n13,26\n14,36\n15,54\n17,40\n18,56\n20,48\n24,92\n' >d.csv
expect 0 credence train -q -m linear --basis 'v^2' -o d.model d.csv
expect 0 credence show --json d.model
near "noise" "$(grep -o '"noise": [0-9.]*' out | cut -d' ' -f2)" 7.842942901113605 1e-9
printf 'v\n16\n' >v.csv
expect 0 credence predict d.model v.csv
near "at 16" "$(tail -1 out)" 41.81338001278432 1e-9
# Its products are mergeable: from two halves, and after learning and unlearning.
sed -n '1p;2,8p' d.csv >d1.csv
sed -n '1p;9,$p' d.csv >d2.csv
for i in 1 2; do
    expect 0 credence train -q -m linear --basis 'v^2' -o d$i.model d$i.csv
done
expect 0 credence merge -q -o m.model d1.model d2.model
near "merged" "$(credence predict m.model v.csv | tail -1)" 41.81338001278432 1e-9
expect 0 credence learn -q d1.model d2.csv
near "learned" "$(credence predict d1.model v.csv | tail -1)" 41.81338001278432 1e-9

# A product is missing if a factor is.
printf 'x,y\n1,\n' >gap.csv
expect 0 credence explain ring.model gap.csv
same "x^2 and y^2" "$(awk '/\^2/ {print $1, $2}' out | sort | tr '\n' ' ')" "x^2 1 y^2 ? "

# Errors.
refuses() { # BASIS TEXT
    expect 2 credence train -m logistic --basis "$1" -o no.model ring.csv
    says err "$2"
}
refuses 'x*q' "the factor 'q', which is not a column"
refuses 'x*class' "it is the target"
refuses polynomial:1 "2 to 9"
refuses 'x' "a column 'x' already"
refuses 'x^9*y' "more than 9 factors"
sed 's/class/c/; s/in$/1.5/; s/out$/red/' ring.csv | awk -F, '{print $3 "," $1 "," $2}' >words.csv
expect 2 credence train -m linear --basis 'c*x' -o no.model words.csv
says err "it is not a number"
expect 2 credence train -m linear -t y --basis interactions -o no.model words.csv
says err "there is one"
awk 'BEGIN {for (i = 0; i < 70; i++) printf "a%d,", i; print "c"
    for (r = 0; r < 3; r++) {for (i = 0; i < 70; i++) printf "%d.5,", i * r; print r % 2 ? "p" : "q"}}' >wide.csv
expect 1 credence train -m logistic --basis interactions -o no.model wide.csv
says err "2415 products of columns; 2000 are the most"
expect 2 credence predict ring.model ring.csv --basis 'x^2'
says err "are the model's"
finish
