# The same commands everywhere: a newcomer, a contributor and CI type these.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
DATA   ?= $(RULEKIT_DATA)
STAMP  := $(VENV)/.installed
DEV    := $(VENV)/.installed-dev

.PHONY: app test setup check format bench paper screenshot clean

app: $(STAMP)            ## open the dashboard in the browser
	$(BIN)/python -m streamlit run app.py

test: $(DEV)             ## everything but the comparisons with the papers
	$(BIN)/python -m pytest -m "not paper"

setup: $(DEV)            ## only install

$(VENV)/bin/python:
	$(PYTHON) -c "import sys; sys.version_info >= (3, 11) or sys.exit('Python 3.11 or newer is needed, this is ' + sys.version)"
	$(PYTHON) -m venv $(VENV)

$(STAMP): $(VENV)/bin/python pyproject.toml requirements.txt
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -r requirements.txt
	touch $@

$(DEV): $(STAMP) requirements-dev.txt
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	touch $@

check: $(DEV)            ## lint, format, types, import contracts, fast tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -q -m "not paper and not browser"

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(DEV)            ## measure; give DATA=folder with a datasets.json
	$(BIN)/python -m benchmarks $(if $(DATA),--data $(DATA))

paper: $(DEV)            ## the papers' tables and figures beside ours; give DATA=folder
	$(if $(DATA),RULEKIT_DATA=$(DATA)) $(BIN)/python -m pytest -m paper -s
	$(BIN)/python -m benchmarks.paper_two_level $(if $(DATA),--data $(DATA))

screenshot: $(DEV)       ## redraw the README's picture
	$(BIN)/python -m scripts.screenshot

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache results
