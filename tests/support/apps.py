"""Apps on fresh databases, the environment that they run in, and items and cases in them."""

import base64
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from flask import Flask
from werkzeug.routing import Rule

from app import create_app
from models.db.connection import database
from models.db.postgres import Postgres
from services.cases import irl as irl_importing
from services.shared.clock import now_ms
from settings import Settings
from tests.harness.cluster import Cluster, cluster
from tests.harness.databases import PostgresServer, SqliteFiles
from tests.harness.players import import_prices
from tests.harness.redis import RedisServer
from tests.harness.servers import come_to_rest, threaded_server
from tests.harness.waiting import wait_until
from tests.support.warm_start import WarmStart

SECRET = "a secret of the tests, long enough to be one"

LOG_SIGNING_KEY = base64.b64encode(b"a key of the log of these tests!").decode()

ITEM = "AK-47 | Copper Tide (Field-Tested)"


def environment(database_url: str, directory: Path) -> dict[str, str]:
    """The environment of an app or a server process of the tests."""
    return {
        "DATABASE_URL": database_url,
        "INSTANCE_DIR": str(directory / "instance"),
        "SECRET_KEY": SECRET,
        "JWT_SECRET": SECRET[::-1],
        "LOG_SIGNING_KEY": LOG_SIGNING_KEY,
        # A token names its issuer, so server processes on other ports must go by the same address.
        "BASE_URL": "http://127.0.0.1:5000",
        "CORS_ORIGINS": "https://play.example.com",
        "UPGRADER_PROOF_DELAY": "0.2",
        # Tests send more requests than a player. Tests of the limits turn them on.
        "RATELIMIT_ENABLED": "0",
    }


@contextmanager
def fresh_app(
    databases: SqliteFiles | PostgresServer,
    directory: Path,
    *,
    clock: Callable[[], int] = now_ms,
    **changes: str,
) -> Iterator[Flask]:
    """An app on a fresh database of this kind, such as one that all tests of a module share."""
    with (
        databases.fresh(directory) as url,
        app_on(Settings.from_env(environment(url, directory) | changes), clock=clock) as app,
    ):
        yield app


@contextmanager
def app_on(settings: Settings, **times: Any) -> Iterator[Flask]:
    """An app with these settings, such as one on the database of an earlier app.

    ``times`` are the ``clock`` and the ``timer`` of ``create_app``.
    """
    with no_transactions():
        app = create_app(settings, **times)
    app.testing = True
    try:
        yield app
    finally:
        come_to_rest(app)
        database.obj.close_idle()


def hurry(app: Flask) -> None:
    """Let the repeated work of an app that does not serve yet begin again after 50 ms."""
    for task in app.extensions["realtime"].tasks:
        task.every_seconds = min(task.every_seconds, 0.05)


@contextmanager
def no_transactions() -> Iterator[None]:
    """Wait until no background task of an earlier app is in a transaction, and let none begin.

    A transaction that begins on one database and ends after another one was opened stays open for ever.
    """
    opened = database.obj
    with ExitStack() as stack:
        if isinstance(opened, Postgres):
            for _ in range(opened.pool_size):
                stack.enter_context(opened.slot())
        elif opened:
            stack.enter_context(opened.write_lock())
        yield


@contextmanager
def two_processes(
    databases: PostgresServer, directory: Path, redis: RedisServer | None = None, **changes: str
) -> Iterator[list[tuple[Flask, str]]]:
    """Two processes of the platform, here two servers of threads: their apps and addresses.

    Their catalogue has the item ``ITEM``, and with Redis their signals arrive.
    """
    if redis:
        changes["REDIS_URL"] = redis.url
    with ExitStack() as stack:
        first = stack.enter_context(fresh_app(databases, directory, **changes))
        import_item()
        settings: Settings = first.extensions["services"].settings
        with no_transactions():
            second = create_app(replace(settings, port=settings.port + 1))
        started = [(app, stack.enter_context(threaded_server(app))) for app in (first, second)]
        if redis:
            wait_until(lambda: all(app.extensions["services"].signals.state == "ok" for app, _ in started))
        yield started


@contextmanager
def production_processes(
    databases: PostgresServer,
    directory: Path,
    warm: WarmStart,
    *,
    processes: int = 2,
    target: str = "wsgi:app",
    **changes: str,
) -> Iterator[tuple[Flask, Cluster]]:
    """An app of the test's own process with the item ``ITEM``, and production processes on its database."""
    with fresh_app(databases, directory) as app:
        import_item()
        env = environment(app.extensions["services"].settings.database_url, directory) | changes
        serve = warm.server_process
        with cluster(env, directory, processes=processes, target=target, serve=serve) as started:
            yield app, started


def import_item(name: str = ITEM, *, price: Any = 10, **row: Any) -> str:
    """Import an item at this price in coins; returns its full name. The catalogue may show it later."""
    import_prices({name: price}, **row)
    return name


def import_irl_case(case_id: str, *items: dict[str, Any], price: Any) -> None:
    """Import the case "Desk" of real-life items, which are pens of one coin unless they say otherwise."""
    things = [{"name": "Pen", "image": "", "price": 1} | item for item in items or [{}]]
    irl_importing.import_cases(
        [{"id": case_id, "name": "Desk", "price": price, "items": things}], now=now_ms()
    )


def reuse_compiled_rules() -> None:
    """Let the apps that are created from now on share what werkzeug compiles of their rules.

    An app is then created in 16 ms of CPU time instead of 62.
    """
    compile_rule = Rule.compile
    compiled: dict[tuple[object, ...], Rule] = {}

    def compile_once(rule: Rule) -> None:
        # All that the compiled rule depends on.
        key = rule.rule, rule.subdomain, rule.merge_slashes, repr(rule.defaults)
        first = compiled.get(key)
        if first is None:
            compile_rule(rule)
            compiled[key] = rule
            return
        rule.arguments = first.arguments
        rule._parts, rule._trace, rule._converters = first._parts, first._trace, first._converters
        rule._build = first._build.__func__.__get__(rule)
        rule._build_unknown = first._build_unknown.__func__.__get__(rule)

    Rule.compile = compile_once
