"""The page says "Verified" only of games that the house could not have rigged."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import ACKNOWLEDGEMENT, open_details

pytestmark = pytest.mark.browser

KNOWN = "the server knew your client seed before it committed to its own"


def test_each_spin_sends_a_new_client_seed(site, signed_in, spin, player):
    profile = site.get("/auth/me", player).json()["clientSeed"]

    spin(signed_in)
    spin(signed_in)

    first, second = [payload["clientSeed"] for payload in signed_in.spins]
    assert len({first, second, profile}) == 3


def test_a_spin_with_a_new_client_seed_is_verified(signed_in, spin):
    assert "Verified" in spin(signed_in)
    expect(signed_in.locator("#fairness-state")).to_have_text("✓ Spin 1 verified")


def test_a_typed_client_seed_is_sent_and_verified(signed_in, spin):
    verdict = spin(signed_in, "my-own-seed")

    assert signed_in.spins[0]["clientSeed"] == "my-own-seed"
    assert "Verified" in verdict


def test_a_typed_client_seed_counts_for_one_spin(signed_in, spin):
    spin(signed_in, "my-own-seed")

    assert signed_in.input_value("#client-seed") != "my-own-seed"
    assert "Verified" in spin(signed_in)
    assert signed_in.spins[1]["clientSeed"] != "my-own-seed"


def test_a_client_seed_that_was_sent_before_is_not_verified(signed_in, spin):
    spin(signed_in, "my-own-seed")

    verdict = spin(signed_in, "my-own-seed")

    assert signed_in.spins[1]["clientSeed"] == "my-own-seed"
    assert KNOWN in verdict
    assert "Verified" not in verdict


def test_a_client_seed_that_was_sent_before_the_page_was_loaded_again_is_not_verified(signed_in, spin):
    spin(signed_in, "my-own-seed")
    signed_in.reload()
    signed_in.locator("#items button").first.click()
    expect(signed_in.locator("#spin")).to_be_enabled()

    assert KNOWN in spin(signed_in, "my-own-seed")


def test_the_client_seed_of_the_profile_is_not_verified(site, signed_in, spin, player):
    profile = site.get("/auth/me", player).json()["clientSeed"]

    verdict = spin(signed_in, profile)

    assert KNOWN in verdict
    assert "Verified" not in verdict


def test_a_client_seed_that_was_typed_before_the_commitment_is_not_verified(site, signed_in, spin, player):
    open_details(signed_in)
    signed_in.fill("#client-seed", "typed-too-early")
    before = signed_in.inner_text("#commitment")
    site.run("seeds", "redraw")
    site.get("/upgrader/commitment", player)
    expect(signed_in.locator("#commitment")).not_to_have_text(before)

    verdict = spin(signed_in)

    assert signed_in.spins[0]["clientSeed"] == "typed-too-early"
    assert KNOWN in verdict


def test_a_spin_that_the_page_has_not_seen_is_not_verified(tab, sign_in, player):
    connections = []

    def lose_answer_and_proof_at_first(page):
        server = page.connect_to_server()
        connections.append(server)
        is_first = len(connections) == 1

        def forward(message):
            if not is_first or not (message.startswith(ACKNOWLEDGEMENT) or '"upgrader:proof"' in message):
                page.send(message)

        server.on_message(forward)

    tab.route_web_socket("**/socket.io/**", lose_answer_and_proof_at_first)
    sign_in(tab, player)
    tab.locator("#spin").click()
    expect(tab.locator("#reading-label")).to_have_text("Rolling")
    tab.reload()

    verdict = tab.locator("#proofs > [data-nonce='1'] .verdict").inner_text()

    assert "before this page was loaded" in verdict
    assert "Verified" not in verdict
