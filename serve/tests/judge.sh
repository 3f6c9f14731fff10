#!/usr/bin/env bash
# judge.sh - explain, test, curves, mistakes, drift, query: what the command says, over HTTP.
. "$(dirname "$0")/server.bash"
cp "$CREDENCE_SOURCE"/examples/data/*.csv .
credence train -m nb -p real=gaussian --calibrate none iris.csv -t species -o iris.model >/dev/null 2>&1
credence train -m nb tax.csv -t evade -o tax.model >/dev/null 2>&1
credence train -m linear houses.csv -t price -o houses.model >/dev/null 2>&1
credence convert census.csv --to joint -o census.model >/dev/null 2>&1
printf 'text,class\nbuy cheap pills now,spam\nmeet at lunch,ham\nsee you at lunch,ham\ncheap watches now,spam\n' >mail.csv
credence train -m nb mail.csv -t class --type text=text -o mail.model >/dev/null 2>&1
csv='Content-Type: text/csv'
start .

for what in '' '--work'; do
    credence explain --json $what tax.model tax.csv >want
    answers 200 "/models/tax/explain?${what#--}" -H "$csv" --data-binary @tax.csv
    same "explain $what" "$(cmp out want)" ""
done
credence explain --json --against versicolor iris.model iris.csv >want
answers 200 '/models/iris/explain?against=versicolor' -H "$csv" --data-binary @iris.csv
same "explain against a class" "$(cmp out want)" ""
credence explain --json houses.model houses.csv >want
answers 200 /models/houses/explain -H "$csv" --data-binary @houses.csv
same "explain a number" "$(cmp out want)" ""
answers 400 '/models/iris/explain?against=rosa' -d '{}'

timeless() { grep -v '"seconds"'; }
credence test --json iris.model iris.csv | timeless >want
answers 200 /models/iris/test -H "$csv" --data-binary @iris.csv
same "test" "$(timeless <out | cmp - want)" ""
credence test --json houses.model houses.csv | timeless >want
answers 200 /models/houses/test -H "$csv" --data-binary @houses.csv
same "test of numbers" "$(timeless <out | cmp - want)" ""
answers 409 /models/iris/test -H "$csv" --data-binary $'petal_width\n1\n'

# The area under the curve is that of the test.
answers 200 '/models/iris/curves?class=virginica' -H "$csv" --data-binary @iris.csv
near "area" "$(json roc_auc out)" 0.9932 # scikit-learn's roc_auc_score of these posteriors
answers 200 '/models/iris/mistakes?top=2' -H "$csv" --data-binary @iris.csv
says out '"found": 6, '
same "mistakes shown" "$(grep -c '"line"' out)" 2
says out '{"line": 108, "truth": "virginica", "prediction": "versicolor"'
answers 200 '/models/iris/mistakes?truth=setosa&decision=setosa&top=5' -H "$csv" --data-binary @iris.csv
says out '"found": 50, '

credence drift --json iris.model iris.csv >want
answers 200 /models/iris/drift -H "$csv" --data-binary @iris.csv
same "drift" "$(cmp out want)" ""

credence query --json census.model 'P(wealth | gender=female)' >want
answers 200 /models/census/query -d 'P(wealth | gender=female)'
same "query" "$(cmp out want)" ""
answers 200 /models/census/query -d '{"query": "P(wealth | gender=female)"}'
same "query as JSON" "$(cmp out want)" ""
answers 400 /models/census/query -d 'P(wealth'
says out '"column"'

# --- pictures and pages are the command's ---------------------------------------------------------
credence show --json iris.model | grep -v '"model":' >want
answers 200 /models/iris
same "show" "$(sed -n '/^  "show": {$/,$p' out | sed '1s/.*/{/' | sed '$d' | grep -v '"model":' | cmp - <(sed '$d' want))" ""
answers 200 /models/mail
same "all words" "$(grep -c '"log_share"' out)" 10
answers 200 '/models/mail?top=2'
same "the words that tell most" "$(grep '"log_share"' out | grep -o '"word": "[^"]*"' | sort | tr '\n' ' ')" \
    '"word": "at" "word": "cheap" "word": "lunch" "word": "now" '
answers 400 '/models/mail?top=none'
answers 200 '/models/iris?brief'
same "brief" "$(grep -c '"show"' out)" 0
credence plot densities iris.model -o want.svg >/dev/null 2>&1
answers 200 /models/iris/plot/densities.svg
same "densities" "$(cmp out want.svg)" ""
for kind in roc pr reliability confusion densities; do
    credence plot $kind iris.model iris.csv --class virginica --title T --width 300 -o want.svg >/dev/null 2>&1
    answers 200 "/models/iris/plot/$kind.svg?class=virginica&title=T&width=300" -H "$csv" --data-binary @iris.csv
    same "$kind" "$(cmp out want.svg)" ""
done
credence plot surface iris.model iris.csv -x petal_length -y petal_width --at sepal_width=3 --title T -o want.svg >/dev/null 2>&1
answers 200 '/models/iris/plot/surface.svg?x=petal_length&y=petal_width&at=sepal_width=3&title=T' -H "$csv" --data-binary @iris.csv
same "surface" "$(cmp out want.svg)" ""
credence plot surface iris.model iris.csv -x petal_length -y petal_width --margins --title T -o want.svg >/dev/null 2>&1
answers 200 '/models/iris/plot/surface.svg?x=petal_length&y=petal_width&margins&title=T' -H "$csv" --data-binary @iris.csv
same "densities along the axes" "$(cmp out want.svg)" ""
answers 400 '/models/iris/plot/surface.svg?x=petals'
answers 200 '/models/iris/plot/means.svg?size=2x2'
answers 400 '/models/iris/plot/means.svg?size=2'
answers 404 /models/iris/plot/rocc.svg
says out 'did you mean roc.svg?'
answers 400 /models/iris/plot/words.svg
answers 409 '/models/iris/plot/roc.svg' -H "$csv" --data-binary $'species\nsetosa\n'
answers 400 /models/iris/plot/roc.svg
says out 'labelled rows'
answers 400 '/models/iris/plot/densities.svg?width=1'
answers 400 '/models/iris/plot/densities.svg?bins=many'
cp iris.model iris
credence report iris iris.csv -o want.html >/dev/null 2>&1
answers 200 '/models/iris/report?filename=iris.csv' -H "$csv" --data-binary @iris.csv
same "report" "$(cmp out want.html)" ""
rm iris
answers 200 /models/iris/report
says out '<title>iris</title>'
says out 'What tells the classes apart'
answers 200 /models/houses/report
says out '<h3>Weights</h3>'
answers 400 /models/census/report
answers 400 '/models/iris/report?mistakes=x'
curl -s -o /dev/null -D head "$url/models/iris/plot/densities.svg"
says head "sandbox"

# --- models made here -----------------------------------------------------------------------------
answers 200 '/columns?target=evade' -H "$csv" --data-binary @tax.csv
says out '{"name": "income", "kind": "real", "role": "feature", "why": "all values are numbers"'
answers 200 '/train?name=taxes&target=evade&learner=nb:smoothing=none&job=j' -H "$csv" --data-binary @tax.csv
credence train -m nb -p smoothing=none tax.csv -t evade -o want.model >/dev/null 2>&1
answers 200 /models/taxes/file
same "the model that was trained" "$(cmp out want.model)" ""
# what a person gets who says nothing is what the command gives: the same bytes
trained() { # NAME [ARGUMENTS OF credence train] - of what out says was made
    answers 200 "/models/$1/file"
    cp out made.model
    credence train -q iris.csv -t species -o want.made "${@:2}" >/dev/null
    same "the model $1" "$(cmp made.model want.made)" ""
    rm made.model want.made
}
answers 200 '/train?name=chosen&target=species' -H "$csv" --data-binary @iris.csv
says out '"learner": "gda"'
says out '"name": "gda:covariance=shared"'
says out '"weight": 1, "exact": false, "chosen": true'
trained chosen
answers 200 '/train?name=counted&target=species&learner=nb' -H "$csv" --data-binary @iris.csv
says out '"calibration": {"method": "temperature", "why": null, "rows": 150'
trained counted -m nb
answers 200 '/train?name=knobs&target=species&param=alpha=2' -H "$csv" --data-binary @iris.csv
trained knobs -p alpha=2
answers 200 '/train?name=bare&target=species&learner=nb&calibrate=none' -H "$csv" --data-binary @iris.csv
says out '"calibration": {"method": "none"'
trained bare -m nb --calibrate none
answers 200 '/train?name=folds&target=species&learner=logistic&calibrate=platt' -H "$csv" --data-binary @iris.csv
trained folds -m logistic --calibrate platt
answers 400 '/train?name=bad&target=species&calibrate=magic' -H "$csv" --data-binary @iris.csv
(echo x,class; printf '%s,a\n' 1 2 3) >one.csv
answers 200 '/train?name=one' -H "$csv" --data-binary @one.csv
says out '"learner": "nb"'
answers 200 /train/j
says out '"running": false'
answers 200 '/train?name=curved&target=evade&learner=logistic&basis=income^2' -H "$csv" --data-binary @tax.csv
answers 200 /models/curved
says out 'income^2'
answers 404 /train/k
answers 409 '/train?name=iris' -H "$csv" --data-binary @tax.csv
answers 400 '/train?name=../iris' -H "$csv" --data-binary @tax.csv
answers 400 '/train?learner=magic' -H "$csv" --data-binary @tax.csv
answers 200 /learners
says out '"name": "nb"'
same "nothing is stored" "$(ls *.model | wc -l)" 6
stop
finish
