"""Imports: a document, a preview of what it changes, then a proposal; most items are imported at once."""

import hashlib
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, NamedTuple

from flask import abort, render_template, request, url_for

from blueprints.office.access import needs
from blueprints.office.blueprint import office
from blueprints.office.results import attempt, new_form_key, perform_or_propose, sentence
from server.current_services import get_services
from services.items import catalogue
from services.shared.errors import Refusal
from services.shared.imports import Preview
from services.staff import item_actions
from services.staff.permissions import Permission
from services.staff.proposals import Outcome

GAMES = ("", "730", "252490")


class Import(NamedTuple):
    """A kind of import. ``action`` is None for items, of which few imports need a second person."""

    title: str
    listed_at: str
    """The endpoint of the list."""
    action: str | None


IMPORTS = {
    "cases": Import("Import cases", "office.cases", "cases.import"),
    "irl-cases": Import("Import cases of real-life items", "office.irl_cases", "irl-cases.import"),
    "items": Import("Import items", "office.items", None),
}


class Sent(NamedTuple):
    """What was typed, pasted or uploaded."""

    document: str
    app_id: int | None
    """The game of a price feed."""

    @property
    def digest(self) -> str:
        """The same for what was previewed and what is imported."""
        return hashlib.sha256(f"{self.app_id} {self.document}".encode()).hexdigest()


@office.get("/imports/<kind>")
@needs(Permission.CONTENT_CHANGE)
def import_form(kind: str) -> str:
    return _form(kind, Sent("", None))


@office.post("/imports/<kind>")
@needs(Permission.CONTENT_CHANGE)
def preview_import(kind: str) -> Any:
    """The form again, with what the import would change now."""
    return _previewed(kind)


@office.post("/imports/<kind>/confirm")
@needs(Permission.CONTENT_CHANGE)
def confirm_import(kind: str) -> Any:
    """Propose or do what was previewed. Another document is previewed first."""
    chosen = _import(kind)

    def work() -> str | Outcome:
        return _import_items() if chosen.action is None else _propose(chosen.action)

    return attempt(work, to=url_for(chosen.listed_at), again=lambda refusal: _previewed(kind, refusal)[0])


def _import(kind: str) -> Import:
    return IMPORTS.get(kind) or abort(HTTPStatus.NOT_FOUND)


def _propose(action: str) -> Outcome:
    return perform_or_propose(action, {"document": _checked().document})


def _import_items() -> str | Outcome:
    sent, services = _checked(), get_services()
    if _needs_second("items", _preview_of("items", sent)):
        arguments = {"document": sent.document, "appId": sent.app_id}
        return perform_or_propose(item_actions.ImportItems.name, arguments)
    result = item_actions.import_items(
        sent.document, app_id=sent.app_id, reason=request.form.get("reason", ""), now=services.clock()
    )
    seconds = services.settings.catalogue_ttl_seconds
    shown = catalogue.PUBLISHED_WITHIN_SECONDS if result.is_published else seconds
    return (
        f"Items added: {result.created}, updated: {result.updated}."
        f" The upgrader shows them within {shown} seconds, or when they are published"
    )


def _checked() -> Sent:
    """What was sent, if it was previewed. Raises Refusal."""
    sent = _sent()
    if request.form.get("previewed") != sent.digest:
        raise Refusal("the document was changed after the preview: look at what it changes now")
    return sent


def _sent() -> Sent:
    """A file is taken before a text. Raises Refusal for one that is not UTF-8."""
    upload = request.files.get("file")
    game = request.form.get("game", "")
    if upload is not None and upload.filename:
        try:
            document = upload.stream.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise Refusal("the file is not UTF-8") from None
    else:
        document = request.form.get("document", "")
    # As a browser sends it back.
    document = document.replace("\r\n", "\n").strip()
    return Sent(document, int(game) if game in GAMES and game else None)


def _previewed(kind: str, refusal: str | None = None) -> tuple[str, HTTPStatus]:
    sent = Sent(request.form.get("document", ""), None)
    try:
        sent = _sent()
        preview = _preview_of(kind, sent)
    except Refusal as problem:
        return _form(kind, sent, refusal=refusal or sentence(str(problem))), HTTPStatus.BAD_REQUEST
    return _form(kind, sent, preview=preview, refusal=refusal), HTTPStatus.OK


def _preview_of(kind: str, sent: Sent) -> Preview:
    services, action = get_services(), _import(kind).action
    if action is None:
        return item_actions.preview_import(sent.document, app_id=sent.app_id, now=services.clock())
    preview: Callable[..., Preview] = services.proposals.actions[action].preview  # type: ignore[assignment]
    return preview({"document": sent.document}, now=services.clock())


def _needs_second(kind: str, preview: Preview | None) -> bool:
    """Whether a second person must approve the import."""
    if not get_services().settings.office_four_eyes:
        return False
    if _import(kind).action is not None:
        return True
    return preview is not None and item_actions.raises_free_case(preview)


def _form(kind: str, sent: Sent, *, preview: Preview | None = None, refusal: str | None = None) -> str:
    return render_template(
        "office/import.html",
        kind=kind,
        title=_import(kind).title,
        is_proposed=_needs_second(kind, preview),
        back=url_for(_import(kind).listed_at),
        sent=sent,
        games=GAMES,
        preview=preview,
        refusal=refusal,
        # Another one for each preview: only what is sent twice is the same.
        form_key=new_form_key(),
    )
