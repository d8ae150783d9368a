"""docs/fairness-log.md describes every kind of entry and every field, with examples that a monitor reads."""

import re
import textwrap

from tests.harness.servers import ROOT
from verify import monitor

PAGE = (ROOT / "docs" / "fairness-log.md").read_text()
SECTION = PAGE.partition("\n## Entries\n")[2].partition("\n## ")[0]
BLOCKS = re.findall(r"(?:^ {4}.+\n)+", SECTION, re.MULTILINE)
EXAMPLES = ["".join(textwrap.dedent(block).splitlines()) for block in BLOCKS if "…" not in block]
FIELDS = {name for names in [*monitor.KINDS, *monitor.TERMS] for name in names}


def test_each_kind_of_entry_has_an_example_that_is_one():
    entries = [monitor.parse_entry(example.encode()) for example in EXAMPLES]

    assert {kind for kind, _ in entries} == set(monitor.KINDS.values())
    bets = [entry for kind, entry in entries if kind == "bet"]
    assert {tuple(bet["terms"]) for bet in bets} == monitor.TERMS
    assert [monitor.wrong_terms(bet) for bet in bets] == [None] * len(bets)


def test_the_table_of_fields_has_every_field_and_no_other():
    rows = re.findall(r"^\| (`.+?) \|", SECTION, re.MULTILINE)

    assert {name for row in rows for name in re.findall(r"`(\w+)`", row)} == FIELDS - {"v"}
