#!/usr/bin/env bash
# sms.sh - the SMS Spam Collection, ten random splits of 70 and 30 %, with the knobs of docs/text.md.
if [ -z "${CREDENCE_DATA:-}" ] || [ ! -f "$CREDENCE_DATA/text/sms/SMSSpamCollection" ]; then
    echo "skipped: CREDENCE_DATA does not name a folder with text/sms/SMSSpamCollection"
    exit 77
fi
. "$(dirname "$0")/lib.bash"
tr -d '\r' <"$CREDENCE_DATA/text/sms/SMSSpamCollection" >messages
for seed in 1 2 3 4 5 6 7 8 9 10; do
    awk -v seed=$seed -v share=0.7 -f "$CREDENCE_SOURCE/bench/deal.awk" messages |
        awk -F '\t' '{ print substr($0, length($1) + 2) > ($1 == "test" ? "new" : "known") }'
    credence train -q known -f labelled -p tokens=rich -p ngrams=1..2 -p event=boolean \
        -p alpha=0.1 -o sms.model
    credence test --json sms.model new -f labelled >out
    echo "$(json accuracy out) $(sed -n '/"confusion"/{n;s/[^0-9,]//g;s/,/ /p}' out)"
done >results
# At least 99.1 % right, and at most 0.35 % of ham taken for spam (means of the splits).
same "splits" "$(wc -l <results)" 10
same "accuracy below 0.991" "$(awk '{ m += $1 / 10 } END { print (m < 0.991) }' results)" 0
same "more ham than 0.35 % taken for spam" \
    "$(awk '{ m += $3 / ($2 + $3) / 10 } END { print (m > 0.0035) }' results)" 0
finish
