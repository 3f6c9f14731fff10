#!/usr/bin/env bash
# servers.sh - two PostgreSQL servers train their parts; the sum of the models is the model of one pass.
. "$CREDENCE_SOURCE/tests/cli/lib.bash"
. "$(dirname "$0")/server.bash"
start_server one
start_server two
install_extension one
install_extension two
if ! sql one <<<"CREATE EXTENSION postgres_fdw" 2>err >/dev/null; then
    echo "skipped: there is no postgres_fdw (it comes with the server)"
    stop_servers
    exit 77
fi
bare="'{\"calibrate\": \"none\"}'" # calibrations of parts add up to another one than that of all rows
rows="SELECT i AS id, 'v' || i % 7 AS a, (i % 17) * 0.25::float8 AS x, CASE WHEN i % 5 < 2 THEN 'low' ELSE 'high' END AS y
    FROM generate_series(1, 20000) i"
sql one >/dev/null <<<"CREATE TABLE part AS SELECT * FROM ($rows) r WHERE id % 3 = 0; CREATE TABLE whole AS $rows"
sql two >/dev/null <<<"CREATE TABLE part AS SELECT * FROM ($rows) r WHERE id % 3 <> 0;
    CREATE VIEW model AS SELECT credence_train(part, 'y', $bare) AS model FROM part"
sql one >/dev/null <<END
CREATE SERVER two FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host '$folder/two', dbname 'postgres', extensions '');
CREATE USER MAPPING FOR postgres SERVER two OPTIONS (user 'postgres');
CREATE FOREIGN TABLE far_part (id int, a text, x float8, y text) SERVER two OPTIONS (table_name 'part');
CREATE FOREIGN TABLE far_model (model credence) SERVER two OPTIONS (table_name 'model');
END
whole=$(sql one <<<"SELECT md5(credence_train(whole, 'y', $bare)::bytea) FROM whole")
same "each trains its part where its rows are" "$(sql one <<<"
    SELECT md5(((SELECT credence_train(part, 'y', $bare) FROM part) + (SELECT model FROM far_model))::bytea)")" "$whole"
same "the same as a sum of models" "$(sql one <<<"
    SELECT md5(credence_sum(model)::bytea) FROM (
        SELECT credence_train(part, 'y', $bare) AS model FROM part UNION ALL SELECT model FROM far_model) m")" "$whole"
same "what the other server has learned is taken back" "$(sql one <<<"
    SELECT ((SELECT credence_train(whole, 'y', $bare) FROM whole) - (SELECT model FROM far_model))::bytea =
           (SELECT credence_train(part, 'y', $bare) FROM part)::bytea")" t
same "calibrated models add up, too" "$(sql one <<<"
    SELECT credence_show((SELECT credence_train(part, 'y') FROM part) + (SELECT credence_train(far_part, 'y') FROM far_part))->>'fingerprint' =
        credence_show((SELECT credence_train(whole, 'y') FROM whole))->>'fingerprint'")" t
same "rows that come over the wire" "$(sql one <<<"
    SELECT md5(credence_train(r, 'y', $bare)::bytea) FROM (SELECT * FROM part UNION ALL SELECT * FROM far_part) r")" "$whole"
sql one >/dev/null <<'END'
CREATE TABLE spread (id int, a text, x float8, y text) PARTITION BY LIST (y);
CREATE TABLE spread_low PARTITION OF spread FOR VALUES IN ('low');
CREATE TABLE spread_high PARTITION OF spread FOR VALUES IN ('high');
INSERT INTO spread SELECT * FROM whole;
END
same "partitions, each by itself" "$(sql one <<<"
    SET enable_partitionwise_aggregate = on;
    SELECT md5(credence_train(spread, 'y', $bare)::bytea) FROM spread")" "$whole"
finish
