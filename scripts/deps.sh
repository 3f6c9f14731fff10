#!/usr/bin/env bash
# deps.sh - install the Debian packages that a task needs and that are missing.
#
# Usage: scripts/deps.sh [--try] GROUP...    groups: build fuzz bench format, and each front end's
#
# With --try what cannot be installed is named and the exit status is 0: tests that need it skip.
# Nothing happens, and no network is used, when everything is there. A package counts as there when
# dpkg says so or when its probe succeeds, so a tool from elsewhere (a newer CMake, another
# distribution's library) is left alone.
set -euo pipefail

# group | package | probe | why
# A probe is "command NAME", "header NAME", "module NAME" (of pkg-config), "python NAME", "debpython NAME" (of the system's own
# Python), "r NAME" or
# "fuzzer COMPILER".
packages=$(
    cat <<'TABLE'
build|gcc|command cc|the C compiler
build|libc6-dev|header stdio.h|the C library's headers
build|cmake|command cmake|configures the build
build|ninja-build|command ninja|runs the build
build|pkg-config|command pkg-config|finds the libraries
build|libarchive-dev|module libarchive|reads .gz .bz2 .xz .zst .tar .zip
build|zlib1g-dev|module zlib|unpacks .gz and compares its checksum
build|libutf8proc-dev|module libutf8proc|knows the characters of Unicode
build|libstemmer-dev|header libstemmer.h|cuts words to their stems
build|libxxhash-dev|module libxxhash|hashes and checksums
build|libopenblas-pthread-dev|module openblas|multiplies and factors matrices
build|liblbfgs-dev|module liblbfgs|climbs likelihoods
build|libcairo2-dev|module cairo|draws PNG and PDF
build|libgraphviz-dev|module libgvc|lays out graphs
build|liblmdb-dev|module lmdb|keeps stores
build|libpq-dev|module libpq|keeps stores on a server
build|libcmocka-dev|module cmocka|runs the unit tests
fuzz|clang|command clang|has libFuzzer
fuzz|libclang-rt-14-dev|fuzzer clang|the run-time part of libFuzzer and the sanitizers
fuzz|llvm|command llvm-symbolizer|names functions in a crash report
bench|python3-pandas|python pandas|the yardstick's CSV reader
bench|python3-sklearn|python sklearn|the yardstick's naive Bayes
bench|r-base-core|command Rscript|runs the R yardsticks
bench|r-cran-e1071|r e1071|R's naive Bayes
bench|r-cran-data.table|r data.table|R's fast CSV reader
bench|weka|command weka|a yardstick for tan, aode and structures
bench|liblinear-tools|command liblinear-train|a yardstick for logistic regression
bench|zstd|command zstd|compresses and decompresses
bench|time|command time|measures peak memory
bench|wrk|command wrk|asks the server
bench|fasttext|command fasttext|a yardstick for texts
bench|bogofilter|command bogofilter|a yardstick for mail
bench|spamprobe|command spamprobe|another one
serve|libmicrohttpd-dev|module libmicrohttpd|speaks HTTP
serve|curl|command curl|asks the server in its tests
serve|chromium|command chromium|the browser that shows the workbench in tests
serve|nodejs|command node|runs what drives the browser in tests
serve|npm|command npm|gets playwright-core and axe-core for tests, into the build folder
serve|prometheus|command promtool|finds fault with the server's metrics
python|python3-dev|header python3.11/Python.h|builds the Python package
python|python3-numpy|debpython numpy|arrays of the Python package
python|python3-pytest|debpython pytest|runs its tests
python|python3-sklearn|debpython sklearn|its checks of estimators, and figures to agree with
python|python3-pandas|debpython pandas|frames
python|python3-scipy|debpython scipy|sparse matrices
python|valgrind|command valgrind|looks for bytes that the Python package loses
sql|sqlite3|command sqlite3|the shell that loads the SQLite extension
sql|libsqlite3-dev|header sqlite3ext.h|builds the SQLite extension
sql|postgresql-15|command /usr/lib/postgresql/15/bin/postgres|the server that tests start
sql|postgresql-server-dev-15|header postgresql/15/server/pg_config.h|builds the PostgreSQL extension
sql|xxd|command xxd|bytes as hexadecimal digits
milter|libmilter-dev|header libmilter/mfapi.h|speaks with mail servers
milter|postfix|command /usr/sbin/postfix|the mail server that tests start
milter|swaks|command swaks|sends mail over SMTP
milter|dovecot-imapd|command /usr/lib/dovecot/imap|moves mail between folders in tests
milter|dovecot-sieve|command sievec|teaches by mail that is moved
mpi|libopenmpi-dev|command mpicc|builds the transport of jobs on many machines
mpi|openmpi-bin|command mpirun|runs them in tests
mpi|procps|command pgrep|finds the processes that tests stop
mpi|iproute2|command tc|makes the hosts that tests run on
format|clang-format|command clang-format|formats the C files
TABLE
)

probe() { # KIND NAME
    case $1 in
    command) type -P "$2" >/dev/null ;;
    header) printf '#include <%s>\n' "$2" | cc -E -x c - >/dev/null 2>&1 ;;
    module) pkg-config --exists "$2" 2>/dev/null ;;
    python) python3 -c "import $2" >/dev/null 2>&1 ;;
    debpython) /usr/bin/python3 -c "import $2" >/dev/null 2>&1 ;;
    r) Rscript -e "library($2)" >/dev/null 2>&1 ;;
    fuzzer) echo "int LLVMFuzzerTestOneInput(void *d, unsigned long n) { return !d && n; }" |
        "$2" -fsanitize=fuzzer -x c - -o /dev/null >/dev/null 2>&1 ;;
    esac
}

try=0
if [ "${1:-}" = --try ]; then
    try=1
    shift
fi
groups=$(cut -d '|' -f 1 <<<"$packages" | uniq | tr '\n' ' ')
[ $# -gt 0 ] || { echo "usage: scripts/deps.sh [--try] GROUP...   ($groups)" >&2; exit 2; }
for group in "$@"; do
    grep -q "^$group|" <<<"$packages" || { echo "deps: there is no group '$group'" >&2; exit 2; }
done

installed=" $(dpkg-query -W -f '${db:Status-Status} ${Package}\n' 2>/dev/null |
    sed -n 's/^installed //p' | tr '\n' ' ' || true)"
missing=()
reasons=()
while IFS='|' read -r group package kind_name why; do
    [[ " $* " == *" $group "* ]] || continue
    [[ $installed == *" $package "* ]] && continue
    probe ${kind_name} && continue
    missing+=("$package")
    reasons+=("$(printf '  %-20s %s' "$package" "$why")")
done <<<"$packages"

[ ${#missing[@]} -gt 0 ] || exit 0

echo "deps: these Debian packages are missing for $*:"
printf '%s\n' "${reasons[@]}"

refuse() {
    echo "deps: $1" >&2
    echo "deps: install them (or what your system calls them) and run the command again:" >&2
    echo "    apt-get install ${missing[*]}" >&2
    [ $try = 0 ] || { echo "deps: what needs them is left out" >&2; exit 0; }
    exit 1
}

type -P apt-get >/dev/null || refuse "cannot install them: this system has no apt-get"
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    type -P sudo >/dev/null || refuse "cannot install them: not root, and there is no sudo"
    as_root=(sudo)
fi

echo "deps: installing them with ${as_root[*]:+sudo }apt-get"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { "${as_root[@]}" apt-get update -q &&
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -q -y -o DPkg::Lock::Timeout=120 --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    refuse "apt-get failed; its last words are above"
fi
echo "deps: done"
