# Two commands do everything: `make demo` shows the tool at work, `make test` checks all of it. Both
# install what is missing (Debian packages), build, and can be repeated at will.
.DEFAULT_GOAL := help
.PHONY: help demo test test-deep test-torch lint bench build python package check-package configure-dev clean \
        deps-build deps-test deps-python deps-bench deps-deep deps-package

JOBS := $(shell nproc)

help:
	@echo "make demo       install what is missing, build, run the tool on an embedded example"
	@echo "make test       install what is missing, build, run every test"
	@echo "make test-deep  the tests again under sanitizers, and those of deep models"
	@echo "make test-torch deep models alone, on the CPU (installs libtorch)"
	@echo "make lint       formatting, clang-tidy, include directions, links of the docs"
	@echo "make python     a wheel of the Python package, in dist/"
	@echo "make package    Debian packages, in dist/ (TORCH=1: with those of deep models)"
	@echo "make bench      benchmarks, with peers in the same run"

demo: build
	./build/release/dpfermi demo

build: deps-build
	@echo "== build (build/release)"
	@cmake --preset release --log-level=WARNING > /dev/null
	@cmake --build --preset release -j $(JOBS)

python: deps-python
	@echo "== wheel (dist)"
	@/usr/bin/python3 -m build --wheel --no-isolation

# The same sources give the same bytes: the time in the packages is that of the commit.
package: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
package: deps-package
	@echo "== build (build/package)"
	@cmake --preset package --log-level=WARNING -DDPFERMI_TORCH=$(if $(TORCH),ON,OFF) > /dev/null
	@cmake --build --preset package -j $(JOBS)
	@echo "== packages (dist)"
	@rm -rf build/package/packed && mkdir -p dist && rm -f dist/*.deb
	@cpack --config build/package/CPackConfig.cmake -B build/package/packed > build/package/cpack.log || \
	  { cat build/package/cpack.log; exit 1; }
	@cp build/package/packed/*.deb dist && cd dist && sha256sum *.deb

# Not a part of `make test`: it downloads a bare Debian and a compiler for it.
check-package:
	@tools/install_dependencies.sh inspect
	@tools/check_package.sh dist

test: configure-dev
	@echo "== build (build/dev)"
	@cmake --build --preset dev -j $(JOBS)
	@echo "== test"
	@ctest --preset dev -j $(JOBS)

# The sanitizers see the fast tests only: the statistical ones check numbers, not memory.
# ThreadSanitizer sees the programs that start threads; XGBoost's library is not built for it.
THREADED := test_core_fast test_random_fast test_privacy_mechanism_fast test_privacy_ledger_fast \
            test_optimize_fast
test-deep: deps-test
	@echo "== test under AddressSanitizer and UndefinedBehaviorSanitizer"
	@cmake --preset asan --log-level=WARNING > /dev/null
	@cmake --build --preset asan -j $(JOBS)
	@ctest --preset asan -j $(JOBS) -L fast
	@echo "== test under ThreadSanitizer"
	@cmake --preset tsan --log-level=WARNING > /dev/null
	@cmake --build --preset tsan -j $(JOBS) --target $(THREADED)
	@for program in $(THREADED); do TSAN_OPTIONS=ignore_noninstrumented_modules=1 \
	  ./build/tsan/tests/$$program --gtest_brief=1 || exit 1; done
	@$(MAKE) --no-print-directory test-torch

# A file with libtorch's headers takes 1.3 GB to compile: two at a time. One thread, since OpenMP's
# threads spin where others compute.
test-torch: deps-deep configure-dev
	@echo "== deep models (build/torch)"
	@cmake -S src/torch -B build/torch -G Ninja -DDPFERMI_TORCH_WERROR=ON --log-level=ERROR -Wno-dev > /dev/null
	@cmake --build build/torch -j 2 --target test_torch deep_program example_resnet
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 build/torch/test_torch --gtest_brief=1
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 sh tests/torch/component_test.sh build/torch/dpfermi-deep
	@cmake --build --preset dev -j $(JOBS) --target dpfermi_tool test_component
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 sh tests/torch/tool_test.sh build/dev/dpfermi \
	  build/torch ../shared/data
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 DPFERMI_DEEP=build/torch/dpfermi-deep build/dev/tests/test_component --gtest_brief=1
	@cmake -DBUILD=build/dev -DTORCH=build/torch -DSOURCE=tests/install -DWORK=$(CURDIR)/build/torch/install \
	  -DMUTANTS=ON -P tests/install/run.cmake

lint: configure-dev
	@echo "== lint"
	@tools/lint.sh build/dev

bench: deps-bench
	@echo "== build (build/bench)"
	@cmake --preset bench --log-level=WARNING > /dev/null
	@cmake --build --preset bench -j $(JOBS) --target dpfermi_tool bench/all
	@bench/run.sh build/bench

configure-dev: deps-test
	@cmake --preset dev --log-level=WARNING > /dev/null

deps-build:
	@tools/install_dependencies.sh build
deps-test:
	@tools/install_dependencies.sh build test
deps-python:
	@tools/install_dependencies.sh build python
deps-package:
	@tools/install_dependencies.sh build package $(if $(TORCH),deep)
deps-deep:
	@tools/install_dependencies.sh deep
deps-bench:
	@tools/install_dependencies.sh build bench

clean:
	rm -rf build
