#!/usr/bin/env bash
# plot.sh - pictures: they match the documentation, and their numbers are available too.
. "$(dirname "$0")/lib.bash"
cp "$CREDENCE_SOURCE"/examples/data/*.csv .

# --- pictures of the documentation ------------------------------------------------------------
drawn() { # PAGE NAME COMMAND...: the page has the command, and its picture is what it draws
    local page=$1 name=$2
    shift 2
    expect 0 credence "$@"
    silent err
    says "$CREDENCE_SOURCE/docs/$page" "credence $*"
    [ -z "${CREDENCE_UPDATE:-}" ] || cp "$name.svg" "$CREDENCE_SOURCE/docs/pictures/$name.svg"
    checks=$((checks + 1))
    "$CREDENCE_SOURCE/scripts/near.pl" 0.011 "$name.svg" "$CREDENCE_SOURCE/docs/pictures/$name.svg" ||
        fail "docs/pictures/$name.svg is not what credence $* draws"
}
golden() { # NAME COMMAND...
    drawn plot.md "$@" -o "$1.svg"
}
credence train -q people.csv -p variance=feature -o equal.model
credence train -q people.csv -p variance=class-feature -o unequal.model
credence train -m nb --calibrate none -q iris.csv -o iris.model
credence train -m nb -q messages.csv -o messages.model
credence train -m nb -q tax.csv -o tax.model
golden surface plot surface equal.model unequal.model people.csv -x height -y weight
golden margins plot surface unequal.model people.csv -x height -y weight --margins
credence train -q iris.csv -m gda -p covariance=shared -o linear.model
credence train -q iris.csv -m gda -p covariance=full -o quadratic.model
drawn gda.md discriminants plot surface linear.model quadratic.model iris.csv \
    -x petal_length -y petal_width -o discriminants.svg
golden stripes plot surface tax.model tax.csv -x marital -y income
credence train -m candidate-elimination -q students.csv -o box.model
credence train -m tree -q students.csv -o tree.model
credence train -m nb -p variance=class-feature -q students.csv -o nb.model
drawn tree.md boxes plot surface box.model tree.model nb.model students.csv -x height -y marks \
    -o boxes.svg
golden densities plot densities iris.model iris.csv --top 2
credence train -m nb -q people.csv -p variance=class-feature -o people.model
drawn decisions.md mistake plot mistake people.model -x height -o mistake.svg
golden confusion plot confusion iris.model iris.csv
golden reliability plot reliability iris.model iris.csv
credence train -q iris.csv -m linear -t petal_width -o width.model
golden residuals plot residuals width.model iris.csv
golden errors plot errors width.model iris.csv
golden coverage plot coverage width.model iris.csv
golden words plot words messages.model --top 16
golden beta plot beta prior=2,2 posterior=53,51
golden dirichlet plot dirichlet red=3 green=5 blue=1
drawn curves.md curve curve iris.csv -m nb:variance=feature,logistic:lambda=1 \
    --sizes 15,20,30,50,70,100 -r 20 --calibrate none --plot curve.svg

# --- forms ----------------------------------------------------------------------------------------
expect 0 credence plot roc iris.model iris.csv -o roc.svg
if credence plot roc iris.model iris.csv -o roc.png 2>err; then
    same "a PNG" "$(head -c 8 roc.png | od -An -tx1 | tr -d ' \n')" 89504e470d0a1a0a
    credence plot roc iris.model iris.csv -o roc.pdf
    same "a PDF" "$(head -c 5 roc.pdf)" "%PDF-"
    credence plot roc iris.model iris.csv --as png >piped.png
    same "PNG to a pipe" "$(cmp roc.png piped.png && echo same)" same
else
    says err "neither PNG nor PDF"
fi
expect 0 env COLUMNS=60 "$CREDENCE_BIN" plot confusion iris.model iris.csv
says out "virginica"
same "no colours in a pipe" "$(grep -c $'\033' out)" 0
same "as wide as asked for" "$(($(LC_ALL=C.UTF-8 wc -L <out) <= 60))" 1
expect 0 credence plot confusion iris.model iris.csv --color always
same "colours when asked for" "$(($(grep -c $'\033' out) > 5))" 1

# --- surfaces over symbols ------------------------------------------------------------------------
# A stripe has one answer, that of predict; rows lie within the stripes of their values.
expect 0 credence plot surface tax.model tax.csv -x marital -y refund --json
says out '"x_values": ["divorced", "married", "single"]'
says out '"y_values": ["no", "yes"]'
printf 'marital,refund,income\nmarried,no,\n' >married.csv
near "a stripe" "$(sed -n '/"yes": \[/,/\]$/p' out | sed -n 2p | tr -d '[] ' | cut -d, -f81)" \
    "$(credence predict --proba tax.model married.csv | tail -1 | cut -d, -f3)"
same "stripes" "$(sed -n '/"yes": \[/,/\]$/p' out | sed -n 2p | tr -d '[] ' | tr ',' '\n' | grep . | sort -u | wc -l)" 3
expect 2 credence plot surface tax.model -x marital -y merital
says err "did you mean 'marital'?"

# --- means as images ------------------------------------------------------------------------------
# Two slices of 2 by 1 pixels; means by hand.
printf 'a,b,c,d,class\n1,2,3,4,x\n3,2,1,0,x\n9,8,7,6,y\n' >pixels.csv
credence train -m nb -q pixels.csv -o pixels.model
expect 0 credence plot means pixels.model --size 2x1 --json -o pixels.svg
says out '"slices": 2'
says out '"x": [2, 2, 2, 2]'
says out '"y": [9, 8, 7, 6]'
same "an image for each class" "$(grep -c '>[xy]</text>' pixels.svg)" 2
expect 0 credence plot means pixels.model --class y -o pixels.svg
same "one class" "$(grep -c '>[xy]</text>' pixels.svg)" 1
expect 2 credence plot means pixels.model --size 3x1
says err "4 numbers are no images of 3 by 1"
for size in 0x4 2 2x 2x2x2 -2x2 axb; do
    expect 2 credence plot means pixels.model --size=$size
done
expect 2 credence plot means messages.model
says err "no numbers to draw"

# --- p(mistake) -------------------------------------------------------------------------------------
# tests/decide/test_mistake.c has the integrals. Costs and rejection move the boundaries, and models
# without a Gaussian are refused.
expect 0 credence plot mistake people.model -x height --cost 'child->adult=5' --json
same "dear mistakes are rarer" "$(sed -n 's/.*"truth": "child", "decision": "adult", "probability": \([0-9.]*\).*/\1/p' out |
    awk '{ print $1 < 0.04 }')" 1
expect 0 credence plot mistake people.model -x height --reject 0.1 --json
says out '"decision": null'
expect 2 credence plot mistake people.model -x hight
says err "did you mean 'height'?"
expect 2 credence plot densities people.model --reject 0.1
credence train -m nb -q people.csv -p real=kde -o kernels.model
expect 2 credence plot mistake kernels.model -x height
says err "a Gaussian for each class"
credence train -m tree -q people.csv -o tree.model
expect 2 credence plot mistake tree.model -x height

# --- models of numbers ------------------------------------------------------------------------------
# The share of true values within 95 % equals that of test; dots are where the rows are.
expect 0 credence test --json width.model iris.csv
covered=$(json coverage out)
expect 0 credence plot coverage width.model iris.csv --json
near "coverage" "$(sed -n 's/.*"level": 0.95, "share": \([0-9.]*\),.*/\1/p' out)" "$covered"
same "one answer for each row" "$(grep -c '"place": ' out)" 150
expect 0 credence plot predicted width.model iris.csv -o dots.svg
same "a dot for each row" "$(grep -c '<ellipse' dots.svg)" 150
awk 'NR == 1 || NR > 1 { print } NR > 1 { for (i = 0; i < 49; i++) print }' iris.csv >often.csv
expect 0 credence plot predicted width.model often.csv -o often.svg
same "not too many dots" "$(($(grep -c '<ellipse' often.svg) <= 2000))" 1
for kind in roc pr reliability confusion densities; do
    expect 2 credence plot $kind width.model iris.csv -o p.svg
done
expect 2 credence plot errors iris.model iris.csv -o p.svg
says err "predicts no number"
run bash -c 'cat iris.csv | "$0" test width.model --plot piped.svg' "$CREDENCE_BIN"
same "a picture from a pipe" "$status" 0

# --- numbers --------------------------------------------------------------------------------------
# 147 rows of iris are right: the numbers of credence test.
expect 0 credence plot confusion iris.model iris.csv --json
same "rows" "$(json rows out)" 150
credence test --json iris.model iris.csv >test.json
near "calibration error" \
    "$(credence plot reliability iris.model iris.csv --json | sed -n 's/^  "calibration_error": \(.*\),/\1/p')" \
    "$(json ece test.json)"
# Five rows with probabilities .9 .8 .8 .3 .1 and classes b b a b a: scikit-learn's roc_auc_score
# gives 0.75, average_precision_score 0.8055555555555555.
printf 'p,class\nu,b\nv,b\nv,a\nw,b\nx,a\n' >five.csv
{
    echo p,class
    for row in "u b 9" "u a 1" "v b 8" "v a 2" "w b 3" "w a 7" "x b 1" "x a 9"; do
        set -- $row
        for _ in $(seq "$3"); do echo "$1,$2"; done
    done
} >many.csv
credence train -q many.csv -p smoothing=none -p prior=a:0.475,b:0.525 -o five.model
expect 0 credence plot roc five.model five.csv --json
near "area" "$(json area out)" 0.75
expect 0 credence plot pr five.model five.csv --json
near "average precision" "$(json average_precision out)" 0.8055555555555555
expect 0 credence plot beta 9,3 --json
near "mean" "$(json mean out)" 0.75
expect 0 credence plot words messages.model --json -o both.svg
says out '"word": "free"'
says both.svg ">free<"
expect 0 credence plot surface iris.model --json -x petal_length -y petal_width
says out '"x": "petal_length"'
# Contours: other features are left out of the covariance. Mean and covariance of setosa by numpy.cov.
expect 0 credence plot surface quadratic.model --json -x petal_length -y petal_width
near "mean of a Gaussian" "$(sed -n 's/.*"setosa", "mean": \[\([0-9.]*\),.*/\1/p' out)" 1.464
near "its covariance" \
    "$(sed -n 's/.*"setosa", .*"covariance": \[[^,]*, \([^,]*\),.*/\1/p' out)" 0.005697959183673469 1e-10

# --- densities along the axes ---------------------------------------------------------------------
# By hand: in a, h has the mean 4 and the variance 2, w the mean 30 and variance 200; in b 11, 8,
# 80 and 200. The grid has a point at each mean, where a Gaussian is 1/sqrt(2 pi variance): .2821 in
# a along h, and half of that in b. A billionth of the largest variance, 725, is added to each. In
# the picture the highest curve fills the strip of 34 points, and the others keep their proportion.
# The last four curves are h and w of a, then of b.
printf 'h,w,y\n3,20,a\n5,40,a\n9,70,b\n13,90,b\n' >four.csv
credence train -m nb -p variance=class-feature --calibrate none -q four.csv -o four.model
expect 0 credence plot surface four.model four.csv -x h -y w --range h=0:16 --range w=0:120 \
    --margins --json -o four.svg
silent err
density() { # AXIS CLASS POINT
    sed -n "/\"$1_density\"/,/}/s/.*\"$2\": \[\(.*\)\].*/\1/p" out | cut -d, -f"$3" | tr -d ' '
}
near "p(h = 4 | a)" "$(density x a 41)" 0.28209479177387814 1e-6
near "p(h = 11 | b)" "$(density x b 111)" 0.14104739588693907 1e-6
near "p(w = 80 | b)" "$(density y b 81)" 0.028209479177387814 1e-6
grep '^<path\|^<rect' four.svg | tail -5 | tr -c '0-9.\n' ' ' | awk '
    { number[NR] = $0 }
    END {
        split(number[5], frame) # x y width height
        for (i = 1; i <= 4; i++) {
            n = split(number[i], v)
            most = -1
            for (k = 1; k < n; k += 2) {
                far = i % 2 ? frame[2] - v[k + 1] : v[k] - frame[1] - frame[3]
                if (far > most && k <= 2 * (i % 2 ? 161 : 121)) {
                    most = far
                    at = i % 2 ? (v[k] - frame[1]) / frame[3] * 16 \
                        : (frame[2] + frame[4] - v[k + 1]) / frame[4] * 120
                }
            }
            printf "%.2f %.1f\n", at, most - 3 # the strip begins 3 points from the frame
        }
    }' >peaks
same "peaks and their heights" "$(tr '\n' ' ' <peaks)" "4.00 34.0 30.00 34.0 11.00 17.0 80.00 34.0 "
credence train -m logistic -q four.csv -o line.model
expect 0 credence plot surface line.model four.csv -x h -y w --margins -o line.svg
says err "'h' has no density to draw"

# --- curves and lines -----------------------------------------------------------------------------
cat >curve.csv <<'END'
learner,size,accuracy,accuracy_low,accuracy_high,log_loss,log_loss_low,log_loss_high
nb,10,0.5,0.4,0.6,1.2,1,1.4
nb,100,0.7,0.65,0.75,0.8,0.7,0.9
"a,b",10,0.45,0.3,0.6,1.3,1,1.6
"a,b",100,0.8,0.75,0.85,0.6,0.5,0.7
END
expect 0 credence plot curve curve.csv -o curve.svg --json
says out '"name": "a,b"'
says curve.svg "training rows"
printf 'step,score\n1,-500\n2,-410\n3,-395\n' >search.csv
credence curve houses.csv -m linear --sizes 6,8 --csv >numbers.csv
expect 0 credence plot curve numbers.csv -o numbers.svg
says numbers.svg ">RMSE<"
expect 2 credence plot curve iris.csv -o x.svg
says err "they are learner, size, accuracy"
expect 0 credence plot lines search.csv -x step -y score -o search.svg
says search.svg ">score<"

# --- pictures of results --------------------------------------------------------------------------
# The picture of a verb's own result is that of credence plot for the same numbers.
expect 0 credence curve iris.csv -m nb,logistic --sizes 10,100 --plot learned.svg --csv
same "the table is there too" "$(grep -c ',100,' out)" 2
says learned.svg ">logistic<"
says learned.svg "log loss"
expect 0 credence compare iris.csv --curve -m nb,logistic --sizes 10,100 --plot compared.svg
cmp -s learned.svg compared.svg || fail "compare --curve draws other curves than curve"
expect 0 credence test iris.model iris.csv --plot test.svg
says test.svg ">virginica<"
credence plot reliability iris.model iris.csv --title "iris.model on iris.csv" -o bins.svg
panel() { sed -n '/^<g transform="translate(0 0)">/,/^<\/g>/p' "$1"; }
same "reliability as plot has it" "$(panel test.svg)" "$(panel bins.svg)"
same "and there is one" "$(($(panel bins.svg | wc -l) > 50))" 1
expect 0 credence cv -m nb people.csv -k 5 --plot cv.svg --json
says cv.svg "child ($(json roc_area out | awk '{printf "%.4f", $1}'))"
expect 0 credence cv -m nb people.csv -k 5 --plot -
says out "false positive rate"
# Rows of one class have no ROC curve: the matrix is drawn instead.
credence train -m nb -q people.csv -o people.model
grep -v child people.csv >adults.csv
expect 0 credence test people.model adults.csv --plot adults.svg
says adults.svg ">adult<"
expect 2 credence test iris.model iris.csv --plot test.jpeg
says err "what kind of picture"
expect 2 credence curve -m nb iris.csv --plot - --json
says err "standard output"
expect 2 credence compare iris.csv -m nb,logistic --plot no.svg
says err "learning curves"
cp equal.model nb:variance=feature
cp unequal.model nb:variance=class-feature
credence plot surface nb:variance=feature nb:variance=class-feature people.csv \
    -x height -y weight -o models.svg
expect 0 credence compare people.csv -m nb:variance=feature,nb:variance=class-feature --surface \
    -x height -y weight --plot learners.svg
silent out
cmp -s models.svg learners.svg || fail "compare --surface draws other surfaces than plot"
credence plot surface nb:variance=feature nb:variance=class-feature people.csv \
    -x height -y weight --margins -o models.svg
expect 0 credence compare people.csv -m nb:variance=feature,nb:variance=class-feature --surface \
    -x height -y weight --margins --plot learners.svg
cmp -s models.svg learners.svg || fail "compare --surface --margins draws other surfaces than plot"
expect 0 credence compare people.csv -t person -m nb,logistic --surface --json
says out '"model": "logistic"'
expect 2 credence compare houses.csv -m linear --surface
says err "no classes"
expect 2 credence compare -m nb --surface
says err "standard input"

# --- networks -------------------------------------------------------------------------------------
# P(b | a) is .9 and .2: an influence of .7.
cat >two.bif <<'END'
network two { }
variable a { type discrete [ 2 ] { yes, no }; }
variable b { type discrete [ 2 ] { yes, no }; }
probability ( a ) { table 0.3, 0.7; }
probability ( b | a ) { (yes) 0.9, 0.1; (no) 0.2, 0.8; }
END
run credence plot network two.bif -o two.svg --json
if [ "$status" = 0 ]; then
    same "influence" "$(sed -n 's/.*"influence": \([0-9.]*\)}.*/\1/p' out | cut -c1-6)" 0.7
    says two.svg ">b<"
else
    says err "draws no network graphs"
fi
# P(a | b=yes) = .27 / (.27 + .14): a Bayes factor by hand.
run credence plot network two.bif --beliefs b=yes -o two.svg --json
if [ "$status" = 0 ]; then
    says two.svg ">65.9<"
    says two.svg ">100.0<"
    says out '{"node": "a", "distribution": {"yes": 0.6585'
fi
expect 2 credence plot network two.bif --beliefs c=yes -o two.svg
says err "no variable 'c'"
expect 2 credence plot tree iris.model --beliefs '' -o two.svg
says err "has no beliefs"
expect 2 credence plot network iris.model
says err "is no network"

# --- numbers of a matrix ----------------------------------------------------------------------------
# All cells have the same format, however large: 12000 and 2000, without commas.
awk 'BEGIN { print "x,c"; for (i = 0; i < 12000; i++) print "a,p"; for (i = 0; i < 2000; i++) print "b,q" }' \
    >large.csv
credence train -m nb -q large.csv -o large.model
expect 0 credence plot confusion large.model large.csv -o large.svg
says large.svg ">12000<"
says large.svg ">2000<"

# --- trees ----------------------------------------------------------------------------------------
# 50 of 150 flowers have a petal of at most 0.8 cm, all of them setosa.
credence train -m tree -q "$CREDENCE_SOURCE/examples/data/iris.csv" -o tree.model
run credence plot tree tree.model -o tree.svg --json
if [ "$status" = 0 ]; then
    says tree.svg ">setosa (50)<"
    says tree.svg ">&lt;= 0.8<"
    says out '{"parent": 0, "branch": "petal_width <= 0.8", "class": "setosa", "rows": {"setosa": 50, "versicolor": 0, "virginica": 0}}'
fi
expect 2 credence plot tree iris.model
says err "not a decision tree"

# --- hostile names --------------------------------------------------------------------------------
printf 'x,class\n1,<script>alert(1)</script>\n2,"a&b"\n3,<script>alert(1)</script>\n4,"a&b"\n' >bad.csv
credence train -m nb -q bad.csv -o bad.model
expect 0 credence plot confusion bad.model bad.csv -o bad.svg
same "no markup from names" "$(grep -c '<script' bad.svg)" 0
says bad.svg "&lt;script&gt;"
says bad.svg "a&amp;b"

# --- misuse ---------------------------------------------------------------------------------------
expect 2 credence plot rock iris.model iris.csv
says err "did you mean roc?"
expect 2 credence plot roc iris.model iris.csv -o roc.jpeg
says err "what kind of picture"
expect 2 credence plot surface iris.model -x petal_lenght -y petal_width
says err "did you mean 'petal_length'?"
expect 2 credence plot words iris.model
says err "no text"
expect 2 credence plot beta 0,1
expect 2 credence plot dirichlet red=3
expect 1 credence plot roc iris.csv iris.model
silent out

# test, plot and report print the same area, also where posteriors are 0 and 1 to a double: rows
# are then ordered by the logarithms, and the four rows at 50 to 80 do not tie.
awk 'BEGIN {
    print "x,c"
    for (i = 0; i < 40; i++) print i % 7 / 70 ",a\n" 1 + i % 5 / 50 ",b"
    print "50,b\n60,a\n70,b\n80,a"
}' >sharp.csv
head -81 sharp.csv >train.csv
expect 0 credence train -q -p variance=class-feature train.csv -o sharp.model
expect 0 credence test --json sharp.model sharp.csv
area=$(json roc_area out)
average=$(json pr_area out)
expect 0 credence plot roc --json sharp.model sharp.csv
near "area" "$(json area out)" "$area"
expect 0 credence plot pr --json sharp.model sharp.csv
near "average precision" "$(json average_precision out)" "$average"
expect 0 credence plot roc --csv sharp.model sharp.csv
same "head" "$(head -1 out)" "class,threshold,false_positive_rate,true_positive_rate"
same "points of rows that saturate" "$(tail -n +2 out | sort -u | wc -l)" "$(($(wc -l <out) - 1))"
expect 0 credence plot reliability --class b sharp.model sharp.csv -o reliability.svg
says reliability.svg 'P(b), as the model has it'
expect 2 credence plot densities --csv sharp.model
says err 'is not a table'

# --- intervals of equal width have short names ----------------------------------------------------
# petal_width of iris is 0.1 to 2.5: the first of seven ends is 0.1 + 2.4/7 = 0.442857..., the
# second 0.1 + 4.8/7 = 0.785714...
expect 0 credence train -q -m nb -p real=bins:width:7 "$CREDENCE_SOURCE/examples/data/iris.csv" -o wide.model
expect 0 credence plot densities wide.model -F petal_width -o wide.svg
says wide.svg "0.443..0.786"
if grep -q 0.4428 wide.svg; then fail "an interval has a long name"; fi

# --- densities in use ----------------------------------------------------------------------------
# All intervals of a number are shown in order; words after the eleventh share one bar.
awk 'BEGIN { print "n,w,c"; for (i = 0; i < 400; i++) print i % 37 "," "w" i % 23 "," i % 2 }' \
    >many.csv
expect 0 credence train -q many.csv -t c --type n=real -p real=bins:width:15 -o many.model
expect 0 credence plot densities many.model -F n -o many.svg
same "intervals in order" "$(grep -o '>[<0-9.&;glt=]*[0-9]<' many.svg | grep -c '\.\.')" 13
expect 0 credence plot densities many.model -F w -o many.svg
says many.svg 'others<'
# A kernel density has its modes, where a Gaussian has the mean.
awk 'BEGIN { print "x,c"; for (i = 0; i < 40; i++) print i % 2 * 10 + i / 100 ",a\n" 5 + i / 100 ",b" }' >humps.csv
expect 0 credence train -q humps.csv -p real=kde -o humps.model
expect 0 credence plot densities --json humps.model
same "least density of a between the humps" "$(sed -n 's/.*"density": \[\(.*\)\].*/\1/p' out | head -1 |
    awk -F', ' '{ print ($101 < $60 && $101 < $141) }')" 1

# A model without densities has the shares and histograms of the rows: of the 7 returns that evade
# nothing, 3 had a refund and 4 did not. Without rows there is nothing to draw.
expect 0 credence train -q -m logistic "$CREDENCE_SOURCE/examples/data/tax.csv" -o logistic.model
expect 0 credence plot densities logistic.model "$CREDENCE_SOURCE/examples/data/tax.csv" --json -o shares.svg
near "share of yes in no" "$(grep -o '"yes": [0-9.]*' out | head -1 | cut -d' ' -f2)" 0.42857142857142855
near "share of no in no" "$(grep -o '"no": [0-9.]*' out | head -1 | cut -d' ' -f2)" 0.5714285714285714
same "no density" "$(grep -c '"density"' out)" 0
same "histograms of income" "$(grep -c '"histogram"' out)" 2
says shares.svg "share of the rows"
expect 2 credence plot densities logistic.model </dev/null
says err "a model of 'logistic' has no densities of its features"
expect 0 credence report logistic.model "$CREDENCE_SOURCE/examples/data/tax.csv" -o shares.html
says shares.html "share of the rows"

# A tree's nodes have the numbers that show has, and a long name is cut before them.
{
    echo 'a_name_that_is_too_long_for_the_node_of_a_tree,c'
    for i in 1 2 3 4 5 6; do printf 'u,x\nv,y\n'; done
    printf ',x\n,x\n'
} >long.csv
expect 0 credence train -q -m tree long.csv -o long.model
expect 0 credence plot tree long.model -o long.svg
says long.svg '…? (14)'
expect 0 credence show long.model
for number in $(sed -n 's/.*: [xy] (\([0-9.]*\).*/\1/p' out); do says long.svg " ($number)"; done

# --as is the format of the picture, not a class for all rows.
expect 0 credence plot confusion iris.model iris.csv --as svg -o confusion.picture
says confusion.picture 'setosa'
says confusion.picture '>50<'

# --- words of which none speaks for a class: an empty picture ----------------------------------------
printf 'text,y\nsame words,a\nsame words,b\n' >same.csv
credence train -q -m nb --type text=text same.csv -o same.model
expect 0 credence plot words same.model -o same.svg
says same.svg "<svg"
finish
