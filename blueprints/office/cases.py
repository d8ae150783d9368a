"""Cases of items of the inventory: the list, and a case with what can be won in it."""

from typing import Any

from flask import render_template, request, url_for

from blueprints.office.access import needs
from blueprints.office.addresses import order
from blueprints.office.blueprint import office
from blueprints.office.contents import chosen, typed_search
from blueprints.office.lists import listed, place
from blueprints.office.results import attempt, new_form_key, perform_or_propose
from server.current_services import get_services
from services.cases.kinds import CaseKind
from services.staff import case_lists, proposals
from services.staff.case_actions import ImportCases, RestoreCase
from services.staff.case_lists import CaseOrder, Maker, Sale
from services.staff.permissions import Permission


@office.get("/cases")
@needs(Permission.CONTENT_SEE)
def cases() -> str:
    sorted_by, is_descending = order(list(CaseOrder), default="-created")
    found = case_lists.cases(
        search=typed_search(),
        kind=chosen("kind", CaseKind),
        sale=chosen("sale", Sale),
        maker=chosen("maker", Maker),
        order=CaseOrder(sorted_by),
        is_descending=is_descending,
        place=place(),
    )
    return render_template(
        "office/cases.html",
        listed=listed(found),
        total=found.total,
        kinds=list(CaseKind),
        sales=list(Sale),
        makers=list(Maker),
        sorted_by=sorted_by,
        descending=is_descending,
        waiting=waiting(ImportCases.name, RestoreCase.name),
    )


def waiting(*actions: str) -> list[Any]:
    """The proposals of these actions that wait for a second person."""
    now = get_services().clock()
    return [each for action in actions for each in proposals.open_of(action=action, now=now)]


@office.get("/cases/<row_id:case_id>")
@needs(Permission.CONTENT_SEE)
def case(case_id: int) -> str:
    return _case(case_id)


def _case(case_id: int, *, sent: str = "", refusal: str | None = None) -> str:
    row = case_lists.case(case_id)
    slug = row.case.slug
    return render_template(
        "office/case.html",
        row=row,
        events=case_lists.history_of(row),
        waiting=[
            each for each in waiting(RestoreCase.name) if proposals.arguments_of(each).get("case") == slug
        ],
        retire_to=url_for("office.retire_case", case_id=case_id),
        form_key=request.form.get("form_key") or new_form_key(),
        needs_two=get_services().settings.office_four_eyes,
        sent=sent,
        refusal=refusal,
    )


@office.post("/cases/<row_id:case_id>/retire")
@needs(Permission.CONTENT_CHANGE)
def retire_case(case_id: int) -> Any:
    return _changed(case_id, "retire", "case.retire")


@office.post("/cases/<row_id:case_id>/restore")
@needs(Permission.CONTENT_CHANGE)
def restore_case(case_id: int) -> Any:
    return _changed(case_id, "restore", "case.restore")


def _changed(case_id: int, form: str, action: str) -> Any:
    return attempt(
        lambda: perform_or_propose(action, {"case": case_lists.case(case_id).case.slug}),
        to=url_for("office.case", case_id=case_id),
        again=lambda refusal: _case(case_id, sent=form, refusal=refusal),
    )
