"""Real openings of cases with a chosen winner, settled as fast as the database allows."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count

from models.bets import Bet
from models.case_spins import CASE, IRL
from models.cases import Case
from models.db.connection import reading
from models.irl_cases import IrlCase
from models.settling_statement import Outcome
from services.cases.chances import attos_from_percent
from services.fairness import tickets
from services.games.play import LOST, WON, BetRequest, Expectation, Play, PlayedBet
from services.games.snapshots import Content, content_of
from services.openings.contents import expectation_of
from services.shared.money import Cents

FREE_CASE = "free-case"
FREE_CASE_LIMIT = 1_000

CHEST = (("Dust", 1, 90), ("Crown", 40, 10))
"""Items of a case, the rarest last: name, price in coins, percentage."""


def chest(case_id="chest", *, price=5, items: Sequence[tuple] = CHEST) -> Content:
    """The content of a case; prices in coins."""
    ordered = sorted(items, key=lambda item: item[2])
    return content_of(
        case_id=case_id,
        price_cents=Cents(int(Decimal(price) * 100)),
        items=[
            (name, Cents(int(Decimal(str(coins)) * 100)), attos_from_percent(Decimal(str(percent))))
            for name, coins, percent in ordered
        ],
    )


@dataclass(frozen=True, kw_only=True)
class _Terms:
    content: Content
    game: str
    snapshot_id: int
    case_id: int
    client_seed: str

    def outcome(self, *, server_seed: str, client_seed: str, nonce: int) -> Outcome:
        ticket = tickets.ticket(game=self.game, server_seed=server_seed, client_seed=client_seed, nonce=nonce)
        won = self.content.winner(ticket)
        is_free = self.game == CASE and self.content.case_id == FREE_CASE
        wager = 0 if is_free else self.content.price_cents
        return Outcome(
            game=self.game,
            algorithm=f"{self.game}-1",
            wager_cents=wager,
            payout_cents=won.price_cents,
            status=WON if won.price_cents > wager else LOST,
            item=won.name,
            snapshot_id=self.snapshot_id,
            ticket=ticket,
            case_id=self.case_id,
            free_case_limit=FREE_CASE_LIMIT if is_free else None,
            prize_image="/media/prize.webp" if self.game == IRL else None,
        )

    def expectation(self) -> Expectation | None:
        return expectation_of(self.content)

    def longest_wait_ms(self) -> None:
        pass


class _Request(BetRequest):
    def content(self) -> list[object]:
        return []


class Openings:
    """Opens cases that need not exist. A case that exists is counted as opened."""

    def __init__(self, app) -> None:
        self._services = app.extensions["services"]
        self._play = Play(
            seeds=self._services.seeds, proof_delay=self._services.settings.upgrader_proof_delay_ms
        )

    def open(self, player, content: Content | None = None, *, game=CASE, wins="Dust") -> PlayedBet:
        """Open a case with this content and win the item of this name. The free case needs a promo code."""
        content = content or chest()
        terms = _Terms(
            content=content,
            game=game,
            snapshot_id=self._services.snapshots.id_for_bet(content),
            case_id=_row_id(game, content.case_id),
            client_seed=self._client_seed(player, content, game, wins),
        )
        return self._play.play(
            user_id=player.id, request=_Request(), check=lambda: terms, clock=self._services.clock
        )

    def bet(self, player, content: Content | None = None, **options) -> Bet:
        """The same; returns the bet alone."""
        return self.open(player, content, **options).bet

    def _client_seed(self, player, content: Content, game: str, wins: str) -> str:
        seed = self._services.seeds.in_play(user_id=player.id)
        return next(
            candidate
            for candidate in map("seed-{}".format, count())
            if content.winner(
                tickets.ticket(
                    game=game, server_seed=seed.server_seed, client_seed=candidate, nonce=seed.nonce
                )
            ).name
            == wins
        )


@reading()
def _row_id(game: str, case_id: str) -> int:
    table = Case if game == CASE else IrlCase
    return table.select(table.id).where(table.slug == case_id).scalar() or 0
