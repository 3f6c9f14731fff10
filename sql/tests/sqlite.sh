#!/usr/bin/env bash
# sqlite.sh - the loadable extension in SQLite's shell: aggregate, window, scalar and table functions.
. "$CREDENCE_SOURCE/tests/cli/lib.bash"
extension=${CREDENCE_BUILD:-}/sql/sqlite/credence
if ! type -P sqlite3 >/dev/null || [ ! -f "$extension.so" ]; then
    echo "skipped: there is no sqlite3, or no extension for it (scripts/deps.sh sql)"
    exit 77
fi
examples=$CREDENCE_SOURCE/examples/data
sql() { sqlite3 -batch -cmd ".load $extension" data.db; }
row="'refund', refund, 'marital', marital, 'income', income"

sql <<END
CREATE TABLE tax (refund TEXT, marital TEXT, income INTEGER, evade TEXT);
.import --csv --skip 1 $examples/tax.csv tax
CREATE TABLE models AS SELECT credence_train('evade', $row, 'evade', evade) AS model FROM tax;
END
credence train -q -m nb --calibrate none --type refund=symbol --type marital=symbol --type income=real \
    "$examples/tax.csv" -o tax.model
sql <<<"SELECT hex(model) FROM models" | xxd -r -p >sqlite.model
same "the same bytes as the command" "$(cmp tax.model sqlite.model && echo same)" same

# without options: what the command makes of the rows in the order of their values
sql <<END
CREATE TABLE flowers (sepal_length REAL, sepal_width REAL, petal_length REAL, petal_width REAL, species TEXT);
.import --csv --skip 1 $examples/iris.csv flowers
END
columns="'sepal_length', sepal_length, 'sepal_width', sepal_width, 'petal_length', petal_length, 'petal_width', petal_width, 'species', species"
sqlite3 -batch -csv -header data.db "SELECT * FROM flowers ORDER BY 1, 2, 3, 4, 5" >ordered.csv
reals=(); for c in sepal_length sepal_width petal_length petal_width; do reals+=(--type "$c=real"); done
credence train -q -m nb "${reals[@]}" ordered.csv -o flowers.model
for order in rowid 'petal_width DESC'; do
    sql <<<"SELECT hex(credence_train('species', $columns)) FROM (SELECT * FROM flowers ORDER BY $order)" | xxd -r -p >sqlite.model
    same "calibrated, densities chosen" "$(cmp flowers.model sqlite.model && echo same)" same
done
credence train -q -m nb --calibrate none "${reals[@]}" ordered.csv -o flowers.model
sql <<<"SELECT hex(credence_train('{\"target\": \"species\", \"calibrate\": \"none\"}', $columns)) FROM flowers" | xxd -r -p >sqlite.model
same "bare" "$(cmp flowers.model sqlite.model && echo same)" same
credence train -q -m nb -p real=gaussian --calibrate none "${reals[@]}" ordered.csv -o flowers.model
sql <<<"SELECT hex(credence_train('species', $columns) OVER (ORDER BY petal_width ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)) FROM flowers LIMIT 1" |
    xxd -r -p >sqlite.model
same "a window is bare, with Gaussians" "$(cmp flowers.model sqlite.model && echo same)" same

one="'refund', 'yes', 'marital', 'divorced', 'income', 120"
printf 'refund,marital,income\nyes,divorced,120\n' >row.csv
same "prediction" "$(sql <<<"SELECT credence_predict(model, $one) FROM models")" \
    "$(credence predict tax.model row.csv | tail -1)"
near "probability" "$(sql <<<"SELECT json_extract(credence_proba(model, $one), '\$.no') FROM models")" \
    "$(credence predict --proba tax.model row.csv | tail -1 | cut -d, -f2)"
same "factors" "$(sql <<<"SELECT group_concat(factor, ' ') FROM models AS m, credence_explain(m.model, json_object($one))")" \
    "prior refund marital income"
near "a query" "$(sql <<<"SELECT credence_query(model, 'P(evade=yes)') FROM models")" 0.3
same "rows" "$(sql <<<"SELECT json_extract(credence_show(model), '\$.rows') FROM models")" 10
same "costs" "$(sql <<<"SELECT credence_decide(model, 'yes->no=100', 'refund', 'no', 'marital', 'single', 'income', 90) FROM models")" yes
sql <<<"SELECT credence_work(model, $one) FROM models" >work
says work "= (3 + 1)/(7 + 2) = 4/9 = 0.4444"
same "learn and unlearn" "$(sql <<<"
    SELECT credence_unlearn(credence_learn(model, $one, 'evade', 'no'), $one, 'evade', 'no') = model FROM models")" 1
same "parts add up" "$(sql <<<"
    SELECT credence_merge((SELECT credence_train('evade', $row, 'evade', evade) FROM tax WHERE income < 90),
                          (SELECT credence_train('evade', $row, 'evade', evade) FROM tax WHERE income >= 90)) = model
    FROM models")" 1
same "refit" "$(sql <<<"SELECT json_extract(credence_show(credence_refit(model, '{\"alpha\": 2}')), '\$.knobs.alpha') FROM models")" 2
kept="'{\"target\": \"species\", \"calibrate\": \"none\", \"params\": {\"real\": \"gaussian\", \"values\": \"keep\"}}'"
same "refit by what was counted" "$(sql <<<"SELECT credence_refit_auto(credence_train($kept, $columns)) =
    credence_refit(credence_refit_auto(credence_train($kept, $columns)), '{}'),
    json_extract(credence_show(credence_refit_auto(credence_train($kept, $columns))), '\$.knobs.real') FROM flowers")" "1|auto"
same "windows" "$(sql <<<"
    WITH w AS (SELECT rowid AS n, credence_train('evade', $row, 'evade', evade) OVER (ORDER BY rowid ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS m FROM tax)
    SELECT count(*) FROM w WHERE m = (SELECT credence_train('evade', $row, 'evade', evade) FROM tax WHERE rowid BETWEEN w.n - 3 AND w.n)")" 10
near "accuracy" "$(sql <<<"SELECT json_extract(credence_test(model, evade, $row), '\$.accuracy') FROM models, tax")" \
    "$(credence test --json tax.model "$examples/tax.csv" | sed -n 's/^ *"accuracy": \(.*\),$/\1/p')"
same "groups add up" "$(sql <<<"SELECT credence_sum(m) = (SELECT model FROM models) FROM
    (SELECT credence_train('evade', $row, 'evade', evade) AS m FROM tax GROUP BY marital)")" 1
same "no models, no sum" "$(sql <<<"SELECT credence_sum(model) IS NULL FROM models WHERE 0")" 1
credence show --json tax.model | sed 's/"model": .*/"model": null,/' >show.json
sql <<<"SELECT credence_show(model) FROM models" >shown.json
same "what the command shows" "$(cmp show.json shown.json && echo same)" same
credence test --json tax.model "$examples/tax.csv" | sed '/"seconds":/d' >test.json
sql <<<"SELECT credence_test(model, evade, $row) FROM models, tax" >tested.json
same "what the command measures" "$(cmp test.json tested.json && echo same)" same
same "a distribution" "$(sql <<<"SELECT credence_query(model, 'P(evade | refund=no)') FROM models")" \
    "$(credence query --json tax.model 'P(evade | refund=no)')"
linear="credence_train('{\"target\": \"income\", \"learner\": \"linear\"}', $row)"
credence train -q -m linear --target income --type refund=symbol --type marital=symbol --type evade=ignore "$examples/tax.csv" -o income.model
near "a test of numbers" "$(sql <<<"SELECT json_extract(credence_test(m, income, 'refund', refund, 'marital', marital), '\$.rmse')
    FROM (SELECT $linear AS m FROM tax), tax")" "$(credence test --json income.model "$examples/tax.csv" | sed -n 's/^ *"rmse": \(.*\),$/\1/p')"
credence train -q -m logistic --calibrate none --type refund=symbol --type marital=symbol \
    --type income=real --basis 'income^2' "$examples/tax.csv" -o curved.model
sql <<<"SELECT hex(credence_train('{\"target\": \"evade\", \"learner\": \"logistic\",
    \"basis\": \"income^2\"}', $row, 'evade', evade)) FROM tax" | xxd -r -p >products.model
same "products of columns" "$(cmp curved.model products.model && echo same)" same
same "and come apart" "$(sql <<<"
    SELECT credence_unmerge(model, (SELECT credence_train('evade', $row, 'evade', evade) FROM tax WHERE income < 90)) =
        (SELECT credence_train('evade', $row, 'evade', evade) FROM tax WHERE income >= 90) FROM models")" 1
same "drift" "$(sql <<<"SELECT json_extract(credence_drift(model, $row), '\$.rows', '\$.features[0].verdict') FROM models, tax")" \
    '[10,"stable"]'
same "a column whose first values are NULL" "$(sql <<<"
    SELECT (SELECT credence_train('y', 'a', a, 'x', x, 'y', y) FROM (SELECT NULL AS a, NULL AS x, 'p' AS y UNION ALL SELECT 'u', 1, 'q' UNION ALL SELECT 'v', 2, 'p')) =
        (SELECT credence_train('y', 'a', a, 'x', x, 'y', y) FROM (SELECT 'u' AS a, 1 AS x, 'q' AS y UNION ALL SELECT 'v', 2, 'p' UNION ALL SELECT NULL, NULL, 'p'))")" 1
same "no model, no answer" "$(sql <<<"SELECT credence_predict(NULL, $one) IS NULL, credence_show(NULL) IS NULL")" "1|1"
same "many models in turn" "$(sql <<<"
    WITH m AS (SELECT value AS i, (SELECT credence_train('evade', $row, 'evade', evade) FROM tax WHERE rowid <= value) AS model
        FROM json_each('[1,2,3,4,5,6,7,8,9,10]')), twice AS (SELECT * FROM m UNION ALL SELECT * FROM m)
    SELECT group_concat(json_extract(credence_show(model), '\$.rows'), ' ') FROM twice")" "1 2 3 4 5 6 7 8 9 10 1 2 3 4 5 6 7 8 9 10"
same "no rows, no model" "$(sql <<<"SELECT credence_train('evade', $row, 'evade', evade) IS NULL FROM tax WHERE 0")" 1

# --- the README's lines, in a shell that has loaded ./credence ---------------------------------------------
ln -s "$extension.so" credence.so
{
    printf '%s\n' '.load ./credence' ".import --csv $examples/iris.csv texts"
    echo "CREATE TABLE iris AS SELECT petal_length + 0 AS petal_length, petal_width + 0 AS petal_width, species FROM texts;"
    sed -n '/^-- SQLite, after .load/,/^```$/p' "$CREDENCE_SOURCE/README.md" | grep -v '^```'
} | sqlite3 -batch :memory: >readme 2>&1
same "the README's lines" "$(cat readme)" versicolor

refused() { # SQL TEXT
    sql <<<"$1" >out 2>err
    says err "$2"
}
refused "SELECT credence_show(x'0102')" "credence:"
refused "SELECT credence_show('text')" "BLOB"
refused "SELECT credence_train('nobody', $row, 'evade', evade) FROM tax" "no column 'nobody'"
refused "SELECT credence_train('{\"knob\": 1}', $row, 'evade', evade) FROM tax" 'there is no option "knob"'
refused "SELECT credence_train('{\"target\": \"evade\", \"types\": {\"incom\": \"ignore\"}}', $row, 'evade', evade) FROM tax" 'no column "incom"'
refused "SELECT credence_train('evade', 'x', CASE WHEN rowid = 1 THEN 1 ELSE 'many' END, 'evade', evade) FROM tax" \
    "column 'x' has numbers, and 'many' is not one"
says err '{"types": {"x": "symbol"}}'
refused "SELECT credence_train('evade', 'a') FROM tax" "in turn"
for seed in "$CREDENCE_SOURCE"/fuzz/seeds/model/*; do
    hex=$(xxd -p "$seed" | tr -d '\n' | head -c 100000)
    sql <<<"SELECT length(credence_show(x'$hex'))" >/dev/null 2>&1
    [ $? -lt 128 ] || fail "SQLite died of $seed"
done
finish
