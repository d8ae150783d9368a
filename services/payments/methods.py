"""The payment methods of PAYMENT_METHODS, and the providers behind them."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cachetools import TTLCache, cachedmethod

from services.payments.errors import UnknownMethod
from services.payments.provider import NotAllowed, Provider, ProviderError
from services.payments.providers.btcpay import BtcPay
from services.payments.providers.demo import Demo
from services.shared.clock import Millis
from services.shared.locks import BuildCondition
from services.shared.money import Cents
from settings import Settings

log = logging.getLogger("platform.payments")

LOOK_SECONDS = 3.0
"""How long the list of methods waits for a provider."""

LOOK_AGAIN_SECONDS = 30.0
"""How long the answer holds."""


@dataclass(frozen=True, kw_only=True)
class Method:
    """A payment method of one direction, with the bounds of an amount."""

    id: str
    name: str
    min_cents: Cents
    max_cents: Cents
    address_hint: str = ""


@dataclass(frozen=True)
class Methods:
    """The methods that can be used now."""

    deposits: Sequence[Method]
    withdrawals: Sequence[Method]


class PaymentMethods:
    """The methods and their providers. A provider that does not answer is left out of the list."""

    def __init__(self, settings: Settings, *, clock: Callable[[], Millis]) -> None:
        self.providers: dict[str, Provider] = {
            name: _provider(name, settings, clock) for name in settings.payment_methods
        }
        self._first_wait = settings.payments_poll_ms
        self._bounds: dict[str, Any] = {
            "min_cents": Cents(settings.payments_min_cents),
            "max_cents": Cents(settings.payments_max_cents),
        }
        self._states: TTLCache[Any, Any] = TTLCache(
            len(self.providers) + 1, LOOK_AGAIN_SECONDS, time.monotonic
        )
        self._building = BuildCondition()

    def available(self) -> Methods:
        """The methods of the providers that answer now, and are set up well."""
        deposits, withdrawals = [], []
        for provider in self.providers.values():
            problems = self._problems(provider.name)
            if problems is None:
                continue
            deposits.append(Method(id=provider.name, name=provider.title, **self._bounds))
            if not problems:
                withdrawals += [
                    Method(id=method.id, name=method.name, address_hint=method.address_hint, **self._bounds)
                    for method in provider.payout_methods
                ]
        return Methods(deposits, withdrawals)

    def for_deposits(self, method: str) -> Provider:
        """The provider of a method for deposits. Raises UnknownMethod."""
        if provider := self.providers.get(method):
            return provider
        raise UnknownMethod

    def for_withdrawals(self, method: str) -> Provider:
        """The provider of a method for withdrawals. Raises UnknownMethod."""
        for provider in self.providers.values():
            if method in [each.id for each in provider.payout_methods]:
                return provider
        raise UnknownMethod

    def first_wait(self, provider: str) -> int:
        """The shortest pause between two questions to a provider, in ms: PAYMENTS_POLL_SECONDS."""
        return min(self._first_wait, self.longest_wait(provider))

    def longest_wait(self, provider: str) -> int:
        """The longest pause, in ms, also of one that is not set up any more."""
        found = self.providers.get(provider)
        return Provider.longest_wait_ms if found is None else found.longest_wait_ms

    def problems(self) -> tuple[list[str], list[str], list[str]]:
        """One line each: what is wrong, what can't be looked at now, and what the versions lack."""
        wrong, away, notes = [], [], []
        for provider in self.providers.values():
            try:
                wrong += provider.problems(seconds=LOOK_SECONDS)
                too_old, lacking = provider.about_version(seconds=LOOK_SECONDS)
                wrong += too_old
                notes += lacking
            except NotAllowed as error:
                wrong.append(f"payment provider {provider.name}: {error}")
            except ProviderError as error:
                away.append(f"payment provider {provider.name}: {error}")
        return wrong, away, notes

    @cachedmethod(
        lambda self: self._states, key=lambda _self, name: name, condition=lambda self: self._building
    )
    def _problems(self, name: str) -> list[str] | None:
        """The problems of a provider; None while it does not answer."""
        try:
            problems = self.providers[name].problems(seconds=LOOK_SECONDS)
        except ProviderError as error:
            log.warning("payment provider away: %s", error, extra={"provider": name})
            return None
        for problem in problems:
            log.error("withdrawals are not possible: %s", problem, extra={"provider": name})
        return problems


def _provider(name: str, settings: Settings, clock: Callable[[], Millis]) -> Provider:
    if name == "demo":
        return Demo(base_url=settings.base_url, clock=clock)
    return BtcPay(
        url=settings.btcpay_url,
        store=settings.btcpay_store,
        api_key=settings.btcpay_api_key,
        webhook_secret=settings.btcpay_webhook_secret,
        payout_methods=settings.btcpay_payout_methods,
        pull_payment=settings.btcpay_pull_payment,
        redirect_url=settings.frontend_url,
    )
