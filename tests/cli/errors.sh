#!/usr/bin/env bash
# errors.sh - bad input: the file, the line, the error, the remedy; nothing is lost.
. "$(dirname "$0")/lib.bash"

expect 0 credence train -m nb "$data/tax.csv" --type id=ignore -o good.model
cp good.model precious.model

# A failed training prints TEXT..., exits with 1, prints no result and leaves the model file alone.
refused() { # FILE TEXT...
    local file=$1
    shift
    expect 1 credence train -m nb "$file" -o precious.model
    silent out
    cmp -s good.model precious.model || fail "$file: the model file was touched"
    for text in "$@"; do
        says err "$text"
    done
}

: >empty.csv
refused empty.csv "credence: empty.csv:"
echo a,b,c >header.csv
refused header.csv "credence: header.csv:"
printf 'a,b,c\n1,2,x\n1,2\n3,4,y\n' >short.csv
refused short.csv "credence: short.csv:3:" "hint:"
printf 'a,b,c\n1,2,x\n1,2,3,y\n3,4,y\n' >long.csv
refused long.csv "credence: long.csv:3:"
printf 'a,b,c\n1,2,x\n1,"2,x\n3,4,y\n' >quote.csv
refused quote.csv "credence: quote.csv:3:" quote
printf 'a,b,c\n1,2,x\n1,\0002,x\n' >nul.csv
refused nul.csv "credence: nul.csv:" NUL
printf 'a,c\n1,x\n1e999,y\n2,x\n' >huge.csv
refused huge.csv "credence: huge.csv:3:1:" 1e999
printf 'a,a,c\n1,2,x\n3,4,y\n' >twice.csv
refused twice.csv "credence: twice.csv:1" "'a'"
printf 'a,b,c\n1,2,\n3,4,?\n' >unlabelled.csv
refused unlabelled.csv "no row has a class"
refused nowhere.csv "nowhere.csv" "No such file"
mkdir folder.csv
refused folder.csv "credence: folder.csv"
printf 'not gzip' >broken.csv.gz
refused broken.csv.gz "credence: broken.csv.gz"

# A declared kind is enforced.
printf 'a,c\n1,x\ntwo,y\n' >word.csv
expect 1 credence train -m nb word.csv --type a=real
says err "credence: word.csv:3:1:"
says err two

# An unreadable file; root reads everything.
if [ "$(id -u)" != 0 ]; then
    cp "$data/tax.csv" locked.csv
    chmod 000 locked.csv
    refused locked.csv "credence: locked.csv:" "Permission denied"
    mkdir closed
    chmod 555 closed
    expect 1 credence train -m nb "$data/tax.csv" -o closed/a.model
    says err "closed/a.model: cannot be written"
fi

# --- outputs ----------------------------------------------------------------------------------
expect 1 credence train -m nb "$data/tax.csv" -o nowhere/a.model
says err "nowhere/a.model: cannot be written: No such file or directory"
expect 1 credence train -m nb "$data/tax.csv" -o folder.csv
says err "folder.csv: cannot be written: Is a directory"
if [ -w /dev/full ]; then
    expect 1 credence train -m nb "$data/tax.csv" -o /dev/full
    says err "/dev/full"
    [ -c /dev/full ] || fail "/dev/full was replaced"
    for verb in "show good.model" "show --json good.model" "predict good.model $data/tax.csv" \
        "test -q good.model $data/tax.csv" "explain --csv good.model $data/tax.csv" "help train"; do
        # shellcheck disable=SC2086
        "$CREDENCE_BIN" $verb >/dev/full 2>err
        same "exit status of $verb on a full disk" $? 1
        same "complaint of $verb" "$(cat err)" \
            "credence: standard output: No space left on device"
    done
fi
yes 'no,single,90' | head -200000 | sed '1i refund,marital,income' >many.csv
"$CREDENCE_BIN" predict good.model many.csv 2>err | head -1 >first
same "a reader that has seen enough" "$(cat first)" prediction
silent err

# --- models -----------------------------------------------------------------------------------
expect 1 credence show nowhere.model
says err "nowhere.model"
expect 1 credence show "$data/tax.csv"
says err "tax.csv"
: >empty.model
expect 1 credence show empty.model
head -c 1000 good.model >cut.model
expect 1 credence show cut.model
says err "cut.model"
for at in 8 20 100 300 500; do
    cp good.model flipped.model
    printf '\xff' | dd of=flipped.model bs=1 seek=$at conv=notrunc 2>/dev/null
    cmp -s good.model flipped.model && continue
    expect 1 credence predict flipped.model "$data/tax.csv"
    says err flipped.model
done

# --- data that do not fit the model -----------------------------------------------------------
printf 'refund,maritl,income\nno,single,90\n' >misspelt.csv
expect 1 credence predict good.model misspelt.csv
says err misspelt.csv
says err marital
printf 'refund,marital,income\nno,single,lots\n' >unfit.csv
expect 1 credence predict good.model unfit.csv
says err "unfit.csv:2:3:"
says err lots
printf 'refund,marital,income\nno,single,90\nno,single\n' >ragged.csv
expect 1 credence predict good.model ragged.csv
says err "ragged.csv:3:"
cp good.model learner.model
printf 'refund,marital,income,evade\nno,single,90,yes\nno,single,oops,yes\n' >half.csv
expect 1 credence learn learner.model half.csv
cmp -s good.model learner.model || fail "a failed learn changed the model"
printf 'refund,marital,income\nno,single,90\n' >blank.csv
expect 1 credence learn learner.model blank.csv
says err evade

# --- text that is not UTF-8 is kept as it is, but never breaks JSON or the terminal -------------
printf 'a,c\nx,caf\xe9\ny,plain\n' >latin.csv
expect 0 credence train -m nb latin.csv -o latin.model
expect 0 credence predict latin.model latin.csv
says out $'caf\xe9'
expect 0 credence predict --json --keep latin.model latin.csv
says out $'"prediction": "caf\xef\xbf\xbd"'
expect 0 credence show latin.model
says out $'caf\xef\xbf\xbd'

# --- what a terminal must not obey ------------------------------------------------------------
printf 'a,c\nx,\033[31mred\ny,plain\n' >escape.csv
expect 0 credence train -m nb escape.csv -o escape.model
credence show escape.model >out
grep -q $'\033' out && fail "an escape sequence of the data reached the terminal"
credence predict escape.model escape.csv | grep -q $'\033' || fail "CSV must keep the bytes"
expect 0 credence predict --json escape.model escape.csv
says out '\u001b[31mred'
finish
