#!/usr/bin/env bash
# lectures.sh - the worked examples of the lectures on naive Bayes, through the command line.
. "$(dirname "$0")/lib.bash"

# What a lecture does on the blackboard: plain fractions and sample variances.
plain=(-p smoothing=none -p variance=class-feature -p variance-estimate=unbiased
    -p variance-floor=0 -p gaussian=plugin -p prior=empirical)

# The natural logarithm's inverse: explain gives log P.
exp() { awk -v x="$1" 'BEGIN { printf "%.17g", exp(x) }'; }

# A field of credence show --csv: FEATURE VALUE CLASS COLUMN.
shown() {
    awk -F , -v f="$1" -v v="$2" -v c="$3" -v column="$4" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
        $1 == f && $3 == v && $4 == c { print $at }' show.csv
}

# log P of a factor from credence explain --csv: FACTOR CLASS.
factor() {
    awk -F , -v f="$1" -v c="$2" '$2 == f && $4 == c { print $5 }' explain.csv
}

# --- Twenty animals: what gives birth, does not fly, lives in water, has no legs? -------------
printf 'birth,fly,water,legs\nyes,no,yes,no\n' >stranger.csv
expect 0 credence train -m nb "$data/animals.csv" --type name=ignore "${plain[@]}" -o animals.model
expect 0 credence predict --proba animals.model stranger.csv
same "the stranger" "$(cell out prediction 1)" mammals
# (6/7)^2 (2/7)^2 7/20 against 1/13 10/13 3/13 4/13 13/20
near "P(mammals | stranger)" "$(cell out 'p(mammals)' 1)" 0.884876149560314
near "P(non-mammals | stranger)" "$(cell out 'p(non-mammals)' 1)" 0.115123850439686
credence explain --csv animals.model stranger.csv >explain.csv
near "P(birth=yes | mammals)" "$(exp "$(factor birth mammals)")" 0.857142857142857
near "P(birth=yes | non-mammals)" "$(exp "$(factor birth non-mammals)")" 0.0769230769230769
near "P(A | M)" "$(awk -F , '$4 == "mammals" && $2 != "prior" { s += $5 } END { print exp(s) }' \
    explain.csv)" 0.0600 1e-3
near "P(A | N)" "$(awk -F , '$4 == "non-mammals" && $2 != "prior" { s += $5 } END { print exp(s) }' \
    explain.csv)" 0.0042 1e-3
near "P(A | M) P(M)" "$(awk -F , '$4 == "mammals" { s += $5 } END { print exp(s) }' explain.csv)" \
    0.0210 1e-3
near "P(A | N) P(N)" "$(awk -F , '$4 == "non-mammals" { s += $5 } END { print exp(s) }' \
    explain.csv)" 0.00273 1e-3

# How sure the probability itself is: predict and explain say the same.
expect 0 credence predict --proba --interval 90 animals.model stranger.csv
low=$(cell out low 1) high=$(cell out high 1)
expect 0 credence explain --interval 90 animals.model stranger.csv
says out "$(awk -v l="$low" -v h="$high" 'BEGIN {
    printf "The rows leave open what the probability is: %.4g %% to %.4g %%, 90 %% sure.", 100 * l, 100 * h }')"

# --- Tax evasion: Gaussian income with the sample variance ------------------------------------
expect 0 credence train -m nb "$data/tax.csv" --type id=ignore "${plain[@]}" -o tax.model
credence show --csv tax.model >show.csv
near "mean income of the honest" "$(shown income '' no mean)" 110
near "variance of their income" "$(shown income '' no variance)" 2975
near "mean income of evaders" "$(shown income '' yes mean)" 90
near "variance of their income" "$(shown income '' yes variance)" 25
near "P(refund=yes | no)" "$(shown refund yes no probability)" 0.428571428571429
near "P(refund=no | no)" "$(shown refund no no probability)" 0.571428571428571
near "P(refund=yes | yes)" "$(shown refund yes yes probability)" 0
near "P(refund=no | yes)" "$(shown refund no yes probability)" 1
near "P(single | no)" "$(shown marital single no probability)" 0.285714285714286
near "P(divorced | no)" "$(shown marital divorced no probability)" 0.142857142857143
near "P(married | no)" "$(shown marital married no probability)" 0.571428571428571
near "P(single | yes)" "$(shown marital single yes probability)" 0.666666666666667
near "P(divorced | yes)" "$(shown marital divorced yes probability)" 0.333333333333333
near "P(married | yes)" "$(shown marital married yes probability)" 0
printf 'refund,marital,income\nno,married,120\nyes,divorced,120\n' >return.csv
credence explain --csv --row 1 tax.model return.csv >explain.csv
# exp(-100/5950)/sqrt(2 pi 2975) and exp(-900/50)/sqrt(2 pi 25)
near "p(120 | no)" "$(exp "$(factor income no)")" 0.0071922953594195
near "p(120 | yes)" "$(exp "$(factor income yes)")" 1.2151765699646572e-09
expect 0 credence predict --proba tax.model return.csv
same "the married one" "$(cell out prediction 1)" no
near "their posterior" "$(cell out 'p(no)' 1)" 1
near "an impossible class" "$(cell out 'p(yes)' 1)" 0

# --- The same without row 7: nobody can explain the return ------------------------------------
sed 8d "$data/tax.csv" >nine.csv
expect 0 credence train -m nb nine.csv --type id=ignore "${plain[@]}" -o nine.model
credence show --csv nine.model >show.csv
near "mean without row 7" "$(shown income '' no mean)" 91.6666666666667
near "variance without row 7" "$(shown income '' no variance)" 746.666666666667
near "P(refund=yes | no)" "$(shown refund yes no probability)" 0.333333333333333
near "P(divorced | no)" "$(shown marital divorced no probability)" 0
credence explain --csv --row 2 nine.model return.csv >explain.csv
near "p(120 | no)" "$(exp "$(factor income no)")" 0.0085286655980106
near "p(120 | yes)" "$(exp "$(factor income yes)")" 1.2e-9 2e-2
expect 0 credence predict --proba nine.model return.csv
same "the undecided answer" "$(sed -n 3p out)" "?,,"
says err "1 of 2 rows undecided, the first on line 3"
expect 0 credence explain --work --row 2 nine.model return.csv
says out "No class can explain this row"
says out "no: marital=divorced is impossible"
says out "yes: refund=yes is impossible"
says out "smoothing=laplace"
expect 0 credence predict --json nine.model return.csv
same "the undecided object" "$(sed -n 2p out)" \
    '{"prediction": null, "posterior": null, "reason": "every class gives this row probability zero"}'

# Laplace adds 1 to each count and the number of values to each total; (n+1)/(N+classes) is the
# other form, and the m-estimate with m = 3, p = 1/2 gives (n + 1.5)/(N + 3).
for knob in smoothing=laplace smoothing=laplace-classes "smoothing=m-estimate m=3 p=0.5"; do
    # shellcheck disable=SC2046,SC2086
    expect 0 credence refit nine.model -o smooth.model $(printf -- '-p %s ' $knob)
    expect 0 credence predict --proba smooth.model return.csv
    same "decided with $knob" "$(cell out prediction 2)" no
    credence explain --csv --row 2 smooth.model return.csv >explain.csv
    case $knob in
    smoothing=laplace)
        near "(2+1)/(6+2)" "$(exp "$(factor refund no)")" 0.375
        near "(0+1)/(6+3)" "$(exp "$(factor marital no)")" 0.111111111111111
        near "(0+1)/(3+2)" "$(exp "$(factor refund yes)")" 0.2 ;;
    smoothing=laplace-classes)
        near "(0+1)/(6+2)" "$(exp "$(factor marital no)")" 0.125 ;;
    *)
        near "(0+1.5)/(6+3)" "$(exp "$(factor marital no)")" 0.166666666666667
        near "(0+1.5)/(3+3)" "$(exp "$(factor refund yes)")" 0.25 ;;
    esac
done

# --- Shapes: 3/7 5/7 7/12 against 3/5 3/5 5/12 ------------------------------------------------
printf 'colour,shape\nblue,square\n' >shape.csv
expect 0 credence train -m nb "$data/shapes.csv" "${plain[@]}" -o shapes.model
expect 0 credence predict --proba shapes.model shape.csv
same "a blue square" "$(cell out prediction 1)" +
near "its posterior" "$(cell out 'p(+)' 1)" 0.54347826086956522
credence explain --csv shapes.model shape.csv >explain.csv
near "score of +" "$(awk -F , '$4 == "+" { s += $5 } END { print exp(s) }' explain.csv)" .179 3e-3
near "score of -" "$(awk -F , '$4 == "-" { s += $5 } END { print exp(s) }' explain.csv)" .150 3e-3

# --- Size and colour: a factor of zero decides ------------------------------------------------
printf 'size,colour\nL,B\n' >thing.csv
expect 0 credence train -m nb "$data/size-colour.csv" "${plain[@]}" -o size-colour.model
expect 0 credence predict --proba size-colour.model thing.csv
same "large and blue" "$(cell out prediction 1)" P
same "true posteriors" "$(cell out 'p(P)' 1) $(cell out 'p(N)' 1)" "1 0"
credence explain --csv size-colour.model thing.csv >explain.csv
near "score of P" "$(awk -F , '$4 == "P" { s += $5 } END { print exp(s) }' explain.csv)" 0.1 1e-5
same "a zero factor" "$(factor colour N)" -inf

# --- Homework: .2143 against .0476 ------------------------------------------------------------
printf 'size,colour\nS,B\n' >thing.csv
expect 0 credence train -m nb "$data/homework.csv" "${plain[@]}" -o homework.model
expect 0 credence predict --proba homework.model thing.csv
same "small and blue" "$(cell out prediction 1)" P
near "its posterior" "$(cell out 'p(P)' 1)" 0.81818181818181818
credence explain --csv homework.model thing.csv >explain.csv
near "score of P" "$(awk -F , '$4 == "P" { s += $5 } END { print exp(s) }' explain.csv)" .2143 1e-3
near "score of N" "$(awk -F , '$4 == "N" { s += $5 } END { print exp(s) }' explain.csv)" .0476 1e-3

# --- Drugs: 0/1 features are Bernoulli --------------------------------------------------------
printf 'basic,soluble,light\n1,1,1\n' >drug.csv
expect 0 credence train -m nb "$data/drugs.csv" "${plain[@]}" -o drugs.model
says out "all values are 0 or 1"
credence show --csv drugs.model >show.csv
for feature in basic soluble light; do
    near "P($feature | hit)" "$(shown $feature 1 hit probability)" 0.666666666666667
    near "P($feature | fail)" "$(shown $feature 1 fail probability)" 0.5
done
credence show --json drugs.model >show.json
says show.json '{"name": "hit", "count": 3, "prior": 0.6}'
expect 0 credence predict --proba drugs.model drug.csv
same "basic, soluble and light" "$(cell out prediction 1)" hit
# (2/3)^3 3/5 against (1/2)^3 2/5
near "its posterior" "$(cell out 'p(hit)' 1)" 0.78048780487804878

# --- Smoothing as the lectures write it -------------------------------------------------------
# 0 of 10 with three values becomes 1/13.
printf 'v,c\na,x\na,x\na,x\na,x\na,x\nb,x\nb,x\nb,x\nb,x\nb,x\nd,y\n' >three.csv
expect 0 credence train three.csv -p smoothing=laplace -o three.model
credence show --csv three.model >show.csv
near "(0+1)/(10+3)" "$(shown v d x probability)" 0.076923076923077
# Dirichlet MAP: (n + beta - 1)/(N + sum(beta - 1)) with beta 3 is (0+2)/(10+6).
expect 0 credence refit three.model -p smoothing=dirichlet -p beta=3
credence show --csv three.model >show.csv
near "(0+2)/(10+6)" "$(shown v d x probability)" 0.125
# A class prior by MAP with Beta(2, 2): (10 + 1)/(11 + 2).
expect 0 credence refit three.model -p prior=map -p prior-beta=2
credence show --json three.model >show.json
near "MAP prior" "$(sed -n 's/.*"x", "count": 10, "prior": \([0-9.]*\).*/\1/p' show.json)" \
    0.84615384615384615

# --- Gaussians: one variance for each class and feature, for a feature, for a class, for all ---
# Incomes: squares about the class means are 17850 (no, 7 rows) and 50 (yes, 3 rows).
for case in class-feature:no:2550 class-feature:yes:16.6666666666667 feature:no:1790 \
    feature:yes:1790 class:no:2550 shared:yes:1790; do
    IFS=: read -r tying class want <<<"$case"
    expect 0 credence refit tax.model -p variance="$tying" -p variance-estimate=mle -o tied.model
    credence show --csv tied.model >show.csv
    near "variance=$tying for $class" "$(shown income '' "$class" variance)" "$want"
done

# --- beta of each value and of each class ----------------------------------------------------------
# marital: single 2/7 of no and 2/3 of yes; beta 3 for single, 2 for the others:
# (2+2)/(7+2+1+1) and (2+2)/(3+4). Priors: (7+1)/(10+3), (3+2)/(10+3).
expect 0 credence train -q -m nb "$data/tax.csv" -t evade -p smoothing=dirichlet -p beta=2,marital:single:3 \
    -p prior=map -p prior-beta=yes:3,no:2 -o beta.model
credence show --csv beta.model >show.csv
near "P(single | no)" "$(shown marital single no probability)" 0.36363636363636365
near "P(single | yes)" "$(shown marital single yes probability)" 0.5714285714285714
near "P(married | yes)" "$(shown marital married yes probability)" 0.14285714285714285
near "P(yes of refund | no)" "$(shown refund yes no probability)" 0.44444444444444442
credence show --json beta.model >show.json
near "P(yes)" "$(sed -n 's/.*"yes", "count": 3, "prior": \([0-9.]*\).*/\1/p' show.json)" 0.38461538461538464
# what fractions explain shows are those of the model, and learning one row at a time is the same
credence explain --work beta.model "$data/tax.csv" >work
says work "P(marital=single | yes) = (2 + 2)/(3 + 4) = 4/7"
for knobs in smoothing=dirichlet,beta=2+marital:single:3 smoothing=laplace,alpha=1+marital:single:2 \
    smoothing=m-estimate,p=class; do
    params=$(echo "$knobs" | tr , '\n' | tr + , | sed 's/^/-p /')
    # shellcheck disable=SC2086
    credence train -q -m nb "$data/tax.csv" -t evade $params -o whole.model
    head -6 "$data/tax.csv" >first.csv
    { head -1 "$data/tax.csv"; tail -5 "$data/tax.csv"; } >rest.csv
    # shellcheck disable=SC2086
    credence train -q -m nb first.csv -t evade -p smoothing=none -o step.model
    credence learn -q step.model rest.csv
    # shellcheck disable=SC2086
    credence refit -q step.model $params
    same "in two steps with $knobs" "$(credence predict --csv step.model "$data/tax.csv")" \
        "$(credence predict --csv whole.model "$data/tax.csv")"
done
expect 2 credence train -q -m nb "$data/tax.csv" -t evade -p smoothing=dirichlet -p beta=marital:sole:3
says err "beta names the value 'sole' of 'marital'"
expect 2 credence train -q -m nb "$data/tax.csv" -t evade -p prior=map -p prior-beta=maybe:3
says err "prior-beta names the class 'maybe'"
# beta of one value within one class: married 3 for yes only, and 2 for all the rest. Of yes
# (0+2)/(3+2+1+1), single (2+1)/(3+4); of no married (4+1)/(7+3), single (2+1)/(7+3).
expect 0 credence train -q -m nb "$data/tax.csv" -t evade -p smoothing=dirichlet \
    -p beta=2,marital:married:yes:3 -o within.model
credence show --csv within.model >show.csv
near "P(married | yes)" "$(shown marital married yes probability)" 0.2857142857142857
near "P(single | yes)" "$(shown marital single yes probability)" 0.42857142857142855
near "P(married | no)" "$(shown marital married no probability)" 0.5
near "P(single | no)" "$(shown marital single no probability)" 0.3
credence explain --work within.model "$data/tax.csv" >work
says work "P(marital=single | yes) = (2 + 1)/(3 + 4) = 3/7"
# alpha: 1 for all, 4 for single in no only: (2+4)/(7+1+1+4)
expect 0 credence train -q -m nb "$data/tax.csv" -t evade -p alpha=1,marital:single:no:4 -o within.model
credence show --csv within.model >show.csv
near "P(single | no)" "$(shown marital single no probability)" 0.46153846153846156
near "P(single | yes)" "$(shown marital single yes probability)" 0.5
# leaving one out counts as training anew does
expect 0 credence cv -k loo -m nb "$data/tax.csv" -t evade --type id=ignore -p alpha=1,marital:single:no:4 --csv --out -
cut -d, -f1,5- out >left-out
for i in 1 2 3; do
    sed "$((i + 1))d" "$data/tax.csv" >rest.csv
    sed -n "1p;$((i + 1))p" "$data/tax.csv" >one.csv
    credence train -q -m nb rest.csv -t evade --type id=ignore -p alpha=1,marital:single:no:4 -o rest.model
    credence predict --proba rest.model one.csv >one
    near "P(no) of row $i" "$(awk -F, -v r=$((i + 1)) '$1 == r { print $3 }' left-out)" \
        "$(cell one 'p(no)' 1)" 1e-12
done
expect 2 credence train -q -m nb "$data/tax.csv" -t evade -p alpha=1,marital:single:maybe:4
says err "alpha names the class 'maybe'"
# m-estimate with the class's share as the guess: (0 + 2 x .3)/(3 + 2), (3 + 2 x .7)/(7 + 2)
expect 0 credence train -q -m nb "$data/tax.csv" -t evade -p smoothing=m-estimate -p m=2 -p p=class -o guess.model
credence show --csv guess.model >show.csv
near "P(refund=yes | yes)" "$(shown refund yes yes probability)" 0.12
near "P(refund=yes | no)" "$(shown refund yes no probability)" 0.48888888888888887

# --- words, punctuation and other tokens; web pages ---------------------------------------------------
mkdir -p web/student web/professor
cat >web/student/oil.html <<'END'
<?xml version="1.0"?>
<!-- a page about nothing -->
<!DOCTYPE html><html><head><title>All about the company</title><style>p { color: green }</style>
<script>var apple = "aardvark";</script></head>
<body class="anxious"><p>It is about oil&nbsp;and gas, gas and all of Africa!</p>
<span style="display:none">Zaire</span></body></html>
END
printf '<html><body>My courses</body></html>' >web/professor/me.html
expect 0 credence train -q -m nb web -p punctuation=yes -o web.model
credence show --csv web.model >show.csv
for want in about:2 all:2 africa:1 oil:1 gas:2 aardvark: apple: anxious: zaire: color: html: '!:1'; do
    same "how often the page has '${want%:*}'" "$(shown text "${want%:*}" student count)" "${want##*:}"
done
expect 0 credence train -q -m nb web -p html=no -o raw.model
credence show --csv raw.model >show.csv
same "tags where they are asked for" "$(shown text html student count)" 3

# --- cross entropy of a row whose class got 0.012: -ln 0.012 ------------------------------------------
printf 'y\n0\n1\n' >coin.csv
expect 0 credence train -q -m nb coin.csv --type y=symbol -p prior=0:0.988,1:0.012 -o coin.model
printf 'y\n1\n' >one.csv
expect 0 credence test --json coin.model one.csv
near "cross entropy" "$(json log_loss out)" 4.4228486291941369

# --- "I am": words that come together are not independent -------------------------------------------
# Half of the texts of each class have both, the others neither: one word tells 1 bit of the other,
# and P(I, am) = 1/2 where P(I) P(am) = 1/4.
printf 'i,am,tag\n1,1,x\n0,0,x\n1,1,x\n0,0,x\n1,1,z\n0,0,z\n1,1,z\n0,0,z\n' >iam.csv
expect 0 credence independence iam.csv -t tag --type i=symbol --type am=symbol --csv
near "bits that one tells of the other" "$(cell out bits 1)" 1
near "P(I, am) less P(I) P(am)" "$(cell out deviation 1)" 0.25
finish
