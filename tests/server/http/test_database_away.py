"""The database is unavailable: endpoints that need it answer 503, the others work."""

import pytest

from models.db.migrate import upgrade
from models.users import User
from tests.harness.servers import free_port

UNAVAILABLE = "The service is temporarily unavailable"


@pytest.fixture(params=["no server listens", "no such directory"])
def database_url(request, tmp_path):
    """Instead of a database of each kind: one of each kind that cannot be reached."""
    if request.param == "no server listens":
        return f"postgresql://platform:correct-horse@127.0.0.1:{free_port()}/platform"
    return f"sqlite:///{tmp_path}/nowhere/platform.db"


@pytest.fixture
def headers(app):
    """The header with a good token of a player who may or may not be there."""
    services = app.extensions["services"]
    token = services.tokens.issue(User(platform_id="76561198000000001"), now=services.clock())
    return {"Authorization": f"Bearer {token}"}


def test_endpoints_without_queries_work_without_the_database(client):
    paths = ["/healthz", "/metrics", "/upgrader/rules", "/openapi.json", "/docs/", "/auth/logout"]

    statuses = {path: client.get(path).status_code for path in paths}

    assert statuses == dict.fromkeys(paths, 200)


def test_a_process_without_its_database_is_not_ready(client):
    answer = client.get("/readyz")

    assert (answer.status_code, answer.json) == (503, {"error": UNAVAILABLE})


@pytest.mark.guarantee("A missing database")
def test_endpoints_with_queries_answer_503_with_retry_after(client, headers):
    items, own = ("items", "items/pagination"), ("commitment", "bets/1")
    for path in ("/auth/me", *(f"/upgrader/{name}" for name in items + own)):
        answer = client.get(path, headers=headers)

        assert (answer.status_code, answer.json) == (503, {"error": UNAVAILABLE}), path
        assert int(answer.headers["Retry-After"]) >= 1


def test_a_bad_token_is_refused_without_the_database(client):
    answer = client.get("/auth/me", headers={"Authorization": "Bearer nonsense"})

    assert (answer.status_code, answer.json) == (401, {"error": "Unauthorized"})


def test_the_password_of_the_database_is_not_logged(client, log_text):
    client.get("/upgrader/items")

    assert "database unavailable" in log_text()
    assert "correct-horse" not in log_text()


def test_a_command_reports_an_absent_database_in_one_line(fails):
    said = fails("ledger", "audit")

    assert said.startswith("Error: the database is not available: ")
    assert len(said.splitlines()) == 1


@pytest.mark.guarantee("A missing database")
@pytest.mark.parametrize("database_url", ["no such directory"], indirect=True)
def test_the_process_recovers_when_the_database_comes(client, tmp_path):
    before = client.get("/upgrader/items")

    (tmp_path / "nowhere").mkdir()
    upgrade()

    assert before.status_code == 503
    assert client.get("/upgrader/items").json == []
