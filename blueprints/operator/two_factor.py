"""flask two-factor: help a player who has lost their authenticator."""

import click

from blueprints.api.cli import OperatorGroup, print_json
from server.current_services import get_services
from services.accounts import users

group = OperatorGroup("two-factor", help="Turn off the two-factor authentication of a player.")


@group.command("reset")
@click.argument("platformid")
def reset(platformid: str) -> None:
    """Turn two-factor authentication off for a player.

    Deletes the secret and notifies the player.
    """
    services = get_services()
    user = users.get(platform_id=platformid)
    services.two_factor.reset(user_id=user.id, now=services.clock())
    print_json({"platformid": user.platform_id, "twoFactorEnabled": False})
