# The same commands everywhere: a newcomer, a contributor and CI type these.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DATA   ?= $(RULEKIT_DATA)
STAMP  := $(VENV)/.installed
DEV    := $(VENV)/.installed-dev
READY  := $(VENV)/.compiled
PYTEST := $(BIN)/python -m pytest
# A test that hangs ends the run, with a traceback.
LIMIT  := -o faulthandler_timeout=600 -o faulthandler_exit_on_timeout=true --max-worker-restart 0
CORES  := -n auto --maxprocesses 8 --dist worksteal $(LIMIT)

# uv, from the path or the environment; without it pip.
INSTALL := PATH="$$PATH:$(BIN)" sh -c 'if command -v uv >/dev/null; then exec uv pip install --python $(BIN)/python "$$@"; \
	else exec $(BIN)/python -m pip install "$$@"; fi' install
LOCK   := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate

# Bytecode is cached: without it every process compiles the libraries anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: app test slow browser engines setup lock lint docs wheel oldest check format bench paper census screenshot clean

app: $(STAMP)            ## open the dashboard in the browser
	$(BIN)/python -m ui.server

# One thread a process: the tests share the cores already.
test slow browser: export OMP_NUM_THREADS = 1
test slow browser: export OPENBLAS_NUM_THREADS = 1

test: $(DEV) $(READY)    ## the quick tests, on all cores
	$(PYTEST) $(CORES) -m "not slow and not browser and not paper"

slow: $(DEV) $(READY)    ## the slow tests, except those in a browser
	$(PYTEST) $(CORES) -m "slow and not browser and not paper"

browser: $(DEV) $(READY) ## a person's path in a real browser
	$(PYTEST) -n 2 --dist loadfile $(LIMIT) -m "not paper" tests/browser

engines: $(DEV)          ## what runs exports in tests: PMML, DMN (needs Java and npm)
	$(INSTALL) -e .[engines]
	npm install --silent --prefix $(VENV)/feel feelin@4.6.0

setup: $(DEV) $(READY)   ## only install and compile

lock:                    ## renew the lock files from pyproject.toml
	$(LOCK) --extra app pyproject.toml -o requirements.txt
	$(LOCK) -c requirements.txt $(addprefix --extra ,app test dev docs login) pyproject.toml -o requirements-dev.txt

$(BIN)/python:
	$(PYTHON) -c "import sys; sys.version_info >= (3, 11) or sys.exit('Python 3.11 or newer is needed, this is ' + sys.version)"
	$(PYTHON) -m venv $(VENV)
	@command -v uv >/dev/null || $(BIN)/python -m pip install uv || echo "uv could not be installed; pip takes some minutes."

$(STAMP): $(BIN)/python pyproject.toml requirements.txt
	$(INSTALL) -r requirements.txt
	$(INSTALL) --no-deps -e .
	@touch $@

$(DEV): $(STAMP) requirements-dev.txt
	$(INSTALL) -r requirements-dev.txt
	@touch $@

# Made once; again where a kernel has changed.
$(READY): $(STAMP) $(shell find rulekit -name '*kernels.py')
	$(BIN)/python -m rulekit.search.machine_code
	@touch $@

lint: $(DEV)             ## lint, format, types, import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m scripts.wording
	$(BIN)/codespell

docs: export OMP_NUM_THREADS = 1
docs: $(DEV) $(READY)    ## the guide, from docs/guide to build/guide/index.html; runs its examples
	rm -rf build/guide docs/guide/api docs/guide/gallery
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs/guide build/guide

wheel: $(DEV)            ## build the wheel, and look into it
	rm -rf build dist
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(BIN)/python -m scripts.wheel_contents dist/*.whl

oldest: $(DEV)           ## tests with the oldest versions of the dependencies, in their own environment
	$(BIN)/python -m scripts.oldest

check: lint test         ## what must pass before a change lands

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(DEV)            ## measure speed; give DATA=folder with a datasets.json
	$(BIN)/python -m benchmarks --quick --benchmarks speed start two_level $(if $(DATA),--data $(DATA))

paper: $(DEV)            ## the papers' tables and figures beside ours; give DATA=folder
	$(if $(DATA),RULEKIT_DATA=$(DATA)) $(PYTEST) -m paper -s
	$(BIN)/python -m benchmarks.papers.two_level $(if $(DATA),--data $(DATA))

census: $(DEV)           ## lines, exported names, files, moves and estimators of a fit
	$(BIN)/python -m scripts.census

screenshot: $(DEV)       ## redraw the pictures of guide and README
	$(BIN)/python -m scripts.screenshot

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache results build dist
