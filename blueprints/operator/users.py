"""flask users, flask two-factor, flask notifications: what operators do with players."""

from typing import Any

import click
import peewee

from blueprints.api.cli import OperatorGroup, amount, print_json, progress_bar, signed_amount
from blueprints.api.parameters import MAX_LIMIT
from blueprints.auth.schemas import PublicUserSchema, UserSchema
from blueprints.limits.schemas import LimitsSchema
from blueprints.profile.schemas import NotificationSchema
from blueprints.stats.schemas import GameSchema, PaymentSchema
from models.db.connection import writing
from models.users import User
from server.current_services import get_services
from server.schemas import Coins, epoch_ms, text
from services.accounts import access, logins, notifications, users
from services.accounts.two_factor import codes
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.exports.parts import NOTES
from services.limits import exclusions, limits
from services.shared.clock import Millis
from services.shared.errors import Refusal
from services.shared.money import Cents, number_from_cents
from services.shared.pagination import Place
from services.staff import personal_data
from services.statistics.player_lists import (
    GameSort,
    PaymentKind,
    PaymentSort,
    page_of_games,
    page_of_payments,
)
from services.wallet import adjusting
from sockets.schemas import NONCE

MAX_PAGE = 1_000_000_000

users_commands = OperatorGroup(
    "users", help="Create accounts, show and list players, adjust balances, log out and suspend."
)

ACCOUNTS_A_STATEMENT = 1_000

LAST = Place(number=1, limit=5)
"""The last bets and payments."""


@users_commands.command("create")
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
    details: dict[str, Any] = {"level": level, "balance": balance, "now": services.clock()}
    created: list[User] = []
    with writing(), progress_bar(length=count, label="accounts") as bar:
        if platform_id is not None:
            created.append(users.create(username=name, platform_id=platform_id, **details))
        else:
            for names in peewee.chunked(users.free_usernames(name, count=count), ACCOUNTS_A_STATEMENT):
                created += users.create_many(names, **details)
                bar.update(len(names))
        # At the end, because the log can't be appended to from then until the commit.
        services.seeds.announce_first_of_all([user.id for user in created])
    for user in created:
        print_json({"platformid": user.platform_id, "username": user.username, "token": _token_of(user)})


@users_commands.command("token")
@click.argument("platformid")
def token(platformid: str) -> None:
    """Issue a new token for a player."""
    print_json({"token": new_token(users.get(platform_id=platformid))})


@users_commands.command("export")
@click.argument("platformid")
@click.option("--notes", "with_notes", is_flag=True, help="Add the notes, tags and proposals of staff.")
def export(platformid: str, *, with_notes: bool) -> None:
    """Print everything that is known of a player, as JSON.

    It is the file that players download, for those who can't log in. Review it before you hand out the notes
    of staff: in many countries it is forbidden to tell a player of a suspicion of money laundering.
    """
    services, player = get_services(), users.get(platform_id=platformid)
    look = "export with notes" if with_notes else "export"
    personal_data.record_look(user_id=player.id, what=look, now=services.clock())
    services.proofs.reveal_due(user_id=player.id, now=services.clock())
    for piece in services.documents.pieces(player, notes=NOTES if with_notes else ()):
        click.echo(piece, nl=False)


@users_commands.command("show")
@click.argument("platformid")
def show(platformid: str) -> None:
    """Print what support needs to know about a player, and no secrets.

    The user object of /auth/me, suspension, exclusion, limits, token number, two-factor authentication, and
    the last five bets and payments.
    """
    print_json(view_of(users.get(platform_id=platformid)))


@users_commands.command("list")
@click.option("--search", default="", help="Part of the username in any case, or a platformid.")
@click.option("--page", type=click.IntRange(1, MAX_PAGE), default=1, help="Number of the page, from 1.")
@click.option("--limit", type=click.IntRange(1, MAX_LIMIT), default=20, help="Players on a page.")
def list_users(search: str, page: int, limit: int) -> None:
    """List the players, the newest account first."""
    found = users.page(search=search, place=Place(number=page, limit=limit))
    place = {"total": found.total, "totalPages": -(-found.total // limit), "currentPage": page}
    print_json({"users": LISTED_PLAYERS.dump(found.rows)} | place)


# So that -5 is an amount, not an option.
@users_commands.command("adjust", context_settings={"ignore_unknown_options": True})
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


@users_commands.command("exclude")
@click.argument("platformid")
@click.argument("duration", metavar="DURATION", type=click.Choice(exclusions.DURATIONS))
def exclude(platformid: str, duration: str) -> None:
    """Exclude a player from all games.

    Prints until when, in ms; null for permanent. An exclusion can be made longer, never shorter.
    """
    user = users.get(platform_id=platformid)
    services = get_services()
    exclusion = exclusions.exclude(user_id=user.id, duration=duration, now=services.clock())
    services.battles.take_back(user_id=user.id)
    print_json({"platformid": user.platform_id} | exclusion)


@users_commands.command("logout")
@click.argument("platformid")
def logout(platformid: str) -> None:
    """Log a player out everywhere.

    Revokes all tokens; open sockets become spectators within a second.
    """
    user = users.get(platform_id=platformid)
    number = access.log_out_everywhere(user_id=user.id, now=get_services().clock())
    print_json({"platformid": user.platform_id, "session": number})


@users_commands.command("restore-login")
@click.argument("platformid")
def restore_login(platformid: str) -> None:
    """Give an account back to the login that made it.

    Removes all other logins, and revokes all tokens.
    """
    user = users.get(platform_id=platformid)
    provider = logins.restore(user_id=user.id, now=get_services().clock())
    print_json({"platformid": user.platform_id, "logins": [provider]})


@users_commands.command("suspend")
@click.argument("platformid")
def suspend(platformid: str) -> None:
    """Suspend a player.

    The player's requests and bets are refused; proofs still reach the player's sockets.
    Prints since when the player is suspended.
    """
    user = users.get(platform_id=platformid)
    services = get_services()
    since = access.suspend(user_id=user.id, now=services.clock())
    services.battles.take_back(user_id=user.id)
    print_json({"platformid": user.platform_id, "suspendedAt": since})


@users_commands.command("resume")
@click.argument("platformid")
def resume(platformid: str) -> None:
    """End the suspension of a player."""
    user = users.get(platform_id=platformid)
    access.resume(user_id=user.id, now=get_services().clock())
    print_json({"platformid": user.platform_id, "suspendedAt": None})


@users_commands.command("reopen")
@click.argument("platformid")
@click.option("--reason", required=True, help="Why, for the audit trail.")
def reopen(platformid: str, reason: str) -> None:
    """Open an account again that its player has closed.

    The coins that the player gave up stay with the house. An exclusion goes on.
    """
    user = users.get(platform_id=platformid)
    access.reopen(user_id=user.id, reason=reason, now=get_services().clock())
    print_json({"platformid": user.platform_id, "closedAt": None})


@users_commands.command("erase")
@click.argument("platformid", required=False)
@click.option("--due", is_flag=True, help="List the accounts that are due instead.")
@click.option("--now", "early", is_flag=True, help="Erase it before that is due, with a reason.")
@click.option("--reason", help="Why it is erased early, for the audit trail.")
def erase(platformid: str | None, *, due: bool, early: bool, reason: str | None) -> None:
    """Erase what is personal in a closed account, for ever.

    Ledger, bets, log and audit trail keep the player under a neutral id, which is printed.
    """
    services = get_services()
    now = services.clock()
    if due != (platformid is None):
        raise Refusal("give either a platformid or --due")
    if early != (reason is not None):
        raise Refusal("--now and --reason belong together")
    if due:
        for player in services.erasing.due(now=now):
            print_json(
                {
                    "platformid": player.platform_id,
                    "username": player.username,
                    "closedAt": player.closed_at_ms,
                    "dueAt": services.erasing.due_at(player),
                }
            )
        return
    user = users.get(platform_id=platformid or "")
    erased = services.erasing.erase(user_id=user.id, reason=reason, now=now)
    print_json({"platformid": erased.platform_id, "erasedAt": erased.erased_at_ms})


def new_token(user: User) -> str:
    """Issue a token, and record that in the audit trail."""
    with writing():
        record(AuditEventType.TOKEN_ISSUED, now=get_services().clock(), user_id=user.id)
    return _token_of(user)


def _token_of(user: User) -> str:
    services = get_services()
    return services.tokens.issue(user, now=services.clock())


class BetSchema(GameSchema):
    """A bet. ``id`` is that of GET /bets/:id."""

    id = text("The id of the bet", "18")
    nonce = NONCE
    status = text("won or lost", "won")


class ListedPlayerSchema(PublicUserSchema):
    """A player in the list of all players."""

    balance = Coins("What the player can wager", 100, attribute="balance_cents")
    suspended_at = epoch_ms("When the player was suspended", allow_none=True, attribute="suspended_at_ms")
    closed_at = epoch_ms("When the player closed the account", allow_none=True, attribute="closed_at_ms")
    erased_at = epoch_ms("When the personal data was erased", allow_none=True, attribute="erased_at_ms")


class PlayerSchema(UserSchema, ListedPlayerSchema):
    """The user object of /auth/me, and whether the player is suspended."""


PLAYER, LIMITS = PlayerSchema(), LimitsSchema()
BETS, PAYMENTS = BetSchema(many=True), PaymentSchema(many=True)
LISTED_PLAYERS = ListedPlayerSchema(many=True)


def view_of(user: User) -> dict[str, Any]:
    """The player as ``flask users show`` prints it (docs/commands.md)."""
    now = get_services().clock()
    user.logins = logins.of_player(user.id)
    shown = LIMITS.dump(limits.of_player(user.id, now=now))
    bets = page_of_games(user_id=user.id, place=LAST, sort=GameSort.MOST_RECENT, search="")
    paid = page_of_payments(
        user_id=user.id, place=LAST, kind=PaymentKind.ALL, sort=PaymentSort.MOST_RECENT, search=""
    )
    return {
        **PLAYER.dump(user),
        "exclusion": shown.pop("exclusion"),
        "limits": shown,
        "session": {
            "number": user.token_number,
            "playBeganAt": user.play_began_at_ms or None,
            "lastBetAt": user.last_bet_at_ms or None,
        },
        "twoFactor": _two_factor_of(user, now=now),
        "bets": BETS.dump(bets.rows),
        "payments": PAYMENTS.dump(paid.rows),
    }


def _two_factor_of(user: User, *, now: Millis) -> dict[str, Any]:
    return {
        "enabled": user.two_factor_enabled,
        "codesBlockedUntil": codes.blocked_until(user.id, now=now),
        "recoveryCodesLeft": codes.count_recovery_codes(user.id),
    }


two_factor_commands = OperatorGroup("two-factor", help="Turn off the two-factor authentication of a player.")


@two_factor_commands.command("reset")
@click.argument("platformid")
def reset_two_factor(platformid: str) -> None:
    """Turn two-factor authentication off for a player.

    Deletes the secret and notifies the player.
    """
    services = get_services()
    user = users.get(platform_id=platformid)
    services.two_factor.reset(user_id=user.id, now=services.clock())
    print_json({"platformid": user.platform_id, "twoFactorEnabled": False})


notifications_commands = OperatorGroup("notifications", help="Send notifications to players.")


@notifications_commands.command("send")
@click.argument("platformid")
@click.argument("title")
@click.argument("message")
def send_notification(platformid: str, title: str, message: str) -> None:
    """Send a notification to a player."""
    user = users.get(platform_id=platformid)
    sent = notifications.send(user_id=user.id, title=title, message=message, now=get_services().clock())
    print_json(NotificationSchema().dump(sent))
