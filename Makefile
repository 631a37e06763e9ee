# Every target needs only make and python3 (3.11 or later); what else it takes goes into $(VENV).
#
#   make test PYTHON=python3.13 VENV=.venv-3.13     another interpreter, in an environment of its own
#   make test ARGS="-k redact -x"                   arguments for pytest

PYTHON ?= python3
VENV ?= .venv
ARGS ?=

BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SOURCES := cassettes checks cli proxy replay

.DEFAULT_GOAL := help
.PHONY: help demo test e2e check bench format docs clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "%-8s%s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

demo: $(STAMP) ## record, replay and report a small agent on this machine: no key, no network
	@echo "== gemtape demo"
	@$(BIN)/gemtape demo

test: $(STAMP) ## the tests (ARGS= is passed to pytest)
	@echo "== pytest on $$($(BIN)/python --version)"
	@$(BIN)/python -m pytest -n 2 $(ARGS)

e2e: $(STAMP) ## every client, recorded and replayed: Python, Node and curl (ARGS="-k litellm")
	@echo "== clients on $$($(BIN)/python --version), Node $$(node --version), npm $$(npm --version)"
	@$(BIN)/python -m pytest -m e2e -n 2 --dist loadgroup tests/e2e $(ARGS)

check: $(STAMP) ## format, lint, types, floors
	@echo "== ruff format"
	@$(BIN)/ruff format --check .
	@echo "== ruff check"
	@$(BIN)/ruff check .
	@echo "== basedpyright on $(SOURCES)"
	@$(BIN)/basedpyright --pythonpath $(BIN)/python $(SOURCES)
	@echo "== floors and layout"
	@$(BIN)/python -m pytest -q tests/test_floors.py tests/test_layout.py

bench: $(STAMP) ## the benchmarks, side by side in one run
	@for file in bench/*.py; do echo "== $$file"; $(BIN)/python $$file; done

format: $(STAMP) ## rewrite the source in the house format
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

docs: $(STAMP) ## write docs/rules from the rules
	@$(BIN)/python docs/generate.py

clean: ## remove environments, caches and what the builds and the demo wrote
	rm -rf .venv .venv-* build dist *.egg-info .pytest_cache .ruff_cache .hypothesis gemtape-demo
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is written last, so an interrupted installation is done again. uv needs seconds where pip needs a minute,
# and pip does where uv cannot.
$(STAMP): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "gemtape needs Python 3.11 or later, and there is no $(PYTHON)" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "gemtape needs Python 3.11 or later, and $(PYTHON) is $$($(PYTHON) --version 2>&1): name one with PYTHON=" >&2; \
	  exit 1; }
	@echo "== setting up $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv \
	  && $(BIN)/uv pip install --quiet --python $(BIN)/python -e '.[dev]' \
	  || { echo "== uv cannot install here: pip does"; \
	       $(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'; }
	@touch $@
