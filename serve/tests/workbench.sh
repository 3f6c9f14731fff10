#!/usr/bin/env bash
# workbench.sh - the workbench in a browser, used as a person would: every room shows what the server
# computes, and the console has no error.
. "$(dirname "$0")/server.bash"
type -P chromium >/dev/null || { echo "skipped: there is no chromium" >&2; exit 77; }
cp "$CREDENCE_SOURCE"/examples/data/* .
credence convert alarm.net -o alarm.model >/dev/null 2>&1
credence convert census.csv --to joint -o census.model >/dev/null 2>&1
credence train -m nb iris.csv -t species -o iris.model >/dev/null 2>&1
credence train -m nb tax.csv -t evade -o tax.model >/dev/null 2>&1
credence train -m nb messages.csv -o messages.model >/dev/null 2>&1
credence train -m linear houses.csv -t price -o houses.model >/dev/null 2>&1
start --learn .

# --- the browser, by its DevTools protocol over two pipes: JSON with a NUL behind it --------------
browser= session= number=0
mkfifo orders answers
chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --remote-debugging-pipe \
    --user-data-dir="$PWD/browser" --window-size=1200,900 3<orders 4>answers 2>browser.err &
browser=$!
exec 7>orders 8<answers
trap 'kill "$browser" 2>/dev/null; wait "$browser" 2>/dev/null; stop KILL; rm -rf "$folder"' EXIT

# The answer is in $answer; what the console says meanwhile is in file console.
order() { # METHOD PARAMETERS
    number=$((number + 1))
    printf '{"id": %d, %s"method": "%s", "params": %s}\0' "$number" \
        "${session:+\"sessionId\": \"$session\", }" "$1" "$2" >&7
    while IFS= read -r -d '' -t 20 answer <&8; do
        case $answer in
        '{"id":'$number,*) return ;;
        *'"level":"error"'* | *Runtime.exceptionThrown* | *'"type":"error"'*)
            printf '%s\n' "$answer" >>console ;;
        esac
    done
    fail "the browser does not answer $1: $(tail -n 3 browser.err)"
    finish
}

field() { sed -n "s/.*\"$1\":\"\([^\"]*\)\".*/\1/p" <<<"$answer"; } # NAME
quoted() { sed 's/[\\"]/\\&/g' <<<"$1" | awk 'NR > 1 { printf "\\n" } { printf "%s", $0 }'; }

# The expression must become true within some seconds.
holds() { # EXPRESSION
    checks=$((checks + 1))
    order Runtime.evaluate '{"awaitPromise": true, "expression": "new Promise((done) => {
        const end = Date.now() + 8000, text = () => document.querySelector(\"main\").innerText;
        const all = (s) => [...document.querySelectorAll(s)];
        (function look() { let is = false; try { is = '"$(quoted "$1" | sed 's/\\n/ /g')"'; } catch { }
            if (is || Date.now() > end) done(Boolean(is)); else setTimeout(look, 20); })(); })"}'
    case $answer in
    *'"value":true'*) ;;
    *) fail "not so: $1: $(order Runtime.evaluate '{"expression":
        "document.querySelector(\"main\").innerText.slice(0, 600)"}' && echo "$answer")" ;;
    esac
}
shows() { holds "text().includes($(printf "'%s'" "$1"))"; } # TEXT
does() { # STATEMENT
    order Runtime.evaluate "{\"expression\": \"$(quoted "$1")\"}"
}

# A room must show no error and leave none in the console.
visit() { # ADDRESS
    leave
    room=$1
    does "location.hash = '#$1'"
}
leave() {
    holds "all('[role=alert]').length === 0 && !text().includes('[object ')"
    [ ! -s console ] || fail "the console at #$room: $(head -n 3 console)"
    : >console
}

order Target.createTarget '{"url": "about:blank"}'
order Target.attachToTarget "{\"targetId\": \"$(field targetId)\", \"flatten\": true}"
session=$(field sessionId)
order Runtime.enable '{}'
order Log.enable '{}'
order Page.enable '{}'
order Page.navigate "{\"url\": \"$url/\"}"
room=models

# --- the files of the page ------------------------------------------------------------------------
weight=0
for file in "" style.css icon.svg $(cd "$CREDENCE_SOURCE/serve/web" && find . -name '*.js' | cut -c3-); do
    curl -sf -o out "$url/$file" || fail "there is no /$file"
    weight=$((weight + $(wc -c <out)))
done
[ "$weight" -lt 200000 ] || fail "the page weighs $weight bytes"
same "addresses of other servers" "$(cd "$CREDENCE_SOURCE/serve/web" &&
    grep -rnE 'https?://' . | grep -v 'http://www.w3.org/2000/svg')" ""

# --- models ---------------------------------------------------------------------------------------
holds "all('article').length === 6"
shows 'learned from 150 rows with 4 features; says species.'
shows 'Most telling features'
visit models/iris
holds "all('img').length === 2 && all('img').every((i) => i.naturalWidth > 100)"

# --- ask: by hand, P(no | refund=no, income=90) of the ten rows, as explain --work says it --------
visit 'ask/tax?refund=no&income=90'
shows 'no, 59.71 %'
shows 'Why no rather than yes'
holds "all('water-fall svg')[0].getAttribute('aria-label') ===
    'prior +0.85; refund = no −0.36; income = 90 −0.09; log-odds: 0.3933'"
shows '= (4 + 1)/(7 + 2) = 5/9 = 0.5556'
# Emptied: missing. P(no | income=90), and the address follows.
does "{ const s = document.querySelector('select'); s.value = '';
    s.dispatchEvent(new Event('change')); }"
shows 'no, 68.09 %'
holds "location.hash === '#ask/tax?income=90'"
does "{ const r = document.querySelector('input[type=range]'); r.value = 60;
    r.dispatchEvent(new Event('input')); }"
holds "document.querySelector('input[type=number]').value === '60' && text().includes('income=60')"
visit 'ask/messages?text=Free+lunch'
holds "all('mark.for').map((m) => m.innerText).join() === 'Free'"
holds "all('mark.against').map((m) => m.innerText).join() === 'lunch'"
visit 'ask/houses?size=5'
shows 'price = '
visit 'ask/census?q=P(wealth=rich|gender=female)'
shows '10.93' # (0.0245895 + 0.0116293) / 0.3315178

# --- networks: Russell and Norvig, P(burglary | both call) = 0.284 --------------------------------
visit networks/alarm
holds "all('.belief button').length === 10"
does "document.querySelector('[data-state=\"J=j\"]').click()"
holds "document.querySelector('[data-state=\"J=j\"]').ariaPressed === 'true'"
does "document.querySelector('[data-state=\"M=m\"]').click()"
shows '28.42 %'

# --- judge ----------------------------------------------------------------------------------------
visit judge/iris
shows 'Drop a file whose rows have species, or choose one'
does "document.querySelector('details').open = true;
    document.querySelector('textarea').value = '$(awk '{ printf "%s\\n", $0 }' iris.csv)';
    document.querySelector('details button').click()"
shows 'accuracy'
holds "all('td.cell').map((c) => c.innerText).join() === '50,0,0,0,48,2,0,4,46'"
shows 'The surest mistakes: 6'
holds "all('img').length === 3 && all('img').every((i) => i.naturalWidth > 100)"
does "all = document.querySelectorAll('td.cell button'); all[5].click()"
shows 'versicolor, decided virginica: 2'

# --- teach: beside the 10 rows of tax, one more for yes: P(yes) is 4/11, then 3/10 again -----------
visit teach/tax
shows 'no, 70.00 %'
shows 'There is none yet.'
does "{ const s = [...document.querySelectorAll('select')].pop(); s.value = 'yes';
    s.dispatchEvent(new Event('change')); document.querySelector('form button').click(); }"
shows 'Lesson 1 is learned.'
shows 'no, 63.64 %'
does "document.querySelector('[aria-label=\"Undo lesson 1\"]').click()"
shows 'undoes 1'
shows 'no, 70.00 %'

# --- train ----------------------------------------------------------------------------------------
visit train
shows 'Drop a table or an archive of folders, or choose one'
does "document.querySelector('textarea').value = '$(awk '{ printf "%s\\n", $0 }' tax.csv)';
    document.querySelector('details button').click()"
shows 'rows.csv: 10 rows'
does "{ const [target, learner] = document.querySelectorAll('select'); learner.value = 'tree';
    learner.dispatchEvent(new Event('change'));
    document.querySelector('form input').value = 'taxes'; document.querySelector('form button').click(); }"
shows 'taxes has learned 10 rows with tree'
visit 'ask/taxes?income=90'
shows ' %'

# --- lectures -------------------------------------------------------------------------------------
visit lectures/coin
shows 'Beta(9, 5)'
does "[...document.querySelectorAll('button')].find((b) => b.innerText === 'Heads').click()"
shows 'Beta(10, 5)'
visit lectures/hypotheses
shows '20.85 %' # Mitchell, Machine Learning, 6.2.1: 0.0078 / (0.0078 + 0.0298)
visit lectures/joint
shows '21.61 %' # 0.0116293 / (0.0421768 + 0.0116293)
visit lectures/tax
shows 'P(marital=married | no)'
visit lectures/game
shows 'Why Sports rather than Not sports'
visit lectures/gaussians
shows 'p(mistake) = 11.19 %' # scipy's quad of the smaller density: 0.111908
visit lectures/surfaces
holds "all('surface-plot rect').length === 4 * 40 * 30"
visit lectures/curves
shows 'logistic regression'
visit lectures/lengths
shows 'Shortest: '

# --- a phone: nothing is wider than the page ------------------------------------------------------
order Emulation.setDeviceMetricsOverride \
    '{"width": 360, "height": 740, "deviceScaleFactor": 1, "mobile": true}'
for address in models ask/iris networks/alarm judge/iris lectures/coin lectures/gaussians; do
    visit "$address"
    holds "all('main svg, main input').length > 0 &&
        document.documentElement.scrollWidth <= innerWidth"
done
leave
exec 7>&- 8<&-
stop
finish
