#!/usr/bin/env bash
# sql.sh - training, predicting and sliding windows in PostgreSQL, next to plain SQL and to pandas.
#
#     bench/sql.sh BUILD [ROWS]
#
# A server of its own is started on a socket in a temporary folder and stopped by its process id. Times
# are of the server's processes (user and system, from /proc) and of the clock, the least of three runs.
set -eu
build=$(cd "${1:?the build folder}" && pwd)
rows=${2:-5000000}
CREDENCE_SOURCE=$(cd "$(dirname "$0")/.." && pwd)
CREDENCE_BUILD=$build
CREDENCE_BIN=$build/credence
folder=$(mktemp -d)
fail() { echo "$*" >&2; exit 1; }
finish() { exit 1; }
. "$CREDENCE_SOURCE/sql/tests/server.bash"
start_server bench
install_extension bench

# measure NAME SETTINGS QUERY: seconds of the clock, as psql's \timing says, and of the backend's processor
# (without parallel workers), the least of three runs.
measure() {
    local cpu="SELECT 'cpu ' || (s[14]::int + s[15]::int) FROM regexp_split_to_array(pg_read_file('/proc/self/stat', 0, 1000), ' ') s;"
    printf '%s\n' "$2" "$cpu" '\timing on' "$3" '\timing off' "$cpu" '\timing on' "$3" '\timing off' "$cpu" \
        '\timing on' "$3" '\timing off' "$cpu" >"$folder/query"
    sql bench <"$folder/query" >"$folder/out"
    printf '%-62s %9.3f s %9.3f s of the processor\n' "$1" "$(clock)" "$(processor)"
}
clock() { sed -n 's/^Time: \([0-9.]*\) ms.*/\1/p' "$folder/out" | sort -n | head -1 | awk '{print $1 / 1000}'; }
processor() {
    awk -v tick="$(getconf CLK_TCK)" '$1 == "cpu" {if (n++ && (n == 2 || $2 - before < least)) least = $2 - before
        before = $2} END {print least / tick}' "$folder/out"
}

sql bench >/dev/null <<END
CREATE UNLOGGED TABLE big AS SELECT
$(for i in 0 1 2 3 4 5 6 7 8 9; do
    echo "  'v' || (i * (2 * $i + 7919) / 3 + i / (17 + $i)) % (3 + $i) AS a$i,"
done)
  CASE WHEN i * 7919 % 13 < 6 THEN 'low' ELSE 'high' END AS y FROM generate_series(1::bigint, $rows) i;
VACUUM ANALYZE big;
CREATE TABLE models (name text PRIMARY KEY, model credence);
INSERT INTO models SELECT 'big', credence_train(big, 'y') FROM big;
END
echo "$rows rows of 10 categories and a class"
counts=$(printf ', count(a%d)' 0 1 2 3 4 5 6 7 8 9)
alone='SET max_parallel_workers_per_gather = 0; SET jit = off;'
measure "count(*)$(printf ', count(a%d)' 0), … one process" "$alone" "SELECT count(*)$counts FROM big;"
plain=$(processor)
measure "GROUP BY of one column with the class, one process" "$alone" "SELECT a5, y, count(*) FROM big GROUP BY a5, y;"
grouped=$(processor)
measure "credence_train, one process" "$alone" "SELECT length(credence_train(big, 'y')::bytea) FROM big;"
ours=$(processor)
awk -v a="$ours" -v b="$plain" -v c="$grouped" 'BEGIN {
    printf "  times the count query: %.2f; times the slower of the two: %.2f\n", a / b, a / (b > c ? b : c)}'
workers() { echo "SET max_parallel_workers_per_gather = $1; SET parallel_leader_participation = off; SET jit = off;
SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;"; }
measure "credence_train, one worker" "$(workers 1)" "SELECT length(credence_train(big, 'y')::bytea) FROM big;"
one=$(clock)
measure "credence_train, two workers" "$(workers 2)" "SELECT length(credence_train(big, 'y')::bytea) FROM big;"
two=$(clock)
awk -v a="$one" -v b="$two" 'BEGIN {printf "  two workers are %.2f times as fast as one\n", a / b}'

limit=$((rows < 1000000 ? rows : 1000000))
measure "credence_predict of $limit rows, one process" "$alone" \
    "SELECT count(credence_predict(model, t)) FROM models, (SELECT * FROM big LIMIT $limit) t;"
awk -v a="$(processor)" -v n="$limit" 'BEGIN {printf "  %.0f rows a second of one processor\n", n / a}'

sql bench >/dev/null <<END
CREATE TABLE days AS SELECT row_number() OVER () AS n, big.* FROM big LIMIT 100000;
CREATE INDEX ON days (n);
END
# The model of a window is written when it is looked at: at every hundredth row, and at every row.
window="credence_train(days, 'y', '{\"types\": {\"n\": \"ignore\"}, \"params\": {\"real\": \"gaussian\"}, \"calibrate\": \"none\"}')"
windows="(SELECT n, $window OVER (ORDER BY n ROWS BETWEEN 999 PRECEDING AND CURRENT ROW) m FROM days) w"
measure "100 windows of 1,000 rows, each trained anew" "$alone" \
    "SELECT count(m) FROM generate_series(1000, 100000, 1000) e, LATERAL (SELECT $window m FROM days WHERE n BETWEEN e - 999 AND e) x;"
anew=$(processor)
for every in 100 1; do
    measure "100,000 such windows, $([ $every = 1 ] && echo each || echo every hundredth) looked at" "$alone" \
        "SELECT count(m), sum(length(m::bytea)) FILTER (WHERE n % $every = 0) FROM $windows;"
    awk -v a="$(processor)" -v b="$anew" 'BEGIN {
        printf "  all 100,000 anew, extrapolated from 100: %.1f s, %.0f times as long\n", b * 1000, b * 1000 / a}'
done
sql bench <<END
SELECT 'windows that equal training anew, byte for byte: ' || count(*) FILTER (WHERE same) || ' of ' || count(*) FROM (
    SELECT m::bytea = (SELECT $window FROM days WHERE days.n BETWEEN w.n - 999 AND w.n)::bytea AS same
    FROM $windows WHERE n % 100 = 0) x;
END

# The same rows through COPY into pandas and scikit-learn; the server's own work for COPY is in the clock alone.
if /usr/bin/python3 -c 'import pandas, sklearn' 2>/dev/null; then
    /usr/bin/python3 - psql -X -q -h "$folder/bench" -U postgres -d postgres -c "COPY big TO STDOUT CSV HEADER" <<'END'
import io, resource, subprocess, sys, time, pandas
from sklearn.naive_bayes import CategoricalNB
from sklearn.preprocessing import OrdinalEncoder
before = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
begin = time.perf_counter()
text = subprocess.run(sys.argv[1:], check=True, stdout=subprocess.PIPE).stdout
copied = time.perf_counter()
frame = pandas.read_csv(io.BytesIO(text))
CategoricalNB().fit(OrdinalEncoder().fit_transform(frame.drop(columns="y")), frame["y"])
end = time.perf_counter()
used = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) - before
print(f"{'COPY, pandas, OrdinalEncoder and CategoricalNB':62} {end - begin:9.3f} s {used:9.3f} s of the processor")
print(f"  of which COPY took {copied - begin:.3f} s")
END
fi

# Other shapes of data, each next to the counting of its columns and to a GROUP BY of one with the class.
shape() { # NAME ROWS COLUMNS EXPRESSION, where the expression is of i, the row, and k, the column
    local list="" names="" k
    for k in $(seq 0 $(($3 - 1))); do
        list+="${4//@k/$k} AS a$k, "
        names+=", count(a$k)"
    done
    sql bench >/dev/null <<<"CREATE UNLOGGED TABLE shape AS SELECT $list CASE WHEN i * 7919 % 13 < 6 THEN 'low' ELSE 'high' END AS y
        FROM generate_series(1::bigint, $2) i; VACUUM ANALYZE shape;"
    echo "$2 rows of $3 columns: $1"
    measure "  count(*), count(a0), …" "$alone" "SELECT count(*)$names FROM shape;"
    plain=$(processor)
    measure "  GROUP BY of one column with the class" "$alone" "SELECT count(*) FROM (SELECT a1, y, count(*) FROM shape GROUP BY a1, y) g;"
    grouped=$(processor)
    measure "  credence_train" "$alone" "SELECT length(credence_train(shape, 'y')::bytea) FROM shape;"
    awk -v a="$(processor)" -v b="$plain" -v c="$grouped" 'BEGIN {
        printf "    times the slower of the two: %.2f\n", a / (b > c ? b : c)}'
    sql bench >/dev/null <<<"DELETE FROM models WHERE name = 'shape'; INSERT INTO models SELECT 'shape', credence_train(shape, 'y') FROM shape;"
    measure "  credence_predict" "$alone" \
        "SELECT count(credence_predict(model, shape)) FROM models, shape WHERE name = 'shape';"
    awk -v a="$(processor)" -v n="$2" 'BEGIN {printf "    %.0f rows a second of one processor\n", n / a}'
    sql bench >/dev/null <<<"DROP TABLE shape"
}
shape "numbers" $((rows / 5)) 10 "((i * (@k + 7919)) % 10007) * 0.25::float8"
shape "texts, one in four NULL" $((rows / 5)) 10 "CASE WHEN (i + @k) % 4 > 0 THEN 'v' || i * (@k + 7919) % 11 END"
shape "texts of up to 40 bytes" $((rows / 5)) 10 "repeat('long ', (i % 6)::int) || i * (@k + 7919) % 11"
shape "10,000 texts" $((rows / 5)) 10 "'name ' || (i * (@k + 7919)) % 10000"
shape "texts" $((rows / 50)) 100 "'v' || (i * (2 * @k + 7919) / 3) % (3 + @k % 10)"
