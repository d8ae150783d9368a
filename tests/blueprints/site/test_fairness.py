"""The page says "Verified" only of games that the house could not have rigged."""

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import open_details, spin

pytestmark = pytest.mark.browser

KNOWN = "the server knew your client seed before it committed to its own"


@pytest.mark.security("Verification in the browser")
def test_each_spin_sends_a_new_client_seed(site, shared):
    profile = site.get("/auth/me", shared.player).json()["clientSeed"]
    nonce = shared.locator("#nonce").text_content()

    assert "Verified" in spin(shared)
    expect(shared.locator("#fairness-state")).to_have_text(f"✓ Spin {nonce} verified")
    assert "Verified" in spin(shared)

    first, second = [payload["clientSeed"] for payload in shared.spins]
    assert len({first, second, profile}) == 3


@pytest.mark.security("Verification in the browser")
def test_a_client_seed_that_was_sent_before_is_not_verified(site, shared):
    assert "Verified" in spin(shared, "seed-sent-before")
    assert shared.input_value("#client-seed") != "seed-sent-before", "it counts for one spin"
    profile = site.get("/auth/me", shared.player).json()["clientSeed"]

    for known in ("seed-sent-before", profile):
        verdict = spin(shared, known)
        assert shared.spins[-1]["clientSeed"] == known
        assert KNOWN in verdict
        assert "Verified" not in verdict

    shared.reload()
    shared.locator("#items button").first.click()
    assert KNOWN in spin(shared, "seed-sent-before"), "after the page was loaded again"


@pytest.mark.security("Verification in the browser")
def test_a_client_seed_typed_before_the_commitment_is_not_verified(site, shared):
    open_details(shared)
    shared.fill("#client-seed", "typed-too-early")
    before = shared.inner_text("#commitment")
    site.run("seeds", "redraw")
    site.get("/upgrader/commitment", shared.player)
    expect(shared.locator("#commitment")).not_to_have_text(before)

    verdict = spin(shared)

    assert shared.spins[0]["clientSeed"] == "typed-too-early"
    assert KNOWN in verdict
