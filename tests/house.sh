#!/usr/bin/env bash
# house.sh - checks of the structure of the source tree.
#
# Each check prints its violations, one to a line. A list of exceptions, if any, is next to its
# check and only shrinks.
. "$(dirname "$0")/cli/lib.bash"
cd "$CREDENCE_SOURCE" || exit 1
objects=$(dirname "$CREDENCE_BIN")/CMakeFiles/credence_objects.dir

# The rooms of src/, lowest first: a room uses only itself and those before it.
rooms="base data text source stats belief network model learners file train decide store ask eval
    plot render draw"

# The command and the other front ends.
fronts="cli $(sed -n 's/^set(CREDENCE_FRONTENDS \([a-z ]*\) CACHE.*/\1/p' cmake/frontends.cmake)"
case " $fronts " in *" serve "*) ;; *) fail "cmake/frontends.cmake names no front end" ;; esac

# Each line of standard input is a violation.
breaches() { # what
    checks=$((checks + 1))
    while read -r line; do
        fail "$1: $line"
    done
}

# --- rooms --------------------------------------------------------------------------------------

breaches "a room that is not in the order of tests/house.sh" < <(
    for path in src/*/; do
        room=$(basename "$path")
        case " $(echo $rooms) " in *" $room "*) ;; *) echo "$room" ;; esac
    done)

breaches "an #include of a later room" < <(
    find src -name '*.[ch]' -exec grep -H '^ *#include "' {} + | awk -v rooms="$(echo $rooms)" '
        BEGIN { n = split(rooms, r, " "); for (i = 1; i <= n; i++) at[r[i]] = i }
        {
            split($0, part, ":#include \""); split(part[1], from, "/"); split(part[2], to, "/")
            if ((to[1] in at) && at[to[1]] > at[from[2]]) print part[1] " includes " part[2]
        }')

# Symbols of the objects in this build whose source files still exist: FILE TYPE NAME. nm repeats
# FILE for each symbol: FILE.o:      U name
object_symbols() {
    (cd "$objects" && find src -name '*.o' | while read -r object; do
        [ ! -f "$CREDENCE_SOURCE/${object%.o}" ] || echo "$object"
    done | xargs nm -A) | sed -E 's/^([^:]*)\.o: *[0-9a-f]* /\1 /'
}

if [ -d "$objects" ] && command -v nm >/dev/null; then
    breaches "a symbol of a later room" < <(
        object_symbols | awk -v rooms="$(echo $rooms)" '
            BEGIN { n = split(rooms, r, " "); for (i = 1; i <= n; i++) at[r[i]] = i }
            $2 == "U" { use[$1 " " $3] = 1 }
            $2 ~ /^[TDRBCV]$/ { home[$3] = $1 }
            END {
                for (u in use) {
                    split(u, part, " "); split(part[1], from, "/")
                    if (part[2] in home) {
                        split(home[part[2]], to, "/")
                        if (at[to[2]] > at[from[2]])
                            print part[1] " uses " part[2] " of " home[part[2]]
                    }
                }
            }')

    # An external name that only its own file uses should be static, and one that nobody uses should
    # go. Tests, fuzz targets and benchmarks need these:
    for_tests="cr__memory_fail_after cr__ascii_level_limit cr__scan_level_limit
        cr__source_sample_size cr__source_index_limit cr__json_places_limit
        cr__container_seal cr__container_seal_header
        cr__lr_kernel_plain cr__aode_sums_plain cr__bits_common_plain cr__tokenizer_run
        cr__network_parse cr__diagram_parse cr__network_print
        cr__normal_pdf cr__random_exponential cr__log_joint cr__g_square cr__sample_gibbs_within
        cr__cases_new cr__cases_index cr__inference_session_propagations cr__nb_judge_forms cr__regress_rows
        cr__store_committed"
    breaches "a symbol that no other file uses" < <(
        object_symbols | awk -v for_tests="$(echo $for_tests)" '
            BEGIN { n = split(for_tests, t, " "); for (i = 1; i <= n; i++) listed[t[i]] = 1 }
            $2 == "U" { used[$3] = 1 }
            $2 ~ /^[TDRBCV]$/ && $3 ~ /^cr__/ { home[$3] = $1 }
            END {
                for (name in home)
                    if (!(name in used) && !(name in listed)) print name " of " home[name]
                for (name in listed)
                    if (!(name in home) || name in used) print name ", which need not be listed"
            }')
fi

# A front end may include its own headers, those of credence/ and those of other packages.
breaches "a front end includes a header of src/" < <(
    for front in $fronts; do
        [ -d "$front" ] || continue
        find "$front" -name '*.[ch]' -exec grep -H '^ *#include "' {} + |
            while IFS=: read -r file include; do
                name=${include#*\"}
                name=${name%\"*}
                [ -f "$front/$name" ] || [ -f "$(dirname "$file")/$name" ] ||
                    case $name in
                    *src/*) echo "$file includes $name" ;;
                    *) [ ! -f "src/$name" ] || echo "$file includes $name" ;;
                    esac
            done
    done)

# --- names --------------------------------------------------------------------------------------

# A name denotes only one struct, union or enum.
breaches "a type name that several files define" < <(
    find src include -name '*.[ch]' -exec grep -HoE \
        '^(typedef )?(struct|union|enum) cr_[a-z_0-9]+ \{' {} + |
        sed -E 's/^([^:]*):.*(cr_[a-z_0-9]+) \{/\2 \1/' | sort | awk '
            $1 == name { print $1 " in " file " and " $2 }
            { name = $1; file = $2 }')

# A program that uses the library is not the command: messages do not name its options. --ink:# and
# var(--ink) belong to style sheets.
breaches "an option of the command in a string of src/" < <(
    find src -name '*.c' -exec grep -HnP '"([^"\\]|\\.)*--[a-z][a-z-]+(?![a-z-]*(\)|:#))' {} +)

# Options may grow: a struct of them begins with its size, which tells the versions apart.
breaches "options without a size" < <(
    awk '/^typedef struct cr_[a-z_0-9]*options \{/ { name = $3; next }
        name != "" { if ($0 !~ /^    size_t size;/) print FILENAME ": " name; name = "" }' \
        include/credence/*.h)

# Statistics belong in the library, where every front end can use them. These files convert
# logarithms to figures for people:
breaches "mathematics in cli/" < <(
    find cli -name '*.c' | while read -r file; do
        case $file in
        cli/verbs/hypotheses.c | cli/network/answers.c | cli/estimate/picture.c | \
            cli/explain/shares.c | cli/show/show.c | cli/show/members.c) continue ;;
        esac
        sed 's/"[^"]*"//g' "$file" |
            grep -nE '\<(log|log2|log10|log1p|exp|expm1|sqrt|pow|erf|erfc|lgamma)\(' |
            sed "s|^|$file:|"
    done)

# --- the text of the files ----------------------------------------------------------------------

breaches "a line of more than 100 columns" < <(
    find src include $fronts tests fuzz bench examples -name '*.[ch]' \
        -not -path '*/build/*' 2>/dev/null | LC_ALL=C.UTF-8 xargs grep -nE '^.{101}' |
        cut -d: -f1,2)

# A declaration follows a comment, or other declarations that the same comment covers.
breaches "a public function without a comment" < <(
    for header in include/credence/*.h; do
        awk -v file="$header" '
            /^#ifdef __cplusplus|^extern "C"|^#endif|^$/ { documented = 0 }
            /\*\// { documented = 1 }
            /^[a-z][a-zA-Z_0-9 *]* \**cr_[a-z_0-9]+\(/ {
                if (!documented) print file ":" FNR ": " $0
            }' "$header"
    done)

# A program that uses a function has an example to look at: a C test, or one of examples/. A line
# such as `typedef int cr_hint_words(...)` is a type, not a function.
breaches "a public function that no C test and no example calls" < <(
    comm -23 \
        <(grep -hE '^[a-z][a-zA-Z_0-9 *]* \**cr_[a-z_0-9]+\(' include/credence/*.h |
            grep -v '^typedef' | sed -E 's/\(.*//; s/.*[ *]//' | sort -u) \
        <(find tests examples -name '*.c' -exec cat {} + | perl -0pe 's{/\*.*?\*/}{}gs' |
            grep -oE '\<cr_[a-z_0-9]+' | sort -u))

finish
