#!/usr/bin/env bash
# external.sh - verbs that are separate programs are found in the command's folder and in the PATH.
. "$(dirname "$0")/lib.bash"

mkdir bin
cp "$CREDENCE_BIN" bin/credence
expect 2 env PATH=/usr/bin:/bin bin/credence serve
says err "there is no program credence-serve"
says err "scripts/deps.sh serve"
printf '#!/bin/sh\necho "beside: $0 $*"; exit 7\n' >bin/credence-serve
chmod +x bin/credence-serve
expect 7 bin/credence serve --listen 'a b'
says out "credence-serve --listen a b"
mkdir path
mv bin/credence-serve path/
expect 7 env PATH="$PWD/path:$PATH" bin/credence serve
says out "path/credence-serve"
expect 2 credence serv
says err "did you mean credence serve?"
expect 0 credence --help
says out "answer over HTTP"
finish
