# Credence. `make list` names the targets. CMake does the work: see CMakeLists.txt and
# CMakePresets.json.

JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
PREFIX ?= /usr/local
FRONTENDS := $(patsubst %/CMakeLists.txt,%,$(wildcard serve/CMakeLists.txt python/CMakeLists.txt \
    sql/CMakeLists.txt mpi/CMakeLists.txt milter/CMakeLists.txt))

.PHONY: all demo serve-demo check test python bench fuzz asan tsan debug install package clean format list deps
.DEFAULT_GOAL := all

all: build/build.ninja ## build the library and the command, build/credence
	@cmake --build build -j $(JOBS)

demo: build/build.ninja ## build the command and show what it does, on small tables
	@cmake --build build -j $(JOBS) --target credence
	@scripts/demo.sh build/credence

serve-demo: all ## serve models of the example tables, with the workbench, until Ctrl-C
	@scripts/serve_demo.sh build/credence

check: all ## build and run the tests of the library and the command, in about a minute
	@ctest --preset release -j $(JOBS) -LE '^(frontend|slow)$$'

test: frontends all ## build and run every test, those of all front ends among them
	@ctest --preset release -j $(JOBS)

python: ## build the Python package in build/python
	@scripts/deps.sh build python
	@cmake --preset release >/dev/null
	@cmake --build build -j $(JOBS) --target credence_python credence_python_files

asan tsan debug: %: build/%/build.ninja
	@cmake --build build/$@ -j $(JOBS)
	@ctest --preset $@ -j $(JOBS)

asan: ## run the tests under AddressSanitizer and UndefinedBehaviorSanitizer
tsan: ## run the tests of threads under ThreadSanitizer
debug: ## run the tests in a build for the debugger, build/debug

fuzz: build/fuzz/build.ninja ## fuzz each target for FUZZ_SECONDS (60)
	@cmake --build build/fuzz -j $(JOBS)
	@scripts/fuzz.sh build/fuzz $(FUZZ_SECONDS)

bench: build/build.ninja ## one table: plain C, this, scikit-learn, Weka, LIBLINEAR; into build/bench.md
	@scripts/deps.sh bench
	@cmake -S . -B build -D CREDENCE_BENCH=ON >/dev/null
	@cmake --build build -j $(JOBS)
	@bench/table.sh --out build/bench.md build

install: all ## install under PREFIX (/usr/local); DESTDIR is honoured
	@cmake --install build --prefix $(PREFIX)

package: all ## make Debian packages in build/
	@cd build && cpack

format: ## format the C files in place
	@scripts/deps.sh format
	@git ls-files '*.c' '*.h' | xargs -r clang-format -i

clean: ## remove everything that was built
	@rm -rf build

list: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | sort | expand -t 12

deps:
	@scripts/deps.sh build

# What the front ends need, as far as it can be installed; then they are looked for again.
.PHONY: frontends
frontends: deps
	@$(if $(FRONTENDS),scripts/deps.sh --try $(FRONTENDS))
	@cmake --preset release >/dev/null

build/build.ninja: CMakePresets.json | deps
	@cmake --preset release

build/%/build.ninja: CMakePresets.json | deps
	@$(if $(filter fuzz,$*),scripts/deps.sh fuzz)
	@cmake --preset $*
