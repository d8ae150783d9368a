"""A real browser, which the tests of all pages share, and what a bet may change."""

import pytest
from playwright.sync_api import sync_playwright

from models.bets import Bet, Prize
from models.cases import CaseSpins
from models.db.connection import reading
from models.ledger import LedgerEntry
from models.users import User
from tests.harness.programs import BROWSER
from tests.support.chromium import SWITCHES, tabs


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER.path, args=SWITCHES)
        yield browser
        browser.close()


@pytest.fixture
def open_tab(chromium):
    with tabs(chromium) as open_tab:
        yield open_tab


@pytest.fixture
def tab(open_tab):
    return open_tab()


@pytest.fixture
def state_of():
    """All that a bet may change, to compare before and after."""

    def state(player):
        with reading():
            return (
                list(User.select().where(User.id == player.id).dicts()),
                Bet.select().count(),
                LedgerEntry.select().count(),
                Prize.select().count(),
                list(CaseSpins.select().tuples()),
            )

    return state
