#!/usr/bin/env bash
# oip.sh - the Open Inference Protocol, version 2: health, metadata, inference.
. "$(dirname "$0")/server.bash"
cp "$CREDENCE_SOURCE"/examples/data/*.csv .
credence train -m nb -p real=gaussian --calibrate none iris.csv -t species -o iris.model >/dev/null 2>&1
credence train -m nb tax.csv -t evade -o tax.model >/dev/null 2>&1
credence train -m linear houses.csv -t price -o houses.model >/dev/null 2>&1
printf 'sunny,wind,play\ntrue,3,yes\nfalse,9,no\ntrue,5,yes\nfalse,2,yes\ntrue,8,no\n' >play.csv
credence train -m nb play.csv -t play --type sunny=symbol -o play.model >/dev/null 2>&1
start .

answers 200 /v2
says out '"name": "credence"'
answers 200 /v2/health/live
answers 200 /v2/health/ready
answers 200 /v2/models/iris
says out '"inputs": [{"name": "sepal_length", "datatype": "FP64", "shape": [-1]}'
says out '"outputs": [{"name": "prediction", "datatype": "BYTES", "shape": [-1]}'
version=$(grep -o '"versions": \["[^"]*' out | cut -d'"' -f4)
answers 200 "/v2/models/iris/versions/$version"
answers 200 "/v2/models/iris/versions/$version/ready"
answers 200 /v2/models/iris/ready
answers 404 /v2/models/iris/versions/1
says out '"error": '
answers 404 /v2/models/rosa
answers 404 /v2/models/rosa/ready

# --- one tensor of two dimensions, nested and flat: the bytes of a request as clients write it ----
replay() { # FILE: a whole request; the answer, without its head, in out
    exec 3<>"/dev/tcp/127.0.0.1/${url##*:}"
    cat "$1" >&3
    sed -n '1p; /^\r$/,$p' <&3 | sed '2d' >out
    exec 3>&-
    checks=$((checks + 1))
    head -n 1 out | grep -q ' 200 ' || fail "$(cat out)"
}
request() { # BODY
    printf 'POST /v2/models/iris/infer HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n'
    printf 'User-Agent: python-requests/2.31.0\r\nAccept-Encoding: gzip, deflate\r\n'
    printf 'Connection: close\r\nContent-Length: %d\r\nContent-Type: application/json\r\n\r\n%s' \
        "${#1}" "$1"
}
printf 'sepal_length,sepal_width,petal_length,petal_width\n6.8,2.8,4.8,1.4\n6.0,3.4,4.5,1.6\n' >two.csv
credence predict --proba iris.model two.csv >want
posterior=$(tail -n +2 want | cut -d, -f2- | tr '\n' ',' | sed 's/,$//; s/,/, /g')
for data in '[[6.8, 2.8, 4.8, 1.4], [6.0, 3.4, 4.5, 1.6]]' '[6.8, 2.8, 4.8, 1.4, 6.0, 3.4, 4.5, 1.6]'; do
    request "{\"inputs\": [{\"name\": \"input-0\", \"shape\": [2, 4], \"datatype\": \"FP32\", \"data\": $data}]}" >raw
    replay raw
    says out '"data": ["versicolor", "versicolor"]'
    says out "\"name\": \"posterior\", \"datatype\": \"FP64\", \"shape\": [2, 3], \"data\": [$posterior]"
done

# --- what clients send, byte for byte ---------------------------------------------------------------
#
# The files of tests/oip are requests as tritonclient 2 (HTTP, on geventhttpclient) writes them: by
# default tensors are binary, behind the JSON. They leave the connection open: a request behind them
# has it closed.
for file in "$CREDENCE_SOURCE"/serve/tests/oip/*.http; do
    exec 3<>"/dev/tcp/127.0.0.1/${url##*:}"
    { cat "$file"; printf 'GET /v2/health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'; } >&3
    cat <&3 >out
    exec 3>&-
    same "$(basename "$file")" "$(grep -ac '^HTTP/1.1 200 OK' out)" 2
    cp out "$(basename "$file" .http).out"
done
for form in binary json; do
    says triton-$form.out "\"name\": \"posterior\", \"datatype\": \"FP64\", \"shape\": [2, 3], \"data\": [$posterior]"
done
printf 'refund,marital,income\nno,married,120\nyes,single,125\n' >two.csv
posterior=$(credence predict --proba tax.model two.csv | tail -n +2 | cut -d, -f2- | tr '\n' ',' | sed 's/,$//; s/,/, /g')
says triton-columns.out "\"data\": [$posterior]"

# Every datatype as bytes: 1 and 3 as two rows of wind, a half beside them.
binary() { # STATUS DATATYPE SIZE BYTES...
    local want=$1 json="{\"inputs\":[{\"name\":\"wind\",\"shape\":[2],\"datatype\":\"$2\",\"parameters\":{\"binary_data_size\":$3}}],\"parameters\":{\"allow_absent\":true}}"
    { printf '%s' "$json"; printf "$4"; } >raw
    answers "$want" /v2/models/play/infer -H "Inference-Header-Content-Length: ${#json}" --data-binary @raw
}
answers 200 /v2/models/play/infer -d '{"parameters": {"allow_absent": true}, "inputs": [{"name": "wind", "shape": [2], "datatype": "FP64", "data": [1, 3]}]}'
cp out want
for type in 'INT8 2 \x01\x03' 'UINT8 2 \x01\x03' 'INT16 4 \x01\x00\x03\x00' 'UINT16 4 \x01\x00\x03\x00' \
    'INT32 8 \x01\x00\x00\x00\x03\x00\x00\x00' 'UINT32 8 \x01\x00\x00\x00\x03\x00\x00\x00' \
    'INT64 16 \x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00' \
    'UINT64 16 \x01\x00\x00\x00\x00\x00\x00\x00\x03\x00\x00\x00\x00\x00\x00\x00' \
    'FP16 4 \x00\x3c\x00\x42' 'FP32 8 \x00\x00\x80\x3f\x00\x00\x40\x40' \
    'FP64 16 \x00\x00\x00\x00\x00\x00\xf0\x3f\x00\x00\x00\x00\x00\x00\x08\x40'; do
    binary 200 $type
    same "$type" "$(cmp out want)" ""
done
binary 200 INT16 4 '\xff\xff\xfe\xff'
cp out negative
binary 200 FP16 4 '\x00\xbc\x00\xc0'
same "numbers below 0" "$(cmp out negative)" ""
binary 400 INT64 16 '\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00\x00\x00\x00\x00\x00\x00'
binary 400 FP32 7 '\x00\x00\x80\x3f\x00\x00\x40'
binary 400 FP32 9 '\x00\x00\x80\x3f\x00\x00\x40\x40'
says out 'but 8 are left'
binary 400 FP32 8 '\x00\x00\x80\x3f\x00\x00\x40\x40\x40'
says out '1 bytes follow the last tensor'
binary 400 BYTES 6 '\x09\x00\x00\x00ab'
answers 400 /v2/models/play/infer -H 'Inference-Header-Content-Length: 99' -d '{}'

# --- one tensor a column --------------------------------------------------------------------------
answers 200 /v2/models/tax/infer -d '{"id": "42", "inputs": [
    {"name": "refund", "shape": [2], "datatype": "BYTES", "data": ["no", "yes"]},
    {"name": "marital", "shape": [2, 1], "datatype": "BYTES", "data": [["married"], [null]]},
    {"name": "income", "shape": [2], "datatype": "INT64", "data": [120, 125]}],
    "outputs": [{"name": "posterior"}]}'
says out '"id": "42"'
same "outputs" "$(grep -o '"name"' out | wc -l)" 1
printf 'refund,marital,income\nno,married,120\nyes,?,125\n' >two.csv
posterior=$(credence predict --proba tax.model two.csv | tail -n +2 | cut -d, -f2- | tr '\n' ',' | sed 's/,$//; s/,/, /g')
says out "\"data\": [$posterior]"
answers 200 /v2/models/tax/infer -d '{"parameters": {"cost": "yes->no=3", "reject": 0.35, "priors": "no:0.5,yes:0.5"}, "inputs": [
    {"name": "refund", "shape": [1], "datatype": "BYTES", "data": ["no"]},
    {"name": "marital", "shape": [1], "datatype": "BYTES", "data": ["married"]},
    {"name": "income", "shape": [1], "datatype": "FP64", "data": [120]}]}'
cost=$(head -n 2 two.csv | credence predict --json --cost 'yes->no=3' --reject 0.35 --priors 'no:0.5,yes:0.5' tax.model |
    grep -o '"expected_cost": [^,}]*' | cut -d' ' -f2)
says out "\"name\": \"expected_cost\", \"datatype\": \"FP64\", \"shape\": [1], \"data\": [$cost]"
answers 200 /v2/models/play/infer -d '{"inputs": [
    {"name": "sunny", "shape": [2], "datatype": "BOOL", "data": [true, false]},
    {"name": "wind", "shape": [2], "datatype": "UINT8", "data": [3, 9]}]}'
printf 'sunny,wind\ntrue,3\nfalse,9\n' >two.csv
posterior=$(credence predict --proba play.model two.csv | tail -n +2 | cut -d, -f2- | tr '\n' ',' | sed 's/,$//; s/,/, /g')
says out "\"data\": [$posterior]"
answers 200 /v2/models/houses
answers 200 /v2/models/houses/infer -d "{\"parameters\": {\"allow_absent\": true}, \"inputs\": [
    {\"name\": \"$(head -n 1 houses.csv | cut -d, -f1)\", \"shape\": [1], \"datatype\": \"FP64\", \"data\": [100]}]}"
says out '"name": "sd"'

# --- wrong requests -------------------------------------------------------------------------------
wrong() { # BODY
    answers 400 /v2/models/iris/infer -d "$1"
    says out '"error": '
}
wrong '{}'
wrong '[]'
wrong '{"inputs": []}'
wrong '{"inputs": [{"name": "petal_width"}]}'
wrong '{"inputs": [{"name": "petal_width", "shape": [1], "datatype": "FP128", "data": [1]}]}'
wrong '{"inputs": [{"name": "petal_width", "shape": [2], "datatype": "FP64", "data": [1]}]}'
wrong '{"inputs": [{"name": "petal_width", "shape": [-1], "datatype": "FP64", "data": [1]}]}'
wrong '{"inputs": [{"name": "petal_width", "shape": [1], "datatype": "FP64", "data": ["1"]}]}'
wrong '{"inputs": [{"name": "petal_width", "shape": [1], "datatype": "INT64", "data": [1.5]}]}'
wrong '{"inputs": [{"name": "x", "shape": [1, 3], "datatype": "FP64", "data": [1, 2, 3]}]}'
wrong '{"inputs": [{"name": "x", "shape": [1, 4], "datatype": "FP64", "data": [1, 2, 3, 4]}], "outputs": [{"name": "mood"}]}'
wrong '{"inputs": [{"name": "x", "shape": [1, 4], "datatype": "FP64", "data": [1, 2, 3, 4]}], "parameters": {"cost": "a"}}'
answers 409 /v2/models/iris/infer -d '{"inputs": [{"name": "petal_width", "shape": [1], "datatype": "FP64", "data": [1]}]}'
stop
finish
