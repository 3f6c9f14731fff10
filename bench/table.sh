#!/usr/bin/env bash
# bench/table.sh - one table of everything: what it costs at least, what it costs here, and a peer.
#
# Usage: [CREDENCE_DATA=FOLDER] bench/table.sh [--quick] [--long] [--no-peers] [--out FILE]
#                                              [--only PART] [BUILD]
#
# PART is reading, texts, learners, cv, peers or networks; all of them when none is named.
#
# CPU seconds of whole commands, user and system of all threads, the least of three runs (of one for
# what takes long, and for peers): other work on the machine counts for little. Rows that say so have
# wall time, the least of five runs, on a machine without other work. Each row has
# something to be measured against: the limit program, which parses and adds and checks nothing, or
# naive Bayes on the same rows, or the same table as CSV; and, where one can be installed, the
# strongest peer. The tables are dense (1,000,000 rows of 20 numbers) and categorical (5,000,000
# rows of 10 words); peers that are much slower get 100,000 rows, beside the same of ours. --long
# gives scikit-learn's trees the whole table. --quick makes the tables 20 times smaller, which tells
# whether everything runs. CREDENCE_DATA names the folder of data sets, for networks in bif/ and the
# table adult. Files stay in CREDENCE_BENCH_DIR (default: /tmp/credence-bench).
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
build=$here/../build
out=/dev/null quick=no long=no peers=yes only=
usage="usage: bench/table.sh [--quick] [--long] [--no-peers] [--out FILE] [--only PART] [BUILD]"
while [ $# -gt 0 ]; do
    case $1 in
    --quick) quick=yes ;;
    --long) long=yes ;;
    --no-peers) peers=no ;;
    --only) only=${2:?$usage}; shift ;;
    --out) out=${2:?$usage}; shift ;;
    --help) echo "$usage"; exit 0 ;;
    -*) echo "$usage" >&2; exit 2 ;;
    *) build=$1 ;;
    esac
    shift
done
# shellcheck source=bench/lib.sh
. "$here/lib.sh"
bench_begin table "$build"
networks=${CREDENCE_DATA:-/nowhere}/bif
adult=${CREDENCE_DATA:-/nowhere}/table/adult/adult.data
weka_jar=/usr/share/java/weka.jar
python=
[ $peers = no ] || bench_python

million=1000000 five=5000000 tenth=100000 drawn=100000 documents=1000000
[ $quick = no ] || million=50000 five=250000 tenth=5000 drawn=5000 documents=50000

# --- measuring --------------------------------------------------------------------------------

cost() { # REPEATS COMMAND...: CPU seconds, "-" when it fails
    echo "bench: ${*:2}" >&2
    bench_cost "$@"
}
peer_of() { # COMMAND...: one run, when there is Python
    [ -n "$python" ] || { echo -; return; }
    cost 1 "$python" -W ignore "$here/peers/$1" "${@:2}"
}
fit_of() { # FILE KIND: what sklearn_tree.py tells
    [ -n "$python" ] || { echo -; return; }
    OMP_NUM_THREADS=1 "$python" -W ignore "$here/peers/sklearn_tree.py" "$@" 2> /dev/null |
        sed -n 's/.*alone: \([0-9.e+-]*\) s.*/\1/p'
}
weka() { # CLASS OPTION...: whole commands, one run, nothing evaluated
    { [ $peers = yes ] && [ -e $weka_jar ] && type -P java > /dev/null; } || { echo -; return; }
    cost 1 java -Xmx3g -cp $weka_jar "$1" -no-cv -v "${@:2}"
}
train() { # REPEATS LEARNER FILE [OPTION...]: one pass over the rows, without a calibration
    cost "$1" "$credence" train -q -m "$2" "$3" -t class --calibrate none -o "$work/$2.model" \
        "${@:4}"
}
passed() { # COMMAND...: wall seconds
    echo "bench: ${*}" >&2
    bench_figures 5 "$@" | awk '{print $1}'
}
passed_training() { # FILE
    passed "$credence" train -q -m nb "$1" -t class --calibrate none -o "$work/nb.model"
}
sum() { awk -v a="$1" -v b="$2" 'BEGIN {print a == "-" || b == "-" ? "-" : a + b}'; }
larger() { awk -v a="$1" -v b="$2" 'BEGIN {print (a > b ? a : b)}'; }

row() { # WORK | BASE | SECONDS | OURS | ASKED | PEER | SECONDS
    awk -v work="$1" -v base="$2" -v limit="$3" -v ours="$4" -v asked="$5" -v peer="${6:-}" \
        -v theirs="${7:--}" '
        function s(x) { return x == "-" || x == "" ? "" : sprintf("%.3g", x) }
        function over(a, b) { return a > 0 && b > 0 ? sprintf("%.2f", a / b) : "" }
        BEGIN {
            printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", work, base, s(limit),
                s(ours), over(ours, limit), asked, (theirs > 0 ? peer : ""), s(theirs),
                over(theirs, ours)
        }' | tee -a "$work/table"
}

# --- data -------------------------------------------------------------------------------------

dense=$(bench_table dense $million)
dense_tenth=$(bench_table dense $tenth)
symbols=$(bench_table categorical $five)
symbols_fifth=$(bench_table categorical $million)
symbols_tenth=$(bench_table categorical $tenth)

as_jsonl() { # FILE NUMBERS: every number bare, or every value a string
    awk -F, -v bare="$2" 'NR == 1 { n = split($0, name, ","); next }
    {
        printf "{"
        for (i = 1; i <= n; i++)
            printf((bare && i < n ? "%s\"%s\": %s" : "%s\"%s\": \"%s\""), (i > 1 ? ", " : ""),
                   name[i], $i)
        print "}"
    }' "$1"
}
as_arff() { "$credence" convert -q --to arff "$1" -t class; }

# --- reading ----------------------------------------------------------------------------------

reading() {
    local csv symbols_csv limit base packed unpack
    limit=$(cost 3 "$build/bench/limit" dense "$dense" 1)
    row "nb, dense, 1 thread" "limit program" "$limit" "$(train 3 nb "$dense" --threads 1)" "" \
        "pandas, GaussianNB" "$(peer_of pandas_gaussian_nb.py "$dense" codes)"
    limit=$(cost 3 "$build/bench/limit" dense "$dense" 2)
    csv=$(train 3 nb "$dense" --threads 2)
    row "nb, dense, 2 threads" "limit program" "$limit" "$csv" ""
    limit=$(cost 3 "$build/bench/limit" categorical "$symbols" 1)
    row "nb, categorical, 1 thread" "limit program" "$limit" "$(train 3 nb "$symbols" --threads 1)" ""
    base=$(train 3 nb "$symbols_tenth")
    row "nb, categorical, $tenth rows" "" - "$base" "" "pandas, CategoricalNB" \
        "$(peer_of pandas_categorical_nb.py "$symbols_tenth" codes)"
    symbols_csv=$(train 3 nb "$symbols_fifth")
    row "JSON Lines, dense" "CSV" "$csv" \
        "$(train 3 nb "$(bench_file dense-$million.jsonl as_jsonl "$dense" 1)")" "2"
    row "JSON Lines, categorical, $million rows" "CSV" "$symbols_csv" \
        "$(train 3 nb "$(bench_file categorical-$million.jsonl as_jsonl "$symbols_fifth" 0)")" "2"
    row "ARFF, dense" "CSV" "$csv" "$(train 3 nb "$(bench_file dense-$million.arff as_arff "$dense")")" "2"
    base=$(bench_file dense-$million.csv.gz gzip -c "$dense")
    row ".csv.gz, dense" "gzip -d, or CSV" "$(larger "$(cost 3 gzip -dc "$base")" "$csv")" \
        "$(train 3 nb "$base")" ""
    base=$(bench_file dense-$million.csv.zst zstd -qc "$dense")
    row ".csv.zst, dense" "zstd -d, or CSV" "$(larger "$(cost 3 zstd -dqc "$base")" "$csv")" \
        "$(train 3 nb "$base")" ""
    for packed in gz zst; do # unpacking runs beside parsing: how long all of it takes
        base=$data/dense-$million.csv.$packed
        unpack="gzip -dc"
        [ $packed = gz ] || unpack="zstd -dqc"
        # shellcheck disable=SC2086
        row ".csv.$packed, dense, wall time" "${unpack% *}, or CSV" \
            "$(larger "$(passed $unpack "$base")" "$(passed_training "$dense")")" \
            "$(passed_training "$base")" "1.1"
    done
}

texts() {
    local corpus part
    corpus=$(bench_table text $documents)
    part=$(bench_file text-$((documents / 10)).txt head -n $((documents / 10)) "$corpus")
    row "nb, texts, 1 thread" "limit program" "$(cost 2 "$build/bench/limit_text" "$corpus" 1)" \
        "$(cost 2 "$credence" train -q -m nb "$corpus" --calibrate none -o "$work/text.model" \
            --threads 1)" "1.15"
    row "nb, texts, 2 threads" "limit program" "$(cost 2 "$build/bench/limit_text" "$corpus" 2)" \
        "$(cost 2 "$credence" train -q -m nb "$corpus" --calibrate none -o "$work/text.model" \
            --threads 2)" "1.15"
    row "nb, texts, a tenth" "" - "$(cost 2 "$credence" train -q -m nb "$part" --calibrate none \
        -o "$work/text.model")" "" "HashingVectorizer, partial_fit" "$(peer_of hashing_nb.py "$part")"
}

# --- learners ---------------------------------------------------------------------------------

learners() { # TITLE FILE ASKED LEARNER...
    local title=$1 file=$2 asked=$3 base
    shift 3
    base=$(train 3 nb "$file")
    for learner; do
        row "train $learner, $title" "nb" "$base" "$(train 1 "$learner" "$file")" "$asked"
    done
    base=$(cost 3 "$credence" predict -q "$work/nb.model" "$file")
    for learner; do
        asked=1.5
        [ "$learner" != aode ] || asked=4
        row "predict $learner, $title" "nb" "$base" \
            "$(cost 1 "$credence" predict -q "$work/$learner.model" "$file")" "$asked"
    done
}

cross() { # TITLE FILE LEARNER ASKED [PEER SECONDS]
    local once
    once=$(sum "$(train 1 "$3" "$2")" "$(cost 1 "$credence" test -q "$work/$3.model" "$2")")
    row "cv $3, $1" "train and test" "$once" "$(cost 1 "$credence" cv -q -m "$3" "$2" -t class --calibrate none)" \
        "$4" "${5:-}" "${6:--}"
}

# Rows that are explained one by one: the time of some more of them.
explained() { # TITLE FILE LEARNER...
    local title=$1 rows=$work/explained.csv base
    head -n 2001 "$2" > "$rows"
    shift 2
    base=$(cost 3 "$credence" explain -q --json "$work/nb.model" "$rows")
    for learner; do
        row "explain $learner, $title, 2,000 rows" "nb" "$base" \
            "$(cost 3 "$credence" explain -q --json "$work/$learner.model" "$rows")" "3"
    done
}

# The table adult, with the names of its columns.
adult_rows() {
    local rows=$work/adult.csv
    [ -e "$adult" ] || return 0
    {
        echo age,workclass,fnlwgt,education,number,marital,occupation,relationship,race,sex,gain,loss,hours,country,class
        sed 's/, /,/g; /^$/d' "$adult"
    } > "$rows"
    cross adult "$rows" nb 1.8
    for learner in gda tan aode; do
        cross adult "$rows" $learner 2.5
    done
}

# Weka's tan and aode, which need symbols, on the rows that it takes in time.
beside_weka() {
    local bayes=weka.classifiers.bayes arff
    arff=$(bench_file categorical-$tenth.arff as_arff "$symbols_tenth")
    row "train tan, categorical, $tenth rows" "" - "$(train 3 tan "$symbols_tenth")" "" "Weka TAN" \
        "$(weka $bayes.BayesNet -t "$arff" -D -Q $bayes.net.search.local.TAN)"
    row "train aode, categorical, $tenth rows" "" - "$(train 3 aode "$symbols_tenth")" "" \
        "Weka AODE" "$(weka $bayes.AODE -t "$arff")"
}

others() {
    local file=$dense_tenth size=$tenth base
    base=$(train 3 nb "$file")
    row "train gda, dense, $tenth rows" "nb" "$base" "$(train 3 gda "$file")" "" "pandas, LDA" \
        "$(peer_of sklearn_fit.py "$file" lda)"
    row "train logistic, dense, $tenth rows" "nb" "$base" "$(train 3 logistic "$file")" "" \
        "pandas, lbfgs" "$(peer_of sklearn_fit.py "$file" logistic)"
    liblinear
    [ $long = no ] || file=$dense size=$million
    base=$(train 1 tree "$file")
    row "train tree, dense, $size rows" "" - "$base" "1/8 of the peer" \
        "DecisionTree, entropy, fit alone" "$(fit_of "$file" entropy)"
    row "train tree, dense, $size rows" "" - "$base" "" "HistGradientBoosting, fit alone" \
        "$(fit_of "$file" boosting)"
}

liblinear() {
    local a9a=${CREDENCE_DATA:-/nowhere}/table/libsvm/a9a peer=-
    [ -e "$a9a" ] || return 0
    [ $peers = no ] || ! type -P liblinear-train > /dev/null ||
        peer=$(cost 3 liblinear-train -q -s 0 -B 1 -e 0.003 "$a9a" "$work/liblinear")
    row "train logistic, a9a, 1 thread" "" - "$(cost 3 "$credence" train -q -m logistic --threads 1 \
        -f libsvm -p lambda=1 -p epsilon=1e-4 --calibrate none "$a9a" -o "$work/a9a.model")" "" "LIBLINEAR -s 0" "$peer"
}

# --- networks ---------------------------------------------------------------------------------

search() {
    local rows arff hc local_search=weka.classifiers.bayes.net.search.local
    [ -e "$networks/alarm.bif" ] || return 0
    rows=$(bench_file alarm-$drawn.csv "$credence" sample -q "$networks/alarm.bif" -n $drawn --seed 1)
    arff=$(bench_file alarm-$drawn.arff "$credence" convert -q --to arff "$rows" -t CATECHOL)
    hc=$("$build/bench/structure" "$networks/alarm.bif" $drawn hc bic 1 1 | awk '{print $4}')
    row "hill climbing by BIC, alarm, $drawn rows, in memory" "" - "$hc" "" "bnlearn hc, elsewhere" \
        "$([ $drawn = 100000 ] && echo 4.7 || echo -)"
    row "hill climbing, alarm, whole command" "" - "$(cost 3 "$credence" train -q -m network "$rows" \
        -p structure=hc -p score=bic -o "$work/alarm.model")" "" "Weka HillClimber, MDL" \
        "$(weka weka.classifiers.bayes.BayesNet -t "$arff" -c last -D -Q $local_search.HillClimber -- \
            -R -P 10 -N -S MDL)"
    row "K2, alarm, whole command" "" - "$(cost 3 "$credence" train -q -m network "$rows" \
        -p structure=k2 -o "$work/alarm.model")" "" "Weka K2" \
        "$(weka weka.classifiers.bayes.BayesNet -t "$arff" -c last -D -Q $local_search.K2 -- \
            -P 10 -N -S BAYES)"
    asked_rows "$rows"
    for net in diabetes munin pigs; do
        row "all marginals, $net, whole command" "" - \
            "$(cost 3 "$credence" query -q --all "$networks/$net.bif")" \
            "$([ $net = pigs ] && echo 0.05 s || echo 0.2 s)"
    done
}

# Rows of alarm that lack three values in ten, classified; and a file of questions.
asked_rows() { # ROWS
    local lacking=$work/lacking.csv questions=$work/questions base
    awk -F, -v OFS=, 'BEGIN { srand(1) }
        NR > 1 { for (i = 1; i <= NF; i++) if (rand() < 0.3) $i = "" } { print }' "$1" > "$lacking"
    "$credence" convert -q "$networks/alarm.bif" -t CATECHOL -o "$work/alarm.model"
    row "predict alarm, $drawn rows, 30 % missing, 1 thread" "" - \
        "$(cost 3 "$credence" predict -q "$work/alarm.model" "$lacking" --threads 1)" \
        "$(awk -v n=$drawn 'BEGIN {printf "%.3g s", n / 50000}')"
    awk -F, 'NR == 1 { split($0, name, ","); next }
        NR > 1001 { exit }
        { printf "P(CATECHOL | %s=%s, %s=%s)\n", name[2], $2, name[5], $5 }' "$1" > "$questions"
    head -n 1 "$questions" > "$work/one"
    # shellcheck disable=SC2016
    base=$(cost 3 sh -c '"$1" query -q "$2" < "$3"' - "$credence" "$networks/alarm.bif" "$work/one")
    # shellcheck disable=SC2016
    row "query of 1,000 lines, alarm" "one line" "$base" "$(cost 3 sh -c '"$1" query -q "$2" < "$3"' \
        - "$credence" "$networks/alarm.bif" "$questions")" ""
}

# Learned or unlearned in memory, in place.
one_row() { # TITLE SYMBOLS REALS
    row "one row of 20 $1 learned in memory" "" - "$("$build/bench/micro_row" "$2" "$3" |
        awk '/^learn or unlearn/ {print $4 * 1e-9}')" "5e-06 s"
}

# --- parts --------------------------------------------------------------------------------------

do_reading() { reading; }
do_texts() { texts; }
do_learners() {
    learners categorical "$symbols" 4 tan aode kdb
    explained categorical "$symbols" tan kdb aode
    learners dense "$dense" 8 tan aode kdb
    explained dense "$dense" tan kdb aode
    one_row symbols 20 0
    one_row numbers 0 20
}
do_cv() {
    cross dense "$dense" nb 1.8 "pandas, GaussianNB" "$(peer_of sklearn_fit.py "$dense" cv)"
    cross categorical "$symbols" nb 1.8
    for learner in gda tan aode; do
        cross "dense" "$dense" $learner 2.5
    done
    adult_rows
}
do_peers() {
    beside_weka
    others
}
do_networks() { search; }

# --- the table --------------------------------------------------------------------------------

all() {
    echo "$(bench_machine); CPU seconds"
    echo
    echo "| work | beside | s | credence s | ratio | asked | peer | s | of credence |"
    echo "| --- | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |"
    for part in reading texts learners cv peers networks; do
        if [ -z "$only" ] || [ "$only" = $part ]; then "do_$part"; fi
    done
}
all | tee "$out"
