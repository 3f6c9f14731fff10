#!/usr/bin/env bash
# learn.sh - lessons: learned at once, taken back, known by their keys, and there after kill -9.
. "$(dirname "$0")/server.bash"
cp "$CREDENCE_SOURCE"/examples/data/*.csv .
train() { credence train -m nb -p real=gaussian --calibrate none "$1" -t species -o "$2" >/dev/null 2>&1; }
head -n 101 iris.csv >some.csv
(head -n 1 iris.csv; tail -n 50 iris.csv) >rest.csv
train some.csv iris.model
train iris.csv all.want
credence train -m tree tax.csv -t evade -o tree.model >/dev/null 2>&1
csv='Content-Type: text/csv'

# --- without --learn nothing is learned -----------------------------------------------------------
start iris.model
answers 403 /models/iris/learn -H "$csv" --data-binary @rest.csv
says out '--learn'
answers 200 /models/iris/history
says out '"learns": false'
stop

# --- a lesson, and its undoing --------------------------------------------------------------------
start iris.model --learn
answers 200 /models/iris/learn -H "$csv" --data-binary @rest.csv
same "receipt" "$(cat out)" '{"lesson": 1, "rows": 50, "again": false}'
answers 200 /models/iris/file
same "the model knows it" "$(cmp out all.want)" ""
answers 200 /models/iris/unlearn -H "$csv" --data-binary @rest.csv
answers 200 /models/iris/file
same "the model has forgotten it" "$(cmp out iris.model)" ""
answers 200 /models/iris/undo/2 -d ''
says out '"lesson": 3'
answers 200 /models/iris/file
same "forgetting undone" "$(cmp out all.want)" ""
answers 409 /models/iris/undo/2 -d ''
answers 400 /models/iris/undo/9 -d ''
answers 400 /models/iris/undo/x -d ''
row='{"sepal_length": 5, "sepal_width": 3, "petal_length": 1.5, "petal_width": 0.2, "species": "setosa"}'
answers 200 /models/iris/learn -H 'Idempotency-Key: k1' -d "$row"
answers 200 /models/iris/learn -H 'Idempotency-Key: k1' -d "$row"
same "the second time" "$(cat out)" '{"lesson": 4, "rows": 1, "again": true}'
answers 200 /models/iris/history
says out '"lessons": 4'
says out '{"lesson": 3, '
says out '"what": "undo", "rows": 50, "undoes": 2}'
says out '"key": "k1"'
answers 409 /models/iris/unlearn -d '{"sepal_length": 99, "species": "rosa"}'
answers 400 /models/iris/learn -d '{"sepal_length": 1}'
answers 400 /models/iris/learn -d '{"sepal_length": "long", "species": "setosa"}'
answers 200 /models/iris/undo/4 -d ''
answers 200 /models/iris/file
same "after wrong lessons" "$(cmp out all.want)" ""
stop
same "the file, after SIGTERM" "$(cmp iris.model all.want)" ""

# --- what other programs do to the file is kept ---------------------------------------------------
start iris.model --learn
answers 200 /models/iris/learn -d "$row"
credence unlearn iris.model rest.csv >/dev/null 2>&1
stop
(cat some.csv; echo 5,3,1.5,0.2,setosa) >want.csv
train want.csv want.model
same "a file changed by two" "$(cmp iris.model want.model)" ""

# --- a learner that cannot learn more; two servers ------------------------------------------------
start . --learn
answers 409 /models/tree/learn -H "$csv" --data-binary @tax.csv
answers 200 /models/iris/learn -d "$row"
expect 1 timeout 10 "$serve_bin" --listen 127.0.0.1:0 --learn .
says err 'another server is learning'
stop

# --- a journal beyond its limit loses its oldest lessons, and nothing else ------------------------
rm -f ./*.journal
train some.csv iris.model
start iris.model --learn --max-journal 20K
for i in $(seq 120); do
    curl -s -H "Idempotency-Key: k$i" -d "$row" "$url/models/iris/learn"
done >out
same "lessons taken" "$(grep -c '"again": false' out)" 120
kill -HUP $server
for i in $(seq 50); do
    ask /models/iris/history
    [ "$(json saved out)" = 120 ] && [ "$(json first out)" != 1 ] && break
    sleep 0.1
done
first=$(json first out)
same "lessons" "$(json lessons out)" 120
checks=$((checks + 2))
[ "$first" -gt 1 ] && [ "$first" -lt 110 ] || fail "the journal begins with lesson $first"
[ "$(stat -c %s iris.model.journal)" -lt 20480 ] || fail "the journal is as large as before"
answers 409 /models/iris/undo/1 -d ''
says out "the journal begins with lesson $first"
answers 200 /models/iris/undo/119 -d ''
answers 200 /models/iris/learn -H 'Idempotency-Key: k120' -d "$row"
same "a key that is known" "$(cat out)" '{"lesson": 120, "rows": 1, "again": true}'
stop KILL
start iris.model --learn --max-journal 20K
answers 200 /models/iris/history
same "after kill -9" "$(json lessons out) $(json first out)" "121 $first"
stop
(cat some.csv; for i in $(seq 119); do echo 5,3,1.5,0.2,setosa; done) >want.csv
train want.csv want.model
same "a model with a short journal" "$(cmp iris.model want.model)" ""

# --- kill -9, again and again, while eight clients teach ------------------------------------------
kills=${CREDENCE_KILLS:-12}
lessons=${CREDENCE_LESSONS:-40}
rm -f ./*.journal tree.model
train some.csv iris.model
port=$(awk -v p=$$ 'BEGIN { srand(p); print 20000 + int(rand() * 20000) }')
url=http://127.0.0.1:$port
teach() { # CLIENT: every lesson until it is acknowledged
    local n
    for n in $(seq "$lessons"); do
        until [ "$(curl -s -m 5 -o /dev/null -w '%{http_code}' -H "Idempotency-Key: $1-$n" \
            -d "{\"sepal_length\": 4.$1, \"sepal_width\": $n, \"petal_length\": 1, \"petal_width\": 0.5, \"species\": \"class $1\"}" \
            "$url/models/iris/learn")" = 200 ]; do
            [ ! -e stop ] || return
        done
    done
}
clients=()
for c in 1 2 3 4 5 6 7 8; do
    teach $c &
    clients+=($!)
done
for k in $(seq "$kills"); do
    "$serve_bin" --listen "127.0.0.1:$port" --learn --max-journal 64K iris.model >/dev/null 2>>server.err &
    server=$!
    sleep "0.$((RANDOM % 4 + 1))$((RANDOM % 10))"
    kill -HUP $server # which saves the model and shortens the journal
    sleep "0.0$((RANDOM % 10))"
    stop KILL
done
"$serve_bin" --listen "127.0.0.1:$port" --learn iris.model >/dev/null 2>>server.err &
server=$!
wait "${clients[@]}"
curl -s -o /dev/null --retry 50 --retry-delay 1 --retry-connrefused "$url/v2/health/live"
ask '/models/iris/history?top=100000'
same "lessons" "$(json lessons out)" $((8 * lessons))
same "keys that came twice" "$(grep -o '"key": "[^"]*"' out | sort | uniq -d)" ""
stop
(cat some.csv
    for c in 1 2 3 4 5 6 7 8; do
        seq "$lessons" | sed "s/.*/4.$c,&,1,0.5,class $c/"
    done) >want.csv
train want.csv want.model
same "the model after $kills kills" "$(cmp iris.model want.model)" ""
silent server.err
finish
