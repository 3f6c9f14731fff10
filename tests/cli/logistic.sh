#!/usr/bin/env bash
# logistic.sh - logistic regression through the command line: R's glm, bad input, conversions.
. "$(dirname "$0")/lib.bash"
iris=$CREDENCE_SOURCE/examples/data/iris.csv

weight() { # MODEL FEATURE VALUE CLASS COLUMN
    credence show --all --csv "$1" | awk -F, -v f="$2" -v v="$3" -v c="$4" -v n="$5" \
        '$1 == f && $2 == v && $3 == c {print $n}'
}

# --- the figures of R's glm: tests/reference/logistic-glm.csv ---------------------------------------
glm=$CREDENCE_SOURCE/tests/reference/logistic-glm.csv
mle=(-m logistic -p prior=none -p coding=reference -p epsilon=1e-12)

same_as_glm() { # CASE MODEL CLASS
    while IFS=, read -r case feature wanted error; do
        [ "$case" = "$1" ] || continue
        local name=$feature value=
        case $feature in
        '(Intercept)') name='(intercept)' ;;
        sex*) name=sex value=${feature#sex} ;;
        race*) name=race value=${feature#race} ;;
        esac
        near "$1 $feature" "$(weight "$2" "$name" "$value" "$3" 4)" "$wanted" 1e-6
        near "$1 error of $feature" "$(weight "$2" "$name" "$value" "$3" 5)" "$error" 1e-5
    done <"$glm"
}

if [ -n "${CREDENCE_DATA:-}" ]; then
    (echo pregnant,glucose,pressure,skin,insulin,bmi,pedigree,age,class
     cat "$CREDENCE_DATA/table/uci/pima-indians-diabetes.data") >pima.csv
    expect 0 credence train -m nb pima.csv "${mle[@]}" --type pregnant=real -o pima.model
    same_as_glm pima pima.model 1
    (echo sepal_length,sepal_width,petal_length,petal_width,class
     grep -v setosa "$CREDENCE_DATA/table/uci/iris.data" | grep .) >two.csv
    expect 0 credence train -m nb two.csv "${mle[@]}" -o two.model
    same_as_glm iris two.model Iris-virginica
    (echo age,hours,education,sex,race,class
     awk -F ', *' -v OFS=, 'NF == 15 {print $1, $13, $5, $10, $9, $15}' \
         "$CREDENCE_DATA/table/adult/adult.data") >adult.csv
    expect 0 credence train -m nb adult.csv "${mle[@]}" -o adult.model
    same_as_glm adult adult.model '>50K'
else
    echo "skipped: the figures of glm, because CREDENCE_DATA is not set"
fi

# --- what is told ------------------------------------------------------------------------------------
expect 0 credence train "$iris" -m logistic -o iris.model
says out "converged"
expect 0 credence show iris.model
says out "Weights of virginica"
says out "95 % from"
expect 0 credence show --json iris.model
says out '"solver": "newton"'
expect 0 credence train "$iris" -m logistic -p solver=gradient -p trace=yes -p iterations=30 -o g.model
expect 0 credence show g.model
says out "ln P(classes | rows) at each step"
says out "-164.8" # 150 ln 3: all weights are 0 at the start
expect 0 credence explain iris.model "$iris" --rows 1
says out "intercept"
expect 0 credence train "$iris" -m logistic -p solver=sgd -p passes=50 -o sgd.model
expect 0 credence test sgd.model "$iris"

# --- not converged: a note, or status 1 ----------------------------------------------------------------
expect 0 credence train "$iris" -m logistic -p solver=lbfgs -p iterations=2 -o few.model
says err "have not converged after 2 steps"
expect 1 credence train --strict "$iris" -m logistic -p solver=lbfgs -p iterations=2 -o few.model
says err "have not converged"

# --- bad input -------------------------------------------------------------------------------------------
printf 'a,b,c,y\n1,2,5,p\n2,4,5,q\n3,6,5,p\n4,8,5,q\n5,10,5,q\n2,4,5,p\n' >collinear.csv
expect 0 credence train collinear.csv --type a=real --type b=real --type c=real -m logistic -o c.model
near "a constant column has no weight" "$(weight c.model c '' q 4)" 0
expect 0 credence train collinear.csv --type a=real --type b=real --type c=real -m logistic \
    -p prior=none -o c.model
expect 0 credence predict c.model collinear.csv
printf 'a,b,y\n1,,p\n2,,q\n3,,p\n2,,q\n' >empty.csv
expect 0 credence train empty.csv --type a=real --type b=real -m logistic -o e.model
expect 0 credence predict -P e.model empty.csv
printf 'a,y\n1,p\n2,p\n' >one.csv
expect 0 credence train one.csv --type a=real -m logistic -o one.model
says err "there is one class only"
expect 0 credence predict -P one.model one.csv
same "one class" "$(cell out 'p(p)' 1)" 1
awk 'BEGIN {
    for (j = 1; j <= 30; j++) printf "x%d,", j
    print "y"
    for (i = 0; i < 8; i++) {
        for (j = 1; j <= 30; j++) printf "%d,", (i * j * 7 + j * j) % 11
        print i % 2 ? "p" : "q"
    }
}' >wide.csv
wide=()
for j in $(seq 30); do wide+=(--type "x$j=real"); done
expect 0 credence train wide.csv "${wide[@]}" -m logistic -o wide.model
expect 0 credence train wide.csv "${wide[@]}" -m logistic -p prior=none -o wide.model
says err "can be parted by a hyperplane"
printf 'a,y\n1,p\ninf,q\n' >inf.csv
expect 1 credence train inf.csv --type a=real -m logistic
printf 'a,y\n1,p\nnan,q\n3,q\n2,p\n' >nan.csv
expect 0 credence train nan.csv --type a=real --missing nan -m logistic -o nan.model
expect 2 credence train "$iris" -m logistic -p prior=laplace -p solver=newton
says err "prior=laplace goes with solver=lbfgs"
expect 2 credence train "$iris" -m logistic -p class-weight=rose:2
says err "which is not a class"

# Gradients of rare words are small from the start (here 4e-5 a row); this is not convergence.
awk 'BEGIN {
    print "text,class"
    for (r = 0; r < 2; r++)
        for (i = 0; i < 12000; i++)
            print "rare" i " word," (i % 2 ? "odd" : "even")
}' >rare.csv
expect 0 credence train -q rare.csv --type text=text -m logistic -p lambda=.001 -p epsilon=1e-4 \
    -o rare.model
credence test rare.model rare.csv --json >rare.json
same "log loss of rare words" \
    "$(json log_loss rare.json | awk '{print ($1 < 0.01 ? "small" : "large")}')" small

# --- as the lectures have it ------------------------------------------------------------------------------
# Of R classes R - 1 have weights: an intercept and four measures for each of two species.
expect 0 credence train -q -m logistic -p prior=none "$iris" -o iris-mle.model
same "R - 1 sets of weights" "$(credence show --json iris-mle.model | sed -n 's/^  "parameters": \(.*\),$/\1/p')" 10
# Maximum entropy: where the likelihood is greatest, its gradient sum x (y - p) is zero, so that the
# sum of each feature that the model expects in a class is the sum that was seen there.
people=$CREDENCE_SOURCE/examples/data/people.csv
expect 0 credence train -q "${mle[@]}" "$people" -o people.model
expect 0 credence predict --proba --keep=height,weight,person people.model "$people"
for column in 1 2; do
    near "expected and seen" "$(awk -F, -v c=$column 'NR > 1 { s += $c * $5 } END { printf "%.12g", s }' out)" \
        "$(awk -F, -v c=$column 'NR > 1 && $3 == "adult" { s += $c } END { printf "%.12g", s }' out)" 1e-6
done

# --- the bridge -------------------------------------------------------------------------------------------
expect 0 credence train -m nb "$iris" -o nb.model
expect 0 credence convert nb.model --to logistic -o weights.model
credence predict -P nb.model "$iris" >nb.csv
credence predict -P weights.model "$iris" >weights.csv
same "posteriors" "$(paste -d, nb.csv weights.csv | awk -F, 'NR > 1 {
    for (i = 2; i <= 4; i++) { d = $i - $(i + 4); if (d < 0) d = -d; if (d > 1e-12) bad++ }
} END {print bad + 0}')" 0
expect 0 credence refit nb.model -p variance=class-feature -o own.model
expect 1 credence convert own.model --to logistic
says err "the classes have different variances"
expect 1 credence unlearn iris.model "$iris"
says err "cannot forget"
expect 1 credence merge iris.model iris.model -o merged.model

# --- a class that is declared and has no row ----------------------------------------------------------
# Averaging over the weights must not make it probable: the log loss is that of a table without it.
table() { # CLASSES
    printf '@relation r\n@attribute x numeric\n@attribute y numeric\n@attribute c {%s}\n@data\n' "$1"
    awk 'BEGIN { for (i = 0; i < 150; i++) { k = i % 3
        printf "%.3f,%.3f,%s\n", i * 37 % 101 / 50 + k, i * 53 % 97 / 48 - k, substr("abc", k + 1, 1) } }'
}
table a,b,c >three.arff
table a,b,c,d >four.arff
for knobs in moderate=yes:lambda=1:calibrate=none moderate=yes:form=reference:lambda=1:calibrate=none; do
    expect 0 credence cv -m logistic:$knobs three.arff --json
    want=$(json log_loss out)
    expect 0 credence cv -m logistic:$knobs four.arff --json
    near "log loss of $knobs" "$(json log_loss out)" "$want" 1e-4
    expect 0 credence cv -m logistic four.arff --json
    same "$knobs costs little" "$(awk -v a="$want" -v b="$(json log_loss out)" \
        'BEGIN { print (a < b + 0.1) }')" 1
done

# --- lambda=auto where classes are rare ------------------------------------------------------------
# 24 classes in a grid of squares, of 20, 2 and 1 rows: those of one row are never in the rows that
# judge a lambda and in those that are learned. They must not make the strongest prior look best.
awk 'function uniform() { x = x * 16807 % 2147483647; return x / 2147483647 }
    BEGIN { x = 4; print "a,b,s,class"
        for (k = 0; k < 24; k++) {
            n = k < 12 ? 20 : k < 18 ? 2 : 1
            for (i = 0; i < n; i++)
                printf "%.3f,%.3f,v%d,c%02d\n", k % 5 * 3 + uniform() * 2 - 1,
                    int(k / 5) * 3 + uniform() * 2 - 1, k % 3, k } }' >rare.csv
expect 0 credence cv -q -m logistic:lambda=1 --json rare.csv
one=$(json accuracy out)
expect 0 credence cv -q -m logistic:lambda=auto --json rare.csv
same "rare classes" "$(awk -v a="$(json accuracy out)" -v b="$one" \
    'BEGIN { print (a > b - 0.02 && a > 0.9) }')" 1

finish
