"""Players: a search, and the list of all."""

from typing import Any

from flask import render_template, request

from blueprints.office.access import can, require_permission
from blueprints.office.addresses import Listed, listed, order, place, wants_csv
from blueprints.office.blueprint import office
from blueprints.office.csv_files import Columns, list_file
from server.current_services import get_services
from services.staff import notes, player_lists, player_search
from services.staff.permissions import Permission
from services.staff.player_lists import Which

PLAYERS: Columns = {
    "player": "username",
    "platform id": "platform_id",
    "balance": "balance_cents",
    "wagered": "wagered_cents",
    "suspended": "suspended_at_ms",
    "closed": "closed_at_ms",
    "registered": "registered_at_ms",
}


@office.get("/players")
@require_permission(Permission.PLAYERS_SEE)
def players() -> Any:
    text = request.args.get("q", "").strip()
    found = player_search.find(
        text, with_addresses=can(Permission.PERSONAL_DETAILS_SEE), now=get_services().clock()
    )
    sorted_by, is_descending = order(["registered"], default="-registered")
    shown = _all(is_oldest_first=not is_descending) if not text else Listed([], 1, has_next=False)
    if wants_csv():
        rows = [each.player for each in found] if text else shown.rows
        return list_file(f"players-{'found' if text else _which()}", PLAYERS, rows)
    ids = [player.id for player in shown.rows] + [each.player.id for each in found]
    return render_template(
        "office/players.html",
        text=text,
        found=found,
        listed=shown,
        sorted_by=sorted_by,
        descending=is_descending,
        which=_which(),
        choices=list(Which),
        tags=notes.tags_of(ids),
    )


def _which() -> Which:
    given = request.args.get("show", "")
    return Which(given) if given in list(Which) else Which.ALL


def _all(*, is_oldest_first: bool) -> Listed:
    now = get_services().clock()
    found = player_lists.players(which=_which(), place=place(), is_oldest_first=is_oldest_first, now=now)
    return listed(found)
