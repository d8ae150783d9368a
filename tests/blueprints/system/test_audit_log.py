"""The server appends to the audit log, and records which settings have changed since its last start."""

import json

import pytest

from services.log import sequencer
from tests.harness.servers import threaded_server
from tests.harness.waiting import wait_until


@pytest.fixture
def verify(run):
    return lambda: run("audit", "verify")


@pytest.fixture
def serve(make_app):
    """Starts and stops a server with these settings, which has logged all events."""

    def serve(**changes):
        app = make_app(**changes)

        def waiting():
            return json.loads(app.test_cli_runner().invoke(args=["audit", "verify"]).stdout)["waiting"]

        with threaded_server(app):
            wait_until(lambda: settings_events(app) and not waiting())
        return settings_events(app)

    return serve


def settings_events(app):
    """The recorded changes of settings."""
    lines = app.test_cli_runner().invoke(args=["audit", "export"]).stdout.splitlines()
    events = [json.loads(line) for line in lines[:-1]]
    return [event for event in events if event["what"] == "settings.changed"]


@pytest.mark.usefixtures("server")
def test_a_running_server_logs_what_a_command_has_recorded(run, verify):
    run("users", "create", "ada", "--count", "3")

    wait_until(lambda: verify()["waiting"] == 0)

    assert verify()["logged"] >= 3


def test_the_next_start_logs_what_a_stopped_server_left(serve, run, verify, monkeypatch):
    monkeypatch.setattr(sequencer, "BATCH", 20)
    serve()
    run("users", "create", "ada", "--count", "25")
    left = verify()
    assert left["waiting"] == 25

    serve()

    assert verify() == {"logged": left["logged"] + 25, "waiting": 0, "problems": 0}


@pytest.mark.regulation("B.8 Change management")
def test_a_start_records_only_the_settings_that_changed(serve):
    serve(UPGRADER_HOUSE_EDGE="0.05", CATALOGUE_TTL="60")
    serve(UPGRADER_HOUSE_EDGE="0.04", CATALOGUE_TTL="60")

    first, second = serve(UPGRADER_HOUSE_EDGE="0.04", CATALOGUE_TTL="60")

    assert first["before"] == {}
    assert first["after"]["upgrader_house_edge_ppm"] == 50_000
    assert second["before"] == {"upgrader_house_edge_ppm": 50_000}
    assert second["after"] == {"upgrader_house_edge_ppm": 40_000}
    assert second["who"] == "system"


@pytest.mark.regulation("B.8 Change management")
def test_a_secret_setting_is_recorded_without_its_value(serve):
    serve(PLATFORM_API_KEY="a-very-private-key")

    first, second = serve(PLATFORM_API_KEY="another-private-key")

    assert first["after"]["platform_api_key"] == "changed"
    assert second["before"] == second["after"] == {"platform_api_key": "changed"}
    assert "private-key" not in json.dumps([first, second])


def test_a_new_secret_key_changes_no_other_secret(serve):
    old = "the secret that was used first and is long enough"
    serve(SECRET_KEY=old)

    *_, last = serve(SECRET_KEY="the secret that comes after it and is long enough", SECRET_KEY_PREVIOUS=old)

    assert set(last["after"]) == {"secret_key", "previous_secret_keys"}
