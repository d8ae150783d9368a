"""Cases that are imported, restored and withdrawn by the actions of the back office."""

import json

import pytest

from models.cases import Case
from models.db.connection import reading
from services.audit_trail.actor import Actor, acting_as
from services.shared.errors import OperatorError
from tests.services.staff.conftest import CARL, CORA

CONTENT, OTHER = CORA, CARL


@pytest.fixture
def names(add_item):
    """The full names of two items."""
    return [add_item(f"Item {number}", price=100 * number) for number in (1, 2)]


@pytest.fixture
def act(app, clock):
    def act(action, by=CONTENT, **arguments):
        with acting_as(Actor(f"staff:{by.name}")):
            return app.extensions["services"].proposals.perform_or_propose(
                action, arguments, reason="for the weekend", by=by, now=clock()
            )

    return act


@pytest.fixture
def document(names):
    """A case with both items, whose percentages have more digits than a double."""
    items = [
        {"marketHashName": name, "percentage": part}
        for name, part in zip(names, ("33.3333333333333333", "66.6666666666666667"), strict=True)
    ]
    text = json.dumps([{"name": "Weekend", "items": items}])
    return text.replace('"33.3333333333333333"', "33.3333333333333333").replace(
        '"66.6666666666666667"', "66.6666666666666667"
    )


def withdrawn():
    """The ids of all cases, and whether each is withdrawn."""
    with reading():
        return {case.slug: case.withdrawn_at_ms is not None for case in Case.select()}


def test_a_case_is_imported_by_two_people_as_the_document_says(act, approve, document):
    outcome = act("cases.import", document=document)
    assert (outcome.is_done, withdrawn()) == (False, {})
    assert outcome.proposal.description == "Import 1 case: Weekend"

    assert approve(outcome, by=OTHER) == "Cases added: 1, changed: 0"

    assert withdrawn() == {"weekend": False}


def test_a_document_that_can_not_be_imported_is_not_proposed(act, document):
    with pytest.raises(OperatorError, match="row 1: there is no item"):
        act("cases.import", document=document.replace("Item 1", "Item 3"))
    with pytest.raises(OperatorError, match="not a JSON array"):
        act("cases.import", document="{}")


def test_one_person_withdraws_a_case_and_two_put_it_on_sale_again(act, approve, document):
    approve(act("cases.import", document=document), by=OTHER)

    assert act("case.withdraw", case="weekend").is_done
    assert withdrawn() == {"weekend": True}
    outcome = act("case.restore", case="weekend")
    assert withdrawn() == {"weekend": True}
    approve(outcome, by=OTHER)

    assert withdrawn() == {"weekend": False}
