# make app | test | check | bench | warm | catalogue | help. No target needs anything but Python
# 3.11 or newer; `make test` also wants Chromium, which it installs where it may.

PY ?= $(shell command -v python3.13 || command -v python3.12 || command -v python3.11 || command -v python3)
VENV ?= .venv
BIN := $(VENV)/bin
PORT ?= 8501
THREADS ?= 1
ADDRESS ?= localhost
CHROMIUM := $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)

export MLSCOPE_THREADS ?= $(THREADS)
export PYTHONPATH := $(CURDIR)

.PHONY: app test check style bench warm catalogue chromium clean help

help:
	@echo "make app        set up, compile ahead and open the app on http://$(ADDRESS):$(PORT)"
	@echo "make test       set up and run every check"
	@echo "make check      style and the quick tests, in about a minute"
	@echo "make bench      times against the peer libraries, written to benchmarks/results.json"
	@echo "make catalogue  everything that is entered, as JSON (use make -s)"

app: $(BIN)/.installed warm
	$(BIN)/streamlit run app.py --server.port $(PORT) --server.address $(ADDRESS) $(if $(DISPLAY)$(WAYLAND_DISPLAY),,--server.headless true)

test: $(BIN)/.installed-dev style warm chromium
	$(BIN)/python -m pytest -n 2 --dist loadgroup tests

check: $(BIN)/.installed-dev style
	$(BIN)/python -m pytest -q -n 2 --dist loadgroup -m "not slow and not browser" tests

style: $(BIN)/.installed-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/lint-imports --no-logo

bench: $(BIN)/.installed-dev warm
	$(BIN)/python -m benchmarks $(ONLY)

warm: $(BIN)/.installed
	$(BIN)/python -m mlcore warm

catalogue: $(BIN)/.installed
	@$(BIN)/python -m figures.catalogue

# Browser tests drive the system's Chromium. Outside CI they are skipped where there is none.
chromium:
ifeq ($(CHROMIUM),)
	@if [ "$$(id -u)" = 0 ]; then root=; else root="sudo -n"; fi; \
	if command -v apt-get >/dev/null && $$root true 2>/dev/null; then \
		$$root apt-get update -qq && $$root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium; \
	fi; \
	if ! command -v chromium >/dev/null; then \
		echo "*** There is no Chromium and none could be installed: BROWSER TESTS WILL BE SKIPPED. ***"; \
		echo "*** On Debian: sudo apt-get install chromium ***"; \
		[ "$$CI" != true ]; \
	fi
endif

$(BIN)/python:
	@$(PY) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "MLScope needs Python 3.11 or newer; name one with make PY=..."; exit 1; }
	@$(PY) -m venv $(VENV) || { echo "On Debian: sudo apt-get install python3-venv"; rm -rf $(VENV); exit 1; }

$(BIN)/.installed: requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(BIN)/.installed-dev: requirements.txt requirements-dev.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $@ $(BIN)/.installed

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
