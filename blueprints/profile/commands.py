"""flask two-factor: helping a player who has lost their authenticator."""

import click

from blueprints.common.commands import OperatorGroup, print_json
from blueprints.common.platform import platform
from services import users

group = OperatorGroup("two-factor", help="Two-factor authentication of players.")


@group.command("reset")
@click.argument("platformid")
def reset(platformid: str) -> None:
    """Turn a player's two-factor authentication off, and forget its secret; the player is told."""
    services = platform()
    user = users.get(platform_id=platformid)
    services.two_factor.reset(user_id=user.id, now=services.clock())
    print_json({"platformid": user.platform_id, "twoFactorEnabled": False})
