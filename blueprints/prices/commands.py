"""flask prices: refreshing prices by hand."""

import click

from blueprints.common.commands import OperatorGroup, print_json
from blueprints.common.platform import platform

group = OperatorGroup("prices", help="Item prices.")


@group.command("refresh")
@click.option(
    "--accept-jumps", is_flag=True, help="Accept prices that were held back because they changed too much."
)
def refresh(*, accept_jumps: bool) -> None:
    """Fetch the price feed now, and ask the market for what is due; exit 1 on a bad document."""
    applied = platform().prices.refresh(accept_jumps=accept_jumps)
    print_json(
        {
            "updated": applied.updated,
            "unchanged": applied.unchanged,
            "heldBack": applied.held_back,
            "missing": applied.missing,
            "custom": applied.custom,
            "unknown": applied.unknown,
            "heldBackItems": applied.held_back_names,
        }
    )
