"""The log line about a proxy that TRUSTED_PROXIES does not count."""

import pytest


def warnings(log_lines):
    return [line for line in log_lines() if line["logger"] == "platform.cluster"]


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded"])
def test_forwarding_headers_without_trusted_proxies_are_logged_once(client, log_lines, header):
    for _ in range(3):
        client.get("/healthz", headers={header: "192.0.2.7"})

    [line] = warnings(log_lines)
    assert line["level"] == "warning"
    assert "TRUSTED_PROXIES" in line["message"]
    assert "192.0.2.7" not in str(line)


@pytest.mark.parametrize(("proxies", "headers"), [("0", {}), ("1", {"X-Forwarded-For": "192.0.2.7"})])
def test_requests_without_forwarding_or_with_trusted_proxies_log_nothing(
    make_app, log_lines, proxies, headers
):
    make_app(TRUSTED_PROXIES=proxies).test_client().get("/healthz", headers=headers)

    assert warnings(log_lines) == []
