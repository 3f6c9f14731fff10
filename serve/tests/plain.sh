#!/usr/bin/env bash
# plain.sh - rows in, answers out: JSON, JSON Lines and CSV, to the byte as the command writes them.
. "$(dirname "$0")/server.bash"
cp "$CREDENCE_SOURCE"/examples/data/*.csv .
credence train -m nb -p real=gaussian --calibrate none iris.csv -t species -o iris.model >/dev/null 2>&1
credence train -m nb tax.csv -t evade -o tax.model >/dev/null 2>&1
credence train -m linear houses.csv -t price -o houses.model >/dev/null 2>&1
rows=iris.csv
credence predict --json iris.model $rows >want.jsonl
start .

# --- the same bytes as the command ----------------------------------------------------------------
answers 200 /models/iris/predict -H 'Content-Type: text/csv' --data-binary @$rows
credence predict iris.model $rows >want
same "CSV" "$(cmp out want)" ""
answers 200 '/models/iris/predict?proba' -H 'Content-Type: text/csv' --data-binary @$rows
credence predict --proba iris.model $rows >want
same "CSV with probabilities" "$(cmp out want)" ""
answers 200 '/models/iris/predict?proba&keep' -H 'Content-Type: text/csv' --data-binary @$rows
credence predict --keep --proba iris.model $rows >want
same "CSV with kept columns and probabilities" "$(cmp out want)" ""
answers 200 /models/iris/predict -H 'Content-Type: text/csv' -H 'Accept: application/x-ndjson' \
    --data-binary @$rows
same "JSON Lines of CSV" "$(cmp out want.jsonl)" ""

awk -F, 'NR == 1 { for (i = 1; i <= 4; i++) name[i] = $i; next }
    { for (i = 1; i <= 4; i++) printf "%s\"%s\": %s", i == 1 ? "{" : ", ", name[i], $i; print "}" }' \
    $rows >rows.jsonl
answers 200 /models/iris/predict -H 'Content-Type: application/x-ndjson' --data-binary @rows.jsonl
same "JSON Lines" "$(cmp out want.jsonl)" ""
awk 'BEGIN { print "[" } { print (NR > 1 ? "," : "") $0 } END { print "]" }' rows.jsonl >rows.json
answers 200 /models/iris/predict -H 'Content-Type: application/json' --data-binary @rows.json
same "an array" "$(grep '^{' out | sed 's/,$//' | cmp - want.jsonl)" ""
answers 200 /models/iris/predict -d "$(head -n 1 rows.jsonl)"
same "an object" "$(cat out)" "$(head -n 1 want.jsonl)"

# A row that is not plain goes another way and comes to the same.
answers 200 /models/iris/predict -d "$(head -n 1 rows.jsonl | sed 's/^{/{"colour": "blue", /')"
same "an object with a key too many" "$(cat out)" "$(head -n 1 want.jsonl)"
answers 200 /models/iris/predict -d "$(head -n 1 rows.jsonl | sed -E 's/: ([0-9.]+)/:\n"\1"/')"
same "a number as a string" "$(cat out)" "$(head -n 1 want.jsonl)"
credence predict --json --cost 'yes->no=3' --reject 0.35 --priors 'no:0.5,yes:0.5' tax.model tax.csv >want
answers 200 '/models/tax/predict?cost=yes->no=3&reject=0.35&priors=no:0.5,yes:0.5' \
    -H 'Content-Type: text/csv' -H 'Accept: application/jsonl' --data-binary @tax.csv
same "costs, rejection and priors" "$(cmp out want)" ""
credence predict --json --interval 95 houses.model houses.csv >want
answers 200 '/models/houses/predict?interval=95' -H 'Content-Type: text/csv' \
    -H 'Accept: application/jsonl' --data-binary @houses.csv
same "numbers" "$(cmp out want)" ""

# --- what is wrong --------------------------------------------------------------------------------
answers 404 /models/irs/predict -d '{}'
says out "did you mean 'iris'?"
answers 404 /nowhere
answers 405 /models/iris/predict
answers 405 /models -X DELETE
answers 400 /models/iris/predict -d '{"petal_width": }'
says out '"column"'
answers 400 /models/iris/predict -d '[1, 2]'
answers 400 /models/iris/predict -d ''
answers 400 '/models/iris/predict?allow-absent' -H 'Content-Type: text/csv' \
    --data-binary $'petal_width\nlong\n'
says out "petal_width"
answers 400 '/models/tax/predict?cost=maybe->no=3' -d '{}'
answers 400 '/models/tax/predict?reject=much' -d '{}'
answers 400 '/models/iris/predict?x=%zz' -d '{}'
answers 403 /models/iris/predict -H 'Origin: https://example.org' -d '{}'
answers 403 /models/iris/predict -H 'Host: example.org' -d '{}'

# --- models ---------------------------------------------------------------------------------------
answers 200 /models
says out '"name": "iris"'
answers 200 /models/iris
says out '"learner": "nb"'
answers 200 /
says out '<!doctype html>'
answers 304 / -H "If-None-Match: $(curl -sI "$url/" | sed -n 's/^ETag: \(.*\)\r/\1/ip')"
curl -sI "$url/" >head
says head "script-src 'self'"
stop
same "exit status" "$status" 0
silent server.err
finish
