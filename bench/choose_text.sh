#!/usr/bin/env bash
# bench/choose_text.sh - choose the knobs for texts by cross-validation, then test once.
#
# Usage: CREDENCE_DATA=FOLDER bench/choose_text.sh [--seeds N] [--peers] SET [BUILD]
#
# SET is one of
#   news, stripped   20 Newsgroups by date, as it is or without headers, footers and quotes
#   sms              SMS Spam Collection, random splits of 70 and 30 %
#   mail             SpamAssassin's mail, random splits of 70 and 30 %
#
# Every setting of the table below is tried by five-fold cross-validation on the training part. The
# most accurate one is trained on all of that part and tested on the other, which is looked at once.
# A split begins with a new choice; --seeds says how many splits there are (news has one). --peers
# lets bogofilter and spamprobe learn and judge the same parts of mail, with the cut-off of 0.5.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
usage="usage: bench/choose_text.sh [--seeds N] [--peers] news|stripped|sms|mail [BUILD]"
seeds=1
peers=no
while [ $# -gt 0 ]; do
    case $1 in
    --seeds) seeds=${2:?$usage}; shift ;;
    --peers) peers=yes ;;
    --help) echo "$usage"; exit 0 ;;
    -*) echo "$usage" >&2; exit 2 ;;
    *) break ;;
    esac
    shift
done
set=${1:?$usage}
credence=$(realpath "${2:-$here/../build}")/credence
data=$(realpath "${CREDENCE_DATA:?must name the folder of data sets}")/text
[ -x "$credence" ] || { echo "choose_text: $credence is not there; run 'make'" >&2; exit 1; }

[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work"

# --- The settings: knobs of training | knobs of refitting | options of the decision ----------------

settings() {
    local a d w
    case $set in
    news | stripped)
        for w in 'ngrams=1' 'ngrams=1..2'; do
            for a in 0.03 0.1 0.3; do
                echo "$strip$w weight=sublinear-tfidf length-norm=l2|event=complement alpha=$a prior=uniform|"
            done
            echo "$strip$w weight=sublinear-tfidf length-norm=l2|alpha=0.01|"
        done
        echo "${strip}ngrams=1|alpha=0.1|" ;;
    sms)
        for w in 'ngrams=1' 'ngrams=1..2'; do
            for a in 0.03 0.1 0.3 1; do
                echo "tokens=rich $w|event=boolean alpha=$a|"
                echo "tokens=rich $w|event=boolean alpha=$a select=odds:1|"
            done
        done
        echo "tokens=words|alpha=1|" ;;
    mail)
        for w in 'tokens=rich ngrams=1..2' 'tokens=rich ngrams=1..2 lower-case=no'; do
            for a in 0.01 0.1; do
                for d in none odds:2.5 odds:3; do
                    echo "$w|event=boolean alpha=$a select=$d text-length=30|"
                done
            done
            echo "$w|event=boolean alpha=0.1 select=odds:3 text-length=30|--cost ham->spam=100,spam->ham=1"
        done
        for a in 0.01 0.03 0.1; do echo "preset=mail lambda=$a||"; done
        echo "tokens=words|alpha=1|" ;;
    esac
}

# --- The parts ------------------------------------------------------------------------------------

strip=
format=folder
case $set in
news | stripped)
    zstd -dc "$data/20news-bydate.tar.zst" | tar xf -
    [ $set = news ] || strip='strip=headers,footers,quotes '
    seeds=1
    (cd 20news-bydate/20news-bydate-train && find . -type f | sort |
        awk -F/ -v OFS='\t' -v at="$PWD" '{print $2, at "/" $2 "/" $3}') > items ;;
sms)
    format=labelled
    tr -d '\r' < "$data/sms/SMSSpamCollection" > items ;;
mail)
    format=mail
    zstd -dc "$data/spamassassin.tar.zst" | tar xf -
    find "$PWD/spamassassin" -type f | sort |
        awk -F/ -v OFS='\t' '{print ($(NF - 1) ~ /spam/ ? "spam" : "ham"), $0}' > items ;;
*) echo "$usage" >&2; exit 2 ;;
esac

# Files are linked into a folder for each part, lines written into a file for each.
deal() { # SEED
    local part class
    rm -rf f[0-4] test
    awk -v seed="$1" -v share=$([[ $format = folder ]] && echo 1 || echo 0.7) \
        -f "$here/deal.awk" items > parts
    if [ $format = labelled ]; then
        awk -F '\t' '{ print substr($0, length($1) + 2) > $1 }' parts
        return
    fi
    cut -f 1,2 parts | sort -u | while read -r part class; do
        mkdir -p "$part/$class"
        awk -F '\t' -v part="$part" -v class="$class" '$1 == part && $2 == class { print $3 }' parts |
            xargs ln -s -t "$part/$class"
    done
    [ $format != folder ] || ln -sfn 20news-bydate/20news-bydate-test test
}

# --- Trying ---------------------------------------------------------------------------------------

knobs() { local k; for k in $1; do printf -- '-p %s ' "$k"; done; }

learn() { # MODEL KNOBS PART...
    local model=$1 k=$2
    shift 2
    local learner=nb
    [[ $k != preset=mail* ]] || learner=logistic
    # shellcheck disable=SC2046
    "$credence" train "$@" -f $format -m $learner $(knobs "$k") -o "$model" -q > train.out
}

# correct, all, ham taken for spam, ham; of the model refitted and tested on a part
judge() { # MODEL KNOBS OPTIONS PART
    # shellcheck disable=SC2046
    if [ -n "$2" ]; then "$credence" refit "$1" $(knobs "$2") -o turned -q > refit.out
    else cp "$1" turned; fi
    # shellcheck disable=SC2086
    "$credence" test turned "$4" -f $format $3 --json > tested
    awk '/"rows":/ { rows = $2 + 0 } /"accuracy":/ { right = $2 * rows }
        /"name": "ham"/ { ham = 1 }
        /"confusion": *\[/ { on = 1 }
        on && /\[[0-9]/ && !done { gsub(/[^0-9,]/, ""); split($0, cell, ","); done = 1 }
        END { printf "%.0f %d %d %d\n", right, rows, cell[2], cell[1] + cell[2] }' tested
}

# Accuracy of every setting in the cross-validation, the best first.
choose() {
    local f g rest trained knobs_before=none train_knobs refit_knobs options
    for f in 0 1 2 3 4; do
        rest=
        for g in 0 1 2 3 4; do [ $g = $f ] || rest="$rest f$g"; done
        knobs_before=none
        settings | while IFS='|' read -r train_knobs refit_knobs options; do
            # shellcheck disable=SC2086
            [ "$train_knobs" = "$knobs_before" ] || learn fold "$train_knobs" $rest
            knobs_before=$train_knobs
            echo "$(judge fold "$refit_knobs" "$options" f$f)|$train_knobs|$refit_knobs|$options"
        done
    done | awk -F '|' -v OFS='|' '
        { split($1, n, " "); key = $2 OFS $3 OFS $4
          right[key] += n[1]; all[key] += n[2]; taken[key] += n[3]; ham[key] += n[4]
          if (all[key] == n[2]) order[++count] = key }
        END { for (i = 1; i <= count; i++) { k = order[i]
              printf "%.4f|%.2f %%|%s\n", right[k] / all[k], 100 * taken[k] / ham[k], k } }' |
        sort -s -t '|' -k 1,1r > tried
    trained=$(head -n 1 tried)
    echo "$trained"
}

# 1 - area under the ROC curve: how often a ham scores above a spam.
roc() { # of lines: true class, score
    sort -k 2,2g -s | awk '{ if ($2 != last) { low += same; same = 0; last = $2 }
        if ($1 == "ham") { ham++; same++ } else { spam++; above += ham - same + same / 2 } }
        END { printf "%.5f", 1 - above / ham / spam }'
}

# True class and log-odds of spam for each message of the test part; predict takes them in the order
# of their paths.
own_scores() { # MODEL
    "$credence" predict "$1" test -f mail --proba --csv -q | tail -n +2 > judged
    find test/ ! -type d | sort | cut -d / -f 2 | paste -d , - judged | awk -F ',' '{
        print $1, log($4 > 0 ? $4 : 1e-300) - log($3 > 0 ? $3 : 1e-300) }'
}

peer_rates() { # of lines: true class, score, threshold 0.5
    tee peer.scores | awk '{ n++; right += ($1 == "spam") == ($2 >= 0.5)
        if ($1 == "ham") { ham++; taken += $2 >= 0.5 } }
        END { printf "%.4f accuracy, %.2f %% of ham taken for spam", right / n, 100 * taken / ham }'
    printf ', 1 - ROC area %s\n' "$(roc < peer.scores)"
}

each_trained() { awk -F '\t' -v class="$1" '$1 != "test" && $2 == class { print $3 }' parts; }
each_tested() { awk -F '\t' '$1 == "test" { print $2 "\t" $3 }' parts; }

run_peers() {
    local class item
    if type -P bogofilter > /dev/null; then
        rm -rf bogo && mkdir bogo
        each_trained spam | bogofilter -d bogo -s -b
        each_trained ham | bogofilter -d bogo -n -b
        each_tested | cut -f 2 | bogofilter -d bogo -T -b > judged || true
        each_tested | cut -f 1 | paste - judged | awk '{ print $1, $4 }' > bogo.scores
        printf '  bogofilter: '
        peer_rates < bogo.scores
    fi
    if type -P spamprobe > /dev/null; then
        rm -rf probe && mkdir probe
        each_trained spam | xargs spamprobe -d probe spam > /dev/null 2>&1
        each_trained ham | xargs spamprobe -d probe good > /dev/null 2>&1
        each_tested | while IFS=$'\t' read -r class item; do
            echo "$class $(spamprobe -d probe score "$item" 2> /dev/null | awk '{ print $2; exit }')"
        done > probe.scores
        printf '  spamprobe: '
        peer_rates < probe.scores
    fi
}

# --- All together ---------------------------------------------------------------------------------

for ((seed = 1; seed <= seeds; seed++)); do
    deal $seed
    IFS='|' read -r accuracy taken train_knobs refit_knobs options <<< "$(choose)"
    [ $seed -gt 1 ] || { echo "Cross-validation of split 1:"; head -n 30 tried; echo; }
    learn model "$train_knobs" f0 f1 f2 f3 f4
    read -r right all ham_taken ham <<< "$(judge model "$refit_knobs" "$options" test)"
    echo "$right $all $ham_taken $ham" >> totals
    echo "split $seed: $(knobs "$train_knobs $refit_knobs")$options"
    awk -v r="$right" -v n="$all" -v t="$ham_taken" -v h="$ham" -v cv="$accuracy" -v mail=$set 'BEGIN {
        printf "  credence: %.4f accuracy (%s in cross-validation)", r / n, cv
        if (mail == "mail" || mail == "sms") printf ", %.2f %% of ham taken for spam", 100 * t / h
        print "" }'
    if [ $set = mail ]; then
        own_scores turned > own.scores
        printf '  credence: 1 - ROC area %s\n' "$(roc < own.scores)"
        [ $peers = no ] || run_peers
    fi
done
awk -v set=$set '{ m += $1 / $2; t += $4 > 0 ? 100 * $3 / $4 : 0 } END {
    printf "mean of %d: accuracy %.4f", NR, m / NR
    if (set == "mail" || set == "sms") printf ", %.2f %% of ham taken for spam", t / NR
    print "" }' totals
