#!/usr/bin/env bash
# safety.sh - who may ask, how much, how slowly; files that change; the end.
. "$(dirname "$0")/server.bash"
cp "$CREDENCE_SOURCE"/examples/data/iris.csv .
credence train -m nb -p real=gaussian --calibrate none iris.csv -t species -o iris.model >/dev/null 2>&1
row='{"sepal_length": 5, "sepal_width": 3, "petal_length": 1.5, "petal_width": 0.2}'
trap '' PIPE # of sockets that the server has closed
secret=0123456789abcdef0123456789abcdef

# --- where it listens -----------------------------------------------------------------------------
expect 2 timeout 10 "$serve_bin" --listen 0.0.0.0:0 .
says err '--token-file'
expect 2 timeout 10 "$serve_bin" --listen nowhere .
expect 2 timeout 10 "$serve_bin" --lissten x
says err 'did you mean --listen?'
expect 2 timeout 10 "$serve_bin" --max-body some
expect 1 timeout 10 "$serve_bin" nothing.model
expect 2 timeout 10 "$serve_bin" --tls-cert x
expect 0 "$serve_bin" --help
says out '--token-file'
expect 0 credence serve --version

# --- tokens ---------------------------------------------------------------------------------------
echo short >tokens
expect 1 timeout 10 "$serve_bin" --listen 127.0.0.1:0 --token-file tokens .
says err '16 to 255'
printf '# who\nalice %s\n%sx\n' "$secret" "$secret" >tokens
start --listen 0.0.0.0:0 --token-file tokens --log log .
url=http://127.0.0.1:${url##*:}
answers 401 /models
says out 'a token is needed'
answers 401 /models -H "Authorization: Bearer ${secret%f}e"
answers 401 /models -H "Authorization: Bearer ${secret}xy"
answers 401 /models -H "Authorization: Basic $secret"
answers 401 /models/iris/predict -d "$row"
answers 200 /models -H "Authorization: Bearer $secret"
answers 200 /models -H "Authorization: bearer ${secret}x"
answers 200 /v2/health/live
answers 200 /
answers 401 /metrics
stop
says log '"who": "alice"'
same "no token in the log" "$(grep -c "$secret" log)" 0

# --- limits ---------------------------------------------------------------------------------------
start --max-body 2K --max-rows 20 --timeout 1 --max-connections 64 .
head -c 3000 /dev/zero | tr '\0' x >large
answers 413 /models/iris/predict --data-binary @large
answers 413 /models/iris/predict -H 'Transfer-Encoding: chunked' --data-binary @large
answers 413 /models/iris/predict -H 'Content-Type: text/csv' --data-binary "$(head -n 40 iris.csv)"
says out 'more than 20 rows'
checks=$((checks + 1))
[ "$(curl -s -o /dev/null -w '%{http_code}' "$url/models?$(head -c 20000 large | tr x y)$(cat large large large large large large)")" = 414 ] ||
    fail "a long target"
answers 400 "/models?$(seq -s '&' 100)"
checks=$((checks + 1))
[ "$(curl -s -o /dev/null -w '%{http_code}' --path-as-is "$url/models/../../../etc/passwd")" = 404 ] ||
    fail "a path out of the folder"
checks=$((checks + 1))
[ "$(curl -s -o /dev/null -w '%{http_code}' "$url/models/..%2Firis.model/file")" = 404 ] || fail "an escaped path"

# A client that sends a byte now and then is sent away; one that is only idle stays.
exec 4<>"/dev/tcp/127.0.0.1/${url##*:}" # idle
exec 3<>"/dev/tcp/127.0.0.1/${url##*:}"
(for c in G E T ' ' / m o d e l s ' ' H T T P / 1; do
    printf '%s' "$c" >&3 2>/dev/null || exit 1
    sleep 0.4
done) 2>/dev/null
checks=$((checks + 1))
if (sleep 0.2; printf '.1\r\nHost: localhost\r\n\r\n' >&3) 2>/dev/null && read -r -t 1 line <&3; then
    fail "a slow client was answered: $line"
fi
exec 3>&-
# A body that does not come.
exec 3<>"/dev/tcp/127.0.0.1/${url##*:}"
printf 'POST /models/iris/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{' >&3
checks=$((checks + 1))
read -r -t 5 line <&3
[ $? -lt 128 ] || fail "a body that does not come is waited for"
exec 3>&-
printf 'GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&4
same "the idle one" "$(head -n 1 <&4 | tr -d '\r')" "HTTP/1.1 200 OK"
exec 4>&-
ask /metrics
same "slow clients" "$(awk '/^credence_slow_clients_total/ { print $2 }' out)" 2
stop

# --- broken and changing files --------------------------------------------------------------------
echo garbage >broken.model
start .
says server.err 'broken'
answers 200 /models
says out '{"name": "broken", "error":'
answers 503 /models/broken
answers 503 /v2/health/ready
answers 200 /models/iris/predict -d "$row"
cp out before
credence train -m nb -p real=gaussian --calibrate none -p variance=feature iris.csv -t species -o other.model >/dev/null 2>&1
credence predict --json other.model <(printf 'sepal_length,sepal_width,petal_length,petal_width\n5,3,1.5,0.2\n') >want
# While the file is replaced again and again every answer is of the one or of the other.
(for i in $(seq 30); do cp other.model new; mv new iris.model; kill -HUP $server; sleep 0.02
    credence train -m nb -p real=gaussian --calibrate none iris.csv -t species -o new >/dev/null 2>&1; mv new iris.model; kill -HUP $server; done) &
changer=$!
for i in $(seq 60); do
    ask /models/iris/predict -d "$row"
    checks=$((checks + 1))
    cmp -s out before || cmp -s out want || fail "an answer of neither model: $(cat out)"
done
wait $changer
mv other.model iris.model
kill -HUP $server
for i in $(seq 30); do
    ask /models/iris/predict -d "$row"
    cmp -s out want && break
    sleep 0.1
done
same "the new model" "$(cmp out want)" ""
rm iris.model
kill -HUP $server
for i in $(seq 30); do
    ask /models/iris/predict -d "$row"
    [ "$http" = 503 ] && break
    sleep 0.1
done
same "a model that is gone" "$http" 503

# --- the end: what has been asked is answered -----------------------------------------------------
awk 'NR == 1 { print; next } { for (i = 0; i < 400; i++) print }' iris.csv >many.csv
credence train -m nb -p real=gaussian --calibrate none iris.csv -t species -o iris.model >/dev/null 2>&1
kill -HUP $server
for i in $(seq 30); do
    ask /v2/models/iris/ready
    [ "$http" = 200 ] && break
    sleep 0.1
done
curl -s -o late -w '%{http_code}' -H 'Content-Type: text/csv' --data-binary @many.csv "$url/models/iris/predict" >code &
client=$!
sleep 0.1
stop TERM
wait $client
same "exit status" "$status" 0
same "the last answer" "$(cat code) $(wc -l <late)" "200 60001"

# --- a socket in the file system, and one that was handed over ------------------------------------
start --listen "unix:$PWD/socket" .
same "over a socket" "$(curl -s --unix-socket socket http://localhost/v2/health/live)" '{"live": true}'
stop
checks=$((checks + 1))
[ ! -e socket ] || fail "the socket is still there"
if type -P systemd-socket-activate >/dev/null; then
    # Somebody else may have the port: then another one is tried.
    for try in 1 2 3 4 5; do
        port=$(awk -v p=$$$try 'BEGIN { srand(p); print 20000 + int(rand() * 10000) }')
        systemd-socket-activate -l "127.0.0.1:$port" "$serve_bin" . >/dev/null 2>&1 &
        server=$!
        sleep 0.3
        kill -0 $server 2>/dev/null && break
    done
    same "handed over" "$(curl -s --retry 5 --retry-connrefused "http://127.0.0.1:$port/v2/health/live")" '{"live": true}'
    stop
fi

# --- the units are as systemd wants them ----------------------------------------------------------
if type -P systemd-analyze >/dev/null; then
    sed "s|/usr/bin/credence-serve|$serve_bin|" "$CREDENCE_SOURCE"/serve/systemd/credence-serve.service >credence-serve.service
    cp "$CREDENCE_SOURCE"/serve/systemd/credence-serve.socket .
    checks=$((checks + 1))
    SYSTEMD_UNIT_PATH=$PWD: systemd-analyze verify --man=no ./credence-serve.service ./credence-serve.socket >units 2>&1 ||
        fail "systemd-analyze: $(cat units)"
    same "what systemd says of the units" "$(grep credence-serve units)" ""
fi

# --- HTTPS ----------------------------------------------------------------------------------------
if type -P openssl >/dev/null; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem \
        -days 1 -subj /CN=localhost -addext subjectAltName=DNS:localhost >/dev/null 2>&1
    start --tls-cert cert.pem --tls-key key.pem .
    same "https" "$(curl -s --cacert cert.pem "https://localhost:${url##*:}/v2/health/live")" '{"live": true}'
    stop
    expect 1 timeout 10 "$serve_bin" --listen 127.0.0.1:0 --tls-cert iris.csv --tls-key key.pem .
fi
finish
