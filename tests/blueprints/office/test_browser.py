"""The office in a real browser: what needs one, and what axe finds on its pages."""

import json
import re

import pytest
from playwright.sync_api import expect

from tests.support.chromium import PATIENCE_MS, screenshot, violations
from tests.support.office import PASSWORD

pytestmark = pytest.mark.browser


@pytest.fixture
def administrator(tab, demo_address):
    """The page of the demo administrator."""
    tab.goto(demo_address)
    expect(tab.get_by_role("heading", name="Overview")).to_be_visible()
    return tab


def test_times_are_shown_in_the_zone_of_the_reader_with_utc_on_hover(open_tab, demo_address):
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
    expect(tab.locator(".charts")).to_be_visible()
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


@pytest.mark.thorough
@pytest.mark.parametrize("role", ["admin", "compliance"])
def test_the_navigation_fits_in_one_line_of_a_laptop(administrator, role):
    if role != "admin":
        administrator.get_by_text("demo-admin", exact=True).click()
        administrator.get_by_role("button", name=f"Go on as demo-{role}").click()
        expect(administrator.get_by_text(f"demo-{role}", exact=True)).to_be_visible()

    assert administrator.locator("header nav li").count() == 12
    assert administrator.evaluate(IS_ONE_LINE)


PAGES = (
    *("", "nothing", "alarms?state=all", "audit-trail?what=staff.added", "audit-trail?from=2999-01-01"),
    *("staff", "staff/demo-support", "reports?by=case&from=2020-01-01"),
    *("reports/payments?from=2020-01-01", "reports/liabilities", "reports/rewards"),
    *(
        "players",
        "players?q=player",
        "withdrawals",
        "payments",
        "payments/discrepancies",
        "payments/webhooks",
    ),
    *("battles", "battles?state=held", "battles/results"),
    *("prizes", "proposals", "proposals?show=decided"),
    *(
        "cases",
        "cases/1",
        "irl-cases",
        "irl-cases/1",
        "items",
        "items/1",
        "prices",
        "imports/items",
        "cases/new?case=1",
    ),
)
TABS = (
    *(
        "",
        "/ledger",
        "/bets",
        "/bets/1",
        "/battles",
        "/payments",
        "/requests",
        "/limits",
        "/logins",
        "/links",
        "/affiliates",
    ),
    *("/prizes", "/rewards", "/notes", "/actions", "/events"),
)
PICTURES = {
    "": "office-overview",
    "audit-trail?what=staff.added": "office-audit-trail",
    "staff": "office-staff",
}
"""The pages of which docs/office.md has a picture, and its name."""


@pytest.mark.thorough
def test_axe_finds_nothing_on_any_page(administrator, office_site):
    bettor = office_site.run("users", "list", "--limit", "100")[0]["users"][-1]["platformid"]
    found = {}

    for page in (*PAGES, *(f"players/{bettor}{tab}" for tab in TABS)):
        administrator.goto(f"{office_site.url}/office/{page}")
        assert administrator.get_by_role("heading", level=1).count() == 1, page
        if problems := violations(administrator):
            found[page] = problems
        if page in PICTURES:
            screenshot(administrator, PICTURES[page])

    assert found == {}


@pytest.mark.thorough
def test_axe_finds_nothing_on_the_page_of_a_battle_that_has_ended(administrator, office_site):
    administrator.goto(f"{office_site.url}/office/battles")
    settled = administrator.get_by_role("row", name="settled")
    # The demo's first battle takes some seconds.
    for _ in range(PATIENCE_MS // 500):
        if settled.count():
            break
        administrator.wait_for_timeout(500)
        administrator.reload()
    settled.get_by_role("link").first.click()
    expect(administrator.get_by_role("heading", name="End in the log")).to_be_visible()

    assert violations(administrator) == {}


@pytest.mark.thorough
def test_a_table_with_large_figures_scrolls_instead_of_the_page(administrator, office_site):
    administrator.goto(f"{office_site.url}/office/reports?by=case&from=2020-01-01")
    administrator.locator(".scroll td").first.evaluate("cell => { cell.textContent = '9'.repeat(80); }")

    assert violations(administrator) == {}


@pytest.mark.thorough
def test_axe_finds_nothing_on_the_menu_previews_and_a_proposal(administrator, office_site):
    tab = administrator
    tab.get_by_text("demo-admin", exact=True).click()
    assert violations(tab) == {}

    item = office_site.get("/upgrader/items").json()[0]["marketHashName"]
    case = {"name": "Axe", "items": [{"marketHashName": item, "percentage": 99}]}
    for percentage in (99, 100):
        case["items"][0]["percentage"] = percentage
        tab.goto(f"{office_site.url}/office/imports/cases")
        tab.get_by_label("or JSON").fill(json.dumps([case]))
        tab.get_by_role("button", name="Preview").click()
        expect(tab.get_by_text("must sum to" if percentage == 99 else "1 new, 0 changed")).to_be_visible()
        assert violations(tab) == {}
    tab.get_by_label("Reason").fill("a proposal to look at")
    tab.get_by_role("button", name="Propose").click()
    tab.goto(f"{office_site.url}/office/proposals")
    tab.get_by_role("row").filter(has_text="Axe").get_by_role("link").click()

    expect(tab.get_by_text("1 new, 0 changed, 0 unchanged")).to_be_visible()
    assert violations(tab) == {}


@pytest.mark.thorough
def test_axe_finds_nothing_on_enrolment_sign_in_and_their_refusals(tab, office_site):
    (added,) = office_site.run("staff", "add", "axel", "--role", "support")
    tab.goto(added["link"])
    assert violations(tab) == {}
    for label, text in (("Password", PASSWORD), ("Password again", "another one"), ("Code", "123456")):
        tab.get_by_label(label, exact=True).fill(text)
    tab.get_by_role("button", name="Enrol").click()
    expect(tab.get_by_role("alert")).to_have_text("The two passwords are not the same")
    assert violations(tab) == {}

    tab.goto(f"{office_site.url}/office/sign-in")
    for label, text in (("Name", "axel"), ("Password", "a wrong password"), ("Code", "123456")):
        tab.get_by_label(label, exact=True).fill(text)
    tab.get_by_role("button", name="Sign in").click()
    expect(tab.get_by_role("alert")).to_be_visible()
    expect(tab.get_by_label("Name")).to_have_value("axel")
    assert violations(tab) == {}
