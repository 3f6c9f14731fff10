#!/usr/bin/env bash
# usual.sh - settings that a learner gets unasked: the density of each number and the event model of
# texts in naive Bayes, the strength of the prior in logistic regression.
. "$(dirname "$0")/lib.bash"
data=$CREDENCE_SOURCE/examples/data
# Two classes; x of class b lies on both sides of class a.
rows() { # ROWS SEED
    awk -v n="$1" -v x="$2" 'function uniform() { x = x * 16807 % 2147483647; return x / 2147483647 }
        function normal() { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()) }
        BEGIN { for (i = 0; i < n; i++)
            printf "%.4f,%.4f,%s\n", i % 2 ? (uniform() < 0.5 ? -4 : 4) + normal() : normal(),
                normal(), i % 2 ? "b" : "a" }'
}
table() { (echo x,y,class; cat "$@"); }
rows 240 7 >first
rows 300 8 >second
table first >first.csv
table second >second.csv
table first second >both.csv
table second first >turned.csv
train() { credence train -q -m nb --calibrate none "$@" >/dev/null; }
knobs() { credence show --json "$1" | sed -n 's/^.*"real": "\([a-z:]*\)".*$/\1/p'; }

# --- who gets it ----------------------------------------------------------------------------------
expect 0 credence train -m nb both.csv -o both.model
says out "Knobs: real=auto"
same "it is chosen" "$(knobs both.model)" auto
for given in real=gaussian variance=feature variance-floor=1e-9 gaussian=plugin; do
    train -p $given both.csv -o given.model
    same "$given has chosen" "$(knobs given.model)" gaussian
done
train -p alpha=2 both.csv -o given.model
same "alpha is about something else" "$(knobs given.model)" auto
head -n 100 both.csv >few.csv # 99 rows
head -n 101 both.csv >enough.csv
train few.csv -o few.model
train enough.csv -o enough.model
same "99 rows" "$(knobs few.model)" gaussian
same "100 rows" "$(knobs enough.model)" auto
train --part 1/2 both.csv -o part.model
same "a part" "$(knobs part.model)" gaussian
expect 0 credence train -q -m nb both.csv --store live
expect 0 credence show live
same "a store" "$(grep -c real=auto out)" 0

# --- exactness ------------------------------------------------------------------------------------
train both.csv -o both.model
train -p real=auto both.csv -o asked.model
expect 0 cmp both.model asked.model
train --threads 1 turned.csv -o turned.model
expect 0 cmp both.model turned.model
train - <both.csv -o piped.model
expect 0 cmp both.model piped.model
train first.csv -o first.model
train second.csv -o second.model
expect 0 credence merge -q first.model second.model -o merged.model
expect 0 cmp both.model merged.model
expect 0 credence learn -q first.model second.csv -o learned.model
expect 0 cmp both.model learned.model
expect 0 credence unlearn -q learned.model second.csv -o back.model
expect 0 cmp first.model back.model

# --- many rows ------------------------------------------------------------------------------------
rows 100001 9 | cut -d , -f 1,3 >many
(echo x,class; cat many) >beyond.csv
(echo x,class; head -n 100000 many) >most.csv
train most.csv -o most.model
same "100,000 rows" "$(knobs most.model)" auto
for threads in 1 3; do
    expect 0 credence train -m nb --calibrate none beyond.csv --threads $threads -o beyond.model
    says err "numbers are taken as Gaussian"
    says err "-p real=auto"
    same "100,001 rows" "$(knobs beyond.model)" gaussian
    train -p real=gaussian beyond.csv -o asked.model
    expect 0 cmp beyond.model asked.model
done

# --- studies --------------------------------------------------------------------------------------
figures() { grep -v '"seconds"\|"learner"' out; }
expect 0 credence cv -m nb --json both.csv
first=$(figures)
expect 0 credence cv -m nb:real=auto --json both.csv
same "cv judges what train makes" "$(figures)" "$first"
expect 0 credence cv -m nb --csv "$data/iris.csv"
mean=$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "log_loss") at = i }
    $1 ~ /^[0-9]+$/ { sum += $at; n++ } END { printf "%.9g", sum / n }' out)
# tune judges its settings by the same calibrated answers as cv; its figure is the mean of the folds
expect 0 credence tune -m nb -p alpha=1 --csv "$data/iris.csv" -o tuned.model
near "tune" "$(awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i ~ /^log_loss(_mean)?$/) at = i }
    NR == 2 { print $at }' out)" "$mean" 1e-6
expect 0 credence show tuned.model
says out "calibrated   by"
expect 0 credence tune -m nb -p alpha=1,2 --calibrate none "$data/iris.csv" -o tuned.model
expect 0 credence show tuned.model
same "bare" "$(grep -c 'calibrated   by' out)" 0
expect 0 credence report -m nb both.csv -o page.html

# --- texts ----------------------------------------------------------------------------------------
# Letters repeat in the posts of class a, which says nothing when words are counted once.
texts() { # ROWS SEED
    awk -v n="$1" -v x="$2" 'function below(k) { x = x * 16807 % 2147483647; return x % k }
        BEGIN { print "number,t,class"; for (i = 0; i < n; i++) {
            line = "start"; c = below(2)
            for (k = below(70); k >= 0; k--) line = line " " (below(3) ? "w" below(200) : (c ? "x" : "y") "z" c below(30))
            printf "%d.%d,%s,%s\n", c * 2 + below(4), below(10), line, c ? "b" : "a" } }'
}
three="-p event=boolean -p text-alpha=auto -p text-length=50"
form() { credence show --json "$1" | sed -n 's/^.*"\(event\|text-alpha\|text-length\)": "\([a-z0-9]*\)".*$/\2/p' | xargs; }
texts 301 11 >posts.csv
head -n 300 posts.csv >fewer.csv # 299 texts
text="--type t=text --type number=ignore"
expect 0 credence train -m nb $text posts.csv -o posts.model
same "what was taken is said once" "$(grep -c "event=boolean text-alpha=auto text-length=50" out)" 1
train $text posts.csv -o posts.model
train $text $three posts.csv -o asked.model
expect 0 cmp posts.model asked.model
train $text fewer.csv -o fewer.model
same "299 texts" "$(form fewer.model)" "multinomial same none"
for given in event=multinomial alpha=1 text-alpha=0.1 text-length=30 weight=log length-norm=l2 smoothing=laplace; do
    train $text -p $given posts.csv -o given.model
    same "$given has chosen" "$(form given.model | grep -c 'boolean auto 50')" 0
done
train $text -p tokens=chars -p min-count=2 posts.csv -o given.model
same "a recipe is about something else" "$(form given.model)" "boolean auto 50"
train $text --part 1/1 posts.csv -o whole.model
same "one part of one" "$(form whole.model)" "boolean auto 50"
expect 0 credence train -q -m nb $text posts.csv --store posts.store
expect 0 credence show posts.store
same "a store" "$(grep -c event=boolean out)" 0
# numbers and texts: each its own
train --type t=text posts.csv -o mixed.model
same "a mixed table, texts" "$(form mixed.model)" "boolean auto 50"
same "a mixed table, numbers" "$(knobs mixed.model)" auto
train --type t=text fewer.csv -o mixed.model
same "fewer, texts" "$(form mixed.model)" "multinomial same none"
same "fewer, numbers" "$(knobs mixed.model)" auto
texts 700 12 >more.csv
for calibrate in none auto; do
    expect 0 credence curve --csv --type t=text more.csv --sizes 90,299,300 -r 3 --calibrate $calibrate -m nb
    cut -d, -f2- out >curve.csv
    i=2
    for named in nb:event=multinomial:real=gaussian nb:event=multinomial:real=auto \
        nb:event=boolean:text-alpha=auto:text-length=50:real=auto; do
        expect 0 credence curve --csv --type t=text more.csv --sizes 90,299,300 -r 3 --calibrate $calibrate -m $named
        same "curve, $calibrate, point $((i - 1))" "$(sed -n ${i}p curve.csv)" "$(cut -d, -f2- out | sed -n ${i}p)"
        i=$((i + 1))
    done
done
expect 0 credence cv $text -m nb --json more.csv
first=$(figures)
expect 0 credence cv $text -m nb:event=boolean:text-alpha=auto:text-length=50 --json more.csv
same "cv judges what train makes" "$(figures)" "$first"
# lessons and their undoing, and two halves, are exact
train $text more.csv -o more.model
expect 0 credence learn -q posts.model more.csv -o learned.model
(cat posts.csv; tail -n +2 more.csv) >all.csv
train $text all.csv -o all.model
expect 0 cmp learned.model all.model
expect 0 credence unlearn -q learned.model more.csv -o back.model
expect 0 cmp posts.model back.model
expect 0 credence merge -q posts.model more.model -o merged.model
expect 0 cmp merged.model all.model

# --- logistic regression: the strength of its prior -----------------------------------------------
regress() { credence train -q -m logistic "$@" >/dev/null; }
lambda() { credence show --json "$1" | sed -n 's/^.*"lambda": "\([a-z0-9.]*\)".*$/\1/p'; }
expect 0 credence train -m logistic both.csv -o chosen.model
says out "Knobs: lambda=auto"
regress -p lambda=auto both.csv -o asked.model
expect 0 cmp chosen.model asked.model
regress --threads 1 both.csv -o single.model
expect 0 cmp chosen.model single.model
for given in lambda=2 sigma=1 prior=none prior=laplace solver=sgd trace=yes features=raw; do
    regress -p $given both.csv -o given.model
    same "$given has chosen" "$(lambda given.model)" "$([ $given = lambda=2 ] && echo 2 || echo 1)"
done
regress few.csv -o few.model
same "99 rows" "$(lambda few.model)" 1
regress enough.csv -o enough.model
same "100 rows" "$(lambda enough.model)" auto
# Beyond 10,000 rows some are judged; a prior that hardly matters is not chosen.
rows 12001 10 | awk -F , -v OFS=, '{ print $1, $2, "s" int(NR * 7919 % 61), $3 }' >many
(echo x,y,s,class; cat many) >many.csv
regress --threads 1 many.csv -o many.model
same "12,001 rows" "$(lambda many.model)" auto
checks=$((checks + 1))
[ "$(credence show many.model | grep -o 'lambda [0-9.]*')" != "lambda 1" ] || fail "no lambda was chosen"
regress --threads 3 many.csv -o threads.model
expect 0 cmp many.model threads.model
cut -d , -f 1,2,4 many.csv >simple.csv
regress simple.csv -o simple.model
says_of() { credence show "$1" | grep -o 'lambda [0-9.]*'; }
same "three weights of 12,001 rows" "$(says_of simple.model)" "lambda 1"
awk -F , -v OFS=, 'NR == 1 { print "t", $0; next }
    { print (NR % 2 ? "some words of a class" : "other words of it") " and number " NR, $0 }' \
    both.csv >texts.csv
regress --type t=text texts.csv -o texts.model
same "texts" "$(lambda texts.model)" auto
# a choice for 510,000 words would take long
awk 'BEGIN { print "t,class"; for (r = 0; r < 102; r++) { line = ""
    for (k = 0; k < 5000; k++) line = line " w" r "x" k
    print line "," (r % 2 ? "a" : "b") } }' >words.csv
regress --calibrate none --type t=text words.csv -o words.model
same "510,000 words" "$(lambda words.model)" 1
# learning goes on with the strength that was chosen
expect 0 credence learn -q chosen.model second.csv -o learned.model
same "learn keeps it" "$(credence show learned.model | grep -o 'lambda [0-9.]*')" \
    "$(credence show chosen.model | grep -o 'lambda [0-9.]*')"
expect 0 credence cv -m logistic --json both.csv
first=$(figures)
expect 0 credence cv -m logistic:lambda=auto --json both.csv
same "cv judges what train makes" "$(figures)" "$first"
finish
