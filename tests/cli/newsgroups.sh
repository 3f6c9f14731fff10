# tests/cli/newsgroups.sh - 20 Newsgroups by date: the accuracies of scikit-learn to four digits.
#
# The figures are those of scikit-learn's CountVectorizer or TfidfVectorizer with MultinomialNB,
# BernoulliNB and ComplementNB (norm=True and sublinear_tf=True for TWCNB) on the same split, once
# with the posts as they are and once with remove=('headers', 'footers', 'quotes').
# label: slow
set -u
if [ -z "${CREDENCE_DATA:-}" ] || [ ! -f "$CREDENCE_DATA/text/20news-bydate.tar.zst" ]; then
    echo "skipped: CREDENCE_DATA does not name a folder with text/20news-bydate.tar.zst"
    exit 77
fi
archive=$CREDENCE_DATA/text/20news-bydate.tar.zst
failed=0

train() { # MODEL KNOB=VALUE...
    local model=$1 knobs=()
    shift
    for knob in "$@"; do knobs+=(-p "$knob"); done
    "$CREDENCE_BIN" train "$archive" --member 20news-bydate/20news-bydate-train \
        -p tokens=words2 "${knobs[@]}" --calibrate none -o "$model" -q >train.out || exit 1
}

# Turn knobs and compare the accuracy on the test half.
expect() { # ACCURACY MODEL KNOB=VALUE...
    local wanted=$1 model=$2 knobs=() got
    shift 2
    for knob in "$@"; do knobs+=(-p "$knob"); done
    "$CREDENCE_BIN" refit "$model" "${knobs[@]}" -o turned -q >refit.out || exit 1
    got=$("$CREDENCE_BIN" test turned "$archive" --member 20news-bydate/20news-bydate-test --json |
        sed -n 's/^ *"accuracy": \([0-9.]*\),*$/\1/p')
    if [ "$(printf '%.4f' "$got")" = "$wanted" ]; then
        echo "ok $model $*: $got"
    else
        echo "FAILED $model $*: $got, not $wanted"
        failed=1
    fi
}

complement=(event=complement prior=uniform alpha=1)
train counts event=multinomial
expect 0.7728 counts alpha=1
expect 0.8062 counts alpha=0.1
expect 0.6308 counts alpha=1 event=bernoulli
expect 0.8267 counts "${complement[@]}"
train tfidf weight=tfidf length-norm=l2
expect 0.8352 tfidf alpha=0.01
expect 0.8364 tfidf "${complement[@]}"
train twcnb weight=sublinear-tfidf length-norm=l2
expect 0.8399 twcnb event=weighted-complement prior=uniform alpha=1

# What bench/choose_text.sh chose by cross-validation (docs/text.md), with Unicode words.
best=(tokens=words ngrams=1..2 weight=sublinear-tfidf length-norm=l2)
train best "${best[@]}"
expect 0.8517 best "${complement[@]}" alpha=0.03
train best-stripped "${best[@]}" strip=headers,footers,quotes
expect 0.7265 best-stripped "${complement[@]}" alpha=0.1

strip=strip=headers,footers,quotes
train counts-stripped event=multinomial $strip
expect 0.5431 counts-stripped alpha=1
expect 0.6492 counts-stripped alpha=0.1
expect 0.4579 counts-stripped alpha=1 event=bernoulli
expect 0.6693 counts-stripped "${complement[@]}"
train tfidf-stripped $strip weight=tfidf length-norm=l2
expect 0.7002 tfidf-stripped alpha=0.01
expect 0.7146 tfidf-stripped "${complement[@]}"
train twcnb-stripped $strip weight=sublinear-tfidf length-norm=l2
expect 0.7091 twcnb-stripped event=weighted-complement prior=uniform alpha=1

[ "$failed" -eq 0 ]
