"""How a shared bet is told in words."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from services.bets.lookups import multiplier_hundredths
from services.bets.terms import ALGORITHMS
from services.shared.money import decimal_text
from services.shared_bets.shared_bet import SharedBet


class BetTexts(NamedTuple):
    """Amounts are in coins, and chances in percent."""

    action: str
    """What the player did, such as "alice opened Desert Case"."""
    title: str
    outcome: str
    summary: str
    wager: str
    payout: str
    multiplier: str
    chance: str
    """Empty for a battle, as ``place``."""
    place: str
    terms: str
    """The chance, or how a battle was played."""
    time: str
    game: str

    @classmethod
    def of(cls, found: SharedBet) -> "BetTexts":
        bet, shown = found.bet, found.shown
        name, multiplier = shown.username, decimal_text(multiplier_hundredths(bet))
        wager = decimal_text(bet.wager_cents)
        won_coins = f"Won {decimal_text(bet.payout_cents)} coins, x{multiplier}"
        if bet.battle:
            action = f"{name} played a battle, {bet.battle.teams}"
            title = f"{name} {'won' if bet.payout_cents else 'did not win'} a battle"
            outcome = won_coins if bet.payout_cents else "Lost"
        elif found.content is None:
            action = f"{name} {'upgraded' if found.is_won else 'wagered'} {wager} coins"
            title = f"{name} {'won' if found.is_won else 'did not win'} {bet.item}"
            outcome = f"Won x{multiplier}" if found.is_won else "Lost"
        else:
            action = f"{name} opened {shown.case_name or found.content.case_id}"
            title = f"{name} won {bet.item}"
            outcome = won_coins
        chance = _percent(found.range.chance) if found.range else ""
        terms = f"Chance {chance} %" if found.range else _mode(bet.battle)
        return cls(
            action=action,
            title=title,
            outcome=outcome,
            summary=f"{action}: {outcome.lower()}, {terms.lower()}. Your browser recomputes the bet.",
            wager=wager,
            payout=decimal_text(bet.payout_cents),
            multiplier=multiplier,
            chance=chance,
            place=f"{found.range.place:.5f}" if found.range else "",
            terms=terms,
            time=datetime.fromtimestamp(bet.proof_due_at_ms / 1000, UTC).strftime("%d %B %Y, %H:%M UTC"),
            game=f"{ALGORITHMS[bet.algorithm]} (algorithm {bet.algorithm})",
        )


def _mode(battle: Any) -> str:
    flags = [name for name in ("crazy", "terminal") if getattr(battle, f"is_{name}")]
    return ", ".join([f"Mode {battle.mode}", *flags])


def _percent(value: float) -> str:
    """At most five decimals, as rolls have."""
    return f"{value:.5f}".rstrip("0").rstrip(".")
