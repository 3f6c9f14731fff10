#!/usr/bin/env bash
# watch.sh - metrics that promtool finds no fault with, the access log, drift as rows pass.
. "$(dirname "$0")/server.bash"
cp "$CREDENCE_SOURCE"/examples/data/*.csv .
credence train -m nb -p real=gaussian --calibrate none iris.csv -t species -o iris.model >/dev/null 2>&1
credence train -m nb tax.csv -t evade -o 'ta"x.model' >/dev/null 2>&1
csv='Content-Type: text/csv'
start . --learn --drift --log access.jsonl
figure() { grep -F "$1 " out | awk '{ print $NF }'; }

answers 200 /models/iris/predict -d '{"petal_width": 1}'
answers 200 /models/iris/predict -H "$csv" --data-binary @iris.csv
answers 404 /models/rosa
answers 200 /models/iris/learn -H "$csv" --data-binary @iris.csv
answers 200 '/models/ta%22x/predict?reject=0' -H "$csv" --data-binary @tax.csv
answers 200 /models/iris/drift
credence drift --json iris.model iris.csv >want
answers 200 /metrics
same "requests" "$(figure 'credence_requests_total{path="/models/{model}/predict",method="POST",code="2xx"}')" 3
same "wrong requests" "$(figure 'credence_requests_total{path="/models/{model}",method="GET",code="4xx"}')" 1
same "latencies" "$(figure 'credence_request_duration_seconds_count{path="/models/{model}/predict",method="POST"}')" 3
same "rows" "$(figure 'credence_rows_total{model="iris"}')" 151
same "rejected" "$(figure 'credence_rejected_total{model="ta\"x"}')" 10
same "lessons" "$(figure 'credence_lessons_total{model="iris"}')" 1
same "rows with the truth" "$(figure 'credence_judged_rows_total{model="iris"}')" 150
near "of these right" "$(figure 'credence_judged_right_total{model="iris"}')" 144 # 0.96 of 150, as credence test says
same "rows of the model" "$(figure 'credence_model_rows{model="iris"}')" 300
if type -P promtool >/dev/null; then
    checks=$((checks + 1))
    promtool check metrics <out >lint 2>&1 || fail "promtool: $(head -n 5 lint)"
else
    # Every line is a comment, or a name with labels and a number.
    same "lines of no known form" "$(grep -vcE '^# (HELP|TYPE) |^[a-z_]+(\{[a-z]+="([^"\\]|\\.)*"(,[a-z]+="([^"\\]|\\.)*")*\})? [-+0-9.eEInfNa]+$' out)" 0
fi

# Rows unlike the training data show.
awk -F, -v OFS=, 'NR > 1 { $4 += 3 } { print }' iris.csv >shifted.csv
for i in 1 2 3 4 5 6 7 8 9 10; do
    answers 200 /models/iris/predict -H "$csv" --data-binary @shifted.csv
done
answers 200 /models/iris/drift
says out '"verdict": "strong"'
for i in $(seq 80); do
    ask /metrics
    [ "$(figure 'credence_drift_features{model="iris"}')" = 1 ] && break
    sleep 0.1
done
same "features that drift" "$(figure 'credence_drift_features{model="iris"}')" 1
# So do rows of the Open Inference Protocol, of numbers and of words.
sed '1d; s/"//g' tax.csv | awk -F, '{ a = a s "\"yes\""; b = b s "\"divorced\""; c = c s ($3 + 900); s = ", " }
    END { n = NR; printf "{\"inputs\": [{\"name\": \"refund\", \"shape\": [%d], \"datatype\": \"BYTES\", \"data\": [%s]},", n, a
    printf "{\"name\": \"marital\", \"shape\": [%d], \"datatype\": \"BYTES\", \"data\": [%s]},", n, b
    printf "{\"name\": \"income\", \"shape\": [%d], \"datatype\": \"FP64\", \"data\": [%s]}]}", n, c }' >tensors
for i in $(seq 40); do
    answers 200 '/v2/models/ta%22x/infer' --data-binary @tensors
done
answers 200 '/models/ta%22x/drift'
grep -A3 '"name": "income"' out >income
says income '"verdict": "strong"'
stop
says access.jsonl '"method": "POST", "target": "/models/iris/predict", "status": 200'
says access.jsonl '"rows": 150'
says access.jsonl '"status": 404'
same "lines of JSON" "$(grep -vc '^{"time": ".*}$' access.jsonl)" 0
finish
