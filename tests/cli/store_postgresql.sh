#!/usr/bin/env bash
# store_postgresql.sh - a store on a PostgreSQL server: eight teachers and two readers at once, clients
# and the server killed, and not a lesson lost or there by half.
#
# The server is the test's own, on a socket in its folder. It may not run as root.
. "$(dirname "$0")/lib.bash"
pg=$(pg_config --bindir 2>/dev/null)
[ -x "$pg/postgres" ] || pg=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
[ -x "$pg/postgres" ] || { echo "skipped: there is no PostgreSQL server (scripts/deps.sh sql)"; exit 77; }
as_user=()
if [ "$(id -u)" -eq 0 ]; then
    id postgres >/dev/null 2>&1 || { echo "skipped: no user postgres"; exit 77; }
    as_user=(setpriv --reuid=postgres --regid="$(id -g postgres)" --clear-groups)
fi
home=$folder/server
mkdir "$home"
chmod 755 "$folder"
[ ${#as_user[@]} = 0 ] || chown postgres "$home"
"${as_user[@]}" "$pg/initdb" -D "$home/data" -A trust -U postgres --no-sync >server.log 2>&1 ||
    { cat server.log; echo "skipped: initdb fails here"; exit 77; }
start() {
    "${as_user[@]}" "$pg/postgres" -D "$home/data" -k "$home" -c listen_addresses= >>server.log 2>&1 &
    server=$!
    for _ in $(seq 100); do
        "$pg/pg_isready" -q -h "$home" && return
        sleep 0.1
    done
    fail "the server does not start"
}
trap 'kill -INT "$server" 2>/dev/null; wait "$server" 2>/dev/null; chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
start
store="postgresql://postgres@/postgres?host=$home"

# --- the same bytes -----------------------------------------------------------------------------------

cp "$data/sports.csv" .
head -4 sports.csv >first.csv
(head -1 sports.csv; tail -n +5 sports.csv) >rest.csv
expect 1 credence store stat "$store"
says err "there is no store"
expect 0 credence train -q -m nb --type text=text sports.csv -o all.model
expect 0 credence train -q -m nb --type text=text first.csv --store "$store"
expect 0 credence learn -q "$store" rest.csv
expect 0 credence store export "$store" -o out.model
expect 0 cmp out.model all.model
expect 0 credence unlearn -q "$store" rest.csv
expect 1 credence unlearn -q "$store" rest.csv
expect 0 credence learn -q "$store" rest.csv
expect 0 credence store export "$store" -o out.model
expect 0 cmp out.model all.model
expect 0 credence store check "$store"
expect 0 credence predict "$store" sports.csv
mv out live
expect 0 credence predict all.model sports.csv
mv out file
expect 0 cmp live file

# --- a store here and one on the server meet -----------------------------------------------------------

expect 0 credence store sync "$store" here.store # is made
expect 0 credence unlearn -q "$store" rest.csv
expect 0 credence store sync here.store "$store"
expect 0 credence learn -q here.store rest.csv
expect 0 credence store sync here.store "$store"
for s in here.store "$store"; do
    expect 0 credence store export "$s" -o out.model
    expect 0 cmp out.model all.model
    expect 0 credence store check "$s"
done

# --- killed in the middle of lessons -----------------------------------------------------------------

# Each lesson is a row of each class: whatever is killed, as many rows of each come. KILLS=500 for a long run.
rows_of_classes() { # the difference of their numbers
    credence store export "$store" -o kill.model
    credence show kill.model | awk '$1 == "Sports" && $2 ~ /^[0-9]/ { a = $2 } /^Not sports/ { b = $3 } END { print a - b }'
}
difference=$(rows_of_classes)
for i in $(seq "${KILLS:-20}"); do
    printf 'text,tag\nw%s x%s both,Sports\ny%s w%s both,Not sports\n' "$i" "$RANDOM" "$RANDOM" "$i" >lesson.csv
    "$CREDENCE_BIN" learn -q "$store" lesson.csv &
    victim=$!
    read -r -t "0.0$((RANDOM % 4))$((RANDOM % 10))" <> <(:) || :
    kill -9 $victim 2>/dev/null
    wait $victim 2>/dev/null
done
expect 0 credence store check "$store"
same "rows of the classes" "$(rows_of_classes)" "$difference"
before=$(credence store stat --json "$store" | json rows /dev/stdin)

# --- eight teach, two ask ------------------------------------------------------------------------------

# A lesson is one row of each class with a word of its own: what is acknowledged is there, as a whole.
teach() { # teacher
    for i in $(seq 8); do
        printf 'text,tag\nteacher%s lesson%s,Sports\nteacher%s lesson%s,Not sports\n' "$1" "$i" "$1" "$i" |
            "$CREDENCE_BIN" learn -q "$store" 2>/dev/null && echo "teacher$1 lesson$i"
    done >"done.$1"
}
for t in 1 2 3 4 5 6 7 8; do
    teach $t &
    teachers[t]=$!
done
for r in 1 2; do
    (for _ in $(seq 10); do
        printf 'text\na game\n' | "$CREDENCE_BIN" predict "$store" >/dev/null || echo failed
    done >"reader.$r" 2>&1) &
    readers[r]=$!
done
for _ in 1 2 3 4 5 6; do # clients die
    sleep 0.1
    victim=$(pgrep -f "$CREDENCE_BIN learn -q $store" | head -1)
    [ -z "$victim" ] || kill -9 "$victim" 2>/dev/null
done
for r in 1 2; do
    wait "${readers[r]}"
    silent "reader.$r"
done
sleep 0.3
kill -QUIT "$server" # the server dies, and comes again
wait "$server" 2>/dev/null
start
for t in 1 2 3 4 5 6 7 8; do
    wait "${teachers[t]}"
done
expect 0 credence store check "$store"
expect 0 credence store export "$store" -o after.model
same "rows of both classes" "$(rows_of_classes)" "$difference"
rows=$(credence store stat --json "$store" | json rows /dev/stdin)
acknowledged=$(cat done.? | wc -l)
[ "$rows" -ge $((before + 2 * acknowledged)) ] || fail "$acknowledged lessons were acknowledged, but only $rows rows are there"
[ "$acknowledged" -gt 8 ] || fail "only $acknowledged lessons were acknowledged"
finish
