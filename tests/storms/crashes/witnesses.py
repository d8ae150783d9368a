"""Three witnesses of the log during a storm, of which one at a time is away, hangs or is killed.

Two are enough for the server. The program of verify/ is the judge: it cosigns only what continues what it has
cosigned before.
"""

import base64
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import requests

from models import witnesses as table
from models.db.connection import reading
from services.log import sequencer
from services.log.notes import Checkpoint
from services.witnesses.client import OTHER_TREE
from services.witnesses.keys import WitnessKey
from tests.harness.waiting import wait_until
from tests.harness.witnesses import WitnessProcess, setting_of, three_witnesses

ORIGIN = "127.0.0.1:5000/log"
SEED = b"the key of the log in storms ..."
QUORUM = 2
TROUBLE_SECONDS = (1.0, 6.0)
REST_SECONDS = 90
"""A lease lasts for 15 seconds after a kill, and a witness that failed is asked again after a minute."""


class StormWitnesses:
    """The witnesses, and their troubles."""

    def __init__(self, running: list[WitnessProcess], *, seed: str) -> None:
        self._running = running
        self._keys = [WitnessKey.parse(each.key) for each in running]
        self._random = Random(f"{seed}/witnesses")
        self._ended = threading.Event()
        self._seen = 0
        self.counts: Counter[str] = Counter()

    @property
    def settings(self) -> dict[str, str]:
        """The settings of servers whose log they follow."""
        return {
            "LOG_ORIGIN": ORIGIN,
            "LOG_SIGNING_KEY": base64.b64encode(SEED).decode(),
            "LOG_WITNESSES": setting_of(self._running),
            "LOG_QUORUM": str(QUORUM),
        }

    @property
    def monitor_options(self) -> list[str]:
        """The options of a monitor that relies on them, and asks each of them as well."""
        keys = [part for each in self._running for part in ("--witness", f"{each.key} {each.url}")]
        return [*keys, "--quorum", str(QUORUM)]

    def run(self) -> None:
        """One trouble after the other, until ``stop``."""
        while not self._ended.wait(self._random.uniform(*TROUBLE_SECONDS)):
            witness = self._random.choice(self._running)
            trouble = self._random.choice((self._kill, self._pause))
            trouble(witness)

    def stop(self) -> None:
        """End all troubles; no other begins."""
        self._ended.set()

    def _kill(self, witness: WitnessProcess) -> None:
        self.counts["witnesses killed"] += 1
        witness.kill()
        self._ended.wait(self._random.uniform(*TROUBLE_SECONDS))
        witness.start()

    def _pause(self, witness: WitnessProcess) -> None:
        self.counts["witnesses that hung"] += 1
        with witness.paused():
            self._ended.wait(self._random.uniform(*TROUBLE_SECONDS))

    def problems(self) -> Iterator[str]:
        """After a kill: what a witness has cosigned is in the log, and none has seen two histories."""
        for key, state in table.states([key.text for key in self._keys]).items():
            name = WitnessKey.parse(key).name
            if state.problem and (state.problem == OTHER_TREE or "has cosigned" in state.problem):
                yield f"the witness {name}: {state.problem}"
        for witness in self._running:
            note = witness.stored_note(ORIGIN)
            if note is not None and not _is_in_log(_checkpoint(note)):
                yield f"{witness.name} has cosigned a checkpoint that is not in the log"
        newest = table.newest_witnessed(ORIGIN, up_to=2**62)
        if newest is not None:
            if newest.size < self._seen:
                yield f"the witnessed checkpoint went back from {self._seen} to {newest.size} entries"
            self.counts["moves of the witnessed checkpoint"] += newest.size > self._seen
            self._seen = newest.size

    def last_problems(self, url: str) -> Iterator[str]:
        """At the end, when all is well again: all of them have cosigned the whole log."""
        try:
            wait_until(lambda: self._is_cosigned(url), seconds=REST_SECONDS, step_seconds=0.5)
        except TimeoutError:
            states = table.states([key.text for key in self._keys])
            said = [f"{WitnessKey.parse(key).name}: {state.problem}" for key, state in states.items()]
            yield f"the newest checkpoint is cosigned by {self._cosigned_by(url)} only; {said}"
        yield from self.problems()
        if not self.counts["moves of the witnessed checkpoint"]:
            yield "the witnessed checkpoint has never moved"

    def _is_cosigned(self, url: str) -> bool:
        return self._cosigned_by(url) == {key.name for key in self._keys}

    def _cosigned_by(self, url: str) -> set[str]:
        """Whose valid cosignatures the newest witnessed checkpoint has, if it is the newest of all."""
        witnessed, newest = (
            requests.get(f"{url}/log/{name}", timeout=30).text for name in ("witnessed", "checkpoint")
        )
        if witnessed.partition("\n\n")[0] != newest.partition("\n\n")[0]:
            return set()
        checkpoint, lines = _checkpoint(witnessed), witnessed.partition("\n\n")[2].splitlines()
        return {
            key.name for key in self._keys if any(key.time_of(line, checkpoint) is not None for line in lines)
        }


@reading()
def _is_in_log(checkpoint: Checkpoint) -> bool:
    return sequencer.has_tree(sequencer.stored_log(), checkpoint)


def _checkpoint(note: str) -> Checkpoint:
    return Checkpoint.parse(note.partition("\n\n")[0] + "\n")


@contextmanager
def storm_witnesses(seed: str, directory: Path) -> Iterator[StormWitnesses]:
    """Run witnesses for the block."""
    with three_witnesses(directory, origin=ORIGIN, log_seed=SEED) as running:
        storm = StormWitnesses(running, seed=seed)
        thread = threading.Thread(target=storm.run, daemon=True)
        thread.start()
        try:
            yield storm
        finally:
            storm.stop()
            thread.join(30)
