"""Imports: a document, a preview of what it changes, then a proposal; most items are imported at once."""

import hashlib
from http import HTTPStatus
from typing import Any, NamedTuple

from flask import abort, render_template, request, url_for

from blueprints.office.access import require_permission
from blueprints.office.blueprint import office
from blueprints.office.forms import form_of, new_form_key, sentence, submit, typed, typed_reason
from server.current_services import get_services
from services.items import catalogue
from services.shared.errors import Refusal
from services.shared.imports import Preview
from services.staff import content_actions
from services.staff.content_actions import ImportCases, ImportIrlCases, ImportItems
from services.staff.permissions import Permission
from services.staff.proposals import ActionResult

GAMES = ("", "730", "252490")


class Import(NamedTuple):
    """A kind of import: its title, the endpoint of the list, and the action that proposes it."""

    title: str
    listed_at: str
    action: str


ITEMS = "items"

IMPORTS = {
    "cases": Import("Import cases", "office.cases", ImportCases.name),
    "irl-cases": Import("Import cases of real-life items", "office.irl_cases", ImportIrlCases.name),
    ITEMS: Import("Import items", "office.items", ImportItems.name),
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
@require_permission(Permission.CONTENT_CHANGE)
def import_form(kind: str) -> str:
    return _form(kind, Sent("", None))


@office.post("/imports/<kind>")
@require_permission(Permission.CONTENT_CHANGE)
def preview_import(kind: str) -> Any:
    """The form again, with what the import would change now."""
    return _form_with_preview(kind)


def _form_with_preview(kind: str) -> Any:
    sent = Sent(typed("document"), None)
    try:
        sent = _sent()
        preview = _preview_of(kind, sent)
    except Refusal as refusal:
        return _form(kind, sent, problem=sentence(refusal.text)), HTTPStatus.BAD_REQUEST
    return _form(kind, sent, preview=preview)


@office.post("/imports/<kind>/confirm")
@require_permission(Permission.CONTENT_CHANGE)
@form_of(_form_with_preview, then=lambda kind: url_for(_import(kind).listed_at))
def confirm_import(kind: str) -> str | ActionResult:
    """Propose or do what was previewed. Another document is previewed first."""
    chosen, sent = _import(kind), _checked()
    if kind == ITEMS and not _needs_approval(kind, _preview_of(kind, sent)):
        return _import_items(sent)
    return submit(chosen.action, _arguments(kind, sent))


def _import(kind: str) -> Import:
    return IMPORTS.get(kind) or abort(HTTPStatus.NOT_FOUND)


def _arguments(kind: str, sent: Sent) -> dict[str, Any]:
    return {"document": sent.document} | ({"appId": sent.app_id} if kind == ITEMS else {})


def _import_items(sent: Sent) -> str:
    services = get_services()
    result = content_actions.import_items(
        sent.document, app_id=sent.app_id, reason=typed_reason(), now=services.clock()
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
    if typed("previewed") != sent.digest:
        raise Refusal("the document was changed after the preview: look at what it changes now")
    return sent


def _sent() -> Sent:
    """A file is taken before a text. Raises Refusal for one that is not UTF-8."""
    upload = request.files.get("file")
    game = typed("game")
    if upload is not None and upload.filename:
        try:
            document = upload.stream.read().decode("utf-8-sig")
        except UnicodeDecodeError:
            raise Refusal("the file is not UTF-8") from None
    else:
        document = typed("document")
    # As a browser sends it back.
    document = document.replace("\r\n", "\n").strip()
    return Sent(document, int(game) if game in GAMES and game else None)


def _preview_of(kind: str, sent: Sent) -> Preview | None:
    services = get_services()
    action = services.proposals.actions[_import(kind).action]
    return action.preview(_arguments(kind, sent), now=services.clock())


def _needs_approval(kind: str, preview: Preview | None) -> bool:
    """Whether a second person must approve the import. Few imports of items need one."""
    if not get_services().settings.office_four_eyes:
        return False
    return kind != ITEMS or (preview is not None and content_actions.raises_free_case(preview))


def _form(kind: str, sent: Sent, *, preview: Preview | None = None, problem: str | None = None) -> str:
    return render_template(
        "office/import.html",
        kind=kind,
        title=_import(kind).title,
        is_proposed=_needs_approval(kind, preview),
        back=url_for(_import(kind).listed_at),
        sent=sent,
        games=GAMES,
        preview=preview,
        problem_text=problem,
        # Another one for each preview: only what is sent twice is the same.
        form_key=new_form_key(),
    )
