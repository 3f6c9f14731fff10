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

# Run one target; its exit status says whether it held.
fuzz() { # PROGRAM
    local program=$1 thing=${1##*/fuzz_} runs
    local corpus=$build/corpus/$thing crashes=$build/crashes/$thing log=$build/$thing.log
    local seeds=$source/fuzz/seeds/$thing

    mkdir -p "$corpus" "$crashes"
    if "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$crashes/" "$corpus" $([ -d "$seeds" ] && echo "$seeds") >"$log" 2>&1; then
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
        echo "fuzz: $thing: ${runs:-0} inputs in $seconds s, no crash"
    else
        tail -n 40 "$log"
        echo "fuzz: $thing: CRASHED; the input is in $crashes"
        return 1
    fi
}

# As many at a time as there are processors.
ran=0
failed=0
for program in "$build"/fuzzers/fuzz_*; do
    [ -x "$program" ] || continue
    if [ "$ran" -ge "$(nproc)" ]; then
        wait -n || failed=$((failed + 1))
    fi
    fuzz "$program" &
    ran=$((ran + 1))
done
for ((i = 0; i < ran && i < $(nproc); i++)); do
    wait -n || failed=$((failed + 1))
done

[ "$ran" -gt 0 ] || { echo "fuzz: there is no fuzz target in $build/fuzzers" >&2; exit 1; }
echo "fuzz: $((ran - failed)) of $ran targets held"
[ "$failed" -eq 0 ]
