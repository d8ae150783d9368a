"""Sixteen writers and four readers at once: every read sums to zero; with ``--effort 60`` for a minute."""

import pytest

from tests.support.money.concurrent_play import observe

SECONDS = 1
ACTIONS = frozenset(
    [
        *("spin", "open_irl_case", "sell", "claim", "lock", "unlock"),
        *("deposit", "withdraw", "pay_in", "pay_out", "give_back"),
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
    assert [sums for sums in observed.reads if sum(sums) != 0] == []
    assert len(set(observed.reads)) > 1
    assert set(observed.writes) == ACTIONS
    assert run("ledger", "audit")["mismatches"] == 0
    note_figure(f"{observed.writes.total():,} writes, {len(observed.reads):,} reads, 0 wrong")
