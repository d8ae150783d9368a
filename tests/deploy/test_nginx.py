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

from blueprints.site.routes import UNAVAILABLE_PAGE, UNAVAILABLE_POLICY
from models.db.connection import writing
from models.log import let_wait
from services.log import entries
from tests.deploy.conftest import TIMEOUT_SECONDS
from tests.harness.local_app import local_app
from tests.harness.proxies import ALLOWED_ORIGIN, nginx
from tests.harness.servers import free_port
from tests.harness.waiting import wait_until

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


@pytest.mark.thorough
def test_a_change_shows_within_two_seconds(deployed, import_irl_case):
    assert "Sofa" not in deployed.get("/irl").text
    import_irl_case("Sofa")

    threading.Event().wait(FRESH_SECONDS)

    assert "Sofa" in deployed.get("/irl").text


@pytest.mark.thorough
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
    for path in ("/auth/me", "/profile/details", "/stats/profile", "/log/me"):
        one, other = (deployed.get(path, Authorization=bearer(player)) for player in players)
        stranger = deployed.get(path)

        assert one.status_code == other.status_code == 200
        assert one.headers["Cache-Control"] == other.headers["Cache-Control"] == "no-store"
        assert stranger.status_code == 401
        assert path == "/stats/profile" or one.text != other.text


@pytest.mark.security("Shared caches")
def test_only_allowed_origins_may_read_what_is_cached(deployed):
    own = deployed.get("/leaderboard", Origin=ALLOWED_ORIGIN)
    foreign = deployed.get("/leaderboard", Origin="https://evil.example")
    none = deployed.get("/leaderboard")

    assert own.headers["Access-Control-Allow-Origin"] == ALLOWED_ORIGIN
    assert "Access-Control-Allow-Origin" not in foreign.headers
    assert "Access-Control-Allow-Origin" not in none.headers
    assert all("Origin" in response.headers["Vary"] for response in (own, foreign, none))


@pytest.mark.thorough
def test_the_log_of_nginx_has_the_id_of_a_request_and_no_query_strings(deployed):
    request_id = deployed.get("/?token=secret-of-somebody").headers["X-Request-Id"]

    wait_until(lambda: request_id in deployed.log.read_text())
    assert "secret-of-somebody" not in deployed.log.read_text()
    assert f'"request_id":"{request_id}"' in deployed.server.log.read_text()


@pytest.mark.thorough
def test_errors_are_not_cached(deployed, import_irl_case):
    assert deployed.get("/irl/lamp").status_code == 404
    import_irl_case("Lamp")

    assert deployed.get("/irl/lamp").json()["name"] == "Lamp"


def test_monitoring_is_not_public(deployed):
    for path in ("/metrics", "/readyz", "//metrics", "/%6detrics", "/x/../metrics"):
        response = deployed.get(path)

        assert (response.status_code, response.json()) == (404, {"error": "Not found"}), path


@pytest.mark.thorough
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


@pytest.fixture(scope="module")
def long_log(deployed):
    """The log has 600 entries or more."""
    with local_app(deployed.env), writing():
        for number in range(600):
            player, reason = f"{number:032x}", entries.Reason.NEW
            entry = entries.commitment(at=0, commitment="c" * 64, nonce=1, player=player, reason=reason)
            let_wait(entry.decode())

    def size():
        with deployed.session() as session:
            return int(session.get(f"{deployed.url}/log/checkpoint").text.split("\n")[1])

    wait_until(lambda: size() >= 600)


@pytest.mark.thorough
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


@pytest.fixture
def without_platform(tmp_path):
    """Requests to nginx while the platform is away, with this header Accept."""
    with nginx(upstream_ports=[free_port()], instance_dir=tmp_path, directory=tmp_path) as (address, _):
        yield lambda path, accept="*/*": requests.get(
            address + path, headers={"Accept": accept}, timeout=TIMEOUT_SECONDS
        )


@pytest.mark.thorough
def test_an_absent_platform_is_503_in_the_envelope_and_a_page_in_browsers(without_platform):
    for path, accept in (("/auth/me", "*/*"), ("/auth/me", BROWSER_ACCEPTS), ("/", "application/json")):
        response = without_platform(path, accept)

        assert response.status_code == 503
        assert response.json() == {"error": "The service is temporarily unavailable"}
        assert int(response.headers["Retry-After"]) > 0
    for path in ("/", "/?token=secret", "/verify", "/docs/", "/b/18"):
        response = without_platform(path, BROWSER_ACCEPTS)

        assert (response.status_code, response.text) == (503, UNAVAILABLE_PAGE)
        assert response.headers["Content-Type"].startswith("text/html")
        assert response.headers["Content-Security-Policy"] == UNAVAILABLE_POLICY
        assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.thorough
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


@pytest.mark.thorough
@pytest.mark.security("Shared caches")
def test_all_addresses_of_an_ipv6_network_reach_one_process(process_of):
    processes = [{process_of(str(IPv6Address(net << 64 | host))) for host in HOSTS} for net in NETWORKS]

    assert [len(each) for each in processes] == [1] * len(NETWORKS)
    assert set.union(*processes) == {"one", "other"}


@pytest.mark.security("The back office")
def test_the_office_is_for_its_networks_and_its_cookie_for_https(deployed):
    with deployed.session("127.0.0.1") as colleague, deployed.session("127.0.0.9") as stranger:
        page = colleague.get(f"{deployed.url}/office/sign-in", timeout=TIMEOUT_SECONDS)
        refused = stranger.get(f"{deployed.url}/office/sign-in", timeout=TIMEOUT_SECONDS)

    assert page.status_code == 200
    assert "Secure" in page.headers["Set-Cookie"].split("; ")
    assert (refused.status_code, refused.json()) == (404, {"error": "Not found"})
