"""The cases of a battle: what they are when it is created, and whether they are still offered."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from models.battles import BattleCase
from services.accounts import users
from services.battles.queries import content_of
from services.battles.rules import Rules
from services.bets.cases import LevelTooLow, OpenableCase, Openings
from services.bets.rolls import PPM, TICKET_RANGE
from services.bets.snapshots import Content, SnapshotNotFound
from services.shared.errors import CaseNotAvailable, CaseNotFound
from services.shared.levels import level_of
from services.shared.money import Cents


class Offer(NamedTuple):
    """A case as it was read, and how often a seat opens it in a row."""

    case: OpenableCase
    times: int

    @property
    def content(self) -> Content:
        return self.case.available


def read(openings: Openings, wanted: Iterable[tuple[str, int]]) -> list[Offer]:
    """These cases as they are now. Raises CaseNotFound, and CaseNotAvailable also for the free case."""
    offers = [Offer(openings.recent(slug), count) for slug, count in wanted]
    if any(offer.case.is_free_case or offer.case.available.price_cents == 0 for offer in offers):
        raise CaseNotAvailable
    return offers


def cost_of(offers: Iterable[Offer]) -> Cents:
    """What a seat costs, in cents."""
    return Cents(sum(offer.content.price_cents * offer.times for offer in offers))


def most_of_pot(offers: Iterable[Offer], rules: Rules) -> int:
    """The most that the items of all seats can be worth, in cents."""
    dearest = (
        max(item.price_cents for item in offer.content.items if item.width) * offer.times for offer in offers
    )
    return sum(dearest) * len(rules.team_of_seats)


def house_edge_ppm(offers: Sequence[Offer]) -> int:
    """What the house keeps of a seat's cost on average, rounded down. Every mode pays the same on average."""
    whole = cost_of(offers) * TICKET_RANGE
    value = sum(offer.case.value * offer.times for offer in offers)
    return max(whole - value, 0) * PPM // whole


def required_level(openings: Openings, slugs: Iterable[str]) -> int:
    """The level that a player needs for all of these cases. One that is gone needs none."""
    return max((_required_level(openings, slug) for slug in slugs), default=0)


def check_level(required: int, *, user_id: int) -> None:
    """Raises LevelTooLow if the player has a lower level."""
    if required and level_of(users.get_by_id(user_id)) < required:
        raise LevelTooLow


def _required_level(openings: Openings, slug: str) -> int:
    try:
        return openings.recent(slug).required_level
    except CaseNotFound:
        return 0


def are_offered(openings: Openings, cases: Iterable[BattleCase]) -> bool:
    """Whether these cases can be opened now, with the items and chances that the battle has.

    Other prices do not matter: the battle keeps those of its snapshots.
    """
    return all(_is_offered(openings, case) for case in cases)


def _is_offered(openings: Openings, case: BattleCase) -> bool:
    try:
        return _chances(openings.recent(case.slug).available) == _chances(content_of(case.snapshot_hash))
    except (CaseNotFound, CaseNotAvailable, SnapshotNotFound):
        # The content of a battle is forgotten some time after the hour in which it can begin.
        return False


def _chances(content: Content) -> dict[str, int]:
    return {item.name: item.width for item in content.items}
