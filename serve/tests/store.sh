#!/usr/bin/env bash
# store.sh - stores are served as models are: answers, lessons, and what other processes teach.
. "$(dirname "$0")/server.bash"
cp "$CREDENCE_SOURCE"/examples/data/*.csv .
head -n 101 iris.csv >some.csv
(head -n 1 iris.csv; tail -n 50 iris.csv) >rest.csv
credence train -q -m nb -p real=gaussian --calibrate none some.csv -t species --store iris.store
credence train -q -m nb -p real=gaussian --calibrate none some.csv -t species -o some.want
credence train -q -m nb -p real=gaussian --calibrate none iris.csv -t species -o all.want
csv='Content-Type: text/csv'
exported() { credence store export iris.store -o now.model && cmp now.model "$1"; }

start iris.store
answers 200 /models/iris/file
same "the store as a model" "$(cmp out some.want)" ""
answers 200 '/models/iris/predict?proba=1' -H "$csv" -H 'Accept: text/csv' --data-binary @rest.csv
mv out served
credence predict --proba iris.store rest.csv >printed
same "predictions" "$(cmp served printed)" ""
answers 403 /models/iris/learn -H "$csv" --data-binary @rest.csv
credence learn -q iris.store rest.csv --new-class # by another process: seen with the next tick
for _ in $(seq 50); do
    answers 200 /models/iris/file
    cmp -s out all.want && break
    sleep 0.1
done
same "what another process taught" "$(cmp out all.want)" ""
stop

start iris.store --learn
answers 200 /models/iris/unlearn -H "$csv" --data-binary @rest.csv
same "receipt" "$(cat out)" '{"lesson": 1, "rows": 50, "again": false}'
same "taken back in the store" "$(exported some.want)" ""
answers 200 /models/iris/file
same "and in the answers" "$(cmp out some.want)" ""
answers 409 /models/iris/unlearn -H "$csv" --data-binary @rest.csv
answers 200 /models/iris/learn -H 'Idempotency-Key: k1' -H "$csv" --data-binary @rest.csv
answers 200 /models/iris/learn -H 'Idempotency-Key: k1' -H "$csv" --data-binary @rest.csv
says out '"again": true'
same "learned once" "$(exported all.want)" ""
answers 200 /models/iris/undo/2 -d ''
same "undone" "$(exported some.want)" ""
answers 200 /metrics
says out 'credence_store_week_judged{model="iris"}'
says out 'credence_store_lessons{model="iris"}'
stop KILL # nothing that was acknowledged is lost, and nothing is learned again
start iris.store --learn
answers 200 /models/iris/history
says out '"lessons": 3'
same "after kill -9" "$(exported some.want)" ""
stop
expect 0 credence store check iris.store

# A journal beyond its limit loses its oldest lessons; the store has them.
start iris.store --learn --max-journal 4K
for i in 1 2 3 4; do
    answers 200 /models/iris/learn -H "$csv" --data-binary @rest.csv
    answers 200 /models/iris/unlearn -H "$csv" --data-binary @rest.csv
done
kill -HUP $server
for i in $(seq 50); do
    ask /models/iris/history
    [ "$(json first out)" != 1 ] && break
    sleep 0.1
done
same "the first lesson of the journal" "$(json first out) $(json lessons out)" "11 11"
stop KILL
start iris.store --learn
answers 200 /models/iris/undo/11 -d ''
says out '"lesson": 12'
same "the last lesson undone" "$(exported all.want)" ""
answers 200 /models/iris/unlearn -H "$csv" --data-binary @rest.csv
stop

mkdir models && mv iris.store models && cp some.want models/plain.model # a folder with both
start models
answers 200 /models
says out '"iris"'
says out '"plain"'
mv models/iris.store away # one that goes, and comes again with other lessons
for _ in $(seq 50); do
    ask /models/iris/file
    [ "$http" = 200 ] || break
    sleep 0.1
done
[ "$http" != 200 ] || fail "a store that is gone answers"
credence learn -q away rest.csv --new-class
mv away models/iris.store
for _ in $(seq 50); do
    ask /models/iris/file
    cmp -s out all.want && break
    sleep 0.1
done
same "a store that came again" "$(cmp out all.want)" ""
stop
finish
