#!/usr/bin/env bash
# large.sh - a line of a gigabyte, a million classes, a hundred thousand columns, rows without end.
# label: slow
. "$(dirname "$0")/lib.bash"

# --- a line of a gigabyte: one clear error, and the old model stays ---------------------------
{
    echo "a,c"
    head -c 1000000000 /dev/zero | tr '\0' x
    printf ',p\n1,q\n'
} >line.csv
credence train -m nb -q "$data/tax.csv" -o model
cp model kept
expect 1 credence train -m nb line.csv -o model
says err "line.csv:2:1: a value of 1000000000 bytes in column 'a'"
expect 0 cmp model kept
rm line.csv kept

# --- a million classes: learned, or refused with the number where memory is short -------------
awk 'BEGIN { print "x,c"; for (i = 0; i < 1000000; i++) print i % 7 "," "k" i }' >classes.csv
expect 0 credence train -m nb classes.csv -o model --json
says out '"rows": 1000000'
expect 1 credence train -m nb classes.csv -o small --memory 1M
says err "--memory raises the limit"
[ ! -e small ] || fail "a refused model was written"
rm classes.csv model

# --- a hundred thousand columns ---------------------------------------------------------------
awk 'BEGIN {
    for (r = 0; r < 7; r++) {
        for (i = 0; i < 100000; i++) printf "%s,", r ? i * r % 5 : "v" i
        print r ? (r % 2 ? "a" : "b") : "c"
    }
}' >columns.csv
expect 0 credence train -m nb columns.csv -o model -q
expect 0 credence test model columns.csv --json
says out '"rows": 6'

# --- more rows than memory holds -----------------------------------------------------------------
# 290 MB of rows through a pipe, with 100 MB of address space.
if (ulimit -v 100000; "$CREDENCE_BIN" help >/dev/null 2>&1); then # a sanitizer needs terabytes of it
    (ulimit -v 100000
     { echo colour,size,class
       yes 'a colour with a rather long name,big,one
another colour with a long name,small,two' | head -8000000; } |
         "$CREDENCE_BIN" train -q -m nb --calibrate none --json - -o model >out 2>err) ||
        fail "more rows than memory: $(head -3 err)"
    says out '"rows": 8000000'
fi
finish
