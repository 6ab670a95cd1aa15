# The habits of this project. Needs Python 3.11 or later with pip and venv, git and make; everything else is set up here.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FIGURES := $(CURDIR)/.torture.jsonl
# Outside tests/torture, but sampled at length in `make torture` too, with every file that has a long test.
SAMPLED := tests/properties tests/drive/test_random_runs.py tests/e2e tests/proof_cases tests/cheats tests/fleet tests/platform
# Those with a long test, and those that sample more there.
SAMPLED += $(shell grep -rlE 'mark\.long|size.commit=|every.[0-9]' --include='test_*.py' tests)
# Parts of `make pytest` that can be run alone, by the marker of their files.
PLANS = $(shell grep -rl 'mark\.plans' --include='test_*.py' tests)
ROOM = $(shell grep -rl 'mark\.room' --include='test_*.py' tests)
SANDBOX = $(shell grep -rl 'mark\.sandbox' --include='test_*.py' tests)
# Folders of other suites, which every worker of `make pytest` would read for nothing.
OTHER_FOLDERS = tests/browser tests/cheats tests/fleet tests/proof_cases
# Most modules of the packages are never imported: what is, is compiled then.
PIP_FLAGS = --quiet --disable-pip-version-check --no-compile
# Each child of a test would compile the package again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test pytest faults plans room proof rules sandbox clients browser fleet lint bench torture docs coverage lock clean setup client compiled package-compiled

demo: $(VENV)/package  ## watch a loop work (under 30 seconds, no API key, no network)
	$(BIN)/loop demo

test:  ## style, types, and every test: setup, lint, pytest, proof, fleet, clients and browser, with a table of their seconds
	scripts/run_suites.sh

pytest: $(VENV)/tools client compiled  ## the tests that have no suite of their own, in one process; faults, plans, room and sandbox are parts of it
	$(BIN)/pytest $(OTHER_FOLDERS:%=--ignore=%)

faults: $(VENV)/tools client compiled  ## a little of `make torture`: kills, power cuts, full disks, hostile files
	$(BIN)/pytest tests/torture tests/chaos

plans: $(VENV)/tools compiled  ## plans: their formats, lanes, waves, attempts
	$(BIN)/pytest -m plans $(PLANS)

proof: $(VENV)/tools compiled  ## a sample of the catalogue of cheats and honest agents, through the real start and hook
	LOOP_PROOF=1 $(BIN)/pytest tests/proof_cases tests/cheats tests/sandbox/test_excepted_cheats.py

rules: $(VENV)/tools  ## what each rule is worth: the cheats and honest agents of the catalogue that it names
	$(BIN)/python -m tests.proof_cases.rule_table

room: $(VENV)/tools compiled  ## the clean checkout and what is run in it
	$(BIN)/pytest -m room $(ROOM)

sandbox: $(VENV)/tools client compiled  ## the sandbox around agents and checks, with attempts to leave it
	$(BIN)/pytest -m sandbox $(SANDBOX)

clients: $(VENV)/tools client  ## a session and a run of every real client but Claude Code, against the scripted model; `make torture` has the rest
	LOOP_CLIENTS=1 $(BIN)/pytest -m clients tests/e2e

browser: $(VENV)/tools client  ## the page of `loop serve` in a real Chromium; skipped with a reason where there is none
	LOOP_BROWSER=1 $(BIN)/pytest -n 2 tests/browser

fleet: $(VENV)/tools  ## real workers on SQLite and on a Postgres of our own, with kills
	LOOP_FLEET=1 $(BIN)/pytest -n 5 tests/fleet

lint: $(VENV)/tools  ## style, types, that packages import downwards only, and the figures of the code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python docs/generate.py --check
	$(BIN)/loop plugin build --check
	$(BIN)/python scripts/code_figures.py

bench: $(VENV)/tools  ## hook latency, quick commands, an iteration of the runner, what useless agents cost, plans, the tree's hash, the ratchet, the clean checkout, the sandbox
	$(BIN)/python bench/hook.py --save
	$(BIN)/python bench/cli.py --save
	$(BIN)/python bench/runner.py --save
	$(BIN)/python bench/long_loop.py
	$(BIN)/python bench/waste.py
	$(BIN)/python bench/plan.py
	$(BIN)/python bench/tree.py --save
	$(BIN)/python bench/ratchet.py
	$(BIN)/python bench/dashboard.py
	$(BIN)/python bench/room.py
	$(BIN)/python bench/sandbox.py

torture: $(VENV)/fuzz client  ## the worst nights at length (two hours on two cores); their figures go into docs/reliability.md
	sh tests/proof_cases/install.sh
	rm -f $(FIGURES)
	TORTURE=$(FIGURES) $(BIN)/pytest tests/torture $(SAMPLED); code=$$?; $(BIN)/python -m tests.torture.figures $(FIGURES); exit $$code

docs: $(VENV)/tools  ## write what is generated: tables in the pages, recorded runs, the plugin's folder
	$(BIN)/python docs/generate.py
	$(BIN)/python scripts/record_demo.py
	$(BIN)/python scripts/record_using.py
	$(BIN)/loop plugin build

coverage: $(VENV)/tools  ## which lines no test reaches, subprocesses included
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage combine -q
	$(BIN)/coverage report --show-missing --skip-covered

lock:  ## renew requirements-dev.txt from what is installed
	{ head -1 requirements-dev.txt; $(BIN)/pip freeze --exclude-editable; } > requirements-dev.new
	mv requirements-dev.new requirements-dev.txt

# pip works on one core and npm waits for the network.
setup:  ## .venv with exact versions, and what the tests need beside it
	$(MAKE) -j 3 client compiled

compiled: package-compiled $(VENV)/tests-compiled

package-compiled:
	$(PYTHON) -m compileall -q src

# In a new clone every worker would compile all the tests, for 13 s each, and list the characters
# that hypothesis draws from, for 2 s each: that is done once. Two processes, because each imports the package for seconds.
$(VENV)/tests-compiled: $(VENV)/tools
	$(BIN)/python -c "from hypothesis.internal import charmap as c; c.charmap(); c.intervals_from_codec('utf-8')"
	ls tests/*/test_*.py tests/*/*/test_*.py | xargs -n 220 -P 2 $(BIN)/pytest -n 0 -qq --collect-only > /dev/null
	touch $@

client:  ## the programs that the end-to-end tests drive, where npm is; outside the repository
	PYTHONPATH=src sh tests/e2e/install.sh $(PYTHON)

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/package: pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install $(PIP_FLAGS) -e .
	touch $@

$(VENV)/fuzz: $(VENV)/tools
	-$(BIN)/pip install $(PIP_FLAGS) atheris==3.0.0
	touch $@

# The tools can build the package, without an environment of its own for that: a quarter of the time.
$(VENV)/tools: requirements-dev.txt pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install $(PIP_FLAGS) -r requirements-dev.txt
	$(BIN)/pip install $(PIP_FLAGS) --no-build-isolation --no-deps -e .
	touch $(VENV)/package $@

clean:
	rm -rf $(VENV) $(FIGURES) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
