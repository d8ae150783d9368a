"""flask users: create accounts, issue tokens, show players."""

import click

from blueprints.api.cli import OperatorGroup, amount, print_json, progress_bar
from blueprints.auth.schemas import UserSchema
from models.db.connection import writing
from server.current_services import get_services
from services.accounts import users
from services.limits import exclusions
from services.shared.errors import OperatorError
from services.shared.money import Cents

group = OperatorGroup("users", help="Create accounts, issue tokens and show players.")


@group.command("create")
@click.argument("name")
@click.option("--platform-id", help="17 digits; random by default.")
@click.option("--level", type=int, default=0, help="Initial level.")
@click.option("--balance", type=amount, default="0", help="Initial coins, granted by the house.")
@click.option(
    "--count", type=click.IntRange(1, 1_000_000), default=1, help="Number of accounts: NAME, NAME-2, …"
)
def create(name: str, platform_id: str | None, level: int, balance: Cents, count: int) -> None:
    """Create accounts and print their tokens.

    Prints one JSON line for each account: platformid, username, token. Creates all accounts or none.
    """
    if platform_id is not None and count > 1:
        raise OperatorError("--platform-id cannot be used with --count")
    services = get_services()
    with writing(), progress_bar(users.free_usernames(name, count=count), label="accounts") as names:
        created = [
            users.create(
                username=free_name,
                platform_id=platform_id,
                level=level,
                balance=balance,
                seeds=services.seeds,
                now=services.clock(),
            )
            for free_name in names
        ]
    for user in created:
        print_json(
            {
                "platformid": user.platform_id,
                "username": user.username,
                "token": services.tokens.issue(platform_id=user.platform_id, now=services.clock()),
            }
        )


@group.command("token")
@click.argument("platformid")
def token(platformid: str) -> None:
    """Issue a new token for a player."""
    services = get_services()
    user = users.get(platform_id=platformid)
    print_json({"token": services.tokens.issue(platform_id=user.platform_id, now=services.clock())})


@group.command("show")
@click.argument("platformid")
def show(platformid: str) -> None:
    """Print the user object that /auth/me shows the player."""
    print_json(UserSchema().dump(users.get(platform_id=platformid)))


@group.command("exclude")
@click.argument("platformid")
@click.argument("duration", type=click.Choice(exclusions.DURATIONS))
def exclude(platformid: str, duration: str) -> None:
    """Exclude a player from all games.

    Prints until when, in ms; null for permanent. An exclusion can be made longer, never shorter.
    """
    user = users.get(platform_id=platformid)
    exclusion = exclusions.exclude(user_id=user.id, duration=duration, now=get_services().clock())
    print_json({"platformid": user.platform_id, "until": exclusion.until})
