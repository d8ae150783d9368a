"""axe finds nothing on the office's lists and tabs, and none is too wide for a narrow phone."""

import pytest

from tests.support.chromium import violations

pytestmark = pytest.mark.browser

TABS = (
    *("", "/ledger", "/bets", "/payments", "/requests", "/limits", "/logins", "/affiliates"),
    *("/prizes", "/notes", "/actions", "/events"),
)
LISTS = (
    *("players", "players?q=player", "withdrawals", "payments", "payments/findings", "payments/webhooks"),
    *("prizes", "proposals", "proposals?show=decided"),
    *("cases", "cases/1", "irl-cases", "irl-cases/1", "items", "items/1", "prices", "imports/items"),
)


def test_axe_finds_nothing_on_any_list_or_tab(site, player, new_person):
    tab = new_person("admin").tab
    bettor = site.run("users", "list", "--limit", "100")[0]["users"][-1]["platformid"]
    pages = [f"players/{bettor}{each}" for each in (*TABS, "/bets/1")] + list(LISTS)
    found = {}

    for page in pages:
        tab.goto(f"{site.url}/office/{page}")
        assert tab.get_by_role("heading", level=1).count() == 1, page
        if problems := violations(tab):
            found[page] = problems

    assert found == {}
