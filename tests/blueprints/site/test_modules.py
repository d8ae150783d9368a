"""The modules of the page in Node.js, against a server of the tests: tests/js/site/*.test.mjs."""

import subprocess

import pytest

from tests.harness.node import NODE, SCRIPTS

pytestmark = pytest.mark.process

TIMEOUT_SECONDS = 120
TEST_MS = 30_000


def run_tests(*names):
    # Some pages wait for a wheel that never stops. The page sets timers that are over already.
    options = ["--test", f"--test-timeout={TEST_MS}", "--test-force-exit"]
    options.append("--disable-warning=TimeoutNegativeWarning")
    files = [f"site/{name}.test.mjs" for name in names]
    finished = subprocess.run(
        [NODE, *options, *files],
        cwd=SCRIPTS,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.mark.security("Bets that are refused because they win")
def test_bets_that_were_refused_or_not_answered_are_recomputed():
    run_tests("refused-bets")


@pytest.mark.security("Verification in the browser")
def test_only_bets_that_the_server_could_not_rig_are_called_verified():
    run_tests("verified", "receipts", "log-proof", "rolls")


@pytest.mark.regulation("RTS 14E: results are not sped up")
def test_bets_are_placed_one_at_a_time_and_shown_when_the_wheel_has_stopped():
    run_tests("betting", "attempts", "balance")


@pytest.mark.security("Links with a token")
@pytest.mark.security("The token in the browser")
def test_a_link_or_another_tab_changes_the_session_as_the_player_expects():
    run_tests("session")


def test_amounts_refusals_and_lost_connections_are_told_in_plain_words():
    run_tests("forms", "connection", "items")


@pytest.mark.security("Battles")
def test_battles_are_recomputed_and_their_beacons_verified():
    run_tests("battles", "beacons", "battle-verdict", "log-tiles")


def test_the_chance_of_a_tie_is_that_of_all_outcomes():
    run_tests("battle-chances")


@pytest.mark.regulation("RTS 14E: results are not sped up")
def test_battles_are_shown_in_step_and_tell_no_result_before_its_time():
    run_tests("battle-timeline", "battle-room", "battle-list")


def test_rewards_say_what_comes_next_and_a_free_opening_is_never_followed_by_a_paid_one():
    run_tests("rewards")
