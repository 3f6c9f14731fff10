#!/usr/bin/env bash
# filter.sh - one message at a time: the verdict, the mark, the lesson, and never a lost message.
. "$(dirname "$0")/lib.bash"
cp "$CREDENCE_SOURCE/examples/data/messages.csv" .
expect 0 credence train -m nb messages.csv --type text=text -o mail.model
cp mail.model fresh.model
printf 'From: a@b\nSubject: prize\n\nWin a free prize now, claim your cash\n' >spam.msg
printf 'From: a@b\nSubject: lunch\n\nLunch on Friday at the usual place?\n' >ham.msg
printf 'From: a@b\n\nFree lunch\n' >unsure.msg

# --- the verdict ------------------------------------------------------------------------------
expect 0 credence filter mail.model <spam.msg
same "a line" "$(sed 's/=0\.9[0-9]*\|=1\.0000/=P/' out)" \
    "X-Credence: spam, probability=P, model=mail.model"
expect 1 credence filter mail.model ham.msg
says out "X-Credence: ham, probability=0.0"
expect 2 credence filter mail.model - <unsure.msg
says out "X-Credence: unsure, probability=0."
expect 0 credence filter -q mail.model spam.msg
silent out
silent err
expect 0 credence filter -e mail.model ham.msg
expect 0 credence filter -e mail.model unsure.msg
# The probability is the one that predict gives to the same message.
cp unsure.msg unsure.eml
expect 2 credence filter --json mail.model unsure.msg
near "P(spam)" "$(json probability out)" \
    "$(credence predict --proba mail.model unsure.eml | cell /dev/stdin 'p(spam)' 1)"
same "verdict" "$(json verdict out)" unsure
same "prediction" "$(json prediction out)" spam
near "lower limit" "$(json low out)" 0.1
expect 2 credence filter --csv mail.model unsure.msg
same "as CSV" "$(cut -c 1-8 out)" $'verdict,\nunsure,0'

# --- limits and classes -----------------------------------------------------------------------
expect 0 credence filter --unsure 0.5..0.5 mail.model unsure.msg
expect 1 credence filter --unsure .99..1 mail.model unsure.msg
for limits in 0.5 0.9..0.1 -1..0.5 0.5..2 a..b 0.1...9.; do
    expect 3 credence filter --unsure "$limits" mail.model unsure.msg
    says err "--unsure takes two probabilities LOW..HIGH"
done
expect 1 credence filter --spam ham mail.model spam.msg
expect 0 credence filter --spam ham mail.model ham.msg
sed 's/,spam$/,Spam/' messages.csv >capital.csv
credence train -m nb -q capital.csv --type text=text -o capital.model
expect 0 credence filter capital.model spam.msg
sed 's/,spam$/,junk/' messages.csv >junk.csv
credence train -m nb -q junk.csv --type text=text -o junk.model
expect 3 credence filter junk.model spam.msg
says err "--spam CLASS"
expect 0 credence filter --spam junk junk.model spam.msg

# --- the mark: one field at the end of the head, not another byte changed ---------------------
marked() { # MESSAGE WANTED
    printf '%b' "$1" >in.msg
    printf '%b' "$2" >want.msg
    checks=$((checks + 1))
    "$CREDENCE_BIN" filter -p -e mail.model in.msg 2>err |
        sed 's/^\(X-Credence: \)[a-z]*, probability=[0-9.]*, model=mail.model/\1V/' >out.msg
    cmp -s out.msg want.msg || fail "marked $1:$(printf '\n'; cat -A out.msg)"
}
marked 'A: b\nC: d\n\nbody\n' 'A: b\nC: d\nX-Credence: V\n\nbody\n'
marked 'A: b\r\nC: d\r\n\r\nbody\r\n' 'A: b\r\nC: d\r\nX-Credence: V\r\n\r\nbody\r\n'
marked 'A: b\n folded\n\n\nbody' 'A: b\n folded\nX-Credence: V\n\n\nbody'
marked 'From x Mon\nA: b\n\n>From here\n' 'From x Mon\nA: b\nX-Credence: V\n\n>From here\n'
marked 'A: b\nX-Credence: ham, surely\n by me\nx-credence:spam\nC: d\n\nX-Credence: a body\n' \
    'A: b\nC: d\nX-Credence: V\n\nX-Credence: a body\n'
marked 'X-Credence: ham\nA: b\nX-Credence: ham\n\nbody\n' 'A: b\nX-Credence: V\n\nbody\n'
marked 'X-Credence: ham' 'X-Credence: V\n'
marked 'A: b' 'A: b\nX-Credence: V\n'
marked 'just words\nA: b\n' 'X-Credence: V\n\njust words\nA: b\n'
marked '\nbody\n' 'X-Credence: V\n\nbody\n'
marked '' 'X-Credence: V\n'
marked 'A: b\n\nnul \0 and \0377 stay\n' 'A: b\nX-Credence: V\n\nnul \0 and \0377 stay\n'
# A mark that came with the message has no influence, and is not learned.
printf 'X-Credence: ham ham ham lunch Friday\nA: b\n\nFree lunch\n' >forged.msg
printf 'A: b\n\nFree lunch\n' >plain.msg
same "a forged mark" "$(credence filter mail.model forged.msg)" \
    "$(credence filter mail.model plain.msg)"
cp mail.model $'odd\nname.model'
expect 0 credence filter -p $'odd\nname.model' spam.msg
same "an odd name" "$(sed -n 3p out | sed 's/.*model=//')" "odd?name.model"

# --- nothing is lost when something fails -----------------------------------------------------
for trouble in nowhere.model "$data/tax.csv" "--unsure nonsense mail.model" \
    "--spam x mail.model"; do
    # shellcheck disable=SC2086
    expect 3 credence filter -p $trouble <spam.msg
    cmp -s out spam.msg || fail "the message was lost with $trouble"
    # shellcheck disable=SC2086
    expect 3 credence filter $trouble <spam.msg
    silent out
done
expect 3 credence filter mail.model nowhere.msg
expect 3 credence filter --nonsense mail.model spam.msg
expect 2 env HOME="$folder" "$CREDENCE_BIN" filter <spam.msg # nothing learned yet: unsure
expect 3 credence filter -p --json mail.model spam.msg
expect 3 credence filter -p --learn spam mail.model spam.msg
credence train -m nb -q "$data/tax.csv" -o tax.model
expect 3 credence filter tax.model spam.msg
says err "one text"
if [ -w /dev/full ]; then
    "$CREDENCE_BIN" filter -p mail.model ham.msg >/dev/full 2>err
    same "exit status on a full disk" $? 3
fi

# --- damage is looked for, unless the model is trusted ----------------------------------------
cp mail.model damaged.model
printf Z | dd of=damaged.model bs=1 seek=$(($(stat -c %s mail.model) - 200)) conv=notrunc 2>/dev/null
expect 3 credence filter damaged.model spam.msg
says err checksum
expect 0 credence filter --trust damaged.model spam.msg
silent err
expect 0 credence filter --trust mail.model spam.msg
same "what a trusted model says" "$(cat out)" "$(credence filter mail.model spam.msg)"
expect 3 credence filter --trust mail.model --learn ham spam.msg
says err "go without --trust"

# --- lessons ----------------------------------------------------------------------------------
expect 0 credence filter mail.model --learn spam <unsure.msg
says out "rows     15, before 14"
expect 0 credence filter --unsure 0.5..0.5 mail.model <unsure.msg
expect 0 credence filter mail.model --unlearn spam --learn ham <unsure.msg
says out "rows     15"
expect 1 credence filter --unsure 0.5..0.5 mail.model <unsure.msg
expect 0 credence filter -q mail.model --unlearn ham <unsure.msg
silent out
cmp -s mail.model fresh.model || fail "learned and unlearned, the file is not as before"
expect 0 credence filter --json mail.model --learn ham <unsure.msg
same "rows" "$(json rows out)" 15
expect 0 credence filter -q mail.model --unlearn ham <unsure.msg
for class in spma Ham; do
    expect 3 credence filter mail.model --learn $class <unsure.msg
    says err "the model has no class '$class'"
done
printf 'words never learned at all\n' >strange.msg
expect 3 credence filter mail.model --unlearn spam strange.msg
expect 3 credence filter mail.model --unlearn ham --learn nowhere unsure.msg
expect 3 credence filter nowhere.model --learn ham unsure.msg
[ ! -e nowhere.model ] || fail "a model came from nowhere"
cmp -s mail.model fresh.model || fail "a failed lesson changed the model"
# Lessons from many processes at once: none is lost.
for i in 1 2 3 4 5 6 7 8; do
    credence filter -q mail.model --learn spam <spam.msg &
done
wait
credence show --json mail.model >out
same "rows after eight at once" "$(json rows out)" 22
# A lesson has the same effect as training on a folder of the same messages.
mkdir -p folder/spam folder/ham
cp spam.msg folder/spam/1
cp ham.msg folder/ham/1
cp unsure.msg folder/ham/2
credence train -m nb -q folder -f mail -o whole.model
rm folder/ham/2
credence train -m nb -q folder -f mail -o part.model
expect 0 credence filter -q part.model --learn ham unsure.msg
cmp -s whole.model part.model || fail "a lesson differs from training"

# --- mail is read as mail ---------------------------------------------------------------------
# The same words in plain text, in base64 inside HTML, and in an encoded header are the same words.
{
    printf 'Subject: =?utf-8?B?%s?=\nMIME-Version: 1.0\n' "$(printf 'prize' | base64)"
    printf 'From: a@b\nContent-Type: text/html; charset=utf-8\n'
    printf 'Content-Transfer-Encoding: base64\n\n'
    printf '<p>Win a <b>free</b> prize now,<!-- lunch Friday --> claim your cash</p>' | base64
} >coded.msg
expect 0 credence filter mail.model coded.msg
expect 0 credence explain whole.model coded.msg
says out "subject:prize"
says out "free"
# A model of messages stores that it is one: no other command needs an option for it.
same "the knob" "$(credence show --json whole.model | sed -n 's/.*"mail": "\(.*\)".*/\1/p')" yes
credence predict --proba whole.model -f mail folder >told.csv
expect 0 credence predict --proba whole.model folder
cmp -s out told.csv || fail "a folder of messages is read otherwise without -f mail"
tar --sort=name -cf folder.tar folder
expect 0 credence predict --proba whole.model folder.tar
cmp -s out told.csv || fail "an archive of messages is read otherwise without -f mail"
cp whole.model learned.model
credence learn -q learned.model folder
credence unlearn -q learned.model folder
cmp -s learned.model whole.model || fail "messages that were learned cannot be taken back"
# A file that begins with message headers is a message; so is every file of a mail folder.
expect 0 credence predict --proba whole.model spam.msg
same "one message" "$(sed -n 2p out)" "$(sed -n 3p told.csv)"
mkdir -p got/spam got/ham
for c in spam ham; do sed '1i Received: from x by y; Mon' $c.msg >got/$c/1; done
credence train -m nb -q got -o got.model
same "received mail" \
    "$(credence show --json got.model | sed -n 's/.*"mail": "\(.*\)".*/\1/p')" yes

# --- the recipes of docs/filter.md ------------------------------------------------------------
mkdir bin mail
ln -s "$CREDENCE_BIN" bin/credence
cp fresh.model mail.model
# The blocks of the page, with this folder in place of the reader's.
recipe() { # LANGUAGE
    sed -n '/^```'"$1"'$/,/^```$/{/^```/!p}' "$CREDENCE_SOURCE/docs/filter.md" |
        sed "s#\$HOME#$PWD#g; s#^PATH=.*#PATH=$PWD/bin:/usr/bin:/bin#"
}
delivered() { # BY
    for box in spam unsure inbox; do
        same "$1: messages in $box" "$(grep -c '^From: a@b' mail/$box)" 1
    done
    says mail/spam "Subject: prize"
    says mail/spam "X-Credence: spam, probability="
    says mail/unsure "X-Credence: unsure, probability="
    rm -f mail/*
}
if type -P procmail >/dev/null; then
    recipe procmail >procmailrc
    for m in spam ham unsure; do
        expect 0 procmail "$PWD/procmailrc" <$m.msg
    done
    delivered procmail
fi
if type -P maildrop >/dev/null; then
    recipe maildrop >mailfilter
    chmod 600 mailfilter
    for m in spam ham unsure; do
        expect 0 maildrop "$PWD/mailfilter" <$m.msg
    done
    delivered maildrop
fi
# --- mailboxes, new classes, why --------------------------------------------------------------
# A mailbox is learned message by message, as if each had come alone.
cp fresh.model box.model
cp fresh.model single.model
{ printf 'From a Mon Jan  1 00:00:00 2024\n'; cat spam.msg
  printf '\nFrom b Mon Jan  1 00:00:01 2024\nSubject: cash\n\nfree cash\n>From here on\n'
  printf '\nFrom c Mon Jan  1 00:00:02 2024\nSubject: prize\n\nclaim it\n'; } >three.mbox
expect 0 credence filter box.model --learn spam three.mbox
says out "rows     17, before 14"
printf 'Subject: cash\n\nfree cash\nFrom here on\n' >second.msg
printf 'Subject: prize\n\nclaim it\n' >third.msg
for message in spam second third; do
    expect 0 credence filter single.model --learn spam $message.msg
done
cmp -s box.model single.model || fail "a mailbox is not its messages"
expect 0 credence filter box.model --unlearn spam three.mbox
cmp -s box.model fresh.model || fail "a mailbox was not taken back"
# credence learn reads it as one class, and refuses to use its name as a class.
expect 3 credence filter box.model --learn junk spam.msg
says err "no class 'junk'"
expect 0 credence filter box.model --new-class --learn junk spam.msg
says out "classes  3, before 2"
cp fresh.model box.model
expect 1 credence learn box.model three.mbox
says err "a class 'three'"
says err "--as CLASS"
cmp -s box.model fresh.model || fail "a refused lesson changed the model"
expect 0 credence learn box.model three.mbox --as spam
cmp -s box.model single.model || fail "learn --as is not filter --learn"
cp fresh.model box.model
expect 0 credence learn box.model three.mbox --new-class
says out "classes  3, before 2"
# The words behind the decision.
expect 0 credence filter --explain fresh.model spam.msg
says out "X-Credence: spam"
says out "word by word"
same "lines of a message" "$(grep -c 'Line' out)" 0
mkdir folder
expect 3 credence filter --learn ham folder <spam.msg
says err "folder is a folder and no store"
expect 3 credence filter fresh.model --learn ham </dev/null
says err "the message is empty"
expect 3 credence filter --explain -p fresh.model spam.msg
# Folders of a Maildir: INBOX, and Junk inside it.
mkdir -p mail/cur mail/new mail/tmp mail/.Junk/cur mail/.Junk/new mail/.Junk/tmp mail/.hidden
for i in 1 2 3; do
    printf 'From: a@b\nSubject: lunch %s\n\nLunch on Friday\n' $i >mail/cur/$i
    printf 'From: a@b\nSubject: prize %s\n\nfree cash\n' $i >mail/.Junk/cur/$i
done
cp ham.msg mail/.hidden/no
expect 0 credence train mail -o maildir.model
says out "Junk"
says out "Learned 6 rows"
expect 0 credence filter --spam Junk maildir.model spam.msg
finish
