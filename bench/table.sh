#!/usr/bin/env bash
# bench/table.sh - one table of everything: what it costs at least, what it costs here, and a peer.
#
# Usage: [CREDENCE_DATA=FOLDER] bench/table.sh [--quick] [--long] [--no-peers] [--out FILE]
#                                              [--only PART] [BUILD]
#
# PART is reading, texts, learners, cv, peers or networks; all of them when none is named.
#
# CPU seconds of whole commands, user and system of all threads, the least of three runs (of one for
# what takes long, and for peers): other work on the machine counts for little. Each row has
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
build=$(realpath "$build")
credence=$build/credence
data=${CREDENCE_BENCH_DIR:-/tmp/credence-bench}
networks=${CREDENCE_DATA:-/nowhere}/bif
weka_jar=/usr/share/java/weka.jar
mkdir -p "$data"
work=$(mktemp -d "$data/table.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
python=
for candidate in python3 /usr/bin/python3; do
    [ $peers = no ] || ! "$candidate" -c 'import pandas, sklearn' 2> /dev/null ||
        { python=$candidate; break; }
done

million=1000000 five=5000000 tenth=100000 drawn=100000 documents=1000000
[ $quick = no ] || million=50000 five=250000 tenth=5000 drawn=5000 documents=50000

# --- measuring --------------------------------------------------------------------------------

cost() { # REPEATS COMMAND...: CPU seconds, "-" when it fails
    local repeats=$1
    shift
    echo "bench: $*" >&2
    { "$build/bench/measure" "$repeats" /dev/null "$@" 2> "$work/errors" || echo "- -"; } |
        awk '{print $2}'
    grep -v '^ *$' "$work/errors" | head -3 >&2 || true
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
train() { # REPEATS LEARNER FILE [OPTION...]
    cost "$1" "$credence" train -q -m "$2" "$3" -t class -o "$work/$2.model" "${@:4}"
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

make() { # NAME COMMAND...: a file of what the command prints, unless it is there; then it is cached
    local file=$data/$1
    shift
    [ -s "$file" ] || { "$@" > "$work/new" && mv "$work/new" "$file"; }
    cat "$file" > /dev/null
    echo "$file"
}
generate=$build/bench/generate
dense=$(make dense-$million.csv "$generate" dense $million 20 5 1)
dense_tenth=$(make dense-$tenth.csv "$generate" dense $tenth 20 5 1)
symbols=$(make categorical-$five.csv "$generate" categorical $five 10 8 4 1)
symbols_fifth=$(make categorical-$million.csv "$generate" categorical $million 10 8 4 1)
symbols_tenth=$(make categorical-$tenth.csv "$generate" categorical $tenth 10 8 4 1)

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
    local csv symbols_csv limit base
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
        "$(train 3 nb "$(make dense-$million.jsonl as_jsonl "$dense" 1)")" "2"
    row "JSON Lines, categorical, $million rows" "CSV" "$symbols_csv" \
        "$(train 3 nb "$(make categorical-$million.jsonl as_jsonl "$symbols_fifth" 0)")" "2"
    row "ARFF, dense" "CSV" "$csv" "$(train 3 nb "$(make dense-$million.arff as_arff "$dense")")" "2"
    base=$(make dense-$million.csv.gz gzip -c "$dense")
    row ".csv.gz, dense" "gzip -d, or CSV" "$(larger "$(cost 3 gzip -dc "$base")" "$csv")" \
        "$(train 3 nb "$base")" ""
    base=$(make dense-$million.csv.zst zstd -qc "$dense")
    row ".csv.zst, dense" "zstd -d, or CSV" "$(larger "$(cost 3 zstd -dqc "$base")" "$csv")" \
        "$(train 3 nb "$base")" ""
}

texts() {
    local corpus part
    corpus=$(make text-$documents.txt "$generate" text $documents 20 500000 1)
    part=$(make text-$((documents / 10)).txt head -n $((documents / 10)) "$corpus")
    row "nb, texts, 1 thread" "limit program" "$(cost 2 "$build/bench/limit_text" "$corpus" 1)" \
        "$(cost 2 "$credence" train -q -m nb "$corpus" -o "$work/text.model" --threads 1)" "1.15"
    row "nb, texts, a tenth" "" - "$(cost 2 "$credence" train -q -m nb "$part" -o "$work/text.model")" \
        "" "HashingVectorizer, partial_fit" "$(peer_of hashing_nb.py "$part")"
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
    row "cv $3, $1" "train and test" "$once" "$(cost 1 "$credence" cv -q -m "$3" "$2" -t class)" \
        "$4" "${5:-}" "${6:--}"
}

# Weka's tan and aode, which need symbols, on the rows that it takes in time.
beside_weka() {
    local bayes=weka.classifiers.bayes arff
    arff=$(make categorical-$tenth.arff as_arff "$symbols_tenth")
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
        -f libsvm -p epsilon=1e-4 "$a9a" -o "$work/a9a.model")" "" "LIBLINEAR -s 0" "$peer"
}

# --- networks ---------------------------------------------------------------------------------

search() {
    local rows arff hc local_search=weka.classifiers.bayes.net.search.local
    [ -e "$networks/alarm.bif" ] || return 0
    rows=$(make alarm-$drawn.csv "$credence" sample -q "$networks/alarm.bif" -n $drawn --seed 1)
    arff=$(make alarm-$drawn.arff "$credence" convert -q --to arff "$rows" -t CATECHOL)
    hc=$("$build/bench/structure" "$networks/alarm.bif" $drawn hc bic 1 1 | awk '{print $4}')
    row "hill climbing by BIC, alarm, $drawn rows, in memory" "" - "$hc" "" "bnlearn hc, elsewhere" 4.7
    row "hill climbing, alarm, whole command" "" - "$(cost 3 "$credence" train -q -m network "$rows" \
        -p structure=hc -p score=bic -o "$work/alarm.model")" "" "Weka HillClimber, MDL" \
        "$(weka weka.classifiers.bayes.BayesNet -t "$arff" -c last -D -Q $local_search.HillClimber -- \
            -R -P 10 -N -S MDL)"
    row "K2, alarm, whole command" "" - "$(cost 3 "$credence" train -q -m network "$rows" \
        -p structure=k2 -o "$work/alarm.model")" "" "Weka K2" \
        "$(weka weka.classifiers.bayes.BayesNet -t "$arff" -c last -D -Q $local_search.K2 -- \
            -P 10 -N -S BAYES)"
    for net in diabetes munin pigs; do
        row "all marginals, $net, whole command" "" - \
            "$(cost 3 "$credence" query -q --all "$networks/$net.bif")" \
            "$([ $net = pigs ] && echo 0.05 s || echo 0.2 s)"
    done
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
    learners dense "$dense" 8 tan aode kdb
    one_row symbols 20 0
    one_row numbers 0 20
}
do_cv() {
    cross dense "$dense" nb 1.8 "pandas, GaussianNB" "$(peer_of sklearn_fit.py "$dense" cv)"
    cross categorical "$symbols" nb 1.8
    for learner in gda tan aode; do
        cross "dense" "$dense" $learner 2.5
    done
}
do_peers() {
    beside_weka
    others
}
do_networks() { search; }

# --- the table --------------------------------------------------------------------------------

all() {
    local cpu
    cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    echo "$(date -u +%Y-%m-%d), ${cpu:-$(uname -m)}, $(nproc) processors; CPU seconds"
    echo
    echo "| work | beside | s | credence s | ratio | asked | peer | s | of credence |"
    echo "| --- | --- | ---: | ---: | ---: | ---: | --- | ---: | ---: |"
    for part in reading texts learners cv peers networks; do
        [ -n "$only" ] && [ "$only" != $part ] || "do_$part"
    done
}
all | tee "$out"
