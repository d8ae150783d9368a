"""A case by a form: its items are picked from a list, and its price follows while the chances are typed.

The draft is in the fields of the form. Every button sends it and gets the page again; with JavaScript
(live.js) only the parts that changed are replaced.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from flask import render_template, request, url_for

from blueprints.office.access import require_permission
from blueprints.office.blueprint import office
from blueprints.office.forms import form_of, new_form_key, submit, typed
from models.items import Item
from server.current_services import get_services
from services.cases.contents import CERTAIN, ItemLine, exact_percent, price_of, return_of, share_equally
from services.cases.contents import width_from_percent as width_of
from services.cases.kinds import CaseKind
from services.shared import decimal_json
from services.shared.errors import Refusal
from services.shared.imports import Preview
from services.shared.pagination import Place
from services.staff import case_lists, item_lists
from services.staff.case_lists import Sale
from services.staff.content_actions import ImportCases
from services.staff.permissions import Permission
from services.staff.proposals import ActionResult

MOST_ITEMS = 100
"""Of a form. A case with more is imported."""
OFFERED = 12
"""Items of the picker."""


@dataclass
class Draft:
    """A case as it is typed: ``items`` has the percentage of each item by its full name."""

    name: str = ""
    kind: str = CaseKind.REGULAR
    level: str = ""
    items: dict[str, str] = field(default_factory=dict)

    def lines(self) -> Iterator[ItemLine]:
        """The items with their prices; a percentage that is none counts as 0."""
        prices = item_lists.prices_on_sale(list(self.items))
        for name, percentage in self.items.items():
            yield ItemLine(name, prices.get(name), _width(percentage) or 0)

    @property
    def document(self) -> str:
        """As an import takes it, with exact percentages. What is no percentage is refused there."""
        items = ", ".join(
            f'{{"marketHashName": {json.dumps(name)}, "percentage": {_percentage(text)}}}'
            for name, text in self.items.items()
        )
        level = f', "level": {int(self.level)}' if self.level.isdecimal() and self.level.isascii() else ""
        kind = f'"kind": {json.dumps(self.kind)}{level}'
        return f'[{{"name": {json.dumps(self.name)}, {kind}, "items": [{items}]}}]'


@office.get("/cases/new")
@require_permission(Permission.CONTENT_CHANGE)
def new_case() -> str:
    """An empty form, or one with the case of ``?case=``, the number of its row."""
    given = request.args.get("case", "")
    if not re.fullmatch(r"[0-9]{1,18}", given, re.ASCII):
        return _page(Draft())
    row = case_lists.case(int(given))
    case = row.case
    items = {held.line.name: exact_percent(held.line.chance) for held in row.items[:MOST_ITEMS]}
    level = "" if case.required_level is None else str(case.required_level)
    return _page(Draft(case.name, case.kind, level, items))


@office.post("/cases/new")
@require_permission(Permission.CONTENT_CHANGE)
def draw_new_case() -> str:
    """The form again, after what its button does, or several that were pressed one after another."""
    draft = _typed()
    for added in request.form.getlist("add"):
        if len(draft.items) < MOST_ITEMS:
            draft.items.setdefault(added, "")
    for removed in request.form.getlist("remove"):
        draft.items.pop(removed, None)
    if typed("share") and draft.items:
        parts = share_equally(CERTAIN, len(draft.items))
        draft.items = {name: exact_percent(part) for name, part in zip(draft.items, parts, strict=True)}
    return _page(draft)


@office.post("/cases/new/propose")
@require_permission(Permission.CONTENT_CHANGE)
@form_of(draw_new_case, then=lambda: url_for("office.cases"))
def propose_case() -> ActionResult:
    return submit(ImportCases.name, {"document": _typed().document})


def _typed() -> Draft:
    names, percentages = request.form.getlist("item"), request.form.getlist("percentage")
    items = dict(zip(names, percentages, strict=False))
    return Draft(typed("name"), typed("kind"), typed("level").strip(), dict(list(items.items())[:MOST_ITEMS]))


def _page(draft: Draft) -> str:
    lines, search = list(draft.lines()), typed("q").strip()
    price = price_of((line.price_cents, line.chance) for line in lines)
    chance = sum(line.chance for line in lines)
    return render_template(
        "office/case-form.html",
        draft=draft,
        lines=[(line, draft.items[line.name]) for line in lines],
        price=price,
        expected_return=return_of(lines, price),
        left=CERTAIN - chance,
        left_text=exact_percent(abs(CERTAIN - chance)),
        kinds=list(CaseKind),
        search=search,
        offered=_offered(search, draft),
        most=MOST_ITEMS,
        preview=_preview(draft) if chance == CERTAIN and draft.name.strip() else None,
        form_key=typed("form_key") or new_form_key(),
        is_proposed=get_services().settings.office_four_eyes,
    )


def _offered(search: str, draft: Draft) -> list[tuple[Item, bool]]:
    """Items on sale that match, the dearest first, and whether the draft has them."""
    found = item_lists.items(
        search=search,
        source=None,
        game=None,
        sale=Sale.ON_SALE,
        order="price",
        is_descending=True,
        place=Place(1, OFFERED),
    )
    return [(item, item.market_hash_name in draft.items) for item in found.rows if item.price_cents]


def _preview(draft: Draft) -> Preview | None:
    """What a second person would approve now."""
    services = get_services()
    action = services.proposals.actions[ImportCases.name]
    try:
        return action.preview({"document": draft.document}, now=services.clock())
    except Refusal as problem:
        return Preview([], [problem.text], [])


def _width(text: str) -> int | None:
    """The chance of a percentage as it is typed; None if it is none."""
    try:
        return width_of(decimal_json.loads(_plain(text)))
    except (ValueError, Refusal):
        return None


def _percentage(text: str) -> str:
    """The percentage as JSON; null for what is none."""
    width = _width(text)
    return "null" if width is None else exact_percent(width)


def _plain(text: str) -> Any:
    return text.strip().replace(",", ".").removesuffix("%").strip()
