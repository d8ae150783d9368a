"""Witnesses for tests: the program of verify/, as a thread, and mishaps of real witnesses."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Any

from verify import witness as program
from verify.witness import ED25519, LogKey, Refused, Signer, Witness, parse_note

THREE = ("w1.example", "w2.example", "w3.example")

Mishap = Callable[[Callable[[], str]], str]
"""Answers a submission: it may call what the witness does, and raise ``Refused``."""


class RunningWitness:
    """A witness with its address. ``mishaps`` happen to the next submissions, one each."""

    def __init__(self, signer: Signer, directory: Path) -> None:
        self.signer = signer
        self.key = signer.verifier_key
        self.url = ""
        self.logs: list[LogKey] = []
        self.mishaps: list[Mishap] = []
        self.asked: list[bytes] = []
        self._witness = Witness(signer, self.logs, directory)
        self.newest_note = self._witness.newest_note

    def add_checkpoint(self, body: bytes) -> str:
        self.asked.append(body)
        if self.mishaps:
            return self.mishaps.pop(0)(lambda: self._witness.add_checkpoint(body))
        return self._witness.add_checkpoint(body)


@contextmanager
def running_witness(
    directory: Path, name: str = "w1.example", type_: int = ED25519
) -> Iterator[RunningWitness]:
    """A witness that serves until the end of the block. It knows no log yet."""
    directory.mkdir()
    found = RunningWitness(Signer(name, type_, name.encode().ljust(32, b".")[:32]), directory)

    class Handler(program.Handler):
        witness = found  # type: ignore[assignment]  # it answers the same

    server = program.Server(("127.0.0.1", 0), Handler)
    found.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def lose_answer(answer: Callable[[], str]) -> str:
    """The witness signs, and its answer is lost."""
    answer()
    raise Refused(HTTPStatus.BAD_GATEWAY, "lost")


def say(status: int, text: str = "") -> Mishap:
    """The witness does nothing but answer with this."""

    def refuse(_: Callable[[], str]) -> str:
        raise Refused(HTTPStatus(status), text)

    return refuse


def instead(text: str) -> Mishap:
    """The witness signs, and answers something else."""

    def change(answer: Callable[[], str]) -> str:
        answer()
        return text

    return change


def names_below(note: str) -> list[str]:
    """Whose signatures a note has."""
    return [name for _, name, _ in parse_note(note)[1]]


def size_of(note: str) -> int:
    """The size of a signed checkpoint."""
    return parse_note(note)[0].size


def problems(client: Any) -> str | None:
    """What /readyz says about the witnesses."""
    found: str | None = client.get("/readyz").json.get("witnesses")
    return found
