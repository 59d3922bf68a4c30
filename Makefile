# A short front for CMake presets and script/; nothing is decided here.
PRESET ?= dev
T      ?=
F      ?=
PREFIX ?= /usr/local

build: ## configure and build (PRESET=dev: warnings, address and undefined sanitizers)
	@cmake --preset $(PRESET) --log-level=WARNING
	@cmake --build --preset $(PRESET)

test: build ## run the tests, or those whose name has T: make test T=bm25
	@ctest --preset $(PRESET) -j2 $(if $(T),-R '$(T)')

check: ## everything that must pass before merging
	@script/test

quick: ## the everyday part of it: format, layers, build, tests
	@script/test --quick

fuzz: ## run every fuzz target, or the one called F, for a minute: make fuzz F=json
	@script/fuzz --seconds 60 $(F)

bench: ## build and run the benchmarks
	@cmake --preset release -DDEFT_BENCH=ON --log-level=WARNING
	@cmake --build --preset release
	@for bench in build/release/bench/bench_*; do if [ -x $$bench ]; then $$bench; fi; done

figures: build ## record what search reaches on our own judged set (tests/quality/set)
	@build/$(PRESET)/tests/quality/quality_own_set tests/quality/set --rewrite

format: ## rewrite the sources in the house format
	@script/format --fix

layers: ## draw which folder includes which; fails on an upward include
	@script/layers --draw

golden: build ## make tests/golden say what the program does now; the diff is what to read
	@tests/cli/run build/$(PRESET)/bin/deft --rewrite
	@build/$(PRESET)/tests/gateway_conversation --rewrite tests/golden/gateway/*.txt
	@DEFT_REWRITE=1 build/$(PRESET)/tests/test_gateway_link >/dev/null

coverage: ## line coverage per folder
	@script/test coverage

docs: ## run the shell blocks of README.md and docs/
	@script/test docs

install: ## build what we ship and install it under PREFIX (/usr/local)
	@cmake --preset release --log-level=WARNING
	@cmake --build --preset release
	@cmake --install build/release --prefix $(PREFIX)

clean: ## remove everything that was built
	@rm -rf build

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t12

.PHONY: build test check quick fuzz bench figures format layers golden coverage docs install clean help
