"""A prize, from the player's wish to have it shipped to the message that it is on its way."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.office.stories.conftest import events_of, local_player
from tests.support.chromium import violations
from tests.support.openings import win_prize

pytestmark = pytest.mark.browser

DETAILS = {
    "firstName": "Ada",
    "lastName": "Miller",
    "shippingAddress": {
        "addressLine1": "Canal 5",
        "zipCode": "3511",
        "city": "Utrecht",
        "country": "Netherlands",
    },
}
TRACKING = "PostNL 3SABC"


def test_a_prize_is_shipped_and_its_player_is_told_the_tracking(site, player, new_person):
    with site.app() as app:
        prize = win_prize(app, local_player(player), name="Story Kettle")
    site.send("PUT", "/profile/details", DETAILS, player)
    site.post(f"/prizes/{prize}/ship", {}, player)
    person = new_person("support")

    tab = person.open("Prizes")
    row = tab.get_by_role("row").filter(has_text="Story Kettle")
    expect(row).to_contain_text(player["username"])
    expect(row).not_to_contain_text("Canal 5")
    row.get_by_role("link", name="Show the address").click()
    expect(row).to_contain_text("Canal 5")
    assert ("personal-details.seen", f"staff:{person.name}") in events_of(site, player)
    form = person.unfold(f"{prize}/ship")
    assert violations(tab) == {}
    form.get_by_label("Tracking").fill(TRACKING)
    said = person.send(form, reason="brought to the post office")

    expect(said).to_contain_text("The prize is marked as shipped, and the player was notified")
    expect(row).to_have_count(0)
    (message,) = site.get("/profile/notifications", player).json()
    assert TRACKING in message["message"]
    (shown,) = site.get("/prizes", player).json()["data"]["prizes"]
    assert (shown["name"], shown["status"]) == ("Story Kettle", "shipped")
    tab.get_by_label("Status").select_option("shipped")
    tab.get_by_role("button", name="Show").click()
    expect(row).to_contain_text(TRACKING)
