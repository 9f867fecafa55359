# Each target does all of its set-up. PRESET=dev (or asan, tsan, clang) picks another build.
PRESET ?= release
BUILD := build/$(PRESET)
JOBS ?= $(shell nproc)

# Tests that a person reads about: everything but those that need TensorFlow (make interop).
CTEST := ctest --test-dir $(BUILD) -j $(JOBS) --no-tests=error --output-on-failure \
	--test-output-size-passed 1000000 --test-output-size-failed 1000000

.PHONY: build tests test demo interop bench gpu-check cuda-toolkit check format lint clean setup \
	configure

build: configure
	@cmake --build $(BUILD) -j $(JOBS)

setup:
	@tools/setup

# Ninja reruns CMake by itself when a CMake file changed.
configure: setup
	@test -f $(BUILD)/build.ninja || cmake --preset $(PRESET)

# The test programs are built here and not by `make build`, which is for those who run berth.
tests: build
	@cmake --build $(BUILD) -j $(JOBS) --target berth_tests

test: tests
	@$(CTEST) -LE interop --output-junit tests.xml
	@tools/check_skips $(BUILD)/tests.xml

demo: build
	@$(BUILD)/bin/lenet $(ARGS)

# The tests against TensorFlow itself, which is installed from PyPI into build/venv-tf.
interop: tests
	@tools/venv_tf
	@$(CTEST) -L interop --output-junit interop.xml
	@tools/check_skips $(BUILD)/interop.xml

# The CUDA compiler and libraries, from PyPI, for machines without a CUDA toolkit.
cuda-toolkit: setup
	@tools/cuda_toolkit

gpu-check:
	@tools/gpu_check

check:
	@tools/check

bench: build
	@$(BUILD)/bin/berth-bench $(ARGS)

format: setup
	@tools/format

lint: build
	@tools/lint

clean:
	rm -rf build/*
