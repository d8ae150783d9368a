"""What an unknown address answers: a page for browsers, JSON for programs."""

import pytest

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize("path", ["/nothing", "/cases/night-shift/nothing"])
def test_a_browser_gets_a_page_with_a_way_home(client, path):
    answer = client.get(path, headers={"Accept": BROWSER})

    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert '<a href="/">Go to the first page</a>' in answer.text
    assert "default-src 'self'" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize("accept", ["application/json", "*/*", "application/json, text/html;q=0.5", None])
def test_a_program_gets_json(client, accept):
    answer = client.get("/nothing", headers={"Accept": accept} if accept else {})

    assert (answer.status_code, answer.json) == (404, {"error": "Not found"})


def test_what_a_known_endpoint_does_not_find_stays_json(client):
    answer = client.get("/api/cases/nothing", headers={"Accept": BROWSER})

    assert (answer.status_code, answer.json) == (404, {"error": "Case not found"})
