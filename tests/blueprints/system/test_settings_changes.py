"""A server records which settings have changed since its last start, and counts events without an anchor."""

import json

import pytest
import requests

from tests.harness.servers import threaded_server
from tests.harness.waiting import wait_until


@pytest.fixture
def serve(make_app):
    """Starts and stops a server with these settings; all changes of settings that are recorded then."""

    def serve(**changes):
        app = make_app(**changes)
        before = len(settings_events(app))
        with threaded_server(app):
            wait_until(lambda: len(settings_events(app)) > before)
        return settings_events(app)

    return serve


def settings_events(app):
    """The recorded changes of settings."""
    lines = app.test_cli_runner().invoke(args=["audit", "export"]).stdout.splitlines()
    events = [json.loads(line) for line in lines[1:]]
    return [event for event in events if event["what"] == "settings.changed"]


def test_a_running_server_counts_the_events_without_an_anchor(app, client, run):
    run("users", "create", "ada", "--count", "3")

    with threaded_server(app):
        # The fourth one is about the settings.
        wait_until(lambda: "audit_events_waiting 4.0" in client.get("/metrics").text)


@pytest.mark.regulation("B.8 Change management")
def test_a_start_records_only_the_settings_that_changed(serve, make_app, app):
    serve(UPGRADER_HOUSE_EDGE="0.05", CATALOGUE_TTL="60")
    serve(UPGRADER_HOUSE_EDGE="0.04", CATALOGUE_TTL="60")

    with threaded_server(make_app(UPGRADER_HOUSE_EDGE="0.04", CATALOGUE_TTL="60")) as url:
        wait_until(lambda: "audit_events_waiting 2.0" in requests.get(f"{url}/metrics", timeout=10).text)
    first, second = settings_events(app)

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
