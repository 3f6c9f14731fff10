#!/usr/bin/env bash
# text_reference.sh - posteriors of texts against scikit-learn's, to 1e-9.
#
# tests/reference/make_text_posteriors.py made the table and the answers, for every event model and
# weighting, once for the rows as they are and once with whole weights.
. "$(dirname "$0")/lib.bash"
reference=$CREDENCE_SOURCE/tests/reference
cp "$reference/posts.csv" "$reference/posts-new.csv" .
cut -d , -f 1,2 posts.csv >plain.csv

posteriors() { # KNOBS WEIGHTS
    local knobs=() k
    for k in $1; do knobs+=(-p "$k"); done
    if [ "$2" = yes ]; then
        credence train -q posts.csv -t class --weight rows --type text=text -p tokens=words2 \
            "${knobs[@]}" -o posts.model
    else
        credence train -q plain.csv --type text=text -p tokens=words2 "${knobs[@]}" -o posts.model
    fi
    credence predict -q --proba --csv posts.model posts-new.csv | tail -n +2 | cut -d , -f 2-
}

cases=0
while IFS='|' read -r knobs weights; do
    cases=$((cases + 1))
    posteriors "$knobs" "$weights" >got
    grep -F "$knobs,$weights," "$reference/text-posteriors.csv" |
        awk -F , -v k="$knobs" '$1 == k' | cut -d , -f 4- >wanted
    same "$knobs, weights $weights: rows" "$(wc -l <got)" 20
    same "$knobs, weights $weights: posteriors off by more than 1e-9" "$(paste -d , wanted got |
        awk -F , '{ for (i = 1; i <= 3; i++) { d = $i - $(i + 3)
            if (d > 1e-9 || d < -1e-9) off++ } } END { print off + 0 }')" 0
done < <(sed '1,2d' "$reference/text-posteriors.csv" | awk -F , '{ print $1 "|" $2 }' | uniq)
same "cases" $cases 26

# Weighted rows are taken back exactly, and fractions of a text are refused.
credence train -m nb -q posts.csv -t class --weight rows --type text=text -o all.model
sed -n '1p;5,9p' posts.csv >some.csv
credence learn -q all.model some.csv -o more.model
credence unlearn -q more.model some.csv -o again.model
cmp -s all.model again.model || fail "weighted texts that were learned cannot be taken back"
sed '2s/,[0-9]*$/,0.5/' posts.csv >half.csv
expect 1 credence train -m nb half.csv -t class --weight rows --type text=text -o half.model
says err "whole number"
finish
