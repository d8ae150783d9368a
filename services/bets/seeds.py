"""The server seed of a player's next bet: drawn, encrypted, and announced before the player bets."""

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import peewee
from cachetools import LRUCache
from cryptography.fernet import InvalidToken

from models import announced_seeds
from models.announced_seeds import AnnouncedSeed, FoundSeed
from models.bets import Bet
from models.db.connection import reading, writing
from models.log import let_all_wait, let_wait, lock_log
from models.proof_queries import Proof
from services.accounts import users
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.bets import rolls
from services.log import entries
from services.log.bet_log import BetLog
from services.log.entries import Reason
from services.log.file import File
from services.log.restore import BetsPaused
from services.shared.clock import Millis
from services.shared.encryption import Encrypter
from services.shared.errors import Unavailable

logger = logging.getLogger("platform.seeds")


@dataclass(frozen=True)
class Commitment:
    """The part of a seed that is public before the bet."""

    server_seed_commitment: str
    nonce: int


@dataclass(frozen=True)
class DrawnSeed:
    """A seed that is announced, or about to be, with its secret part."""

    nonce: int
    commitment: str
    encrypted: str
    server_seed: str = field(repr=False)

    @property
    def announcement(self) -> Commitment:
        return Commitment(self.commitment, self.nonce)


SEEDS_A_STATEMENT = 1_000

ATTEMPTS = 5
"""How often a lookup is tried while other processes replace the announced seed."""

REMEMBERED = 10_000
"""How many players' next seeds are kept in memory; any other is read and decrypted for the bet."""


class ServerSeeds:
    """Draws and announces server seeds. They are stored encrypted until their proofs are due."""

    def __init__(self, *, encrypter: Encrypter, bet_log: BetLog, clock: Callable[[], Millis]) -> None:
        self.bet_log = bet_log
        self._clock = clock
        self.on_redraw: list[Callable[[int, Commitment], None]] = []
        """Called with the player's id and the new commitment after an announced seed was replaced."""
        self.encrypter = encrypter
        self._remembered: LRUCache[int, DrawnSeed] = LRUCache(maxsize=REMEMBERED)
        self._guard = threading.Lock()

    def announce_first(self, *, user_id: int) -> None:
        """Draw the seed of a player's first bet, unless there is one. ``announced`` does it for a new player.

        Raises UserNotFound.
        """
        users.get_by_id(user_id)
        self.announce_first_of_all([user_id])

    def announce_first_of_all(self, user_ids: Sequence[int]) -> None:
        """Draw the seed of the first bet of each of these players, who exist, unless there is one."""
        drawn = {user_id: self.draw(nonce=1) for user_id in user_ids}
        with writing():
            lock_log()
            for some in peewee.chunked(drawn.items(), SEEDS_A_STATEMENT):
                seeds = dict(some)
                new = announced_seeds.insert_first(
                    (user_id, seed.commitment, seed.encrypted) for user_id, seed in seeds.items()
                )
                players = self.bet_log.pseudonyms.of_users(sorted(new))
                let_all_wait(
                    self._entry(player, seeds[user_id].announcement, Reason.NEW)
                    for user_id, player in players.items()
                )

    def draw(self, *, nonce: int) -> DrawnSeed:
        """A new seed; the caller stores it, which announces it."""
        server_seed = rolls.draw_server_seed()
        return DrawnSeed(
            nonce=nonce,
            commitment=rolls.commitment_of(server_seed),
            encrypted=self.encrypter.encrypt(server_seed),
            server_seed=server_seed,
        )

    def remember_next(self, next_seed: DrawnSeed, *, user_id: int) -> None:
        """Keep the seed that a bet has announced, which saves the next bet a query and a decryption."""
        with self._guard:
            self._remembered[user_id] = next_seed

    def take_remembered(self, *, user_id: int) -> DrawnSeed | None:
        """Remove and return the remembered seed. The settlement refuses it if another process used it."""
        with self._guard:
            return self._remembered.pop(user_id, None)

    @reading()
    def announced(self, *, user_id: int) -> Commitment:
        """The commitment of the player's next bet, announced now for a new player.

        Raises UserNotFound, and BetsPaused.
        """
        found = self._find_usable(user_id)
        return Commitment(found.commitment, found.nonce)

    @reading()
    def load(self, *, user_id: int) -> DrawnSeed:
        """The seed of the player's next bet, decrypted, with its commitment in a signed checkpoint.

        Must not be called within a transaction. Raises UserNotFound, and BetsPaused.
        """
        found = self._find_usable(user_id)
        if not found.is_logged:
            self.bet_log.log_commitments()
            with writing():
                announced_seeds.mark_logged(user_id, found)
        return DrawnSeed(
            nonce=found.nonce,
            commitment=found.commitment,
            # The bet stores this text, which must be encrypted with the current key.
            encrypted=self.encrypter.renew(found.encrypted),
            server_seed=self.encrypter.decrypt(found.encrypted),
        )

    def _find_usable(self, user_id: int) -> FoundSeed:
        """The announced seed, which is redrawn if it must be."""
        for _ in range(ATTEMPTS):
            checkpoint, last_nonce = self.bet_log.checkpoint(), self.bet_log.last_nonce(user_id)
            found = announced_seeds.find_seed(user_id, size=checkpoint.size, root=checkpoint.root_hex)
            if found is None:
                self.announce_first(user_id=user_id)
            elif found.epoch is None:
                raise BetsPaused
            elif not found.has_checkpoint or found.nonce <= last_nonce:
                # The database was set back, or another machine has signed a newer checkpoint.
                self.bet_log.watch()
            elif found.is_current:
                return found
            else:
                self._redraw(user_id, found, epoch=found.epoch)
        raise Unavailable

    def _redraw(self, user_id: int, found: FoundSeed, *, epoch: int) -> None:
        """Replace an announced seed, unless a bet or another process is first."""
        seed = self.draw(nonce=found.nonce)
        with writing():
            lock_log()
            changed = announced_seeds.redraw_seed(
                user_id, found, commitment=seed.commitment, encrypted=seed.encrypted
            )
            if changed:
                player = self.bet_log.pseudonyms.of_user(user_id)
                let_wait(self._entry(player, seed.announcement, Reason.REDRAWN, redraw=epoch))
        if changed:
            for redrawn in self.on_redraw:
                redrawn(user_id, seed.announcement)

    def _entry(self, player: str, announced: Commitment, reason: Reason, *, redraw: int | None = None) -> str:
        """The entry of the log about this commitment. ``player`` is the pseudonym."""
        return entries.commitment(
            at=self._clock(),
            commitment=announced.server_seed_commitment,
            nonce=announced.nonce,
            player=player,
            reason=reason,
            redraw=redraw,
        ).decode()

    def redraw_all(self, *, now: Millis) -> int:
        """Have every announced seed replaced before it is used; returns how many there are.

        This takes no longer for a million players: each seed is drawn at its next use. Raises BetsPaused.
        """
        with reading():
            count = int(AnnouncedSeed.select().count())

        def record_redraw(_begun: File) -> None:
            record(AuditEventType.SEEDS_REDRAWN, now=now, user_id=None, after={"seeds": count})

        self.bet_log.restores.redraw(record=record_redraw)
        return count

    def of_bet(self, bet: Bet | Proof) -> str:
        """A settled bet's seed, revealed or not; empty if no key decrypts it.

        Callers must not show it before its proof is due.
        """
        if bet.server_seed:
            return bet.server_seed
        if bet.encrypted_server_seed is None:
            raise ValueError("a bet has a seed, encrypted or revealed")
        try:
            return self.encrypter.decrypt(bet.encrypted_server_seed)
        except InvalidToken:
            logger.error("no key decrypts the server seed of bet %s", bet.id)  # noqa: TRY400
            return ""
