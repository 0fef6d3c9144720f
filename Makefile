# Two commands matter to a newcomer: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
DATA := $(abspath ../shared/data/uci)
ifneq ($(wildcard $(DATA)),)
export LEASTNOISE_DATA ?= $(DATA)
endif
# One thread per process: the tests run in parallel processes.
export OMP_NUM_THREADS ?= 1
export OPENBLAS_NUM_THREADS ?= 1
# Where compiled modules may not be kept, every process of the tests compiles the package anew.
unexport PYTHONDONTWRITEBYTECODE
# Pictures need no display.
export MPLBACKEND ?= Agg
# Processes of tests: more of them want more memory than many machines have.
WORKERS ?= 2
PIP_OPTIONS := --quiet --disable-pip-version-check --no-compile -c constraints.txt
# PySpark comes as its source: half a gigabyte of packed files, which its build would pack again.
UV_OPTIONS := --quiet --system-certs --python $(BIN)/python -c constraints.txt \
  --config-settings-package pyspark:--build-option=--compression=stored
# What pip installed is compiled on all cores: on one it takes half a minute.
COMPILE = @$(BIN)/python -m compileall -qq -j 0 $(VENV)/lib || true

.PHONY: release lowest demo test suite browser lint style types slow every-commit bench bench-tables diffprivlib bench-classifiers against-diffprivlib reproduce wheel clean coq proof agreement

$(VENV)/.core: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(PIP_OPTIONS) -e .
	$(COMPILE)
	touch $@

# All extras are many packages: uv fetches them on all cores, and what is imported is compiled then;
# where uv cannot, pip.
$(VENV)/.dev: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install $(PIP_OPTIONS) uv \
	  && $(BIN)/uv pip install $(UV_OPTIONS) -e '.[dev]' \
	  || $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@ $(VENV)/.core $(VENV)/.tables

$(VENV)/.tables: $(VENV)/.core
	$(BIN)/python -m pip install $(PIP_OPTIONS) -e '.[tables]'
	touch $@

demo: $(VENV)/.tables
	$(BIN)/python examples/everyday.py

lint: style types

style: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet src tests benchmarks examples release

types: $(VENV)/.dev
	$(BIN)/mypy

# Types are checked while the tests run: they take one core for a minute.
test: style
	$(MAKE) --no-print-directory -j 2 types suite

suite: $(VENV)/.dev
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# The tests of the page want Chromium; Debian's is installed where that is possible.
browser:
	@if command -v chromium >/dev/null || command -v chromium-browser >/dev/null; then \
	  echo "browser: Chromium is there"; \
	elif ! command -v apt-get >/dev/null; then \
	  echo "browser: not installed, there is no apt-get; the tests of the page skip their browser"; \
	elif [ "$$(id -u)" != 0 ]; then \
	  echo "browser: not installed, this is not root; the tests of the page skip their browser"; \
	else \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null; \
	fi

# The theorem of docs/formal.md wants Coq; Debian's is installed where that is possible.
coq:
	@if command -v coqc >/dev/null; then \
	  echo "coq: $$(coqc --print-version)"; \
	elif ! command -v apt-get >/dev/null; then \
	  echo "coq: not installed, there is no apt-get; https://coq.inria.fr/download"; exit 1; \
	elif [ "$$(id -u)" != 0 ]; then \
	  echo "coq: not installed, this is not root; ask for the package coq"; exit 1; \
	else \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends coq >/dev/null; \
	fi

# Compile the theory, print what it rests on, prove a set of files.
proof: $(VENV)/.core coq
	$(BIN)/python -m leastnoise.formal

# Three checkers, one verdict: altered files, Python against JavaScript and against Coq (an hour).
agreement: $(VENV)/.dev coq
	$(BIN)/python benchmarks/agreement.py javascript --count 10000
	$(BIN)/python benchmarks/agreement.py coq --count 1000

slow: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 --dist loadfile -m slow
	LEASTNOISE_EXAMPLES=50 $(BIN)/python -m pytest -n 2 tests/engine/test_properties.py
	LEASTNOISE_EXAMPLES=400 $(BIN)/python -m pytest -n 2 tests/losses tests/sampling tests/test_exact.py \
	  tests/noise/test_rounding.py tests/noise/test_tiny.py tests/paper/hierarchy/test_shortfall.py \
	  tests/learn/test_logistic.py tests/learn/test_at_once.py tests/learn/test_naive_bayes.py \
	  tests/tables/test_csv_file.py tests/certify/test_certify_checks.py

# Twenty questions: is a gap wider than the one recorded?
every-commit: $(VENV)/.dev
	$(BIN)/python benchmarks/every_commit.py

bench: $(VENV)/.dev
	$(BIN)/python benchmarks/table1.py
	$(BIN)/python benchmarks/sampling.py

# diffprivlib needs an older scikit-learn than everything else: an environment of its own.
$(VENV)-diffprivlib/.ready: pyproject.toml
	test -x $(VENV)-diffprivlib/bin/python || $(PYTHON) -m venv $(VENV)-diffprivlib
	$(VENV)-diffprivlib/bin/python -m pip install --quiet --disable-pip-version-check \
	  'diffprivlib==0.6.6' 'scikit-learn<1.8' pytest hypothesis -e .
	touch $@

# Our bridges beside it, and its own tests of classifiers on ours: the table of docs/estimators.md.
diffprivlib: $(VENV)-diffprivlib/.ready
	$(VENV)-diffprivlib/bin/python -m pytest -s tests/interop/diffprivlib

# The classifiers: speed, and beside diffprivlib's at equal budgets (an hour or more).
bench-classifiers: $(VENV)/.dev
	$(BIN)/python benchmarks/simulation.py synthetic

against-diffprivlib: $(VENV)-diffprivlib/.ready
	$(VENV)-diffprivlib/bin/python -m pip install --quiet --disable-pip-version-check dp-accounting
	mkdir -p build
	$(VENV)-diffprivlib/bin/python benchmarks/against_diffprivlib.py build/against_diffprivlib.csv

# Tables: ten million rows. OpenDP's tables need an older Polars: an environment of its own.
$(VENV)-opendp/.ready:
	test -x $(VENV)-opendp/bin/python || $(PYTHON) -m venv $(VENV)-opendp
	$(VENV)-opendp/bin/python -m pip install --quiet --disable-pip-version-check \
	  'opendp==0.16.0' 'polars==1.36.1' pyarrow numpy
	touch $@

bench-tables: $(VENV)/.dev $(VENV)-opendp/.ready
	OPENDP_PYTHON=$(VENV)-opendp/bin/python $(BIN)/python benchmarks/tables.py --spark

reproduce: $(VENV)/.dev
	$(BIN)/leastnoise reproduce all --jobs 2 --out build/reproduction

# The documentation as a site, in build/site; `mkdocs serve` shows it while you write.
.PHONY: site
site: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

wheel: $(VENV)/.dev
	$(BIN)/python -m build --wheel --no-isolation --outdir build/wheel

# Everything a release consists of, into dist/: built twice (the same bytes), installed and tried.
release: $(VENV)/.dev
	$(BIN)/python release/build.py dist
	$(BIN)/python release/build.py build/again
	diff dist/SHA256SUMS build/again/SHA256SUMS
	$(BIN)/python release/check.py dist

# The oldest versions that pyproject.toml allows, in an environment of their own.
lowest: $(VENV)/.dev
	rm -rf $(VENV)-lowest
	$(BIN)/uv venv --quiet --python $(PYTHON) $(VENV)-lowest
	$(BIN)/uv pip install --quiet --system-certs --python $(VENV)-lowest/bin/python \
	  --resolution lowest-direct -e '.[all]' 'pytest>=8' 'hypothesis>=6.100' 'pandas>=2.2' 'polars>=1'
	$(VENV)-lowest/bin/leastnoise doctor
	$(VENV)-lowest/bin/python -m pytest -p no:cacheprovider tests/test_doctor.py tests/cli \
	  tests/interop tests/accounting tests/show tests/learn tests/golden \
	  tests/tables/test_text.py tests/tables/test_engines.py \
	  --ignore tests/show/test_docs_pictures.py

clean:
	rm -rf build dist *.egg-info src/*.egg-info .pytest_cache .mypy_cache .ruff_cache
