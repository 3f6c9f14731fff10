#!/usr/bin/env bash
# cli/keys.sh - what --json prints and what `credence help VERB` lists are the same keys.
#
# Every key of the JSON below must be a word of the verb's help, unless it is data: a member of an
# object that help writes as NAME{}, such as a class in posterior{}. Every key that help writes with
# an underscore, [] or {} must be printed by one of the verb's commands.
. "$(dirname "$0")/lib.bash"
command -v python3 >/dev/null || exit 77
cp "$CREDENCE_SOURCE"/examples/data/* .

cat >check.py <<'PY'
import json, re, subprocess, sys
verb, credence, elsewhere = sys.argv[1], sys.argv[2], sys.argv[3].split()
def help_of(v):
    return subprocess.run([credence, "help", v], capture_output=True, text=True,
                          env={"COLUMNS": "9999", "PATH": "/bin:/usr/bin"}).stdout
own = help_of(verb)
text = own + "".join(help_of(v) for v in re.findall(r"what credence (\w+) gives", own))
words = set(re.findall(r"[A-Za-z_0-9]+", text))
data = set(re.findall(r"([a-z_0-9]+)\{\}", text))
printed = {}
def walk(value, parent):
    if isinstance(value, dict):
        for key, member in value.items():
            if parent not in data:
                printed.setdefault(key, parent)
            elif isinstance(member, dict):
                walk(member, parent)
                continue
            walk(member, key)
    elif isinstance(value, list):
        for member in value:
            walk(member, parent)
decoder, rest = json.JSONDecoder(), sys.stdin.read().strip()
if not rest:
    print(f"{verb}: nothing was printed")
while rest:
    value, end = decoder.raw_decode(rest)
    walk(value, "")
    rest = rest[end:].strip()
for key, parent in sorted(printed.items()):
    if key not in words:
        print(f"{verb}: help does not list '{key}'" + (f" of {parent}" if parent else ""))
listed = set(re.findall(r"\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z][a-z0-9]*(?=\[\]|\{\}))(?![a-z0-9-]*=)", own))
for key in sorted(listed - set(printed) - set(elsewhere)):
    print(f"{verb}: help lists '{key}', which is not printed")
PY

# VERB, words of its help that are no keys of these commands; the output of all of them is standard
# input.
same_keys() { # VERB WORDS...
    local verb=$1
    shift
    python3 check.py "$verb" "$CREDENCE_BIN" "$*" >complaints || fail "check.py failed for $verb"
    checks=$((checks + 1))
    while read -r line; do
        fail "$line"
    done <complaints
}

expect 0 credence train -m nb -q iris.csv -o iris.model
expect 0 credence train -m nb -q tax.csv -o tax.model
expect 0 credence train -q -m linear houses.csv -o houses.model
expect 0 credence train -m nb -q messages.csv --type text=text -o text.model
expect 0 credence train -q -m logistic iris.csv -o logistic.model

{
    credence test --json iris.model iris.csv
    credence test --json --cost 'yes->no=5' --reject 0.5 tax.model tax.csv
    credence test --json houses.model houses.csv
} 2>/dev/null | same_keys test
{
    credence cv -m nb --json iris.csv -k 3
    credence cv --json -m linear houses.csv -k 3
} 2>/dev/null | same_keys cv
{
    credence compare --json iris.csv -m nb,gda,tree -k 3
    credence compare --json houses.csv -m linear,linear:lambda=evidence -k 3
    credence compare --json iris.csv -m nb,gda --criterion mdl --holdout iris.csv
    credence compare --json --each iris.csv people.csv -m nb,gda,tree -k 3
    credence compare --json iris.csv -m nb,gda --curve --sizes 30,60
    credence compare --json iris.csv -m nb,linear -k 3
} 2>/dev/null | same_keys compare
{
    credence tune --json iris.csv -p variance=feature,class --nested -k 3
    credence tune --json -m linear houses.csv -p lambda=0.1,1 -k 3
} 2>/dev/null | same_keys tune
{
    credence curve -m nb --json iris.csv --sizes 30,60
    credence curve --json -m linear houses.csv --sizes 6,8
} 2>/dev/null | same_keys curve
{
    credence drift --json iris.model iris.csv
    credence drift --json text.model messages.csv
} 2>/dev/null | same_keys drift
{
    credence independence --json tax.csv
    credence independence --json --gaussian iris.csv
} 2>/dev/null | same_keys independence
{
    credence estimate --json heads=3 tails=2
    credence estimate --json A: 3/5 B: 4/9
    credence estimate --json --gaussian 1 2 3
    credence estimate --json --poisson 3/2
    printf '%s\n' a b a | credence estimate --json --stream
    printf '%s\n' 1 2 3 | credence estimate --json --stream --gaussian
} | same_keys estimate
{
    credence split --json iris.csv --train a.csv --test b.csv
} 2>/dev/null | same_keys split
{
    credence learn --json iris.model iris.csv -o more.model
} 2>/dev/null | same_keys learn
{
    credence unlearn --json more.model iris.csv -o less.model
} 2>/dev/null | same_keys unlearn
credence merge --json iris.model iris.model -o two.model 2>/dev/null | same_keys merge
credence refit --json iris.model -p alpha=2 -o two.model 2>/dev/null | same_keys refit
credence calibrate --json iris.model iris.csv -o two.model 2>/dev/null | same_keys calibrate
credence combine --json iris.model logistic.model -o both.model --data iris.csv 2>/dev/null |
    same_keys combine
{
    credence train -m nb --json iris.csv -o other.model
    credence train --json -m logistic iris.csv -o other.model
    credence train --json -m linear houses.csv -o other.model
} 2>/dev/null | same_keys train sent_bytes adding_seconds
{
    credence show --json iris.model
    credence show --json tax.model
    credence show --json text.model
    credence show --json logistic.model
    credence show --json houses.model
    credence show --json both.model
    credence show --json alarm.net
} 2>/dev/null | same_keys show petal_width
{
    credence report --json iris.model iris.csv -o page.html
    credence report --json houses.model houses.csv -o page.html
} 2>/dev/null | same_keys report
{
    credence decide --json oil.net
    credence decide --json oil.net --information
} 2>/dev/null | same_keys decide
printf '%s\n' hypothesis,prior,likelihood,A,B h1,.3,.6,.3,.7 h2,.2,.9,.4,.6 h3,.5,.7,.9,.1 >three.csv
credence hypotheses --json three.csv 2>/dev/null | same_keys hypotheses
{
    credence predict --json iris.model iris.csv
    credence predict --json houses.model houses.csv --interval 0.9
    credence predict --json tax.model tax.csv --cost 'yes->no=5' --reject 0.5
} 2>/dev/null | same_keys predict
{
    credence explain --json iris.model iris.csv
    credence explain --json --work iris.model iris.csv
    credence explain --json --changes iris.model iris.csv
    credence explain --json text.model messages.csv
    credence explain --json logistic.model iris.csv
    credence explain --json houses.model houses.csv
    credence explain --json both.model iris.csv
    credence explain --json --cost 'yes->no=5' tax.model tax.csv
    credence explain --json --changes text.model messages.csv
} 2>/dev/null | same_keys explain
{
    credence query --json alarm.net 'P(B=b | J=j)' 'P(B | J=j)' 'P(B, A)' 'argmax(* | J=j)'
    credence query --json alarm.net 'dsep(B, E | A)' 'inform(B | J=j)' 'P(* | J=j)' 'P(A | B)'
    credence query --json iris.model 'P(species | petal_width=0.5)' 'E(petal_length | species=setosa)'
} 2>/dev/null | same_keys query petal_width
credence impute --json gaps.csv -o whole.csv 2>/dev/null | same_keys impute
expect 0 credence train -q -m network tax.csv -o net.model
{
    credence structure compare --json alarm.net alarm.net
    credence structure strength --json --rounds 5 net.model
    credence structure score --json net.model
} 2>/dev/null | same_keys structure
expect 0 credence train -q -m nb messages.csv --type text=text --store live.store
credence store stat --json live.store 2>/dev/null | same_keys store
printf 'Subject: pills\n\ncheap pills\n' | credence filter --json text.model 2>/dev/null |
    same_keys filter
finish
