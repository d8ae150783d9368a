"""The page of the public log, and the page that verifies its proofs, with witnesses that run as programs."""

import base64
import re

import pytest
from playwright.sync_api import expect

from tests.blueprints.site.conftest import serve_site
from tests.harness.waiting import wait_until
from tests.harness.witnesses import setting_of, three_witnesses

pytestmark = [pytest.mark.browser, pytest.mark.thorough]

ORIGIN = "play.example.com/log"
SEED = b"the key of the log of this test."


@pytest.fixture(scope="module")
def witnessed_site(tmp_path_factory, sqlite_files, warm_start):
    directory = tmp_path_factory.mktemp("witnessed")
    with (
        three_witnesses(directory, origin=ORIGIN, log_seed=SEED) as running,
        sqlite_files.fresh(directory) as database_url,
        serve_site(
            warm_start,
            directory,
            database_url,
            demo=True,
            LOG_ORIGIN=ORIGIN,
            LOG_SIGNING_KEY=base64.b64encode(SEED).decode(),
            LOG_WITNESSES=setting_of(running),
        ) as site,
    ):
        wait_until(lambda: site.get("/log/witnessed").ok)
        yield site


@pytest.mark.security("Witnesses")
def test_the_browser_checks_the_cosignatures_of_the_witnessed_checkpoint(tab, witnessed_site):
    tab.goto(f"{witnessed_site.url}/public-log")

    expect(tab.locator("#witnessed")).to_contain_text("The newest witnessed checkpoint was cosigned")
    checks = tab.locator(".checks li")
    expect(checks.filter(has_text=re.compile(r"cosigned by w[12]\.example"))).to_have_count(2)
    expect(checks.filter(has_text="It is in the tree of the newest checkpoint")).to_have_class("passed")
    expect(tab.locator(".checks .failed")).to_have_count(0)


def test_a_proof_says_by_whom_its_checkpoint_was_cosigned(tab, witnessed_site, tmp_path):
    site, proof = witnessed_site, tmp_path / "bet.tlog-proof"
    proof.write_text(site.get("/bets/1/tlog-proof").text, encoding="utf-8")
    tab.goto(f"{site.url}/public-log")
    tab.get_by_role("link", name="Verify a proof with these keys").click()
    expect(tab.locator("#witnessKeys")).to_have_value(re.compile(r"(w\d\.example\+\S+\s+){3}"))

    tab.set_input_files("#logFile", proof)

    cosigned = tab.locator("#log-checks .passed", has_text="The checkpoint was cosigned by w1.example at")
    expect(cosigned).to_be_visible()


def test_a_guest_is_told_that_nobody_cosigns(tab, site):
    tab.goto(f"{site.url}/public-log")

    expect(tab.locator("#no-witnesses")).to_have_text("Nobody else cosigns this log.")
