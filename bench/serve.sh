#!/usr/bin/env bash
# serve.sh - how fast credence-serve answers, beside a bare libmicrohttpd handler; how it bears many
# connections, slow clients and kill -9.
#
# Usage: bench/serve.sh BUILD [answers|batches|idle|slow|kill]...        (all)
#
# Everything runs on loopback. On a busy machine requests a second say little: CPU time of the server
# (user and system) for a request is measured beside them, and the ratio is of that.
set -euo pipefail
build=$(realpath "${1:?the build folder}")
source=$(cd "$(dirname "$0")/.." && pwd)
shift
[ $# -gt 0 ] || set -- answers batches idle slow kill
work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
for tool in wrk curl; do
    type -P $tool >/dev/null || { echo "serve.sh: $tool is needed: scripts/deps.sh bench" >&2; exit 1; }
done

cmake --build "$build" --target credence credence-serve serve_bare serve_clients serve_pace >build.out 2>&1 ||
    { cat build.out >&2; exit 1; }

# A model of naive Bayes with 20 columns of numbers, and rows like those it has learned.
awk 'BEGIN { srand(1); for (i = 1; i <= 20; i++) printf "f%d,", i; print "class"
    for (r = 0; r < 20000; r++) { c = int(rand() * 2)
        for (i = 1; i <= 20; i++) printf "%.3f,", rand() + c * 0.3
        print c ? "yes" : "no" } }' >rows.csv
"$build/credence" train -m nb rows.csv -t class -o twenty.model >/dev/null 2>&1
row=$(awk -F, 'NR == 2 { for (i = 1; i <= 20; i++) printf "%s\"f%d\": %s", i == 1 ? "{" : ", ", i, $i; print "}" }' rows.csv)
cat >row.lua <<LUA
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '$row'
LUA

start() { # THREADS [OPTION...]: the server's address in $url, its process in $server
    local threads=$1
    shift
    rm -f address
    mkfifo address
    "$build/credence-serve" --listen 127.0.0.1:0 --threads "$threads" "$@" twenty.model >address &
    server=$!
    pids+=("$server")
    read -r url <address
}
bare() { # THREADS SIZE
    "$build/bench/serve_bare" 18752 "$1" "$2" >bare.out &
    bare=$!
    pids+=("$bare")
    until grep -q ready bare.out; do sleep 0.05; done
}
end() { kill "$1"; wait "$1" 2>/dev/null || true; }
cpu() { awk '{ print ($14 + $15) * 10 }' "/proc/$1/stat"; } # milliseconds
memory() { awk '/VmRSS/ { print $2 }' "/proc/$1/status"; }   # kB

# Requests, requests a second and microseconds of CPU for each.
load() { # PROCESS URL SECONDS CONNECTIONS
    local before after
    before=$(cpu "$1")
    wrk -t1 "-c$4" "-d$3s" --latency -s row.lua "$2" >wrk.out
    after=$(cpu "$1")
    awk -v ms=$((after - before)) '/requests in/ { n = $1 } /Requests\/sec/ { rate = $2 } /Non-2xx|Socket errors/ { bad = $0 }
        END { printf "%d %.0f %.2f %s\n", n, rate, 1000 * ms / n, bad }' wrk.out
}

# p99 at a steady load. What the machine does beside it counts, too: the least of three is shown with
# the others behind it.
pace() { # RATE
    for _ in 1 2 3; do
        "$build/bench/serve_pace" "${url##*:}" /models/twenty/predict "$row" "$1" 3
    done | sort -k4,4g >paced
    awk -v rate="$1" '{ bad += $2 } NR == 1 { p50 = $3; p99 = $4; p999 = $5; most = $6 } NR > 1 { rest = rest ", " $4 }
        END { printf "  %d a second: p50 %.3f ms, p99 %.3f ms (other rounds%s), p99.9 %.3f ms, at most %.3f ms%s\n",
            rate, p50, p99, rest, p999, most, (bad > 0 ? "; " bad " answers were not 200" : "") }' paced
}

answers() {
    local size rounds=5
    start 1
    size=$(curl -s -H 'Content-Type: application/json' -d "$row" "$url/models/twenty/predict" | wc -c)
    bare 1 "$size"
    echo "One row of 20 columns over keep-alive, one thread, 16 connections, answers of $size bytes:"
    for _ in $(seq $rounds); do
        echo "bare $(load $bare http://127.0.0.1:18752/ 3 16)"
        echo "serve $(load $server "$url/models/twenty/predict" 3 16)"
    done | tee rounds | awk '{ printf "  %-6s %8d requests, %6d a second, %5.2f us of CPU each\n", $1, $2, $3, $4 }'
    awk '{ cpu[$1] += $2 * $4; n[$1] += $2; rate[$1] += $3; if (NF > 4) bad++ }
        END { printf "  serve / bare: %.2f by CPU time, %.2f by requests a second\n",
            cpu["bare"] / n["bare"] / (cpu["serve"] / n["serve"]), rate["serve"] / rate["bare"] }' rounds
    awk '{ if ($1 == "serve" && $3 > most) most = $3 } END { print int(most / 2) }' rounds >half
    pace "$(cat half)"
    end $bare
    end $server
}

# CPU time of the server for a row, beside that of the command for the same rows: one file of 100,000
# of them, so that the start of the command does not count.
batches() {
    head -n 1001 rows.csv >thousand.csv
    {
        echo 'wrk.method = "POST"'
        echo 'wrk.headers["Content-Type"] = "text/csv"'
        awk 'BEGIN { printf "wrk.body = [[" } { print } END { print "]]" }' thousand.csv
    } >batch.lua
    { head -n 1 thousand.csv; for _ in $(seq 100); do tail -n +2 thousand.csv; done; } >many.csv
    start 1
    echo "Batches of 1,000 rows as CSV over keep-alive, one thread:"
    for _ in 1 2 3; do
        local before after
        before=$(cpu $server)
        wrk -t1 -c4 -d3s -s batch.lua "$url/models/twenty/predict" >wrk.out
        after=$(cpu $server)
        TIMEFORMAT='%U %S'
        { time for _ in 1 2 3 4 5; do "$build/credence" predict --threads 1 twenty.model many.csv >/dev/null; done; } 2>times
        awk -v ms=$((after - before)) -v n="$(awk '/requests in/ { print $1 }' wrk.out)" '{ t = 1e6 * ($1 + $2) / 500000
            s = ms / n; printf "  serve %.3f us of CPU a row, predict %.3f: %.2f x its rows a second\n", s, t, t / s }' times
    done
    end $server
}

idle() {
    local before
    ulimit -n "$(ulimit -Hn)"
    start 1
    "$build/bench/serve_clients" "${url##*:}" 10000 0 >clients.out &
    clients=$!
    pids+=("$clients")
    until grep -q ready clients.out; do sleep 0.1; done
    load $server "$url/models/twenty/predict" 2 16 >/dev/null
    before=$(memory $server)
    echo "10,000 idle connections: $before kB"
    while [ "${total:-0}" -lt 1000000 ]; do
        load $server "$url/models/twenty/predict" 10 16 >one
        total=$((${total:-0} + $(cut -d' ' -f1 one)))
        [ -z "$(cut -s -d' ' -f4- one)" ] || cat one
    done
    echo "  after $total requests: $(memory $server) kB ($(awk -v a="$before" -v b="$(memory $server)" 'BEGIN { printf "%+.1f %%", 100 * (b - a) / a }'))"
    end $clients
    end $server
}

slow() {
    local rate
    ulimit -n "$(ulimit -Hn)"
    start 1
    load $server "$url/models/twenty/predict" 2 16 >one
    rate=$(($(cut -d' ' -f2 one) / 2))
    echo "At half of the load, alone:"
    pace "$rate"
    cp paced alone
    "$build/bench/serve_clients" "${url##*:}" 1000 1 >clients.out &
    clients=$!
    pids+=("$clients")
    until grep -q ready clients.out; do sleep 0.1; done
    echo "Beside 1,000 clients that send a byte a second:"
    pace "$rate"
    echo "  p99: $(paste alone paced | awk 'NR == 1 { printf "%.2f", $10 / $4 }') x"
    end $clients
    end $server
}

killed() {
    CREDENCE_KILLS=200 CREDENCE_LESSONS=${CREDENCE_LESSONS:-1500} CREDENCE_BIN=$build/credence \
        CREDENCE_SOURCE=$source bash "$source/serve/tests/learn.sh" &&
        echo "kill -9 two hundred times while eight clients teach: every lesson is there once"
}

for what in "$@"; do
    case $what in
    kill) killed ;;
    answers | batches | idle | slow) $what ;;
    *) echo "serve.sh: there is no $what" >&2; exit 2 ;;
    esac
done
