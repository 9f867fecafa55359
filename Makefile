# Each target does all of its set-up. PRESET=dev (or asan, tsan, clang) picks another build.
PRESET ?= release
BUILD := build/$(PRESET)
JOBS ?= $(shell nproc)

.PHONY: build test demo bench format lint clean setup configure

build: configure
	@cmake --build $(BUILD) -j $(JOBS)

setup:
	@tools/setup

# Ninja reruns CMake by itself when a CMake file changed.
configure: setup
	@test -f $(BUILD)/build.ninja || cmake --preset $(PRESET)

test: build
	@ctest --test-dir $(BUILD) -j $(JOBS) --no-tests=error --output-on-failure -LE interop

demo: build
	@$(BUILD)/bin/lenet $(ARGS)

bench: build
	@$(BUILD)/bin/berth-bench $(ARGS)

format: setup
	@tools/format

lint: setup
	@tools/lint

clean:
	rm -rf build/*
