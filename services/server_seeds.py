"""The server seed of a player's next spin: drawn, sealed and announced before the player chooses."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from cachetools import LRUCache

from models.bets import Bet
from models.database import reading
from models.proof_queries import DueBet
from models.users import AnnouncedSeed
from services import fairness
from services.errors import UserNotFound
from services.sealing import Sealer


@dataclass(frozen=True)
class Commitment:
    """What a player may know before a spin."""

    server_seed_commitment: str
    nonce: int


@dataclass(frozen=True)
class SeedInPlay:
    """An announced seed, opened: only for the spin that is about to use it."""

    nonce: int
    commitment: str
    sealed: str
    server_seed: str = field(repr=False)

    @property
    def announcement(self) -> Commitment:
        return Commitment(self.commitment, self.nonce)


REMEMBERED = 10_000
"""Of how many players the next seed is kept in memory; of any other it is read and opened for the spin."""


class ServerSeeds:
    """Draws and announces server seeds; a seed never leaves unsealed before its spin is settled."""

    def __init__(
        self,
        *,
        secret_key: str,
        previous_keys: Sequence[str] = (),
        draw: Callable[[], str] = fairness.draw_server_seed,
    ) -> None:
        self._sealer = Sealer(secret_key=secret_key, previous_keys=previous_keys, purpose="server seeds")
        self._draw = draw
        self._announced_here: LRUCache[int, SeedInPlay] = LRUCache(maxsize=REMEMBERED)
        self._guard = threading.Lock()

    def announce_first(self, *, user_id: int) -> None:
        """Draw the seed of a new player's first spin. Joins the transaction that makes the account."""
        seed = self.draw(nonce=1)
        AnnouncedSeed.insert(
            user=user_id,
            nonce=seed.nonce,
            server_seed_commitment=seed.commitment,
            sealed_server_seed=seed.sealed,
        ).execute()

    def draw(self, *, nonce: int) -> SeedInPlay:
        """A new seed, sealed; it is announced by whoever writes it down."""
        server_seed = self._draw()
        return SeedInPlay(
            nonce=nonce,
            commitment=fairness.commitment_of(server_seed),
            sealed=self._sealer.seal(server_seed),
            server_seed=server_seed,
        )

    def remember(self, *, user_id: int, seed: SeedInPlay) -> None:
        """Keep what has just been announced at hand: it saves the next spin a query, and opening the seed."""
        with self._guard:
            self._announced_here[user_id] = seed

    def recall(self, *, user_id: int) -> SeedInPlay | None:
        """What was last announced here; once. Another process may have used it: the spin's guard tells."""
        with self._guard:
            seed: SeedInPlay | None = self._announced_here.pop(user_id, None)
        return seed

    @reading()
    def announced(self, *, user_id: int) -> Commitment:
        """The commitment of the player's next spin. Raises UserNotFound."""
        seed = AnnouncedSeed.get_or_none(AnnouncedSeed.user == user_id)
        if seed is None:
            raise UserNotFound
        return Commitment(seed.server_seed_commitment, seed.nonce)

    @reading()
    def in_play(self, *, user_id: int) -> SeedInPlay:
        """The seed that the player's next spin uses, opened. Raises UserNotFound."""
        seed = AnnouncedSeed.get_or_none(AnnouncedSeed.user == user_id)
        if seed is None:
            raise UserNotFound
        return SeedInPlay(
            nonce=seed.nonce,
            commitment=seed.server_seed_commitment,
            # The bet takes this over. Renewed, so that nothing is written under a previous key any more.
            sealed=self.renew(seed.sealed_server_seed),
            server_seed=self._sealer.open(seed.sealed_server_seed),
        )

    def of_bet(self, bet: Bet | DueBet) -> str:
        """A settled bet's seed, revealed or not; callers see to it that nobody is shown it too early."""
        if bet.server_seed is not None:
            return bet.server_seed
        if bet.sealed_server_seed is None:
            raise ValueError("a bet has a seed, sealed or revealed")
        return self._sealer.open(bet.sealed_server_seed)

    def renew(self, sealed: str) -> str:
        """A sealed seed under the current key. Raises cryptography.fernet.InvalidToken."""
        return self._sealer.renew(sealed)
