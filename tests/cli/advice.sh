#!/usr/bin/env bash
# advice.sh - notes about rows whose figures would mislead: leaks, rare classes, rows that repeat.
. "$(dirname "$0")/lib.bash"

count() { # TEXT: how many notes say it
    grep -c -- "$1" err
}

# 300 rows: a number, a symbol, a random class; a column that equals the class except in one row.
awk 'BEGIN { srand(4); print "x,colour,paid,size,class"
    for (r = 0; r < 300; r++) { c = rand() < .5 ? "good" : "bad"
        printf "%.4f,%s,%s,%.4f,%s\n", rand(), rand() < .5 ? "red" : "blue",
            (c == "good") != (r == 7) ? "yes" : "no", rand(), c } }' >leak.csv
expect 0 credence train leak.csv -o leak.model
says err "column 'paid' alone determines the class of 99.67 % of the rows"
says err "--type paid=ignore leaves it out"
same "it is said once" "$(count 'alone determines')" 1
expect 0 credence train leak.csv --type paid=ignore -o honest.model
same "nothing else tells all" "$(count 'alone determines')" 0

# A number may leak it too: the class is its sign.
awk -F, 'NR == 1 { print "leak," $0; next } { print ($5 == "good" ? 1 : -1) * (1 + $1) "," $0 }' \
    leak.csv >number.csv
expect 0 credence cv -m nb number.csv --type paid=ignore
says err "column 'leak' alone determines the class of 100 % of the rows"

# Two rows of one class.
(cat leak.csv && printf '0.1,red,yes,0.2,odd\n0.3,red,no,0.7,odd\n') >rare.csv
expect 0 credence cv -m nb rare.csv --type paid=ignore
says err "1 of 3 classes has fewer than 5 rows ('odd')"
says err "--classes odd=other"
expect 0 credence cv -m nb rare.csv --type paid=ignore --classes odd=good
same "the note's advice mends it" "$(count 'fewer than 5 rows')" 0

# Where rows are not kept in memory, the statistics tell the same, once; of numbers that are not kept
# a bound, from means and variances.
awk -F, 'NR > 1 { $1 = ($5 == "bad" ? -1 : 1) * (10 + $1 + 0) }
    NR == 1 { $1 = "leak" } { print }' OFS=, rare.csv >gap.csv
for how in nb tan logistic "nb -p real=gaussian" gda; do
    # shellcheck disable=SC2086
    expect 0 credence train -m $how leak.csv -o leak.model
    says err "column 'paid' alone determines the class of 99.67 % of the rows"
    same "it is said once by $how" "$(count 'alone determines')" 1
    # shellcheck disable=SC2086
    expect 0 credence train -m $how leak.csv --type paid=ignore -o honest.model
    same "the cure is taken by $how" "$(count 'alone determines')" 0
    # shellcheck disable=SC2086
    expect 0 credence train -m $how rare.csv -o rare.model
    says err "1 of 3 classes has fewer than 5 rows ('odd')"
    same "that is said once by $how" "$(count 'fewer than 5 rows')" 1
done
awk -F, 'NR == 1 || $5 != "odd"' gap.csv >gap2.csv
expect 0 credence train -m nb -p real=gaussian gap2.csv --type paid=ignore -o gap.model
says err "column 'leak' alone determines the class of at least 99."
expect 0 credence train -m nb -p real=bins:mdl gap2.csv --type paid=ignore -o gap.model
says err "column 'leak' alone determines the class of 100 % of the rows"
expect 0 credence train -q -m nb leak.csv --calibrate none -o leak.model
expect 0 credence learn leak.model leak.csv
says err "column 'paid' alone determines the class of 99.67 % of the rows"
same "a lesson says it once" "$(count 'alone determines')" 1
sed -n '1,41p' leak.csv >few.csv
expect 0 credence learn leak.model few.csv
same "a few rows do not ask" "$(count 'alone determines')" 0
expect 0 credence train -q -m nb rare.csv --type paid=ignore --calibrate none -o rare.model
expect 0 credence store create rare.store rare.model
expect 0 credence learn rare.store leak.csv
says err "1 of 3 classes has fewer than 5 rows ('odd')"
same "a store says it once" "$(count 'fewer than 5 rows')" 1
# More rows than are looked at one by one.
awk 'NR == 1 || /,odd$/ { print; next } { row[NR] = $0 }
    END { for (i = 0; i < 80; i++) for (r in row) print row[r] }' rare.csv >long.csv
expect 0 credence cv -m nb long.csv
says err "1 of 3 classes has fewer than 5 rows ('odd')"
says err "column 'paid' alone determines the class of 99."

# The first 100 rows again; rows of three numeric columns do not repeat by chance.
awk -F, '{ print (NR == 1 ? "more," : NR * 7919 % 1000 / 1000 ",") $0 }' leak.csv >wide.csv
(cat wide.csv && sed -n '2,101p' wide.csv) >twice.csv
expect 0 credence cv -m nb twice.csv --type paid=ignore
says err "100 of 400 rows repeat an earlier one"
says err "--group COLUMN keeps"
expect 0 credence cv -m nb wide.csv --type paid=ignore
same "no note without a reason" "$(count note:)" 0
# --- two modes ------------------------------------------------------------------------------------
# Class b lies on both sides of class a: one Gaussian with a shared variance cannot tell them apart.
awk 'function uniform() { x = x * 16807 % 2147483647; return x / 2147483647 }
    function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()) }
    BEGIN { x = 7; print "x,y,class"
        for (i = 0; i < 400; i++)
            print (i % 2 ? (uniform() < 0.5 ? -4 : 4) + normal() : normal()) "," normal() "," \
                (i % 2 ? "b" : "a") }' >humps.csv
expect 0 credence train -m nb -p real=gaussian humps.csv -o humps.model
says err "'x' lies in two humps where the class is 'b', around -"
says err "-p real=kde or -p real=bins:mdl"
same "it is said once" "$(count 'two humps')" 1
for how in real=kde real=bins:mdl real=auto alpha=1; do
    expect 0 credence train -m nb -p $how humps.csv -o humps.model
    same "the cure is taken: $how" "$(count 'two humps')" 0
done
accuracy() { credence cv -q -m "$1" humps.csv --json | sed -n 's/^  "accuracy": \(.*\),$/\1/p'; }
same "and it cures" "$(awk -v a="$(accuracy nb:real=gaussian)" -v b="$(accuracy nb)" 'BEGIN { print (b > a + 0.3) }')" 1
for table in iris people houses tax students; do
    credence train -m nb "$CREDENCE_SOURCE/examples/data/$table.csv" >/dev/null 2>err
    same "no false word about $table" "$(count 'two humps')" 0
done
expect 0 credence train -q -m nb humps.csv -o humps.model
same "silence when asked for" "$(count 'two humps')" 0

# --- what is there or missing -----------------------------------------------------------------------
# A market basket: t is bought, ? is not. Milk is bought by 4 in 5 of class a and 1 in 5 of class b.
awk 'BEGIN { print "milk,bread,class"
    for (i = 0; i < 200; i++)
        print ((i % 2 == 0) == (i % 5 != 0) ? "t" : "?") "," (i % 3 ? "t" : "?") "," \
            (i % 2 ? "b" : "a") }' >basket.csv
for how in "train -m nb -o basket.model" "train -m logistic -o basket.model" "train -o basket.model" \
    "cv -m nb"; do
    # shellcheck disable=SC2086
    expect 0 credence $how basket.csv
    says err "column 'milk' is 't' or missing (and 1 more column likewise)"
    says err "--missing NA makes it a value"
    same "it is said once by $how" "$(count 'or missing')" 1
    # shellcheck disable=SC2086
    expect 0 credence $how basket.csv --missing NA
    same "the cure is taken by $how" "$(count 'or missing')" 0
done
expect 0 credence cv -m nb basket.csv --json
near "without the cure nothing is known" "$(json accuracy out)" 0.5 0.2
expect 0 credence cv -m nb basket.csv --missing NA --json
near "with it" "$(json accuracy out)" 0.8 1e-9

# --- rows that were learned -------------------------------------------------------------------------
iris=$CREDENCE_SOURCE/examples/data/iris.csv
awk 'NR == 1 || NR % 2' "$iris" >odd.csv
awk 'NR == 1 || NR % 2 == 0' "$iris" >even.csv
for learner in nb logistic tree gda auto; do
    expect 0 credence train -q -m $learner odd.csv -o odd.model
    expect 0 credence test odd.model odd.csv
    says err "the model has learned these rows"
    says err "--split 0.3"
    same "it is said once of $learner" "$(count 'has learned these')" 1
    expect 0 credence test odd.model even.csv
    same "other rows of as many are no reason for $learner" "$(count 'has learned these')" 0
done
# A part of the texts that were learned, and texts that were not: 12 of 60 words each, by chance.
awk 'BEGIN { srand(3); print "text,class"; for (i = 0; i < 60; i++) { t = ""
    for (k = 0; k < 12; k++) t = t " w" int(exp(6 * rand())); print t "," (i % 2 ? "a" : "b") } }' \
    >texts.csv
sed -n '1,41p' texts.csv >first.csv
sed -n '1p;20,35p' texts.csv >part.csv
sed -n '1p;42,61p' texts.csv >new.csv
expect 0 credence train -q -m nb --type text=text first.csv -o texts.model
expect 0 credence test texts.model part.csv
says err "the model has learned these rows"
expect 0 credence test texts.model new.csv
same "new texts" "$(count 'has learned')" 0
# Two thirds of the rows, which are more than were learned; the share is of the texts with five rare
# words or more.
expect 0 credence test texts.model texts.csv
share=$(sed -n 's/^.*learned about \([0-9]*\) %.*$/\1/p' err)
near "two thirds" "$share" 67 15
same "that is said once" "$(count 'has learned')" 1
# numbers one by one tell as well
awk 'BEGIN { srand(5); print "a,b,c,d,e,f,class"; for (i = 0; i < 400; i++) { t = ""
    for (k = 0; k < 6; k++) t = t (rand() + i % 2) ","; print t (i % 2 ? "a" : "b") } }' >reals.csv
sed -n '1,301p' reals.csv >first.csv
(head -n 1 reals.csv; sed -n '302,$p' reals.csv) >new.csv
(cat new.csv; sed -n '2,11p' reals.csv) >mixed.csv
expect 0 credence train -q -m nb first.csv -o reals.model
expect 0 credence test reals.model new.csv
same "new numbers" "$(count 'has learned')" 0
expect 0 credence test reals.model mixed.csv
says err "the model has learned about 9 % of these rows, judging by those with rare values: the others"
expect 0 credence test -q texts.model part.csv
silent err

# --- rows unlike those learned --------------------------------------------------------------------
# Numbers of two classes that overlap, and the same of the other class three times in ten.
awk 'BEGIN { srand(4); print "x,class"
    for (i = 0; i < 600; i++) printf "%.3f,%s\n", i % 2 + 1.3 * rand(), i % 2 ? "b" : "a" }' >early.csv
awk -F , 'BEGIN { srand(5); OFS = "," } NR > 1 && rand() < 0.3 { $2 = $2 == "a" ? "b" : "a" } { print }' \
    early.csv >late.csv
expect 0 credence train -q -m nb --calibrate temperature early.csv -o early.model
expect 0 credence test early.model late.csv
says err "unlike those it learned, perhaps later or of other origin"
same "it is said once" "$(count 'unlike those')" 1
same "it is calibrated" "$(count 'less sure')" 0
expect 0 credence train -q -m nb --calibrate none early.csv -o early.model
expect 0 credence test early.model late.csv
says err "or credence calibrate should make it less sure"
expect 0 credence test early.model early.csv
same "rows as expected" "$(count 'unlike those')" 0
finish
