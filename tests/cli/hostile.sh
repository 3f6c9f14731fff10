#!/usr/bin/env bash
# hostile.sh - a hostile environment: concurrent commands, outputs that are inputs, odd files.
. "$(dirname "$0")/lib.bash"

# --- commands that change the same model at the same time lose nothing -----------------------------
credence train -m nb -q "$data/tax.csv" --type id=ignore -o tax.model
cp tax.model one.model
for _ in 1 2 3 4 5 6 7 8; do
    credence learn -q tax.model "$data/tax.csv" &
done
for _ in 1 2 3 4; do
    credence merge -q -o tax.model tax.model one.model &
done
wait
credence show --json tax.model >shown.json
same "rows of 8 lessons and 4 merges" "$(json rows shown.json)" 130
credence refit tax.model -q -p prior=uniform & # nor does turning a knob
credence unlearn tax.model -q "$data/tax.csv"
wait
credence show --json tax.model >shown.json
same "rows without one lesson" "$(json rows shown.json)" 120
says shown.json '"prior": "uniform"'

credence train -m nb -q "$data/tax.csv" -o - >piped.model
expect 2 credence show - <piped.model
says err "a model cannot come from standard input"

# --- files of results ------------------------------------------------------------------------------
cp "$CREDENCE_SOURCE/examples/data/alarm.net" "$CREDENCE_SOURCE/examples/data/gaps.csv" .
cp alarm.net before.net
expect 2 credence sample alarm.net -o alarm.net
says err "would overwrite the data"
expect 0 cmp before.net alarm.net

expect 2 credence refit alarm.net -p method=gibbs
says err "alarm.net already exists and is not a model"
expect 0 cmp before.net alarm.net
expect 0 credence refit alarm.net -p method=gibbs -o gibbs.model
cp "$data/tax.csv" a.csv
cp "$data/tax.csv" b.csv
expect 2 credence train -m nb -o ?.csv
says err "a.csv already exists and is not a model"
expect 0 cmp "$data/tax.csv" a.csv
: >empty.model
expect 0 credence train -m nb -q b.csv -o empty.model
expect 0 credence train -m nb -q b.csv -o empty.model

# Links and permissions are kept, and a failure leaves the old file.
credence sample alarm.net -n 3 --seed 1 >want.csv
echo old >real.csv
chmod 640 real.csv
ln -s real.csv link.csv
expect 0 credence sample alarm.net -n 3 --seed 1 -o link.csv
expect 0 test -L link.csv
expect 0 cmp want.csv real.csv
same "permissions" "$(stat -c %a real.csv)" 640
printf 'a,b\n1,\n2,3\n4\n' >ragged.csv
expect 1 credence impute ragged.csv -o real.csv
expect 0 cmp want.csv real.csv
same "what is left" "$(ls -d real.csv?* 2>/dev/null)" ""

# Anything but a regular file is written, not replaced.
mkfifo pipe
timeout 20 cat pipe >got.csv &
expect 0 credence impute -q gaps.csv -o pipe
wait
expect 0 test -p pipe
credence impute -q gaps.csv >want.csv
expect 0 cmp want.csv got.csv
if [ -w /dev/full ]; then
    expect 1 credence sample alarm.net -o /dev/full
    says err "cannot be written: No space left"
    expect 1 credence cv -m nb -q "$CREDENCE_SOURCE/examples/data/iris.csv" -o /dev/full
    says err "cannot be written: No space left"
    expect 1 credence impute gaps.csv -o /dev/full
    says err "cannot be written: No space left"
    credence sample alarm.net >/dev/full 2>err
    same "exit status" $? 1
    says err "standard output: No space left"
fi

# An interrupted command leaves nothing behind.
mkdir half
"$CREDENCE_BIN" sample alarm.net -n 2000000000 -o half/rows.csv &
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -n "$(ls half)" ] && break
    sleep 0.2
done
kill -TERM $!
wait $!
same "exit status" $? 143
same "what is left" "$(ls half)" ""

# --- tables without features, or without numbers ----------------------------------------------------
printf 'a\nx\ny\nx\n' >alone.csv
for learner in nb gda joint tan aode kdb pairs tree logistic network; do
    expect 0 credence train -q -m $learner alone.csv -o alone.model
    silent err
done
expect 1 credence train -q -m candidate-elimination alone.csv
says err "the version space is empty"
for learner in nb gda; do # discriminants without numbers are naive Bayes
    expect 0 credence train -q -m $learner "$CREDENCE_SOURCE/examples/data/sports.csv" -o $learner.model
    silent err
    silent out # OpenBLAS prints there when it is asked for a matrix of no columns
    credence predict --proba $learner.model "$CREDENCE_SOURCE/examples/data/sports.csv" >$learner.csv
done
expect 0 cmp nb.csv gda.csv
expect 2 credence train -q -m svm alone.csv
says err '`credence help knobs` lists them'

# --- what is no text is refused before much of it is read --------------------------------------------
head -c 40000000 /dev/zero >zeros.csv
expect 1 timeout 20 "$CREDENCE_BIN" train -q /dev/zero
says err "a NUL byte in the header"
expect 1 credence train -m nb -q zeros.csv
says err "zeros.csv: a NUL byte in the header"

credence train -m nb -q "$data/tax.csv" -o tax.model
expect 1 credence predict tax.model "$data/tax.csv" --cost yes=5
says err "costs are 'TRUE->DECIDED=COST, ...' or a file of them"
expect 1 credence compare "$data/tax.csv" -m nb,tree --cost yes:no=5
says err "costs are 'TRUE->DECIDED=COST, ...' or a file of them"

# --- rows that come one at a time are answered one at a time ---------------------------------------
coproc "$CREDENCE_BIN" predict --threads 2 tax.model
asked=${COPROC[1]} answered=${COPROC[0]} asker=$COPROC_PID
head -n 2 "$data/tax.csv" >&"$asked"
read -r -t 20 -u "$answered" head
read -r -t 20 -u "$answered" first
sed -n 3p "$data/tax.csv" >&"$asked"
read -r -t 20 -u "$answered" second
same "answers" "$head $first $second" "prediction no no"
eval "exec $asked>&-"
wait "$asker"

# --- classes by other names ------------------------------------------------------------------------
printf 'x,y\n1,u\n2,v\n3,u\n4,v\n' >named.csv
sed 's/u$/no/; s/v$/yes/' named.csv >renamed.csv
credence train -m nb -q named.csv -o named.model
expect 0 credence test named.model renamed.csv
says err "no row is of a class that the model knows, such as u: --classes OLD=NEW"
expect 0 credence test named.model renamed.csv --classes no=u,yes=v
same "notes" "$(grep -c . err)" 1
says err "the model has learned these rows"
expect 2 credence test named.model renamed.csv --classes no=u,yse=v
says err "no row is of the class 'yse'"

# --- columns set apart by blanks ------------------------------------------------------------------
printf ' 1.5   2  yes\n10  20   no\n 7   9  yes\n' >blanks.txt
expect 0 credence train -m nb -f csv -n blanks.txt
says err "its lines have 3 words each, which awk '{\$1=\$1} 1' OFS=, makes fields of"
awk '{$1=$1} 1' OFS=, blanks.txt >fields.csv
expect 0 credence train -m nb -q -n fields.csv --json
says out '"target": "c3"'

# --- numbers whose squares are none ------------------------------------------------------------------
printf 'x,z,y\n1,1,u\n1e308,2,v\n2,3,u\n-1e308,5,v\n' >far.csv
expect 1 credence train -m nb -q far.csv
says err "the numbers of 'x' are too large: their squares overflow"
expect 0 credence train -m nb -q far.csv --type x=ignore
expect 1 credence train -m nb -q "$data/tax.csv" --memory 100 --threads 1
says err "the limit is 100 bytes"

# --- numbers that are none: the hint helps ----------------------------------------------------------
printf 'a,y\n1,u\nnan,v\n2,u\n1e999,v\n' >odd.csv
expect 1 credence train -m nb -q odd.csv
says err "odd.csv:3:1: 'nan' in column 'a' is not a finite number"
says err "--missing '?,NA,NaN,nan' takes it as missing too"
expect 1 credence train -m nb -q odd.csv --missing '?,NA,NaN,nan'
says err "odd.csv:5:1: '1e999' in column 'a' is beyond the range"
expect 0 credence train -m nb -q odd.csv --missing '?,NA,NaN,nan,1e999'

# --- tables without rows ---------------------------------------------------------------------------
head -n 1 "$data/tax.csv" >names.csv
credence train -m nb -q "$data/tax.csv" -o tax.model
expect 0 credence predict tax.model names.csv
same "answers" "$(cat out)" prediction
expect 0 credence explain tax.model names.csv
says err "there are no rows to explain"
expect 2 credence explain --row 1 tax.model names.csv
expect 1 credence test tax.model names.csv
expect 1 credence learn tax.model names.csv

# --- JSON is JSON ----------------------------------------------------------------------------------
expect 0 credence sample alarm.net -n 2 --seed 1 --json
same "rows" "$(wc -l <out)" 2
says out '{"B": "no_b", "E": "no_e", "A": "no_a"'
expect 2 credence impute gaps.csv --json
says err "--json tells what was done"
expect 0 credence help --json
says out '"train": "learn a model from data"'
expect 0 credence help sample --json
says out '{"name": "rows", "letter": "n", "value": "ROWS", "help": "How many. Default: 1000."'

# --- an empty text that a nominal set declares is a value ------------------------------------------
cat >hollow.arff <<'END'
@relation hollow
@attribute a {'', x, y}
@attribute b {p, q}
@attribute c {yes, no}
@data
'', p, yes
x, q, no
y, p, yes
'', q, no
END
for learner in network nb tan; do
    expect 0 credence train -q -m $learner -t c hollow.arff -o hollow.model
    expect 0 credence convert --to bif hollow.model -o hollow.bif
    says hollow.bif '{ "", x, y };'
    expect 0 credence query hollow.bif 'P(b=p | a="")'
done

# --- models that have unlearned everything, models without a target ---------------------------------
iris=$CREDENCE_SOURCE/examples/data/iris.csv
for learner in nb gda tan aode kdb pairs network; do
    expect 0 credence train -q --calibrate none -m $learner -t species "$iris" -o all.model
    expect 0 credence unlearn -q all.model "$iris" -o none.model
    expect 0 credence learn -q none.model "$iris" -o again.model
    expect 0 cmp all.model again.model
done
credence train -q -m joint "$CREDENCE_SOURCE/examples/data/animals.csv" --type name=ignore -o joint.model
expect 2 credence calibrate joint.model -o even.model "$CREDENCE_SOURCE/examples/data/animals.csv"
says err "the model has no target"

# --- texts without a word ---------------------------------------------------------------------------
printf 'text,y\n"a dog barks, loud",u\n"...",v\n"the cat sleeps, and purrs",v\n"",u\n' >mute.csv
expect 0 credence train -q -m logistic --type text=text mute.csv -o mute.model

# --- temporary files: a file size limit leaves none, old ones go ---------------------------------------
mkdir small
credence train -q "$iris" -o small/iris.model
cp small/iris.model before.model
(ulimit -f 1; "$CREDENCE_BIN" learn -q small/iris.model "$iris") 2>err
same "what is left" "$(ls -A small)" iris.model
expect 0 cmp before.model small/iris.model
: >small/.credence-1-2-3.tmp
: >small/.credence-4-5-6.tmp
touch -d '3 days ago' small/.credence-1-2-3.tmp
credence learn -q small/iris.model "$iris"
same "temporary files" "$(ls -A small | tr '\n' ' ')" ".credence-4-5-6.tmp iris.model "

# --- many classes: the limit is kept, and nothing is a table of classes by classes -------------------
awk 'BEGIN { print "x,y,class"; for (i = 0; i < 30000; i++) print i % 977 "," i * 7919 % 1009 ",c" i }' >names.csv
expect 1 credence train -q -m tree --memory 50M names.csv -o many.model
says err "a tree counts 30000 classes at each node"
expect 0 credence train -q -m tree -p min-rows=12000 --memory 300M names.csv -o many.model
awk 'BEGIN { srand(1); print "x,class"; for (i = 0; i < 20000; i++) print "w" int(rand() * 500) ",c" i % 4000 }' >words.csv
expect 1 credence train -q -m logistic --memory 200M words.csv -o many.model
says err "rows of classes, need"

# Cuts that separate them are found in time proportional to the rows, not to rows times classes; a
# table that does not fit is refused at once, and steps that would take hours are made only on
# request.
awk 'BEGIN { srand(2); print "x,y,class"; for (i = 0; i < 50000; i++) print rand() "," rand() ",c" i }' >own.csv
awk 'BEGIN { srand(3); for (r = 0; r < 5; r++) { for (i = 0; i < 5000; i++) printf "%s,", r ? int(9 * rand()) / 8 : "x" i
    print r ? r % 2 : "class" } }' >wide.csv
for m in logistic tree network tan aode kdb pairs; do
    expect 1 timeout 60 "$CREDENCE_BIN" train -q -m $m --memory 100M own.csv -t class -o many.model
    case $m in
    logistic) says err "50000 classes and 50000 rows: each step takes 2.5e+09 probabilities" ;;
    *) says err "of memory; the limit is" ;;
    esac
done
for m in gda tan aode kdb pairs; do
    expect 1 timeout 60 "$CREDENCE_BIN" train -q -m $m --memory 100M wide.csv -t class --type class=symbol -o many.model
    says err "of memory; the limit is"
done
# Running sums find the same cuts as full sums, with and without gaps.
for gap in no yes; do
    for classes in 3 100; do
        awk -F, -v k=$classes -v gap=$gap 'BEGIN { print "@relation r"
            for (i = 1; i <= 4; i++) print "@attribute x" i " real"
            printf "@attribute c {setosa,versicolor,virginica"
            for (i = 3; i < k; i++) printf ",c" i
            print "}\n@data" }
            NR > 1 { print $1 "," (gap == "yes" && NR % 7 == 0 ? "?" : $2) "," $3 "," $4 "," $5 }' "$iris" >classes.arff
        credence train -q -m tree classes.arff -o tree.model
        credence show tree.model | sed -n '/What it has learned/,$p' >cuts.$classes
    done
    says cuts.3 "x4 > 1.75: virginica"
    expect 0 cmp cuts.3 cuts.100
done

# --- little address space: OpenBLAS' allocator would try for ever -----------------------------------------
credence train -q -m gda "$iris" -o gda.model
refused=0
limits="50 90 170 230 260 300 400 470 500 600 800"
(ulimit -v 4000000; "$CREDENCE_BIN" help >/dev/null 2>&1) || limits= # a sanitizer needs terabytes of it
for threads in 1 2; do
    for limit in $limits; do
        (ulimit -v $((limit * 1000)) && timeout 20 "$CREDENCE_BIN" predict --threads $threads gda.model "$iris") \
            >out 2>err
        status=$?
        checks=$((checks + 1))
        case $status in
        0) [ "$(wc -l <out)" = 151 ] || fail "rows are lost at $limit MB" ;;
        1) [ -s err ] || fail "no word at $limit MB" ;;
        *) fail "exit status $status with $limit MB of address space and $threads threads" ;;
        esac
        grep -q 'OpenBLAS' err && refused=$((refused + 1))
    done
done
[ -z "$limits" ] || [ "$refused" -gt 0 ] || fail "OpenBLAS was never refused"

# --- standard output that is closed: nothing is lost without a word, no other file is written to -------
cp "$data/tax.csv" tax.csv
expect 1 bash -c '"$CREDENCE_BIN" predict tax.model tax.csv >&-'
says err "standard output: Bad file descriptor"
expect 1 bash -c '"$CREDENCE_BIN" train -q tax.csv -o - >&-'
expect 0 bash -c '"$CREDENCE_BIN" train -q tax.csv -o closed.model >&-'
expect 0 cmp "$data/tax.csv" tax.csv

# --- the order of values does not remember what was taken back, nor what weighs nothing --------------
printf 'a,b,y\n10,u,p\n9,v,q\n2,u,p\n' >numbers.csv
printf 'a,b,y\nx,u,p\n' >word.csv
for learner in nb gda joint tan aode kdb network; do
    credence train -q -m $learner --type a=symbol -t y numbers.csv -o numbers.model
    credence learn -q numbers.model word.csv -o more.model
    credence unlearn -q more.model word.csv -o less.model
    expect 0 cmp numbers.model less.model
done
printf 'a,y,w\n10,p,1\n9,q,1\nx,p,0\n' >weightless.csv
printf 'a,y,w\n10,p,1\n9,q,1\n' >weighty.csv
for table in weightless weighty; do
    credence train -q --type a=symbol -t y --weight w $table.csv -o $table.model
    credence show --json $table.model >$table.json
done
same "fingerprint" "$(json fingerprint weightless.json)" "$(json fingerprint weighty.json)"

# --- costs are a table or a text, not a folder ------------------------------------------------------
mkdir costs
expect 1 credence predict tax.model "$data/tax.csv" --cost costs
says err "costs is a folder, not a table"

# --- damaged archives: rows are not lost without a word ------------------------------------------------
awk 'BEGIN { print "a,y"; for (i = 0; i < 900; i++) print i * 37 % 101 "," (i % 2 ? "u" : "v") }' >whole.csv
head -n 401 whole.csv >one.csv
{ head -n 1 whole.csv; tail -n +402 whole.csv; } >two.csv
tail -n +402 whole.csv >rest.csv
refused() { # MESSAGE FILE
    expect 1 credence train -q "$2"
    says err "$1"
    expect 1 bash -c '"$CREDENCE_BIN" train -q - <"$1"' - "$2"
    says err "$1"
}
gzip -c whole.csv >whole.csv.gz
{ cat whole.csv.gz; head -c 700 /dev/zero; } >padded.csv.gz
expect 0 credence train -q padded.csv.gz
{ cat whole.csv.gz; echo more; } >trailed.csv.gz
refused "from byte $(stat -c %s whole.csv.gz) on it is not gzip" trailed.csv.gz
tar cf whole.tar one.csv two.csv
expect 0 credence train -q whole.tar
head -c $((512 + ($(stat -c %s one.csv) + 511) / 512 * 512)) whole.tar >cut.tar
refused "the tar has no end mark at byte" cut.tar
gzip -c cut.tar >cut.tar.gz
refused "the tar has no end mark at byte" cut.tar.gz
if command -v bzip2 >/dev/null; then
    bzip2 -c one.csv >one.bz2
    { cat one.bz2; bzip2 -c rest.csv; } >streams.csv.bz2
    expect 0 credence train -q streams.csv.bz2
    head -c $(($(stat -c %s one.bz2) + 6)) streams.csv.bz2 >cut.csv.bz2
    refused "bytes that cannot be unpacked, at byte $(stat -c %s one.bz2)" cut.csv.bz2
fi

# --- states that a model declares are values, whatever they are called -------------------------------
cat >states.net <<'END'
x: NA yes
y: u v
x = 0.5 0.5
y | x
  NA = 0.9 0.1
  yes = 0.2 0.8
END
credence convert states.net -t y -o states.model >/dev/null
printf 'x\nNA\nyes\n\n' >states.csv
expect 0 credence predict --proba states.model states.csv
near "P(u | NA)" "$(cell out 'p(u)' 1)" 0.9
near "P(u | yes)" "$(cell out 'p(u)' 2)" 0.2

# --- ranges whose first number ends where the dots begin ----------------------------------------------
expect 0 credence tune -q "$CREDENCE_SOURCE/examples/data/tax.csv" -p alpha=1..10:log --folds 2
expect 0 credence tune "$CREDENCE_SOURCE/examples/data/tax.csv" -m kdb -p k=1..3 --folds 2 --csv
for k in 1 2 3; do grep -q "^k=$k," out || fail "k=$k was not tried"; done

# --- knobs and targets that would do something else than they seem to ---------------------------------
expect 2 credence train -q -m nb "$data/tax.csv" -p select=gain:2
says err "select=gain:2 chooses the words of texts, and no column is a text"
awk 'BEGIN { print "x,price"; for (i = 0; i < 60; i++) print i "," i * 3.5 + i % 7 }' >prices.csv
expect 0 credence train -m nb prices.csv
says err "the target 'price' is a number: its 60 different values are 60 classes"
says err "-m linear predicts"
expect 0 credence train -q -m linear prices.csv
silent err

# --- strings of ARFF are texts where they look like sentences ------------------------------------------
{
    printf '@relation r\n@attribute id string\n@attribute body string\n@attribute class {ham,spam}\n@data\n'
    for i in 1 2 3 4 5 6 7 8; do
        echo "m$i,'the meeting on day $i is at noon in the large room',ham"
        echo "n$i,'buy cheap pills number $i now and save a lot of money',spam"
    done
} >strings.arff
expect 0 credence train -m nb strings.arff --type id=ignore
says out "values are sentences"
expect 0 credence train -m nb strings.arff --type body=ignore
grep -q '^id *symbol' out || fail "names are no texts: $(cat out)"

# --- calibrating many classes: rows times classes, not times their square ----------------------------------
awk 'BEGIN { print "a,y"; for (i = 0; i < 1800; i++) print i % 600 + (i * 7 % 11) / 20 ",c" i % 600 }' >classes.csv
expect 0 timeout 120 "$CREDENCE_BIN" train -q -m nb classes.csv --calibrate isotonic -o classes.model

finish
