# bench/lib.sh - what the measuring scripts share. Sourced by them, with `here` set to this folder.
#
# bench_begin NAME BUILD sets `build`, `credence`, `data` (CREDENCE_BENCH_DIR, where files that were
# made stay) and `work`, which goes when the script ends. bench_python sets `python`.
# shellcheck shell=bash disable=SC2034

bench_begin() { # NAME BUILD
    build=$(realpath "$2")
    credence=$build/credence
    data=${CREDENCE_BENCH_DIR:-/tmp/credence-bench}
    for program in credence bench/generate bench/measure; do
        [ -x "$build/$program" ] ||
            { echo "bench: $build/$program is not there; run 'make bench'" >&2; exit 1; }
    done
    mkdir -p "$data"
    work=$(mktemp -d "$data/$1.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 1' HUP INT TERM
}

# The first Python that has the peers' packages; empty when there is none.
bench_python() {
    local candidate
    python=
    for candidate in python3 /usr/bin/python3; do
        ! "$candidate" -c 'import pandas, sklearn' 2> /dev/null || { python=$candidate; return 0; }
    done
}

# A file of what the command prints, unless it is there; then it is in the page cache.
bench_file() { # NAME COMMAND...
    local file=$data/$1
    shift
    if [ ! -s "$file" ]; then
        echo "bench: making $file" >&2
        "$@" > "$work/new" && mv "$work/new" "$file"
    fi
    cat "$file" > /dev/null
    echo "$file"
}

# The tables: 20 numbers and 5 classes, or 10 words out of 8 and 4 classes; and texts of 20 classes.
bench_table() { # dense|categorical|text ROWS
    case $1 in
    dense) bench_file "dense-$2.csv" "$build/bench/generate" dense "$2" 20 5 1 ;;
    categorical) bench_file "categorical-$2.csv" "$build/bench/generate" categorical "$2" 10 8 4 1 ;;
    text) bench_file "text-$2.txt" "$build/bench/generate" text "$2" 20 500000 1 ;;
    esac
}

# Wall seconds, CPU seconds and peak MiB of a command: the least of some runs; dashes when it fails.
bench_figures() { # REPEATS COMMAND...
    local repeats=$1
    shift
    "$build/bench/measure" "$repeats" /dev/null "$@" 2> "$work/errors" || {
        echo "- - -"
        grep -v '^ *$' "$work/errors" | head -n 3 | sed 's/^/bench:     /' >&2 || true
    }
}
bench_cost() { bench_figures "$@" | awk '{print $2}'; } # CPU seconds

bench_machine() {
    local cpu
    cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
    echo "$(date -u +%Y-%m-%d), ${cpu:-$(uname -m)}, $(nproc) processors, $(uname -sr)"
}
