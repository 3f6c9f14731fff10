#!/usr/bin/env bash
# workbench.sh - the pages of the workbench in a browser: every room shows what the server computes.
. "$(dirname "$0")/server.bash"
type -P chromium >/dev/null || { echo "skipped: there is no chromium" >&2; exit 77; }
cp "$CREDENCE_SOURCE"/examples/data/* .
credence convert alarm.net -o alarm.model >/dev/null 2>&1
credence convert census.csv --to joint -o census.model >/dev/null 2>&1
credence train -m nb iris.csv -t species -o iris.model >/dev/null 2>&1
credence train -m nb tax.csv -t evade -o tax.model >/dev/null 2>&1
credence train -m nb messages.csv -o messages.model >/dev/null 2>&1
credence train -m linear houses.csv -t price -o houses.model >/dev/null 2>&1
start .

# The page as it is when all has been loaded is in file page; the console must have no error.
visit() { # ADDRESS
    checks=$((checks + 1))
    timeout 20 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$PWD/browser" --enable-logging=stderr --virtual-time-budget=3000 \
        --dump-dom "$url/#$1" >page 2>console
    grep CONSOLE console >said && fail "the console at #$1: $(head -n 3 said)"
    grep -qF '[object ' page && fail "an object for a text at #$1"
    grep -q 'role="alert"' page && fail "an error at #$1: $(grep -o 'role="alert">[^<]*' page)"
}

# --- the files of the page ------------------------------------------------------------------------
weight=0
for file in "" style.css icon.svg $(cd "$CREDENCE_SOURCE/serve/web" && find . -name '*.js' | cut -c3-); do
    curl -sf -o out "$url/$file" || fail "there is no /$file"
    weight=$((weight + $(wc -c <out)))
done
[ "$weight" -lt 200000 ] || fail "the page weighs $weight bytes"
same "addresses of other servers" "$(cd "$CREDENCE_SOURCE/serve/web" &&
    grep -rnE 'https?://' . | grep -v 'http://www.w3.org/2000/svg')" ""

# --- rooms ----------------------------------------------------------------------------------------
visit models
same "cards" "$(grep -o '<article' page | wc -l)" 6
says page 'learned from 150 rows with 4 features; says species.'
says page 'Most telling features'
visit models/iris
same "pictures" "$(grep -o '<img alt="[^"]*" src="blob:' page | wc -l)" 2

# By hand: P(no | refund=no, income=90) of the ten rows, as explain --work says it.
visit 'ask/tax?refund=no&income=90'
says page '<strong>no</strong>, 59.71 %'
says page 'Why no rather than yes'
says page 'aria-label="prior +0.85; refund = no −0.36; income = 90 −0.09; log-odds: 0.3933"'
says page '= (4 + 1)/(7 + 2) = 5/9 = 0.5556'
visit 'ask/messages?text=Free+lunch'
says page '<mark class="for" title="for the decision: 1.99">Free</mark>'
visit 'ask/houses?size=5'
says page 'price = <strong>'
visit 'ask/census?q=P(wealth=rich|gender=female)'
says page '10.93' # (0.0245895 + 0.0116293) / 0.3315178

# Russell and Norvig: P(burglary | both call) = 0.284
visit 'networks/alarm?J=j&M=m'
says page '28.42 %'
says page 'data-state="J=j" aria-pressed="true"'
visit judge/iris
says page 'Drop a file whose rows have species, or choose one'

# --- lectures -------------------------------------------------------------------------------------
visit lectures/coin
says page 'Beta(9, 5)'
visit lectures/hypotheses
says page '20.85 %' # Mitchell, Machine Learning, 6.2.1: 0.0078 / (0.0078 + 0.0298)
visit lectures/joint
says page '21.61 %' # 0.0116293 / (0.0421768 + 0.0116293)
visit lectures/tax
says page 'P(marital=married | no)'
visit lectures/game
says page '<strong>Sports</strong>'
visit lectures/gaussians
says page 'p(mistake) = <strong>11.19 %</strong>' # scipy: the integral of the smaller density
visit lectures/surfaces
same "surfaces" "$(grep -o '<surface-plot>' page | wc -l)" 4
visit lectures/curves
says page 'logistic regression'
visit lectures/lengths
says page 'Shortest: '
stop
finish
