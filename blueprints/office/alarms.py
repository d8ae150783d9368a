"""Alarms: the list, and one alarm, which staff acknowledge with a reason."""

from typing import Any

from flask import render_template, request, url_for

from blueprints.office.access import require_permission
from blueprints.office.addresses import listed, place, wants_csv, with_parameters
from blueprints.office.blueprint import office
from blueprints.office.csv_files import list_file
from blueprints.office.forms import form_of, typed_reason
from models.staff import Alarm
from server.current_services import get_services
from services.alarms import raised
from services.alarms.rules import RULES
from services.bets.terms import GAMES
from services.staff import battle_lists, player_lists
from services.staff.battle_lists import Which
from services.staff.permissions import Permission

STATES = {"open": True, "solved": False, "all": None}


ALARMS = {
    "raised": "raised_at_ms",
    "alarm": "text",
    "rule": "rule",
    "cause ended": "ended_at_ms",
    "acknowledged": "acknowledged_at_ms",
    "by": "acknowledged_by",
    "reason": "reason",
}


@office.get("/alarms")
@require_permission(Permission.ALARMS_SEE)
def alarms() -> Any:
    """The open alarms, newest first, or those of ``?state=`` and ``?rule=``."""
    state, rule = request.args.get("state", "open"), request.args.get("rule", "")
    state = state if state in STATES else "open"
    rules = [each.name for each in RULES]
    found = raised.page(place=place(), is_open=STATES[state], rule=rule if rule in rules else None)
    if wants_csv():
        return list_file(f"alarms-{state}", ALARMS, found.rows)
    return render_template(
        "office/alarms.html",
        listed=listed(found),
        state=state,
        states=list(STATES),
        rule=rule,
        rules=rules,
    )


@office.get("/alarms/<row_id:alarm_id>")
@require_permission(Permission.ALARMS_SEE)
def alarm(alarm_id: int) -> str:
    found = raised.get(alarm_id)
    return render_template("office/alarm.html", alarm=found, cause=_cause(found))


@office.post("/alarms/<row_id:alarm_id>/acknowledge")
@require_permission(Permission.ALARMS_ACKNOWLEDGE)
@form_of(alarm, then=lambda **_: url_for("office.alarms"))
def acknowledge_alarm(alarm_id: int) -> str:
    services, reason = get_services(), typed_reason()
    needs_another = services.settings.office_four_eyes
    raised.acknowledge(alarm_id, reason=reason, now=services.clock(), needs_another=needs_another)
    return "The alarm is acknowledged"


def _cause(alarm: Alarm) -> str | None:
    """The address of the page that shows what the alarm is about; None if there is none."""
    if alarm.rule == "return-to-player":
        return _report(alarm.subject)
    if alarm.rule == "large-payout":
        return _bet(int(alarm.subject.removeprefix("bet ")))
    if alarm.rule == "late-beacons":
        return url_for("office.battles", state=Which.HELD)
    if alarm.rule == "large-grants":
        return url_for("office.proposals", show="decided")
    pages = {
        "payment-discrepancies": "office.payment_discrepancies",
        "failed-logins": "office.staff",
        "reward-costs": "office.report_of_rewards",
    }
    return url_for(pages[alarm.rule]) if alarm.rule in pages else None


def _bet(bet_id: int) -> str | None:
    if public_id := battle_lists.battles_of_bets([bet_id]).get(bet_id):
        return url_for("office.battle", public_id=public_id)
    found = player_lists.player_and_nonce(bet_id)
    if found is None:
        return None
    platform_id, nonce = found
    return url_for("office.player_bet", platform_id=platform_id, nonce=nonce)


def _report(subject: str) -> str:
    """The report of a subject such as ``7 days: case desk`` or ``2026-03-18: upgrader``."""
    window, _, what = subject.partition(": ")
    game, _, part = what.partition(" ")
    query = {"by": "day", "game": game if game in GAMES else ""}
    query |= {"price" if game == "upgrader" else "case": part}
    if "-" in window:
        query |= {"from": window, "to": window}
    return with_parameters("office.reports", query)
