"""/irl: cases with real-life items."""

from typing import Any

from blueprints.api.auth import public
from blueprints.api.blueprint import ApiBlueprint
from blueprints.api.caching import conditional
from blueprints.irl.schemas import IrlCaseSchema, ListedIrlCaseSchema
from services.bets import snapshots
from services.cases import irl as irl_cases

blueprint = ApiBlueprint("irl", __name__, url_prefix="/irl", description="Cases with real-life items")


@blueprint.get("")
@public
@conditional
@blueprint.response(200, ListedIrlCaseSchema(many=True))
@blueprint.alt_response(304, description="The client has this list already")
def list_irl_cases() -> list[Any]:
    """Every case with real-life items, the newest first."""
    return irl_cases.list_all()


@blueprint.get("/<anything:case_id>")
@public
@conditional
@blueprint.response(200, IrlCaseSchema)
@blueprint.alt_response(304, description="The client has this case already")
@blueprint.alt_response(404)
def get_irl_case(case_id: str) -> Any:
    """One case with real-life items."""
    case = irl_cases.get(case_id=case_id)
    case.snapshot = snapshots.content_of_irl_case(case).hash
    return case
