"""Creates the application and connects its parts."""

import os
import sys
import time
from collections.abc import Callable
from typing import Any

from flask import Flask

from blueprints import API_BLUEPRINTS, COMMANDS, PAGE_BLUEPRINTS
from blueprints.api.caching import ResponseCache
from blueprints.api.cli import OperatorGroup
from blueprints.api.errors import register_error_handlers
from blueprints.api.openapi import API_TITLE, DocumentedApi
from blueprints.office.installation import install_office
from models.db.connection import open_database
from server.addresses import read_client_addresses
from server.cluster.cluster import Cluster
from server.http.json_responses import JsonProvider
from server.http.rate_limit import limit_requests
from server.http.request_log import log_failures, log_requests
from server.http.response_headers import set_response_headers
from server.http.strict_requests import read_requests_strictly
from server.logs import configure_logging
from server.metrics import Metrics
from server.rate_limiter import NewRateLimiter
from server.realtime.packets import handle_packets
from server.realtime.realtime import Realtime
from services.container import Services
from services.maintenance import checks
from services.shared.clock import Millis
from settings import VERSION, Settings, SettingsError
from sockets.wiring import wire
from tasks.gauges import add_gauges
from tasks.table import repeated_tasks


class SyncFlask(Flask):
    """Flask without coroutines: looking for one in each hook of a request takes 5% of a cached response."""

    json_provider_class = JsonProvider

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func


def create_app(
    settings: Settings | None = None,
    *,
    clock: Callable[[], Millis] | None = None,
    timer: Callable[[], float] = time.monotonic,
) -> Flask:
    """Build the application from settings, by default those of the environment.

    ``clock`` gives Unix time in milliseconds: by default as the database has it.
    ``timer`` gives the seconds of the rate limits. Exits with a line for each bad setting of the environment,
    and for a database that must not be opened.
    """
    settings = settings or _settings_or_exit()
    configure_logging(settings.log_level)
    app = SyncFlask(__name__, static_folder=None, instance_path=str(settings.instance_dir))
    _configure(app)
    open_database(settings.database_url, pool_size=settings.database_pool_size)
    if problem := checks.foreign_wal_problem(settings):
        sys.exit(problem)
    cluster = app.extensions["cluster"] = Cluster(settings, clock=clock, timer=timer)
    app.extensions["services"] = _services(settings, cluster)
    log_failures(app)
    _install_request_hooks(app, settings, cluster.new_rate_limiter)
    app.extensions["response_cache"] = ResponseCache(clock=cluster.clock)
    register_error_handlers(app)
    _register_blueprints(app)
    if settings.office_enabled:
        install_office(app, settings)
    app.cli = OperatorGroup(app.name)
    for command in COMMANDS:
        app.cli.add_command(command)
    _start_realtime(app, settings, cluster)
    # These wrap the socket server too.
    set_response_headers(app, https=settings.base_url.startswith("https:"), origins=settings.allowed_origins)
    read_client_addresses(
        app, proxies=settings.trusted_proxies, on_untrusted=cluster.processes.note_untrusted_proxies
    )
    return app


def _settings_or_exit() -> Settings:
    try:
        return Settings.from_env(os.environ)
    except SettingsError as error:
        problems = error.problems
        bad_settings = {problem.split(":")[0] for problem in problems}
        if "check" in sys.argv and not bad_settings & {"DATABASE_URL", "INSTANCE_DIR"}:
            # `flask check` reports everything at once.
            open_database(error.settings.database_url)
            problems = problems + checks.problems(error.settings)
        sys.exit("\n".join(problems))


def _services(settings: Settings, cluster: Cluster) -> Services:
    return Services(
        settings,
        clock=cluster.clock,
        signals=cluster.signals,
        process_id=lambda: cluster.processes.id,
    )


def _configure(app: Flask) -> None:
    app.config.update(
        API_TITLE=API_TITLE,
        API_VERSION=VERSION,
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX="/",
    )


def _install_request_hooks(app: Flask, settings: Settings, new_rate_limiter: NewRateLimiter) -> None:
    """Install the hooks, which run in this order before a request, and in reverse order after it."""
    metrics = app.extensions["metrics"] = Metrics()
    log_requests(app, metrics, trust_proxy=settings.trusted_proxies > 0)
    if settings.ratelimit_enabled:
        limit_requests(app, new_rate_limiter)
    read_requests_strictly(app)


def _register_blueprints(app: Flask) -> None:
    api = DocumentedApi(app)
    for area in API_BLUEPRINTS:
        api.register_blueprint(area)
    for pages in PAGE_BLUEPRINTS:
        app.register_blueprint(pages)


def _start_realtime(app: Flask, settings: Settings, cluster: Cluster) -> None:
    realtime = app.extensions["realtime"] = Realtime(app, settings, clock=cluster.clock)
    handle_packets(realtime, settings, cluster.new_rate_limiter)
    wire(app, realtime, cluster)
    realtime.tasks += repeated_tasks(app)
    add_gauges(app)
    cluster.count(app.extensions["metrics"].registry)
