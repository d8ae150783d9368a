"""Players of an app of this process, and the items and cases that they play for."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from flask import Flask

from models.db.connection import writing
from models.users import User
from services.accounts import users
from services.cases import importing as cases_importing
from services.items import importing
from services.shared.clock import now_ms
from services.shared.money import Cents


@dataclass(frozen=True)
class Player:
    """An account, and the token that signs it in."""

    user: User
    token: str

    @property
    def id(self) -> int:
        return self.user.id

    @property
    def platform_id(self) -> str:
        return self.user.platform_id

    @property
    def username(self) -> str:
        return self.user.username

    @property
    def headers(self) -> dict[str, str]:
        return bearer(self.token)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def create_player(app: Flask, username: str = "alice", *, coins: int = 100, **details: Any) -> Player:
    """Create a player of this app, by default with 100 coins."""
    services = app.extensions["services"]
    user = users.create(username=username, balance=Cents(coins * 100), now=services.clock(), **details)
    services.seeds.announce_first(user_id=user.id)
    return signed_in(app, user)


def create_players(app: Flask, count: int, *, coins: int) -> list[Player]:
    """Create so many players in one transaction."""
    with writing():
        return [create_player(app, f"player-{number}", coins=coins) for number in range(count)]


def signed_in(app: Flask, user: User) -> Player:
    """A user of this app, with a new token."""
    services = app.extensions["services"]
    return Player(user, services.tokens.issue(user, now=services.clock()))


def import_prices(prices: Mapping[str, Any], *, now: int | None = None, **row: Any) -> None:
    """Import items by their names, with their prices in coins. ``row`` are further fields of each."""
    rows = [{"appid": 730, "marketHashName": name, "price": price} | row for name, price in prices.items()]
    importing.import_document(rows, app_id=None, now=now or now_ms())


def import_case(name: str, percentages: Mapping[str, Any], *, now: int | None = None, **row: Any) -> None:
    """Import a case of these items with their percentages."""
    items = [
        {"marketHashName": item, "percentage": Decimal(str(percentage))}
        for item, percentage in percentages.items()
    ]
    cases_importing.import_cases([{"name": name, "items": items} | row], now=now or now_ms())
