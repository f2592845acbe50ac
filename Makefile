# One command each for what a contributor does; every target sets up what it needs and is safe to run again.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help run setup test test-slow coverage check format openapi lock bench-registry bench-plans bench-optimizer bench-kernels bench-spark soak

BIN := .venv/bin
# The output of java.sh is taken in two steps because eval would hide that it failed.
JAVA := java_env="$$(scripts/java.sh)"; eval "$$java_env";
PYTEST := $(BIN)/python -m pytest
# Two at a time, a file in one process and in the order of the files: Spark sessions are shared by a folder's tests.
WORKERS ?= -n 2 --dist loadfile --no-loadscope-reorder
ARGS ?=

help: ## Show this list
	@awk 'BEGIN {FS = ":.*## "} /^[a-z-]+:.*## / {printf "  %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## Start the service on http://127.0.0.1:8000 with its data in .weft
	@scripts/setup.sh run
	@$(JAVA) export WEFT_HOME="$${WEFT_HOME:-.weft}"; exec $(BIN)/weft serve $(ARGS)

setup: ## Make .venv with everything that tests and checks need
	@scripts/setup.sh dev

test: setup ## Run all tests but the slow ones, with a coverage summary
	@scripts/postgres.sh
	@$(JAVA) $(PYTEST) $(WORKERS) -m "not slow" --cov --cov-report=term:skip-covered $(ARGS)

test-slow: setup ## Run the long tests: hundreds of workloads, dozens of kills
	@scripts/postgres.sh
	@$(JAVA) $(PYTEST) -m slow $(ARGS)

coverage: setup ## Write the last test run's coverage as HTML
	@$(BIN)/coverage html -d htmlcov && echo "htmlcov/index.html"

check: setup ## Lint, format check, types, import contracts, Dockerfile
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/hadolint Dockerfile

format: setup ## Format the code and fix what can be fixed
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

openapi: setup ## Write openapi/openapi.json anew
	$(BIN)/weft openapi --output openapi/openapi.json

lock: setup ## Write the lock files anew, keeping versions that still fit (ARGS=--upgrade renews them)
	scripts/lock.sh $(ARGS)

bench-registry: setup ## Measure the registration of 10,000 queries
	$(BIN)/python benchmarks/registry.py $(ARGS)

bench-plans: setup ## Run the papers' experiments on plan costs again (ARGS=--quick for a short run)
	$(BIN)/python -m benchmarks.plans $(ARGS)

bench-optimizer: setup ## Measure planning: a million queries, unrelated slides, the distance to the optimum
	$(BIN)/python benchmarks/optimize.py $(ARGS)

bench-kernels: setup ## Measure the kernels of incremental evaluation (ARGS=--quick for a short run)
	$(BIN)/python -m benchmarks.kernels $(ARGS)

bench-spark: setup ## Measure jobs against Spark and Flink, hours of it (QUICK=1 for ten minutes on less data)
	@$(JAVA) $(BIN)/python -m benchmarks.spark $(if $(QUICK),--quick) $(ARGS)

soak: setup ## Run a job for half an hour and watch its memory and state (MINUTES=5 for less)
	@$(JAVA) $(BIN)/python -m benchmarks.soak --minutes $(or $(MINUTES),30) $(ARGS)
