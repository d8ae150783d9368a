"""Cases of real-life items: the list, and a case with its prizes."""

from typing import Any

from flask import render_template, request, url_for

from blueprints.office.access import needs
from blueprints.office.addresses import order
from blueprints.office.blueprint import office
from blueprints.office.cases import waiting
from blueprints.office.contents import chosen, typed_search
from blueprints.office.lists import listed, place
from blueprints.office.results import attempt, new_form_key, perform_or_propose
from services.shared.pagination import Page
from services.staff import case_lists
from services.staff.case_actions import ImportIrlCases
from services.staff.case_lists import IrlOrder, Sale
from services.staff.permissions import Permission


@office.get("/irl-cases")
@needs(Permission.CONTENT_SEE)
def irl_cases() -> str:
    sorted_by, is_descending = order(list(IrlOrder), default="-created")
    found = case_lists.irl_cases(
        search=typed_search(),
        sale=chosen("sale", Sale),
        order=IrlOrder(sorted_by),
        is_descending=is_descending,
    )
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
@needs(Permission.CONTENT_SEE)
def irl_case(case_id: int) -> str:
    return _irl_case(case_id)


def _irl_case(case_id: int, *, sent: str = "", refusal: str | None = None) -> str:
    row = case_lists.irl_case(case_id)
    return render_template(
        "office/case.html",
        row=row,
        events=case_lists.history_of(row),
        waiting=[],
        retire_to=url_for("office.retire_irl_case", case_id=case_id),
        form_key=request.form.get("form_key") or new_form_key(),
        is_irl=True,
        sent=sent,
        refusal=refusal,
    )


@office.post("/irl-cases/<row_id:case_id>/retire")
@needs(Permission.CONTENT_CHANGE)
def retire_irl_case(case_id: int) -> Any:
    return attempt(
        lambda: perform_or_propose("irl-case.retire", {"case": case_lists.irl_case(case_id).case.slug}),
        to=url_for("office.irl_case", case_id=case_id),
        again=lambda refusal: _irl_case(case_id, sent="retire", refusal=refusal),
    )
