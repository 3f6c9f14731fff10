#!/usr/bin/env bash
# postfix.sh - mail sent over SMTP to a real Postfix, judged by the milter before it is accepted.
#
# Postfix runs from a folder of its own, on a port of the loopback, and delivers into files.
. "$CREDENCE_SOURCE/tests/cli/lib.bash"
milter=$(dirname "$CREDENCE_BIN")/credence-milter
for program in postfix postconf swaks; do
    command -v "$program" >/dev/null || PATH=$PATH:/usr/sbin
    command -v "$program" >/dev/null || { echo "skipped: no $program"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "skipped: Postfix starts as root"; exit 77; }
[ -x "$milter" ] || { echo "skipped: no $milter"; exit 77; }

# --- a store that knows the two kinds of mail ---------------------------------------------------

store=$folder/mail
letter() { # subject words
    printf 'From: a@example.org\nTo: b@example.org\nSubject: %s\n\n%s\n' "$1" "$2"
}
for i in 1 2 3 4 5 6; do
    letter "free prize $i" "claim your free prize now, winner number $i, cheap pills and money" |
        credence filter -q --sync none "$store" --learn spam --new-class 2>/dev/null ||
        letter "free prize $i" "claim your free prize now, winner number $i, cheap pills and money" |
        CREDENCE_MAIL=$store credence filter -q --learn spam
    letter "minutes of meeting $i" "the minutes of our meeting are attached, see you on monday $i" |
        credence filter -q --sync none "$store" --learn ham --new-class
done
expect 0 credence store check "$store"

# --- Postfix in a folder of its own -------------------------------------------------------------

port=$((20000 + RANDOM % 20000))
root=$folder/postfix
chmod 755 "$folder"
mkdir -p "$root/etc" "$root/queue" "$root/data" "$root/mail"
chown postfix "$root/data"
chown postfix "$root/mail"
cp /etc/postfix/master.cf "$root/etc/master.cf" 2>/dev/null ||
    cp /usr/share/postfix/master.cf.dist "$root/etc/master.cf"
cp /etc/postfix/dynamicmaps.cf "$root/etc/" 2>/dev/null
sed -i -E "s/^smtp +inet .*/127.0.0.1:$port inet n - n - - smtpd/; s/^([a-z]+ +unix +[-ny]+ +[-ny]+ +)[-y] /\1n /" \
    "$root/etc/master.cf"
id nobody >/dev/null
cat >"$root/etc/main.cf" <<EOF
compatibility_level = 3.6
queue_directory = $root/queue
data_directory = $root/data
mail_owner = postfix
myhostname = test.example.org
mydestination = example.org
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
alias_maps =
alias_database =
local_recipient_maps =
virtual_mailbox_domains = box.example.org
virtual_mailbox_base = $root/mail
virtual_mailbox_maps = static:inbox
virtual_uid_maps = static:$(id -u postfix)
virtual_gid_maps = static:$(id -g postfix)
virtual_minimum_uid = 1
smtpd_milters = unix:$folder/milter.sock
milter_default_action = accept
milter_connect_timeout = 5s
maillog_file = $root/maillog
maillog_file_prefixes = $root
smtpd_peername_lookup = no
EOF
stop() {
    [ -z "${judge:-}" ] || kill "$judge" 2>/dev/null
    postfix -c "$root/etc" stop >/dev/null 2>&1
    chmod -R u+w "$folder"
    rm -rf "$folder"
}
trap stop EXIT
# A word that is no socket is refused, and a file that is in the way stays.
"$milter" --listen word "$store" 2>listen.log && fail "a word is taken for a socket"
grep -q "unix:PATH" listen.log || fail "what a socket is: $(cat listen.log)"
echo precious >file
"$milter" --listen "unix:$folder/file" "$store" 2>/dev/null && fail "a file is taken for a socket"
[ "$(cat file)" = precious ] || fail "a file is removed for a socket"

"$milter" --listen "unix:$folder/milter.sock" --reject 0.9 --verbose "$store" 2>milter.log &
judge=$!
for _ in $(seq 50); do
    [ -S milter.sock ] && break
    sleep 0.1
done
chmod 777 milter.sock
postfix -c "$root/etc" start >start.log 2>&1 || { echo "skipped: Postfix does not start here"; cat start.log; exit 77; }
for _ in $(seq 50); do
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
    sleep 0.1
done

send() { # subject body [header]
    swaks --server 127.0.0.1 --port "$port" --from a@example.org --to b@box.example.org \
        --header "Subject: $1" --body "$2" ${3:+--add-header "$3"} --suppress-data >swaks.log 2>&1
}
arrived() { # how many messages
    for _ in $(seq 100); do
        [ "$(grep -c '^From ' "$root/mail/inbox" 2>/dev/null)" = "$1" ] && return
        sleep 0.1
    done
    fail "$(grep -c '^From ' "$root/mail/inbox" 2>/dev/null) messages arrived, not $1: $(tail -5 "$root/maillog")"
}

# --- what comes in -------------------------------------------------------------------------------

# A good message is marked, and a mark that came with it is gone.
expect 0 send "minutes of meeting" "the minutes of our meeting are attached, see you on monday" \
    "X-Credence: ham, probability=0.0000, says the sender"
arrived 1
same "marks" "$(grep -c '^X-Credence:' "$root/mail/inbox")" 1
says "$root/mail/inbox" "X-Credence: ham, probability=0.0"

# Spam beyond the limit is refused while it comes in.
run send "free prize" "claim your free prize now, winner, cheap pills and money"
[ "$status" != 0 ] || fail "spam was accepted: $(cat swaks.log; cat milter.log)"
says swaks.log "550 5.7.1 Message refused as spam"

# A lesson counts at once: what was refused is good mail from now on.
for i in 1 2 3 4 5 6 7 8 9 10; do
    letter "free prize" "claim your free prize now, winner, cheap pills and money $i" |
        credence filter -q "$store" --learn ham
done
expect 0 send "free prize" "claim your free prize now, winner, cheap pills and money"
arrived 2

# Without a store, and without a milter, mail passes.
mv "$store" "$store.away"
kill "$judge"
wait "$judge" 2>/dev/null
"$milter" --listen "unix:$folder/milter.sock" "$store" 2>milter.log &
judge=$!
for _ in $(seq 50); do
    [ -S milter.sock ] && break
    sleep 0.1
done
chmod 777 milter.sock
expect 0 send "no store" "nobody can judge this"
arrived 3
kill "$judge"
wait "$judge" 2>/dev/null
judge=
expect 0 send "no milter" "nobody looks at this"
arrived 4
finish
