"""The services that hold state or secrets, built once from the settings."""

import time
from collections.abc import Callable

from models.cases import CASE, IRL
from models.logins import LoginProvider
from services.accounts.access import Tokens
from services.accounts.avatars import Avatars
from services.accounts.login.demo import DemoLogins
from services.accounts.login.flow import Login
from services.accounts.login.game_platform import GamePlatform
from services.accounts.login.providers import Provider
from services.accounts.two_factor.service import TwoFactorAuthentication
from services.alarms.delivery import AlarmDelivery
from services.battles.ending import Ending
from services.battles.service import Battles
from services.battles.upkeep import Upkeep
from services.beacon.beacons import Beacons
from services.bets.cases import Openings
from services.bets.live_pages import LivePages
from services.bets.proofs import Proofs
from services.bets.seeds import ServerSeeds
from services.bets.settlement import BetSettler
from services.bets.terms import SpinInProgress
from services.bets.upgrader import Upgrader
from services.closing.closing import Closing
from services.closing.erasing import Erasing
from services.exports.document import Documents
from services.exports.making import ExportMaker
from services.figures.daily_figures import FiguresOfAppended, FiguresOfBattles
from services.figures.glance import Glance
from services.items.catalogue import CatalogueCache
from services.items.prices.service import PriceService
from services.log.bet_log import BetLog
from services.log.notes import LogKeys
from services.maintenance.encryption import EncryptedColumn, encrypted_columns
from services.payments.address_book import AddressBook
from services.payments.deposits import Deposits
from services.payments.hold import PayoutHold
from services.payments.inbox import WebhookInbox
from services.payments.reconciliation import Reconciliation
from services.payments.registry import Providers
from services.payments.sending import PayoutSender
from services.payments.staff_decisions import StaffDecisions
from services.payments.withdrawals import Withdrawals
from services.rewards.service import Rewards
from services.shared.background import WorkerPool
from services.shared.clock import Millis
from services.shared.encryption import Encrypter, derive_key
from services.shared.locks import PlayerLocks
from services.shared.signals import Signals
from services.shared_bets.picture import Pictures
from services.staff.account_actions import AddStaff, ChangeRole, DisableStaff, ResetStaff, ResetTwoFactor
from services.staff.accounts import StaffAccounts
from services.staff.content_actions import (
    FollowPriceSources,
    ImportCases,
    ImportIrlCases,
    ImportItems,
    RestoreCase,
    RetireCase,
    RetireIrlCase,
    RetireItem,
    SetItemPrice,
)
from services.staff.credentials import Passwords
from services.staff.demo import DemoStaff
from services.staff.enrolment import Enrolment
from services.staff.login_failures import LoginFailures
from services.staff.money_actions import (
    AdjustBalance,
    ApproveWithdrawal,
    CreditDeposit,
    GrantReward,
    RetryWebhook,
)
from services.staff.proposals import Action, Proposals
from services.staff.sign_in import SignIn
from services.wallet.prizes import Shipping
from services.witnesses.service import Witnesses
from settings import Settings


class Services:
    """What views, handlers and commands call."""

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], Millis],
        signals: Signals,
        process_id: Callable[[], int],
    ) -> None:
        """``clock`` gives Unix time in milliseconds. The others come from the cluster (server/cluster/)."""
        self.settings = settings
        self.signals = signals
        self.clock = clock
        self.tokens = Tokens(
            secret=settings.jwt_secret,
            previous_secrets=settings.previous_jwt_secrets,
            issuer=settings.base_url,
            ttl_seconds=settings.jwt_ttl_seconds,
        )
        self.beacons = Beacons(settings, clock=clock)
        self.log = BetLog(
            settings.instance_dir,
            origin=settings.log_origin,
            keys=LogKeys(settings.log_keys),
            totals=FiguresOfAppended(),
            time_of_round=self._time_of_round,
            clock=clock,
            signals=signals,
            process_id=process_id,
        )
        self.witnesses = Witnesses(settings, bet_log=self.log, clock=clock)
        self.seeds = ServerSeeds(encrypter=self._encrypter("server seeds"), bet_log=self.log, clock=clock)
        self.proofs = Proofs(seeds=self.seeds, bet_log=self.log, process_id=process_id)

        self.rewards = Rewards(settings, clock=clock)
        self.bets = BetSettler(seeds=self.seeds, bet_log=self.log, settings=settings, clock=clock)
        self.live_pages = LivePages()
        self.player_locks = PlayerLocks(SpinInProgress)
        self.catalogue = CatalogueCache(ttl_seconds=settings.catalogue_ttl_seconds, timer=time.monotonic)
        self.upgrader = Upgrader(settings=settings, catalogue=self.catalogue)
        edge = settings.upgrader_house_edge_ppm
        self.case_openings = Openings(CASE, house_edge_ppm=edge, free_openings=self.rewards.free_openings)
        self.battles = Battles(
            settings,
            openings=self.case_openings,
            beacons=self.beacons,
            encrypter=self.seeds.encrypter,
            bet_log=self.log,
            signals=signals,
            clock=clock,
        )
        self.battle_figures = FiguresOfBattles()
        self.glance = Glance()
        ending = Ending(
            encrypter=self.seeds.encrypter,
            changed=self.battles.changed,
            add_figures=self.battle_figures.add,
            clock=clock,
        )
        self.battle_ending = ending
        self.battle_upkeep = Upkeep(self.battles, ending, beacons=self.beacons, clock=clock)
        self.irl_openings = Openings(IRL, house_edge_ppm=edge)
        self.shipping = Shipping(encrypter=self._encrypter("shipping addresses"))
        self.documents = Documents(shipping=self.shipping, pseudonyms=self.log.pseudonyms, clock=clock)
        self.export_maker = ExportMaker(self.documents, proofs=self.proofs, clock=clock)
        self.prices = PriceService(
            feed_url=settings.price_feed_url,
            market_url=settings.price_market_url,
            period=Millis(settings.price_refresh_seconds * 1000),
            clock=clock,
            signals=signals,
        )

        self._add_payments()
        self.closing = Closing(battles=self.battles, deposits=self.deposits, clock=clock)
        self.alarm_delivery = AlarmDelivery(settings, clock=clock)

        self.two_factor = TwoFactorAuthentication(encrypter=self._encrypter("two-factor secrets"))
        self.platform_login = self._login(LoginProvider.PLATFORM, _game_platform(settings))
        identity = _identity_provider(settings)
        self.identity_login = self._login(LoginProvider.IDENTITY, identity) if identity else None
        self.avatars = Avatars(
            directory=settings.instance_dir / "media" / "avatars", worker_pool=WorkerPool()
        )

        self.erasing = Erasing(
            shipping=self.shipping, avatars=self.avatars, erase_after_days=settings.erase_after_days
        )

        self.bet_pictures = Pictures(WorkerPool())

        encrypter, passwords = self._encrypter("authenticators of staff"), Passwords()
        login_failures = LoginFailures(key=derive_key(settings.secret_key, "names of staff"))
        self.staff_enrolment = Enrolment(encrypter=encrypter, passwords=passwords)
        self.staff_accounts = StaffAccounts(enrolment=self.staff_enrolment, login_failures=login_failures)
        self.staff_sign_in = SignIn(encrypter=encrypter, passwords=passwords, login_failures=login_failures)
        self.proposals = Proposals(self._actions(), settings)
        self.demo_staff = (
            None
            if settings.production
            else DemoStaff(
                encrypter=self._encrypter("demo of the office"), staff_accounts=self.staff_accounts
            )
        )

    def _add_payments(self) -> None:
        """What moves money into and out of the platform."""
        settings, clock, bonuses = self.settings, self.clock, self.rewards.bonuses
        self.payment_providers = Providers(settings, clock=clock)
        self.deposits = Deposits(self.payment_providers, settings, bonuses=bonuses, clock=clock)
        self.payout_hold = hold = PayoutHold(self.log)
        self.address_book = AddressBook(self.payment_providers, settings)
        self.withdrawals = Withdrawals(
            self.payment_providers,
            settings,
            address_book=self.address_book,
            bonuses=bonuses,
            hold=hold,
            clock=clock,
        )
        self.payout_sender = PayoutSender(self.payment_providers, hold=hold, clock=clock)
        self.payment_inbox = WebhookInbox(self.payment_providers, settings, bonuses=bonuses)
        self.reconciliation = Reconciliation(self.payment_providers, self.deposits, hold=hold)
        self.staff_decisions = StaffDecisions(self.payment_providers, settings, bonuses=bonuses)

    def encrypted_columns(self) -> list[EncryptedColumn]:
        """Every column of encrypted values, with its encrypter."""
        return encrypted_columns(
            seeds=self.seeds.encrypter,
            two_factor=self.two_factor.encrypter,
            shipping=self.shipping.encrypter,
            staff=self.staff_enrolment.encrypter,
        )

    def _actions(self) -> list[Action]:
        """The actions of the back office that may need a second person."""
        settings, decisions = self.settings, self.staff_decisions
        above, base_url = settings.office_four_eyes_above_cents, settings.base_url
        return [
            AdjustBalance(approval_above_cents=above),
            GrantReward(approval_above_cents=above),
            CreditDeposit(decisions, approval_above_cents=above),
            RetryWebhook(self.payment_inbox, approval_above_cents=above),
            ApproveWithdrawal(decisions, approval_above_cents=settings.withdrawal_four_eyes_above_cents),
            ResetTwoFactor(self.two_factor),
            ImportCases(),
            ImportIrlCases(),
            ImportItems(),
            SetItemPrice(),
            FollowPriceSources(),
            RetireItem(),
            RestoreCase(),
            RetireCase(),
            RetireIrlCase(),
            AddStaff(self.staff_accounts, base_url=base_url),
            ChangeRole(self.staff_accounts, base_url=base_url),
            DisableStaff(self.staff_accounts, base_url=base_url),
            ResetStaff(self.staff_accounts, base_url=base_url),
        ]

    def _time_of_round(self, round_: int) -> int:
        # The network may be known only once a relay has described it.
        return self.beacons.chain.time_ms(round_)

    def _encrypter(self, purpose: str) -> Encrypter:
        return Encrypter(
            secret_key=self.settings.secret_key,
            previous_keys=self.settings.previous_secret_keys,
            purpose=purpose,
        )

    def _login(self, name: LoginProvider, provider: Provider) -> Login:
        return Login(
            name=name,
            provider=provider,
            encrypter=self._encrypter(f"login with {name}"),
            two_factor=self.two_factor,
            needs_code="login" in self.settings.two_factor_required_for,
        )


def _game_platform(settings: Settings) -> Provider:
    if settings.demo_logins:
        return DemoLogins(name=LoginProvider.PLATFORM, base_url=settings.base_url)
    return GamePlatform(
        openid_url=settings.platform_openid_url,
        api_url=settings.platform_api_url,
        api_key=settings.platform_api_key,
        base_url=settings.base_url,
    )


def _identity_provider(settings: Settings) -> Provider | None:
    """None if it is not configured."""
    if settings.demo_logins:
        return DemoLogins(name=LoginProvider.IDENTITY, base_url=settings.base_url)
    if not settings.identity_client_id:
        return None
    # This import is a tenth of the start time of a program without such a login.
    from services.accounts.login.identity_provider import IdentityProvider  # noqa: PLC0415

    return IdentityProvider(
        discovery_url=settings.identity_discovery_url,
        client_id=settings.identity_client_id,
        client_secret=settings.identity_client_secret,
        base_url=settings.base_url,
    )
