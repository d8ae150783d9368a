"""Battles: the list, one battle, and how bots did and battles ended."""

from typing import Any

from flask import render_template

from blueprints.office.access import require_permission
from blueprints.office.addresses import chosen, listed, place, wants_csv
from blueprints.office.blueprint import office
from blueprints.office.csv_files import Columns, list_file
from models.battles import State
from server.current_services import get_services
from services.battles import queries
from services.battles.outcomes import Outcome
from services.staff import battle_lists
from services.staff.battle_lists import BattleView, Which
from services.staff.permissions import Permission

BATTLES: Columns = {
    "battle": "public_id",
    "state": "state",
    "void reason": "void_reason",
    "mode": "mode",
    "teams": "teams",
    "seats": lambda battle: len(battle.seats),
    "taken": "seats_taken",
    "cases": "case_count",
    "cost of a seat": "cost_cents",
    "round": "round",
    "created": "created_at_ms",
    "locked": "locked_at_ms",
    "ended": "ended_at_ms",
}


@office.get("/battles")
@require_permission(Permission.PLAYERS_SEE)
def battles() -> Any:
    which, now = chosen("state", Which) or Which.ALL, get_services().clock()
    found = battle_lists.battles(which=which, place=place(), now=now)
    if wants_csv():
        return list_file(f"battles-{which}", BATTLES, found.rows)
    return render_template(
        "office/battles.html", listed=listed(found), which=which, choices=list(Which), now=now
    )


@office.get("/battles/results")
@require_permission(Permission.PLAYERS_SEE)
def battle_results() -> str:
    return render_template(
        "office/battle-results.html", bots=queries.bot_statistics(), voids=battle_lists.void_counts()
    )


@office.get("/battles/<public_id>")
@require_permission(Permission.PLAYERS_SEE)
def battle(public_id: str) -> str:
    view, chain = battle_lists.battle(public_id), get_services().beacons.chain
    round_ = view.battle.round
    return render_template(
        "office/battle.html",
        view=view,
        battle=view.battle,
        round_at_ms=chain.time_ms(round_) if chain and round_ else None,
        outcome=view.battle.outcome or _would_be(view),
    )


def _would_be(view: BattleView) -> Outcome | None:
    """What a void battle would have been, if the beacon of its round is known."""
    if view.battle.state != State.VOID:
        return None
    beacon = get_services().beacons.of_round(view.battle.round)
    return None if beacon is None else view.would_be(beacon.randomness)
