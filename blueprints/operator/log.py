"""flask log: verify the public log of bets, and print its keys."""

import click

from blueprints.api.cli import OperatorGroup, fail_on_problems, print_json
from models.log import BETS
from server.current_services import get_services
from services.log import sequencer, verification

group = OperatorGroup("log", help="Verify the public log of bets.")


@group.command("verify")
def verify() -> None:
    """Make every entry again from its bet, and compare it with the tree and the checkpoints.

    Writes nothing. Exits with 1 if there is a difference.
    """
    services = get_services()
    found = verification.verify(services.log, now=services.clock())
    print_json({"entries": found.entries, "bets": found.bets, "problems": len(found.problems)})
    fail_on_problems(found.problems, "problems in the log")


@group.command("key")
def key() -> None:
    """Print the public keys of the log, the current one first."""
    services = get_services()
    # Not as this machine knows it, which may have no record of it.
    origin = sequencer.stored_log(BETS).origin or services.settings.log_origin
    for text in services.log.keys.verifier_keys(origin):
        click.echo(text)
