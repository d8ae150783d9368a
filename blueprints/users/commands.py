"""flask users: making accounts, tokens, and looking at a player."""

import click

from blueprints.auth.schemas import UserSchema
from blueprints.common.commands import Amount, OperatorGroup, print_json, progress_bar
from blueprints.common.platform import platform
from models.database import writing
from models.users import User
from services import users
from services.errors import OperatorError
from services.money import Cents

group = OperatorGroup("users", help="Players: accounts and tokens.")


@group.command("create")
@click.argument("name")
@click.option("--platform-id", help="17 digits; drawn at random when left out.")
@click.option("--level", type=int, default=0, help="The level to start with.")
@click.option("--balance", type=Amount(), default="0", help="Coins to start with, granted by the house.")
@click.option(
    "--count", type=click.IntRange(1, 1_000_000), default=1, help="How many accounts: NAME, NAME-2, …"
)
def create(name: str, platform_id: str | None, level: int, balance: Cents, count: int) -> None:
    """Make accounts, all of them or none; one JSON line each: platformid, username, token."""
    if platform_id is not None and count > 1:
        raise OperatorError("--platform-id is one account's; leave out --count")
    services = platform()
    created: list[User] = []
    with (
        writing(),
        progress_bar(users.free_usernames(name, count=count), label="accounts") as names,
    ):
        for free_name in names:
            created.append(  # noqa: PERF401  # the progress bar reads better as a loop
                users.create(
                    username=free_name,
                    platform_id=platform_id,
                    level=level,
                    balance=balance,
                    seeds=services.seeds,
                    now=services.clock(),
                )
            )
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
    """A fresh token of a player."""
    services = platform()
    user = users.get(platform_id=platformid)
    print_json({"token": services.tokens.issue(platform_id=user.platform_id, now=services.clock())})


@group.command("show")
@click.argument("platformid")
def show(platformid: str) -> None:
    """The user object that the player gets from /auth/me."""
    print_json(UserSchema().dump(users.get(platform_id=platformid)))
