"""flask battles: show a battle, void one whose round does not come, and enter a beacon by hand."""

from typing import Any

import click

from blueprints.api.cli import OperatorGroup, print_json
from models.battles import State, VoidReason
from models.db.connection import writing
from server.current_services import get_services
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.battles import queries
from services.battles.refusals import BattlesOff
from services.beacon.beacons import Beacons
from services.beacon.chain import BadBeacon
from services.container import Services
from services.shared.errors import Refusal
from services.shared.text import checked_reason
from services.staff import battle_lists
from services.staff.battle_lists import BattleView
from sockets.battle_schemas import dump_battle

group = OperatorGroup("battles", help="Show battles, and end those whose round is late.")

# An id may begin with a dash.
of_battle: Any = {"context_settings": {"ignore_unknown_options": True}}
battle_argument = click.argument("battle_id", metavar="BATTLE")


@group.command("show", **of_battle)
@battle_argument
def show(battle_id: str) -> None:
    """Print a battle: its seats, its round, its end, and where the log has it."""
    print_json(_shown(battle_lists.battle(battle_id)))


@group.command("void", **of_battle)
@battle_argument
@click.option("--reason", required=True, help="Why, for the audit trail.")
def void(battle_id: str, reason: str) -> None:
    """Refund a locked battle whose round is a day late.

    Only while a relay answers and its newest round is older: then the network has stopped. A server does the
    same by itself.
    """
    reason, services = checked_reason(reason), get_services()
    beacons = _beacons(services)
    battle = queries.get(battle_id)
    if battle.state != State.LOCKED:
        raise Refusal(f"the battle is {battle.state}: only a locked one can be void")
    beacons.ask_all()
    _check_given_up(services, battle.round)

    def record_it() -> None:
        after = {"battle": battle_id, "round": battle.round, "reason": reason}
        record(AuditEventType.BATTLE_VOIDED, now=services.clock(), user_id=None, after=after)

    if not services.battle_ending.void(battle.id, VoidReason.BEACON, record=record_it):
        raise Refusal("the battle has ended meanwhile, or its lock is not in the log yet")
    print_json(_shown(battle_lists.battle(battle_id)))


def _check_given_up(services: Services, round_: int) -> None:
    """Raise Refusal unless a battle of this round may be void."""
    beacons = services.beacons
    newest = beacons.newest_answering()
    if beacons.of_round(round_) or (newest is not None and newest >= round_):
        raise Refusal(f"the network has published round {round_}: a server settles the battle")
    if newest is None:
        raise Refusal("no relay gives beacons, so nobody knows whether the network has published the round")
    if not services.battle_upkeep.is_given_up(round_):
        raise Refusal(f"round {round_} is not a day late yet")


@group.command("beacon")
@click.argument("round_", metavar="ROUND", type=click.IntRange(min=1, max=2**63 - 1))
@click.argument("signature")
def beacon(round_: int, signature: str) -> None:
    """Enter the beacon of a round, of which a server that is cut off from the relays can't know.

    It is verified, so it may come from anywhere. A running server then ends the battles of this round.
    """
    services = get_services()
    try:
        with writing():
            kept = _beacons(services).keep(round_, signature, by_hand=True)
            after = {"round": round_, "randomness": kept.randomness}
            record(AuditEventType.BEACON_ENTERED, now=services.clock(), user_id=None, after=after)
    except BadBeacon as error:
        raise Refusal(f"this is not the beacon of round {round_}: {error}") from None
    print_json({"round": round_, "randomness": kept.randomness})


def _beacons(services: Services) -> Beacons:
    """Raises BattlesOff."""
    if not services.beacons.is_on:
        raise BattlesOff
    return services.beacons


def _shown(view: BattleView) -> dict[str, Any]:
    """The battle as players see it, and what only staff see."""
    battle = view.battle
    return dump_battle(battle) | {
        "players": [view.platform_ids.get(seat.user_id or 0) for seat in battle.seats],
        "lockInTime": battle.is_lock_in_time,
        "endedAt": battle.ended_at_ms,
        "endEntry": battle.end_index,
    }
