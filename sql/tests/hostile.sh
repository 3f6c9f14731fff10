#!/usr/bin/env bash
# hostile.sh - garbage, wrong rows, tables that change, subtransactions and cancels in PostgreSQL: clear
# errors, a backend that lives on, and no memory lost.
. "$CREDENCE_SOURCE/tests/cli/lib.bash"
. "$(dirname "$0")/server.bash"
start_server one
install_extension one
sql one >/dev/null <<'END'
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TABLE t (id int, a text, x float8, m mood, y text);
INSERT INTO t SELECT i, 'v' || i % 7, i % 11, CASE WHEN i % 3 = 0 THEN 'sad' ELSE 'ok' END::mood,
    CASE WHEN i % 2 = 0 THEN 'even' ELSE 'odd' END FROM generate_series(1, 20000) i;
CREATE TABLE models (name text PRIMARY KEY, model credence);
INSERT INTO models SELECT 't', credence_train(t, 'y', '{"types": {"id": "ignore"}}') FROM t;
END

# --- tables that change under a backend that has the model open --------------------------------------
sql one >changes 2>&1 <<'END'
\set ON_ERROR_STOP 0
\set show 'SELECT count(credence_predict(model, t)) FROM models, t;'
:show
ALTER TABLE t DROP COLUMN id;
:show
ALTER TYPE mood ADD VALUE 'glad';
INSERT INTO t VALUES ('v1', 3, 'glad', 'even');
:show
ALTER TYPE mood RENAME VALUE 'sad' TO 'blue';
:show
ALTER TABLE t ALTER COLUMN x TYPE text;
SELECT credence_predict(model, t) IS NOT NULL FROM models, t LIMIT 1;
UPDATE t SET x = 'many' WHERE a = 'v2';
:show
ALTER TABLE t ALTER COLUMN a TYPE int USING length(a);
ALTER TABLE t DROP COLUMN x;
ALTER TABLE t ADD COLUMN x int DEFAULT 4;
:show
SELECT credence_predict(model, ROW(1, 2)) IS NOT NULL FROM models;
SELECT credence_predict(model, NULL::t) IS NULL FROM models;
ALTER TABLE t ADD COLUMN model credence;
SELECT credence_show(credence_train(t, 'y'))->>'rows' FROM t;
END
same "a table that changes" "$(tr '\n' ' ' <changes)" \
    '20000 20000 20001 20001 t ERROR:  credence: the value of column "x" does not fit the model 20001 t t 20001 '

# --- subtransactions ------------------------------------------------------------------------------------
same "errors in blocks are caught and forgotten" "$(sql one <<'END'
CREATE FUNCTION attempts(n int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE caught int := 0; learned credence;
BEGIN
    FOR i IN 1..n LOOP
        BEGIN
            SELECT credence_train(s, 'y') INTO learned FROM (SELECT i AS x, 'a'::text AS y) s;
            IF i % 2 = 0 THEN
                PERFORM learned - s FROM (SELECT 'never' AS x, 'seen' AS y) s;
            ELSE
                PERFORM credence_query(learned, 'P(nothing=1)');
            END IF;
        EXCEPTION WHEN OTHERS THEN caught := caught + 1;
        END;
    END LOOP;
    RETURN caught;
END $$;
SELECT attempts(300);
END
)" 300

# --- cancels at random instants, in one backend, alone and with parallel workers ------------------------------
memory="SELECT 'memory ' || (SELECT sum(total_bytes) FROM pg_backend_memory_contexts) || ' ' ||
    split_part(pg_read_file('/proc/self/statm', 0, 200), ' ', 2)::int * 4096;"
# cancels SETTINGS MILLISECONDS QUERY…: 260 statements in one backend, each ended by a timeout of up to so many
# milliseconds; what the backend holds after the first 60 is what it holds after the last.
cancels() {
    local settings=$1 most=$2 i canceled
    shift 2
    {
        echo '\set ON_ERROR_STOP 0'
        echo "$settings"
        for i in $(seq 260); do
            echo "SET statement_timeout = $((RANDOM % most + 1)); ${@:i % $# + 1:1}; SET statement_timeout = 0;"
            [ "$i" -ne 60 ] || echo "$memory"
        done
        echo "$memory"
        echo "SELECT 'alive ' || credence_predict(model, t) FROM models, t LIMIT 1;"
        echo "SELECT 'workers ' || count(*) FROM pg_stat_activity WHERE backend_type = 'parallel worker';"
    } >cancels.sql
    sql one <cancels.sql >cancels 2>&1
    canceled=$(grep -c 'canceling statement due to statement timeout' cancels)
    [ "$canceled" -ge 200 ] || fail "only $canceled of 260 statements were canceled"
    same "the backend is alive" "$(grep -c '^alive' cancels)" 1
    same "no worker goes on" "$(grep '^workers' cancels)" "workers 0"
    same "nothing else goes wrong" "$(grep 'ERROR' cancels | grep -v 'canceling statement' | head -3)" ""
    awk '/^memory/ {total[++n] = $2; resident[n] = $3} END {
        if (n != 2) print "no memory was told"
        if (total[2] - total[1] > 1000000) print "memory contexts grew by " total[2] - total[1]
        if (resident[2] - resident[1] > 12000000) print "the process grew by " resident[2] - resident[1]
    }' cancels >grown
    same "no memory is lost" "$(cat grown)" ""
}
RANDOM=1
far="t, generate_series(1, 40)"
sql one >/dev/null <<<"ALTER TABLE t DROP COLUMN model"
cancels 'SET max_parallel_workers_per_gather = 0;' 25 \
    "SELECT credence_train(t, 'y') FROM $far" "SELECT count(credence_predict(model, t)) FROM models, $far" \
    "SELECT credence_test(model, t) FROM models, $far" "SELECT credence_drift(model, t) FROM models, $far" \
    "SELECT count(m) FROM (SELECT credence_train(t, 'y') OVER (ROWS BETWEEN 99 PRECEDING AND CURRENT ROW) m FROM $far) w" \
    "SELECT sum(length(m::bytea)) FROM (SELECT credence_train(t, 'y') OVER (ROWS 99 PRECEDING) m FROM $far) w" \
    "SELECT count(e.factor) FROM models, $far, credence_explain(model, t) e" "SELECT attempts(20000)"
parallel="SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
    SET min_parallel_table_scan_size = 0;"
sql one >plan <<<"$parallel EXPLAIN SELECT credence_train(t, 'y') FROM $far"
says plan "Workers Planned: 2"
cancels "$parallel" 50 "SELECT credence_train(t, 'y') FROM $far" "SELECT count(credence_predict(model, t)) FROM models, $far" \
    "SELECT a, credence_train(t, 'y') FROM $far GROUP BY a"

# --- garbage ----------------------------------------------------------------------------------------------
{
    echo '\set ON_ERROR_STOP 0'
    for seed in "$CREDENCE_SOURCE"/fuzz/seeds/model/*; do
        echo "SELECT credence_show(decode('$(xxd -p "$seed" | tr -d '\n' | head -c 200000)', 'hex')::credence) IS NULL;"
    done
    echo "SELECT 'alive';"
} >garbage.sql
sql one <garbage.sql >garbage 2>&1
same "a backend outlives the fuzz corpus" "$(tail -1 garbage)" alive
grep 'ERROR' garbage | grep -v 'ERROR:  credence: ' | head -3 >unclear
same "errors are clear" "$(cat unclear)" ""
finish
