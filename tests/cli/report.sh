#!/usr/bin/env bash
# report.sh - a page with the figures of test, complete, and safe against injected scripts.
. "$(dirname "$0")/lib.bash"
cp "$CREDENCE_SOURCE"/examples/data/*.csv .
credence train -m nb --calibrate none -q iris.csv -o iris.model
credence train -m nb -q messages.csv -o messages.model

expect 0 credence report iris.model iris.csv -o iris.html
silent out
silent err
says iris.html "<!DOCTYPE html>"
says iris.html "</html>"
says iris.html "<b>96 %</b>"
says iris.html "Line 108: virginica taken for versicolor with probability 0.9984"
same "pictures" "$(grep -c '^<svg' iris.html)" 4
same "elements are closed" "$(grep -o '<table' iris.html | wc -l)" "$(grep -o '</table' iris.html | wc -l)"
same "nothing from outside" "$(grep -cE '(src|href)="(http|//)' iris.html)" 0
credence report iris.model iris.csv -o again.html
same "the same page again" "$(cmp iris.html again.html && echo same)" same
credence report iris.model iris.csv -o - >piped.html
same "the same page to a pipe" "$(cmp iris.html piped.html && echo same)" same

credence test --json iris.model iris.csv >test.json
expect 0 credence report iris.model iris.csv -o iris.html --json
for key in rows accuracy log_loss brier ece macro_f1; do
    near "$key" "$(json $key out)" "$(json $key test.json)"
done
expect 0 credence report messages.model messages.csv -o messages.html
says messages.html "words for spam"
says messages.html "There are none."
same "one tile of rows" "$(grep -c 'rows tested' messages.html)" 1
printf 'text,class\nwin cash prize now,ham\n' >odd.csv
expect 0 credence report messages.model odd.csv -o odd.html
says odd.html '<p class="quote">win cash prize now</p>'

# --- a model of numbers: what test says, what explain says -----------------------------------------
credence train -q -m linear houses.csv -o houses.model
credence test --json houses.model houses.csv >test.json
expect 0 credence report houses.model houses.csv -o houses.html
silent out
silent err
same "pictures of numbers" "$(grep -c '^<svg' houses.html)" 3
same "closed elements" "$(grep -o '<table' houses.html | wc -l)" "$(grep -o '</table' houses.html | wc -l)"
says houses.html "share of truths inside their 95 % interval"
says houses.html "<h3>Weights</h3>"
expect 0 credence report houses.model houses.csv -o houses.html --interval 80 --mistakes 2 --json
for key in rows rmse mae r2 bias log_density; do
    near "$key" "$(json $key out)" "$(json $key test.json)"
done
near "level" "$(json level out)" 0.8
says houses.html "share of truths inside their 80 % interval"
same "mistakes" "$(grep -c '"scales": ' out)" 2
line=$(json line out)
credence explain --csv --row $((line - 1)) houses.model houses.csv >explained
near "prediction" "$(json prediction out)" "$(cell explained prediction 1)"
near "what the loudest adds" "$(sed -n 's/.*"adds": \([-0-9.e]*\)}.*/\1/p' out | head -1)" \
    "$(cut -d , -f 8 explained | tail -n +2 | tr -d - | sort -g | tail -1 |
        xargs -I{} grep -oE -- '-?{}$' explained)"
says houses.html "Line $line: "
expect 0 credence report houses.model houses.csv -o few.html --mistakes 0
says few.html "There are none."
expect 0 credence report iris.model iris.csv -o few.html --mistakes 0
run bash -c 'cat houses.csv | "$0" report houses.model -o pipe.html' "$CREDENCE_BIN"
same "numbers from a pipe" "$status" 0
same "pictures from a pipe" "$(grep -c '^<svg' pipe.html)" 2
credence train -q -m network -p real=gaussian iris.csv -t petal_width -o width.model
expect 0 credence report width.model iris.csv -o width.html
says width.html "given the features that stand before it"
! grep -qE '>-?(nan|inf)' houses.html width.html few.html pipe.html || fail "a number that is none"
printf 'size,age,colour,price\n1,2,red,\n' >unpriced.csv
expect 1 credence report houses.model unpriced.csv -o x.html
says err "no row has a number to test against"
expect 2 credence report houses.model houses.csv -o x.html --interval 100

# From a pipe: no second reading.
run bash -c 'cat iris.csv | "$0" report iris.model -o pipe.html' "$CREDENCE_BIN"
same "from a pipe" "$status" 0
says err "only once"

# Names that contain markup are escaped.
cat >bad.csv <<'END'
"<img src=x onerror=alert(1)>",class
1,<script>alert(1)</script>
2,<script>alert(1)</script>
3,"a&b""'"
9,"a&b""'"
2.5,"a&b""'"
1.5,"a&b""'"
END
credence train -m nb -q bad.csv -o bad.model
expect 0 credence report bad.model bad.csv -o bad.html
same "no script" "$(grep -c '<script' bad.html)" 0
same "no image" "$(grep -c '<img' bad.html)" 0
says bad.html "&#60;script&#62;"
awk -F , -v OFS=, 'NR == 1 { print $1, "\"<b>k\"", "y"; next } { print NR * NR, $2, NR % 3 + NR }' \
    bad.csv >numbers.csv
credence train -q -m linear numbers.csv -o numbers.model
expect 0 credence report numbers.model numbers.csv -o numbers.html
same "no markup of numbers" "$(grep -cE '<(script|img|b>k)' numbers.html)" 0
says numbers.html "&#60;img src"

# Misuse.
expect 2 credence report iris.model iris.csv
says err "report needs -o FILE"
expect 1 credence report iris.model iris.csv -o nowhere/iris.html
expect 2 credence report iris.model iris.csv -o iris.csv
expect 1 credence report iris.model <(printf 'sepal_length,species\n1,setosa\n') -o x.html
same "no page after a failure" "$(ls x.html 2>/dev/null)" ""

# A browser renders it, and no script in a name has run.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -n "$browser" ]; then
    for page in iris houses; do
        timeout 100 "$browser" --headless --no-sandbox --disable-gpu \
            --user-data-dir="$PWD/profile" --window-size=1000,1400 --screenshot="$PWD/page.png" \
            "file://$PWD/$page.html" >browser 2>&1
        same "a screenshot" "$(head -c 8 page.png | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a
        same "with something on it" "$(($(wc -c <page.png) > 30000))" 1
    done
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
        --dump-dom "file://$PWD/bad.html" >dom 2>/dev/null
    same "names are text in the browser too" "$(grep -ciE '<(script|img)' dom)" 0
    says dom "&lt;script&gt;"
else
    echo "no Chromium here: the page is not opened in a browser"
fi

# --- data without a model -----------------------------------------------------------------------------
# Two thirds are learned, the page is about the rest: the figures equal those of train and test
# --split.
for how in "" "-m nb" "-p smoothing=none" "-m tree --split 0.5"; do
    share=$(echo "$how" | grep -o -- '--split .*' || echo '--split 0.3333333333333333')
    # shellcheck disable=SC2086
    expect 0 credence report iris.csv $how -o page.html --json
    for key in rows accuracy log_loss; do
        eval "$key=$(json $key out)"
    done
    # shellcheck disable=SC2086
    credence train -q iris.csv ${how%--split*} $share -o part.model
    # shellcheck disable=SC2086
    credence test --json part.model iris.csv $share >test.json 2>err
    for key in rows accuracy log_loss; do
        near "$key of report $how" "${!key}" "$(json $key test.json)" 1e-9
    done
done
says page.html "</html>"
awk 'BEGIN { print "x,y"; for (i = 0; i < 90; i++) print i * 37 % 101 "," i * 37 % 101 * 2 + i % 7 / 10 }' \
    >numbers.csv
expect 0 credence report numbers.csv -o numbers.html --json
says out '"rmse"'
expect 2 credence report iris.model iris.csv -p alpha=1 -o page.html
says err "-p and --split are for data"
expect 1 credence report iris.csv iris.model -o page.html
says err "the model comes first"
expect 2 credence report -m nb - -o page.html <iris.csv
finish
