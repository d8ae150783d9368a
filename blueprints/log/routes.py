"""/log: the public log of bets as https://c2sp.org/tlog-tiles describes, and the revealed bets in it.

A log that succeeds it after a restore has the same paths below its own name, such as /log-1a2b3c4d.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any

from flask import Blueprint, Response
from werkzeug.http import generate_etag

from blueprints.api.auth import public
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.caching import IMMUTABLE, Representation, compressed, list_representation
from blueprints.bets.schemas import dump_opened_case, dump_revealed_bet
from blueprints.log.kept_responses import few_at_once, kept_responses
from blueprints.log.schemas import (
    BYTES,
    CHECKPOINT,
    REVEALED,
    REVEALED_BATTLE,
    VERIFIER_KEYS,
    OriginSchema,
    WitnessesSchema,
)
from server.current_services import get_services
from services.battles import revealed
from services.bets import lookups
from services.log import published
from services.log.file import File

LOG = "log"
"""The name of the first log."""

blueprint = ApiBlueprint(LOG, __name__, url_prefix=f"/{LOG}", description="The public log of bets")
successors = Blueprint("log_successors", __name__, url_prefix="/<log_name:log>")

FOR_A_SECOND = "public, max-age=1"
OCTETS = "application/octet-stream"


@successors.after_request
@blueprint.after_request
def forbid_storing_errors(response: Response) -> Response:
    """Keep caches from storing a 404: the tile may exist a moment later."""
    if response.status_code >= HTTPStatus.BAD_REQUEST:
        response.headers["Cache-Control"] = "no-store"
    return response


@blueprint.get("/checkpoint")
@public
@blueprint.response(200, CHECKPOINT, content_type="text/plain")
@blueprint.alt_response(404)
def get_checkpoint(log: str = LOG) -> Response:
    """The newest checkpoint, a signed note; of a log that has a successor, the last one.

    It has the cosignatures of witnesses that have signed it by now.
    """
    read, services = partial(published.last_checkpoint, log), get_services()
    note = published.newest(read, bet_log=services.log)
    return _text(services.witnesses.with_cosignatures(note))


@blueprint.get("/witnessed")
@public
@blueprint.response(200, CHECKPOINT, content_type="text/plain")
@blueprint.alt_response(404)
def get_witnessed_checkpoint(log: str = LOG) -> Response:
    """The newest checkpoint that enough witnesses have cosigned, with their cosignatures."""
    note = get_services().witnesses.newest_note(_current(log))
    if note is None:
        raise published.NotPublished
    return _text(note)


@blueprint.get("/witnesses")
@public
@blueprint.response(200, WitnessesSchema)
@blueprint.alt_response(404)
def list_witnesses(log: str = LOG) -> tuple[dict[str, Any], int, dict[str, str]]:
    """The witnesses of the log, and what each has cosigned last."""
    _current(log)
    witnesses = get_services().witnesses
    answer = {"quorum": witnesses.quorum, "witnesses": witnesses.cosigners()}
    return answer, HTTPStatus.OK, {"Cache-Control": FOR_A_SECOND}


@blueprint.get("/tile/<anything:tile>")
@public
@blueprint.response(200, BYTES, content_type=OCTETS)
@blueprint.alt_response(304, description="The client has this tile already")
@blueprint.alt_response(404)
@few_at_once
def get_tile(tile: str, log: str = LOG) -> Response:
    """A tile of the Merkle tree: up to 256 hashes. It never changes.

    Its path is `<level>/<number>`, and ends in `.p/<width>` if the tile is not full. Not found if it is not
    in the newest checkpoint.
    """

    def make(file: File) -> Representation:
        content = published.tile(tile, file=file)
        etag = generate_etag(content)
        return Representation(content, etag, content_type=OCTETS, cache_control=IMMUTABLE)

    return _kept(log, tile, make)


@blueprint.get("/tile/entries/<anything:bundle>")
@public
@blueprint.response(200, BYTES, content_type=OCTETS)
@blueprint.alt_response(304, description="The client has this bundle already")
@blueprint.alt_response(404)
@few_at_once
def get_entry_bundle(bundle: str, log: str = LOG) -> Response:
    """The entries of a tile of level 0, each after its length in two bytes. They never change.

    The path is that of the tile without its level. Entries are canonical JSON.
    """
    path, pseudonyms = f"entries/{bundle}", get_services().log.pseudonyms

    def make(file: File) -> Representation:
        content = published.entry_bundle(path, file=file, pseudonyms=pseudonyms)
        return compressed(content, content_type=OCTETS, cache_control=IMMUTABLE)

    return _kept(log, path, make)


@blueprint.get("/key")
@public
@blueprint.response(200, VERIFIER_KEYS, content_type="text/plain")
@blueprint.alt_response(404)
def list_verifier_keys(log: str = LOG) -> Response:
    """The verifier keys of the log, one a line: the current one, and then the next one if there is one."""
    keys = get_services().log.keys.verifier_keys(_current(log).checkpoint.origin)
    return _text("".join(f"{key}\n" for key in keys))


@blueprint.get("/revealed/<number>")
@public
@blueprint.response(200, REVEALED)
@blueprint.alt_response(304, description="The client has these bets already")
@blueprint.alt_response(404)
@few_at_once
def list_revealed_bets(number: str, log: str = LOG) -> Response:
    """The bets in an entry bundle whose proofs are due, and the battles that end in it, in its order.

    Each has the index of its entry: of a battle that of its end. Void battles have no outcome. Bundle N has
    the entries 256 N to 256 N + 255. Not found past the end of the log.
    """
    services = get_services()

    def make(file: File) -> Representation:
        found = lookups.revealed(number=number, file=file, proofs=services.proofs, now=services.clock())
        opened = {key: dump_opened_case(content) for key, content in found.contents.items()}

        battles = [(each.index, "battle", each) for each in revealed.in_bundle(number, file=file)]
        bets = [(bet.log.index, "bet", bet) for bet in found.bets]
        dumps = {"battle": REVEALED_BATTLE.dump, "bet": lambda bet: dump_revealed_bet(bet, opened)}

        def dump(some: Any) -> list[Any]:
            return [{"index": index, kind: dumps[kind](content)} for index, kind, content in some]

        made = list_representation(dump, sorted([*battles, *bets]))
        return replace(made, cache_control=IMMUTABLE if found.is_final else FOR_A_SECOND)

    return _kept(log, f"revealed/{number}", make, moment=services.clock() // 1_000)


@blueprint.get("/current")
@public
@blueprint.response(200, OriginSchema)
def get_current_log() -> tuple[dict[str, Any], int, dict[str, str]]:
    """The origin of the present log. Its paths begin with the last segment of it."""
    origin = get_services().log.checkpoint().origin
    return {"origin": origin}, HTTPStatus.OK, {"Cache-Control": FOR_A_SECOND}


SHARED = {
    "/checkpoint": get_checkpoint,
    "/tile/<anything:tile>": get_tile,
    "/tile/entries/<anything:bundle>": get_entry_bundle,
    "/key": list_verifier_keys,
    "/witnessed": get_witnessed_checkpoint,
    "/witnesses": list_witnesses,
    "/revealed/<number>": list_revealed_bets,
}
for rule, view in SHARED.items():
    successors.add_url_rule(rule, view_func=view)


def _kept(log: str, path: str, make: Callable[[File], Representation], *, moment: int = 0) -> Response:
    """The response of a path below the log, made as far as the newest checkpoint goes."""

    def response(file: File) -> Response:
        published.check_name(log, file=file)
        origin, size = file.checkpoint.origin, file.checkpoint.size
        return kept.get((origin, path), lambda: make(file), moment=(size, moment)).response()

    kept = kept_responses()
    return published.newest(response, bet_log=get_services().log)


def _current(log: str) -> File:
    """The newest checkpoint. Raises NotPublished unless this is the name of the present log."""

    def checked(file: File) -> File:
        published.check_name(log, file=file)
        return file

    return published.newest(checked, bet_log=get_services().log)


def _text(text: str) -> Response:
    return Response(text, mimetype="text/plain", headers={"Cache-Control": FOR_A_SECOND})
