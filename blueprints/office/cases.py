"""Cases, of items of the inventory and of real-life items: the lists, and a case with its prizes."""

from typing import Any

from flask import render_template, url_for

from blueprints.office.access import require_permission
from blueprints.office.addresses import chosen, listed, order, place, typed_search, wants_csv
from blueprints.office.blueprint import office
from blueprints.office.csv_files import Columns, list_file
from blueprints.office.forms import form_of, submit
from server.current_services import get_services
from services.cases.kinds import CaseKind
from services.shared.pagination import Page
from services.staff import case_lists, proposals
from services.staff.case_lists import Maker, Sale
from services.staff.content_actions import ImportCases, ImportIrlCases, RestoreCase, RetireCase, RetireIrlCase
from services.staff.permissions import Permission
from services.staff.proposals import ActionResult

CASES: Columns = {
    "case": "case.name",
    "id": "case.slug",
    "price": "case.price_cents",
    "return to player": lambda row: row.expected_return and round(row.expected_return, 6),
    "items": lambda row: len(row.items),
    "openings": "openings",
    "retired": "case.retired_at_ms",
    "made by": lambda row: row.creator.username if row.creator else "house",
    "created": "case.created_at_ms",
}


@office.get("/cases")
@require_permission(Permission.CONTENT_SEE)
def cases() -> Any:
    sorted_by, is_descending = order(case_lists.CASE_COLUMNS, default="-created")
    found = case_lists.cases(
        search=typed_search(),
        kind=chosen("kind", CaseKind),
        sale=chosen("sale", Sale),
        maker=chosen("maker", Maker),
        order=sorted_by,
        is_descending=is_descending,
        place=place(),
    )
    if wants_csv():
        return list_file("cases", {**CASES, "kind": "case.kind"}, found.rows)
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
@require_permission(Permission.CONTENT_SEE)
def case(case_id: int) -> str:
    row = case_lists.case(case_id)
    proposed = [
        each
        for each in waiting(RestoreCase.name)
        if proposals.arguments_of(each).get("case") == row.case.slug
    ]
    return render_template(
        "office/case.html",
        row=row,
        events=case_lists.history_of(row),
        waiting=proposed,
        retire_to=url_for("office.retire_case", case_id=case_id),
    )


@office.post("/cases/<row_id:case_id>/retire")
@require_permission(Permission.CONTENT_CHANGE)
@form_of(case)
def retire_case(case_id: int) -> ActionResult:
    return submit(RetireCase.name, {"case": case_lists.case(case_id).case.slug})


@office.post("/cases/<row_id:case_id>/restore")
@require_permission(Permission.CONTENT_CHANGE)
@form_of(case)
def restore_case(case_id: int) -> ActionResult:
    return submit(RestoreCase.name, {"case": case_lists.case(case_id).case.slug})


@office.get("/irl-cases")
@require_permission(Permission.CONTENT_SEE)
def irl_cases() -> Any:
    sorted_by, is_descending = order(case_lists.IRL_COLUMNS, default="-created")
    found = case_lists.irl_cases(
        search=typed_search(),
        sale=chosen("sale", Sale),
        order=sorted_by,
        is_descending=is_descending,
    )
    if wants_csv():
        return list_file("cases-of-real-life-items", CASES, place().slice(found))
    return render_template(
        "office/irl-cases.html",
        listed=listed(Page([*place().slice(found)], len(found))),
        total=len(found),
        sales=list(Sale),
        sorted_by=sorted_by,
        descending=is_descending,
        waiting=waiting(ImportIrlCases.name),
    )


@office.get("/irl-cases/<row_id:case_id>")
@require_permission(Permission.CONTENT_SEE)
def irl_case(case_id: int) -> str:
    row = case_lists.irl_case(case_id)
    return render_template(
        "office/case.html",
        row=row,
        events=case_lists.history_of(row),
        waiting=[],
        retire_to=url_for("office.retire_irl_case", case_id=case_id),
        is_irl=True,
    )


@office.post("/irl-cases/<row_id:case_id>/retire")
@require_permission(Permission.CONTENT_CHANGE)
@form_of(irl_case)
def retire_irl_case(case_id: int) -> ActionResult:
    return submit(RetireIrlCase.name, {"case": case_lists.irl_case(case_id).case.slug})
