#!/usr/bin/env bash
# estimate.sh - shares, means and rates through the command line: the lecture's coin, R and mpmath.
. "$(dirname "$0")/lib.bash"

# The numbers of the first "KEY": [a, b] or [[a, b]] in out, one a line.
pair() { sed -n 's/^ *"'"$1"'": \[\{1,2\}\([-0-9.e+]*\), \([-0-9.e+]*\)\].*/\1\n\2/p' out | head -2; }

# A number inside a line of out: "KEY": x.
inner() { sed -n 's/.*"'"$1"'": \([-0-9.e+]*\).*/\1/p' out | head -1; }

# --- the lecture's coin -------------------------------------------------------------------------
# Case A: 51 heads, 49 tails. MLE 51/100; with Beta(2, 2) MAP 52/102, posterior Beta(53, 51).
expect 0 credence estimate heads=51 tails=49 --prior beta:2,2 --json
near "MLE" "$(json mle out)" 0.51
near "MAP" "$(json map out)" 0.50980392156862745
near "P(next is heads)" "$(json predictive out)" 0.50961538461538458
says out '"posterior": {"family": "beta", "a": 53, "b": 51}'
# R: qbeta(c(.025, .975), 53, 51); mpmath: the two equations of the highest density interval.
near "lower end" "$(pair interval | sed -n 1p)" 0.41401913269300239 1e-10
near "upper end" "$(pair interval | sed -n 2p)" 0.6048611882827446 1e-10
near "lower end of highest density" "$(pair highest | sed -n 1p)" 0.41414330811858704 1e-10
near "upper end of highest density" "$(pair highest | sed -n 2p)" 0.60498474356960177 1e-10
near "ln P(data)" "$(json log_evidence out)" -70.983835149838784

# Case B: 2 heads, 1 tail.
expect 0 credence estimate heads=2 tails=1 --json
near "MLE" "$(json mle out)" 0.66666666666666667
near "MAP with a uniform prior" "$(json map out)" 0.66666666666666667
near "mean" "$(json mean out)" 0.6

# Case C: the estimate after each flip equals that of all flips so far.
printf 'heads\ntails\nheads\n' >flips
expect 0 credence estimate --stream --csv <flips
same "estimates" "$(wc -l <out)" 7
near "MAP after three flips" "$(awk -F , '$1 == 3 && $3 == "P(heads)" { print $5 }' out)" \
    0.66666666666666667
near "mean after one flip" "$(awk -F , '$1 == 1 && $3 == "P(heads)" { print $6 }' out)" \
    0.66666666666666667
expect 0 credence estimate --stream --json heads=49 tails=48 <flips
same "lines" "$(wc -l <out)" 3
near "MLE goes on from the operands" "$(tail -1 out | sed 's/.*"heads": {[^}]*"mle": \([0-9.]*\).*/\1/')" \
    0.51
expect 0 credence estimate --stream <flips
says out "P(heads)"
same "a line for each flip" "$(grep -c ' to ' out)" 3
expect 0 credence estimate <flips
says out "P(heads) after 2 heads, 1 tails"

# --- more outcomes ------------------------------------------------------------------------------
expect 0 credence estimate red=3 green=5 blue=2 --prior dirichlet:1,1,1 --csv
near "MAP of green" "$(cell out map 2)" 0.5
near "mean of green" "$(cell out mean 2)" 0.46153846153846154
expect 0 credence estimate red=3 green=5 blue=2 --prior dirichlet:2 --csv
near "MAP of red" "$(cell out map 1)" 0.30769230769230769 # (3 + 1) / (10 + 3)
expect 0 credence estimate red=3 green=5 blue=2 --prior jeffreys --csv
near "mean of blue" "$(cell out mean 3)" 0.21739130434782609 # 2.5 / 11.5
expect 0 credence estimate red=3 green=5 blue=2
says out "Dirichlet(1, 1, 1)"
printf 'a\nb\nc\n' >words
expect 0 credence estimate --stream <words
says out "c"

# --- where there is no mode ---------------------------------------------------------------------
expect 0 credence estimate heads=0 tails=0 --json
same "map" "$(json map out)" null
same "kind" "$(json map_kind out)" flat
expect 0 credence estimate heads=0 tails=0
says out "none: the posterior is flat"
expect 0 credence estimate heads=3 tails=0 --json
same "kind" "$(json map_kind out)" border
near "map" "$(json map out)" 1
expect 0 credence estimate heads=0 tails=0 --prior jeffreys --json
same "kind" "$(json map_kind out)" none
# mpmath: the arcsine law; [0, x] and [1 - x, 1] hold 95 %: sin^2(0.95 pi / 4)
near "lower piece" "$(pair highest | sed -n 2p)" 0.46077045213607726 1e-12

# --- numbers: R's t.test, qchisq, qt ------------------------------------------------------------
expect 0 credence estimate --gaussian 1.2 3.4 2.2 5.1 0.7 --csv
near "mean" "$(cell out mean 1)" 2.52
near "lower end of the mean" "$(cell out low 1)" 0.3173146644338713 1e-10
near "upper end of the variance" "$(cell out high 2)" 25.985792277803 1e-10
near "lower end of the next" "$(cell out low 3)" -2.8754551360481551 1e-10
cp out operands.csv
printf '1.2 3.4\n2.2,5.1;0.7\n' >numbers
expect 0 credence estimate --gaussian --csv <numbers
same "numbers from standard input" "$(cat out)" "$(cat operands.csv)"
expect 0 credence estimate --gaussian --prior nig:1,2,3,4 --json <numbers
near "ln P(data)" "$(json log_evidence out)" -11.438915675939198 # mpmath
expect 0 credence estimate --gaussian -- -1 -2 -4
says out "Student's t, 2 degrees of freedom"
printf '1.2\n3.4\n2.2\n5.1\n0.7\n' >column
expect 0 credence estimate --gaussian --stream --csv <column
near "the last of a stream" "$(tail -1 out | cut -d, -f 7)" 0.3173146644338713 1e-10

# --- events: R's qgamma, qnbinom, dnbinom -------------------------------------------------------
expect 0 credence estimate --poisson 5/4 7/5 10/6 --json
near "MLE" "$(json mle out)" 1.4666666666666667
near "lower end" "$(pair interval | sed -n 1p)" 0.94553840972866154 1e-10
near "P(none)" "$(inner none)" 0.23407429228978088 1e-10
cp out fractions.json
expect 0 credence estimate --poisson 5 7 10 --exposure 4,5,6 --json
same "two ways to give exposures" "$(cat out)" "$(cat fractions.json)"
expect 0 credence estimate --poisson 5 7 10 --exposure 2 --prior gamma:2,3 --json
near "mean" "$(json mean out)" 2.6666666666666667 # (22 + 2) / (6 + 3)
expect 0 credence estimate --poisson 5 7
says out "for an exposure of 1"

# --- two samples: mpmath ------------------------------------------------------------------------
expect 0 credence estimate A: 51/100 B: 60/100 --json
near "P(A > B)" "$(json greater out)" 0.101264591059393005 1e-10
same "exact" "$(json exact out)" true
near "loss with A" "$(inner A)" 0.0915737948068950965 1e-10
cp out fractions.json
expect 0 credence estimate A:yes=51 A:no=49 B:yes=60 B:no=40 --json
same "two ways to give samples" "$(cat out)" "$(cat fractions.json)"
expect 0 credence estimate A: 51/100 B: 60/100 --prior jeffreys --json
near "P(A > B)" "$(json greater out)" 0.100114015597123 1e-10
same "exact" "$(json exact out)" false
expect 0 credence estimate A: 51/100 B: 60/100
says out "P(A > B)        0.1013"
expect 0 credence estimate --poisson A: 12/100 B: 9/80 --json
near "P(A > B)" "$(json greater out)" 0.554735556119620548 1e-10
expect 0 credence estimate --gaussian A: 1 2 4 B: 5 7 6 --json
same "ratio" "$(grep -c '"ratio": \[null, null\]' out)" 1
expect 0 credence estimate A: x=1 y=2 z=3 B: x=4 y=5 z=1
says out "P(z)"

# --- the picture ----------------------------------------------------------------------------------
LC_ALL=C expect 0 credence estimate heads=51 tails=49
says out "[===="
LC_ALL=C.UTF-8 expect 0 credence estimate heads=51 tails=49
says out "█"
says out "━┿━"
for arguments in "red=3 green=5 blue=2" "A: 51/100 B: 60/100" "--gaussian 1 2 4" "--poisson 3 5"; do
    # shellcheck disable=SC2086
    COLUMNS=80 LC_ALL=C.UTF-8 expect 0 credence estimate $arguments
    [ "$(LC_ALL=C.UTF-8 wc -L <out)" -le 80 ] || fail "$arguments: wider than 80 columns"
done

# --- other levels -----------------------------------------------------------------------------------
expect 0 credence estimate heads=0 tails=3 --level 0.9 --json
near "lower end" "$(pair interval | sed -n 1p)" 0.012741455098566192 1e-10 # R: qbeta(.05, 1, 4)

# --- misuse ---------------------------------------------------------------------------------------
mistake() { # MESSAGE ARGUMENT...
    local message=$1
    shift
    expect 2 credence estimate "$@"
    says err "$message"
    silent out
}
mistake "'heads' is not NAME=COUNT" heads tails=3
mistake "the count of 'heads' is 'x'" heads=x tails=3
mistake "the count of 'heads' is '-1'" heads=-1 tails=3
mistake "the count of 'heads' is 'nan'" heads=nan tails=3
mistake "counts must stay below 2^53" heads=1e16 tails=3
mistake "there is only the outcome 'heads'" heads=3
mistake "'7/5' should be successes out of trials" 7/5
mistake "the prior has 3 parameters for 2 outcomes" heads=1 tails=2 --prior dirichlet:1,1,1
mistake "there is no prior 'beta:1'" heads=1 tails=2 --prior beta:1
mistake "there is no prior 'nig:1,2,3,4' for this" heads=1 tails=2 --prior nig:1,2,3,4
mistake "parameter 2 of the prior is 0" heads=1 tails=2 --prior beta:1,0
mistake "the level '95' is not between 0 and 1" heads=1 tails=2 --level 95
mistake "'x' is not a number" --gaussian 1 x
mistake "'1.5' is not a count" --poisson 1.5
mistake "'-1' is not a count" --poisson -- -1
mistake "2 exposures for 3 counts" --poisson 1 2 3 --exposure 1,2
mistake "the exposure '0' is not a number above 0" --poisson 1 2 3 --exposure 0
mistake "--exposure belongs to --poisson" heads=1 tails=2 --exposure 3
mistake "exclude each other" --gaussian --poisson 1 2
mistake "'C' is a third sample" A: 1/2 B: 1/2 C: 1/2
mistake "'1/2' belongs to no sample" 1/2 B: 1/2
mistake "k = -1" --gaussian 1 2 --prior nig:0,-1,1,1
mistake "--stream follows one sample" --stream A: 1/2 B: 1/3

expect 1 credence estimate --gaussian 3
says err "1 number: too few"
expect 1 credence estimate --gaussian 3 3 3
says err "all 3 numbers are equal"
printf '1\n2\nx\n' >bad
expect 1 credence estimate --gaussian <bad
says err "standard input:3: 'x' is not a number"
expect 1 credence estimate --gaussian --stream <bad
says err "standard input:3: 'x' is not a number"
expect 1 credence estimate --stream --prior beta:1,1 <words
says err "standard input:3: 'c' is one outcome more than the prior has"
expect 1 credence estimate </dev/null
says err "there is nothing in it"
# --- a sequence of flips --------------------------------------------------------------------------
expect 0 credence estimate HHTHT --json
cp out sequence
expect 0 credence estimate H=3 T=2 --json
same "a sequence is its counts" "$(cat out)" "$(cat sequence)"
expect 0 credence estimate HHH # tails have not come up
says out "3 H, 0 T"
expect 0 credence estimate A: HHT B: TTTH
expect 2 credence estimate heads
says err "or HHTHT"
finish
