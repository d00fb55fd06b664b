# make demo    install docksim in .venv and run the main scenario
# make test    the whole test suite          make quick   unit tests and one docking, under a minute
# make lint    ruff and mypy
# make fuzz    damaged and crafted input for every reader: make fuzz MINUTES=5
# make bench   speed against the peer        make clean   remove the environment and the caches
# make test-browser   pages in a headless Chromium (apt-get install chromium)
# make wheel   wheels in dist/, with machine code where cc can link it        make test-wheel   install one, run it
# make validate   published cases in their full size, into docs/validation.md: more than an hour on two cores
# make docs    the documentation site in build/site, all links checked
# make gallery   all shipped scenarios on one page        make figures   those of the README
#
# another interpreter: make demo PYTHON=python3.12        fewer or more test processes: make test WORKERS=1

PYTHON  ?= python3
VENV    ?= .venv
WORKERS ?= auto
MINUTES ?= 5

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check

WHEEL := $(PIP) wheel -q --no-deps --no-build-isolation --wheel-dir dist

.PHONY: demo test fuzz quick test-browser test-wheel warm compiled wheel lint bench validate docs gallery figures clean help
.DELETE_ON_ERROR:

help:
	@sed -n '1,12s/^# \{0,1\}//p' Makefile

demo: $(VENV)/.core
	$(BIN)/docksim run scenarios/dock_nds.yaml
	$(BIN)/docksim replay results/dock_nds --still

# the kernels are compiled once, before the test processes start, which share the cache. With -j2 what only tests need is
# installed meanwhile, and with it docksim once more, so that compiling takes it from here
warm: $(VENV)/.dev compiled

compiled: $(VENV)/.core
	PYTHONPATH="$(CURDIR)" $(BIN)/python -m docksim.cli.warm docksim.kernel.library tests.support.kernels docksim.chain.library

# bytecode is kept, whatever the surroundings ask for: tests start many processes
test: export PYTHONDONTWRITEBYTECODE :=
test:
	@$(MAKE) --no-print-directory -j2 warm
	$(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 4 --dist loadfile --no-loadscope-reorder

# less what searches at random, samples much or runs long; type checkers are for `make test`
SLOW := config/test_*fuzz config/test_round_trip config/test_all_at_once config/test_lines chain/test_adaptive \
        chain/test_program chain/test_constraints chain/test_energy chain/test_identify study/test_rare study/test_sampling \
        study/test_sensitivity test_elementary test_inspect_mechanism

quick: warm
	$(BIN)/python -m pytest -n $(WORKERS) --maxprocesses 4 --dist loadfile tests/test_layers.py tests/unit \
	    $(SLOW:%=--ignore-glob='tests/unit/%.py') --deselect tests/unit/test_scripting.py::test_mypy_sees_the_types_of_a_users_script \
	    'tests/system/test_docking.py::test_docking_ends_as_it_is_meant_to[dock_nds]'

# what is found is kept in fuzz_findings/; mended, it moves to tests/fuzz/corpus/
fuzz: warm
	$(BIN)/python -m tests.fuzz.mistakes --count 1500
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

test-browser: warm
	$(BIN)/python -m pytest tests/browser

# exit code 3: this machine cannot make libraries, and says why; the plain wheel is for every machine
wheel: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || echo 1577836800)
wheel: $(VENV)/.dev
	rm -rf dist/docksim-*.whl
	$(WHEEL) .
	@$(BIN)/python -m docksim.native.ship build/shipped && DOCKSIM_SHIPPED=build/shipped $(WHEEL) . || [ $$? = 3 ]
	@ls -l dist/*.whl

test-wheel: wheel
	$(BIN)/python tests/install/check_wheel.py

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.dev
	$(BIN)/python -m benchmarks

# the page is written whatever comes out; a row that fails fails this target
validate: $(VENV)/.core
	$(BIN)/docksim validate --full --out docs/validation.md

# a link that leads nowhere fails it
docs: export NO_MKDOCS_2_WARNING := 1
docs: $(VENV)/.dev
	$(BIN)/python docs/make_reference.py
	$(BIN)/mkdocs build --strict --quiet

gallery: $(VENV)/.core
	$(BIN)/docksim gallery --out results/gallery.html

figures: $(VENV)/.core
	$(BIN)/python docs/make_figures.py

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find docksim tests benchmarks -name __pycache__ -type d -exec rm -rf {} + 2>/dev/null || true

# the environment: a stamp says what is installed, and ages with the files that decide it
$(VENV)/bin/python:
	@command -v "$(PYTHON)" >/dev/null || { \
	    echo "docksim: no '$(PYTHON)' on this machine; install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "docksim: needs Python 3.11 or newer, but $(PYTHON) is $$("$(PYTHON)" --version 2>&1); name another: make PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { \
	    echo "docksim: $(PYTHON) has no venv module; install it (Debian, Ubuntu: apt install python3-venv) and try again" >&2; exit 1; }
	"$(PYTHON)" -m venv $(VENV)

$(VENV)/.core: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(PIP) install -q -c constraints.txt -e .
	@touch $@

$(VENV)/.dev: pyproject.toml constraints.txt | $(VENV)/.core
	$(PIP) install -q -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/.core
