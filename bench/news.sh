#!/usr/bin/env bash
# bench/news.sh - 20 Newsgroups and mail, from the file to the verdict, beside scikit-learn and bogofilter.
#
# Usage: CREDENCE_DATA=FOLDER bench/news.sh [BUILD]
#
# Training and testing are two commands of ours and one program of scikit-learn's, which reads what
# we read: the same CSV, or the folders (for the archive too, as it reads none). bogofilter gets the
# names of all messages at once, and so do we; both with one thread. Prints a table in Markdown:
# wall and CPU seconds of the least of five runs (one for peers), and how many times as long the peer
# takes. Peers that are not there are left out.
set -euo pipefail
export LC_ALL=C

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -gt 1 ] || [ -z "${CREDENCE_DATA:-}" ]; then
    echo 'usage: CREDENCE_DATA=FOLDER bench/news.sh [BUILD]' >&2
    exit 2
fi
build=$(realpath "${1:-$here/../build}")
credence=$build/credence
texts=$(realpath "$CREDENCE_DATA")/text
for program in bench/measure credence; do
    [ -x "$build/$program" ] || { echo "bench: $build/$program is not there" >&2; exit 1; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
python=
for candidate in python3 /usr/bin/python3; do
    "$candidate" -c 'import sklearn, pandas' 2> /dev/null && { python=$candidate; break; }
done

figures() { # REPEATS COMMAND: its wall and CPU seconds
    "$build/bench/measure" "$1" "$work/out" sh -c "$2" 2> "$work/errors" ||
        { sed 's/^/bench:     /' "$work/errors" >&2; echo - - -; }
}

beside() { # WORK OURS PEER'S-NAME PEER'S
    local ours theirs
    echo "bench: $1" >&2
    ours=$(figures 5 "$2")
    theirs=$(figures 1 "$4")
    echo "$ours $theirs" | awk -v work="$1" -v peer="$3" '{
        printf "| %s | %s | %s | %s | %s | %s |", work, $1, $2, peer, $4, $5
        if ($1 > 0 && $4 > 0)
            printf " %.1f | %.1f |\n", $4 / $1, $5 / $2
        else
            print " | |"
    }'
}

echo '| work | wall s | CPU s | peer | wall s | CPU s | ratio of wall | ratio of CPU |'
echo '|---|---:|---:|---|---:|---:|---:|---:|'

# --- 20 Newsgroups --------------------------------------------------------------------------------

news=$texts/20news-bydate.tar.zst
(cd "$work" && zstd -dc "$news" | tar xf -)
part() { echo "$work/20news-bydate/20news-bydate-$1"; }
for p in train test; do
    # A post is one field of CSV, its quotes doubled; bytes beyond ASCII as Latin-1 has them.
    {
        echo text,class
        find "$(part $p)" -type f | sort | xargs awk '
            function finish() { if (class != "") printf "\",%s\n", class }
            FNR == 1 { finish(); n = split(FILENAME, at, "/"); class = at[n - 1]; printf "\"" }
            { gsub(/"/, "\"\""); print }
            END { finish() }' | tr -d '\000\r' | iconv -f latin1 -t utf-8
    } > "$work/$p.csv"
done
both() { # TRAIN TEST: two commands
    echo "'$credence' train $1 -m nb -p tokens=words2 -p event=multinomial -q -o '$work/news.model' &&
        '$credence' test '$work/news.model' $2"
}
peer() { # KIND TRAIN TEST
    [ -n "$python" ] || { echo false; return; }
    echo "'$python' '$here/peers/newsgroups_nb.py' $1 '$2' '$3'"
}
folders=$(peer folders "$(part train)" "$(part test)")
member=20news-bydate/20news-bydate
beside 'newsgroups from CSV' "$(both "'$work/train.csv' --type text=text" "'$work/test.csv'")" \
    scikit-learn "$(peer csv "$work/train.csv" "$work/test.csv")"
beside 'newsgroups from folders' "$(both "'$(part train)'" "'$(part test)'")" scikit-learn "$folders"
beside 'newsgroups from the archive' \
    "$(both "'$news' --member $member-train" "'$news' --member $member-test")" \
    'scikit-learn, folders' "$folders"

# --- Mail -----------------------------------------------------------------------------------------

(cd "$work" && zstd -dc "$texts/spamassassin.tar.zst" | tar xf -)
mail=$work/spamassassin
find "$mail" -path '*ham*' -type f > "$work/ham"
find "$mail" -path '*/spam*/*' ! -path '*ham*' -type f > "$work/spam"
cat "$work/ham" "$work/spam" > "$work/all"
beside "mail, learn ($(wc -l < "$work/all") messages)" "'$credence' train '$mail' -f mail -q --threads 1 \
    --classes easy_ham=ham,easy_ham_2=ham,hard_ham=ham,spam_2=spam -p tokens=rich \
    -o '$work/mail.model'" bogofilter \
    "rm -rf '$work/bogo' && mkdir '$work/bogo' && bogofilter -d '$work/bogo' -n -b < '$work/ham' &&
    bogofilter -d '$work/bogo' -s -b < '$work/spam'"
beside 'mail, judge' "'$credence' predict '$work/mail.model' '$mail' --threads 1 -q" bogofilter \
    "bogofilter -d '$work/bogo' -T -b < '$work/all'; [ \$? -lt 3 ]"
