"""Compares the database with the players' records after a crash storm.

Every row in the database belongs to one act. An acknowledged act has left exactly one row, a refused act
none, and an act whose answer was lost at most one. Each check yields a line for each contradiction.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import requests
from flask import Flask

from models.announced_seeds import AnnouncedSeed
from models.battles import BattleSeat
from models.bets import Bet, Prize
from models.db.connection import reading
from models.ledger import LedgerEntry, LedgerTransaction
from models.payments import PaymentRecord
from models.rewards import Reward
from models.users import User
from tests.harness.waiting import wait_until
from tests.storms.crashes import battles
from tests.storms.crashes.memory import Act, ActKind, Memory, Outcome

BONUS = 20
POSTED = {
    "vault-lock": ActKind.LOCK,
    "vault-unlock": ActKind.UNLOCK,
    "code-bonus": ActKind.CODE,
    "affiliate-claim": ActKind.CLAIM,
}
BETS = (ActKind.SPIN, ActKind.OPENING)
RESTRICTIONS = (ActKind.LIMIT, ActKind.BREAK)
"""Leave no row of their own. They are about the bets that come later."""
WITHOUT_ROWS = (*RESTRICTIONS, ActKind.LEAVE, ActKind.BOT)
REFUSED = {"Your limit is reached": ActKind.LIMIT, "You are taking a break": ActKind.BREAK}


@dataclass
class Traces:
    """The rows of one player in the database. Keys are those of the acts."""

    bets: list[Bet]
    prizes: dict[int, Prize]
    """By bet."""
    claims: Counter[int]
    """The claimed amounts in cents."""
    keys: dict[ActKind, Counter[str]]
    next_nonce: int
    cents: int
    used_code: str | None
    seats: list[BattleSeat]
    """All that the player has taken."""


def problems(memory: Memory, url: str, *, longest_delay_ms: int | None = None) -> Iterator[str]:
    """All contradictions about one player, once their last proof is due.

    With ``longest_delay_ms``, a socket must have received every proof so soon after it was due.
    """
    traces = traces_of(memory.user_id)
    found = [
        *memory.contradictions,
        *(_late_proofs(memory, traces, longest_delay_ms) if longest_delay_ms else ()),
        *_wrong_counts(memory, traces),
        *_wrong_nonces(traces),
        *_wrong_answers(memory, traces),
        *_wrong_commitments(memory, traces),
        *_wrong_total(memory, traces, url),
        *_wrong_marks(memory, traces),
        *_exceeded_limits(memory, traces),
        *_missing_proofs(memory, traces, url),
    ]
    for what in found:
        yield f"player {memory.user_id}: {what}"


@reading()
def traces_of(user_id: int) -> Traces:
    user = User.get_by_id(user_id)
    keys: dict[ActKind, Counter[str]] = defaultdict(Counter)
    bets = list(Bet.select().where(Bet.user == user_id, Bet.nonce > 0).order_by(Bet.nonce))
    for bet in bets:
        keys[ActKind.SPIN if bet.game == "upgrader" else ActKind.OPENING][bet.client_seed] += 1
    prizes = list(Prize.select().where(Prize.user == user_id))
    keys[ActKind.SALE].update(str(prize.id) for prize in prizes if prize.status == "sold")
    keys[ActKind.DEPOSIT].update(
        payment.txhash for payment in PaymentRecord.select().where(PaymentRecord.user == user_id)
    )
    claimed = Reward.select(Reward.id).where(Reward.user == user_id, Reward.state == "claimed")
    keys[ActKind.REWARD].update(str(reward_id) for reward_id in claimed.scalars())
    seats = battles.seats_of(user_id)
    keys[ActKind.SEAT].update(seat.request_id for seat in seats)
    claims: Counter[int] = Counter()
    for kind, cents in _posted(user_id):
        names = {
            ActKind.LOCK: str(-cents),
            ActKind.UNLOCK: "unlock",
            ActKind.CODE: user.used_affiliate_code,
            ActKind.CLAIM: "claim",
        }
        keys[kind][names[kind]] += 1
        if kind is ActKind.CLAIM:
            claims[cents] += 1
    return Traces(
        bets=bets,
        prizes={prize.bet_id: prize for prize in prizes},
        claims=claims,
        keys=keys,
        next_nonce=AnnouncedSeed.get_by_id(user_id).nonce,
        cents=user.balance_cents + user.vault_cents,
        used_code=user.used_affiliate_code,
        seats=seats,
    )


def _posted(user_id: int) -> list[tuple[ActKind, int]]:
    """Kind and change of balance of the acts that leave ledger entries only."""
    query = (
        LedgerEntry.select(LedgerTransaction.kind, LedgerEntry.amount_cents)
        .join(LedgerTransaction)
        .where(
            LedgerEntry.user == user_id,
            LedgerEntry.account == "balance",
            LedgerTransaction.kind.in_(list(POSTED)),
        )
    )
    return [(POSTED[kind], cents) for kind, cents in query.tuples()]


def _wrong_counts(memory: Memory, traces: Traces) -> Iterator[str]:
    """Count the rows of each kind and key."""
    least: Counter[tuple[ActKind, str]] = Counter()
    most: Counter[tuple[ActKind, str]] = Counter()
    for act in memory.acts:
        if act.kind in WITHOUT_ROWS:
            continue
        least[act.kind, act.key] += act.outcome is Outcome.ACKNOWLEDGED
        most[act.kind, act.key] += act.outcome is not Outcome.REFUSED
    held = Counter({(kind, key): n for kind, counts in traces.keys.items() for key, n in counts.items()})
    for what in least.keys() | held.keys():
        if not least[what] <= held[what] <= most[what]:
            kind, key = what
            yield f"{kind} {key} is stored {held[what]} times, not {least[what]} to {most[what]}"
    if traces.used_code is not None and not any(_acts(memory, ActKind.CODE)):
        yield "a code was used that nobody used"


def _wrong_nonces(traces: Traces) -> Iterator[str]:
    nonces = [bet.nonce for bet in traces.bets]
    if nonces != list(range(1, traces.next_nonce)):
        yield f"{len(nonces)} bets before nonce {traces.next_nonce}: a nonce is repeated or missing"


def _wrong_answers(memory: Memory, traces: Traces) -> Iterator[str]:
    """Compare each bet with its request and its answer."""
    held = {bet.client_seed: bet for bet in traces.bets}
    for act in _acts(memory, *BETS):
        bet = held.get(act.key)
        if bet is None:
            continue
        wanted = act.request.get("item", bet.item)
        if (bet.game, bet.wager_cents, bet.item) != (act.game, act.cents, wanted):
            yield f"nonce {bet.nonce}: another game, wager or item than {act.key} asked for"
        result = {"success": bet.status == "won", "amount": bet.payout_cents / 100, "item": bet.item}
        if bet.id in traces.prizes:
            result["prizeId"] = str(traces.prizes[bet.id].id)
        if act.outcome is Outcome.ACKNOWLEDGED and act.answer["result"] != result:
            yield f"nonce {bet.nonce}: another result than {act.key} was told"
        if act.request.get("serverSeedCommitment") not in (None, bet.server_seed_commitment):
            yield f"nonce {bet.nonce}: another commitment than {act.key} was bound to"
    claimed = Counter(
        round(act.answer["amount"] * 100)
        for act in _acts(memory, ActKind.CLAIM)
        if act.outcome is Outcome.ACKNOWLEDGED
    )
    if not claimed <= traces.claims:
        yield f"{claimed} were claimed, and {traces.claims} posted"


def _wrong_commitments(memory: Memory, traces: Traces) -> Iterator[str]:
    for bet in traces.bets:
        if memory.announced.get(bet.nonce, bet.server_seed_commitment) != bet.server_seed_commitment:
            yield f"nonce {bet.nonce}: another commitment than was announced"


def _wrong_total(memory: Memory, traces: Traces, url: str) -> Iterator[str]:
    """Compare balance and vault with the sum over the player's acts that left a row."""
    paid = {bet.client_seed: bet.payout_cents for bet in traces.bets}
    values = {str(prize.id): prize.value_cents for prize in traces.prizes.values()}
    total = memory.began_with + sum(cents * times for cents, times in traces.claims.items())
    for act in memory.acts:
        if act.kind in BETS and act.key in paid:
            is_known = act.outcome is Outcome.ACKNOWLEDGED
            payout = round(act.answer["result"]["amount"] * 100) if is_known else paid[act.key]
            total += (0 if act.game == "irl" else payout) - act.cents
        elif act.kind is ActKind.SALE and traces.keys[ActKind.SALE][act.key]:
            total += values[act.key]
        elif (act.kind is ActKind.DEPOSIT and traces.keys[ActKind.DEPOSIT][act.key]) or (
            act.kind is ActKind.REWARD and traces.keys[ActKind.REWARD][act.key]
        ):
            total += act.cents
        elif act.kind is ActKind.CODE and traces.keys[ActKind.CODE][act.key]:
            total += BONUS
    total += sum(map(battles.cents_of, traces.seats))
    me = requests.get(f"{url}/auth/me", headers=memory.headers, timeout=30).json()
    shown = round((me["balance"] + me["vaultBalance"]) * 100)
    if not total == traces.cents == shown:
        yield f"has {traces.cents} cents, is shown {shown}, can account for {total}"


def _wrong_marks(memory: Memory, traces: Traces) -> Iterator[str]:
    """Proofs that are marked as delivered although no socket of the player received them."""
    for bet in traces.bets:
        if bet.proof_delivered_at_ms is not None and bet.nonce not in memory.proven:
            yield f"nonce {bet.nonce}: its proof is marked as delivered and was never received"


def _exceeded_limits(memory: Memory, traces: Traces) -> Iterator[str]:
    """Bets that were settled after a limit or a break was acknowledged, and that it forbids."""
    for act in _acts(memory, *RESTRICTIONS):
        if act.outcome is not Outcome.ACKNOWLEDGED:
            continue
        wagered = 0
        for bet in traces.bets:
            wagered += bet.wager_cents
            if bet.created_at_ms > act.answered_at_ms and (act.kind is ActKind.BREAK or wagered > act.cents):
                yield f"nonce {bet.nonce}: was settled despite a {act.kind}"
        for seat in traces.seats:
            if act.kind is ActKind.BREAK and seat.joined_at_ms > act.answered_at_ms:
                yield f"seat {seat.id}: was taken despite a {act.kind}"


def is_restricted(memory: Memory, refused: Act) -> bool:
    """Whether a bet was refused by a limit or a break that the player has asked for."""
    error = (refused.answer or {}).get("error", "")
    kinds = {kind for text, kind in REFUSED.items() if error.startswith(text)}
    return any(act.kind in kinds for act in memory.acts)


def delays_ms(memory: Memory, traces: Traces) -> dict[int, int | None]:
    """How long after it was due a socket received the proof of each nonce; None for never."""
    seen = memory.proven_at_ms
    return {
        bet.nonce: seen[bet.nonce] - bet.proof_due_at_ms if bet.nonce in seen else None for bet in traces.bets
    }


def _late_proofs(memory: Memory, traces: Traces, longest_ms: int) -> Iterator[str]:
    for nonce, delay in delays_ms(memory, traces).items():
        if delay is None:
            yield f"nonce {nonce}: no socket received its proof"
        elif delay > longest_ms:
            yield f"nonce {nonce}: its proof came {delay} ms after it was due"


def _missing_proofs(memory: Memory, traces: Traces, url: str) -> Iterator[str]:
    """Fetch the proofs that no socket has received; each seed must hash to its commitment."""
    for bet in traces.bets:
        if bet.nonce not in memory.proven:
            answer = requests.get(f"{url}/bets/{bet.id}", timeout=30)
            memory.proven[bet.nonce] = answer.json()["pf"]["serverSeed"]
        if hashlib.sha256(memory.proven[bet.nonce].encode()).hexdigest() != bet.server_seed_commitment:
            yield f"nonce {bet.nonce}: the revealed seed does not hash to the commitment"


def _acts(memory: Memory, *kinds: ActKind) -> list[Act]:
    return [act for act in memory.acts if act.kind in kinds]


def wait_until_proofs_are_due(now) -> None:
    """Return when the proof of the last bet is due."""
    with reading():
        last = Bet.select(Bet.proof_due_at_ms).order_by(Bet.proof_due_at_ms.desc()).limit(1).scalar()
    if last is not None:
        wait_until(lambda: now() > last)


def audit(app: Flask) -> tuple[list[str], dict[str, Any]]:
    """What the operator's audits print: a line for each mismatch, and the counts of those that find none."""
    problems, counts = [], {}
    for command in (["ledger", "audit"], ["log", "verify"], ["fairness", "audit"], ["audit", "verify"]):
        result = app.test_cli_runner().invoke(args=command)
        if result.exit_code:
            problems += [f"flask {' '.join(command)}: {line}" for line in result.stderr.splitlines()]
        else:
            counts |= json.loads(result.stdout)
    return problems, counts
