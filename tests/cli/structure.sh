#!/usr/bin/env bash
# structure.sh - networks learned from data, compared and sampled from, through the command line.
. "$(dirname "$0")/lib.bash"

answer() { # MODEL QUERY
    credence query --csv "$1" "$2" | sed -n '2s/.*,//p'
}
distance() { # NETWORK NETWORK: between classes
    credence structure compare "$1" "$2" --json | sed -n 's/.*"shd": \([0-9]*\).*/\1/p'
}

# The lawn of the textbooks, with strong arcs: cloudy -> sprinkler, rain -> wet -> slippery.
cat >lawn.bif <<'BIF'
network lawn { }
variable cloudy { type discrete [ 2 ] { no, yes }; }
variable sprinkler { type discrete [ 2 ] { off, on }; }
variable rain { type discrete [ 3 ] { none, some, much }; }
variable wet { type discrete [ 2 ] { no, yes }; }
variable slippery { type discrete [ 2 ] { no, yes }; }
probability ( cloudy ) { table 0.5, 0.5; }
probability ( sprinkler | cloudy ) { (no) 0.3, 0.7; (yes) 0.9, 0.1; }
probability ( rain | cloudy ) { (no) 0.8, 0.15, 0.05; (yes) 0.2, 0.3, 0.5; }
probability ( wet | sprinkler, rain ) {
  (off, none) 0.97, 0.03; (off, some) 0.3, 0.7; (off, much) 0.05, 0.95;
  (on, none) 0.15, 0.85; (on, some) 0.08, 0.92; (on, much) 0.01, 0.99;
}
probability ( slippery | wet ) { (no) 0.95, 0.05; (yes) 0.3, 0.7; }
BIF

# --- rows drawn from a network --------------------------------------------------------------------
expect 0 credence sample lawn.bif -n 20000 --seed 7 -o lawn.csv
same "rows" "$(wc -l <lawn.csv | tr -d ' ')" 20001
same "columns" "$(head -1 lawn.csv)" cloudy,sprinkler,rain,wet,slippery
credence sample lawn.bif -n 20000 --seed 7 >again.csv
same "the same seed" "$(cmp lawn.csv again.csv && echo same)" same
credence sample lawn.bif -n 20000 --seed 8 >other.csv
same "another seed" "$(cmp -s lawn.csv other.csv || echo different)" different
expect 1 credence sample nowhere.bif
expect 2 credence sample lawn.bif -n many

# --- structures -----------------------------------------------------------------------------------
expect 0 credence train lawn.csv -m network -o lawn.model
says out "Bayesian network"
same "tabu finds the class" "$(distance lawn.bif lawn.model)" 0
for way in hc pc mmhc k2 file:lawn.bif; do
    expect 0 credence train -q lawn.csv -m network -p structure=$way -p alpha=0.001 \
        -p restarts=20 -o way.model
    same "$way finds the class" "$(distance lawn.bif way.model)" 0
done
# the tree that fits best has 4 of the 5 lines
expect 0 credence train -q lawn.csv -m network -p structure=chow-liu -o tree.model
credence structure compare lawn.bif tree.model --csv >tree.csv
same "a tree lacks a line" "$(cell tree.csv missing 1),$(cell tree.csv extra 1)" 1,0
for score in bic aic bdeu:10 k2 loglik; do
    expect 0 credence train -q lawn.csv -m network -p score=$score -p max-parents=2 -o way.model
done
expect 0 credence train -q lawn.csv -m network -t wet -p structure=naive -o naive.model
same "naive" "$(credence structure arcs naive.model --csv | grep -c .)" 5
for threads in 1 2 3; do
    credence train -q --threads $threads lawn.csv -m network -o "lawn-$threads.model" >/dev/null
    same "with $threads threads" "$(cmp "lawn-$threads.model" lawn.model && echo same)" same
done

# --- the tables answer --------------------------------------------------------------------------
near "P(wet)" "$(answer lawn.model 'P(wet=yes)')" "$(answer lawn.bif 'P(wet=yes)')" 0.02
near "P(rain | wet, sprinkler)" \
    "$(answer lawn.model 'P(rain=much | wet=yes, sprinkler=on)')" \
    "$(answer lawn.bif 'P(rain=much | wet=yes, sprinkler=on)')" 0.1
expect 0 credence train -q lawn.csv -m network -p parameters=mle -o mle.model
near "mle of a root is its share" "$(answer mle.model 'P(cloudy=yes)')" \
    "$(awk -F, 'NR > 1 && $1 == "yes" { n++ } END { printf "%.15g", n / (NR - 1) }' lawn.csv)"
expect 0 credence train -q lawn.csv -m network -t rain -o target.model
expect 0 credence test target.model lawn.csv --json
expect 0 credence predict target.model lawn.csv --proba
same "a row for each" "$(wc -l <out | tr -d ' ')" 20001

# --- change it ------------------------------------------------------------------------------------
head -8001 lawn.csv >first.csv
(head -1 lawn.csv; tail -n +8002 lawn.csv) >second.csv
for part in first second; do
    credence train -q $part.csv -m network -p relearn=always -o $part.model >/dev/null
done
credence train -q lawn.csv -m network -p relearn=always -o all.model >/dev/null
expect 0 credence merge first.model second.model -o merged.model
same "merged, as in one pass" "$(cmp merged.model all.model && echo same)" same
cp first.model more.model
expect 0 credence learn more.model second.csv
same "learned, as in one pass" "$(cmp more.model all.model && echo same)" same
expect 0 credence unlearn more.model second.csv
same "unlearned" "$(cmp more.model first.model && echo same)" same
expect 0 credence refit lawn.model -p structure=none -o none.model
same "no arcs" "$(credence structure arcs none.model --json | sed -n 's/.*"count": //p')" 0
expect 2 credence refit lawn.model -p bins=width:3

# --- gaps and hidden variables ----------------------------------------------------------------------
# every third row lacks whether it is wet, every fifth whether it rains
awk -F, -v OFS=, 'NR > 1 && NR % 3 == 0 { $4 = "" } NR > 1 && NR % 5 == 0 { $3 = "" } 1' lawn.csv \
    >gaps.csv
for way in em gradient ignore; do
    expect 0 credence train -q gaps.csv -m network -p missing=$way -o gaps.model
    near "P(wet) with $way" "$(answer gaps.model 'P(wet=yes)')" "$(answer lawn.bif 'P(wet=yes)')" 0.03
done
cut -d, -f1-3,5 lawn.csv >hidden.csv
expect 0 credence train -q hidden.csv -m network -p structure=file:lawn.bif --seed 1 -o hidden.model
near "P(slippery) with wet hidden" "$(answer hidden.model 'P(slippery=yes)')" \
    "$(answer lawn.bif 'P(slippery=yes)')" 0.03
awk -F, -v OFS=, 'NR > 1 { $(NR % 5 + 1) = "" } 1' lawn.csv >holes.csv
expect 1 credence train holes.csv -m network
says err "no row has a value for every variable"
expect 0 credence train -q holes.csv -m network -p structure=file:lawn.bif -o holes.model

# --- real columns and odd ones ---------------------------------------------------------------------
expect 0 credence train -q "$data/tax.csv" -m network --type id=ignore -o tax.model
expect 0 credence train -q "$data/tax.csv" -m network --type id=ignore -p bins=income:80:100 -o tax.model
printf 'a,b,c\nx,p,1\nx,q,1\nx,p,1\nx,q,1\n' >one.csv
expect 0 credence train -q one.csv -m network --type c=symbol -o one.model
same "nothing depends" "$(credence structure arcs one.model --json | sed -n 's/.*"count": //p')" 0

# --- lists -----------------------------------------------------------------------------------------
expect 0 credence train -q lawn.csv -m network -p 'whitelist=slippery>cloudy' \
    -p 'blacklist=wet>slippery,>sprinkler' -o lists.model
credence structure arcs lists.model --csv >arcs.csv
same "listed" "$(grep -c 'slippery.*cloudy\|cloudy.*slippery' arcs.csv)" 1
expect 2 credence train lawn.csv -m network -p 'whitelist=rain>wet,wet>slippery,slippery>rain'
says err "rain <- slippery <- wet <- rain"
expect 2 credence train lawn.csv -m network -p 'whitelist=rain>wett'
says err "did you mean 'wet'?"
expect 2 credence train lawn.csv -m network -p 'whitelist=rain>wet' -p 'blacklist=rain>wet'
says err "rain>wet is in whitelist and in blacklist"
expect 2 credence train lawn.csv -m network -p structure=k2 -p order=wet,rain -p 'whitelist=rain>wet'
says err "comes first in the order"
expect 2 credence train lawn.csv -m network -p structure=tab
says err "did you mean 'tabu'?"
expect 2 credence train lawn.csv -m network -p score=bick
says err "did you mean 'bic'?"
expect 2 credence train lawn.csv -m network -p structure=naive
says err "-t COLUMN"
expect 2 credence train lawn.csv -m network -p parameters=laplace
expect 1 credence train lawn.csv -m network -p structure=file:nowhere.bif

# --- structure -------------------------------------------------------------------------------------
expect 0 credence structure strength lawn.model --rounds 20 --seed 3 --json
says out '"from": "wet"'
expect 0 credence structure strength lawn.model --rounds 20 --seed 3 --csv
same "the strongest is certain" "$(cell out strength 1)" 1
expect 0 credence structure strength lawn.model --rounds 5 --threshold 1.1 --json
says out '"count": 0'
expect 0 credence structure compare lawn.bif lawn.model
says out "classes"
expect 2 credence structure strength lawn.bif
says err "no rows"
expect 2 credence structure compare lawn.bif
expect 2 credence structure forget lawn.bif
expect 1 credence structure compare lawn.bif hidden.csv
# With a target, arcs lead from it to what it explains; a list comes first, and search is as it was.
expect 0 credence train -q lawn.csv -m network -t slippery -o class.model
expect 0 credence show class.model
same "the target has no parent" "$(grep -cE '^slippery +2 *$' out)" 1
same "what it explains" "$(grep -cE '^(cloudy|sprinkler|rain|wet) .*slippery' out)" 4
expect 0 credence train -q lawn.csv -m network -t slippery -p class-arcs=search -o free.model
expect 0 credence train -q lawn.csv -m network -t slippery -p class-arcs=search -p score=bic -o bic.model
credence predict --proba free.model lawn.csv >free.csv
credence predict --proba bic.model lawn.csv >bic.csv
expect 0 cmp free.csv bic.csv
expect 0 credence train -q lawn.csv -m network -t slippery -p 'whitelist=wet>slippery' -o list.model
expect 0 credence show list.model
same "the list comes first" "$(grep -cE '^slippery .*wet' out)" 1
# No row is complete: the target is the parent of all others.
printf 'a,b,class\n?,y,1\nx,?,1\n?,z,0\nv,?,0\n?,z,0\n' >gaps.csv
expect 0 credence train -q gaps.csv -m network -t class --type class=symbol -o gaps.model
expect 0 credence show gaps.model
says out "a              2  class"
expect 1 credence train -q gaps.csv -m network -t class --type class=symbol -p class-arcs=search -o no.model
says err "no row has a value for every variable"
printf 'a,b\nx,y\n' >ab.csv
credence train -q ab.csv -m network -o ab.model >/dev/null
expect 2 credence structure compare lawn.bif ab.model
says err "only the"

# --- scores and averages ------------------------------------------------------------------------------
# By hand: 3 rows x,p, one x,q and four y,q; a -> b. loglik = 8 ln .5 + 3 ln .75 + ln .25; 3 parameters;
# k2 = -ln 9! + 2 ln 4! - ln 5! + ln 3! - ln 5! + ln 4!; bdeu by the formula of score.h in Python.
printf 'a,b\nx,p\nx,p\nx,p\nx,q\ny,q\ny,q\ny,q\ny,q\n' >eight.csv
printf 'a: x y\nb: p q\na = .5\nb | a\n x = .5\n y = .5\n' >given.net
expect 0 credence train -q eight.csv -m network -p structure=none -o eight.model
expect 0 credence structure score eight.model given.net --json
score() { sed "s/.*\"$1\": \([-0-9.e]*\).*/\1/" out; }
near loglik "$(score loglik)" -7.794518023663456 1e-9
near aic "$(score aic)" -10.794518023663456 1e-9
near bic "$(score bic)" -10.913680336183208 1e-9
near k2 "$(score k2)" -11.05089000537367 1e-9
near bdeu "$(score bdeu)" -11.516683454702198 1e-9
same "parameters" "$(score parameters)" 3
expect 0 credence structure score eight.model
says out "parameters"
expect 2 credence structure score given.net
says err "no rows to score"
expect 2 credence structure score eight.model lawn.bif
says err "has no variable 'a'"
expect 0 credence structure average eight.model --rounds 20 --seed 1 -o average.bif
expect 0 credence structure average lawn.model --rounds 20 --seed 1 -o average.model
expect 0 credence structure compare lawn.bif average.model
expect 2 credence structure average lawn.model --rounds 20
says err "a file to write"

# --- states called NA -----------------------------------------------------------------------------------
printf 'a: NA x\nb: u v\na = .5\nb | a\n NA = .9\n x = .1\n' >na.net
expect 0 credence sample na.net -n 400 --seed 1 -o na.csv
says err "'a' has a state 'NA', which CSV and JSON do not tell from a missing value; --to arff does"
expect 0 credence train -q na.csv -m network --missing '?' -o na.model
expect 0 credence learn -q na.model na.csv
same "learn takes a declared NA for a value" "$(credence query --csv na.model 'P(a)' | wc -l)" 3
expect 0 credence show --json na.model
credence query --csv na.model 'P(a=NA)' | sed -n '2s/.*,//p' >p
near "half of them" "$(cat p)" "$(awk -F, '$1 == "NA" { n++ } END { print n / (NR - 1) }' na.csv)" 1e-2

# ARFF names the states: what is drawn is learned, state by state, nothing is taken for missing.
printf 'a: NA ? x\nb: u v\na = .5 .3 .2\nb | a\n NA = .9\n ? = .5\n x = .1\n' >odd.net
credence sample -q odd.net -n 400 --seed 1 >odd.csv
for how in "--to arff" "-o odd.arff"; do
    # shellcheck disable=SC2086
    expect 0 credence sample odd.net -n 400 --seed 1 $how
    silent err
    [ "$how" = "--to arff" ] && cp out odd.arff
    credence train -m nb -t b odd.arff -o odd.model >out
    grep -q '^a  *symbol  *0  *3: ' out || fail "a has three values, none of them missing: $(cat out)"
done
credence sample odd.net -n 400 --seed 1 --to arff 2>&1 | credence train -q -m nb -t b - -o piped.model
credence show --csv piped.model >show.csv
for state in NA '?' x; do
    same "rows with $state" "$(awk -F, -v s="$state" '$1 == "a" && $3 == s { n += $5 } END { print n }' show.csv)" \
        "$(awk -F, -v s="$state" '$1 == s { n++ } END { print n }' odd.csv)"
done
expect 2 credence sample odd.net --to arff --json
says err "--to arff and --json are two formats"
finish
