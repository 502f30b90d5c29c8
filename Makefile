# Needs Python 3.11 or newer and nothing else; `make help` says what there is.

PORT ?= 8501
ADDRESS ?= localhost
PY ?=
VENV ?= .venv
# The tests start many processes, and each would compile all sources anew.
unexport PYTHONDONTWRITEBYTECODE

BIN := $(VENV)/bin
PYTHONS := $(or $(PY),python3 python3.14 python3.13 python3.12 python3.11)
USABLE := import ensurepip, sys; sys.exit(sys.version_info < (3, 11))
# What is imported is compiled then; pip would compile all there is, on one processor.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
# In our groups and order, long ones first (tests/conftest.py); xdist would begin with many tests.
PYTEST := $(BIN)/python -m pytest --dist loadscope --no-loadscope-reorder
# What `make check` tries of all variants: another sample each day, or the one that failed.
SAMPLE ?= $(shell date +%j | sed 's/^0*//')
WARM := $(BIN)/python -m mlcore warm
# Layers and types are checked beside the rest.
STYLE := $(BIN)/lint-imports --no-logo && \
	$(BIN)/pyrefly check --python-interpreter-path $(BIN)/python --summary=none
with_style = @{ $(STYLE); } & style=$$!; $(1); tests=$$?; wait $$style && exit $$tests
# Each process of the tests would compile the same sources, as pytest rewrites them, side by side:
# this compiles them once. What is wrong with them is told by the tests.
READ := $(BIN)/python -m pytest --collect-only -qq >/dev/null 2>&1
CHROMIUM = $(shell for name in chromium-headless-shell chromium chromium-browser google-chrome; \
	do command -v $$name && break; done)

# Install a Debian package where that needs no password.
SUDO := $(shell [ "$$(id -u)" = 0 ] || echo sudo -n)
apt_install = $(SUDO) apt-get update -qq && \
	$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes $(1)

.PHONY: help app test test-postgres try-hosting check style layout bench bench-pages bench-sessions warm catalogue chromium postgres nginx clean
.NOTPARALLEL:

help:
	@echo 'make app          set up, compile ahead, open http://$(ADDRESS):$(PORT) (PORT=..., ADDRESS=...)'
	@echo 'make test         set up and run every check; installs Chromium where it may'
	@echo 'make test-postgres  the tests of the store and of SELECT, on a PostgreSQL of their own'
	@echo 'make try-hosting  two servers behind nginx with PostgreSQL and Dask, checked in Chromium'
	@echo 'make check        style, and the quick tests of a sample of all variants (SAMPLE=...)'
	@echo 'make bench        times beside the peer libraries (ONLY="kmeans pca" for some of them)'
	@echo 'make bench-pages  times of the pages in Chromium beside a trivial page'
	@echo 'make bench-sessions  fifty people at once: results, times, memory'
	@echo 'make warm         compile ahead'
	@echo 'make catalogue    everything that is entered, as JSON (make -s catalogue)'
	@echo 'make clean        remove the environment and every cache'
	@echo 'PY=python3.12 chooses the interpreter of a new environment.'

app: warm
	$(BIN)/python -m ui.serve --server.port $(PORT) --server.address $(ADDRESS)

# Installing waits for the network, so loops are compiled meanwhile. A third process works where two
# wait: for a page, a worker, the browser.
test: $(BIN)/.installed chromium
	@$(MAKE) --no-print-directory layout & layout=$$!; $(WARM) && wait $$layout
	$(call with_style,{ $(READ); $(PYTEST) -n 3 $(if $(CHROMIUM),,-m "not browser"); })

# The store keeps shared runs in SQLite, or in PostgreSQL, and tables come out of both; only CI
# insists on testing both.
test-postgres: $(BIN)/.installed-dev postgres
	hosting/with_postgres.sh $(BIN)/python -m pytest -q tests/service/test_store*.py tests/service/test_bringing_sql.py

# The set-up with several replicas of docs/hosting.md, on free ports of this machine.
try-hosting: $(BIN)/.installed-dev warm postgres nginx chromium
	hosting/with_postgres.sh $(BIN)/python -m hosting.try_it

check: layout
	$(call with_style,MLSCOPE_SAMPLE=$(SAMPLE) $(PYTEST) -n 2 -m "not slow and not browser")

layout: $(BIN)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

bench: $(BIN)/.installed-dev warm
	$(BIN)/python -m benchmarks $(ONLY)

bench-pages: $(BIN)/.installed-dev warm chromium
	$(BIN)/python -m benchmarks.pages

bench-sessions: $(BIN)/.installed-dev warm
	$(BIN)/python -m benchmarks.sessions

warm: $(BIN)/.installed
	$(WARM)

catalogue: $(BIN)/.installed
	@$(BIN)/python -m figures.catalogue

# Browser tests drive the system's Chromium. Only CI insists on it.
chromium:
	@[ -n "$(CHROMIUM)" ] || { $(call apt_install,chromium-headless-shell); } || \
		{ $(call apt_install,chromium); } || { \
		echo; \
		echo '*** No Chromium was found or could be installed: BROWSER TESTS ARE LEFT OUT. ***'; \
		echo '*** On Debian: sudo apt-get install chromium                                  ***'; \
		echo; \
		[ "$$CI" != true ]; \
	}

# Its programs are enough: the tests start a server of their own.
postgres:
	@ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null || \
		{ $(call apt_install,postgresql); }

nginx:
	@PATH="$$PATH:/usr/sbin" command -v nginx >/dev/null || { $(call apt_install,nginx-light); }

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

# A stamp is newer than the requirements that were installed.
$(BIN)/.installed: requirements.txt | $(BIN)/python
	$(PIP_INSTALL) -e .
	@touch $@

$(BIN)/.installed-dev: requirements-dev.txt requirements-hosting.txt $(BIN)/.installed
	$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@

$(BIN)/python:
	@for python in $(PYTHONS); do \
		"$$python" -c '$(USABLE)' 2>/dev/null && exec "$$python" -m venv $(VENV); \
	done; \
	echo 'No Python 3.11 or newer with the modules venv and ensurepip (tried: $(PYTHONS)).'; \
	echo 'On Debian: sudo apt-get install python3-venv; elsewhere: make PY=/where/it/is/python'; \
	false
