"""A player: one page with tabs, each with an address of its own."""

from typing import Any, NamedTuple
from urllib.parse import urlencode

from flask import render_template, request

from blueprints.office import charts
from blueprints.office.access import can, is_shown, masking, require_permission
from blueprints.office.addresses import listed, order, place, wants_csv
from blueprints.office.blueprint import office
from blueprints.office.csv_files import Columns, list_file
from blueprints.office.proposals import ACTIONS, status_of
from models.users import User
from server.current_services import get_services
from services.accounts import logins, profile, users
from services.accounts.two_factor import codes
from services.bets.terms import ALGORITHMS, GAMES
from services.limits import exclusions, limits
from services.payments import history
from services.shared.clock import iso_time
from services.shared.levels import level_of
from services.shared.money import decimal_text
from services.staff import battle_lists, linked_accounts, notes, player_lists, player_results
from services.staff.permissions import Permission
from services.staff.player_lists import BetView
from services.statistics.player_lists import (
    GameSort,
    PaymentKind,
    PaymentSort,
    page_of_games,
    page_of_payments,
)
from services.wallet import affiliates, prizes

ALL = "all"
LAST_NOTES = 3


class Tab(NamedTuple):
    """A tab, and the permission without which it is not shown. The endpoint is ``office.player_KEY``."""

    key: str
    label: str
    permission: Permission


TABS = (
    Tab("overview", "Overview", Permission.PLAYERS_SEE),
    Tab("ledger", "Ledger", Permission.PLAYERS_SEE),
    Tab("bets", "Bets", Permission.PLAYERS_SEE),
    Tab("battles", "Open battles", Permission.PLAYERS_SEE),
    Tab("payments", "Payments", Permission.PAYMENTS_SEE),
    Tab("requests", "Deposits and withdrawals", Permission.PAYMENTS_SEE),
    Tab("limits", "Limits and breaks", Permission.PLAYERS_SEE),
    Tab("logins", "Sessions and logins", Permission.PLAYERS_SEE),
    Tab("links", "Linked accounts", Permission.PERSONAL_DETAILS_SEE),
    Tab("affiliates", "Affiliates", Permission.PLAYERS_SEE),
    Tab("prizes", "Prizes", Permission.PRIZES_SEE),
    Tab("rewards", "Rewards", Permission.PLAYERS_SEE),
    Tab("notes", "Notes", Permission.PLAYERS_SEE),
    Tab("actions", "Actions of staff", Permission.PROPOSALS_SEE),
    Tab("events", "Audit events", Permission.AUDIT_SEE),
)


def show_tab(player: User, key: str, *, shows_all: bool = False, **content: Any) -> str:
    """The page of a player with this tab. ``shows_all``: its personal data is shown."""
    now = get_services().clock()
    return render_template(
        f"office/player-{key}.html",
        player=player,
        tab=key,
        tabs=[tab for tab in TABS if can(tab.permission)],
        tags=notes.tags(player.id),
        exclusion=exclusions.current(player, now=now),
        shows_all=shows_all,
        masked=masking(shows_all=shows_all),
        **content,
    )


LEDGER: Columns = {
    "time": "transaction.created_at_ms",
    "transaction": "transaction.id",
    "reason": "transaction.kind",
    "account": "account",
    "change": "amount_cents",
}
BETS: Columns = {
    "nonce": "nonce",
    "time": "created_at_ms",
    "game": "game",
    "item": "item",
    "wager": "wager_cents",
    "payout": "payout_cents",
    "result": "status",
}
REFERRALS: Columns = {
    "player": "user.username",
    "platform id": "user.platform_id",
    "used": "used_at_ms",
    "deposited": "deposited_cents",
    "withdrawn": "withdrawn_cents",
    "bonus": "bonus_cents",
}
PRIZES: Columns = {
    "id": "id",
    "prize": "name",
    "value": "value_cents",
    "status": "status",
    "won": "won_at_ms",
    "tracking": "tracking",
}
REWARDS: Columns = {
    "id": "id",
    "kind": "kind",
    "state": "state",
    "coins": "coins_cents",
    "case": lambda reward: reward.case and reward.case.slug,
    "cost of the opening": "value_cents",
    "offered": "offered_at_ms",
    "last change": "changed_at_ms",
    "expires": "expires_at_ms",
    "granted by": "granted_by",
    "reason": "reason",
}
NOTES: Columns = {"time": "written_at_ms", "by": "written_by", "note": "text"}


def _payments(*, shows_all: bool) -> Columns:
    masked = masking(shows_all=shows_all)
    return {
        "time": "created_at_ms",
        "type": "type",
        "usd": "usd_cents",
        "chain": "chain",
        "amount": "amount",
        "asset": "asset",
        "txhash": "txhash",
        "to": lambda payment: masked(payment.to),
    }


def _requests(*, shows_all: bool) -> Columns:
    masked = masking(shows_all=shows_all)
    return {
        "asked for": "created_at_ms",
        "type": lambda row: str(history.type_of(row)),
        "amount": "amount_cents",
        "method": "method",
        "status": "status",
        "to": lambda row: masked(getattr(row, "destination", None)),
        "reason": "reason",
        "last change": "changed_at_ms",
    }


def _events(*, shows_all: bool) -> Columns:
    masked = masking(shows_all=shows_all)
    return {
        "time": lambda event: iso_time(event.at_ms),
        "event": "what",
        "by": "who",
        "from address": lambda event: masked(event.address),
        "before": "before",
        "after": "after",
    }


@office.get("/players/<platform_id>")
@require_permission(Permission.PLAYERS_SEE)
def player_overview(platform_id: str) -> str:
    player, services = users.get(platform_id=platform_id), get_services()
    shows_all = is_shown(user_id=player.id, what="details")
    curve = player_results.curve(user_id=player.id)
    return show_tab(
        player,
        "overview",
        shows_all=shows_all,
        details=profile.details_of(player.id) if shows_all else None,
        level=level_of(player),
        logins=logins.of_player(player.id),
        suspension=player_lists.last_suspension(player.platform_id),
        two_factor_blocked_until=codes.blocked_until(player.id, now=services.clock()),
        recovery_codes=codes.count_recovery_codes(player.id),
        erasable_at=services.erasing.due_at(player),
        last_notes=notes.page_of_notes(user_id=player.id, place=place()).rows[:LAST_NOTES],
        durations=exclusions.DURATIONS,
        above_cents=services.settings.office_four_eyes_above_cents,
        curve=curve,
        chart=charts.result_chart(curve.points) if curve.points else None,
    )


@office.get("/players/<platform_id>/ledger")
@require_permission(Permission.PLAYERS_SEE)
def player_ledger(platform_id: str) -> Any:
    player = users.get(platform_id=platform_id)
    found = player_lists.ledger(user_id=player.id, place=place())
    if wants_csv():
        return list_file(f"ledger-of-{platform_id}", LEDGER, found.rows)
    return show_tab(player, "ledger", listed=listed(found))


BET_SORTS = {
    ("time", True): GameSort.MOST_RECENT,
    ("time", False): GameSort.LEAST_RECENT,
    ("payout", True): GameSort.MOST_EARNED,
    ("payout", False): GameSort.LEAST_EARNED,
}
"""By column, and whether it is descending."""


@office.get("/players/<platform_id>/bets")
@require_permission(Permission.PLAYERS_SEE)
def player_bets(platform_id: str) -> Any:
    player = users.get(platform_id=platform_id)
    sorted_by, is_descending = order(["time", "payout"], default="-time")
    game = request.args.get("game", "")
    sort = BET_SORTS[sorted_by, is_descending]
    found = page_of_games(user_id=player.id, place=place(), sort=sort, search=game)
    if wants_csv():
        return list_file(f"bets-of-{platform_id}", BETS, found.rows)
    return show_tab(
        player,
        "bets",
        listed=listed(found),
        battles=battle_lists.battles_of_bets(bet.id for bet in found.rows),
        now=get_services().clock(),
        games=GAMES,
        game=game,
        sorted_by=sorted_by,
        descending=is_descending,
    )


@office.get("/players/<platform_id>/bets/<row_id:nonce>")
@require_permission(Permission.PLAYERS_SEE)
def player_bet(platform_id: str, nonce: int) -> str:
    player, services = users.get(platform_id=platform_id), get_services()
    proofs, now = services.proofs, services.clock()
    view = player_lists.bet_of_player(user_id=player.id, nonce=nonce, proofs=proofs, now=now)
    return show_tab(player, "bet", view=view, algorithms=ALGORITHMS, verify_address=_verify_address(view))


@office.get("/players/<platform_id>/battles")
@require_permission(Permission.PLAYERS_SEE)
def player_battles(platform_id: str) -> str:
    """The seats of a player in battles that have not ended. What ended is among the bets."""
    player = users.get(platform_id=platform_id)
    return show_tab(player, "battles", seats=battle_lists.open_seats(player))


def _verify_address(view: BetView) -> str | None:
    """The page that computes a spin again; None before its seed is revealed, and for other games."""
    bet = view.bet
    if not view.is_revealed or bet.roll is None:
        return None
    values = {
        "algorithm": bet.algorithm,
        "serverSeedCommitment": bet.server_seed_commitment,
        "serverSeed": bet.server_seed,
        "clientSeed": bet.client_seed,
        "nonce": bet.nonce,
        "betAmount": decimal_text(bet.wager_cents),
        "price": decimal_text(bet.price_cents),
        "houseEdge": f"{bet.house_edge_ppm / 10**6:.6f}",
    }
    return f"/verify#{urlencode(values)}"


PAYMENT_SORTS = {
    ("time", True): PaymentSort.MOST_RECENT,
    ("time", False): PaymentSort.LEAST_RECENT,
    ("usd", True): PaymentSort.HIGHEST_AMOUNT,
    ("usd", False): PaymentSort.LOWEST_AMOUNT,
}


@office.get("/players/<platform_id>/payments")
@require_permission(Permission.PAYMENTS_SEE)
def player_payments(platform_id: str) -> Any:
    player = users.get(platform_id=platform_id)
    sorted_by, is_descending = order(["time", "usd"], default="-time")
    found = page_of_payments(
        user_id=player.id,
        place=place(),
        kind=PaymentKind.ALL,
        sort=PAYMENT_SORTS[sorted_by, is_descending],
        search=request.args.get("q", "")[:100],
    )
    shows_all = is_shown(user_id=player.id, what="payments")
    if wants_csv():
        return list_file(f"payments-of-{platform_id}", _payments(shows_all=shows_all), found.rows)
    return show_tab(
        player,
        "payments",
        listed=listed(found),
        sorted_by=sorted_by,
        descending=is_descending,
        shows_all=shows_all,
    )


@office.get("/players/<platform_id>/requests")
@require_permission(Permission.PAYMENTS_SEE)
def player_requests(platform_id: str) -> Any:
    player = users.get(platform_id=platform_id)
    type_, status = request.args.get("type", ALL), request.args.get("status", ALL)
    found = history.page(
        user_id=player.id,
        place=place(),
        type_=type_ if type_ in list(history.EntryType) else ALL,
        status=status if status in history.STATUSES else ALL,
    )
    shows_all = is_shown(user_id=player.id, what="requests")
    if wants_csv():
        return list_file(f"requests-of-{platform_id}", _requests(shows_all=shows_all), found.rows)
    return show_tab(
        player,
        "requests",
        listed=listed(found),
        addresses=get_services().address_book.of_player(player.id),
        type_of=history.type_of,
        types=list(history.EntryType),
        statuses=history.STATUSES,
        shows_all=shows_all,
    )


@office.get("/players/<platform_id>/limits")
@require_permission(Permission.PLAYERS_SEE)
def player_limits(platform_id: str) -> Any:
    player, now = users.get(platform_id=platform_id), get_services().clock()
    found = player_lists.events(platform_id=platform_id, place=place(), kinds=player_lists.LIMITS)
    if wants_csv():
        return list_file(f"limits-of-{platform_id}", _events(shows_all=False), found.rows)
    return show_tab(
        player, "limits", limits=limits.of_player(player.id, now=now), now=now, listed=listed(found)
    )


@office.get("/players/<platform_id>/logins")
@require_permission(Permission.PLAYERS_SEE)
def player_logins(platform_id: str) -> Any:
    player = users.get(platform_id=platform_id)
    found = player_lists.events(platform_id=player.platform_id, place=place(), kinds=player_lists.LOGINS)
    shows_all = is_shown(user_id=player.id, what="logins")
    if wants_csv():
        return list_file(f"logins-of-{platform_id}", _events(shows_all=shows_all), found.rows)
    return show_tab(player, "logins", listed=listed(found), shows_all=shows_all)


LINKS: Columns = {
    "shared": lambda row: str(row[0].shared),
    "address or browser": lambda row: row[0].text,
    "player": lambda row: row[1].username,
    "platform id": lambda row: row[1].platform_id,
}


@office.get("/players/<platform_id>/links")
@require_permission(Permission.PERSONAL_DETAILS_SEE)
def player_links(platform_id: str) -> Any:
    """The players who share an address or a browser with this one. Each look is recorded."""
    player = users.get(platform_id=platform_id)
    found = linked_accounts.links(player=player, now=get_services().clock())
    if wants_csv():
        rows = [(link, other) for link in found for other in link.players]
        return list_file(f"links-of-{platform_id}", LINKS, rows)
    return show_tab(player, "links", links=found, most=linked_accounts.MOST_PLAYERS)


@office.get("/players/<platform_id>/affiliates")
@require_permission(Permission.PLAYERS_SEE)
def player_affiliates(platform_id: str) -> Any:
    player = users.get(platform_id=platform_id)
    found = player_lists.referrals(owner_id=player.id, place=place())
    if wants_csv():
        return list_file(f"affiliates-of-{platform_id}", REFERRALS, found.rows)
    return show_tab(
        player,
        "affiliates",
        overview=affiliates.overview(owner_id=player.id) if player.affiliate_code else None,
        owner=player_lists.owner_of_used_code(player.id),
        listed=listed(found),
    )


@office.get("/players/<platform_id>/prizes")
@require_permission(Permission.PRIZES_SEE)
def player_prizes(platform_id: str) -> Any:
    player, status = users.get(platform_id=platform_id), request.args.get("status", ALL)
    status = status if status in list(prizes.Status) else ALL
    found = prizes.page(user_id=player.id, place=place(), status=status)
    if wants_csv():
        return list_file(f"prizes-of-{platform_id}", PRIZES, found.rows)
    return show_tab(player, "prizes", listed=listed(found), statuses=list(prizes.Status))


@office.get("/players/<platform_id>/rewards")
@require_permission(Permission.PLAYERS_SEE)
def player_rewards(platform_id: str) -> Any:
    """What the player was given or offered. Gifts of levels have no row before they are claimed."""
    player = users.get(platform_id=platform_id)
    found = player_lists.rewards(user_id=player.id, place=place())
    if wants_csv():
        return list_file(f"rewards-of-{platform_id}", REWARDS, found.rows)
    return show_tab(player, "rewards", listed=listed(found))


@office.get("/players/<platform_id>/notes")
@require_permission(Permission.PLAYERS_SEE)
def player_notes(platform_id: str) -> Any:
    player = users.get(platform_id=platform_id)
    found = notes.page_of_notes(user_id=player.id, place=place())
    if wants_csv():
        return list_file(f"notes-of-{platform_id}", NOTES, found.rows)
    return show_tab(player, "notes", listed=listed(found))


@office.get("/players/<platform_id>/actions")
@require_permission(Permission.PROPOSALS_SEE)
def player_actions(platform_id: str) -> Any:
    """The actions about a player that may need a second person."""
    player = users.get(platform_id=platform_id)
    found = player_lists.actions(user_id=player.id, place=place())
    if wants_csv():
        return list_file(f"actions-of-{platform_id}", ACTIONS, found.rows)
    return show_tab(player, "actions", listed=listed(found), status_of=status_of)


@office.get("/players/<platform_id>/events")
@require_permission(Permission.AUDIT_SEE)
def player_events(platform_id: str) -> Any:
    player = users.get(platform_id=platform_id)
    found = player_lists.events(platform_id=player.platform_id, place=place())
    shows_all = is_shown(user_id=player.id, what="events")
    if wants_csv():
        return list_file(f"events-of-{platform_id}", _events(shows_all=shows_all), found.rows)
    return show_tab(player, "events", listed=listed(found), shows_all=shows_all)
