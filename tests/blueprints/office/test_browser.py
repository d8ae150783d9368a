"""The office in a real browser: enrolling, signing in and out, and what axe finds on its pages."""

import re
import time

import pyotp
import pytest
from playwright.sync_api import expect

from tests.support.chromium import screenshot, violations
from tests.support.office import PASSWORD

pytestmark = pytest.mark.browser

STEP_SECONDS = 30


def fill(tab, **fields):
    for label, text in fields.items():
        tab.get_by_label(label.replace("_", " "), exact=True).fill(text)


@pytest.fixture
def administrator(tab, office_site, demo_address):
    """The page of the demo administrator."""
    tab.goto(demo_address)
    expect(tab.get_by_role("heading", name="Overview")).to_be_visible()
    return tab


def test_a_person_enrols_signs_in_looks_around_and_signs_out(tab, office_site):
    (added,) = office_site.run("staff", "add", "olivia", "--role", "auditor")
    tab.goto(added["link"])
    expect(tab.get_by_alt_text("QR code for the authenticator")).to_be_visible()
    app = pyotp.TOTP(tab.locator("#secret").inner_text())
    now = int(time.time())
    fill(tab, Password=PASSWORD, Password_again=PASSWORD, Code=app.at(now))
    tab.get_by_role("button", name="Enrol").click()
    expect(tab.get_by_role("status")).to_have_text("You are enrolled. Sign in with the next code.")

    fill(tab, Name="olivia", Password=PASSWORD, Code=app.at(now + STEP_SECONDS))
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", name="Overview")).to_be_visible()

    tab.get_by_role("link", name="Audit trail").click()
    expect(
        tab.get_by_role("row").filter(has_text="staff.signed-in").filter(has_text="olivia")
    ).to_be_visible()
    tab.get_by_text("olivia", exact=True).first.click()
    tab.get_by_role("button", name="Sign out").click()
    expect(tab.get_by_role("heading", name="Sign in")).to_be_visible()
    tab.goto(f"{office_site.url}/office/audit-trail")
    expect(tab.get_by_role("heading", name="Sign in")).to_be_visible()


def test_times_are_shown_in_the_zone_of_the_reader_with_utc_on_hover(open_tab, office_site, demo_address):
    tab = open_tab(timezone_id="Asia/Tokyo")
    tab.goto(demo_address)
    tab.get_by_role("link", name="Audit trail").click()
    shown = tab.locator("tbody time").first

    expect(shown).to_have_attribute("title", re.compile("UTC$"))
    hour_in_utc = int(re.search(r" (\d\d):", shown.get_attribute("title"))[1])
    assert int(re.search(r" (\d\d):", shown.inner_text())[1]) == (hour_in_utc + 9) % 24


def test_it_works_without_javascript(open_tab, demo_address):
    tab = open_tab(java_script_enabled=False)
    tab.goto(demo_address)
    tab.get_by_role("link", name="Staff").click()
    tab.get_by_role("link", name="demo-support").click()

    expect(tab.get_by_role("heading", name="demo-support")).to_be_visible()
    tab.get_by_text("demo-admin", exact=True).click()
    tab.get_by_role("button", name="Go on as demo-auditor").click()
    expect(tab.get_by_text("Role: auditor")).to_be_attached()


IS_ONE_LINE = """() => {
  const parts = [...document.querySelectorAll("header nav li, .brand, .person > *")];
  const boxes = parts.map((part) => part.getBoundingClientRect());
  return Math.max(...boxes.map((box) => box.top)) < Math.min(...boxes.map((box) => box.bottom));
}"""


@pytest.mark.parametrize("role", ["admin", "compliance"])
def test_the_navigation_fits_in_one_line_of_a_laptop(administrator, role):
    if role != "admin":
        administrator.get_by_text("demo-admin", exact=True).click()
        administrator.get_by_role("button", name=f"Go on as demo-{role}").click()
        expect(administrator.get_by_text(f"demo-{role}", exact=True)).to_be_visible()

    assert administrator.locator("header nav li").count() == 11
    assert administrator.evaluate(IS_ONE_LINE)


PAGES = {
    "the overview": "",
    "the audit trail": "audit-trail?what=staff.added",
    "an empty search": "audit-trail?from=2999-01-01",
    "the staff": "staff",
    "a person": "staff/demo-support",
    "reports of bets": "reports?by=case&from=2020-01-01",
    "a report of payments": "reports/payments?from=2020-01-01",
    "a report of liabilities": "reports/liabilities",
    "alarms": "alarms?state=all",
    "an unknown page": "nothing",
}


PICTURES = {
    "the overview": "office-overview",
    "the audit trail": "office-audit-trail",
    "the staff": "office-staff",
}
"""The pages of which docs/office.md has a picture, and its name."""


@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_on(administrator, office_site, page):
    administrator.goto(f"{office_site.url}/office/{PAGES[page]}")

    assert violations(administrator) == {}
    if page in PICTURES:
        screenshot(administrator, PICTURES[page])


def test_a_table_with_large_figures_scrolls_instead_of_the_page(administrator, office_site):
    administrator.goto(f"{office_site.url}/office/{PAGES['reports of bets']}")
    administrator.locator(".scroll td").first.evaluate("cell => { cell.textContent = '9'.repeat(80); }")

    assert violations(administrator) == {}


def test_axe_finds_nothing_on_the_open_menu(administrator):
    administrator.get_by_text("demo-admin", exact=True).click()

    assert violations(administrator) == {}


def test_axe_finds_nothing_on_enrolment_sign_in_and_their_refusals(tab, office_site):
    (added,) = office_site.run("staff", "add", "axel", "--role", "support")
    tab.goto(added["link"])
    assert violations(tab) == {}
    fill(tab, Password=PASSWORD, Password_again="another one", Code="123456")
    tab.get_by_role("button", name="Enrol").click()
    expect(tab.get_by_role("alert")).to_have_text("The two passwords are not the same")
    assert violations(tab) == {}

    tab.goto(f"{office_site.url}/office/sign-in")
    fill(tab, Name="axel", Password="a wrong password", Code="123456")
    tab.get_by_role("button", name="Sign in").click()
    expect(tab.get_by_role("alert")).to_be_visible()
    expect(tab.get_by_label("Name")).to_have_value("axel")
    assert violations(tab) == {}
