#!/usr/bin/env bash
# formats.sh - the same table in every format gives the same answers.
. "$(dirname "$0")/lib.bash"

expect 0 credence train -m nb "$data/tax.csv" --type id=ignore -o tax.model
credence predict --proba --digits 12 tax.model "$data/tax.csv" >want.csv

# Train on a file, predict the same file and compare with the answers for plain CSV. learn has the
# options that only training accepts.
learn=()
agrees() { # FILE OPTION...
    local file=$1
    shift
    expect 0 credence train -m nb "$file" --type id=ignore -o other.model "${learn[@]}" "$@"
    expect 0 credence predict --proba --digits 12 other.model "$file" "$@"
    same "answers from $file" "$(cat out)" "$(cat want.csv)"
}

# --- tables -----------------------------------------------------------------------------------
agrees "$data/tax.csv"
tr , '\t' <"$data/tax.csv" >tax.tsv
agrees tax.tsv
tr , ';' <"$data/tax.csv" >semicolons.csv
agrees semicolons.csv
agrees semicolons.csv -d semicolon
tr , ' ' <"$data/tax.csv" >blanks.csv
agrees blanks.csv -d space
sed 's/$/\r/' "$data/tax.csv" >dos.csv
agrees dos.csv
{ printf '\357\273\277'; cat "$data/tax.csv"; } >mark.csv
agrees mark.csv
sed 's/[^,]*/"&"/g' "$data/tax.csv" >quoted.csv
agrees quoted.csv
sed '3i # a remark' "$data/tax.csv" >remarks.csv
agrees remarks.csv --comment '#'
sed 1d "$data/tax.csv" >bare.csv
agrees bare.csv --no-header --columns id,refund,marital,income,evade
awk -F , -v OFS=, '{ print $5, $4, $3, $2, $1 }' "$data/tax.csv" >turned.csv
for target in evade 1; do
    learn=(-t "$target")
    agrees turned.csv
done
learn=()

# --- other formats ----------------------------------------------------------------------------
awk -F , 'NR > 1 { printf "{\"id\": %s, \"refund\": \"%s\", \"marital\": \"%s\", \"income\": %s, \"evade\": \"%s\"}\n",
    $1, $2, $3, $4, $5 }' "$data/tax.csv" >tax.jsonl
agrees tax.jsonl
{
    echo '@relation tax'
    printf '@attribute %s\n' 'id numeric' 'refund {no, yes}' 'marital {divorced, married, single}' \
        'income numeric' 'evade {no, yes}'
    echo '@data'
    sed 1d "$data/tax.csv"
} >tax.arff
agrees tax.arff
expect 0 credence train -m nb tax.arff
says out "declared"
printf '%s\n' '+1 1:0.5 3:2' '-1 2:1' '+1 1:0.7' '-1 2:2 3:1' >tiny.libsvm
expect 0 credence train -m nb tiny.libsvm -o tiny.model --json
same "rows of libsvm" "$(json rows out)" 4
expect 0 credence predict tiny.model tiny.libsvm
same "answers from libsvm" "$(sed 1d out | tr '\n' ' ')" "+1 -1 +1 -1 "
# The format of the data is not part of a model: it is trained on CSV and asked with JSON Lines.
expect 0 credence predict --proba --digits 12 tax.model tax.jsonl
same "CSV taught, JSON Lines asks" "$(cat out)" "$(cat want.csv)"

# Rows of JSON Lines in whatever order and spelling, on any number of threads: the model of the CSV.
things() { # csv, or pairs of JSON: order, shuffled, nested (with something to ignore), escaped
    awk -v way="$1" 'BEGIN {
        srand(3)
        words = split("red;green,blue;amber", colour, ";")
        split("size colour weight state class", key, " ")
        if (way == "escaped")
            split("\\u0073ize \\u0063olour weigh\\u0074 state class", key, " ")
        if (way == "csv")
            print "size,colour,weight,state,class"
        for (row = 0; row < 4000; row++) {
            value[1] = int(rand() * 1000) / 8
            value[2] = "\"" colour[1 + int(rand() * words)] "\""
            value[3] = int(rand() * 50)
            value[4] = "\"s" int(rand() * 40) "\""
            value[5] = value[1] > 60 ? "\"large\"" : "\"small\""
            n = 5
            for (i = 1; i <= n; i++)
                pair[i] = way == "csv" ? value[i] : "\"" key[i] "\": " value[i]
            if (way == "shuffled" || way == "nested")
                pair[++n] = "\"more\": " (row % 3 ? "{\"id\": " row ", \"tags\": [\"a}, b\", [1, 2]]}" : "[1, {}]")
            for (i = 1; i <= n; i++)
                at[i] = i
            for (i = n; i > 1 && way == "shuffled" && row > 0; i--) {
                other = 1 + (row * 7919 + i * 31) % i
                kept = at[i]; at[i] = at[other]; at[other] = kept
            }
            printf "%s", way == "csv" ? "" : "{"
            for (i = 1; i <= n; i++)
                printf "%s%s", (i == 1 ? "" : way == "csv" ? "," : ", "), pair[at[i]]
            print (way == "csv" ? "" : "}")
        }
    }'
}
things csv >things.csv
expect 0 credence train -m nb things.csv -t class -o things.model
for way in order shuffled nested escaped; do
    things $way >things.jsonl
    ignore=()
    [ $way = order ] || [ $way = escaped ] || ignore=(--type more=ignore)
    for threads in 1 3; do
        expect 0 credence train -m nb things.jsonl -t class "${ignore[@]}" --threads $threads -o other.model
        cmp -s things.model other.model || fail "JSON Lines, $way, $threads threads: not the model of CSV"
    done
done

# --- compressed, several, piped ---------------------------------------------------------------
for tool in gzip bzip2 xz zstd; do
    type -P $tool >/dev/null || continue
    case $tool in gzip) end=gz ;; bzip2) end=bz2 ;; zstd) end=zst ;; *) end=xz ;; esac
    $tool -c "$data/tax.csv" >tax.csv.$end
    agrees tax.csv.$end
done
tar -cf tax.tar -C "$data" tax.csv
agrees tax.tar
head -6 "$data/tax.csv" >a.csv
{ head -1 "$data/tax.csv"; tail -5 "$data/tax.csv"; } >b.csv
expect 0 credence train -m nb a.csv b.csv --type id=ignore -o other.model
cmp -s tax.model other.model || fail "two files differ from one"
credence train -m nb --type id=ignore -o other.model -q <"$data/tax.csv" >/dev/null
cmp -s tax.model other.model || fail "standard input differs from the file"

# --- missing values and weights ---------------------------------------------------------------
sed 's/married/-/' "$data/tax.csv" >dashes.csv
expect 0 credence train -m nb dashes.csv --type id=ignore --missing -,? -o dashes.model --csv
same "missing values" "$(grep '^marital,' out | cut -d , -f 3)" 4
printf 'refund,marital,income\nno,-,90\n' >dash.csv
expect 0 credence explain dashes.model dash.csv
says out "Left out: marital (missing)"
awk -F , -v OFS=, '{ print $0, NR == 1 ? "n" : 2 }' "$data/tax.csv" >weighed.csv
expect 0 credence train -m nb weighed.csv -t evade -w n --type id=ignore -o weighed.model --json
says out '{"name": "no", "count": 14,'
# --- tables out ----------------------------------------------------------------------------------
# A table written as ARFF reads back the same; intervals are those of Weka's supervised Discretize
# (Fayyad and Irani): petal_width at 0.8 and 1.75, petal_length at 2.45 and 4.75.
data=$CREDENCE_SOURCE/examples/data
expect 0 credence convert "$data/iris.csv" --to arff -o iris.arff
expect 0 credence convert iris.arff --to csv -o back.csv
expect 0 credence convert "$data/iris.csv" --to csv -o plain.csv
cmp back.csv plain.csv || fail "iris changes on its way through ARFF"
expect 0 credence convert "$data/iris.csv" --cut mdl --to arff
says out "@attribute petal_length {<=2.45,2.45..4.75,>4.75}"
says out "@attribute petal_width {<=0.8,0.8..1.75,>1.75}"
says out "<=5.55,>3.35,<=2.45,<=0.8,setosa"
expect 0 credence convert "$data/gaps.csv" --cut frequency:2 --to csv
same "a gap stays one" "$(sed -n 3p out)" "<=4.2,,blue,<=19.8"
printf 'a b,c\nit'"'"'s,?\n"x,y",1\n{z},NA\n' >signs.csv
expect 0 credence convert signs.csv --to arff -o signs.arff
expect 0 credence convert signs.arff --to csv
same "signs" "$(tr '\n' '|' <out)" 'a b,c|it'"'"'s,|"x,y",1|{z},|'
expect 2 credence convert signs.csv --cut best --to csv
says err "not a rule for cutting numbers"
expect 2 credence convert signs.csv --cut mdl --to joint
says err "--cut is for tables"
finish
