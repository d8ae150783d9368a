"""The payment providers of PAYMENT_METHODS, and the methods that players can use."""

import logging
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from cachetools import TTLCache, cachedmethod

from services.payments.errors import AmountOutsideLimits, UnknownMethod
from services.payments.provider import NotAllowed, Provider, ProviderError
from services.payments.providers.btcpay import BtcPay
from services.payments.providers.demo import Demo
from services.shared.clock import Millis
from services.shared.locks import BuildCondition
from services.shared.money import Cents
from settings import Settings

log = logging.getLogger("platform.payments")

LOOK_AGAIN_SECONDS = 30.0
"""How long an answer about a provider's problems holds."""


class Providers:
    """The providers by their names, and their methods."""

    def __init__(self, settings: Settings, *, clock: Callable[[], Millis]) -> None:
        self.by_name: dict[str, Provider] = {
            name: _provider(name, settings, clock) for name in settings.payment_methods
        }
        self._first_wait = settings.payments_poll_ms
        self._bounds = {
            "min_cents": settings.payments_min_cents,
            "max_cents": settings.payments_max_cents,
        }
        self._states: TTLCache[Any, Any] = TTLCache(len(self.by_name) + 1, LOOK_AGAIN_SECONDS, time.monotonic)
        self._building = BuildCondition()

    def available_methods(self) -> dict[str, list[dict[str, Any]]]:
        """The methods for ``deposits`` and ``withdrawals`` of the providers that answer now.

        A deposit's method is the provider. Methods for withdrawals are left out if they are set up wrongly.
        Each has an id, a name, ``min_cents`` and ``max_cents``, and for withdrawals an ``address_hint``.
        """
        deposits, withdrawals = [], []
        for provider in self.by_name.values():
            problems = self._problems(provider.name)
            if problems is not None:
                deposits.append({"id": provider.name, "name": provider.title, **self._bounds})
            if problems == []:
                withdrawals += [asdict(method) | self._bounds for method in provider.payout_methods]
        return {"deposits": deposits, "withdrawals": withdrawals}

    def for_deposit(self, method: str, amount: Cents) -> Provider:
        """The provider of a deposit by this method. Raises UnknownMethod, AmountOutsideLimits."""
        provider = self.by_name.get(method)
        if provider is None:
            raise UnknownMethod
        self._check_amount(amount)
        return provider

    def for_withdrawal(self, method: str, amount: Cents) -> Provider:
        """The provider of a withdrawal by this method. Raises UnknownMethod, AmountOutsideLimits."""
        provider = self.of_payout_method(method)
        self._check_amount(amount)
        return provider

    def of_payout_method(self, method: str) -> Provider:
        """The provider that pays withdrawals by this method. Raises UnknownMethod."""
        for provider in self.by_name.values():
            if method in [each.id for each in provider.payout_methods]:
                return provider
        raise UnknownMethod

    def _check_amount(self, amount: Cents) -> None:
        if not self._bounds["min_cents"] <= amount <= self._bounds["max_cents"]:
            raise AmountOutsideLimits

    def first_wait(self, provider: str) -> int:
        """The shortest pause between two questions to a provider, in ms: PAYMENTS_POLL_SECONDS."""
        return min(self._first_wait, self.longest_wait(provider))

    def longest_wait(self, provider: str) -> int:
        """The longest pause, in ms, also of a provider that is not set up any more."""
        return self.by_name.get(provider, Provider).longest_wait_ms

    def problems(self) -> tuple[list[str], list[str], list[str]]:
        """One line each: what is wrong, what can't be looked at now, and what the versions lack."""
        wrong, away, notes = [], [], []
        for provider in self.by_name.values():
            try:
                wrong += provider.problems()
                too_old, lacking = provider.about_version()
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
            problems = self.by_name[name].problems()
        except ProviderError as error:
            log.warning("payment provider away: %s", error, extra={"provider": name})
            return None
        for problem in problems:
            log.error("withdrawals are not possible: %s", problem, extra={"provider": name})
        return problems


def _provider(name: str, settings: Settings, clock: Callable[[], Millis]) -> Provider:
    if name == "demo":
        return Demo(base_url=settings.base_url, clock=clock)
    return BtcPay(settings)
