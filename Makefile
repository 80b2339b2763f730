# Thin: each target calls one documented command. The virtual environments are made on first use.
# The two of `make test` keep their compiled kernels apart: versions of numba share names of files.
PYTHON ?= python3

.PHONY: demo test lint bench validate vignettes

demo: ## rank the embedded Ionosphere data
	@$(PYTHON) tools/environment.py .venv
	@.venv/bin/pyfsagg demo

test: ## the whole test suite: lowest supported versions first, then today's with R and Chromium
	@tools/setup_system.sh
	@$(PYTHON) tools/environment.py .venv-lowest --extras test --constraints tests/lowest.txt
	@$(PYTHON) tools/environment.py .venv --extras test,vignettes,dev$$(tools/r_extra.sh)
	NUMBA_CACHE_DIR=$(CURDIR)/.venv-lowest/numba PYFSAGG_REQUIRE_ALL= .venv-lowest/bin/python -m pytest -n 2 -m "not r and not browser and not vignettes"
	NUMBA_CACHE_DIR=$(CURDIR)/.venv/numba PYFSAGG_PYTHON=$(CURDIR)/.venv-lowest/bin/python .venv/bin/python -m pytest -n 2

lint: ## style and types
	@$(PYTHON) tools/environment.py .venv --extras test,dev$$(tools/r_extra.sh)
	.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy

bench: ## side-by-side measurements; tables on the terminal, JSON in benchmarks/results
	@$(PYTHON) tools/environment.py .venv --extras test,dev$$(tools/r_extra.sh)
	.venv/bin/python benchmarks/run_all.py --output benchmarks/results

validate: ## simulate what every p-value, interval and error bound keeps; a page in build/calibration
	@$(PYTHON) tools/environment.py .venv --extras test,dev$$(tools/r_extra.sh)
	.venv/bin/pyfsagg reproduce calibration --jobs 2 --output build/calibration

vignettes: ## execute the vignettes, R and Python; one HTML page each in build/vignettes
	@tools/setup_system.sh
	@$(PYTHON) tools/environment.py .venv-lowest --extras test --constraints tests/lowest.txt
	@$(PYTHON) tools/environment.py .venv --extras test,vignettes,dev$$(tools/r_extra.sh)
	PYFSAGG_PYTHON=$(CURDIR)/.venv-lowest/bin/python .venv/bin/python tools/vignettes.py --output build/vignettes
