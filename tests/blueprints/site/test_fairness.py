"""The page says "Verified" only of games that the house could not have rigged."""

import pytest
from playwright.sync_api import expect

pytestmark = [
    pytest.mark.browser,
    pytest.mark.parametrize("database_url", ["sqlite"], indirect=True),
]

KNOWN = "the server knew your client seed before it committed to its own"


def test_each_spin_sends_a_new_client_seed(signed_in, spin, client, player):
    profile = client.get("/auth/me", headers=player.headers).json["clientSeed"]

    spin()
    spin()

    first, second = [payload["clientSeed"] for payload in signed_in.spins]
    assert len({first, second, profile}) == 3


def test_a_spin_with_a_new_client_seed_is_verified(spin):
    assert "Verified" in spin()


def test_a_typed_client_seed_is_sent_and_verified(signed_in, spin):
    said = spin("my-own-seed")

    assert signed_in.spins[0]["clientSeed"] == "my-own-seed"
    assert "Verified" in said


def test_a_typed_client_seed_counts_for_one_spin(signed_in, spin):
    spin("my-own-seed")

    assert signed_in.input_value("#client-seed") != "my-own-seed"
    assert "Verified" in spin()
    assert signed_in.spins[1]["clientSeed"] != "my-own-seed"


def test_a_client_seed_that_was_sent_before_is_not_verified(signed_in, spin):
    spin("my-own-seed")

    said = spin("my-own-seed")

    assert signed_in.spins[1]["clientSeed"] == "my-own-seed"
    assert KNOWN in said
    assert "Verified" not in said


def test_a_client_seed_that_was_sent_before_the_page_was_loaded_again_is_not_verified(signed_in, spin):
    spin("my-own-seed")
    signed_in.reload()
    signed_in.locator("#items button").first.click()

    assert KNOWN in spin("my-own-seed")


def test_the_client_seed_of_the_profile_is_not_verified(spin, client, player):
    profile = client.get("/auth/me", headers=player.headers).json["clientSeed"]

    said = spin(profile)

    assert KNOWN in said
    assert "Verified" not in said


def test_a_client_seed_that_was_typed_before_the_commitment_is_not_verified(
    signed_in, spin, run, client, player
):
    signed_in.fill("#client-seed", "typed-too-early")
    before = signed_in.inner_text("#commitment")
    run("seeds", "redraw")
    client.get("/upgrader/commitment", headers=player.headers)
    expect(signed_in.locator("#commitment")).not_to_have_text(before)

    said = spin()

    assert signed_in.spins[0]["clientSeed"] == "typed-too-early"
    assert KNOWN in said


def test_a_spin_that_the_page_has_not_seen_is_not_verified(signed_in, spin):
    signed_in.locator("#spin").click()
    expect(signed_in.locator("#reading-label")).to_have_text("Rolling")
    signed_in.reload()

    said = signed_in.locator("#proofs > li .verdict").first.inner_text()

    assert "while this page was away" in said
    assert "Verified" not in said
