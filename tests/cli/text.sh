#!/usr/bin/env bash
# text.sh - texts: what a model knows about them, and why it decided, down to the words.
. "$(dirname "$0")/lib.bash"
export COLUMNS=80

# --- the lecture's five sentences -------------------------------------------------------------
# 14 words; 11 in Sports, 9 in Not sports; (n_k + 1)/(n + |V|); 2.7648e-5 against 5.7175e-6.
expect 0 credence train -m nb "$data/sports.csv" --type text=text -o sports.model
says out "text    text          0  14 words   given"
expect 0 credence train -m nb "$data/sports.csv" --type text=text -o sports.model --csv
says out "text,text,0,,,14,given"
expect 0 credence train -m nb "$data/sports.csv" --type text=text -o sports.model --json
says out '{"name": "text", "kind": "text", "why": "given", "missing": 0, "words": 14}'
printf 'text\nA very close game\n' >close.csv
expect 0 credence explain --work sports.model close.csv
cat >board <<'END'
Line 2: text of 4 known words

Not sports
  P(Not sports)                     = 2/5 = 0.4
  P(game | Not sports)              = (0 + 1)/(9 + 14) = 1/23 = 0.04348
  P(very | Not sports)              = (0 + 1)/(9 + 14) = 1/23 = 0.04348
  P(close | Not sports)             = (1 + 1)/(9 + 14) = 2/23 = 0.08696
  P(a | Not sports)                 = (1 + 1)/(9 + 14) = 2/23 = 0.08696
  P(row | Not sports)               = 1/23 × 1/23 × 2/23 × 2/23 = 1.4294e-05
  P(row | Not sports) P(Not sports) = 1.4294e-05 × 0.4 = 5.7175e-06

Sports
  P(Sports)                 = 3/5 = 0.6
  P(game | Sports)          = (2 + 1)/(11 + 14) = 3/25 = 0.12
  P(very | Sports)          = (1 + 1)/(11 + 14) = 2/25 = 0.08
  P(close | Sports)         = (0 + 1)/(11 + 14) = 1/25 = 0.04
  P(a | Sports)             = (2 + 1)/(11 + 14) = 3/25 = 0.12
  P(row | Sports)           = 3/25 × 2/25 × 1/25 × 3/25 = 4.608e-05
  P(row | Sports) P(Sports) = 4.608e-05 × 0.6 = 2.7648e-05

Together
  P(row) = 5.7175e-06 + 2.7648e-05 = 3.3366e-05
  P(Not sports | row) = 5.7175e-06 / 3.3366e-05 = 0.1714
  P(Sports | row)     = 2.7648e-05 / 3.3366e-05 = 0.8286

Decision: Sports, the most probable class, 82.86 %.
END
# The order of the words is the model's.
same "the blackboard" "$(sort out)" "$(sort board)"

# --- before smoothing every class is impossible ----------------------------------------------------
# game never occurs in Not sports, close never in Sports; an unknown word is skipped.
printf 'text\nA very close game\nnothing\na great game\n' >three.csv
for knob in smoothing=none alpha=0; do
    expect 0 credence train -q -m nb "$data/sports.csv" --type text=text -p $knob -o plain.model
    expect 0 credence predict --proba plain.model three.csv
    same "nothing is decided with $knob" "$(sed -n 2p out)" "?,,"
    same "priors where no word is known" "$(sed -n 3p out)" "Sports,0.4,0.6"
    same "a text that one class allows" "$(sed -n 4p out)" "Sports,0,1"
    expect 0 credence explain --work --row 1 plain.model three.csv
    says out "P(game | Not sports)              = 0/9 = 0"
    says out "P(close | Sports)         = 0/11 = 0"
    says out "Sports: the word 'close' is impossible"
done

# --- the words that decided -------------------------------------------------------------------
expect 0 credence explain sports.model close.csv
says out "text          4 words  3.22 : 1    +1.171"
says out "text, word by word"
same "the strongest word first" "$(sed -n '/^word /,$p' out | awk 'NR > 1 { print $1 }' | head -4)" \
    $'game\nclose\nvery\na'
says out "close         1      1 : 2.17    -0.777"
expect 0 credence explain --top 2 sports.model close.csv
says out "2 weaker ones"
printf 'text\nnothing like it\n' >strange.csv
expect 0 credence explain sports.model strange.csv
says out "text          1 word"
# The words and the common part of all texts add up to the text, texts and prior to the total.
for event in multinomial boolean bernoulli complement weighted-complement; do
    credence refit -q sports.model -p event=$event -o event.model
    expect 0 credence explain --csv event.model close.csv
    awk -F , '$13 == "" { whole[$4] += $5 } END { for (c in whole) print c, whole[c] }' out | sort >sums
    credence explain --json event.model close.csv >out.json
    for class in "Not sports" Sports; do
        near "score of $class, $event" "$(sed -n "s/^$class //p" sums)" \
            "$(sed 's/.*"score": {\([^}]*\)}.*/\1/' out.json | tr ',' '\n' |
                sed -n "s/^ *\"$class\": //p")" 1e-5
    done
    expect 0 credence explain --work event.model close.csv
    ! grep -q nan out || fail "nan on the blackboard of $event"
done
expect 0 credence explain --json sports.model close.csv
says out '"words": [{"word": "game", "times": 1, "weight": 1, "log_odds": 1.015'
says out '"value": null'

# --- show -------------------------------------------------------------------------------------
expect 0 credence show sports.model
says out "text  text, 14 words; the most telling"
says out "  election      +1.182     2/2  game           +1.015     2/2"
! grep -q "What tells" out || fail "a ranking of one text"
expect 0 credence show --class Sports --top 2 sports.model
says out "  game      2/2       2/2    +1.015"
same "words shown" "$(sed -n '/^  word/,$p' out | wc -l)" 3
expect 0 credence show --csv sports.model
# P(game | Sports) = 3/25, in 2 of the texts.
same "a word" "$(grep '^text,,game,Sports' out | cut -d , -f 5,9)" 2,2
near "P(game | Sports)" "$(grep '^text,,game,Sports' out | cut -d , -f 6)" 0.12
expect 0 credence show --json sports.model
says out '"word": "election", "log_odds": 1.1819938976071'
says out '"word": "a", "terms": [1, 2], "documents": [1, 2]'

# --- the textbook's four documents ------------------------------------------------------------
# Manning, Raghavan, Schütze, "Introduction to Information Retrieval", examples 13.1 and 13.2:
# multinomial 0.0003 against 0.0001, Bernoulli 0.005 against 0.022.
printf 'text,china\nChinese Beijing Chinese,yes\nChinese Chinese Shanghai,yes\n' >china.csv
printf 'Chinese Macao,yes\nTokyo Japan Chinese,no\n' >>china.csv
printf 'text\nChinese Chinese Chinese Tokyo Japan\n' >tokyo.csv
expect 0 credence train -m nb china.csv --type text=text -o china.model
expect 0 credence explain --work china.model tokyo.csv
says out "P(chinese | yes)^3  = ((5 + 1)/(8 + 6))^3 = (6/14)^3 = 0.07872"
says out "P(tokyo | yes)      = (0 + 1)/(8 + 6) = 1/14 = 0.07143"
says out "P(chinese | no)^3 = ((1 + 1)/(3 + 6))^3 = (2/9)^3 = 0.01097"
says out "P(row | yes) P(yes) = 0.0004016 × 0.75 = 0.0003012"
says out "P(row | no) P(no) = 0.0005419 × 0.25 = 0.0001355"
expect 0 credence refit china.model -p event=bernoulli -o bernoulli.model
expect 0 credence explain --work bernoulli.model tokyo.csv
says out "P(row | yes) P(yes)       = 0.006912 × 0.75 = 0.005184"
says out "P(row | no) P(no)        = 0.08779 × 0.25 = 0.02195"
says out "P(tokyo | no) : P(not)   = (1 + 1)/(0 + 1) = 2/1 = 2"

# --- a text beside a number, and a text that is missing ---------------------------------------
printf 'size,text,c\n1,"short and bad",x\n9,"long and good",y\n2,,x\n8,"good, good",y\n' >mixed.csv
expect 0 credence train -m nb mixed.csv --type text=text -o mixed.model
says out "text    text          1"
expect 0 credence show mixed.model
says out "What tells the classes apart"
expect 0 credence explain --row 3 mixed.model mixed.csv
says out "Left out: text (missing)"
expect 0 credence explain --work --row 4 mixed.model mixed.csv
says out "p(size=8 | y)"
says out "P(good | y)^2"
# A long text: the strongest words are written out, the rest is summed.
{ echo text,c; seq -s ' ' 100 160 | sed 's/[0-9]*/w&/g; s/$/,x/'; echo good,y; } >long.csv
credence train -m nb -q long.csv --type text=text -o long.model
expect 0 credence explain --work --row 1 long.model long.csv
says out "21 weaker words"
says out "= product of the 41 numbers above"
# --- words that tell little, and long texts ---------------------------------------------------
cp "$CREDENCE_SOURCE/tests/reference/posts.csv" "$CREDENCE_SOURCE/tests/reference/posts-new.csv" .
cut -d , -f 1,2 posts.csv >plain.csv
credence train -m nb -q plain.csv --type text=text -o plain.model
odds() { # MODEL ROW: log-odds of chess against kitchen, without the prior
    credence predict -q --proba --csv "$1" posts-new.csv |
        awk -F , -v r="$2" 'NR == r + 1 { print log($2) - log($3) }'
}
credence refit -q plain.model -p prior=uniform -o uniform.model
credence refit -q uniform.model -p select=odds:50 -o nothing.model
near "no word has such odds" "$(odds nothing.model 1)" 0
# The words of the first text; its length is known: half the length is half the evidence.
words=$(sed -n 2p posts-new.csv | wc -w)
credence refit -q uniform.model -p text-length=$((words * 2)) -o longer.model
near "a shorter text counts as it is" "$(odds longer.model 1)" "$(odds uniform.model 1)"
credence refit -q uniform.model -p text-length=1 -o one.model
near "a text counts like one word" "$(odds one.model 1)" \
    "$(awk -v x="$(odds uniform.model 1)" -v n="$words" 'BEGIN { print x / n }')" 1e-4
expect 2 credence refit plain.model -p event=bernoulli -p select=odds:2 -o x.model
says err "does not go with event=bernoulli"

# --- the text itself, coloured, on a terminal only --------------------------------------------
printf 'text\n"Rook takes pawn, \033[31mthen butter"\n' >told.csv
expect 0 credence explain --color always plain.model told.csv
! grep -q 'takes' out || fail "the text is shown where there is no terminal"
if type -P script >/dev/null; then
    TERM=xterm script -qec "$CREDENCE_BIN explain plain.model told.csv" /dev/null </dev/null >screen
    grep -q "$(printf '\033\\[[0-9;]*mRook\033\\[0m takes ')" screen ||
        fail "a terminal does not show the text in colours: $(cat -v screen)"
    grep -q "$(printf '\033\\[[0-9;]*mbutter\033')" screen || fail "butter has no colour"
    ! grep -q "$(printf '\033\\[31mthen')" screen || fail "a sequence in the text got through"
fi

# --- a limit of memory: rare words go, and it is said ------------------------------------------
awk 'BEGIN { for (i = 0; i < 4000; i++) { printf "__label__%s common", i % 2 ? "a" : "b"
    for (j = 0; j < 10; j++) printf " rare%dx%d", i, j
    print " often" i % 50 } }' >many.txt
expect 0 credence train -m nb many.txt --threads 1 --memory 4M -o small.model
says err "rare words were dropped to keep within the memory limit, none seen more than 1 times"
cp small.model first.model
credence train -m nb -q many.txt --threads 1 --memory 4M -o small.model
cmp -s small.model first.model || fail "one thread prunes differently the second time"
credence train -m nb -q many.txt -o whole.model
[ "$(wc -c <small.model)" -lt $(($(wc -c <whole.model) / 2)) ] || fail "little was dropped"
expect 0 credence train -m nb -q many.txt --threads 1 --memory 1G -o large.model
cmp -s large.model whole.model || fail "a limit that is not reached changes the model"

# --- how sure the probability of a text itself is ----------------------------------------------
credence train -m nb -q "$CREDENCE_SOURCE/examples/data/messages.csv" -o sure.model
printf 'text\nplease send money\nzebras yodel\n' >short.csv
expect 0 credence predict --proba --interval 90 sure.model short.csv
# No word was ever seen: P(ham) is Beta(9, 7) of 8 and 6 messages. Its distribution at x is that of
# nine or more successes of fifteen with x each, here solved for .05 by bisection.
near "lower end" "$(cell out low 2)" 0.35956521021765386 1e-10
awk -F, 'NR == 2 && !($4 < $2 && $2 < $5 && $5 - $4 > .1) { exit 1 }' out ||
    fail "three words of fourteen messages leave much open: $(cat out)"
credence train -m nb -p event=bernoulli -q "$CREDENCE_SOURCE/examples/data/messages.csv" -o sure.model
expect 2 credence predict --interval 90 sure.model short.csv
says err "with event=bernoulli is not known: 'text' has no interval"

finish
