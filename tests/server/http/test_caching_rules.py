"""Every answer says whether caches may keep it."""

import pytest

from blueprints.site.routes import OWN_PAGES
from tests.server.http.test_security_table import PUBLIC, TABLE

# Asked again with each use, by their ETags.
REVALIDATED = dict.fromkeys(
    (
        *("/verify", "/api/cases", "/api/cases/pagination", "/irl", "/upgrader/items"),
        *("/upgrader/items/pagination", "/upgrader/rules", "/upgrader/levels", "/stats/live-bets"),
        *("/stats/online", "/leaderboard", "/demo-checkout/<_deposit_id>", *OWN_PAGES),
        *("/battles", "/battles/rules", "/battles/stats", "/rewards/rules"),
    ),
    "no-cache",
)
SECOND = dict.fromkeys(("/log/current", "/log/checkpoint", "/log/key", "/log/witnesses"), "public, max-age=1")
DAY = {"/media/neutral/<name>": "public, max-age=86400"}


def test_only_these_answers_may_be_kept_by_caches(client):
    answers = {}
    for endpoint in TABLE:
        if endpoint.policy == PUBLIC:
            with client.open(endpoint.address, method=endpoint.method) as answer:
                answers[endpoint] = answer.headers.getlist("Cache-Control")

    assert [endpoint for endpoint, rules in answers.items() if len(rules) != 1] == []
    kept = {endpoint.rule: rules[0] for endpoint, rules in answers.items() if rules != ["no-store"]}
    assert kept == REVALIDATED | SECOND | DAY


@pytest.mark.parametrize("path", ["/nowhere", "/assets/nothing.js", "/media/avatars/nobody.webp"])
def test_no_answer_404_may_be_stored(client, path):
    answer = client.get(path)

    assert (answer.status_code, answer.headers.getlist("Cache-Control")) == (404, ["no-store"])


def test_refused_methods_and_preflights_may_not_be_stored(client):
    answers = [client.put("/healthz"), client.options("/api/cases"), client.post("/auth/me")]

    assert [answer.headers.getlist("Cache-Control") for answer in answers] == [["no-store"]] * 3
