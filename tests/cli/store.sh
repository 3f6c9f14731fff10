#!/usr/bin/env bash
# store.sh - stores at the command line, and their failures: kills, full disks, damage.
. "$(dirname "$0")/lib.bash"
cp "$data/sports.csv" "$data/tax.csv" .
message() { # words
    printf 'From: a@example.org\nSubject: %s\n\n%s\n' "$1" "$*"
}

answer() { # MODEL VERB...: what it says, without names and times
    local model=$1
    shift
    credence "$@" | sed "s/${model//./\\.}/MODEL/g; s/ in [0-9.]* [^ ]*s\\b//; /\"seconds\"/d"
}

# --- the same bytes as training --------------------------------------------------------------------

for table in sports tax; do
    types=
    [ $table = tax ] || types="--type text=text"
    head -4 $table.csv >first.csv
    (head -1 $table.csv; tail -n +5 $table.csv) >rest.csv
    # shellcheck disable=SC2086
    {
        expect 0 credence train -q -m nb $types $table.csv -o all.model
        expect 0 credence train -q -m nb $types first.csv -o first.model
        expect 0 credence train -q -m nb $types first.csv --store $table.store
    }
    expect 0 credence learn -q $table.store rest.csv --new-class
    expect 0 credence store export $table.store -o out.model
    expect 0 cmp out.model all.model
    expect 0 credence unlearn -q $table.store rest.csv
    expect 0 credence store export $table.store -o out.model
    expect 0 cmp out.model first.model
    expect 1 credence unlearn -q $table.store rest.csv
    expect 0 credence store export $table.store -o out.model
    expect 0 cmp out.model first.model
    expect 0 credence store import $table.store first.model
    expect 0 credence merge -q first.model first.model -o twice.model
    expect 0 credence store export $table.store -o out.model
    expect 0 cmp out.model twice.model
    expect 0 credence refit -q $table.store -p alpha=0.5
    expect 0 credence refit -q twice.model -p alpha=0.5
    expect 0 credence store export $table.store -o out.model
    expect 0 cmp out.model twice.model
    expect 0 credence predict $table.store $table.csv
    mv out live
    expect 0 credence predict twice.model $table.csv
    mv out file
    expect 0 cmp live file
    for verb in "test" "test --json" "explain" "explain --json" "predict --proba" "predict --json"; do
        # shellcheck disable=SC2086
        {
            answer $table.store $verb $table.store $table.csv >live # has the words of the data only
            answer twice.model $verb twice.model $table.csv >file
            expect 0 cmp live file
            answer $table.store $verb $table.store <$table.csv >live # has all of it
            answer twice.model $verb twice.model <$table.csv >file
            expect 0 cmp live file
        }
    done
    expect 0 credence show $table.store
done
expect 1 credence learn -q sports.store <<<$'text,tag\nNew things,Nothing of that kind'
says err "Nothing of that kind"
says err "--new-class adds it"
expect 2 credence train -m nb tax.csv --store tax.store
says err "is already a store"
expect 2 credence store nonsense tax.store
expect 2 credence store stat
expect 2 credence store create --keep 90d other.store all.model
expect 1 credence store stat nowhere.store
says err "there is no store"
expect 2 credence store frobnicate nowhere
says err "store has no action 'frobnicate'"
says err "there are create, stat,"

# A store imputes values like the model that it exports.
printf 'height,who\n112,child\n131,child\n168,adult\n175,\n' >people.csv
expect 0 credence train -q -m nb --impute mean people.csv -o people.model
expect 0 credence store create people.store people.model
printf 'height,who\n,child\n' >gaps.csv
expect 0 credence impute --model people.model gaps.csv
mv out by_file
expect 0 credence impute --model people.store gaps.csv
mv out by_store
expect 0 cmp by_store by_file

# --- mail -------------------------------------------------------------------------------------------

export HOME=$folder CREDENCE_MAIL=
expect 2 credence filter < <(message hello)
expect 0 credence filter --learn ham < <(message minutes of our meeting on monday)
[ -f .credence/mail/data.mdb ] || fail "no store was made"
expect 2 credence filter < <(message minutes of our meeting on monday) # one class tells nothing
expect 0 credence filter --learn spam < <(message claim your free prize now)
# Before any message was judged, log-odds are divided by 20: naive Bayes is too sure of messages.
expect 0 credence filter --explain --unsure 0.4..0.6 < <(message claim your free prize now)
awk '/^all together/ && !all { all = $NF } /^calibrated/ { found = all / $(NF - ($NF !~ /[0-9]/)) }
    END { exit !(found > 19 && found < 21) }' out || fail "a store of mail begins elsewhere: $(cat out)"
expect 0 credence filter --learn spam < <(message a free prize is waiting claim it)
expect 0 credence filter --learn ham < <(message the meeting on monday is at noon)
expect 0 credence filter --json --unsure 0.4..0.6 < <(message free prize claim)
same prediction "$(json prediction out)" spam
expect 0 credence filter --explain --unsure 0.4..0.6 < <(message free prize claim)
says out prize
expect 0 credence filter --unlearn ham --learn spam < <(message the meeting on monday is at noon)
expect 3 credence filter --unlearn ham < <(message the meeting on monday is at noon)
expect 0 credence filter --unlearn spam --learn ham < <(message the meeting on monday is at noon)
mkdir -p mm/spam mm/ham
message claim your free prize now >mm/spam/1
message a free prize is waiting claim it >mm/spam/2
message minutes of our meeting on monday >mm/ham/1
message the meeting on monday is at noon >mm/ham/2
expect 0 credence train -q -m nb -f mail -p preset=mail mm --store plain.store
expect 0 credence filter plain.store --on-error --unsure 0.5..0.5 --learn spam < <(message claim your free prize now)
says out "nothing learned"
expect 1 credence filter plain.store -u --unsure 0.5..0.5 < <(message lunch on monday)
# The message that was judged right was counted, the other one learned.
same "lessons of -u" "$(credence store stat --json plain.store | json lessons /dev/stdin)" 2
# Judged right, but not by odds ten times beyond the limit: learned.
expect 0 credence train -q -m nb -f mail -p preset=mail mm --store near.store
expect 0 credence filter near.store --unsure 0.5..0.9 < <(message free prize on monday)
expect 0 credence filter near.store --on-error --unsure 0.5..0.9 --learn spam < <(message free prize on monday)
says out "rows     5, before 4"
expect 0 credence learn -q .credence/mail --as ham -f mail < <(message lunch at noon)
# Whole folders are judged step by step while they are learned: the first lessons spoil nothing.
mkdir -p lots/ham lots/spam
for i in $(seq 120); do
    message "minutes of meeting $((i % 7)) on monday room $((i % 5))" >lots/ham/$i
    message "claim prize $((i % 6)) free offer $((i % 9)) now" >lots/spam/$i
done
expect 0 credence learn -q .credence/mail --as ham -f mail lots/ham
expect 0 credence learn -q .credence/mail --as spam -f mail lots/spam
expect 0 credence filter < <(message claim your free prize now)
expect 1 credence filter < <(message minutes of the meeting on monday)
awk -v loss="$(credence store stat --json .credence/mail | json log_loss /dev/stdin)" 'BEGIN { exit !(loss < 0.2) }' ||
    fail "folders were judged as if nothing of them had been learned"
expect 0 credence store check .credence/mail
expect 0 credence store stat .credence/mail
says out "last week"
# A folder may be the very first lesson, and it may be taken back.
mkdir fresh
export HOME=$folder/fresh
for i in 1 2 3 4 5 6 7 8; do
    echo "this is the long sentence number $i of a text,and here is another one with $i as its word,x"
done | sed '1i a,b,class' >texts.csv
expect 2 credence learn "$HOME/.credence/mail" -f csv texts.csv
says err "is for mail"
expect 0 credence learn "$HOME/.credence/mail" --as ham -f mail lots/ham
says out "made, and learned"
expect 0 credence learn -q "$HOME/.credence/mail" --as spam -f mail lots/spam
# Its judgements calibrate the store although it brought the second class.
expect 0 credence filter --unsure 0.1..0.9 < <(message claim your free prize now)
expect 1 credence filter --unsure 0.1..0.9 < <(message minutes of the meeting on monday)
expect 0 credence unlearn -q "$HOME/.credence/mail" --as spam -f mail lots/spam
same rows "$(credence store stat --json "$HOME/.credence/mail" | json rows /dev/stdin)" 120
export HOME=$folder

# Folders that have names of their own say nothing about spam.
mkdir -p named box/{cur,new,tmp} box/.Junk/{cur,new,tmp}
cp lots/ham/1 box/cur/1:2,S
cp lots/spam/1 box/.Junk/cur/1:2,S
export HOME=$folder/named
expect 2 credence learn "$HOME/.credence/mail" box
says err "--as spam"
expect 0 credence learn -q "$HOME/.credence/mail" box/.Junk --as spam
export HOME=$folder
# One operand is a model, not a message.
run credence filter lots/ham/1 </dev/null
same "status of a failure" "$status" 3
says err "credence filter < MESSAGE"

# --- what another filter has learned -----------------------------------------------------------------

printf '.MSG_COUNT 10 20 20240101\nsubj:Prize 9 0 20240101\nmeeting 0 15 20240101\nMeeting 1 2 20240101\n' >words.txt
expect 0 credence store create --from bogofilter bogo.store words.txt
same "its messages" "$(credence store stat --json bogo.store | json rows /dev/stdin)" 30
same "its words" "$(credence store stat --json bogo.store | json words /dev/stdin)" 2
expect 0 credence filter -q --unsure 0.5..0.5 bogo.store < <(printf 'Subject: Prize\n\nx\n')
expect 1 credence filter -q --unsure 0.5..0.5 bogo.store < <(printf 'Subject: x\n\nMeeting\n')
mkdir home
expect 0 env HOME="$folder/home" "$CREDENCE_BIN" store create --from bogofilter "$folder/home/.credence/mail" words.txt
{
    printf 'v\t3\tdb_version # this must be the first line!!!\nv\t10\tnum_spam\nv\t20\tnum_nonspam\n'
    printf 't\t9\t0\t1028402349\t%s\n' "$(printf prize | sha1sum | cut -c31-40)"
    printf 't\t0\t15\t1028402349\t%s\n' "$(printf meeting | sha1sum | cut -c31-40)"
} >sa.txt
expect 1 credence store create --from bogofilter other.store sa.txt
says err "sa-learn"
expect 2 credence store create --from sa-learn other.store sa.txt
says err "hashes instead of words"
message A prize for those at the meeting >unsorted
expect 0 credence store create --from sa-learn sa.store sa.txt unsorted
says out "2 of 2 tokens recognised, with 100% of the counts"
same "its messages" "$(credence store stat --json sa.store | json rows /dev/stdin)" 30
expect 0 credence filter -q --unsure 0.5..0.5 sa.store < <(message a prize)
expect 1 credence filter -q --unsure 0.5..0.5 sa.store < <(message the Meeting)
expect 0 credence store import --from sa-learn sa.store sa.txt unsorted
same "twice its messages" "$(credence store stat --json sa.store | json rows /dev/stdin)" 60
# A file that cannot be read, as a folder, is not an empty one.
expect 1 credence store create --from bogofilter folder.store home
says err "cannot read"
# A number of messages whose sum with the others is small again.
sed "s/^v\t20/v\t18446744073709551611/" sa.txt >many.txt
expect 1 credence store create --from sa-learn many.store many.txt unsorted
says err "18446744073709551611 messages"
sed "s/10 20/10 18446744073709551611/" words.txt >many.txt
expect 1 credence store create --from bogofilter many.store many.txt
says err "18446744073709551611 messages"
# Counts that cannot be: which, on which line, and what would be right.
sed "s/^t\t9/t\t-9/" sa.txt >many.txt
expect 1 credence store create --from sa-learn many.store many.txt unsorted
says err "many.txt:4: '-9' is no number of messages"
says err "write 0"
sed "s/^v\t20/v\t-20/" sa.txt >many.txt
expect 1 credence store create --from sa-learn many.store many.txt unsorted
says err "many.txt:3: '-20'"
sed "s/meeting 0 15/meeting 0 15x/" words.txt >many.txt
expect 1 credence store create --from bogofilter many.store many.txt
says err "many.txt:3: '15x' is no number of messages"
says err "whole number"
# More messages with a word than there are: reduced, with a note.
sed "s/^t\t9/t\t11/" sa.txt >many.txt
expect 0 credence store create --from sa-learn many.store many.txt unsorted
says err "1 count was larger than the number of messages"
expect 2 credence store create two.store m.model other.model

# --- stores that learned apart -----------------------------------------------------------------------

cat >ssh <<'S'
#!/bin/sh
# as ssh: HOST, then words for the shell there
shift
exec sh -c "$*"
S
chmod +x ssh
mkdir bin && ln -s "$CREDENCE_BIN" bin/credence
export PATH=$PWD/bin:$PATH
exported() { # store
    credence store export "$1" -o exported.model && cksum <exported.model
}
head -4 sports.csv >a.csv
(head -1 sports.csv; tail -n +5 sports.csv) >b.csv
credence train -q -m nb --type text=text sports.csv -o all.model
credence train -q -m nb --type text=text a.csv --store a.store
expect 0 credence store sync a.store b.store # b is made
same "a new store" "$(exported b.store)" "$(exported a.store)"
expect 0 credence learn -q b.store b.csv --new-class
expect 0 credence store sync --ssh ./ssh b.store "elsewhere:it's a.store" # another is made, over a wire
expect 0 credence store sync --ssh ./ssh elsewhere:b.store a.store
for s in a.store b.store "it's a.store"; do
    same "$s" "$(exported "$s")" "$(cksum <all.model)"
    expect 0 credence store check "$s"
done
expect 0 credence unlearn -q a.store b.csv # which b learned
credence store state b.store >state
expect 0 credence store send a.store state -o stream
expect 0 credence store receive b.store stream
expect 0 credence store receive b.store <stream # twice is once
credence train -q -m nb --type text=text a.csv -o first.model
same "what was taken back elsewhere" "$(exported b.store)" "$(cksum <first.model)"
same "its origins" "$(credence store stat --json b.store | json origins /dev/stdin)" 2
head -c 100 stream >cut
expect 1 credence store receive b.store cut
says err "not a whole stream"
expect 1 credence store send a.store cut
says err "not the state"
credence train -q -m nb -p alpha=3 --type text=text a.csv --store c.store
expect 1 credence store sync a.store c.store
says err "alpha"
expect 2 credence store sync nowhere.store neither.store
expect 2 credence store sync a.store ./a.store
says err "one store, not two"
cp -r a.store copy.store
expect 0 credence learn -q copy.store b.csv --new-class
expect 1 credence store sync a.store copy.store # a copy is no second store
says err "newer lessons of this one"
expect 1 credence store sync --ssh false a.store host:b.store
says err "closed the connection"

# --- killed in the middle of lessons ------------------------------------------------------------------

# Each lesson is two messages, one of each class: whatever is killed, the classes stay equal. Every tenth is so
# large that it writes the journal into the tree, every third so large that the journal is closed after a few,
# and moved into the tree bit by bit. KILLS=500 for a long run.
printf 'text,class\nw0 both,ham\nw0 both,spam\n' >seed.csv
credence train -q -m nb --type text=text seed.csv --store kill.store
for i in $(seq "${KILLS:-60}"); do
    printf 'text,class\nw%s x%s both,ham\ny%s w%s both,spam\n' "$i" "$RANDOM" "$RANDOM" "$i" >lesson.csv
    words=$((i % 10 == 0 ? 9000 : i % 3 == 0 ? 1200 : 0))
    if [ $words != 0 ]; then
        printf 'text,class\n%s both,ham\n%s both,spam\n' "$(seq -s ' ' -f "l${i}a%.0f" $words)" \
            "$(seq -s ' ' -f "l${i}b%.0f" $words)" >lesson.csv
    fi
    "$CREDENCE_BIN" learn -q kill.store lesson.csv &
    victim=$!
    read -r -t "0.0$((RANDOM % 3))$((RANDOM % 10))" <> <(:) || :
    kill -9 $victim 2>/dev/null
    wait $victim 2>/dev/null
done
expect 0 credence store check kill.store
expect 0 credence store export kill.store -o kill.model
credence show kill.model >shown
same "shares of the classes" "$(awk '($1 == "ham" || $1 == "spam") && $3 ~ /^[01]/ { print $3 }' shown | sort -u)" 0.5000
expect 0 credence learn -q kill.store seed.csv # and it goes on

# --- many at once ---------------------------------------------------------------------------------------

before=$(credence store stat --json kill.store | json rows /dev/stdin)
for p in 1 2 3 4; do
    (for i in 1 2 3 4 5 6 7 8 9 10; do
        printf 'text,class\nfrom %s %s,ham\nand %s %s,spam\n' $p "$i" "$i" $p |
            credence learn -q --sync none kill.store || echo failed
    done >teacher.$p 2>&1) &
done
for i in 1 2 3 4 5 6 7 8 9 10; do
    printf 'text\nboth\n' | credence predict kill.store >/dev/null || fail "a reader failed"
done
wait
cat teacher.? >teachers
silent teachers
same "rows of four teachers" "$(credence store stat --json kill.store | json rows /dev/stdin)" $((before + 80))

# --- what may go wrong -----------------------------------------------------------------------------------

# A file that must not grow, as on a full disk: the lesson is refused, the store does not change.
awk 'BEGIN { print "text,class"; for (i = 0; i < 20000; i++) printf "word%d other%d,ham\n", i, i * 7 }' >long.csv
credence store export kill.store -o before.model
(trap '' XFSZ; ulimit -f 64; credence learn -q kill.store long.csv >/dev/null 2>err) && fail "a full disk was not noticed"
expect 0 credence store check kill.store
credence store export kill.store -o after.model
expect 0 cmp before.model after.model
# A read-only store answers, and is not taught: that of another user (root may write whatever the mode says) ...
printf 'text\nboth\n' >question.csv
frozen=$(mktemp -d)
cp -r kill.store "$frozen/store"
cp "$CREDENCE_BIN" "$frozen/credence"
cp question.csv "$frozen"
chmod -R a+rX,a-w "$frozen"
nobody() {
    if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi
}
expect 0 credence predict kill.store question.csv
mv out want
expect 0 nobody "$frozen/credence" predict "$frozen/store" "$frozen/question.csv"
mv out got
expect 0 cmp got want
expect 0 nobody "$frozen/credence" store check "$frozen/store"
expect 1 nobody "$frozen/credence" learn "$frozen/store" "$frozen/question.csv"
says err "read-only"
expect 3 nobody "$frozen/credence" filter --learn ham "$frozen/store" <question.csv
says err "read-only"
# ... without a lock file, which nobody can make ...
chmod u+w "$frozen/store"
rm -f "$frozen/store/lock.mdb"
chmod u-w "$frozen/store"
expect 0 nobody "$frozen/credence" predict "$frozen/store" "$frozen/question.csv"
mv out got
expect 0 cmp got want
# ... and one on a file system that is mounted read-only, where this can be tried.
if unshare -m sh -c "mount --bind $frozen $frozen && mount -o remount,ro,bind $frozen" 2>/dev/null; then
    mounted() {
        # shellcheck disable=SC2016 # the inner shell's
        unshare -m sh -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"' "$frozen" "$@"
    }
    expect 0 mounted "$CREDENCE_BIN" predict "$frozen/store" question.csv
    mv out got
    expect 0 cmp got want
    expect 1 mounted "$CREDENCE_BIN" learn "$frozen/store" question.csv
    says err "read-only"
fi
chmod -R u+w "$frozen"
rm -rf "$frozen"
# What can never learn more is no store.
expect 1 credence train -q -m tree tax.csv --store tree.store
says err "cannot be a store"
[ ! -e tree.store ] || fail "a store of a tree was made"
# Nor can several models.
expect 0 credence train -q -m nb tax.csv -o one.model
expect 0 credence combine -q -p weights=equal one.model one.model -o both.model
expect 1 credence store create both.store both.model
says err "a blend of models cannot be a store"
says err "-m nb"
[ ! -e both.store ] || fail "a store of two models was made"
# Without -m, one is chosen that learns row by row: never a blend, nor what keeps every number.
head -101 "$CREDENCE_SOURCE/examples/data/iris.csv" >first.csv
expect 0 credence train first.csv --store chosen.store
says out "exact"
[ "$(grep -c 'real=' out)" = 0 ] || fail "numbers are kept one by one"
[ "$(grep -c 'blend' out)" = 0 ] || fail "a blend was tried"
expect 0 credence learn -q chosen.store first.csv
expect 0 credence unlearn -q chosen.store first.csv
# Compacted, it is the same.
expect 0 credence store compact kill.store small.store
expect 0 credence store export small.store -o after.model
expect 0 cmp before.model after.model
expect 2 credence store compact kill.store small.store
# Changed bytes are found: in the word of a key, in counts.
cp -r small.store broken.store
word=$(grep -obUa 'from' broken.store/data.mdb | head -1 | cut -d: -f1)
printf 'F' | dd of=broken.store/data.mdb bs=1 seek="$word" conv=notrunc 2>/dev/null
run credence store check broken.store
[ "$status" = 1 ] || fail "a changed word was not found"
# So are pages that LMDB cannot read.
cp -r small.store broken2.store
dd if=/dev/urandom of=broken2.store/data.mdb bs=4096 seek=2 count=4 conv=notrunc 2>/dev/null
run credence store check broken2.store
[ "$status" != 0 ] || fail "damaged pages were not found"
# Periods.
expect 0 credence store create --period day --keep 90d days.store before.model
expect 0 credence learn -q days.store seed.csv
expect 0 credence store stat days.store
says out "kept for 90 days"
expect 0 credence store check days.store
# Pruning reports what it drops.
expect 2 credence store prune days.store
expect 1 credence store prune kill.store --unseen 90d
says err "no periods"
expect 0 credence store prune days.store --unseen 90d # all is of today
says out "dropped 0 words"
expect 0 credence store prune days.store --below 3
says out "are left"
expect 0 credence store check days.store
finish
