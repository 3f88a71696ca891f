# Everything happens in a virtual environment of the project; nothing else on the machine is touched.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(wildcard native/*) $(shell find src -name '*.py' -o -name '*.html' -o -name '*.css')

.PHONY: help demo test lint types sanitize bench reproduction docs clean

help:
	@echo "make demo      make up a hospital table, publish it, verify it, show it before and after"
	@echo "make test      run all tests"
	@echo "make lint      ruff"
	@echo "make types     mypy"
	@echo "make sanitize  the native tests with the address and undefined-behaviour sanitizers"
	@echo "make docs      write the reference of settings and their JSON schema from their description"
	@echo "make bench     time every step, side by side with a plain copy"
	@echo "make reproduction  rerun the paper's experiments and keep their pages in docs/reproduction"

demo: $(VENV)/installed
	$(BIN)/pellucid demo demo

test: $(VENV)/developed
	$(BIN)/pytest -n auto --dist loadgroup

lint: $(VENV)/developed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/developed
	$(BIN)/mypy

sanitize: $(VENV)/developed
	PATH="$(abspath $(BIN)):$$PATH" native/sanitize.sh -n auto

bench: $(VENV)/developed
	$(BIN)/python benchmarks/speed/run.py

reproduction: $(VENV)/developed
	$(BIN)/python benchmarks/paper/run.py --data occsal,table14 --out docs/reproduction

docs: $(VENV)/developed
	$(BIN)/python docs/generate.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/installed: $(BIN)/python $(SOURCES)
	$(BIN)/python -m pip install --quiet .
	@touch $@

$(VENV)/developed: $(VENV)/installed
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

clean:
	rm -rf $(VENV) build demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
