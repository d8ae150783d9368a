"""The address of a client: spellings, networks that share a limit, the audit trail, untrusted proxies."""

import pytest

from server.addresses import WIDER

LOGIN_STARTS = 20
PREFLIGHT = {"Access-Control-Request-Method": "GET"}
PROXY = {"environ_base": {"REMOTE_ADDR": "192.0.2.1"}}


@pytest.fixture
def settings():
    return {"RATELIMIT_ENABLED": "1", "TRUSTED_PROXIES": "1", "timer": lambda: 0.0}


@pytest.fixture
def login_start(client):
    """The status of a login that a client at this address begins."""

    def login_start(forwarded):
        headers = {"X-Forwarded-For": forwarded}
        return client.get("/auth/platform", headers=headers, **PROXY).status_code

    return login_start


@pytest.mark.security("Shared caches")
def test_all_addresses_of_a_64_share_its_limit(login_start):
    statuses = [login_start(f"2001:db8:1:2::{number:x}") for number in range(LOGIN_STARTS)]

    assert set(statuses) == {302}
    assert login_start("2001:db8:1:2:ffff:ffff:ffff:ffff") == 429
    assert login_start("2001:db8:1:3::1") == 302


@pytest.mark.security("Shared caches")
def test_a_48_has_eight_times_the_limit_of_a_64(login_start):
    networks = [f"2001:db8:1:{number:x}::1" for number in range(WIDER)]
    statuses = {login_start(network) for network in networks for _ in range(LOGIN_STARTS)}

    assert statuses == {302}
    assert login_start("2001:db8:1:ffff::1") == 429
    assert login_start("2001:db8:2::1") == 302


IPV4 = ["192.0.2.7", "192.0.2.7:443", "::ffff:192.0.2.7", "::FFFF:C000:207", " [::ffff:192.0.2.7]:1"]
IPV6 = ["2001:db8::1", "2001:DB8:0::1", "[2001:db8::1]", "[2001:db8::1]:443", "2001:db8::1%eth0"]


@pytest.mark.parametrize(("spellings", "neighbour"), [(IPV4, "192.0.2.8"), (IPV6, "2001:db8:0:1::")])
def test_all_spellings_of_an_address_are_one_client(login_start, spellings, neighbour):
    for _ in range(LOGIN_STARTS // len(spellings)):
        assert [login_start(spelling) for spelling in spellings] == [302] * len(spellings)

    assert [login_start(spelling) for spelling in spellings] == [429] * len(spellings)
    assert login_start(neighbour) == 302


NO_ADDRESSES = [
    *("x" * 200, "unknown", "", "[::1", "[::1]x", "01.2.3.4", "1.2.3", "1.2.3.4:x", "::1::", '"192.0.2.9'),
]


@pytest.mark.security("Shared caches")
def test_a_forwarded_text_without_address_counts_as_the_proxy(login_start):
    statuses = [login_start(NO_ADDRESSES[n % len(NO_ADDRESSES)]) for n in range(LOGIN_STARTS)]

    assert set(statuses) == {302}
    assert {text: login_start(text) for text in NO_ADDRESSES} == dict.fromkeys(NO_ADDRESSES, 429)
    assert login_start("192.0.2.1") == 429
    assert login_start("192.0.2.2") == 302


@pytest.mark.security("Shared caches")
def test_a_quotation_mark_does_not_hide_what_the_proxy_appends(login_start):
    statuses = [login_start(f'"{number}, 192.0.2.7') for number in range(LOGIN_STARTS)]

    assert set(statuses) == {302}
    assert login_start("192.0.2.7") == 429
    assert login_start("192.0.2.1") == 302


@pytest.mark.settings(TRUSTED_PROXIES="2")
def test_the_outer_of_two_trusted_proxies_entries_counts(login_start):
    assert {login_start(f"{n}.0.0.1, 2001:db8::1, 198.51.100.1") for n in range(LOGIN_STARTS)} == {302}
    assert login_start("2001:db8::2, 198.51.100.2") == 429
    # Fewer entries than proxies: not what these proxies send.
    assert login_start("2001:db8::2") == 302


@pytest.mark.parametrize(
    ("method", "path", "most"),
    [("get", "/upgrader/rules", 300), ("options", "/auth/me", 600), ("get", "/readyz", 120)],
)
def test_every_limit_by_address_counts_networks(client, method, path, most):
    def status(address):
        headers = PREFLIGHT | {"X-Forwarded-For": address}
        return client.open(path, method=method.upper(), headers=headers, **PROXY).status_code

    assert {status(f"2001:db8::{number:x}") for number in range(most)} == {200}

    assert [status("2001:db8::ffff"), status("2001:db8:0:1::")] == [429, 200]


def test_without_proxies_the_connections_address_counts(make_app):
    client = make_app(RATELIMIT_ENABLED="1", timer=lambda: 0.0).test_client()

    def login_start(address):
        return client.get("/auth/platform", environ_base={"REMOTE_ADDR": address}).status_code

    assert {login_start(f"fe80::{number:x}%eth{number}") for number in range(LOGIN_STARTS)} == {302}
    assert login_start("fe80::ffff") == 429
    assert {login_start(f"::ffff:192.0.2.{number}") for number in range(LOGIN_STARTS + 1)} == {302}
    # Of a Unix socket.
    assert login_start("") == 302


def test_the_audit_trail_stores_the_parsed_address(client, run, new_player):
    stored = {
        "x" * 200: "192.0.2.1",
        f"fe80::1%{'x' * 200}": "fe80::1",
        "[2001:DB8:0::1]:443": "2001:db8::1",
        "::ffff:192.0.2.7": "192.0.2.7",
        "198.51.100.7:1234": "198.51.100.7",
    }
    for number, forwarded in enumerate(stored):
        headers = new_player(f"player-{number}").headers | {"X-Forwarded-For": forwarded}
        assert client.post("/auth/logout-all", headers=headers, **PROXY).status_code == 200

    events = [event for event in run("audit", "export")[1:] if event.get("what") == "account.logged-out"]
    assert [event["address"] for event in events] == list(stored.values())


def warnings(log_lines):
    return [line for line in log_lines() if line["logger"] == "platform.cluster"]


@pytest.mark.settings(TRUSTED_PROXIES="0")
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
