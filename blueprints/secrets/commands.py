"""flask secrets: what lies sealed in the database."""

import click

from blueprints.common.commands import OperatorGroup, print_json
from blueprints.common.platform import platform
from services import resealing

UNREADABLE_TOLD = 20

group = OperatorGroup("secrets", help="What lies sealed in the database.")


@group.command("reseal")
def reseal() -> None:
    """Seal everything under the current SECRET_KEY; exit 1 when something opens under no key."""
    services = platform()
    result = resealing.reseal(seeds=services.seeds, two_factor=services.two_factor)
    print_json(
        {
            "announcedSeeds": result.announced_seeds,
            "bets": result.bets,
            "twoFactorSecrets": result.two_factor_secrets,
            "unreadable": len(result.unreadable),
        }
    )
    for line in result.unreadable[:UNREADABLE_TOLD]:
        click.echo(line, err=True)
    if result.unreadable:
        raise click.ClickException(f"{len(result.unreadable)} open under no key: see SECRET_KEY_PREVIOUS")
