"""deploy/nginx.conf: what it caches, what it serves itself, and the client's address."""

import random
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from ipaddress import IPv6Address

import pytest
import requests
from PIL import Image

from bench.harness.local_app import local_app
from bench.harness.nginx import ALLOWED_ORIGIN, nginx
from bench.harness.servers import free_port
from bench.harness.sockets import Socket
from bench.harness.waiting import wait_until
from blueprints.site.routes import UNAVAILABLE_PAGE, UNAVAILABLE_POLICY
from models.db.connection import writing
from services.log import entries, logged_bets
from tests.deploy.conftest import TIMEOUT_SECONDS
from tests.support.apps import ITEM

pytestmark = pytest.mark.nginx

FRESH_SECONDS = 2
"""A change shows within this time."""
BROWSER_ACCEPTS = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.fixture(scope="module")
def players(deployed):
    return [deployed.flask("users", "create", name, "--balance", "100") for name in ("alice", "bob")]


def bearer(player):
    return f"Bearer {player['token']}"


def test_few_of_many_page_requests_reach_the_platform(deployed):
    before = deployed.reached_platform("/leaderboard")
    with ThreadPoolExecutor(10) as pool:
        statuses = set(pool.map(lambda _: deployed.get("/leaderboard").status_code, range(100)))

    assert statuses == {200}
    assert deployed.reached_platform("/leaderboard") - before < 20


def test_a_change_shows_within_two_seconds(deployed, import_irl_case):
    assert "Sofa" not in deployed.get("/irl").text
    import_irl_case("Sofa")

    threading.Event().wait(FRESH_SECONDS)

    assert "Sofa" in deployed.get("/irl").text


@pytest.mark.security("Shared caches")
def test_a_request_with_a_token_is_not_answered_from_cache(deployed, players):
    before = deployed.reached_platform("/irl")
    deployed.get("/irl")
    for _ in range(3):
        deployed.get("/irl", Authorization=bearer(players[0]))

    assert deployed.reached_platform("/irl") - before >= 3


@pytest.mark.security("Shared caches")
def test_a_response_to_a_token_is_never_stored(deployed, players):
    page = "/api/cases/pagination?search=only-with-a-token"
    deployed.get(page, Authorization=bearer(players[0]))
    before = deployed.reached_platform("/api/cases/pagination")

    deployed.get(page)

    assert deployed.reached_platform("/api/cases/pagination") == before + 1


@pytest.mark.security("Shared caches")
def test_a_players_own_page_is_shown_to_nobody_else(deployed, players):
    for path in ("/auth/me", "/profile/details", "/stats/profile"):
        one, other = (deployed.get(path, Authorization=bearer(player)) for player in players)
        stranger = deployed.get(path)

        assert one.status_code == other.status_code == 200
        assert one.headers["Cache-Control"] == other.headers["Cache-Control"] == "no-store"
        assert stranger.status_code == 401
        assert path == "/stats/profile" or one.text != other.text


def test_a_page_that_the_client_has_is_304(deployed):
    for path in ("/irl", "/upgrader/items", "/leaderboard"):
        tag = deployed.get(path).headers["ETag"]

        again = deployed.get(path, If_None_Match=tag)

        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["ETag"] == tag


@pytest.mark.security("Shared caches")
def test_only_allowed_origins_may_read_what_is_cached(deployed):
    own = deployed.get("/leaderboard", Origin=ALLOWED_ORIGIN)
    foreign = deployed.get("/leaderboard", Origin="https://evil.example")
    none = deployed.get("/leaderboard")

    assert own.headers["Access-Control-Allow-Origin"] == ALLOWED_ORIGIN
    assert "Access-Control-Allow-Origin" not in foreign.headers
    assert "Access-Control-Allow-Origin" not in none.headers
    assert all("Origin" in response.headers["Vary"] for response in (own, foreign, none))


def test_a_client_gets_an_encoding_that_it_accepts(deployed):
    encodings = {
        "gzip": "gzip",
        "identity": None,
        "br, gzip;q=0.5": "gzip",
        "gzip;q=0": None,
        "gzip; q=0.000, identity": None,
        "deflate, GZIP , br": "gzip",
    }
    for accepted, encoding in encodings.items():
        deployed.get("/upgrader/items", Accept_Encoding="gzip" if encoding is None else "identity")

        response = deployed.get("/upgrader/items", Accept_Encoding=accepted)

        assert response.headers.get("Content-Encoding") == encoding, accepted
        assert len(response.json()) == 1


def test_a_request_has_one_id_in_both_logs(deployed):
    response = deployed.get("/healthz", X_Request_Id="0" * 32)

    request_id = response.headers["X-Request-Id"]
    assert request_id != "0" * 32
    assert f'"request_id":"{request_id}"' in deployed.server.log.read_text()
    wait_until(lambda: f'"request_id": "{request_id}"' in deployed.log.read_text())


def test_the_log_of_nginx_contains_no_query_strings(deployed):
    request_id = deployed.get("/?token=secret-of-somebody").headers["X-Request-Id"]

    wait_until(lambda: request_id in deployed.log.read_text())
    assert "secret-of-somebody" not in deployed.log.read_text()


def test_errors_are_not_cached(deployed, import_irl_case):
    assert deployed.get("/irl/lamp").status_code == 404
    import_irl_case("Lamp")

    assert deployed.get("/irl/lamp").json()["name"] == "Lamp"


def test_cached_answers_do_not_count_against_rate_limits(deployed):
    with deployed.session() as session:
        statuses = {session.get(f"{deployed.url}/stats/live-bets").status_code for _ in range(350)}

    assert statuses == {200}


def test_monitoring_is_not_public(deployed):
    for path in ("/metrics", "/readyz", "//metrics", "/%6detrics", "/x/../metrics"):
        response = deployed.get(path)

        assert (response.status_code, response.json()) == (404, {"error": "Not found"}), path


def test_a_picture_comes_from_the_disk_with_the_platforms_headers(deployed, players):
    picture = BytesIO()
    Image.new("RGB", (64, 64), "teal").save(picture, "PNG")
    with deployed.session() as session:
        path = session.post(
            f"{deployed.url}/profile/avatar",
            files={"avatar": ("me.png", picture.getvalue(), "image/png")},
            headers={"Authorization": bearer(players[0])},
            timeout=TIMEOUT_SECONDS,
        ).json()["avatarUrl"]
    path = path[path.index("/media/") :]
    before = deployed.reached_platform("/media/avatars/<name>")

    through = deployed.get(path, Origin=ALLOWED_ORIGIN)

    direct = requests.get(
        deployed.server.url + path, headers={"Origin": ALLOWED_ORIGIN}, timeout=TIMEOUT_SECONDS
    )
    assert through.content == direct.content
    own = ("Content-Type", "X-Content-Type-Options", "Content-Security-Policy", "Access-Control-Allow-Origin")
    assert [through.headers[name] for name in own] == [direct.headers[name] for name in own]
    assert "immutable" in through.headers["Cache-Control"]
    assert deployed.reached_platform("/media/avatars/<name>") == before + 1


def picture_path(page):
    return re.search(r'og:image" content="[^"]+(/b/[^"]+)"', page.text)[1]


def test_the_picture_of_a_shared_bet_reaches_the_platform_once(deployed):
    player = deployed.flask("users", "create", "carol", "--balance", "100")
    playing = Socket(deployed.server.url, auth={"token": player["token"]})
    assert playing.spin({"amount": 1, "item": ITEM})["status"]
    playing.expect("upgrader:proof")
    playing.close()
    (bet,) = deployed.get("/stats/fairness", Authorization=bearer(player)).json()["data"]["items"]
    rule, path = "/b/<row_id:bet_id>-<digest>.png", picture_path(deployed.get(f"/b/{bet['id']}"))
    before = deployed.reached_platform(rule)

    first = deployed.get(path, Origin=ALLOWED_ORIGIN)
    threading.Event().wait(FRESH_SECONDS)
    again = deployed.get(path)

    assert first.content == again.content
    assert again.headers["Content-Type"] == "image/png"
    assert "immutable" in again.headers["Cache-Control"]
    assert deployed.reached_platform(rule) == before + 1
    # Whatever is not found may be there a moment later.
    for _ in range(2):
        assert deployed.get("/b/999-00ff.png").status_code == 404
    assert deployed.reached_platform(rule) == before + 3


def test_a_missing_picture_is_404_in_the_envelope(deployed):
    response = deployed.get("/media/avatars/00ff.webp")

    assert (response.status_code, response.json()) == (404, {"error": "Not found"})


def test_too_large_a_body_is_refused_in_the_envelope(deployed):
    with deployed.session() as session:
        answer = session.post(
            f"{deployed.url}/profile/avatar", data=b"x" * 4_000_000, timeout=TIMEOUT_SECONDS
        )

    assert answer.status_code == 413
    assert answer.json() == {"error": "Request entity too large"}


@pytest.fixture(scope="module")
def long_log(deployed):
    """The log has 600 entries or more."""
    with local_app(deployed.env), writing():
        for number in range(600):
            logged_bets.add(
                entries.commitment(
                    at=0, commitment="c" * 64, nonce=1, player=f"{number:032x}", reason=entries.Reason.NEW
                )
            )

    def size():
        with deployed.session() as session:
            return int(session.get(f"{deployed.url}/log/checkpoint").text.split("\n")[1])

    wait_until(lambda: size() >= 600)


@pytest.mark.usefixtures("long_log")
def test_a_full_tile_or_bundle_reaches_the_platform_once(deployed):
    for kind, rule in (
        ("0", "/log/tile/<anything:tile>"),
        ("entries", "/log/tile/entries/<anything:bundle>"),
    ):
        before = deployed.reached_platform(rule)
        path = f"/log/tile/{kind}/001"
        first = deployed.get(path, Origin="https://anywhere.example.net")
        threading.Event().wait(FRESH_SECONDS)

        others = [
            deployed.get(path),
            deployed.get(f"{path}?x=1"),
            deployed.get(path, Authorization="Bearer x"),
        ]

        assert deployed.reached_platform(rule) == before + 1
        assert {response.status_code for response in (first, *others)} == {200}
        assert {response.content for response in others} == {first.content}
        for response in (first, *others):
            assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
            assert response.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.usefixtures("long_log")
def test_the_bets_of_a_full_bundle_are_kept_when_all_are_revealed(deployed):
    before = deployed.reached_platform("/log/revealed/<number>")
    first = deployed.get("/log/revealed/1")
    threading.Event().wait(FRESH_SECONDS)

    again = deployed.get("/log/revealed/1")

    assert first.json() == again.json() == []
    assert deployed.reached_platform("/log/revealed/<number>") == before + 1


@pytest.mark.usefixtures("long_log")
def test_a_tile_that_does_not_exist_yet_is_not_kept(deployed):
    rule = "/log/tile/<anything:tile>"
    before = deployed.reached_platform(rule)

    for path in ("/log/tile/0/009", "/log/tile/0/009", "/log/tile/0/009.p/1", "/log/tile/0/009.p/1"):
        assert (deployed.get(path).status_code, deployed.get(path).json()) == (404, {"error": "Not found"})

    assert deployed.reached_platform(rule) == before + 8


@pytest.mark.usefixtures("long_log")
def test_checkpoints_and_partial_tiles_are_kept_for_a_second(deployed):
    paths = {"/log/checkpoint": "/log/checkpoint", "/log/tile/0/002.p/7": "/log/tile/<anything:tile>"}
    for path, rule in paths.items():
        before = deployed.reached_platform(rule)
        with ThreadPoolExecutor(10) as pool:
            statuses = set(pool.map(lambda _, path=path: deployed.get(path).status_code, range(100)))
        most = deployed.reached_platform(rule) - before
        threading.Event().wait(FRESH_SECONDS)
        deployed.get(path)

        assert statuses == {200}
        assert most < 20
        assert deployed.reached_platform(rule) == before + most + 1


@pytest.mark.security("Shared caches")
def test_a_players_receipts_are_not_kept(deployed, players):
    own, other = (deployed.get("/log/me", Authorization=bearer(player)) for player in players)

    assert own.status_code == other.status_code == 200
    assert own.text != other.text
    assert deployed.get("/log/me").status_code == 401
    assert deployed.get("/log/receipts/1", Authorization=bearer(players[0])).status_code == 404


@pytest.fixture
def without_platform(tmp_path):
    """Requests to nginx while the platform is away, with this header Accept."""
    with nginx(upstream_ports=[free_port()], instance_dir=tmp_path, directory=tmp_path) as (address, _):
        yield lambda path, accept="*/*": requests.get(
            address + path, headers={"Accept": accept}, timeout=TIMEOUT_SECONDS
        )


def test_an_absent_platform_is_503_in_the_envelope(without_platform):
    for path, accept in (("/auth/me", "*/*"), ("/auth/me", BROWSER_ACCEPTS), ("/", "application/json")):
        response = without_platform(path, accept)

        assert response.status_code == 503
        assert response.json() == {"error": "The service is temporarily unavailable"}
        assert int(response.headers["Retry-After"]) > 0


def test_browsers_get_a_retrying_page_while_the_platform_is_away(without_platform):
    for path in ("/", "/?token=secret", "/verify", "/docs/", "/b/18"):
        response = without_platform(path, BROWSER_ACCEPTS)

        assert response.status_code == 503
        assert response.text == UNAVAILABLE_PAGE
        assert response.headers["Content-Type"].startswith("text/html")
        assert response.headers["Content-Security-Policy"] == UNAVAILABLE_POLICY
        assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.security("Shared caches")
def test_each_client_has_limits_and_cannot_choose_its_address(deployed):
    page = f"{deployed.url}/sweepstake/calc-deposit"
    with deployed.session("127.0.0.2") as session:
        statuses = [
            session.get(page, headers={"X-Forwarded-For": f"192.0.2.{number % 250}"}).status_code
            for number in range(301)
        ]
    with deployed.session("127.0.0.3") as session:
        other = session.get(page).status_code

    assert statuses == [400] * 300 + [429]
    assert other == 400


@contextmanager
def named_server(name):
    """A server that answers each GET with this name; its port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(name)))
            self.end_headers()
            self.wfile.write(name.encode())

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join()


@pytest.fixture
def process_of(tmp_path):
    """The name of the process that nginx gives a client at this address, of two."""
    real_ip = "set_real_ip_from 127.0.0.1; real_ip_header X-Real-IP;"
    with ExitStack() as stack:
        ports = [stack.enter_context(named_server(name)) for name in ("one", "other")]
        running = nginx(upstream_ports=ports, instance_dir=tmp_path, directory=tmp_path, extra=real_ip)
        address, _ = stack.enter_context(running)
        session = stack.enter_context(requests.Session())
        yield (
            lambda client: (
                session.get(f"{address}/auth/me", headers={"X-Real-IP": client}, timeout=TIMEOUT_SECONDS).text
            )
        )


NETWORKS = [
    # Groups of zeros, which are written in several ways, and bytes such as a line feed.
    *(0x2001_0DB8_0000_0000, 0x2001_0000_0000_0DB8, 0x0000_0000_0000_0DB8, 0x0A0A_0A0A_0A0A_0A0A, 0),
    *(random.Random(1).getrandbits(64) for _ in range(30)),
]
HOSTS = [1, 0x0001_0000_0000_0000, 0x0001_0000_0000_0001, 0x0A0A_0A0A_0A0A_0A0A, 0xFFFF_FFFF_FFFF_FFFF]


@pytest.mark.security("Shared caches")
def test_all_addresses_of_an_ipv6_network_reach_one_process(process_of):
    processes = [{process_of(str(IPv6Address(net << 64 | host))) for host in HOSTS} for net in NETWORKS]

    assert [len(each) for each in processes] == [1] * len(NETWORKS)
    assert set.union(*processes) == {"one", "other"}


def test_an_ipv4_address_in_ipv6_reaches_the_same_process(process_of):
    addresses = [f"192.0.{number}.10" for number in range(30)]
    processes = [process_of(address) for address in addresses]

    assert [process_of(f"::ffff:{address}") for address in addresses] == processes
    assert set(processes) == {"one", "other"}


@pytest.mark.security("The back office")
def test_the_office_is_for_its_networks_and_its_cookie_for_https(deployed):
    with deployed.session("127.0.0.1") as colleague, deployed.session("127.0.0.9") as stranger:
        page = colleague.get(f"{deployed.url}/office/sign-in", timeout=TIMEOUT_SECONDS)
        refused = stranger.get(f"{deployed.url}/office/sign-in", timeout=TIMEOUT_SECONDS)

    assert page.status_code == 200
    assert "Secure" in page.headers["Set-Cookie"].split("; ")
    assert (refused.status_code, refused.json()) == (404, {"error": "Not found"})
