"""docs/scaling.md has the table that ``python -m bench.capacity`` prints."""

from bench import capacity
from bench.harness.servers import ROOT

PAGE = (ROOT / "docs" / "scaling.md").read_text()


def test_the_table_of_needs_is_what_the_model_computes():
    loads = [
        capacity.Load(players, feed=feed) for players in (10_000, 100_000, 1_000_000) for feed in (None, 10)
    ]
    costs = capacity.Costs()

    table = "\n".join(capacity.lines([capacity.needs(load, costs) for load in loads], costs))

    assert f"\n\n{table}\n\n" in PAGE
