#!/usr/bin/env bash
# bench/logistic_texts.sh - accuracy of logistic regression on 20 Newsgroups (by date) and IMDB, with
# lambda chosen by three folds of the training part.
#
#   CREDENCE_DATA=FOLDER bench/logistic_texts.sh CREDENCE [kept|stripped|unigrams|bigrams]...
set -eu
bin=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- kept stripped unigrams bigrams
model=$(mktemp)
trap 'rm -f "$model"' EXIT

accuracy() { # NAME ARCHIVE TRAIN TEST KNOB=VALUES...
    local name=$1 archive=$2 train=$3 test=$4 knobs=()
    shift 4
    for knob in "$@"; do knobs+=(-p "$knob"); done
    "$bin" tune -q "$archive" --member "$train" -m logistic -p posterior=none "${knobs[@]}" \
        -k 3 --by accuracy -o "$model" >/dev/null
    printf '%-10s %s, ' "$name" "$("$bin" show "$model" | grep -o 'lambda=[0-9.]*')"
    printf '%s\n' "$("$bin" test "$model" "$archive" --member "$test" --json |
        sed -n 's/^ *"accuracy": \([0-9.]*\),*$/\1/p' | head -1)"
}

news() { # NAME KNOB=VALUE...
    local name=$1
    shift
    accuracy "$name" "$CREDENCE_DATA/text/20news-bydate.tar.zst" \
        20news-bydate/20news-bydate-train 20news-bydate/20news-bydate-test tokens=words2 \
        weight=tfidf length-norm=l2 lambda=0.01,0.03,0.1,0.3,1 epsilon=3e-4 "$@"
}

imdb() { # NAME NGRAMS LAMBDAS
    accuracy "$1" "$CREDENCE_DATA/text/aclImdb-50000.tar.zst" aclImdb/train aclImdb/test \
        weight=binary features=log-count-ratio "lambda=$3" epsilon=1e-4 "ngrams=$2"
}

for part in "$@"; do
    case $part in
    kept) news kept ;;
    stripped) news stripped strip=headers,footers,quotes ;;
    unigrams) imdb unigrams 1 1,3,10,30,100 ;;
    bigrams) imdb bigrams 1..2 3,10,30 ;;
    esac
done
