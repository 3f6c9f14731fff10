#!/usr/bin/env bash
# postgresql.sh - training as an aggregate, in parallel, in windows and in groups; asking and teaching.
. "$CREDENCE_SOURCE/tests/cli/lib.bash"
. "$(dirname "$0")/server.bash"
start_server one
install_extension one
examples=$CREDENCE_SOURCE/examples/data

# --- the same bytes as the command ------------------------------------------------------------------
sql one >/dev/null <<END
CREATE TABLE iris (sepal_length float8, sepal_width numeric, petal_length real, petal_width float8, species text);
\copy iris FROM '$examples/iris.csv' CSV HEADER
CREATE TABLE tax (refund text, marital text, income int, evade text);
\copy tax FROM '$examples/tax.csv' CSV HEADER
CREATE TABLE models (name text PRIMARY KEY, model credence);
INSERT INTO models SELECT 'tax', credence_train(tax, 'evade') FROM tax;
END
credence train -q -m nb --calibrate none --type refund=symbol --type marital=symbol --type income=real \
    "$examples/tax.csv" -o tax.model
sql one <<<"SELECT encode(model::bytea, 'hex') FROM models WHERE name = 'tax'" | xxd -r -p >pg.model
same "the model of tax" "$(cmp tax.model pg.model && echo same)" same
sql one <<<"SELECT encode(credence_train(t, 'evade')::bytea, 'hex') FROM (SELECT * FROM tax ORDER BY income DESC) t" |
    xxd -r -p >back.model
same "in another order" "$(cmp tax.model back.model && echo same)" same

# --- what is learned without options ------------------------------------------------------------------
# The bytes of `credence train` on the rows in the order of their values, whatever theirs is.
sql one >/dev/null <<END
CREATE TABLE flowers (sepal_length float8, sepal_width numeric, petal_length float8, petal_width float8, species text);
\copy flowers FROM '$examples/iris.csv' CSV HEADER
END
bytes() { sql one | xxd -r -p; }
(head -1 "$examples/iris.csv"; sql one <<<"SELECT sepal_length || ',' || sepal_width || ',' || petal_length || ',' ||
    petal_width || ',' || species FROM flowers ORDER BY sepal_length, sepal_width, petal_length, petal_width, species COLLATE \"C\"") >ordered.csv
sql one >/dev/null <<'END'
CREATE TABLE notes AS SELECT 'some word' || i % 7 || ' and thing' || i % 11 || ' in text ' || i body, CASE WHEN i % 7 < 3 THEN 'p' ELSE 'q' END y
    FROM generate_series(1, 400) i;
ANALYZE notes;
END
reals=(); for c in sepal_length sepal_width petal_length petal_width; do reals+=(--type "$c=real"); done
unasked() { # NAME OPTIONS [ARGUMENTS OF credence train]
    credence train -q -t species "${reals[@]}" ordered.csv -o want.model "${@:3}" >/dev/null
    for order in sepal_length 'petal_width DESC, sepal_width'; do
        bytes <<<"SELECT encode(credence_train(t, 'species', '$2')::bytea, 'hex') FROM (SELECT * FROM flowers ORDER BY $order) t" >made.model
        same "$1, by $order" "$(cmp want.model made.model && echo same)" same
    done
}
unasked "nothing" '{}' -m nb
credence show want.model >out
says out "calibrated   by temperature"
says out "real=auto"
bytes <<<"SELECT encode(credence_train(flowers, 'species')::bytea, 'hex') FROM flowers" >made.model
same "no options at all" "$(cmp want.model made.model && echo same)" same
for workers in 0 2; do
    bytes <<END >"flowers.$workers"
SET max_parallel_workers_per_gather = $workers; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT encode(credence_train(flowers, 'species')::bytea, 'hex') FROM flowers;
END
    same "few rows, $workers workers" "$(cmp made.model "flowers.$workers" && echo same)" same
done
unasked "a learner" '{"learner": "gda"}' -m gda
unasked "logistic regression" '{"learner": "logistic"}' -m logistic
unasked "no calibration" '{"calibrate": "none"}' -m nb --calibrate none
same "texts, however many workers" "$(for workers in 0 2; do sql one <<END; done | sort -u | wc -l
SET max_parallel_workers_per_gather = $workers; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT md5(credence_train(notes, 'y', '{"types": {"body": "text"}}')::bytea) FROM notes;
END
)" 1
same "a choice of densities by what was counted" "$(sql one <<<"SELECT credence_show(credence_refit_auto(credence_train(flowers, 'species',
    '{\"params\": {\"real\": \"gaussian\", \"values\": \"keep\"}}')))->'knobs'->>'real' FROM flowers")" auto
unasked "a choice" '{"learner": "auto"}' -m auto
same "what was tried" "$(sql one <<<"SELECT credence_show(credence_train(flowers, 'species', '{\"learner\": \"auto\"}'))->'tried'->0->>'name' FROM flowers")" \
    gda:covariance=shared

# --- asking -------------------------------------------------------------------------------------------
row="ROW('yes', 'divorced', 120)"
sql one >/dev/null <<<"CREATE TYPE form AS (refund text, marital text, income int)"
printf 'refund,marital,income\nyes,divorced,120\n' >row.csv
same "prediction" "$(sql one <<<"SELECT credence_predict(model, $row::form) FROM models")" \
    "$(credence predict tax.model row.csv | tail -1)"
near "probability" "$(sql one <<<"SELECT credence_proba(model, $row::form)->>'no' FROM models")" \
    "$(credence predict --proba tax.model row.csv | tail -1 | cut -d, -f2)"
same "factors" "$(sql one <<<"SELECT string_agg(factor, ' ') FROM models, credence_explain(model, $row::form)")" \
    "prior refund marital income"
near "they add up to the log-odds" \
    "$(sql one <<<"SELECT sum(log_odds) FROM models, credence_explain(model, $row::form)")" \
    "$(sql one <<<"SELECT ln((p->>'no')::float8 / (p->>'yes')::float8) FROM (SELECT credence_proba(model, $row::form) p FROM models) x")" 1e-9
sql one <<<"SELECT credence_work(model, $row::form) FROM models" >work
says work "= (3 + 1)/(7 + 2) = 4/9 = 0.4444"
near "a query" "$(sql one <<<"SELECT credence_query(model, 'P(evade=yes)') FROM models")" 0.3
same "rows" "$(sql one <<<"SELECT credence_show(model)->>'rows' FROM models")" 10
same "costs turn a decision" \
    "$(sql one <<<"SELECT credence_decide(model, ROW('no', 'single', 90)::form, 'yes->no=100') FROM models")" yes
near "accuracy" "$(sql one <<<"SELECT credence_test(model, tax)->>'accuracy' FROM models, tax")" \
    "$(credence test --json tax.model "$examples/tax.csv" | sed -n 's/^ *"accuracy": \(.*\),$/\1/p')"
credence show --json tax.model >show.json
same "what the command shows" "$(sql one <<<"SELECT credence_show(model) - 'model' = '$(cat show.json)'::jsonb - 'model' FROM models")" t
credence test --json tax.model "$examples/tax.csv" >test.json
same "what the command measures" "$(sql one <<<"SELECT credence_test(model, tax) = '$(cat test.json)'::jsonb - 'seconds' FROM models, tax")" t
same "a distribution" "$(sql one <<<"SELECT credence_query(model, 'P(evade | refund=no)') = '$(
    credence query --json tax.model 'P(evade | refund=no)')'::jsonb FROM models")" t
credence train -q -m linear --target income --type refund=symbol --type marital=symbol --type evade=symbol "$examples/tax.csv" -o income.model
credence test --json income.model "$examples/tax.csv" >test.json
near "a test of numbers" "$(sql one <<<"SELECT credence_test(m, tax)->'rmse' FROM
    (SELECT credence_train(tax, 'income', '{\"learner\": \"linear\"}') m FROM tax) m, tax")" \
    "$(sed -n 's/^ *"rmse": \(.*\),$/\1/p' test.json)"

# --- teaching -----------------------------------------------------------------------------------------
same "learn and unlearn" "$(sql one <<<"
    SELECT (model + t - t)::bytea = model::bytea FROM models, (SELECT * FROM tax LIMIT 1) t")" t
same "parts add up" "$(sql one <<<"
    SELECT (SELECT credence_train(t, 'evade') FROM tax t WHERE income < 90)::bytea IS NOT NULL AND
           ((SELECT credence_train(t, 'evade') FROM tax t WHERE income < 90) +
            (SELECT credence_train(t, 'evade') FROM tax t WHERE income >= 90))::bytea = model::bytea
    FROM models")" t
same "and come apart" "$(sql one <<<"
    SELECT (model - (SELECT credence_train(t, 'evade') FROM tax t WHERE income < 90))::bytea =
           (SELECT credence_train(t, 'evade') FROM tax t WHERE income >= 90)::bytea FROM models")" t
credence drift --json tax.model "$examples/tax.csv" >drift.json
same "drift" "$(sql one <<<"SELECT credence_drift(model, tax) = '$(cat drift.json)'::jsonb FROM models, tax")" t
same "groups" "$(sql one <<<"
    SELECT credence_sum(m)::bytea = (SELECT model::bytea FROM models) FROM
        (SELECT credence_train(t, 'evade') m FROM tax t GROUP BY marital) g")" t
same "refit" "$(sql one <<<"SELECT credence_show(credence_refit(model, '{\"alpha\": 2}'))->'knobs'->>'alpha' FROM models")" 2
sql one >/dev/null <<'END'
CREATE TRIGGER follow AFTER INSERT OR UPDATE OR DELETE ON tax
    FOR EACH ROW EXECUTE FUNCTION credence_follow('models', 'tax');
INSERT INTO tax VALUES ('yes', 'widowed', 70, 'no'), ('no', 'single', NULL, 'maybe');
UPDATE tax SET income = income + 1 WHERE refund = 'no';
DELETE FROM tax WHERE evade = 'maybe';
END
same "the trigger follows the table" "$(sql one <<<"
    SELECT (SELECT credence_train(t, 'evade') FROM tax t)::bytea = model::bytea FROM models")" t

# --- windows ------------------------------------------------------------------------------------------
sql one >/dev/null <<<"CREATE TABLE days AS SELECT row_number() OVER () n, iris.* FROM iris"
window="credence_train(days, 'species', '{\"types\": {\"n\": \"ignore\"}}')"
# windows are never calibrated, and their numbers are Gaussian
alone="credence_train(days, 'species', '{\"types\": {\"n\": \"ignore\"}, \"params\": {\"real\": \"gaussian\"}, \"calibrate\": \"none\"}')"
anew() { echo "(SELECT $alone FROM days WHERE days.n BETWEEN $1 AND $2)::bytea"; } # FIRST LAST
same "every window is the model of its rows" "$(sql one <<<"
    WITH m AS (SELECT n, $window OVER (ORDER BY n ROWS BETWEEN 29 PRECEDING AND CURRENT ROW) model FROM days)
    SELECT count(*) FILTER (WHERE model::bytea = $(anew m.n-29 m.n)) FROM m")" 150
same "also where only some are looked at" "$(sql one <<<"
    WITH m AS (SELECT n, $window OVER (ORDER BY n ROWS BETWEEN 29 PRECEDING AND CURRENT ROW) model FROM days)
    SELECT count(*) FILTER (WHERE model::bytea = $(anew m.n-29 m.n)) FROM m WHERE n % 10 = 0")" 15
same "rows that share a window share its model" "$(sql one <<<"
    WITH m AS (SELECT n, $window OVER (ORDER BY n / 10 RANGE BETWEEN 2 PRECEDING AND CURRENT ROW) model FROM days)
    SELECT count(*) FILTER (WHERE model::bytea = $(anew 'm.n/10*10-20' 'm.n/10*10+9')) FROM m")" 150
same "windows that grow" "$(sql one <<<"
    WITH m AS (SELECT n, $window OVER (ORDER BY n) model FROM days)
    SELECT count(*) FILTER (WHERE model::bytea = $(anew 1 m.n)) FROM m")" 150
sql one >/dev/null <<<"CREATE TABLE kept AS SELECT n, model, lag(model) OVER (ORDER BY n) before FROM (
    SELECT n, $window OVER (ORDER BY n ROWS BETWEEN 29 PRECEDING AND CURRENT ROW) model FROM days) m"
same "models that outlive their windows" "$(sql one <<<"
    SELECT count(*) FILTER (WHERE model::bytea = $(anew kept.n-29 kept.n)),
           count(*) FILTER (WHERE before::bytea = $(anew kept.n-30 kept.n-1)) FROM kept")" "150|149"
same "asked at every row about the next" "$(sql one <<<"
    SELECT count(*) FILTER (WHERE p = species) FROM (SELECT species, credence_predict(
        $window OVER (ORDER BY n * 7 % 151 ROWS BETWEEN 100 PRECEDING AND 1 PRECEDING), days) p FROM days) x")" \
    "$(sql one <<<"
    SELECT count(*) FILTER (WHERE credence_predict((SELECT $alone FROM days WHERE n * 7 % 151 BETWEEN d.n * 7 % 151 - 100 AND
        d.n * 7 % 151 - 1), d) = species) FROM days d")"
same "windows without a class have no model" "$(sql one <<<"
    SELECT string_agg(CASE WHEN m IS NULL THEN '-' ELSE '+' END, '' ORDER BY i) FROM (
        SELECT i, credence_train(r, 'y') OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) m FROM (
            SELECT i, CASE WHEN i % 5 < 2 THEN 'a' END AS y FROM generate_series(0, 9) i) r) x")" +++--+++--
printf '%s\n' "CREATE TYPE pair AS (a text, y text)" \
    "CREATE TABLE pairs AS SELECT ROW('v' || i % 3, 'c' || i % 2)::pair p FROM generate_series(1, 60) i" \
    "ALTER TYPE pair ADD ATTRIBUTE b int" "INSERT INTO pairs VALUES (ROW('v1', 'c1', 7))" |
    sed 's/$/;/' | sql one >/dev/null
same "rows that are older than their type" "$(sql one <<<"
    SELECT credence_train(p, 'y')::bytea = (SELECT credence_train(r, 'y') FROM (SELECT (p).* FROM pairs) r)::bytea FROM pairs")" t

# --- parallel plans -----------------------------------------------------------------------------------
sql one >/dev/null <<'END'
CREATE TABLE big AS SELECT (i * 7919 % 13)::text a, (i * 104729 % 5)::text b, (i % 17) * 0.25::float8 x, NULL::int gap,
    CASE WHEN i * 7919 % 13 < 6 THEN 'low' ELSE 'high' END y FROM generate_series(1::bigint, 60000) i;
ANALYZE big;
END
for workers in 0 1 2; do
    sql one <<END >"big.$workers"
SET max_parallel_workers_per_gather = $workers; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT md5(credence_train(big, 'y')::bytea) FROM big;
END
done
same "one worker" "$(cat big.1)" "$(cat big.0)"
same "two workers" "$(cat big.2)" "$(cat big.0)"
# 130,000 rows are more than wait for each other: they are counted, and calibrated by a sample
sql one >/dev/null <<'END'
CREATE TABLE huge AS SELECT ((i * 7919 + i / 3) % 13)::text a, ((i * 104729 + i / 7) % 5)::text b, sin(i) + (i % 2) x,
    sin(i) + (i % 2) again, CASE WHEN i % 2 = 0 THEN 'low' ELSE 'high' END y FROM generate_series(1::bigint, 130000) i;
ANALYZE huge;
END
for workers in 0 1 2; do
    bytes <<END >"huge.$workers"
SET max_parallel_workers_per_gather = $workers; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT encode(credence_train(huge, 'y')::bytea, 'hex') FROM huge;
END
done
same "many rows, one worker" "$(cmp huge.0 huge.1 && echo same)" same
same "many rows, two workers" "$(cmp huge.0 huge.2 && echo same)" same
credence show huge.0 >out
says out "calibrated   by"
same "its numbers are Gaussian" "$(grep -c real=auto out)" 0
sql one <<<"COPY huge TO STDOUT CSV HEADER" >huge.csv
credence train -q -m nb --calibrate none --type a=symbol --type b=symbol --type x=real --type again=real huge.csv -o huge.bare >/dev/null 2>&1
fingerprint() { credence show "$1" | grep -o 'fingerprint.*'; }
same "the statistics are the command's" "$(fingerprint huge.0)" "$(fingerprint huge.bare)"
loss() { credence test --json "$1" huge.csv 2>/dev/null | sed -n 's/^ *"log_loss": \(.*\),$/\1/p'; }
# x stands there twice, so naive Bayes is too sure of itself
awk -v a="$(loss huge.0)" -v b="$(loss huge.bare)" 'BEGIN { exit !(a < b - 0.01) }' ||
    fail "the log loss of the calibrated model is $(loss huge.0), of the bare one $(loss huge.bare)"
checks=$((checks + 1))
# of rows that are few, but come often, all are in the sample
sql one >/dev/null <<'END'
CREATE TABLE often AS SELECT a, a again, CASE WHEN (a::int + i % 10 / 7) % 2 = 0 THEN 'low' ELSE 'high' END y
    FROM (SELECT i, (i * 7919 % 6)::text a FROM generate_series(1::bigint, 130000) i) r;
ANALYZE often;
END
for workers in 0 2; do
    bytes <<END >"often.$workers"
SET max_parallel_workers_per_gather = $workers; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT encode(credence_train(often, 'y')::bytea, 'hex') FROM often;
END
done
same "rows that come often, two workers" "$(cmp often.0 often.2 && echo same)" same
credence show often.0 >out
says out "calibrated   by"
sql one <<<"COPY often TO STDOUT CSV HEADER" >often.csv
# i is even or odd with a, and of the even i % 10 one in five is above 6, of the odd two: the classes have 80 and 60 %
near "and they tell all there is to know" "$(credence test --json often.0 often.csv 2>/dev/null | sed -n 's/^ *"log_loss": \(.*\),$/\1/p')" \
    "$(awk 'function h(p) { return -p * log(p) - (1 - p) * log(1 - p) } BEGIN { print (h(0.2) + h(0.4)) / 2 }')" 1e-3
same "bare" "$(bytes <<<"SELECT encode(credence_train(huge, 'y', '{\"calibrate\": \"none\"}')::bytea, 'hex') FROM huge" | cmp - huge.bare && echo same)" same
sql one <<'END' >plan
SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET min_parallel_table_scan_size = 0;
EXPLAIN SELECT credence_train(big, 'y') FROM big;
END
says plan "Partial Aggregate"
sql one >/dev/null <<'END'
CREATE TABLE parts (LIKE big) PARTITION BY LIST (a);
CREATE TABLE parts_low PARTITION OF parts FOR VALUES IN ('0', '1', '2', '3', '4', '5');
CREATE TABLE parts_high PARTITION OF parts DEFAULT;
INSERT INTO parts SELECT * FROM big;
END
same "partitions" "$(sql one <<<"SET enable_partitionwise_aggregate = on; SELECT md5(credence_train(parts, 'y')::bytea) FROM parts")" \
    "$(cat big.0)"

# --- dump and restore ---------------------------------------------------------------------------------
"$pg/pg_dump" -h "$folder/one" -U postgres -d postgres -t models --data-only >dump.sql
same "a dump holds the model" "$(grep -c '^tax' dump.sql)" 1

# --- what cannot be -----------------------------------------------------------------------------------
refused() { # SQL TEXT
    sql one <<<"$1" >out 2>err && fail "not refused: $1"
    says err "$2"
    same "the server lives" "$(sql one <<<'SELECT 1')" 1
}
refused "SELECT '\\x0102'::bytea::credence" "credence:"
refused "SELECT 'garbage'::credence" "credence:"
refused "SELECT credence_train(tax, 'nobody') FROM tax" 'no column "nobody"'
refused "SELECT credence_train(tax, 'evade', '{\"knobs\": 1}') FROM tax" 'there is no option "knobs"'
refused "SELECT credence_train(tax, 'evade', '{\"params\": {\"alpah\": 1}}') FROM tax" "alpah"
refused "SELECT credence_train(tax, 'evade', '{\"calibrate\": \"platt\"}') FROM tax" 'calibrate is "auto" or "none"'
refused "SELECT credence_train(huge, 'y', '{\"learner\": \"auto\"}') FROM huge" "too many to keep"
refused "SELECT credence_train(tax, 'evade', '{\"types\": {\"incom\": \"ignore\"}}') FROM tax" 'no column "incom"'
refused "SELECT credence_train(tax, 'evade', '{\"params\": {\"alpah\": 1}}') OVER (ROWS 1 PRECEDING) FROM tax" "alpah"
refused "SELECT credence_query(model, 'P(evade=') FROM models" "credence:"
refused "SELECT credence_decide(model, ROW('no','single',90)::form, 'nobody->no=1') FROM models" "nobody"
refused "SELECT model - ROW('never','seen',1,'no')::tax FROM models" "credence:"
refused "SET statement_timeout = 1; SELECT credence_train(r, 'y') FROM big r, generate_series(1, 50) g" "statement timeout"
for seed in "$CREDENCE_SOURCE"/fuzz/seeds/model/*; do
    hex=$(xxd -p "$seed" | tr -d '\n' | head -c 100000)
    sql one <<<"SELECT credence_show(decode('$hex', 'hex')::credence)" >/dev/null 2>&1
done
same "the server outlives every seed" "$(sql one <<<'SELECT 1')" 1
finish
