#!/usr/bin/env bash
# preset.sh - several knobs by one name: for mail, and for subjects.
. "$(dirname "$0")/lib.bash"
mkdir -p box/spam box/ham
for i in 1 2 3 4 5 6; do
    printf 'Received: from bulk%s.example.com\nSubject: Prize %s\n\nWin a free prize now, claim %s\n' \
        $i $i $i >box/spam/$i
    printf 'Received: from work.example.org\nSubject: Lunch %s\n\nSee you on Friday at noon, %s\n' \
        $i $i >box/ham/$i
done
printf 'Received: from bulk9.example.com\nSubject: Prize\n\nClaim a free prize\n' >spam.msg
printf 'Received: from work.example.org\nSubject: Lunch\n\nFriday at noon\n' >ham.msg

# --- the knobs it turns -----------------------------------------------------------------------
expect 0 credence train box -f mail -m logistic -p preset=mail -o lr.model --json
for knob in 'tokens": "rich' 'ngrams": "1..2' 'weight": "binary' 'length-norm": "l2' \
    'features": "log-count-ratio' 'lambda": "0.01'; do
    says out "$knob"
done
expect 0 credence train box -f mail -p preset=mail -o nb.model --json
says out 'event": "boolean'
says out 'select": "odds:3'
# It is the same as those knobs one by one, and later knobs override it.
expect 0 credence train -q box -f mail -m logistic -p tokens=rich -p ngrams=1..2 -p weight=binary \
    -p length-norm=l2 -p features=log-count-ratio -p min-count=2 -p lambda=0.01 \
    -p epsilon=1e-5 -o same.model
cmp -s lr.model same.model || fail "the preset and its knobs give different models"
expect 0 credence train box -f mail -m logistic -p preset=mail -p lambda=2 --json
says out 'lambda": "2'
expect 2 credence train box -f mail -p preset=post
says err "preset"
expect 2 credence train box -f mail -m tree -p preset=mail
says err "no preset 'mail'"

expect 2 credence train box -f mail -m nb -p preset=tfidf
says err "logistic regression also tfidf"

# Those for subjects are their knobs, too.
same_as() { # LEARNER PRESET KNOB...
    local learner=$1 preset=$2 knobs=()
    shift 2
    for knob; do
        knobs+=(-p "$knob")
    done
    expect 0 credence train -q box -f mail -m "$learner" -p "preset=$preset" -o preset.model
    expect 0 credence train -q box -f mail -m "$learner" "${knobs[@]}" -o same.model
    expect 0 cmp preset.model same.model
}
same_as nb tfidf-pairs event=complement prior=uniform weight=sublinear-tfidf length-norm=l2 \
    ngrams=1..2 text-alpha=0.03
same_as logistic tfidf-pairs weight=sublinear-tfidf length-norm=l2 ngrams=1..2 min-count=2 \
    lambda=0.03 epsilon=1e-3
same_as logistic tfidf weight=tfidf length-norm=l2 min-count=2 lambda=0.1 epsilon=1e-3

# --- texts that are no mail ---------------------------------------------------------------------
printf 'text,class\nwin a free prize,spam\nsee you at noon,ham\nfree prize now,spam\nlunch at noon,ham\n' \
    >texts.csv
expect 0 credence train texts.csv --type text=text -m nb -p preset=mail -o texts.model
says err "select=odds:3, as preset=mail has it, suits mail"
says err "-p select=none keeps them"
expect 0 credence train texts.csv --type text=text -m nb -p preset=mail -p select=none -o texts.model
silent err
expect 0 credence train box -f mail -m nb -p preset=mail -o nb.model
silent err

# --- what becomes of mail ---------------------------------------------------------------------
for model in lr.model nb.model; do
    expect 0 credence filter --unsure 0.5..0.5 $model spam.msg
    expect 1 credence filter --unsure 0.5..0.5 $model ham.msg
    expect 0 credence filter -q $model --learn spam spam.msg
    expect 0 credence filter --unsure 0.5..0.5 $model spam.msg
done

# --- headers and body count like half of text-length each ------------------------------------------
# From what each word adds without a limit: headers and body are scaled to 2 words apart.
credence train -q box -f mail -m nb -p prior=uniform -o long.model
credence refit -q long.model -p text-length=4 -o short.model
mkdir one && cp box/ham/1 one/ham
halves() { # MODEL: log-odds of the headers' words and of the body's, how many of each; all together
    credence explain --csv -f mail "$1" one | awk -F , '
        $2 != "text" { next }
        $13 == "" { all += $4 == "ham" ? $5 : -$5; next }
        { part = $13 ~ /^(header|received|subject):/; odds[part] += $4 == "ham" ? $5 : -$5 }
        $4 == "ham" { words[part] += $14 }
        END { printf "%d %d %.12g %.12g\n", words[1], words[0], 2 * odds[1] / words[1] + \
                  2 * odds[0] / words[0], all }'
}
read -r heads bodies want _ <<<"$(halves long.model)"
[ "$heads" -gt 2 ] && [ "$bodies" -gt 2 ] || fail "the message is too short to be scaled"
read -r _ _ _ got <<<"$(halves short.model)"
near "headers and body of a message count apart" "$got" "$want" 1e-9

# --- n words with the same odds count like n^text-alike ----------------------------------------------
# By hand from what each word says alone: words of the headers, or of the body, that speak for the
# same class with the same log-odds, to within 1/2, are divided by the root of their number.
credence train -q box -f mail -m nb -p prior=uniform -p event=boolean -o each.model
credence refit -q each.model -p text-alike=0.5 -p text-length=9999 -o alike.model
by_hand() { # MODEL: log-odds of the words, together and by the root of each group; those of the text; groups
    credence explain --csv -f mail "$1" one | awk -F , '
        $2 != "text" { next }
        $4 == "ham" { ham = $5; next }
        $13 == "" { all = ham - $5; next }
        {
            odds = ham - $5; size = odds < 0 ? -odds : odds
            key = ($13 ~ /^(header|received|subject):/) " " (odds < 0) " " int(2 * size)
            n[key]++; sum[key] += odds; plain += odds
        }
        END {
            for (key in n) {
                root += sum[key] / sqrt(n[key]); groups++
            }
            printf "%.12g %.12g %.12g %d\n", plain, root, all, groups
        }'
}
read -r plain want all groups <<<"$(by_hand each.model)"
[ "$groups" -gt 2 ] || fail "the words of the message say the same"
near "words count each" "$all" "$plain" 1e-9
read -r plain _ all _ <<<"$(by_hand alike.model)"
near "words that repeat each other count less" "$all" "$want" 1e-9
near "and so does what is said of each" "$plain" "$want" 1e-9
# A learned message changes them as training with it would; the file keeps the knob.
cp -r box more && cp one/ham more/ham/again
expect 0 credence filter -q alike.model --learn ham one/ham
expect 0 credence train -q more -f mail -m nb -p prior=uniform -p event=boolean \
    -p text-alike=0.5 -p text-length=9999 -o trained.model
for model in alike trained; do
    credence explain --csv -f mail $model.model one >$model.csv
done
expect 0 cmp alike.csv trained.csv
finish
