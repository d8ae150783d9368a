"""The page says "Verified" only of games that the house could not have rigged."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import open_details, spin

pytestmark = pytest.mark.browser

KNOWN = "the server knew your client seed before it committed to its own"


def test_each_spin_sends_a_new_client_seed(site, shared):
    profile = site.get("/auth/me", shared.player).json()["clientSeed"]
    nonce = shared.locator("#nonce").text_content()

    assert "Verified" in spin(shared)
    expect(shared.locator("#fairness-state")).to_have_text(f"✓ Spin {nonce} verified")
    assert "Verified" in spin(shared)

    first, second = [payload["clientSeed"] for payload in shared.spins]
    assert len({first, second, profile}) == 3


def test_a_typed_client_seed_counts_for_one_spin(shared):
    assert "Verified" in spin(shared, "seed-of-one-spin")

    assert shared.input_value("#client-seed") != "seed-of-one-spin"
    assert "Verified" in spin(shared)
    assert shared.spins[0]["clientSeed"] == "seed-of-one-spin"
    assert shared.spins[1]["clientSeed"] != "seed-of-one-spin"


def test_a_client_seed_that_was_sent_before_is_not_verified(shared):
    spin(shared, "seed-sent-before")

    verdict = spin(shared, "seed-sent-before")

    assert shared.spins[1]["clientSeed"] == "seed-sent-before"
    assert KNOWN in verdict
    assert "Verified" not in verdict
    shared.reload()
    shared.locator("#items button").first.click()
    assert KNOWN in spin(shared, "seed-sent-before"), "after the page was loaded again"


def test_the_client_seed_of_the_profile_is_not_verified(site, shared):
    profile = site.get("/auth/me", shared.player).json()["clientSeed"]

    verdict = spin(shared, profile)

    assert KNOWN in verdict
    assert "Verified" not in verdict


def test_a_client_seed_that_was_typed_before_the_commitment_is_not_verified(site, shared):
    open_details(shared)
    shared.fill("#client-seed", "typed-too-early")
    before = shared.inner_text("#commitment")
    site.run("seeds", "redraw")
    site.get("/upgrader/commitment", shared.player)
    expect(shared.locator("#commitment")).not_to_have_text(before)

    verdict = spin(shared)

    assert shared.spins[0]["clientSeed"] == "typed-too-early"
    assert KNOWN in verdict
