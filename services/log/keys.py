"""The keys of the log: the current one signs everything, and an announced next one signs checkpoints too."""

from collections.abc import Sequence
from functools import lru_cache

from services.log.checkpoints import Checkpoint
from services.log.notes import BadNote, SigningKey, VerifierKey, open_note, sign


class LogKeys:
    """Signs and opens notes under the name of an origin."""

    def __init__(self, seeds: Sequence[bytes]) -> None:
        """``seeds`` are Ed25519 seeds of 32 bytes: the current one, and the next one if there is one."""
        self._seeds = tuple(seeds)
        self._named = lru_cache(maxsize=8)(
            lambda name: [SigningKey(name=name, seed=seed) for seed in self._seeds]
        )

    def verifier_keys(self, name: str) -> list[str]:
        """The public keys of this name as texts, the current one first."""
        return [key.verifier_key for key in self._named(name)]

    def sign_checkpoint(self, checkpoint: Checkpoint) -> str:
        """The note of a checkpoint, signed by all keys."""
        return sign(checkpoint.text, self._named(checkpoint.origin))

    def sign(self, text: str, *, name: str) -> str:
        """The note of a text, signed by the current key."""
        return sign(text, self._named(name)[:1])

    def open_checkpoint(self, note: str) -> Checkpoint:
        """The checkpoint in a note that one of the keys has signed. Raises BadNote."""
        origin, _, _ = note.partition("\n")
        verifiers = [VerifierKey.parse(text) for text in self.verifier_keys(origin)]
        checkpoint = Checkpoint.parse(open_note(note, verifiers))
        if checkpoint.origin != origin:
            raise BadNote("the checkpoint is of another log")
        return checkpoint
