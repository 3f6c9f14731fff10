#!/usr/bin/env bash
# report.sh - a page that says what test says, is whole, and cannot be turned against its reader.
. "$(dirname "$0")/lib.bash"
cp "$CREDENCE_SOURCE"/examples/data/*.csv .
credence train -q iris.csv -o iris.model
credence train -q messages.csv -o messages.model

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

# From a pipe: no second reading.
run bash -c 'cat iris.csv | "$0" report iris.model -o pipe.html' "$CREDENCE_BIN"
same "from a pipe" "$status" 0
says err "only once"

# Names that are markup stay text.
cat >bad.csv <<'END'
"<img src=x onerror=alert(1)>",class
1,<script>alert(1)</script>
2,<script>alert(1)</script>
3,"a&b""'"
9,"a&b""'"
2.5,"a&b""'"
1.5,"a&b""'"
END
credence train -q bad.csv -o bad.model
expect 0 credence report bad.model bad.csv -o bad.html
same "no script" "$(grep -c '<script' bad.html)" 0
same "no image" "$(grep -c '<img' bad.html)" 0
says bad.html "&#60;script&#62;"

# Slips.
expect 2 credence report iris.model iris.csv
says err "report needs -o FILE"
expect 1 credence report iris.model iris.csv -o nowhere/iris.html
expect 2 credence report iris.model iris.csv -o iris.csv
expect 1 credence report iris.model <(printf 'sepal_length,species\n1,setosa\n') -o x.html
same "no page after a failure" "$(ls x.html 2>/dev/null)" ""

# A browser draws it, and no script of a name has run.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -n "$browser" ]; then
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
        --window-size=1000,1400 --screenshot="$PWD/page.png" "file://$PWD/iris.html" >browser 2>&1
    same "a screenshot" "$(head -c 8 page.png | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a
    same "with something on it" "$(($(wc -c <page.png) > 30000))" 1
    timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$PWD/profile" \
        --dump-dom "file://$PWD/bad.html" >dom 2>/dev/null
    same "names are text in the browser too" "$(grep -ciE '<(script|img)' dom)" 0
    says dom "&lt;script&gt;"
else
    echo "no Chromium here: the page is not opened in a browser"
fi
finish
