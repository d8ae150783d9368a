"""flask ledger export: the books of a period, which accounting programs read and find right to the cent."""

import csv
import io
import subprocess
import sys
from pathlib import Path

import pytest

from services.wallet import vault
from tests.support.openings import Openings

DAY_MS = 86_400_000
FIRST_DAY = 1_700_006_400_000
"""The 15th of November 2023, in UTC."""
SECOND_DAY = FIRST_DAY + DAY_MS

ONE_DAY = ("--from", "2023-11-16", "--to", "2023-11-16")


class Clock:
    now = FIRST_DAY

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def alice(app, clock, new_player):
    """Has 100 coins on the first day; opens two cases and locks 7.5 coins on the second."""
    player = new_player("alice")
    clock.now = SECOND_DAY
    Openings(app).open(player, wins="Dust")
    clock.now += DAY_MS - 60_000
    Openings(app).open(player, wins="Crown")
    vault.lock(user_id=player.id, amount=7.5, deadline=clock.now + DAY_MS, now=clock.now)
    return player


@pytest.fixture
def export(app):
    """Runs the command; what it printed."""

    def run(*options):
        result = app.test_cli_runner().invoke(args=["ledger", "export", *options])
        assert result.exit_code == 0, result.output
        return result.stdout

    return run


def rows(text):
    return [tuple(row.values()) for row in csv.DictReader(io.StringIO(text))]


@pytest.mark.both_databases("services/figures/books.py")
@pytest.mark.usefixtures("alice")
def test_the_transactions_of_a_day_are_summed_by_kind_between_opening_and_closing_balances(export):
    assert rows(export(*ONE_DAY, "--format", "csv")) == [
        ("2023-11-16", "opening balance", "Expenses:Grants", "100.00"),
        ("2023-11-16", "opening balance", "Liabilities:Players:Balances", "-100.00"),
        ("2023-11-16", "opening", "Liabilities:Players:Balances", "-31.00"),
        ("2023-11-16", "opening", "Income:Bets:Case", "31.00"),
        ("2023-11-16", "vault-lock", "Liabilities:Players:Balances", "7.50"),
        ("2023-11-16", "vault-lock", "Liabilities:Players:Vaults", "-7.50"),
        ("2023-11-16", "closing balance", "Expenses:Grants", "100.00"),
        ("2023-11-16", "closing balance", "Income:Bets:Case", "31.00"),
        ("2023-11-16", "closing balance", "Liabilities:Players:Balances", "-123.50"),
        ("2023-11-16", "closing balance", "Liabilities:Players:Vaults", "-7.50"),
    ]


def test_the_books_of_a_player_have_the_house_on_the_other_side(app, export, new_player, alice):
    new_player("bob")

    found = rows(
        export("--from", "2023-11-15", "--to", "2023-11-16", "--format", "csv", "--player", alice.platform_id)
    )

    assert [row[1:] for row in found if row[2].startswith("Equity:")] == [
        ("grant", "Equity:House", "100.00"),
        ("opening", "Equity:House", "31.00"),
        ("closing balance", "Equity:House", "131.00"),
    ]


def test_a_period_that_ends_before_it_begins_is_refused(fails):
    period = ("--from", "2023-11-16", "--to", "2023-11-15")

    assert "--to is before --from" in fails("ledger", "export", *period, "--format", "csv")


def is_right(program, text, tmp_path):
    """Whether the accounting program accepts the books, with all that they assert."""
    file = tmp_path / f"books.{program}"
    file.write_text(text)
    commands = {
        "hledger": ["hledger", "-f", str(file), "check", "--strict"],
        "ledger": ["ledger", "--pedantic", "-f", str(file), "balance"],
        "beancount": [str(Path(sys.executable).with_name("bean-check")), str(file)],
    }
    return subprocess.run(commands[program], capture_output=True, check=False, timeout=60).returncode == 0


PROGRAMS = [
    pytest.param("hledger", marks=pytest.mark.hledger),
    pytest.param("ledger", marks=pytest.mark.ledger),
    pytest.param("beancount", marks=pytest.mark.process),
]


@pytest.mark.thorough
@pytest.mark.usefixtures("alice")
@pytest.mark.parametrize("program", PROGRAMS)
def test_accounting_programs_accept_the_books_and_refuse_them_with_a_cent_changed(export, program, tmp_path):
    text = export(*ONE_DAY, "--format", program)

    assert is_right(program, text, tmp_path)
    assert not is_right(program, text.replace("-123.50", "-123.49"), tmp_path)
