"""The application: everything is wired here, and only here."""

import os
import sys
import time
from collections.abc import Callable

from flask import Flask

from blueprints.affiliate import routes as affiliate
from blueprints.auth import login
from blueprints.auth import routes as auth
from blueprints.cases import commands as cases_commands
from blueprints.cases import routes as cases
from blueprints.common.caching import install_response_cache
from blueprints.common.documenting import DocumentedApi
from blueprints.common.errors import register_error_handlers
from blueprints.common.logs import configure_logging, log_failures, log_requests
from blueprints.common.platform import install_platform
from blueprints.common.rate_limit import limit_requests, trust_proxies
from blueprints.common.requests import read_requests_strictly
from blueprints.common.response_headers import set_response_headers
from blueprints.common.schemas import WIRE_TYPES
from blueprints.fairness import commands as fairness_commands
from blueprints.irl import commands as irl_commands
from blueprints.irl import routes as irl
from blueprints.leaderboard import routes as leaderboard
from blueprints.ledger import commands as ledger_commands
from blueprints.notifications import commands as notifications_commands
from blueprints.payments import commands as payments_commands
from blueprints.prices import commands as prices_commands
from blueprints.prices.updates import install_prices
from blueprints.profile import avatar, two_factor
from blueprints.profile import commands as profile_commands
from blueprints.profile import routes as profile
from blueprints.realtime import events as realtime_events
from blueprints.realtime.packets import handle_packets
from blueprints.realtime.proof_delivery import install_proofs
from blueprints.realtime.server import create_realtime
from blueprints.secrets import commands as secrets_commands
from blueprints.seeds import commands as seeds_commands
from blueprints.site import routes as site
from blueprints.stats import routes as stats
from blueprints.sweepstake import routes as sweepstake
from blueprints.system import commands as system_commands
from blueprints.system import docs, media
from blueprints.system import routes as system
from blueprints.system.metrics import install_metrics
from blueprints.upgrader import commands as upgrader_commands
from blueprints.upgrader import events as upgrader_events
from blueprints.upgrader import routes as upgrader_routes
from blueprints.users import commands as users_commands
from models.database import open_database
from services import checks
from services.clock import Millis, now_ms
from services.platform import build_platform
from settings import Settings, SettingsError


def create_app(
    settings: Settings | None = None,
    *,
    clock: Callable[[], Millis] = now_ms,
    timer: Callable[[], float] = time.monotonic,
) -> Flask:
    """Build the application from settings, by default those of the environment.

    ``clock`` gives Unix time in milliseconds, ``timer`` the seconds of the rate limits. Exits with a line for
    each bad setting of the environment.
    """
    settings = settings or _settings_or_exit()
    configure_logging()
    app = Flask(__name__, static_folder=None, instance_path=str(settings.instance_dir))
    _configure(app)
    open_database(settings.database_url)
    platform = build_platform(settings, clock=clock)
    install_platform(app, platform)
    log_failures(app)
    _install_request_hooks(app, settings, timer=timer)
    install_response_cache(app)
    register_error_handlers(app)
    _register_areas(app)
    _register_commands(app)
    _start_realtime(app, settings, clock=clock, timer=timer)
    # Around the sockets, too.
    set_response_headers(app, https=settings.base_url.startswith("https:"), origins=settings.allowed_origins)
    trust_proxies(app, count=settings.trusted_proxies)
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


def _configure(app: Flask) -> None:
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.json.compact = True  # type: ignore[attr-defined]
    app.config.update(
        API_TITLE=docs.API_TITLE,
        API_VERSION="1",
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX="/",
        OPENAPI_JSON_PATH="openapi.json",
    )


def _install_request_hooks(app: Flask, settings: Settings, *, timer: Callable[[], float]) -> None:
    """What happens before each request in this order, and after each in the opposite one."""
    metrics = install_metrics(app)
    log_requests(
        app, requests=metrics.requests, seconds=metrics.seconds, trust_proxy=settings.trusted_proxies > 0
    )
    if settings.ratelimit_enabled:
        limit_requests(app, timer=timer)
    read_requests_strictly(app)


def _register_areas(app: Flask) -> None:
    api = DocumentedApi(app)
    for field, json_type in WIRE_TYPES.items():
        api.register_field(field, json_type, None)
    api.spec.components.security_scheme("bearer", {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"})
    for area in (
        system,
        auth,
        login,
        profile,
        avatar,
        two_factor,
        affiliate,
        cases,
        irl,
        upgrader_routes,
        stats,
        leaderboard,
        sweepstake,
    ):
        api.register_blueprint(area.blueprint)
    for pages in (media.blueprint, docs.docs_blueprint(), site.blueprint):
        app.register_blueprint(pages)


def _register_commands(app: Flask) -> None:
    for command in (
        system_commands.check,
        system_commands.db,
        system_commands.seed,
        system_commands.demo_page,
        users_commands.group,
        upgrader_commands.group,
        prices_commands.group,
        cases_commands.group,
        irl_commands.group,
        ledger_commands.group,
        payments_commands.group,
        notifications_commands.group,
        profile_commands.group,
        fairness_commands.group,
        secrets_commands.group,
        seeds_commands.group,
    ):
        app.cli.add_command(command)


def _start_realtime(
    app: Flask, settings: Settings, *, clock: Callable[[], Millis], timer: Callable[[], float]
) -> None:
    running = create_realtime(app, settings, timer=timer)
    handle_packets(running, settings, clock=clock, timer=timer)
    install_proofs(app, running)
    install_prices(app, running)
    realtime_events.register(app, running)
    upgrader_events.register(running.socketio)
