"""Sixteen writers and four readers at once: every read sums to zero; with ``--effort 60`` for a minute."""

import pytest

from tests.support.money.concurrent_play import observe

SECONDS = 1
ACTIONS = frozenset(
    [
        *("spin", "open_case", "open_irl_case", "sell", "ship", "claim"),
        *("lock", "unlock", "deposit", "withdraw", "use_code"),
        *("pay_in", "pay_out", "give_back"),
    ]
)


@pytest.mark.guarantee("Every read")
@pytest.mark.security("Coins")
@pytest.mark.both_databases("money postings")
def test_every_read_sums_to_zero_while_everybody_writes(
    app, make_app, run, process_count, effort, note_figure
):
    others = [make_app() for _ in range(process_count - 1)]

    observed = observe(app, *others, writers=16, readers=4, seconds=SECONDS * effort, actions=ACTIONS)

    assert observed.failures == []
    assert observed.violations == []
    assert len(observed.states) > 1
    assert set(observed.writes) == ACTIONS
    assert run("ledger", "audit")["mismatches"] == 0
    note_figure(f"{observed.writes.total():,} writes, {observed.reads:,} reads, 0 wrong")
