#!/usr/bin/env bash
# manual.sh - have the command write its man pages and completions.
#
# Usage: scripts/manual.sh COMMAND FOLDER
set -euo pipefail
command=$1
folder=$2

mkdir -p "$folder/man" "$folder/bash" "$folder/zsh" "$folder/fish"
if ! verbs=$("$command" help --list 2>/dev/null); then
    echo "manual: this command has no 'help --list'; no man pages or completions are made"
    exit 0
fi
"$command" help --man >"$folder/man/credence.1"
for verb in $verbs; do
    "$command" help --man "$verb" >"$folder/man/credence-$verb.1"
done
"$command" help --completion bash >"$folder/bash/credence"
"$command" help --completion zsh >"$folder/zsh/_credence"
"$command" help --completion fish >"$folder/fish/credence.fish"
