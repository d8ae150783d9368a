"""The server seed of a player's next spin: drawn, sealed and announced before the player chooses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from models.bets import Bet
from models.database import reading
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
    """The announced seed, opened: only for the spin that is about to use it."""

    nonce: int
    commitment: str
    sealed: str
    server_seed: str = field(repr=False)


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

    def announce_first(self, *, user_id: int) -> None:
        """Draw the seed of a new player's first spin. Joins the transaction that makes the account."""
        commitment, sealed = self._fresh()
        AnnouncedSeed.insert(
            user=user_id, nonce=1, server_seed_commitment=commitment, sealed_server_seed=sealed
        ).execute()

    def replace(self, *, user_id: int, used_nonce: int) -> Commitment | None:
        """Put a new seed in place of the one that a spin uses. Joins the spin's transaction.

        One guarded update: of two spins with the same nonce, in whatever process, the second finds
        its nonce gone and gets None; it must give up.
        """
        commitment, sealed = self._fresh()
        replaced = (
            AnnouncedSeed.update(
                nonce=AnnouncedSeed.nonce + 1, server_seed_commitment=commitment, sealed_server_seed=sealed
            )
            .where(AnnouncedSeed.user == user_id, AnnouncedSeed.nonce == used_nonce)
            .execute()
        )
        return Commitment(commitment, used_nonce + 1) if replaced else None

    @reading()
    def announced(self, *, user_id: int) -> Commitment:
        """The commitment of the player's next spin. Raises UserNotFound."""
        seed = AnnouncedSeed.get_or_none(AnnouncedSeed.user == user_id)
        if seed is None:
            raise UserNotFound
        return Commitment(seed.server_seed_commitment, seed.nonce)

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

    def of_bet(self, bet: Bet) -> str:
        """A settled bet's seed, revealed or not; callers see to it that nobody is shown it too early."""
        if bet.server_seed is not None:
            return bet.server_seed
        if bet.sealed_server_seed is None:
            raise ValueError("a bet has a seed, sealed or revealed")
        return self._sealer.open(bet.sealed_server_seed)

    def renew(self, sealed: str) -> str:
        """A sealed seed under the current key. Raises cryptography.fernet.InvalidToken."""
        return self._sealer.renew(sealed)

    def _fresh(self) -> tuple[str, str]:
        server_seed = self._draw()
        return fairness.commitment_of(server_seed), self._sealer.seal(server_seed)
