# Each target makes the virtual environment it needs and installs into it; nothing else has to be set up.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RAY_VENV ?= .venv-ray
LOWEST_VENV ?= .venv-lowest
ECOSYSTEM_VENV ?= .venv-ecosystem
DIST_VENV ?= .venv-dist
# Not --quiet: an installation takes minutes, and pip shows how far it is.
PIP_INSTALL := -m pip install --disable-pip-version-check
INSTALL := $(BIN)/python $(PIP_INSTALL) -c constraints.txt -e

.PHONY: help train web test test-bounds test-web test-ray test-lowest test-ecosystem check warmup bench docs pages dist soak goldens spec format clean

help: ## show the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# Stamps: an environment is brought up to date when the requirements change.
$(VENV)/.installed: pyproject.toml setup.py constraints.txt | $(BIN)/python
	$(INSTALL) .
	@touch $@

$(VENV)/.installed-train: pyproject.toml setup.py constraints.txt | $(BIN)/python
	$(INSTALL) '.[train,render]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-web: pyproject.toml setup.py constraints.txt | $(BIN)/python
	$(INSTALL) '.[web]'
	@touch $@ $(VENV)/.installed

$(VENV)/.installed-dev: pyproject.toml setup.py constraints.txt | $(BIN)/python
	$(INSTALL) '.[dev]'
	@touch $@ $(VENV)/.installed $(VENV)/.installed-train $(VENV)/.installed-web

train: $(VENV)/.installed-train ## train an agent by self-play, under ten minutes
	$(BIN)/azul train --config quick
	@echo "The azul command is $(BIN)/azul. To type just azul in this shell: . $(BIN)/activate"

web: $(VENV)/.installed-web ## play, watch, review and analyse in the browser
	$(BIN)/azul web

# The engine is compiled beside the checks, once, before the processes of the tests need it. Hundreds of processes start in the
# tests, so bytecode is kept even where the environment says otherwise.
BOUNDS_TESTS := tests/compile/test_bounds.py
test test-bounds test-web test-ray test-lowest test-ecosystem dist: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/.installed-dev ## run all checks, and all tests that need no more than this environment and ten minutes
	$(MAKE) -j2 --output-sync check warmup
	$(BIN)/python -m pytest --ignore $(BOUNDS_TESTS)

test-bounds: $(VENV)/.installed-dev ## compile everything with bounds checks and run it; one process, no cache
	$(BIN)/python -m pytest -n0 $(BOUNDS_TESTS)

# The page is plain JavaScript: npm brings only tools that check it, the type checker and the accessibility scanner.
WEB_TESTS := tests/web/browser
$(WEB_TESTS)/node_modules/.installed: $(WEB_TESTS)/package.json $(WEB_TESTS)/package-lock.json
	@command -v npm > /dev/null || { echo "make test-web needs npm: install Node.js 20 or newer" >&2; exit 1; }
	npm ci --prefix $(WEB_TESTS) --no-audit --no-fund
	@touch $@

test-web: $(VENV)/.installed-dev $(WEB_TESTS)/node_modules/.installed ## check the types of the page and drive it in Chromium
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null \
		|| { test "$$(id -u)" = 0 && apt-get update -qq && apt-get install -yqq --no-install-recommends chromium; } \
		|| { echo "make test-web needs Chromium: install the package chromium" >&2; exit 1; }
	$(WEB_TESTS)/node_modules/.bin/tsc -p $(WEB_TESTS)
	$(BIN)/python -m pytest $(WEB_TESTS)

# RLlib pins another gymnasium than the rest is tested with, so it has an environment of its own.
$(RAY_VENV)/.installed: pyproject.toml setup.py constraints-ray.txt
	test -x $(RAY_VENV)/bin/python || $(PYTHON) -m venv $(RAY_VENV)
	$(RAY_VENV)/bin/python $(PIP_INSTALL) -c constraints-ray.txt -e '.[rllib]' pytest pytest-xdist hypothesis
	@touch $@

test-ray: $(RAY_VENV)/.installed ## run the tests that need Ray, in an environment of their own
	$(RAY_VENV)/bin/python -m pytest -n0 tests/cluster tests/packaging

$(LOWEST_VENV)/.installed: pyproject.toml setup.py constraints-lowest.txt
	test -x $(LOWEST_VENV)/bin/python || $(PYTHON) -m venv $(LOWEST_VENV)
	$(LOWEST_VENV)/bin/python $(PIP_INSTALL) -c constraints-lowest.txt -e '.[render]' pytest pytest-xdist hypothesis
	@touch $@

# Tianshou pins older versions of some libraries, so this is an environment of its own.
$(ECOSYSTEM_VENV)/.installed: pyproject.toml constraints-ecosystem.txt
	test -x $(ECOSYSTEM_VENV)/bin/python || $(PYTHON) -m venv $(ECOSYSTEM_VENV)
	$(ECOSYSTEM_VENV)/bin/python $(PIP_INSTALL) -c constraints-ecosystem.txt -e '.[train,onnx]' \
		torchrl tianshou open_spiel onnxruntime pytest pytest-xdist hypothesis
	@touch $@

test-ecosystem: $(ECOSYSTEM_VENV)/.installed ## run the examples of TorchRL, Tianshou, OpenSpiel and ONNX
	$(ECOSYSTEM_VENV)/bin/python -m pytest --dist=load tests/ecosystem tests/packaging
	$(ECOSYSTEM_VENV)/bin/python -m pytest tests/docs -k 'libraries.md or recorded_games.md or analyse.ipynb'

# Left out: what needs torch, the registry of PettingZoo 1.27, a count that Gymnasium got wrong up to 1.2, and the errors of its
# reset_mask, which came later.
test-lowest: $(LOWEST_VENV)/.installed ## run the rules, the API and the command on the lowest versions admitted
	$(LOWEST_VENV)/bin/python -m pytest tests/packaging tests/rules tests/api tests/ui/test_cli.py tests/ui/test_cli_match.py \
		--ignore tests/api/test_training_loops.py \
		-k 'not (azul_train or check_env_of_sb3 or test_registry or test_record_episode_statistics or test_wrong_reset_mask)'

check: $(VENV)/.installed-dev ## format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/basedpyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

warmup: $(VENV)/.installed ## compile everything, as the first use of each command would
	$(BIN)/azul warmup

bench: $(VENV)/.installed ## print the speeds, beside a plain Python engine
	$(BIN)/azul bench --yardstick tests/reference/engine.py

# Links to other sites are not checked: the build needs no network.
docs: $(VENV)/.installed-dev ## build the site in docs/_build/html
	$(BIN)/python -m sphinx -q -W --keep-going -d docs/_build/doctrees -b html docs docs/_build/html
	$(BIN)/python -m sphinx -q -W --keep-going -d docs/_build/doctrees -b linkcheck docs docs/_build/linkcheck
	@echo "open docs/_build/html/index.html"

pages: $(VENV)/.installed-dev ## regenerate the pictures, settings and model cards of the site
	$(BIN)/python docs/make_pages.py
	$(BIN)/python docs/make_model_cards.py

# Build sdist and wheel; try the wheel in a clean environment, from another folder, and the tests of the unpacked sdist.
dist: $(VENV)/.installed-dev ## build and try what would be published
	rm -rf dist build $(DIST_VENV)
	$(BIN)/python -m build --quiet
	$(PYTHON) -m venv $(DIST_VENV)
	env -u PYTHONPATH $(DIST_VENV)/bin/python $(PIP_INSTALL) -c constraints.txt dist/*.whl
	cd / && env -u PYTHONPATH $(abspath $(DIST_VENV))/bin/python $(CURDIR)/tests/packaging/smoke.py $$($(PYTHON) $(CURDIR)/tests/packaging_version.py)
	mkdir -p build/sdist && tar -xf dist/*.tar.gz -C build/sdist --strip-components 1
	cd build/sdist && $(abspath $(BIN))/python -m pytest -q tests/rules tests/docs/test_docs.py -k 'not code_runs'

MINUTES ?= 20
soak: $(VENV)/.installed-dev ## run environments, kills, hostile bots and damaged files for MINUTES=20
	PYTHONPATH=tests $(BIN)/python -m soak --minutes $(MINUTES)

goldens: $(VENV)/.installed-dev ## regenerate the golden playthroughs
	$(BIN)/python tests/goldens/playthrough.py

spec: $(VENV)/.installed-dev ## regenerate the tables of docs/SPEC.md
	$(BIN)/python docs/make_spec.py

format: $(VENV)/.installed-dev ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean: ## remove the environment and all caches of the project
	rm -rf $(VENV) $(RAY_VENV) $(LOWEST_VENV) $(ECOSYSTEM_VENV) $(DIST_VENV) docs/_build docs/api build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
