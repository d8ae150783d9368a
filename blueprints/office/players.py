"""Players: a search, and the list of all."""

from flask import render_template, request

from blueprints.office.access import can, require_permission
from blueprints.office.addresses import Listed, listed, order, place
from blueprints.office.blueprint import office
from server.current_services import get_services
from services.staff import notes, player_lists, player_search
from services.staff.permissions import Permission
from services.staff.player_lists import Which


@office.get("/players")
@require_permission(Permission.PLAYERS_SEE)
def players() -> str:
    text = request.args.get("q", "").strip()
    found = player_search.find(
        text, with_addresses=can(Permission.PERSONAL_DETAILS_SEE), now=get_services().clock()
    )
    sorted_by, is_descending = order(["registered"], default="-registered")
    shown = _all(is_oldest_first=not is_descending) if not text else Listed([], 1, has_next=False)
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
