#!/usr/bin/env bash
# network.sh - Bayesian networks through the command line: files, questions, rows, mistakes.
. "$(dirname "$0")/lib.bash"
net=$CREDENCE_SOURCE/examples/data/alarm.net

answer() { # OPTIONS... MODEL QUERY
    credence query --csv "$@" | sed -n '2s/.*,//p'
}

# --- ask, straight from the file; aima-java's tests have the number ------------------------------
near "burglary" "$(answer "$net" 'P(b | j, m)')" 0.2841718353643929
near "an expression" "$(answer "$net" 'P(b or e)')" 0.002998
near "soft evidence" "$(answer --soft B=b:1,no_b:1 "$net" 'P(b)')" 0.001
near "soft evidence that is certain" "$(answer --soft J=j:1 --soft M=m:3 "$net" 'P(b)')" \
    0.2841718353643929
near "weighting" "$(answer --method weighting --samples 400000 "$net" 'P(a | j)')" 0.0434 0.1
near "gibbs" "$(answer --method gibbs "$net" 'P(a | j, m)')" 0.7607 0.05
near "loopy" "$(answer --method loopy "$net" 'P(b | j, m)')" 0.2841718353643929
same "a seed" "$(answer --method gibbs --seed 5 "$net" 'P(a | j)')" \
    "$(answer --method gibbs --seed 5 --threads 1 "$net" 'P(a | j)')"
expect 0 credence query --json --mpe "$net" 'j, m'
says out '"A": "a"'
says out '"B": "no_b"'

# --- formats -------------------------------------------------------------------------------------
expect 0 credence convert "$net" -t B -o net.cred
says out "5 variables, 4 arcs and 10 parameters"
for ending in bif xml net; do
    expect 0 credence convert net.cred -o "net.$ending"
    near "from $ending" "$(answer "net.$ending" 'P(b | j, m)')" 0.2841718353643929
    expect 0 credence convert "net.$ending" -o "again.$ending"
    same "$ending again" "$(cmp "net.$ending" "again.$ending" && echo same)" same
done
expect 0 credence convert net.bif --to dot
says out "n0 -> n2;"
expect 0 credence show net.cred
says out "Markov blanket: E, A"
expect 0 credence show net.cred --node A --json
says out '"markov_blanket": ["B", "E", "J", "M"]'

# --- rows ----------------------------------------------------------------------------------------
printf 'E,A,J,M\n,?,j,m\nno_e,a,j,m\n,,,\n' >rows.csv
expect 0 credence predict --proba net.cred rows.csv
near "a row with gaps" "$(cell out 'p(b)' 1)" 0.2841718353643929
# .001*.998*.94 against .999*.998*.001
near "a whole row" "$(cell out 'p(b)' 2)" 0.4847859721505932
near "an empty row" "$(cell out 'p(b)' 3)" 0.001
expect 0 credence explain net.cred rows.csv
says out "J"
expect 0 credence convert net.cred -t J -o john.cred
printf 'B,E,A,M\n,,a,\n' >john.csv
expect 0 credence predict --proba john.cred john.csv
near "another target" "$(cell out 'p(j)' 1)" 0.9

# --- columns that are not there, models without a target, memory that is too small ---------------
printf 'J,M\nj,m\n' >part.csv
expect 0 credence predict --proba net.cred part.csv
near "two columns of four" "$(cell out 'p(b)' 1)" 0.2841718353643929
says err "2 columns of the model are missing, 'E' among them: they count as not observed"
expect 0 credence explain --work net.cred part.csv
says out "P(M=m | b, J=j)"
printf 'X\n1\n' >none.csv
expect 1 credence predict net.cred none.csv
says err "there is no column 'E', which the model needs"
expect 0 credence convert "$net" -o free.cred
near "a model without a target" "$(answer free.cred 'P(b | j, m)')" 0.2841718353643929
expect 0 credence refit net.cred -p memory=10 -o small.cred
expect 1 credence predict small.cred part.csv
says err "exact inference would take 64 bytes, and 10 bytes are allowed"
expect 1 credence query small.cred 'P(b, j)'
says err "10 bytes are allowed"

# --- decisions -----------------------------------------------------------------------------------
expect 0 credence decide "$CREDENCE_SOURCE/examples/data/oil.net"
says out "expected utility 22.5"
says out "yes   diffuse  no     0.4100  -40.49  -10"
expect 0 credence decide --csv "$CREDENCE_SOURCE/examples/data/umbrella.dne"
says out "rainy,take,0.25"
expect 0 credence convert -q "$CREDENCE_SOURCE/examples/data/oil.net" -o oil.dne
expect 0 credence convert -q oil.dne -o oil2.net
expect 0 credence convert -q oil2.net -o oil2.dne
cmp oil.dne oil2.dne || fail "a diagram changes on its way through Hugin's language"
expect 0 credence decide --json oil2.net --information test=no
says out '"utility": 20'
says out '"variable": "oil", "decision": "drill", "value": 34.99999'
expect 0 credence convert "$CREDENCE_SOURCE/examples/data/oil.net" --to dot
says out "shape=diamond"
expect 2 credence convert "$CREDENCE_SOURCE/examples/data/oil.net" -o oil.bif
says err "has no decisions"
expect 1 credence decide "$CREDENCE_SOURCE/examples/data/oil.net" seismic=open
says err "may depend on 'test', which is still to be decided"
expect 2 credence decide "$CREDENCE_SOURCE/examples/data/oil.net" seismik=open
says err "did you mean 'seismic'"

# --- mistakes ------------------------------------------------------------------------------------
printf 'a: y n\nb: y n\na | b\n  * = .5\nb | a\n  * = .5\n' >cycle.net
expect 1 credence query cycle.net 'P(a)'
says err "cycle.net:3:1: the arcs form a cycle of 2 variables: a <- b <- a"
printf 'network x {}\nvariable a { type discrete [2] { y, n }; }\nprobability (a) { table .5, .6; }\n' \
    >sum.bif
expect 1 credence convert sum.bif -o x.cred
says err "sum.bif:3:25: the probabilities sum to 1.1, not to 1"
expect 1 credence query "$net" 'P(b | a)' --memory 10
says err "would take"
says err "weighting, gibbs or loopy"
expect 1 credence query "$net" --mpe 'j and not j'
says err "the condition has probability zero"
expect 2 credence query "$net" 'P(b)' --soft X=y:1
says err "which is not a variable"
expect 2 credence convert "$net" -t nobody -o x.cred
says err "no variable 'nobody'"
expect 2 credence show net.cred --node nobody
expect 1 credence learn net.cred rows.csv
says err "not learned from data"
expect 0 credence train -m nb -q "$data/tax.csv" --type id=ignore -o tax.model
expect 2 credence query tax.model 'P(evade=yes)' --method gibbs
says err "not a Bayesian network"
finish
