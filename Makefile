# The habits of this project. Needs Python 3.11 or later with pip and venv, git and make; everything else is set up here.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint bench docs coverage lock clean setup

demo: $(VENV)/installed  ## watch a loop work (under 30 seconds, no API key, no network)
	$(BIN)/loop demo

test: $(VENV)/installed lint  ## every test, on all cores
	$(BIN)/pytest

lint: $(VENV)/installed  ## style, types, and that the rooms look down only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/generate.py --check

bench: $(VENV)/installed  ## hook latency, side by side
	$(BIN)/python bench/hook.py

docs: $(VENV)/installed  ## write the pages that are generated from the code
	$(BIN)/python docs/generate.py

coverage: $(VENV)/installed  ## which lines no test reaches, subprocesses included
	$(BIN)/coverage erase
	COVERAGE_PROCESS_START=pyproject.toml $(BIN)/coverage run -m pytest
	$(BIN)/coverage combine -q
	$(BIN)/coverage report --show-missing --skip-covered

lock:  ## renew requirements-dev.txt from what is installed
	$(BIN)/pip freeze --exclude-editable --exclude loopwright > requirements-dev.txt

setup: $(VENV)/installed

$(VENV)/installed: requirements-dev.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --no-build-isolation --no-deps -e .
	touch $@

clean:
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
