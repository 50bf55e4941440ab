# Everything sets itself up: python3 (3.11 or newer) and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# one process for each core that may be used, and no more than four: each holds tables and a browser
CORES := $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
WORKERS ?= $(shell [ $(CORES) -gt 4 ] && echo 4 || echo $(CORES))
# with one core the tests run in pytest itself
PYTEST = $(BIN)/python -m pytest -n $(if $(filter 1,$(WORKERS)),0,$(WORKERS))

.PHONY: setup demo test coverage check bench clean

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt src/paretonym/version.py
	$(PYTHON) -c 'import sys; sys.exit("paretonym needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

demo: $(STAMP)
	$(BIN)/paretonym demo

test: $(STAMP)
	$(PYTEST)

coverage: $(STAMP) # TESTS="tests/model tests/web" for some of them
	$(PYTEST) --cov --cov-report=term:skip-covered --cov-report=html $(TESTS)

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) demo-out .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage htmlcov
