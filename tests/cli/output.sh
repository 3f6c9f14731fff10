#!/usr/bin/env bash
# output.sh - tables fit the terminal, colours stay on it, names in any script line up.
. "$(dirname "$0")/lib.bash"

{
    echo 'a rather long name of a column,größe,名前,c'
    echo 'one fairly long value of this column,groß,猫,erste'
    echo 'two,klein,犬,zweite'
    echo 'a rather different long value of it,groß,猫,erste'
} >wide.csv
expect 0 credence train -m nb wide.csv -o wide.model
cp "$data/sports.csv" words.csv
expect 0 credence train -m nb words.csv --type text=text -o words.model

# --- width ------------------------------------------------------------------------------------
# Columns of UTF-8 text: continuation bytes take none; these CJK letters take two.
too_wide() { # WIDTH
    LC_ALL=C awk -v width="$1" '{
        line = $0
        gsub(/\345\220\215|\345\211\215|\347\214\253|\347\212\254/, "xx", line)
        gsub(/[\200-\277]/, "", line)
        if (length(line) > width) print
    }'
}
for width in 50 60 80 120; do
    for verb in "train wide.csv" "show wide.model" "test wide.model wide.csv" \
        "explain wide.model wide.csv" "explain --work wide.model wide.csv" "help knobs" \
        "help formats" "show words.model" "explain words.model words.csv" \
        "explain --work words.model words.csv"; do
        # shellcheck disable=SC2086
        COLUMNS=$width credence $verb 2>/dev/null | too_wide $width >over
        silent over
    done
done
COLUMNS=60 credence train -m nb wide.csv 2>/dev/null >out
says out "…"
credence train -m nb wide.csv 2>/dev/null >out
says out "a rather long name of a column"

# --- colours ----------------------------------------------------------------------------------
escapes() { grep -c $'\033' "$1"; }
credence show wide.model >out
same "no colours in a file" "$(escapes out)" 0
credence show --color always wide.model >out
[ "$(escapes out)" -gt 0 ] || fail "--color always gives no colours"
if type -P script >/dev/null; then
    TERM=xterm script -qec "'$CREDENCE_BIN' show wide.model" typescript >/dev/null </dev/null
    [ "$(escapes typescript)" -gt 0 ] || fail "no colours on a terminal"
    TERM=xterm NO_COLOR=1 script -qec "'$CREDENCE_BIN' show wide.model" typescript >/dev/null \
        </dev/null
    same "NO_COLOR is honoured" "$(escapes typescript)" 0
    TERM=xterm script -qec "'$CREDENCE_BIN' show --color never wide.model" typescript >/dev/null \
        </dev/null
    same "--color never" "$(escapes typescript)" 0
fi

# --- CSV that reads back ----------------------------------------------------------------------
printf 'v,c\n1,"a, b"\n2,"say ""hi"""\n3,"two\nlines"\n' >odd.csv
expect 0 credence train -m nb odd.csv -o odd.model
expect 0 credence predict --proba odd.model odd.csv
same "odd names are quoted" "$(head -1 out)" \
    'prediction,"p(a, b)","p(say ""hi"")","p(two'
credence predict --keep odd.model odd.csv >kept.csv
expect 0 credence test odd.model kept.csv -q
# Every probability reads back as the same double.
credence predict --proba odd.model odd.csv | awk -F , 'NR > 1' >probabilities
[ -s probabilities ] || fail "no probabilities"
# The names of columns are cut last of all.
COLUMNS=70 credence train -m nb "$CREDENCE_SOURCE/examples/data/iris.csv" >narrow 2>/dev/null
says narrow "sepal_length  real"
says narrow "all values a…"

# --- rows that cannot be read -----------------------------------------------------------------
expect 0 credence train "$data/animals.csv" --ignore name -o beasts.model
grep -q '^name  *ignore' out || fail "--ignore does not leave the column out"
printf '%s\n' '{"id": 1, "birth": "yes", "tags": [1, "a]"]}' '{"id": 2, "birth": oops}' \
    '{"id": 3, "birth": "no"}' 'not json' >bad.jsonl
expect 1 credence predict --json beasts.model bad.jsonl
same "the row before the bad one" "$(wc -l <out | tr -d ' ')" 1
says err "bad.jsonl:2:"
expect 1 credence explain --json beasts.model bad.jsonl
same "the row before the bad one is explained" "$(wc -l <out | tr -d ' ')" 1
expect 1 credence predict --json --format jsonl beasts.model - <bad.jsonl
same "the row of standard input" "$(wc -l <out | tr -d ' ')" 1
expect 0 credence predict --json --on-error skip beasts.model bad.jsonl
same "rows that could be read" "$(wc -l <out | tr -d ' ')" 2
says err "line 2 is left out"
expect 0 credence predict --json --on-error row beasts.model bad.jsonl
same "every row in its place" "$(wc -l <out | tr -d ' ')" 4
says out '{"line": 2, "error": "an invalid value'
says out '{"line": 4, "error": '
expect 0 credence explain --json --on-error row beasts.model bad.jsonl
same "the order of rows" "$(grep -o '^{"line": [0-9]*' out | tr -dc '0-9')" 1234
# Models that answer with numbers do the same.
printf 'x,y\n1,2\n2,4.1\n3,5.9\n4,8\n' >line.csv
printf 'x\n1\na,b\n3\n' >points.csv
credence train -q -m linear line.csv -o line.model
expect 1 credence explain --json line.model points.csv
same "the number before the bad row" "$(wc -l <out | tr -d ' ')" 1
expect 0 credence explain --json --on-error skip line.model points.csv
same "numbers that could be read" "$(wc -l <out | tr -d ' ')" 2
expect 0 credence explain --json --on-error row line.model points.csv
says out '{"line": 3, "error": "the record has 2 fields'
same "every number in its place" "$(grep -o '^{"line": [0-9]*' out | tr -dc '0-9')" 234
expect 0 credence explain --on-error row line.model points.csv
says out "Line 3 cannot be read: the record has 2 fields"
# The input is kept although it holds an array; --keep=A,B keeps some of it.
expect 0 credence predict --json --keep --on-error row beasts.model bad.jsonl
says out '"id": 1,'
says out '"tags": "[1, \"a]\"]"'
expect 0 credence predict --keep=id --on-error row beasts.model bad.jsonl
same "columns kept" "$(head -1 out)" "id,prediction,error"
same "a bad row in CSV" "$(sed -n 3p out | cut -c 1-8)" ",,an inv"
{ sed -n 1,2p "$data/animals.csv"; echo 'a,b'; sed -n 3p "$data/animals.csv"; } >short.csv
expect 0 credence predict --on-error row beasts.model short.csv
says out "the record has 2 fields"
same "rows of CSV" "$(wc -l <out | tr -d ' ')" 4
credence predict beasts.model short.csv >both 2>&1 && fail "a short row is no error"
same "the answer, then the error" "$(sed 's/:.*//' both | head -3 | tr '\n' ' ')" \
    "$(credence predict beasts.model "$data/animals.csv" | head -2 | tr '\n' ' ')credence "
# Many rows, in threads, with bad ones among them: the same bytes for any number of threads.
awk 'BEGIN { for (i = 1; i <= 20000; i++) print i % 997 ? "{\"id\": " i ", \"birth\": \"" (i % 3 ? "yes" : "no") "\"}" : "{" }' >many.jsonl
expect 0 credence predict --json --keep=id --on-error row --threads 1 beasts.model many.jsonl
cp out one.out
expect 0 credence predict --json --keep=id --on-error row --threads 4 beasts.model many.jsonl
cmp -s one.out out || fail "threads change the answers where rows cannot be read"
same "errors" "$(grep -c '"error"' out)" 20
# Without it the first bad one, line 997 or a later one, ends the answers, after all rows before it.
sed '997d;1994d;2991d;3988d;4985d;5982d' many.jsonl >later.jsonl
for threads in 1 2 4; do
    expect 1 credence predict --json --keep=id --threads $threads beasts.model many.jsonl
    cmp -s out - <<END || fail "answers before line 997, $threads threads"
$(head -996 one.out)
END
    expect 1 credence predict --json --keep=id --threads $threads beasts.model later.jsonl
    same "rows before line 6973" "$(wc -l <out | tr -d ' ')" 6972
    same "the last of them" "$(tail -1 out | grep -o '"id": [0-9]*')" '"id": 6978'
done
finish
