"""A real browser, which the tests of all pages share."""

import pytest
from playwright.sync_api import sync_playwright

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
