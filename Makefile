# Each target makes the virtual environment it needs and installs into it; nothing else has to be set up.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RAY_VENV ?= .venv-ray
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check -c constraints.txt -e
INSTALL := $(BIN)/python $(PIP_INSTALL)

.PHONY: help train test test-ray check bench goldens spec format clean

help: ## show the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Stamps: an environment is brought up to date when the requirements change.
$(VENV)/.installed: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) .
	@touch $@

$(VENV)/.installed-train: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) '.[train]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-dev: pyproject.toml constraints.txt | $(BIN)/python
	$(INSTALL) '.[dev]'
	@touch $@ $(VENV)/.installed $(VENV)/.installed-train

train: $(VENV)/.installed-train ## train an agent by self-play, about five minutes
	$(BIN)/azul train --config configs/train/quick.yaml

test: check ## run all checks and all tests but those that need Ray
	$(BIN)/python -m pytest

# RLlib pins another gymnasium than the rest is tested with, so it has an environment of its own.
$(RAY_VENV)/.installed: pyproject.toml constraints.txt
	test -x $(RAY_VENV)/bin/python || $(PYTHON) -m venv $(RAY_VENV)
	$(RAY_VENV)/bin/python $(PIP_INSTALL) '.[rllib]' pytest pytest-xdist hypothesis
	@touch $@

test-ray: $(RAY_VENV)/.installed ## run the tests that need Ray, in an environment of their own
	$(RAY_VENV)/bin/python -m pytest -n0 tests/cluster

check: $(VENV)/.installed-dev ## format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/basedpyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

bench: $(VENV)/.installed ## print the speeds, beside a plain Python engine
	$(BIN)/azul bench --yardstick tests/reference/engine.py

goldens: $(VENV)/.installed-dev ## regenerate the golden playthroughs
	$(BIN)/python tests/goldens/playthrough.py

spec: $(VENV)/.installed-dev ## regenerate the tables of docs/SPEC.md
	$(BIN)/python docs/make_spec.py

format: $(VENV)/.installed-dev ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove the environment and all caches of the project
	rm -rf $(VENV) $(RAY_VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
