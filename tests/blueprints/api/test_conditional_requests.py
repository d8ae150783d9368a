"""A client that sends the ETag of a response gets 304 as long as the response is the same."""

import re

import pytest

pytestmark = pytest.mark.settings(UPGRADER_PROOF_DELAY="0")


def new_battle(client, player):
    price = client.get("/api/cases/pocket-lint").json["price"]
    body = {"cases": [{"case": "pocket-lint"}], "mode": "normal", "teams": "1v1", "price": price}
    return client.post("/battles", json=body, headers=player.headers).json


@pytest.fixture
def paths(client, sample_player):
    """The pages, and all operations that may answer with 304, here with the ids of what exists."""
    ids = {
        "/api/cases/{case_id}": "pocket-lint",
        "/battles/{battle_id}": new_battle(client, sample_player)["id"],
        "/stats/case-activity": "?case=pocket-lint",
        "/irl/{case_id}": "kettle",
        "/bets/{bet_id}": "1",
        "/bets/{bet_id}/tlog-proof": "1",
        "/log/tile/{tile}": "0/000.p/1",
        "/log/tile/entries/{bundle}": "000.p/1",
        "/log/revealed/{number}": "0",
        "/snapshots/{snapshot_hash}": client.get("/irl/kettle").json["snapshot"],
    }
    return ["/", "/verify"] + [
        re.sub("{.*}|$", ids.get(path, ""), path, count=1)
        for path, operations in client.get("/openapi.json").json["paths"].items()
        if "304" in operations.get("get", {}).get("responses", {})
    ]


def test_a_response_that_the_client_has_is_answered_with_304(client, sample_player, paths):
    tags = {path: client.get(path, headers=sample_player.headers).headers["ETag"] for path in paths}
    another = {path: tags[other] for path, other in zip(paths, paths[1:] + paths[:1], strict=True)}

    def statuses(sent):
        answers = [
            client.get(path, headers=sample_player.headers | {"If-None-Match": tag})
            for path, tag in sent.items()
        ]
        return {(answer.status_code, answer.data == b"") for answer in answers}

    assert len(paths) > 10
    assert (statuses(tags), statuses(another)) == ({(304, True)}, {(200, False)})
