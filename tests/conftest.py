"""Fixtures: an app on each database, its clients, and players made for a test."""

import faulthandler
import io
import json
import logging
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from _pytest.faulthandler import fault_handler_stderr_fd_key
from flask import Flask
from flask.testing import FlaskClient
from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings

from app import create_app
from models.db.connection import database, writing
from models.users import User
from server.logs import JsonLines
from settings import Settings
from tests.harness.databases import SqliteFiles, postgres_url
from tests.harness.players import Player, create_player
from tests.harness.redis import RedisServer, redis_server
from tests.harness.servers import come_to_rest, threaded_server
from tests.harness.sockets import Socket
from tests.support import effort as efforts
from tests.support import markers
from tests.support.apps import environment, import_item, no_transactions, reuse_compiled_rules
from tests.support.processes import Processes, client_of, skip_unless_several_can_serve
from tests.support.reused_databases import ReusedDatabases, reused_databases
from tests.support.sample_data import SamplePlayer, add_sample_data
from tests.support.statements import recorded_statements
from tests.support.two_factor import Authenticator
from tests.support.warm_start import WarmStart
from tests.support.warm_start import warm_start as start_warmly

POSTGRES_URL = pytest.StashKey[str]()

reuse_compiled_rules()

# On a busy machine any example may be slow.
hypothesis_settings.register_profile(
    "busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
hypothesis_settings.load_profile("busy machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    markers.add_options(parser)
    efforts.add_options(parser)


def pytest_configure(config: pytest.Config) -> None:
    markers.register(config)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    markers.report_missing_programs(terminalreporter)
    efforts.print_figures(terminalreporter)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    markers.mark_and_deselect(config, items)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    markers.choose_databases(metafunc)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    with markers.only_marked_tests_start_processes(item):
        return (yield)


@pytest.hookimpl(trylast=True)
def pytest_exception_interact(node: pytest.Item | pytest.Collector) -> None:
    """Limit the time of a failed test's teardown too: pytest lifts the limit of pyproject.toml."""
    if isinstance(node, pytest.Item):
        file = node.config.stash[fault_handler_stderr_fd_key]
        seconds = float(node.config.getini("faulthandler_timeout"))
        faulthandler.dump_traceback_later(seconds, file=file, exit=True)


@pytest.fixture(scope="session")
def sqlite_files(tmp_path_factory: pytest.TempPathFactory) -> SqliteFiles:
    return SqliteFiles(tmp_path_factory.mktemp("sqlite"))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes(config: pytest.Config) -> None:
    """Start one PostgreSQL server for all workers."""
    if "postgresql" in markers.databases(config):
        stack = ExitStack()
        config.stash[POSTGRES_URL] = stack.enter_context(postgres_url())
        config.add_cleanup(stack.close)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    node.workerinput["postgres_url"] = node.config.stash.get(POSTGRES_URL, None)


@pytest.fixture(scope="session")
def postgres(pytestconfig: pytest.Config) -> Iterator[ReusedDatabases]:
    shared_url = getattr(pytestconfig, "workerinput", {}).get("postgres_url")
    with reused_databases(shared_url) as server:
        yield server


@pytest.fixture(scope="session")
def redis() -> Iterator[RedisServer]:
    """A Redis server that all tests share. Its tests carry the marker ``redis``."""
    with redis_server() as server:
        yield server


@pytest.fixture(scope="session")
def warm_start() -> Iterator[WarmStart]:
    """Starts gunicorn processes quickly."""
    with start_warmly() as warm:
        yield warm


@pytest.fixture(scope="session")
def process_count(pytestconfig: pytest.Config) -> int:
    """How many processes serve the app of a test: 1 is the process of the test itself."""
    return int(pytestconfig.getoption("--processes"))


@pytest.fixture(scope="session")
def effort(pytestconfig: pytest.Config) -> int:
    """How many times as many cases a test tries that generates them."""
    return int(pytestconfig.getoption("--effort"))


@pytest.fixture(scope="session")
def seed(pytestconfig: pytest.Config) -> str:
    """Begins the seeds of random cases."""
    return str(pytestconfig.getoption("--seed"))


@pytest.fixture(scope="session")
def note_figure(pytestconfig: pytest.Config) -> Callable[[str], None]:
    """Lets the report end with a line about what a test has found."""
    return pytestconfig.stash.setdefault(efforts.FIGURES, []).append


@pytest.fixture
def database_kind() -> str:
    """``sqlite`` or ``postgresql``: see the markers of the test."""
    return "sqlite"


@pytest.fixture
def database_url(
    request: pytest.FixtureRequest, database_kind: str, process_count: int, tmp_path: Path
) -> Iterator[str]:
    """A fresh database of this kind. Several processes need PostgreSQL."""
    kind = "sqlite_files" if database_kind == "sqlite" and process_count == 1 else "postgres"
    with request.getfixturevalue(kind).fresh(tmp_path) as url:
        yield url


@pytest.fixture
def env(
    request: pytest.FixtureRequest, database_url: str, process_count: int, tmp_path: Path
) -> dict[str, str]:
    """The environment of a test's app or server process."""
    env = environment(database_url, tmp_path)
    if process_count > 1 and database_url.startswith("postgresql"):
        redis: RedisServer = request.getfixturevalue("redis")
        with redis.client() as client:
            client.flushall()
        # Small pools, so that a test may start several apps.
        env |= {"REDIS_URL": redis.url, "PROCESSES": str(process_count), "DATABASE_POOL_SIZE": "8"}
    return env


@pytest.fixture
def make_app(
    request: pytest.FixtureRequest, env: dict[str, str], tmp_path: Path
) -> Iterator[Callable[..., Flask]]:
    """Builds the app with other settings than the usual ones of a test."""
    built: list[Flask] = []

    def make(
        *, clock: Callable[[], int] | None = None, timer: Callable[[], float] = time.monotonic, **changes: str
    ) -> Flask:
        own_time = (clock, timer) != (None, time.monotonic)
        own_env = env | changes
        if own_time and "REDIS_URL" not in changes:
            # Other processes would go by another clock.
            own_env.pop("REDIS_URL", None)
        with no_transactions():
            app = create_app(Settings.from_env(own_env), clock=clock, timer=timer)
        app.testing = True
        built.append(app)
        if int(own_env.get("PROCESSES", "1")) > 1 and not own_time:
            serve_with_processes(app, own_env)
        return app

    def serve_with_processes(app: Flask, env: dict[str, str]) -> None:
        skip_unless_several_can_serve(request)
        serving = Processes(request.getfixturevalue("warm_start"), env, tmp_path)
        app.extensions["processes"] = serving
        app.test_client_class = client_of(serving)
        request.addfinalizer(serving.close)

    yield make
    for app in built:
        come_to_rest(app)
    if env["DATABASE_URL"].startswith("sqlite"):
        database.obj.close_idle()


@pytest.fixture
def clock() -> Callable[[], int] | None:
    """The app's clock, for tests that move it; the machine's by default."""
    return None


@pytest.fixture
def settings() -> dict[str, Any]:
    """Settings of the app that need other fixtures. Others come from the marker ``settings``."""
    return {}


@pytest.fixture
def app(
    request: pytest.FixtureRequest,
    make_app: Callable[..., Flask],
    clock: Callable[[], int] | None,
    settings: dict[str, Any],
) -> Flask:
    for mark in reversed(list(request.node.iter_markers("settings"))):
        settings = settings | mark.kwargs
    return make_app(clock=clock, **settings)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def send(client: FlaskClient) -> Callable[..., tuple[int, Any]]:
    """Sends a request as a player; status and body. ``options`` are those of the test client."""

    def send_as(
        player: Player, method: str, path: str, body: object = None, **options: Any
    ) -> tuple[int, Any]:
        if body is not None:
            options["json"] = body
        headers = player.headers | options.pop("headers", {})
        answer = client.open(path, method=method, headers=headers, **options)
        return answer.status_code, answer.json

    return send_as


@pytest.fixture
def new_player(app: Flask) -> Callable[..., Player]:
    """Creates a player of this app, by default with 100 coins."""
    return partial(create_player, app)


@pytest.fixture
def player(new_player: Callable[..., Player]) -> Player:
    return new_player()


@pytest.fixture
def change_player(player: Player) -> Callable[..., None]:
    """Writes columns of the player's row."""

    def change(**columns: object) -> None:
        with writing():
            User.update(columns).where(User.id == player.id).execute()

    return change


@pytest.fixture
def me(client: FlaskClient, request: pytest.FixtureRequest) -> Callable[..., dict[str, Any]]:
    """Returns the user object of the player, or of another one."""

    def user(by: Player | None = None) -> dict[str, Any]:
        by = by or request.getfixturevalue("player")
        shown: dict[str, Any] = client.get("/auth/me", headers=by.headers).json
        return shown

    return user


@pytest.fixture
def balance(me: Callable[..., dict[str, Any]]) -> Callable[..., float]:
    """Returns the balance in coins of the player, or of another one."""
    return lambda by=None: me(by)["balance"]


@pytest.fixture
def authenticator(app: Flask, player: Player) -> Authenticator:
    """The player's, who has turned on two-factor authentication."""
    return Authenticator(app, player)


@pytest.fixture
def sample_player(app: Flask) -> SamplePlayer:
    """The player of a platform with data of every kind."""
    return add_sample_data(app)


@pytest.fixture
def add_item(app: Flask) -> Callable[..., str]:
    """Puts an item into the catalogue, before it is first looked at; returns its full name."""
    return import_item


@pytest.fixture
def server(app: Flask, process_count: int) -> Iterator[str]:
    """The app on a real port; the address. With several processes that of the first one."""
    if "processes" in app.extensions:
        yield app.extensions["processes"].running.urls[0]
        return
    if process_count > 1:
        pytest.skip("has a clock of its own, which several processes can't share")
    with threaded_server(app) as url:
        yield url


@pytest.fixture
def open_socket() -> Iterator[Callable[..., Socket]]:
    """Opens sockets of a player or a spectator to an address; they are closed with the test."""
    with ExitStack() as stack:

        def open_one(url: str, player: Player | None = None, **options: Any) -> Socket:
            options.setdefault("auth", {"token": player.token} if player else None)
            socket = Socket(url, **options)
            stack.callback(socket.close)
            return socket

        yield open_one


@pytest.fixture
def connect(app: Flask, server: str, open_socket: Callable[..., Socket]) -> Callable[..., Socket]:
    """Opens sockets to the app, with several processes to each in turn."""

    def connect(player: Player | None = None, **options: Any) -> Socket:
        url = app.extensions["processes"].running.url if "processes" in app.extensions else server
        return open_socket(url, player, **options)

    return connect


@pytest.fixture
def run(app: Flask) -> Callable[..., Any]:
    """Runs an operator's command that must succeed; the JSON it printed, a list if there are more lines."""

    def run_command(*arguments: str) -> Any:
        result = app.test_cli_runner().invoke(args=list(arguments))
        assert result.exit_code == 0, result.output
        # Not splitlines(), which also splits at characters that JSON may contain.
        lines = [json.loads(line) for line in result.stdout.split("\n") if line]
        return lines[0] if len(lines) == 1 else lines

    return run_command


@pytest.fixture
def fails(app: Flask) -> Callable[..., str]:
    """Runs an operator's command that must fail; what it said on standard error."""

    def run_command(*arguments: str) -> str:
        result = app.test_cli_runner().invoke(args=list(arguments))
        assert result.exit_code == 1, result.output
        return result.stderr.strip()

    return run_command


@pytest.fixture
def queries() -> Iterator[list[tuple[str, object]]]:
    """The statements sent to the database so far, with their parameters; not those of background tasks."""
    with recorded_statements() as seen:
        yield seen


@pytest.fixture
def log_text(app: Flask) -> Iterator[Callable[[], str]]:  # building the app sets up logging
    """Gives all that this test has logged so far, as on standard error."""
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    handler.setFormatter(JsonLines())
    logging.getLogger().addHandler(handler)
    yield written.getvalue
    logging.getLogger().removeHandler(handler)


@pytest.fixture
def log_lines(log_text: Callable[[], str]) -> Callable[[], list[dict[str, Any]]]:
    """Gives the lines logged so far."""
    return lambda: [json.loads(line) for line in log_text().splitlines()]
