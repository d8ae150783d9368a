"""Every answer to generated requests to every operation matches the API document.

With ``--effort 100`` there are a hundred requests of each operation, and those at the limits of what is
documented.
"""

import zlib

import pytest

from tests.harness.servers import threaded_server
from tests.support.sample_data import add_sample_data

NOWHERE = "http://127.0.0.1:9"


@pytest.mark.guarantee("Any request")
@pytest.mark.security("Input")
def test_every_response_to_generated_requests_is_as_documented(make_app, effort, seed, note_figure):
    # schemathesis takes a second to import.
    from tests.support.fuzzing import SEED, fuzz

    app = make_app(PLATFORM_OPENID_URL=f"{NOWHERE}/openid/login", PLATFORM_API_URL=NOWHERE)
    player = add_sample_data(app)
    documented = sum(
        len(methods.keys() - {"parameters"})
        for methods in app.test_client().get("/openapi.json").json["paths"].values()
    )

    with threaded_server(app) as url:
        found = fuzz(
            url,
            player,
            examples=effort,
            edges=effort > 1,
            seed=zlib.crc32(seed.encode()) if seed else SEED,
        )

    note_figure(f"{sum(found.cases.values()):,} requests, {len(found.failures)} wrong answers")
    assert found.failures == {}
    assert len(found.operations) == documented
