#!/usr/bin/env bash
# debian.sh - the Debian packages, unpacked beside a copy of the server: CREATE EXTENSION finds what they hold.
#
# PostgreSQL looks for its libraries and extensions relative to the program that runs, so a copy of the
# program in a folder of the same shape sees the files of the package there, and the system's stay as they are.
. "$CREDENCE_SOURCE/tests/cli/lib.bash"
. "$(dirname "$0")/server.bash"
if ! type -P cpack dpkg-deb >/dev/null; then
    echo "skipped: there is no cpack, or no dpkg-deb, to make packages and to open them"
    exit 77
fi
cpack -G DEB --config "$CREDENCE_BUILD/CPackConfig.cmake" -B "$folder/packages" \
    -D "CPACK_COMPONENTS_ALL=postgresql;sqlite" >log 2>&1 || { cat log >&2; fail "cpack failed"; finish; }
root=$folder/root
for package in packages/*.deb; do
    dpkg-deb -x "$package" "$root"
done
same "packages" "$(for p in packages/*.deb; do dpkg-deb -f "$p" Package; done | sort | tr '\n' ' ')" \
    "$(basename packages/postgresql-*-credence_*.deb | sed 's/_.*//') sqlite3-credence "
same "what is needed" "$(dpkg-deb -f packages/postgresql-*.deb Depends | tr ',' '\n' | sed 's/ *(.*//; s/ //g' | grep -c '^postgresql-[0-9]*$')" 1

# links FROM TO: everything in a folder, but for what the packages have brought.
links() {
    local file
    mkdir -p "$2"
    for file in "$1"/*; do
        [ -e "$2/${file##*/}" ] || ln -s "$file" "$2/"
    done
}
links "$(pg_config --pkglibdir)" "$root$(pg_config --pkglibdir)"
links "$(pg_config --sharedir)/extension" "$root$(pg_config --sharedir)/extension"
links "$(pg_config --sharedir)" "$root$(pg_config --sharedir)"
mkdir -p "$root$pg"
cp "$pg/postgres" "$pg/initdb" "$root$pg/"
links "$pg" "$root$pg"
pg=$root$pg
chmod -R go+rX "$root"
start_server one
sql one >/dev/null <<END
CREATE EXTENSION credence;
CREATE TABLE tax (refund text, marital text, income int, evade text);
\copy tax FROM '$CREDENCE_SOURCE/examples/data/tax.csv' CSV HEADER
CREATE TABLE models (name text PRIMARY KEY, model credence);
INSERT INTO models SELECT 'tax', credence_train(tax, 'evade') FROM tax;
END
same "the version" "$(sql one <<<"SELECT extversion FROM pg_extension WHERE extname = 'credence'")" 0.1
same "the library is that of the package" "$(sql one <<<"SELECT credence_show(model)->'rows' FROM models;
    SELECT count(*) > 0 FROM regexp_split_to_table(pg_read_file('/proc/self/maps', 0, 1000000), E'\n') l
    WHERE l LIKE '% $root%/credence.so'" | tr '\n' ' ')" "10 t "
sql one <<<"SELECT encode(model::bytea, 'hex') FROM models" | xxd -r -p >package.model
credence train -q -m nb --calibrate none --type refund=symbol --type marital=symbol --type income=real \
    "$CREDENCE_SOURCE/examples/data/tax.csv" -o tax.model
same "the same bytes as the command" "$(cmp tax.model package.model && echo same)" same
sql one >/dev/null <<'END'
CREATE TRIGGER follow AFTER INSERT OR UPDATE OR DELETE ON tax FOR EACH ROW EXECUTE FUNCTION credence_follow('models', 'tax');
DELETE FROM tax WHERE income = 90;
END
same "the trigger" "$(sql one <<<"SELECT model::bytea = (SELECT credence_train(tax, 'evade') FROM tax)::bytea FROM models")" t

# A dump holds the extension by its name, and is restored where the package is installed.
"$pg/pg_dump" -h "$folder/one" -U postgres -d postgres >dump.sql
says dump.sql "CREATE EXTENSION IF NOT EXISTS credence"
same "functions are not dumped" "$(grep -c 'CREATE FUNCTION' dump.sql)" 0
sql one >/dev/null <<<"CREATE DATABASE other"
sql one other <dump.sql >/dev/null
same "dumped and restored" "$(sql one other <<<"SELECT md5(model::bytea) FROM models")" \
    "$(sql one <<<"SELECT md5(model::bytea) FROM models")"
sql one >out 2>&1 <<<"DROP EXTENSION credence"
says out "models"
sql one >/dev/null 2>&1 <<<"DROP EXTENSION credence CASCADE"
same "nothing stays behind" "$(sql one <<<"SELECT count(*) FROM pg_proc WHERE proname LIKE 'credence%'")" 0

if type -P sqlite3 >/dev/null; then
    extension=$(find "$root" -path '*sqlite3/credence.so')
    same "the package of SQLite" "$(sqlite3 -cmd ".load ${extension%.so}" :memory: \
        "SELECT credence_predict(credence_train('y', 'x', 1, 'y', 'a'), 'x', 1)")" a
fi
finish
