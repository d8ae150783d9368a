"""The server seed of a player's next bet: drawn, encrypted, and announced before the player bets."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from cachetools import LRUCache
from cryptography.fernet import InvalidToken

from models import seed_marks
from models.bets import Bet
from models.db.connection import reading, writing
from models.proof_queries import DueBet
from models.seed_marks import FoundSeed
from models.users import AnnouncedSeed
from services.audit_trail.events import AuditEventType
from services.audit_trail.recording import record
from services.fairness import rolls
from services.fairness.seed_witness import SeedWitness
from services.shared.clock import Millis
from services.shared.encryption import Encrypter
from services.shared.errors import Unavailable, UserNotFound

log = logging.getLogger("platform.seeds")


@dataclass(frozen=True)
class Commitment:
    """The part of a seed that is public before the bet."""

    server_seed_commitment: str
    nonce: int


@dataclass(frozen=True)
class SeedInPlay:
    """An announced seed, decrypted for the bet that is about to use it."""

    nonce: int
    commitment: str
    encrypted: str
    server_seed: str = field(repr=False)
    is_redrawn: bool = False
    """Whether it has just replaced a seed that may have been revealed."""

    @property
    def announcement(self) -> Commitment:
        return Commitment(self.commitment, self.nonce)


ATTEMPTS = 5
"""How often a lookup is tried while other processes replace the announced seed."""

REMEMBERED = 10_000
"""How many players' next seeds are kept in memory; any other is read and decrypted for the bet."""


class ServerSeeds:
    """Draws and announces server seeds. They are stored encrypted until their proofs are due."""

    def __init__(self, *, encrypter: Encrypter, witness: SeedWitness) -> None:
        self.witness = witness
        self.on_redraw: list[Callable[[int, Commitment], None]] = []
        """Called with the player's id and the new commitment after an announced seed was replaced."""
        self.encrypter = encrypter
        self._announced_here: LRUCache[int, SeedInPlay] = LRUCache(maxsize=REMEMBERED)
        self._guard = threading.Lock()

    def announce_first(self, *, user_id: int) -> None:
        """Draw the seed of a new player's first bet. Joins the transaction that makes the account."""
        seed = self.draw(nonce=1)
        AnnouncedSeed.insert(
            user=user_id,
            nonce=seed.nonce,
            server_seed_commitment=seed.commitment,
            encrypted_server_seed=seed.encrypted,
            epoch=seed_marks.current_epoch(),
        ).execute()

    def draw(self, *, nonce: int) -> SeedInPlay:
        """A new seed; the caller stores it, which announces it."""
        server_seed = rolls.draw_server_seed()
        return SeedInPlay(
            nonce=nonce,
            commitment=rolls.commitment_of(server_seed),
            encrypted=self.encrypter.encrypt(server_seed),
            server_seed=server_seed,
        )

    def remember(self, *, user_id: int, seed: SeedInPlay) -> None:
        """Keep an announced seed in memory: it saves the next bet a query and a decryption."""
        with self._guard:
            self._announced_here[user_id] = seed

    def recall(self, *, user_id: int) -> SeedInPlay | None:
        """Remove and return the remembered seed. The settlement refuses it if another process used it."""
        with self._guard:
            seed: SeedInPlay | None = self._announced_here.pop(user_id, None)
        return seed

    @reading()
    def announced(self, *, user_id: int) -> Commitment:
        """The commitment of the player's next bet. Raises UserNotFound."""
        found, _ = self._find(user_id)
        return Commitment(found.commitment, found.nonce)

    @reading()
    def in_play(self, *, user_id: int) -> SeedInPlay:
        """The seed of the player's next bet, decrypted. Raises UserNotFound."""
        found, is_redrawn = self._find(user_id)
        return SeedInPlay(
            nonce=found.nonce,
            commitment=found.commitment,
            # The bet stores this text, which must be encrypted with the current key.
            encrypted=self.encrypter.renew(found.encrypted),
            server_seed=self.encrypter.decrypt(found.encrypted),
            is_redrawn=is_redrawn,
        )

    def _find(self, user_id: int) -> tuple[FoundSeed, bool]:
        """The announced seed, and whether it had to be redrawn for this."""
        is_redrawn = False
        for _ in range(ATTEMPTS):
            known, last_nonce = self.witness.known(), self.witness.last_nonce(user_id)
            found = seed_marks.find_seed(user_id, known=known)
            if found is None:
                raise UserNotFound
            if not found.contains_known or found.nonce <= last_nonce:
                self.witness.distrust(known)
            elif found.is_current:
                return found, is_redrawn
            else:
                is_redrawn |= self._redraw(user_id, found)
        raise Unavailable

    def _redraw(self, user_id: int, found: FoundSeed) -> bool:
        """Replace an announced seed; False if a bet or another process was first."""
        seed = self.draw(nonce=found.nonce)
        with writing():
            changed = seed_marks.redraw_seed(
                user_id, found, commitment=seed.commitment, encrypted=seed.encrypted
            )
        if changed:
            for redrawn in self.on_redraw:
                redrawn(user_id, seed.announcement)
        return changed

    def redraw_all(self, *, now: Millis) -> int:
        """Have every announced seed replaced before it is used; returns how many there are.

        This takes no longer for a million players: each seed is drawn at its next use.
        """
        with writing():
            seed_marks.append(new_epoch=True)
            count = int(AnnouncedSeed.select().count())
            record(AuditEventType.SEEDS_REDRAWN, now=now, user_id=None, after={"seeds": count})
            return count

    def of_bet(self, bet: Bet | DueBet) -> str:
        """A settled bet's seed, revealed or not; empty if no key decrypts it.

        Callers must not show it before its proof is due.
        """
        if bet.server_seed is not None:
            return bet.server_seed
        if bet.encrypted_server_seed is None:
            raise ValueError("a bet has a seed, encrypted or revealed")
        try:
            return self.encrypter.decrypt(bet.encrypted_server_seed)
        except InvalidToken:
            log.error("no key decrypts the server seed of bet %s", bet.id)  # noqa: TRY400
            return ""
