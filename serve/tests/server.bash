# server.bash - what the tests of the server share: start one on a free port, ask it, stop it.
#
#   start [OPTION...]        serve the current folder; its address is in $url, its process in $server
#   ask PATH [CURL-OPTION...]   the answer is in file out, the status of HTTP in $http
#   stop [SIGNAL]            end it and wait; its exit status is in $status
. "$CREDENCE_SOURCE/tests/cli/lib.bash"
serve_bin=$(dirname "$CREDENCE_BIN")/credence-serve
[ -x "$serve_bin" ] || { echo "skipped: there is no credence-serve" >&2; exit 77; }
type -P curl >/dev/null || { echo "skipped: there is no curl" >&2; exit 77; }
server= url= http=

start() {
    rm -f address
    mkfifo address
    "$serve_bin" --listen 127.0.0.1:0 "$@" >address 2>server.err &
    server=$!
    read -r url <address || { cat server.err >&2; fail "the server does not start"; finish; }
    rm -f address
}

stop() { # [SIGNAL]
    [ -n "$server" ] || return 0
    kill "-${1:-TERM}" "$server" 2>/dev/null
    wait "$server" 2>/dev/null
    status=$?
    server=
    [ "${1:-TERM}" = KILL ] || [ "$status" = 0 ] ||
        fail "the server ended with $status: $(tail -n 30 server.err)"
}
trap 'stop KILL; chmod -R u+w "$folder"; rm -rf "$folder"' EXIT

conform=$(dirname "$CREDENCE_BIN")/tests/serve_conform

# Every answer must be what openapi.json says, but for those that no description can foresee: 404 of
# no path, 405 of a method that is not there.
ask() { # PATH [CURL-OPTION...]
    local path=$1 said method type
    shift
    said=$(curl -sS -g -o out -w '%{http_code} %{method} %{content_type}' "$@" "$url$path")
    http=${said%% *}
    said=${said#* }
    method=${said%% *}
    type=${said#* }
    case $http in 304 | 405) return ;; esac
    [ "$path" != /nowhere ] || return
    checks=$((checks + 1))
    "$conform" "$CREDENCE_SOURCE/serve/openapi.json" "$(tr 'A-Z' 'a-z' <<<"$method")" "$path" \
        "$http" "$type" <out 2>conform.err || fail "$(cat conform.err)"
}

# The status must be so, and the answer in file out.
answers() { # STATUS PATH [CURL-OPTION...]
    local want=$1
    shift
    checks=$((checks + 1))
    ask "$@"
    [ "$http" = "$want" ] || fail "status $http, not $want, of $1: $(head -c 300 out)"
}
