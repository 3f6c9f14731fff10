# server.bash - a PostgreSQL server of the test's own, on a socket in its own folder.
#
# Sourced after lib.bash. `sql DATABASE` reads SQL from standard input; the server is stopped by its
# process id when the test ends. A server may not run as root: then it runs as user postgres or nobody.
pg=$(pg_config --bindir 2>/dev/null)
[ -n "$pg" ] && [ -x "$pg/postgres" ] ||
    pg=$(find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null | sort -V | tail -n 1)
if [ ! -x "$pg/postgres" ] || [ ! -f "${CREDENCE_BUILD:-}/sql/postgresql/credence.so" ]; then
    echo "skipped: there is no PostgreSQL server, or no extension for it (scripts/deps.sh sql)"
    exit 77
fi
server_user=
if [ "$(id -u)" -eq 0 ]; then
    server_user=postgres
    id postgres >/dev/null 2>&1 || server_user=nobody
fi
as_user=()
[ -z "$server_user" ] ||
    as_user=(setpriv --reuid="$server_user" --regid="$(id -g "$server_user")" --clear-groups)
server_pids=()

# start_server NAME: a cluster in folder NAME, listening on a socket there; its port is a name only.
start_server() {
    local home=$folder/$1 waited=0
    mkdir "$home"
    chmod 755 "$folder"
    # The extension is found without being installed: its files lie where the server looks.
    [ -z "$server_user" ] || chown "$server_user" "$home"
    "${as_user[@]}" "$pg/initdb" -D "$home/data" -A trust -U postgres --no-sync >"$home.log" 2>&1 ||
        { cat "$home.log" >&2; fail "initdb failed"; finish; }
    "${as_user[@]}" "$pg/postgres" -D "$home/data" -k "$home" -c listen_addresses= -c fsync=off \
        -c "dynamic_library_path=$CREDENCE_BUILD/sql/postgresql:\$libdir" \
        -c max_parallel_workers=2 -c shared_buffers=64MB >>"$home.log" 2>&1 &
    server_pids+=($!)
    until "$pg/pg_isready" -q -h "$home"; do
        sleep 0.1
        waited=$((waited + 1))
        [ "$waited" -lt 300 ] || { cat "$home.log" >&2; fail "the server does not start"; finish; }
    done
}

stop_servers() {
    local pid
    for pid in "${server_pids[@]}"; do
        kill -INT "$pid" 2>/dev/null
        wait "$pid" 2>/dev/null
    done
    server_pids=()
}
trap 'stop_servers; chmod -R u+w "$folder"; rm -rf "$folder"' EXIT

# sql NAME [DATABASE]: run SQL from standard input; plain rows, stop at the first error.
sql() {
    psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$folder/$1" -U postgres -d "${2:-postgres}"
}

# CREATE EXTENSION wants files in the server's share folder, which a test must not touch; the same
# script is run with the library's path in place of MODULE_PATHNAME.
install_extension() { # NAME [DATABASE]
    sed -e '/^\\echo/d' -e "s|MODULE_PATHNAME|$CREDENCE_BUILD/sql/postgresql/credence|" \
        -e 's|@extschema@|public|g' -e '1i SET client_min_messages = warning;' "$CREDENCE_SOURCE/sql/postgresql/credence--0.1.sql" | sql "$@"
}
