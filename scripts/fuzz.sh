#!/usr/bin/env bash
# fuzz.sh - run each fuzz target for a while, starting from its seeds.
#
# Usage: scripts/fuzz.sh BUILD SECONDS
#
# What the fuzzer learns is kept in BUILD/corpus and used the next time; an input that crashes a
# target is left in BUILD/crashes. Every target runs; the exit status is 1 when any crashed.
set -euo pipefail
build=$1
seconds=$2
source=$(cd "$(dirname "$0")/.." && pwd)

export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:allocator_may_return_null=1
export LSAN_OPTIONS=suppressions=$source/tests/leaks.supp:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1
ran=0
crashed=()
for program in "$build"/fuzzers/fuzz_*; do
    [ -x "$program" ] || continue
    thing=${program##*/fuzz_}
    corpus=$build/corpus/$thing
    crashes=$build/crashes/$thing
    log=$build/$thing.log
    seeds=$source/fuzz/seeds/$thing
    mkdir -p "$corpus" "$crashes"
    ran=$((ran + 1))
    if "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$crashes/" "$corpus" $([ -d "$seeds" ] && echo "$seeds") >"$log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        echo "fuzz: $thing: ${runs:-0} inputs in $seconds s, no crash"
    else
        crashed+=("$thing")
        tail -n 40 "$log"
        echo "fuzz: $thing: CRASHED; the input is in $crashes"
    fi
done

[ "$ran" -gt 0 ] || { echo "fuzz: there is no fuzz target in $build/fuzzers" >&2; exit 1; }
echo "fuzz: $((ran - ${#crashed[@]})) of $ran targets held"
[ ${#crashed[@]} -eq 0 ]
