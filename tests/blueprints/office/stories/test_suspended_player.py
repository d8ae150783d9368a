"""A player who is suspended, found again by a tag, and may play again."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import sign_in, spin
from tests.support.chromium import violations

pytestmark = pytest.mark.browser

NOTE = "Called: somebody else may use the account"


def test_a_suspended_player_is_found_by_a_tag_and_plays_again_after_the_suspension(
    site, player, open_tab, new_person
):
    game = sign_in(open_tab(), site, player)
    person = new_person("support")

    tab = person.find(player)
    said = person.send(person.unfold("suspend"), reason="somebody else may play")
    expect(said).to_contain_text("The player is suspended")
    game.reload()
    expect(game.locator("#notice")).to_contain_text("Your account is suspended: you can't play.")
    assert site.get("/auth/me", player).status_code == 403
    form = person.unfold("tags")
    form.get_by_label("Add a tag").fill("story-call")
    expect(person.send(form, reason="to be called again")).to_contain_text("The tag was added")
    tab.get_by_role("link", name="Notes", exact=True).click()
    tab.get_by_label("Note", exact=True).fill(NOTE)
    tab.get_by_role("button", name="Add the note").click()
    expect(tab.get_by_role("status")).to_contain_text("The note was added")

    person.search("story-call")
    row = tab.get_by_role("row").filter(has_text=player["platformid"])
    expect(row).to_contain_text("suspended")
    assert violations(tab) == {}
    row.get_by_role("link").click()
    expect(tab.get_by_text(NOTE)).to_be_visible()
    form = person.unfold("resume")
    expect(person.send(form, reason="it was the player")).to_contain_text("The suspension is over")

    assert "Verified" in spin(sign_in(game, site, player))
