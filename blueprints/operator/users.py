"""flask users: create accounts, show, list, adjust, log out and suspend players."""

import click

from blueprints.api.cli import OperatorGroup, amount, print_json, progress_bar, signed_amount
from blueprints.api.parameters import MAX_LIMIT
from blueprints.operator.player_view import LISTED_PLAYERS, view_of
from models.db.connection import writing
from models.users import User
from server.current_services import get_services
from services.accounts import access, users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.limits import exclusions
from services.shared.errors import Refusal
from services.shared.money import Cents, number_from_cents
from services.shared.pagination import Place
from services.wallet import adjusting

MAX_PAGE = 1_000_000_000

group = OperatorGroup(
    "users", help="Create accounts, show and list players, adjust balances, log out and suspend."
)


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
        raise Refusal("--platform-id cannot be used with --count")
    services = get_services()
    created = []
    with writing(), progress_bar(users.free_usernames(name, count=count), label="accounts") as names:
        for free_name in names:
            user = users.create(
                username=free_name,
                platform_id=platform_id,
                level=level,
                balance=balance,
                now=services.clock(),
            )
            services.seeds.announce_first(user_id=user.id)
            created.append(user)
    for user in created:
        print_json({"platformid": user.platform_id, "username": user.username, "token": _token_of(user)})


@group.command("token")
@click.argument("platformid")
def token(platformid: str) -> None:
    """Issue a new token for a player."""
    print_json({"token": new_token(users.get(platform_id=platformid))})


@group.command("show")
@click.argument("platformid")
def show(platformid: str) -> None:
    """Print what support needs to know about a player, and no secrets.

    The user object of /auth/me, suspension, exclusion, limits, token number, two-factor authentication, and
    the last five bets and payments.
    """
    print_json(view_of(users.get(platform_id=platformid)))


@group.command("list")
@click.option("--search", default="", help="Part of the username in any case, or a platformid.")
@click.option("--page", type=click.IntRange(1, MAX_PAGE), default=1, help="Number of the page, from 1.")
@click.option("--limit", type=click.IntRange(1, MAX_LIMIT), default=20, help="Players on a page.")
def list_users(search: str, page: int, limit: int) -> None:
    """List the players, the newest account first."""
    found = users.page(search=search, place=Place(number=page, limit=limit))
    place = {"total": found.total, "totalPages": -(-found.total // limit), "currentPage": page}
    print_json({"users": LISTED_PLAYERS.dump(found.rows)} | place)


# So that -5 is an amount, not an option.
@group.command("adjust", context_settings={"ignore_unknown_options": True})
@click.argument("platformid")
@click.argument("coins", metavar="AMOUNT", type=signed_amount)
@click.option("--reason", required=True, help="Why, for the audit trail.")
def adjust(platformid: str, coins: int, reason: str) -> None:
    """Add coins to a player's balance, or take them from it if AMOUNT is below 0.

    The balance never goes below 0. This is neither a payment nor a bet. Each run moves the coins again.
    """
    user = users.get(platform_id=platformid)
    balance = adjusting.adjust(user_id=user.id, amount=coins, reason=reason, now=get_services().clock())
    amounts = {"amount": number_from_cents(coins), "balance": number_from_cents(balance)}
    print_json({"platformid": user.platform_id} | amounts)


@group.command("exclude")
@click.argument("platformid")
@click.argument("duration", metavar="DURATION", type=click.Choice(exclusions.DURATIONS))
def exclude(platformid: str, duration: str) -> None:
    """Exclude a player from all games.

    Prints until when, in ms; null for permanent. An exclusion can be made longer, never shorter.
    """
    user = users.get(platform_id=platformid)
    exclusion = exclusions.exclude(user_id=user.id, duration=duration, now=get_services().clock())
    print_json({"platformid": user.platform_id} | exclusion)


@group.command("logout")
@click.argument("platformid")
def logout(platformid: str) -> None:
    """Log a player out everywhere.

    Revokes all tokens; open sockets become spectators within a second.
    """
    user = users.get(platform_id=platformid)
    number = access.log_out_everywhere(user_id=user.id, now=get_services().clock())
    print_json({"platformid": user.platform_id, "session": number})


@group.command("suspend")
@click.argument("platformid")
def suspend(platformid: str) -> None:
    """Suspend a player.

    The player's requests and bets are refused; proofs still reach the player's sockets.
    Prints since when the player is suspended.
    """
    user = users.get(platform_id=platformid)
    since = access.suspend(user_id=user.id, now=get_services().clock())
    print_json({"platformid": user.platform_id, "suspendedAt": since})


@group.command("resume")
@click.argument("platformid")
def resume(platformid: str) -> None:
    """End the suspension of a player."""
    user = users.get(platform_id=platformid)
    access.resume(user_id=user.id, now=get_services().clock())
    print_json({"platformid": user.platform_id, "suspendedAt": None})


def new_token(user: User) -> str:
    """Issue a token, and record that in the audit trail."""
    with writing():
        record(AuditEventType.TOKEN_ISSUED, now=get_services().clock(), user_id=user.id)
    return _token_of(user)


def _token_of(user: User) -> str:
    services = get_services()
    return services.tokens.issue(user, now=services.clock())
