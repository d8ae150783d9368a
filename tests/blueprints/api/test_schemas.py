"""How answers are made from their schemas."""

import marshmallow as ma
import pytest

from blueprints.auth.schemas import UserSchema
from blueprints.bets.schemas import BetSchema
from blueprints.cases.schemas import FreeCaseSchema, SingleCaseSchema
from blueprints.irl.schemas import ListedIrlCaseSchema
from blueprints.stats.schemas import GameSchema
from blueprints.upgrader.schemas import RulesSchema
from server.schemas import WireSchema
from services.accounts import users
from services.bets import lookups
from services.bets.terms import UPGRADER
from services.cases import irl as irl_cases
from services.cases import queries
from tests.support.sample_data import add_sample_data

# Each database gives the same objects.


def test_a_schema_dumps_what_marshmallow_itself_would_dump(app):
    player = add_sample_data(app).user
    user = users.get_by_id(player.id)
    user.logins = []
    spin = lookups.get(user_id=player.id, nonce=1, game=UPGRADER)
    dumped = [
        (UserSchema(), user),
        (SingleCaseSchema(), queries.get(case_id="pocket-lint")),
        (FreeCaseSchema(), queries.free()),
        (ListedIrlCaseSchema(many=True), irl_cases.list_all()),
        (GameSchema(), spin),
        (BetSchema(), spin),
        (RulesSchema(), app.extensions["services"].settings),
    ]

    with app.app_context():
        differing = [
            schema for schema, thing in dumped if schema.dump(thing) != ma.Schema.dump(schema, thing)
        ]

    assert differing == []


def test_a_missing_attribute_of_a_schema_is_an_error(app):
    class NamedSchema(WireSchema):
        full_name = ma.fields.String()

    with pytest.raises(AttributeError):
        NamedSchema().dump(app)
