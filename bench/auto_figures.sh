#!/bin/bash
# bench/auto_figures.sh - a plain `credence train` on data that are learned from one part and tested on
# another: the table that docs/auto.md shows.
#
#     bench/auto_figures.sh CREDENCE DATA_FOLDER [adult|news|imdb|mnist|iris|million|sms|spam]...
#
# One line for each: what, rows learned, accuracy, log loss, ECE, and of the training the seconds that
# passed and the seconds of processor time, user and system over all threads. The first mean something
# on a machine that is idle.
set -u
credence=$1 folder=$2
shift 2
[ $# -gt 0 ] || set -- iris adult sms spam news imdb mnist million
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

figure() { sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*\$/\1/p" "$work/answers" | head -1; }

report() { # NAME SECONDS(passed TAB processor)
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$(figure rows)" "$(figure accuracy)" "$(figure log_loss)" \
        "$(figure ece)" "$2"
}

learn() { # ARGUMENT...: train, and print the seconds that passed and those of processor time
    local TIMEFORMAT='%R %U %S'
    { time "$credence" train "$@" -q -o "$work/model" >/dev/null 2>"$work/notes"; } 2>&1 |
        awk '{ printf "%.2f\t%.2f", $1, $2 + $3 }'
}

apart() { # NAME TRAIN-ARGUMENTS -- TEST-ARGUMENTS
    local name=$1 train=() seconds
    shift
    while [ "$1" != -- ]; do
        train+=("$1")
        shift
    done
    shift
    seconds=$(learn "${train[@]}")
    "$credence" test --json "$work/model" "$@" >"$work/answers" 2>/dev/null
    report "$name" "$seconds"
}

adult() {
    local names=age,workclass,fnlwgt,education,education_num,marital,occupation,relationship,race,sex
    names=$names,gain,loss,hours,country,class
    (echo "$names" && grep , "$folder/table/adult/adult.data" | sed 's/, /,/g') >"$work/adult.csv"
    (echo "$names" && grep '^[0-9]' "$folder/table/adult/adult.test" | sed 's/, /,/g; s/\.$//') \
        >"$work/adult-test.csv"
    apart adult "$work/adult.csv" -- "$work/adult-test.csv"
}

for what in "$@"; do
    case $what in
    iris) apart iris "$folder/table/arff/iris.arff" -- "$folder/table/arff/iris.arff" ;;
    adult) adult ;;
    sms | spam)
        if [ "$what" = sms ]; then
            set -- "$folder/text/sms/SMSSpamCollection" --format labelled
        else
            set -- "$folder/text/spamassassin.tar.zst" \
                --classes easy_ham=ham,easy_ham_2=ham,hard_ham=ham,spam_2=spam
        fi
        "$credence" cv --json -k 3 "$@" >"$work/answers" 2>/dev/null
        report "$what, three folds, nested" ""
        ;;
    news)
        apart "20 Newsgroups by date" "$folder/text/20news-bydate.tar.zst" \
            --member 20news-bydate/20news-bydate-train -- "$folder/text/20news-bydate.tar.zst" \
            --member 20news-bydate/20news-bydate-test
        ;;
    imdb)
        apart IMDB "$folder/text/aclImdb-50000.tar.zst" --member aclImdb/train -- \
            "$folder/text/aclImdb-50000.tar.zst" --member aclImdb/test
        ;;
    mnist)
        images=$folder/image/mnist
        apart MNIST "$images/train-images-idx3-ubyte.gz" -- \
            "$images/t10k-images-idx3-ubyte.gz"
        ;;
    million)
        awk 'BEGIN { srand(1); for (i = 0; i < 20; i++) printf "x%d,", i; print "class"
            for (r = 0; r < 1000000; r++) { c = rand() < .5; for (i = 0; i < 20; i++)
                printf "%.4f,", rand() + rand() + rand() + c * i / 20; print c ? "a" : "b" } }' \
            >"$work/million.csv"
        apart "1,000,000 rows of 20 numbers" "$work/million.csv" -- "$work/million.csv"
        ;;
    esac
done
