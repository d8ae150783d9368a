"""flask prices: refresh item prices."""

from dataclasses import asdict

import click

from blueprints.api.cli import OperatorGroup, in_camel_case, print_json
from server.current_services import get_services

group = OperatorGroup("prices", help="Refresh item prices.")


@group.command("refresh")
@click.option(
    "--accept-jumps", is_flag=True, help="Accept prices that were held back because they changed too much."
)
def refresh(*, accept_jumps: bool) -> None:
    """Fetch the price feed and the due market prices now.

    Exits with 1 if the feed is not valid.
    """
    applied = get_services().prices.refresh(accept_jumps=accept_jumps)
    print_json(in_camel_case(asdict(applied)))
