"""The services that hold state or secrets, built once from the settings."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from models.case_spins import CASE, IRL
from services.accounts.tokens import Tokens
from services.accounts.two_factor.authentication import TwoFactorAuthentication
from services.accounts.two_factor.login_challenges import LoginChallenges
from services.affiliates.codes import PromoCodes
from services.audit_trail.keys import AuditKeys
from services.audit_trail.recording import record_with
from services.avatars.change import Avatars
from services.fairness.seed_witness import SeedWitness
from services.fairness.server_seeds import ServerSeeds
from services.games.play import Play, PlayerLocks
from services.games.proofs import Proofs
from services.games.snapshots import Snapshots
from services.login.game_platform import GamePlatform
from services.login.login import Login, Provider
from services.openings.opening import Openings
from services.prices.service import PriceService
from services.prizes.shipping import Shipping
from services.shared.background import WorkerPool
from services.shared.clock import Millis, now_ms
from services.shared.encryption import Encrypter
from services.shared.money import Cents
from services.shared.processes import Processes
from services.shared.signals import Signals
from services.upgrader.catalogue import CatalogueCache
from services.upgrader.shared_catalogue import SharedCatalogue
from services.upgrader.spin import Upgrader, UpgraderRules
from settings import Settings


@dataclass(frozen=True, kw_only=True)
class Services:
    """What views, handlers and commands call. ``clock`` gives Unix time in milliseconds."""

    settings: Settings
    tokens: Tokens
    seeds: ServerSeeds
    two_factor: TwoFactorAuthentication
    audit_keys: AuditKeys
    avatars: Avatars
    worker_pool: WorkerPool
    catalogue: CatalogueCache
    upgrader: Upgrader
    case_openings: Openings
    irl_openings: Openings
    proofs: Proofs
    snapshots: Snapshots
    processes: Processes
    platform_login: Login
    identity_login: Login
    login_challenges: LoginChallenges
    promo_codes: PromoCodes
    shipping: Shipping
    prices: PriceService
    player_locks: PlayerLocks = field(default_factory=PlayerLocks)
    signals: Signals
    clock: Callable[[], Millis] = now_ms


def build_services(
    settings: Settings,
    *,
    signals: Signals,
    clock: Callable[[], Millis] = now_ms,
) -> Services:
    """Wire the services to each other."""

    def encrypter(purpose: str) -> Encrypter:
        return Encrypter(
            secret_key=settings.secret_key, previous_keys=settings.previous_secret_keys, purpose=purpose
        )

    audit_keys = AuditKeys(
        secret_key=settings.secret_key,
        previous_keys=settings.previous_secret_keys,
        encrypter=encrypter("audit trail keys"),
    )
    record_with(audit_keys)
    processes = Processes()
    seeds = ServerSeeds(encrypter=encrypter("server seeds"), witness=SeedWitness(settings.instance_dir))
    worker_pool = WorkerPool()
    catalogue = _catalogue(settings, signals)
    rules = UpgraderRules(
        house_edge_ppm=settings.upgrader_house_edge_ppm,
        min_wager=Cents(settings.upgrader_min_wager_cents),
        max_wager=Cents(settings.upgrader_max_wager_cents),
        proof_delay=Millis(settings.upgrader_proof_delay_ms),
    )
    snapshots = Snapshots(clock=clock)
    bets = Play(
        seeds=seeds,
        proof_delay=rules.proof_delay,
        min_cycle=Millis(settings.game_min_cycle_ms),
        session_limit=Millis(settings.session_limit_ms),
    )
    tokens = Tokens(
        secret=settings.jwt_secret,
        previous_secrets=settings.previous_jwt_secrets,
        issuer=settings.base_url,
        ttl_seconds=settings.jwt_ttl_seconds,
    )

    two_factor_encrypter = encrypter("two-factor secrets")
    login_challenges = LoginChallenges(encrypter=two_factor_encrypter, tokens=tokens)

    def login(name: str, provider: Provider | None) -> Login:
        return Login(
            name=name,
            provider=provider,
            encrypter=encrypter(f"login with {name}"),
            seeds=seeds,
            tokens=tokens,
            challenges=login_challenges if "login" in settings.two_factor_required_for else None,
        )

    return Services(
        settings=settings,
        tokens=tokens,
        seeds=seeds,
        two_factor=TwoFactorAuthentication(encrypter=two_factor_encrypter),
        audit_keys=audit_keys,
        avatars=Avatars(directory=settings.instance_dir / "media" / "avatars", worker_pool=worker_pool),
        worker_pool=worker_pool,
        catalogue=catalogue,
        upgrader=Upgrader(rules=rules, catalogue=catalogue, bets=bets),
        case_openings=Openings(
            game=CASE, bets=bets, snapshots=snapshots, free_case_limit=settings.free_case_limit
        ),
        irl_openings=Openings(game=IRL, bets=bets, snapshots=snapshots),
        proofs=Proofs(seeds=seeds, processes=processes),
        snapshots=snapshots,
        platform_login=login("platform", _game_platform(settings)),
        identity_login=login("identity", _identity_provider(settings)),
        login_challenges=login_challenges,
        promo_codes=PromoCodes(special=settings.affiliate_special_code),
        shipping=Shipping(encrypter=encrypter("shipping addresses")),
        prices=PriceService(
            feed_url=settings.price_feed_url,
            market_url=settings.price_market_url,
            period=Millis(settings.price_refresh_seconds * 1000),
            clock=clock,
            signals=signals,
        ),
        signals=signals,
        processes=processes,
        clock=clock,
    )


def _catalogue(settings: Settings, signals: Signals) -> CatalogueCache:
    ttl_seconds = settings.catalogue_ttl_seconds
    if settings.redis_url:
        return SharedCatalogue(ttl_seconds=ttl_seconds, timer=time.monotonic, signals=signals)
    return CatalogueCache(ttl_seconds=ttl_seconds, timer=time.monotonic)


def _game_platform(settings: Settings) -> GamePlatform:
    return GamePlatform(
        openid_url=settings.platform_openid_url,
        api_url=settings.platform_api_url,
        api_key=settings.platform_api_key,
        base_url=settings.base_url,
    )


def _identity_provider(settings: Settings) -> Provider | None:
    if not settings.identity_client_id:
        return None
    # This import is a tenth of the start time of a program without such a login.
    from services.login.identity_provider import IdentityProvider  # noqa: PLC0415

    return IdentityProvider(
        discovery_url=settings.identity_discovery_url,
        client_id=settings.identity_client_id,
        client_secret=settings.identity_client_secret,
        base_url=settings.base_url,
    )
