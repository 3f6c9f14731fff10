#!/usr/bin/env bash
# bench/defaults.sh - measure which knobs of naive Bayes give the best probabilities.
#
# Usage: CREDENCE_DATA=FOLDER bench/defaults.sh [OPTION...] [BUILD]
#
#   --folds N       folds of the stratified cross-validation (10)
#   --seeds A,B     cross-validate once for each of these seeds of the shuffle (1,2,3)
#   --jobs N        data sets measured at a time (one per processor)
#   --sets A,B      only these data sets
#   --base 'K=V …'  other knobs than the defaults for what a question does not turn
#   --out FILE      keep every measurement: set, fold, question, setting, test rows, log-loss,
#                   accuracy
#
# FOLDER holds the UCI data sets. For every set and fold the command trains once; then, for every
# setting of the table below, it refits the model and tests it on the rows left out. Each question
# turns a few knobs and leaves the others at their defaults: the questions on symbols are put to
# the sets that have symbol features, those on numbers to the sets that have real ones. Prints a
# table in Markdown for each question, settings in order of their mean log-loss.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
folds=10
seeds=1,2,3
jobs=$(nproc)
only=
base=
out=
build=$here/../build
usage="usage: bench/defaults.sh [--folds N] [--seeds A,B] [--jobs N] [--sets A,B] [--base 'K=V …']
                         [--out FILE] [BUILD]"
while [ $# -gt 0 ]; do
    case $1 in
    --folds) folds=${2:?$usage}; shift ;;
    --seeds) seeds=${2:?$usage}; shift ;;
    --jobs) jobs=${2:?$usage}; shift ;;
    --sets) only=${2:?$usage}; shift ;;
    --base) base=${2:?$usage}; shift ;;
    --out) out=$(realpath "${2:?$usage}"); shift ;;
    --help) echo "$usage"; exit 0 ;;
    -*) echo "$usage" >&2; exit 2 ;;
    *) build=$1 ;;
    esac
    shift
done
: "${CREDENCE_DATA:?must name the folder of data sets}"
data=$(realpath "$CREDENCE_DATA")/table
credence=$(realpath "$build")/credence
[ -x "$credence" ] || { echo "defaults: $credence is not there; run 'make'" >&2; exit 1; }

# Models are written thousands of times, each synced: memory spares the disk.
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'jobs -p | xargs -r kill 2> /dev/null; wait; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

# --- The data sets --------------------------------------------------------------------------------

# Name, form (see folds.awk), number of the class column (0: the last), files, options of train.
# Row numbers and other identifiers are ignored; codes written as numbers are symbols.
cat > sets <<'END'
adult          adult      0  adult/adult.data,adult/adult.test
balance-scale  arff       0  arff/balance.scale.arff
breast-cancer  arff       0  arff/breast.cancer.arff
breast-w       data       0  uci/breast-cancer-wisconsin.data  --type c1=ignore
car            arff       0  arff/car.arff
chess          arff       0  arff/kr.vs.kp.arff
credit-a       arff       0  arff/credit.a.arff
dna            csv        0  mlbench/DNA.csv.gz
german         blank      0  uci/german.data
glass          data       0  uci/glass.data  --type c1=ignore
heart-c        arff       0  arff/heart.c.arff
hepatitis      arff       0  arff/hepatitis.arff
horse-colic    blank     24  uci/horse-colic.data  --type c1=symbol --type c2=symbol --type c3=ignore --type c7=symbol --type c8=symbol --type c9=symbol --type c10=symbol --type c11=symbol --type c12=symbol --type c13=symbol --type c14=symbol --type c15=symbol --type c17=symbol --type c18=symbol --type c21=symbol --type c23=ignore --type c25=ignore --type c26=ignore --type c27=ignore --type c28=ignore
ionosphere     data       0  uci/ionosphere.data
iris           data       0  uci/iris.data
lenses         arff       0  arff/contact-lenses.arff
letter         data       1  uci/letter-recognition.data
lymphography   arff       0  arff/lymph.arff
monks-1        blank      1  uci/monks-1.train  --type c2=symbol --type c3=symbol --type c4=symbol --type c5=symbol --type c6=symbol --type c7=symbol --type c8=ignore
monks-3        blank      1  uci/monks-3.train  --type c2=symbol --type c3=symbol --type c4=symbol --type c5=symbol --type c6=symbol --type c7=symbol --type c8=ignore
mushroom       data       1  uci/agaricus-lepiota.data
nursery        data       0  uci/nursery.data
optdigits      arff       0  arff/optdigits.arff
pima           csv        0  mlbench/PimaIndiansDiabetes2.csv
promoters      promoters  1  uci/promoters.data
satellite      blank      0  uci/sat.trn,uci/sat.tst
segment        arff       0  arff/segment.arff
shuttle        csv        0  mlbench/Shuttle.csv.gz
solar-flare    arff      11  arff/solar.flare2.arff  --type M-class_flares_production_by_this_region=ignore --type X-class_flares_production_by_this_region=ignore
sonar          data       0  uci/sonar.all-data
soybean        arff       0  arff/soybean.arff
spambase       data       0  uci/spambase.data
spect          arff       1  arff/spect.train.arff,arff/spect.test.arff
spectf         arff       1  arff/spectf.train.arff,arff/spectf.test.arff
tic-tac-toe    data       0  uci/tic-tac-toe.data
vehicle        csv        0  mlbench/Vehicle.csv
votes          data       1  uci/house-votes-84.data
vowel          csv        0  mlbench/Vowel.csv
waveform       data       0  uci/waveform.data
wdbc           data       2  uci/wdbc.data  --type c1=ignore
wine           data       1  uci/wine.data
zoo            csv        0  mlbench/Zoo.csv
END

# --- The questions --------------------------------------------------------------------------------

# Question, the kind of feature it is about, setting. dirichlet with beta is laplace with
# alpha = beta - 1, so it needs no line of its own.
{
    at() { echo "$@"; }
    at smoothing symbol smoothing=none
    for a in 0.01 0.1 0.3 0.5 1 2; do
        at smoothing symbol smoothing=laplace alpha=$a
    done
    at smoothing symbol smoothing=laplace-classes alpha=1
    for p in uniform marginal; do
        for m in 0.5 1 2 4; do
            at smoothing symbol smoothing=m-estimate p=$p m=$m
        done
    done
    for u in skip smooth; do
        at unseen symbol unseen=$u
    done
    for p in empirical map uniform; do
        at prior any prior=$p
    done
    for v in class-feature feature; do
        for f in 1e-9 1e-6 1e-3 1e-2 1e-1; do
            at gaussian real gaussian=plugin variance=$v variance-floor=$f
        done
    done
    for k in 0.1 0.5 1 2 4; do
        for v in 0.1 0.5 1 2 4; do
            at gaussian real gaussian=predictive mean-rows=$k variance-rows=$v
        done
    done
    for v in 10 100 1000 10000 100000; do
        at gaussian real gaussian=predictive mean-rows=1 variance-rows=$v
    done
    for f in 0 1e-9 1e-6 1e-3 1e-2 1e-1; do
        at predictive-floor real gaussian=predictive variance-floor=$f
    done
    for v in class-feature feature class shared; do
        at tying real gaussian=plugin variance=$v
    done
    for e in mle unbiased; do
        at estimate real gaussian=plugin variance-estimate=$e
    done
    at conventions real variance=feature variance-estimate=unbiased
    at conventions real variance=class-feature variance-estimate=mle
} > settings

# --- Measuring ------------------------------------------------------------------------------------

params() { printf -- '-p %s ' "$@"; }

# The two numbers of credence test --json, with the rows.
figures() {
    awk -F '[:,]' '
        $1 ~ /"rows"/ { rows = $2 }
        $1 ~ /"log_loss"/ { loss = $2 }
        $1 ~ /"accuracy"$/ { accuracy = $2 }
        END {
            if (loss == "")
                exit 1
            line = rows "\t" loss "\t" accuracy
            gsub(/ /, "", line)
            print line
        }' "$1"
}

# One fold: train once, turn the knobs many times.
measure_fold() { # NAME FOLD FORM CLASS OPTION...
    local name=$1 fold=$2 form=$3 class=$4 kinds question kind setting read=(-f csv)
    local stem=$name.$fold figures
    shift 4
    case $form in
    arff) read=(-f arff) ;;
    csv) ;;
    *) read=(-n -d comma) ;;
    esac
    # Knobs are words without blanks, so splitting them at blanks is right.
    # shellcheck disable=SC2046,SC2086
    "$credence" train --csv -q "${read[@]}" $([ "$class" = 0 ] || echo "-t $class") "$@" \
        ${base:+$(params $base)} --threads 1 -o "$stem.model" "$stem.train" > "$stem.columns"
    kinds=$(awk -F , 'NR > 1 && $3 != "" { print $2 }' "$stem.columns" | sort -u)
    kinds=" any ${kinds//$'\n'/ } "
    while read -r question kind setting; do
        case $kinds in
        *" $kind "*) ;;
        *) continue ;;
        esac
        # shellcheck disable=SC2046,SC2086
        "$credence" refit -q --threads 1 "$stem.model" $(params $setting) \
            -o "$stem.turned" > "$stem.note"
        "$credence" test --json -q --threads 1 "${read[@]}" "$stem.turned" "$stem.test" \
            > "$stem.json"
        figures=$(figures "$stem.json")
        printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$fold" "$question" "$setting" "$figures"
    done < settings
    rm -f "$stem".*
}

measure_set() { # NAME FORM CLASS FILES OPTION...
    local name=$1 form=$2 class=$3 files=$4 file seed fold
    shift 4
    echo "defaults: $name" >&2
    for file in ${files//,/ }; do # plain or compressed; the last line may lack its end
        gzip -dcf "$data/$file"
        echo
    done > "$name.table"
    for seed in ${seeds//,/ }; do
        awk -v form="$form" -v class="$class" -v folds="$folds" -v seed="$seed" \
            -v prefix="$name" -f "$here/folds.awk" "$name.table"
        for ((fold = 1; fold <= folds; fold++)); do
            measure_fold "$name" "$fold" "$form" "$class" "$@"
        done
    done > "$name.results"
}

# A set that fails stops the others from starting, and the script.
running=0
while read -r -a set; do
    case ,${only:-${set[0]}}, in
    *,"${set[0]}",*) ;;
    *) continue ;;
    esac
    if [ "$running" -ge "$jobs" ]; then
        wait -n
        running=$((running - 1))
    fi
    measure_set "${set[@]}" < /dev/null &
    running=$((running + 1))
done < sets
while [ "$running" -gt 0 ]; do
    wait -n
    running=$((running - 1))
done

cat ./*.results > results
[ -z "$out" ] || cp results "$out"
echo "$(date -u +%Y-%m-%d), $("$credence" --version | head -n 1), $folds folds, seeds $seeds"
awk -F '\t' -v detail=conventions -f "$here/defaults.awk" results
