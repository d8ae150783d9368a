"""Settles a bet of any game: its seeds, its outcome, and the first answer to a repeated request."""

from dataclasses import dataclass

import peewee

from models.bet_settlement import BET_FIELDS, Settlement
from models.bets import Bet, Prize
from models.db.connection import UNAVAILABLE, reading
from models.db.new_connections import RolledBack
from models.figures import LIVE_BET_SHARDS
from models.users import Balances
from services.accounts import access, users
from services.bets import writing
from services.bets.seeds import Commitment, SeedInPlay, ServerSeeds
from services.bets.terms import (
    CommitmentMismatch,
    Expectation,
    Game,
    Request,
    RequestIdReused,
    SeedUsed,
    Terms,
    TermsExpired,
)
from services.bets.writing import Clock, Written
from services.ledger.posting import LedgerKind
from services.log import entries
from services.log.entries import LoggedBet
from services.shared.errors import Refusal
from services.shared.signals import Tag, invalidate
from settings import Settings

ATTEMPTS = 3
"""How often a bet is tried on new terms when the last were too old; and on the same terms with the remembered
seed, with the announced one, and again after a redraw."""

SLOW_SETTLEMENT_MS = 250
"""After a settlement that took longer, the due time of the proof is postponed."""

ENTRY_VALUES = {"snapshot": "snapshot_hash", "next_commitment": "next_commitment_bytes"}
"""The values of a settlement whose columns have other names in an entry."""


@dataclass(frozen=True, kw_only=True)
class SettledBet:
    """A settled bet. The first answer to a repeated request id has ``bet`` and ``prize_id`` only.

    ``prize_id`` is None for a bet that does not win a prize. ``is_late``: the settlement was slow, and the
    proof is due later than the database says until ``proof_queries.postpone`` has written it.
    """

    bet: Bet
    expectation: Expectation | None = None
    prize_id: int | None = None
    following: Commitment | None = None
    balances: Balances | None = None
    is_late: bool = False
    written: Settlement | None = None
    """What was written for the bet."""


class BetSettler:
    """Settles the bets of all games."""

    def __init__(self, *, seeds: ServerSeeds, settings: Settings) -> None:
        self._seeds = seeds
        self._settings = settings

    def settle(self, game: Game[Request], request: Request, *, clock: Clock) -> SettledBet:
        """Take the wager, decide the outcome, and credit the payout.

        The caller holds the player's lock. ``clock`` is read when the bet is settled. Raises the refusals of
        the game's ``terms``, then those of the player's account and limits, then CommitmentMismatch, and
        FreeCaseNotAvailable or InsufficientBalance last; a refused bet changes nothing. Raises TermsExpired,
        without a change, if the database is so slow that no attempt is settled in time. A repeated request id
        returns the first bet again, whatever has changed since.
        """
        try:
            for _ in range(ATTEMPTS - 1):
                try:
                    return self._settle(game, request, clock)
                except TermsExpired:
                    # They may have been read slowly, and would be too old in the next attempt as well.
                    game.forget_terms()
            return self._settle(game, request, clock)
        except (Refusal, TermsExpired, peewee.IntegrityError):
            # A lookup before the bet would cost every bet a query, and miss concurrent ones.
            if request.request_id is not None and (earlier := _answered(game, request)):
                return earlier
            raise

    def _settle(self, game: Game[Request], request: Request, clock: Clock) -> SettledBet:
        terms = game.terms(request)
        expected = request.server_seed_commitment
        seed = self._seeds.recall(user_id=request.user_id)
        for _ in range(ATTEMPTS):
            if seed is None or expected not in (None, seed.commitment):
                seed = self._seeds.in_play(user_id=request.user_id)
            following = self._seeds.draw(nonce=seed.nonce + 1)
            bet = self._decided(game, request, terms, seed, following)
            if expected not in (None, seed.commitment):
                self._check_player(bet, clock)
                raise CommitmentMismatch
            try:
                return self._settled(bet, terms, following, clock)
            except SeedUsed:
                # By another process, or it must be redrawn: the announced seed is read again.
                seed = None
        raise SeedUsed

    def _decided(
        self, game: Game[Request], request: Request, terms: Terms, seed: SeedInPlay, following: SeedInPlay
    ) -> Settlement:
        """The bet, decided with this seed, and the seed that is announced next."""
        client_seed = str(request.client_seed or users.get_by_id(request.user_id).client_seed)
        outcome = terms.outcome(server_seed=seed.server_seed, client_seed=client_seed, nonce=seed.nonce)
        checkpoint = self._seeds.log.checkpoint()
        return Settlement(
            **vars(outcome),
            user_id=request.user_id,
            token_number=request.token_number,
            nonce=seed.nonce,
            server_seed_commitment=seed.commitment,
            encrypted_server_seed=seed.encrypted,
            client_seed=client_seed,
            next_commitment=following.commitment,
            next_encrypted_server_seed=following.encrypted,
            next_commitment_bytes=bytes.fromhex(following.commitment),
            checkpoint_size=checkpoint.size,
            checkpoint_root=checkpoint.root_hex,
            request_id=request.request_id,
            request_digest=request.digest(game.name) if request.request_id is not None else None,
            shard=request.user_id % LIVE_BET_SHARDS,
            ledger_kind=LedgerKind.SPIN if outcome.case_id is None else LedgerKind.OPENING,
            min_cycle_ms=self._settings.game_min_cycle_ms,
            longest_play_ms=self._settings.longest_play_ms,
        )

    @reading()
    def _check_player(self, bet: Settlement, clock: Clock) -> None:
        """Raise what the settlement would raise because of the player's account, breaks and limits.

        For a bet whose commitment is wrong: these reasons come before that one in the documented order.
        """
        writing.set_times(bet, clock(), self._settings.upgrader_proof_delay_ms)
        if refusal := writing.refusal_of_player(vars(bet)):
            raise refusal

    def _settled(self, bet: Settlement, terms: Terms, following: SeedInPlay, clock: Clock) -> SettledBet:
        """Write the bet, all or nothing. Raises SeedUsed if another bet has used its seed."""
        written = self._write(bet, clock)
        self._seeds.used(user_id=bet.user_id, following=following)
        invalidate(Tag.BETS)
        stored = {field.name: getattr(bet, field.column_name) for field in BET_FIELDS}
        # The settlement may have waited for a row lock or the network, and the player for the answer.
        now = clock()
        is_late = now - bet.created_at_ms > SLOW_SETTLEMENT_MS
        if is_late:
            stored["completed_at_ms"] = now + self._settings.upgrader_proof_delay_ms
        return SettledBet(
            bet=Bet.of_row({"id": written.bet_id, **stored}),
            expectation=terms.expectation(),
            prize_id=written.prize_id,
            is_late=is_late,
            following=following.announcement,
            balances=written.balances,
            written=bet,
        )

    def _write(self, bet: Settlement, clock: Clock) -> Written:
        delay = self._settings.upgrader_proof_delay_ms
        try:
            try:
                return writing.write(bet, clock=clock, proof_delay_ms=delay)
            except RolledBack:
                # Nothing is written, and the seed is still the player's.
                return writing.write(bet, clock=clock, proof_delay_ms=delay)
        except UNAVAILABLE:
            # The bet may be settled although the database's answer was lost.
            invalidate(Tag.BETS)
            raise

    def receipt(self, played: SettledBet) -> str:
        """The signed promise that the bet is in the public log within ten seconds."""
        bet_log, bet = self._seeds.log, played.written
        if bet is None:
            user_id: int = played.bet.user_id  # type: ignore[attr-defined]  # made by peewee
            return bet_log.receipt_of_bet(user_id=user_id, nonce=played.bet.nonce)
        logged = LoggedBet._make(getattr(bet, ENTRY_VALUES.get(name, name)) for name in LoggedBet._fields)
        entry = entries.bet(logged, player=bet_log.pseudonyms.of_user(bet.user_id))
        return bet_log.receipt(entry)


@reading()
def _answered(game: Game[Request], request: Request) -> SettledBet | None:
    """The bet that this request id belongs to.

    Raises Unauthorized if the token was revoked, RequestIdReused if it was another request.
    """
    access.check_token_number(users.get_by_id(request.user_id), request.token_number)
    bet = Bet.get_or_none(Bet.user == request.user_id, Bet.request_id == request.request_id)
    if bet is None:
        return None
    if bet.request_digest != request.digest(game.name):
        raise RequestIdReused
    return SettledBet(bet=bet, prize_id=Prize.select(Prize.id).where(Prize.bet == bet).scalar())
