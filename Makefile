# Thin: each target calls one documented command. The virtual environments are made on first use.
PYTHON ?= python3
# One more than the processors: a test often waits for R, a browser or a process of its own.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
SLOWEST ?= --durations=40 --durations-min=3
ENVIRONMENTS = $(MAKE) --no-print-directory -j2 today lowest
PYTEST = -m pytest -n $(WORKERS) --dist worksteal $(SLOWEST)
# Tests of the lowest versions
FIRST = $$($(PYTHON) tools/lowest_selection.py)
SECOND = $$($(PYTHON) tools/lowest_selection.py thorough)
LOWEST = PYFSAGG_REQUIRE_ALL= .venv-lowest/bin/python $(PYTEST) -m
# R calls the Python of the lowest versions: its reticulate knows no later NumPy.
TODAY = PYFSAGG_PYTHON=$(CURDIR)/.venv-lowest/bin/python .venv/bin/python $(PYTEST)
# What is compiled once, modules and tests included, is kept: a suite starts many processes.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test quick thorough snapshots lint bench bounds validate vignettes docs paper dist installed tests today lowest

demo: ## rank the embedded Ionosphere data
	@$(PYTHON) tools/environment.py .venv
	@.venv/bin/pyfsagg demo

test: ## what each library can break in its lowest version, then the suite with today's, R and Chromium
	@$(MAKE) --no-print-directory -j2 tests lowest
	$(LOWEST) "not r and not browser and not thorough" $(FIRST)
	$(TODAY) -m "not thorough"

quick: ## the suite in one environment, without R and browser: before a pull request
	@$(PYTHON) tools/environment.py .venv --extras test,dev
	.venv/bin/python $(PYTEST) -m "not r and not browser and not thorough"

thorough: ## what `make test` leaves out: vignettes, the site, wheels, R CMD check, all else on the lowest versions
	@$(ENVIRONMENTS)
	$(LOWEST) "not r and not browser" $(SECOND)
	$(TODAY) -m thorough

snapshots: ## what users read, recorded again in tests/snapshots: look at the difference before you commit it
	@$(PYTHON) tools/environment.py .venv --extras test,dev
	rm -rf tests/snapshots
	PYFSAGG_WRITE_SNAPSHOTS=1 .venv/bin/python $(PYTEST:worksteal=loadfile) tests/report/test_snapshots.py tests/cli/test_what_is_printed.py
	git diff --stat -- tests/snapshots

lint: today ## style and types
	.venv/bin/ruff check . && .venv/bin/ruff format --check . && .venv/bin/mypy

bench: today ## side-by-side measurements; tables on the terminal, JSON in benchmarks/results
	.venv/bin/python benchmarks/run_all.py --output benchmarks/results

validate: today ## simulate what every p-value, interval and error bound keeps (a page in build/calibration); fuzz; properties on new examples
	.venv/bin/python -m pytest -n $(WORKERS) --hypothesis-profile=default tests/properties
	.venv/bin/python tools/fuzz.py --output build/fuzz.json
	.venv/bin/pyfsagg reproduce calibration --jobs 2 --output build/calibration

bounds: today ## the tests of the kernels with every index looked at, on memory full of rubbish
	NUMBA_BOUNDSCHECK=1 MALLOC_PERTURB_=165 NUMBA_CACHE_DIR=$(CURDIR)/build/bounds .venv/bin/python -m pytest -n $(WORKERS) $$(sed "s/ *#.*//" tests/kernel_selection.txt)

vignettes: ## execute the vignettes, R and Python; one HTML page each in build/vignettes
	@$(ENVIRONMENTS)
	PYFSAGG_PYTHON=$(CURDIR)/.venv-lowest/bin/python .venv/bin/python tools/vignettes.py --output build/vignettes

docs: vignettes ## the documentation site in build/docs
	.venv/bin/python tools/documentation.py --output build/docs --vignettes build/vignettes

paper: today ## the article on the package, with every number computed from shipped runs; HTML and PDF in paper/build
	.venv/bin/python paper/build.py --output paper/build

dist: today ## wheel, source archive and R package in build/dist, the first two checked as the index checks them
	@$(PYTHON) tools/environment.py .venv-release --extras release
	.venv/bin/python tools/compiled_kernels.py
	rm -rf build/dist
	.venv-release/bin/python -m build --outdir build/dist
	.venv-release/bin/twine check --strict build/dist/*
	.venv-release/bin/check-wheel-contents build/dist/*.whl
	.venv-release/bin/python tools/r_archive.py --wheel build/dist/*.whl --output build/dist

installed: dist ## the wheel and the source archive in empty environments, with today's and the lowest versions
	.venv-release/bin/python tools/installed.py build/dist

tests: # the environment with today's versions; R and Chromium where they can be installed
	@tools/setup_system.sh
	@$(PYTHON) tools/environment.py .venv --extras test$$(tools/r_extra.sh)

today: # the same, with what documents, style and types need
	@tools/setup_system.sh
	@$(PYTHON) tools/environment.py .venv --extras test,vignettes,docs,dev$$(tools/r_extra.sh)

lowest: # the lowest supported versions, which run code for processors of 2013, too
	@$(PYTHON) tools/environment.py .venv-lowest --extras test --constraints tests/lowest.txt --processor x86-64-v3
