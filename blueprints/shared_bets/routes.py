"""/b: the page of one bet that a player shares, and its picture for messengers.

The page says what was played, and its module recomputes the bet in the reader's browser.
"""

from http import HTTPStatus
from pathlib import Path
from typing import Any

from flask import Blueprint, render_template
from werkzeug import Response
from werkzeug.utils import redirect

from blueprints.api.auth import public
from blueprints.api.caching import IMMUTABLE, conditional
from blueprints.api.errors import error_response
from blueprints.shared_bets.texts import BetTexts
from blueprints.site.routes import set_security_policy, show_page_while_unavailable, wants_page
from blueprints.system.media import ITEM_PICTURES, NEUTRAL_ITEM
from server.current_services import get_services
from server.http.rate_limit import count_as
from services.bets.lookups import BetNotFound, BetNotRevealed
from services.shared_bets import shared_bet
from services.shared_bets.picture import HEIGHT, WIDTH, PictureContent
from services.shared_bets.shared_bet import SharedBet
from sockets.schemas import LiveBetSchema

blueprint = Blueprint("shared_bets", __name__, url_prefix="/b", template_folder="templates")
blueprint.after_request(show_page_while_unavailable)
blueprint.after_request(set_security_policy)

LIVE_BET = LiveBetSchema()


@blueprint.get("/<row_id:bet_id>")
@public
@conditional
def show_bet(bet_id: int) -> str:
    """A finished bet, for a reader who may not know this site."""
    found = _find(bet_id)
    return render_template(
        "shared-bet.html",
        bet=found.bet,
        found=found,
        live=LIVE_BET.dump(found.shown),
        texts=BetTexts.of(found),
        shown=_claims(found),
        base_url=get_services().settings.base_url,
        picture_path=_picture_path(bet_id, _picture(found)),
        width=WIDTH,
        height=HEIGHT,
    )


@blueprint.get("/<row_id:bet_id>-<digest>.png")
@count_as("costly read")
@public
def show_picture(bet_id: int, digest: str) -> Response:
    """The picture of a finished bet. At the address of an earlier one it is the present one, not stored."""
    content = _picture(_find(bet_id))
    picture = get_services().bet_pictures.of(content)
    caching = IMMUTABLE if digest == content.digest else "no-store"
    return Response(picture, mimetype="image/png", headers={"Cache-Control": caching})


@blueprint.get("/<row_id:bet_id>.png")
@public
def find_picture(bet_id: int) -> Response:
    """Where the picture of a finished bet is. Its address changes with the player's name."""
    found = redirect(_picture_path(bet_id, _picture(_find(bet_id))))
    found.headers["Cache-Control"] = "no-store"
    return found


def _picture_path(bet_id: int, content: PictureContent) -> str:
    return f"/b/{bet_id}-{content.digest}.png"


def _picture(found: SharedBet) -> PictureContent:
    texts, settings = BetTexts.of(found), get_services().settings
    return PictureContent(
        site=f"Upgrader · {settings.base_url.partition('://')[2]}",
        player=texts.action,
        item=found.bet.item,
        item_file=_item_file(found.shown.image),
        outcome=texts.outcome,
        is_won=found.is_won,
        details=(f"Wager {texts.wager} · payout {texts.payout}", texts.terms),
        range=found.range,
        has_wheel=found.content is None,
    )


@blueprint.errorhandler(BetNotFound)
def show_that_there_is_none(error: BetNotFound) -> Response | tuple[str, int]:
    """A page for browsers, JSON for others."""
    if not wants_page():
        return error_response(error.text, error.status)
    is_playing = isinstance(error, BetNotRevealed)
    return render_template("no-shared-bet.html", is_playing=is_playing), HTTPStatus.NOT_FOUND


def _find(bet_id: int) -> SharedBet:
    services = get_services()
    return shared_bet.get(bet_id=bet_id, proofs=services.proofs, now=services.clock())


def _item_file(image: str) -> Path:
    """The file of an item's picture. No picture is fetched from another host."""
    file = get_services().settings.instance_dir / "media" / "items" / Path(image).name
    return file if image.startswith(ITEM_PICTURES) and file.is_file() else NEUTRAL_ITEM


def _claims(found: SharedBet) -> dict[str, Any]:
    """What the page says of the bet, which its module compares with the proof. Nothing of a battle."""
    bet = found.bet
    if found.range is None:
        return {}
    claims = {
        "id": str(bet.id),
        "game": bet.game,
        "commitment": bet.server_seed_commitment,
        "clientSeed": bet.client_seed,
        "nonce": bet.nonce,
        "item": bet.item,
        "wagerCents": bet.wager_cents,
        "payoutCents": bet.payout_cents,
        "won": found.is_won,
    }
    if found.content is None:
        return claims | {"threshold": bet.threshold, "percent": found.range.place}
    return claims | {"ticket": str(bet.ticket), "snapshot": found.content.hash}
