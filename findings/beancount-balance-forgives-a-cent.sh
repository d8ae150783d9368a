#!/usr/bin/env bash
# beancount 3.2.3, on Python.
# A `balance` directive does not assert the amount that it names: of an amount with two decimals it forgives a
# difference of one cent. So books whose closing balance is a cent off are accepted by bean-check. The tolerance can
# be given in the directive, and `~ 0` makes it exact.
set -euo pipefail
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check beancount==3.2.3
cat > books.py <<'PYTHON'
from beancount import loader

BOOKS = """
2026-01-01 open Assets:Bank COIN
2026-01-01 open Equity:Opening COIN
2026-01-01 * "Opening"
  Assets:Bank  100.00 COIN
  Equity:Opening  -100.00 COIN
2026-02-01 balance Assets:Bank  {asserted} COIN
"""


def is_accepted(asserted):
    _, errors, _ = loader.load_string(BOOKS.format(asserted=asserted))
    print(f"balance {asserted}: {'accepted' if not errors else 'refused'}")
    return not errors


seen = [is_accepted(text) for text in ("100.01", "100.02", "100.01 ~ 0", "100.00 ~ 0")]
raise SystemExit(0 if seen == [True, False, False, True] else 1)
PYTHON
venv/bin/pip show beancount | sed -n 2p
venv/bin/python books.py
