# install.sh - what `make install` leaves can be used: headers, libraries, credence.pc, man pages.
set -euo pipefail
build=$(realpath "$(dirname "$CREDENCE_BIN")")

# A program without the sanitizers cannot load a library that has them.
if ! grep -q '^CREDENCE_SANITIZE:STRING=$' "$build/CMakeCache.txt"; then
    exit 77
fi

fail() { echo "install: $*" >&2; exit 1; }

folder=$(mktemp -d)
readonly folder
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir work
cmake --install "$build" --prefix "$PWD/there" >work/log
lib=$(dirname "$(find there -name libcredence.so)")
export PKG_CONFIG_PATH=$PWD/$lib/pkgconfig
export LD_LIBRARY_PATH=$PWD/$lib

# Each public header stands alone, without a warning, in C and (where there is a compiler) in C++.
for header in there/include/credence/*.h; do
    echo "#include <credence/${header##*/}>" >work/header.c
    cc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only $(pkg-config --cflags credence) \
        work/header.c || fail "$header does not stand alone"
    if type -P c++ >/dev/null; then
        c++ -x c++ -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
            $(pkg-config --cflags credence) work/header.c || fail "$header is not fit for C++"
    fi
done

# A program builds with only the flags of pkg-config, and finds the version that it states.
cat >work/program.c <<'C'
#include <credence/credence.h>
#include <stdio.h>
int main(void)
{
    puts(cr_version());
    return 0;
}
C
cc -std=c17 work/program.c $(pkg-config --cflags --libs credence) -o work/program
[ "$(work/program)" = "$(pkg-config --modversion credence)" ] || fail "versions differ"
[[ $(there/bin/credence --version) == *"$(pkg-config --modversion credence)"* ]] ||
    fail "the command has another version"

# So does one with the static library; libraries opened only when needed are not linked to it.
cc -std=c17 work/program.c $(pkg-config --cflags credence) "$lib/libcredence.a" \
    $(pkg-config --static --libs credence | sed 's/-lcredence//') -o work/static
[ "$(work/static)" = "$(work/program)" ] || fail "the static library has another version"
if ldd work/static work/program | grep -E 'openblas|archive|stemmer|cairo|gvc'; then
    fail "these are bound at the start"
fi

# The shared library exports only the public names.
others=$(nm -D --defined-only "$lib/libcredence.so" | awk '$2 != "A" { print $3 }' |
    grep -v '^cr_[a-z]' || true)
[ -z "$others" ] || fail "exports $others"

# There is a man page for the command and for each verb, and a completion for each shell.
if there/bin/credence help --list >work/verbs 2>/dev/null; then
    for page in credence $(sed 's/^/credence-/' work/verbs); do
        [ -s "there/share/man/man1/$page.1" ] || fail "there is no man page $page.1"
    done
    [ "$(find there/share -path '*complet*' -name '*credence*' -size +0 -type f | wc -l)" -ge 2 ] ||
        fail "completions are missing"
fi
echo "install: done"
