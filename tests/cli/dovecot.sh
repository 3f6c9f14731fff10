#!/usr/bin/env bash
# dovecot.sh - mail that is moved between folders teaches: the recipe of docs/filter.md, run by Dovecot's own imap, which
# answers on a pipe and needs neither a port nor a server.
. "$(dirname "$0")/lib.bash"
imap=/usr/lib/dovecot/imap
[ -x $imap ] || { echo "skipped: there is no Dovecot (scripts/deps.sh milter)"; exit 77; }
ls /usr/lib/dovecot/modules/*imap_sieve* >/dev/null 2>&1 || { echo "skipped: Dovecot has no Pigeonhole"; exit 77; }
as_user=()
[ "$(id -u)" -ne 0 ] || as_user=(setpriv --reuid=nobody --regid=nogroup --clear-groups)

recipe() { # LANGUAGE
    sed -n '/^```'"$1"'$/,/^```$/{/^```/!p}' "$CREDENCE_SOURCE/docs/filter.md" |
        sed "s#/usr/local/lib/sieve#$folder/sieve#g; s#/usr/local/bin/credence#$folder/credence#g"
}
mkdir -p sieve home/Maildir/{new,cur,tmp}
cp "$CREDENCE_BIN" credence # where the other user may run it
recipe sieve-into >sieve/into-spam.sieve
recipe sieve-out >sieve/out-of-spam.sieve
recipe sieve-learn >sieve/credence-learn
chmod +x sieve/credence-learn
cat >dovecot.conf <<CONF
base_dir = $folder/run
log_path = /dev/stderr
info_log_path = /dev/stderr
ssl = no
mail_location = maildir:$folder/home/Maildir
mail_home = $folder/home
stats_writer_socket_path =
$(recipe dovecot)
CONF
message() { # SUBJECT
    printf 'From: a@example.org\nSubject: %s\n\n%s, said at length\n' "$1" "$1"
}
message "claim your prize" >home/Maildir/new/1.M1.host
message "minutes of monday" >home/Maildir/new/2.M1.host
chmod 755 "$folder"
[ ${#as_user[@]} = 0 ] || chown -R nobody home sieve
speak() { # commands of IMAP on standard input
    sed 's/$/\r/' | cat | "${as_user[@]}" env USER=user HOME="$folder/home" $imap -c "$folder/dovecot.conf" >said 2>&1
}
rows() { # CLASS
    credence show home/.credence/mail | awk -v class="$1" '$1 == class && $2 ~ /^[0-9]+$/ { n = $2 } END { print n + 0 }'
}

speak <<'TALK'
a CREATE Spam
b SELECT INBOX
c UID MOVE 1 Spam
d SELECT Spam
e FETCH 1:* (FLAGS)
f LOGOUT
TALK
says said "c OK Move completed"
says said "LearnedSpam"
same "spam that was moved" "$(rows spam)" 1
speak <<'TALK'
a SELECT INBOX
b UID COPY 2 Spam
c SELECT Spam
d UID MOVE 1:* INBOX
e SELECT INBOX
f FETCH 1:* (FLAGS)
g LOGOUT
TALK
says said "d OK Move completed"
says said "LearnedHam"
same "spam after both were moved out" "$(rows spam)" 0
same "ham after both were moved out" "$(rows ham)" 2
{ message "claim your prize"; } >claim
cp -r home/.credence/mail copy
expect 0 credence filter -q copy claim --unlearn ham # it is there, once
expect 0 credence store check copy
finish
