#!/usr/bin/env bash
# libraries.sh - large libraries are opened only when needed; a missing one is named.
. "$(dirname "$0")/lib.bash"
cp "$CREDENCE_SOURCE"/examples/data/{iris,tax,messages}.csv .
gzip -k iris.csv

# The command looks for these names; in this folder they are empty files.
mkdir broken
grep -aoE 'lib(openblas|lbfgs|archive|stemmer|cairo|gvc)\.so\.[0-9a-z]+' "$CREDENCE_BIN" | sort -u >names
while read -r name; do : >"broken/$name"; done <names
without() { LD_LIBRARY_PATH=$PWD/broken credence "$@"; }

# --- none is bound at the start -------------------------------------------------------------------
expect 0 env LD_TRACE_LOADED_OBJECTS=1 "$CREDENCE_BIN"
says out libc.so
checks=$((checks + 1))
! grep -F -f names out || fail "these are linked"

# --- what needs none works without ----------------------------------------------------------------
expect 0 without train -q iris.csv -o iris.model
expect 0 without predict iris.model iris.csv
cp out predicted
expect 0 credence predict iris.model iris.csv
same "what was predicted" "$(cat out)" "$(cat predicted)"
expect 0 without explain iris.model iris.csv
expect 0 without show iris.model
expect 0 without learn iris.model iris.csv -o more.model
expect 0 without test iris.model iris.csv
expect 0 without train -q messages.csv -o messages.model
expect 0 credence train -q messages.csv -m logistic -o weights.model
expect 0 without predict weights.model messages.csv
expect 0 without plot confusion iris.model iris.csv -o confusion.svg
printf 'Subject: win\n\nwin money now\n' >mail
run without filter messages.model mail
checks=$((checks + 1))
[ "$status" -le 2 ] || fail "filter ends with $status"

# --- what needs one says which, and leaves nothing behind -----------------------------------------
lacks() { # FILE PACKAGE OUTPUT COMMAND...
    local name=$1 package=$2 output=$3
    shift 3
    expect 1 without "$@"
    says err "a library cannot be used: "
    says err "broken/$name"
    says err "(Debian: $package)"
    checks=$((checks + 1))
    [ ! -e "$output" ] || fail "$output is there"
    expect 0 credence "$@"
    checks=$((checks + 1))
    [ -s "$output" ] || fail "$output is not there"
}
lacks libopenblas.so libopenblas0-pthread gda.model train -q iris.csv -m gda -o gda.model
lacks libopenblas.so libopenblas0-pthread line.model train -q iris.csv -m linear -t petal_width \
    -o line.model
lacks libopenblas.so libopenblas0-pthread newton.model train -q iris.csv -m logistic \
    -p solver=newton -o newton.model
lacks liblbfgs.so liblbfgs0 laplace.model train -q iris.csv -m logistic -p prior=laplace \
    -o laplace.model
lacks libarchive.so libarchive13 unpacked.model train -q iris.csv.gz -o unpacked.model
lacks libstemmer.so libstemmer0d stems.model train -q messages.csv -p stem=en -o stems.model
expect 1 without predict gda.model iris.csv
says err libopenblas0-pthread
expect 1 without predict line.model iris.csv
says err libopenblas0-pthread
expect 0 credence predict gda.model iris.csv
expect 0 credence predict line.model iris.csv

# --- any OpenBLAS will do: Debian keeps those that are installed in folders of their own ----------
expect 0 credence predict gda.model iris.csv --proba
cp out predicted
for one in /usr/lib/*/openblas-*; do
    [ -e "$one/$(grep openblas names)" ] || continue
    expect 0 env LD_LIBRARY_PATH="$one" "$CREDENCE_BIN" predict gda.model iris.csv --proba
    same "what ${one##*/} predicts" "$(cat out)" "$(cat predicted)"
    expect 0 env LD_LIBRARY_PATH="$one" "$CREDENCE_BIN" train -q iris.csv -m gda -o one.model
    checks=$((checks + 1))
    cmp -s gda.model one.model || fail "${one##*/} learns another model"
done

if grep -q libcairo names; then
    lacks libcairo.so libcairo2 confusion.png plot confusion iris.model iris.csv -o confusion.png
    same "the form of the picture" "$(head -c 4 confusion.png | tail -c 3)" PNG
    lacks libcairo.so libcairo2 confusion.pdf plot confusion iris.model iris.csv -o confusion.pdf
    same "the form of the page" "$(head -c 4 confusion.pdf)" %PDF
fi
if grep -q libgvc names; then
    expect 0 credence train -q tax.csv -m network -o network.model
    lacks libgvc.so libgvc6 network.svg plot network network.model -o network.svg
fi
finish
