#!/usr/bin/env bash
# hypotheses.sh - the lectures' hypotheses through the command line, and tables with faults.
. "$(dirname "$0")/lib.bash"

# A number of the JSON line that names something: NAME KEY.
of() { sed -n '/"name": "'"$1"'"/s/.*"'"$2"'": \([-0-9.e+]*\).*/\1/p' out | head -1; }

# --- Good or Bad: priors .8 .2, likelihoods .3 .4 -------------------------------------------------
printf 'hypothesis,prior,likelihood\nGood,.8,.3\nBad,.2,.4\n' >good.csv
expect 0 credence hypotheses good.csv --json
near "relative posterior of Good" "$(of Good relative)" 0.24
near "relative posterior of Bad" "$(of Bad relative)" 0.08
near "posterior of Good" "$(of Good posterior)" 0.75
says out '"map": ["Good"]'
cp out file.json
expect 0 credence hypotheses --json <good.csv
same "from standard input" "$(cat out)" "$(cat file.json)"

# --- three hypotheses: likelihoods .6 .9 .7, priors .3 .2 .5 ----------------------------------------
printf 'hypothesis,prior,likelihood\nh1,.3,.6\nh2,.2,.9\nh3,.5,.7\n' >three.csv
expect 0 credence hypotheses three.csv --json
near "relative posterior of h1" "$(of h1 relative)" 0.18
near "relative posterior of h2" "$(of h2 relative)" 0.18
near "relative posterior of h3" "$(of h3 relative)" 0.35
near "posterior of h1" "$(of h1 posterior)" 0.25352112676056338
near "posterior of h3" "$(of h3 posterior)" 0.49295774647887324
near "bits of h3" "$(of h3 bits)" 1.5145731728297584 # -log2(.5) - log2(.7)
says out '"ml": ["h2"]'
says out '"map": ["h3"]'
expect 0 credence hypotheses three.csv
says out "h_ML            h2"
says out "h_MAP           h3"
expect 0 credence hypotheses three.csv --csv
near "posterior in CSV" "$(cell out posterior 3)" 0.49295774647887324

# --- votes: h1 and h2 for B, h3 for A -----------------------------------------------------------------
printf 'hypothesis,prior,likelihood,vote\nh1,.3,.6,B\nh2,.2,.9,B\nh3,.5,.7,A\n' >votes.csv
expect 0 credence hypotheses votes.csv --json
near "A" "$(of A relative)" 0.35
near "B" "$(of B relative)" 0.36
same "Bayes optimal" "$(json optimal_class out)" B
same "what h_MAP says" "$(json map_class out)" A

# --- probabilities: P(A | h) .3 .4 .9 -----------------------------------------------------------------
printf 'hypothesis,prior,likelihood,A,B\nh1,.3,.6,.3,.7\nh2,.2,.9,.4,.6\nh3,.5,.7,.9,.1\n' >classes.csv
expect 0 credence hypotheses classes.csv --json
near "A" "$(of A relative)" 0.441
near "B" "$(of B relative)" 0.269
same "Bayes optimal" "$(json optimal_class out)" A
expect 0 credence hypotheses classes.csv
says out "Bayes optimal   A"
expect 0 credence hypotheses classes.csv --classes A --json
near "not A" "$(of 'not A' relative)" 0.269

# --- posteriors .4 .3 .3, votes + - - --------------------------------------------------------------------
printf 'hypothesis,posterior,vote\nh1,.4,+\nh2,.3,-\nh3,.3,-\n' >signs.csv
expect 0 credence hypotheses signs.csv --json
near "+" "$(of + predictive)" 0.4
near "-" "$(of - predictive)" 0.6
same "Bayes optimal" "$(json optimal_class out)" -
same "what h_MAP says" "$(json map_class out)" +
near "error of Gibbs" "$(json gibbs_error out)" 0.48
near "error of the optimum" "$(json optimal_error out)" 0.4

# --- ties, and evidence in steps -----------------------------------------------------------------------
printf 'hypothesis,prior,likelihood\na,.3,.6\nb,.2,.9\nc,.5,.1\n' >tie.csv
expect 0 credence hypotheses tie.csv
says out "a = b"
says out "a tie of 2"
printf 'hypothesis,heads,tails\nfair,1/2,1/2\ntwo-headed,1,0\n' >coins.csv
expect 0 credence hypotheses coins.csv --uniform --evidence heads,heads --classes heads,tails --json
says out '{"evidence": "heads", "posterior": [0.3333333333333333, 0.6666666666666666]}'
near "posterior of the fair coin" "$(of fair posterior)" 0.2
near "P(heads | D)" "$(of heads predictive)" 0.9 # 1/2 of 1/5, and 4/5
expect 0 credence hypotheses coins.csv --uniform -e heads,tails
says out "(prior)"
says out "two-headed"
printf 'hypothesis,prior,log_likelihood\na,1,-5000\nb,1,-5001\nc,1,-inf\n' >logs.csv
expect 0 credence hypotheses logs.csv --normalise --json
near "posterior far below the smallest double" "$(of a posterior)" 0.73105857863000488 1e-11

# --- faults ----------------------------------------------------------------------------------------------
fault() { # MESSAGE TABLE [ARGUMENT...]
    local message=$1
    printf '%b' "$2" >bad.csv
    shift 2
    expect 1 credence hypotheses bad.csv "$@"
    says err "$message"
    silent out
}
head=hypothesis,prior,likelihood
fault "bad.csv: the priors add up to 0.9, not to 1" "$head\na,.5,1\nb,.4,1\n"
says err "--normalise"
fault "bad.csv:3:2: column 'prior' has '-.5'" "$head\na,.5,1\nb,-.5,1\n"
fault "bad.csv:3:2: column 'prior' has 'NaN'" "$head\na,.5,1\nb,NaN,1\n"
fault "bad.csv:2:3: column 'likelihood' has '-1'" "$head\na,.5,-1\nb,.5,1\n"
fault "bad.csv:2:3: there is no value in column 'likelihood'" "$head\na,.5,\nb,.5,1\n"
fault "there is no column 'likelihood'" "hypothesis,prior,x\na,.5,1\nb,.5,1\n"
says err "--evidence"
fault "there is no column 'likelihood'" "hypothesis,prior,likelyhood\na,.5,1\nb,.5,1\n"
says err "did you mean 'likelyhood'?"
fault "there is no column 'prior'" "hypothesis,likelihood\na,.5\nb,.5\n"
says err "--uniform"
fault "every posterior is zero" "$head\na,.5,0\nb,.5,0\n"
fault "the classes of 'b' add up to 0.9" "$head,A,B\na,.5,1,1,0\nb,.5,1,.5,.4\n"
fault "there is no hypothesis" "$head\n"
expect 1 credence hypotheses absent.csv
says err "cannot open absent.csv"
expect 2 credence hypotheses three.csv --evidence likelihod
says err "did you mean 'likelihood'?"
printf '%s\na,.5,1\nb,.6,1\n' "$head" >bad.csv
expect 1 credence hypotheses <bad.csv
says err "standard input: the priors add up to 1.1"
expect 0 credence hypotheses bad.csv --normalise
finish
