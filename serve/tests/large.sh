#!/usr/bin/env bash
# large.sh - bodies and answers that memory does not hold: CSV, JSON Lines and JSON, sent while they
# are written; what goes wrong on the way; clients that go.
. "$(dirname "$0")/server.bash"
times=${CREDENCE_LARGE:-16} # so many pieces of 0.7 (CSV) or 3.7 MB (JSON)
cp "$CREDENCE_SOURCE"/examples/data/iris.csv .
credence train -m nb -p real=gaussian --calibrate none iris.csv -t species -o iris.model >/dev/null 2>&1
start --max-body 8G --max-rows 100000000 .

# A piece of 45,000 rows, and what the command says of them.
head -n 1 iris.csv | cut -d, -f1-4 >head.csv
tail -n +2 iris.csv | cut -d, -f1-4 >once
for _ in $(seq 300); do cat once; done >piece.csv
awk -F, '{ printf "{\"sepal_length\": %s, \"sepal_width\": %s, \"petal_length\": %s, \"petal_width\": %s}\n", $1, $2, $3, $4 }' \
    piece.csv >piece.jsonl
cat head.csv piece.csv | credence predict --no-output-header iris.model - >want.csv
cat head.csv piece.csv | credence predict --json iris.model - >want.jsonl
repeat() { for _ in $(seq "$times"); do cat "$1"; done; }
peak() { awk '/VmHWM/ { print $2 }' "/proc/$server/status"; }
send() { # TYPE [PATH]: standard input as it comes, its answer as it comes
    curl -sS -T - -X POST -H "Content-Type: $1" -H 'Expect:' -D head "$url${2:-/models/iris/predict}"
}

# --- the same bytes as the command, and no more memory than for a small one -----------------------
cat head.csv piece.csv | send text/csv >/dev/null
before=$(peak)
(cat head.csv; repeat piece.csv) | send text/csv >out
same "CSV" "$( (echo prediction; repeat want.csv) | cmp - out)" ""
says head 'Transfer-Encoding: chunked'
repeat piece.jsonl | send application/x-ndjson >out
same "JSON Lines" "$(repeat want.jsonl | cmp - out)" ""
(echo '['; repeat piece.jsonl | sed '1!s/^/,/'; echo ']') | send application/json >out
same "JSON" "$( (echo '['; repeat want.jsonl | sed '$!s/$/,/'; echo ']') | cmp - out)" ""
after=$(peak)
echo "a body of $((37 * times / 10)) MB: $before kB before, $after kB at most" >&2
if (ulimit -v 8000000; "$CREDENCE_BIN" help >/dev/null 2>&1); then # a sanitizer has memory of its own
    checks=$((checks + 1))
    [ "$after" -lt $((before + 49152)) ] || fail "memory: $before kB before, $after kB after"
fi

# Clients of HTTP/1.0 know no chunks: their answer is made first, then sent.
curl -sS -0 -H 'Content-Type: text/csv' --data-binary @<(cat head.csv piece.csv piece.csv piece.csv piece.csv) \
    -D head "$url/models/iris/predict" >out
same "HTTP/1.0" "$(cat want.csv want.csv want.csv want.csv | cmp - <(tail -n +2 out))" ""
says head 'Content-Length'

# --- what is wrong behind the first megabyte ends the answer without its end ----------------------
wrong() { # TYPE
    send "$1" >out 2>err
    same "curl misses the end" $? 18
}
(cat head.csv piece.csv piece.csv piece.csv piece.csv; echo 1,2,three,4) | wrong text/csv
same "no answer after it" "$(cat want.csv want.csv want.csv want.csv | cmp -n "$(($(wc -c <out) - 11))" - <(tail -n +2 out))" ""
(cat piece.jsonl piece.jsonl; echo '{"sepal_length": "long"}') | wrong application/x-ndjson
checks=$((checks + 1))
tail -n 1 out | grep -q '^{"error": .*long' || fail "the last line is no error: $(tail -n 1 out)"
(echo '['; cat piece.jsonl piece.jsonl | sed '1!s/^/,/'; echo ',{"sepal_length": "long"}]') | wrong application/json
checks=$((checks + 1))
tail -n 1 out | grep -q '^{"error": .*long' || fail "the last line is no error: $(tail -n 1 out)"
# Before it, the status tells.
(echo 1,2,three,4; cat piece.csv) | cat head.csv - | send text/csv >out
says head ' 400 '
says out 'three'

# --- a client that goes, and one that reads slowly, hold nothing ----------------------------------
for _ in 1 2 3 4; do
    (cat head.csv; repeat piece.csv) | send text/csv | head -c 100000 >/dev/null 2>&1
done 2>/dev/null
(cat head.csv; repeat piece.csv) | send text/csv '/models/iris/predict?proba' | (sleep 2; cat) >slow &
reader=$!
answers 200 /models/iris/predict -d '{"sepal_length": 5, "sepal_width": 3, "petal_length": 1.5, "petal_width": 0.2}'
wait $reader
same "the slow one" "$(wc -l <slow)" $((45000 * times + 1))
stop
silent server.err
finish
