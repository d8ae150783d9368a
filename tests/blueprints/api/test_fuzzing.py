"""Every answer to generated requests to every operation matches the API document.

``python -m bench.fuzz`` generates more requests, also at the limits of what is documented, and with
``--postgresql`` on PostgreSQL.
"""

import pytest

from bench.harness.sample_data import add_sample_data
from bench.harness.servers import threaded_server
from tests.support.markers import sqlite_only

pytestmark = pytest.mark.slow

NOWHERE = "http://127.0.0.1:9"


@sqlite_only
def test_every_response_to_generated_requests_is_as_documented(make_app):
    # schemathesis takes a second to import.
    from bench.harness.fuzzing import fuzz

    app = make_app(PLATFORM_OPENID_URL=f"{NOWHERE}/openid/login", PLATFORM_API_URL=NOWHERE)
    player = add_sample_data(app)
    documented = sum(
        len(methods.keys() - {"parameters"})
        for methods in app.test_client().get("/openapi.json").json["paths"].values()
    )

    with threaded_server(app) as url:
        found = fuzz(url, player, examples=2, edges=False)

    assert found.failures == {}
    assert len(found.operations) == documented
