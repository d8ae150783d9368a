"""A witness of public logs: it signs a checkpoint only if it continues what it signed before.

    witness.py --name NAME --state DIRECTORY --log VKEY [--log VKEY ...] [--listen HOST:PORT] [--type TYPE]

Needs Python 3.11 or later and the package cryptography. NAME is a URL without its scheme that identifies the
witness, such as witness.example.org/w1. VKEY is a verifier key of a log, as https://play.example.com/log/key
shows it, or several of them, one a line: a log that announces its next key has two.

The operator of the log gets the verifier key that is printed at the start, and the address. Whoever follows
the log gives the same key to monitor.py. A witness helps nobody that the house itself runs.

It speaks https://c2sp.org/tlog-witness: POST /add-checkpoint, and GET /<SHA-256 of the origin>/checkpoint
for the newest checkpoint that it has cosigned. TYPE is ed25519 (the default) or ml-dsa-44. The directory has
the key, made at the first start, and a file for each log with the newest checkpoint. Never set it back to an
older state, and never run two witnesses with one key: either signs two histories. Put a server in front of
it that speaks https. The clock must be right: it says "before" to those who rely on the witness. While it is
behind the newest cosignature, nothing is cosigned (503).

A log that has signed two trees of one size has two histories. The witness says so, and keeps the other
checkpoint beside the one that it has cosigned, as <hash>.other: together they are a proof, so publish them.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import re
import secrets
import signal
import socket
import sys
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

try:
    from cryptography.hazmat.primitives.asymmetric.mldsa import MLDSA44PrivateKey
except ImportError:
    # cryptography before 47, or a build without it.
    MLDSA44PrivateKey = None  # type: ignore[assignment, misc]

LOG_KEY, ED25519, ML_DSA_44 = 0x01, 0x04, 0x06
"""Types of keys: of a log's signatures, and of cosignatures."""

HASH_BYTES = 32
ID_BYTES = 4
MAX_BODY = 128 * 1024
MAX_PROOF = 63
MAX_NAME = 255
MAX_SIZE = 2**63 - 1
REQUEST_SECONDS = 10
MOST_AT_ONCE = 64

NUMBER = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
KEY_NAME = re.compile(r"[^\s+]+")
CONTROL_CHARACTER = re.compile(r"[\x00-\x09\x0b-\x1f]")
ORIGIN_PATH = re.compile(r"/([0-9a-f]{64})/checkpoint")
EMPTY_ROOT = sha256().digest()

Answer = tuple[HTTPStatus, str, str]
"""Status, content type and text."""

TEXT = "text/plain; charset=utf-8"
SIZE = "text/x.tlog.size"


class Refused(Exception):
    """The request is answered with this status."""

    def __init__(self, status: HTTPStatus, why: str) -> None:
        super().__init__(why)
        self.status = status


class Checkpoint(NamedTuple):
    """A signed checkpoint: the text that is signed, and what its first three lines say."""

    text: str
    origin: str
    size: int
    root: bytes


# -- notes (https://c2sp.org/signed-note) ------------------------------------------------------------------


def decode(text: str) -> bytes:
    """The bytes of canonical base64. Raises ValueError."""
    value = b64decode(text, validate=True)
    if b64encode(value).decode() != text:
        raise ValueError("not canonical base64")
    return value


def key_id(name: str, key: bytes) -> bytes:
    """The id of a key, whose type is the first byte."""
    return sha256(f"{name}\n".encode() + key).digest()[:ID_BYTES]


class LogKey:
    """A verifier key of a log. Raises ValueError for any other text."""

    def __init__(self, text: str) -> None:
        self.origin, _, rest = text.strip().partition("+")
        id_, _, encoded = rest.partition("+")
        key = decode(encoded)
        is_key = (
            key[:1] == bytes([LOG_KEY]) and len(key) == 1 + HASH_BYTES and KEY_NAME.fullmatch(self.origin)
        )
        if not is_key or key_id(self.origin, key).hex() != id_:
            raise ValueError("not the verifier key of a log")
        self.id = bytes.fromhex(id_)
        self._key = Ed25519PublicKey.from_public_bytes(key[1:])

    def verify(self, signature: bytes, text: str) -> None:
        """Raises InvalidSignature."""
        self._key.verify(signature, text.encode())


def parse_note(note: str) -> tuple[Checkpoint, list[tuple[str, str, bytes]]]:
    """The checkpoint in a note, and its signatures: the line, its name, and the id with the signature.

    Raises ValueError.
    """
    body, separator, signatures = note.rpartition("\n\n")
    if not separator or not signatures.endswith("\n") or CONTROL_CHARACTER.search(note):
        raise ValueError("not a signed note")
    lines = []
    for line in signatures[:-1].split("\n"):
        dash, name, encoded = line.split(" ")
        signature = decode(encoded)
        if dash != "\u2014" or not KEY_NAME.fullmatch(name) or len(signature) <= ID_BYTES:
            raise ValueError("not a signature line")
        lines.append((line, name, signature))
    origin, size, root, *extensions = body.split("\n")
    if (
        not origin
        or not all(extensions)
        or not NUMBER.fullmatch(size)
        or int(size) > MAX_SIZE
        or len(decode(root)) != HASH_BYTES
    ):
        raise ValueError("not a checkpoint")
    return Checkpoint(f"{body}\n", origin, int(size), decode(root)), lines


def parse_request(body: bytes) -> tuple[int, list[bytes], Checkpoint, list[tuple[str, str, bytes]]]:
    """The old size, the proof, the checkpoint and its signatures. Raises ValueError."""
    head, _, note = body.decode().partition("\n\n")
    old, *lines = head.split("\n")
    word, old_size = old.split(" ")
    proof = [decode(line) for line in lines]
    checkpoint, signatures = parse_note(note)
    if word != "old" or not NUMBER.fullmatch(old_size) or int(old_size) > checkpoint.size:
        raise ValueError("not an old size")
    if len(proof) > MAX_PROOF or any(len(hash_) != HASH_BYTES for hash_ in proof):
        raise ValueError("not a proof")
    return int(old_size), proof, checkpoint, signatures


# -- trees (RFC 6962) --------------------------------------------------------------------------------------


def node(left: bytes, right: bytes) -> bytes:
    """The hash of a node from those of its two children."""
    return sha256(b"\x01" + left + right).digest()


def continues(old: Checkpoint | None, new: Checkpoint, proof: Sequence[bytes]) -> bool:
    """Whether the proof (RFC 6962, section 2.1.2) shows that the new tree has all entries of the old one."""
    if old is None or old.size == 0:
        return not proof
    if old.size == new.size:
        return not proof and old.root == new.root
    # The verification of RFC 9162, section 2.1.4.2.
    hashes = list(proof)
    if old.size & (old.size - 1) == 0:
        hashes.insert(0, old.root)
    first, last = old.size - 1, new.size - 1
    while first & 1:
        first, last = first >> 1, last >> 1
    if not hashes:
        return False
    old_root = new_root = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return False
        if first & 1 or first == last:
            old_root, new_root = node(sibling, old_root), node(sibling, new_root)
            while first and not first & 1:
                first, last = first >> 1, last >> 1
        else:
            new_root = node(new_root, sibling)
        first, last = first >> 1, last >> 1
    return last == 0 and old_root == old.root and new_root == new.root


# -- the witness -------------------------------------------------------------------------------------------


class Signer:
    """The key of the witness."""

    def __init__(self, name: str, type_: int, seed: bytes) -> None:
        self.name, self.type = name, type_
        if type_ == ED25519:
            self._key: Any = Ed25519PrivateKey.from_private_bytes(seed)
        else:
            self._key = MLDSA44PrivateKey.from_seed_bytes(seed)
        public_key = bytes([type_]) + self._key.public_key().public_bytes_raw()
        self._id = key_id(name, public_key)
        self.verifier_key = f"{name}+{self._id.hex()}+{b64encode(public_key).decode()}"

    def cosign(self, checkpoint: Checkpoint, seconds: int) -> str:
        """The line of a cosignature (https://c2sp.org/tlog-cosignature) that was made at this time."""
        if self.type == ED25519:
            message = f"cosignature/v1\ntime {seconds}\n{checkpoint.text}".encode()
        else:
            message = b"subtree/v1\n\0" + with_length(self.name) + seconds.to_bytes(8)
            message += with_length(checkpoint.origin) + bytes(8) + checkpoint.size.to_bytes(8)
            message += checkpoint.root
        signature = self._id + seconds.to_bytes(8) + self._key.sign(message)
        return f"\u2014 {self.name} {b64encode(signature).decode()}"


def with_length(text: str) -> bytes:
    """A text after its length in a byte. Raises ValueError or OverflowError for a longer one."""
    return len(text.encode()).to_bytes(1) + text.encode()


class Witness:
    """What this witness has signed. One request at a time is compared and stored."""

    def __init__(self, signer: Signer, keys: Sequence[LogKey], directory: Path) -> None:
        self.signer = signer
        self._keys = keys
        self._directory = directory
        self._lock = threading.Lock()

    def add_checkpoint(self, body: bytes) -> str:
        """The cosignature of the checkpoint in a request. Raises Refused."""
        try:
            old_size, proof, checkpoint, signatures = parse_request(body)
        except ValueError:
            raise Refused(HTTPStatus.BAD_REQUEST, "bad request") from None
        signed = self._lines_of_log(checkpoint, signatures)
        with self._lock:
            return self._add(checkpoint, signed, old_size, proof)

    def _lines_of_log(self, checkpoint: Checkpoint, signatures: list[tuple[str, str, bytes]]) -> list[str]:
        """The lines that the log has signed. Raises Refused without one, and if one is forged."""
        keys = {key.id: key for key in self._keys if key.origin == checkpoint.origin}
        if not keys:
            raise Refused(HTTPStatus.NOT_FOUND, "unknown log")
        signed = []
        for line, name, signature in signatures:
            key = keys.get(signature[:ID_BYTES]) if name == checkpoint.origin else None
            if key:
                try:
                    key.verify(signature[ID_BYTES:], checkpoint.text)
                except InvalidSignature:
                    raise Refused(HTTPStatus.FORBIDDEN, "bad signature") from None
                signed.append(line)
        if not signed:
            raise Refused(HTTPStatus.FORBIDDEN, "not signed by the log")
        return signed

    def _add(self, checkpoint: Checkpoint, signed: list[str], old_size: int, proof: Sequence[bytes]) -> str:
        known, cosigned_at = self._newest(checkpoint.origin)
        if known and checkpoint.size == known.size and checkpoint.root != known.root:
            self._keep_other(checkpoint, signed)
        if old_size != (known.size if known else 0):
            raise Refused(HTTPStatus.CONFLICT, f"{known.size if known else 0}\n")
        if checkpoint.size == 0 and checkpoint.root != EMPTY_ROOT:
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "not the root of an empty tree")
        if not continues(known, checkpoint, proof):
            raise Refused(HTTPStatus.UNPROCESSABLE_ENTITY, "the proof does not hold")
        seconds = int(time.time())
        if seconds < cosigned_at:
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "the clock was set back")
        line = self.signer.cosign(checkpoint, seconds)
        write(self._path(checkpoint.origin), "\n".join([checkpoint.text, *signed, line, ""]))
        return f"{line}\n"

    def _keep_other(self, checkpoint: Checkpoint, signed: list[str]) -> None:
        """Keep the first checkpoint that proves two histories."""
        path = self._path(checkpoint.origin).with_suffix(".other")
        if not path.exists():
            print(
                f"{checkpoint.origin} has signed two trees of {checkpoint.size} entries: {path}", flush=True
            )
            write(path, "\n".join([checkpoint.text, *signed, ""]))

    def newest_note(self, origin_hash: str) -> str | None:
        """The newest checkpoint that was cosigned, with its signatures, by the SHA-256 of its origin."""
        path = self._directory / f"{origin_hash}.checkpoint"
        return path.read_text() if path.exists() else None

    def _newest(self, origin: str) -> tuple[Checkpoint | None, int]:
        """The newest checkpoint that was cosigned, and when, in seconds."""
        note = self.newest_note(sha256(origin.encode()).hexdigest())
        if note is None:
            return None, 0
        checkpoint, lines = parse_note(note)
        _, _, signature = lines[-1]
        return checkpoint, int.from_bytes(signature[ID_BYTES : ID_BYTES + 8])

    def _path(self, origin: str) -> Path:
        return self._directory / f"{sha256(origin.encode()).hexdigest()}.checkpoint"


def write(path: Path, text: str) -> None:
    """Replace a file durably, or not at all. Only its owner may read it, if it is new."""
    new = path.with_suffix(".new")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


# -- HTTP --------------------------------------------------------------------------------------------------


class Handler(BaseHTTPRequestHandler):
    """Answers one connection."""

    protocol_version = "HTTP/1.1"
    timeout = REQUEST_SECONDS
    # An answer is one packet, which is sent at once.
    wbufsize = -1
    disable_nagle_algorithm = True
    witness: Witness

    def handle_one_request(self) -> None:
        # The timeout is that of each read, and a client could send a byte at a time.
        watchdog = threading.Timer(2 * REQUEST_SECONDS, self._hang_up)
        watchdog.daemon = True
        watchdog.start()
        try:
            super().handle_one_request()
        finally:
            watchdog.cancel()

    def _hang_up(self) -> None:
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)

    def do_POST(self) -> None:  # the name that the base class calls
        length = self.headers.get("Content-Length", "")
        # What is not read would be the next request.
        closes, self.close_connection = self.close_connection, True
        if not NUMBER.fullmatch(length) or "Transfer-Encoding" in self.headers:
            self._answer(HTTPStatus.LENGTH_REQUIRED, "how long?")
        elif int(length) > MAX_BODY:
            self._answer(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too long")
        elif self.path.split("?")[0] != "/add-checkpoint":
            self._answer(HTTPStatus.NOT_FOUND, "not found")
        else:
            body = self.rfile.read(int(length))
            self.close_connection = closes or len(body) < int(length)
            self._add_checkpoint(body)

    def _add_checkpoint(self, body: bytes) -> None:
        try:
            self._answer(HTTPStatus.OK, self.witness.add_checkpoint(body))
        except Refused as refused:
            conflict = refused.status == HTTPStatus.CONFLICT
            self._answer(refused.status, str(refused), SIZE if conflict else TEXT)
        except OSError as problem:
            print(f"not stored: {problem}", flush=True)
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, "not stored")

    def do_GET(self) -> None:
        found = ORIGIN_PATH.fullmatch(self.path.split("?")[0])
        note = self.witness.newest_note(found[1]) if found else None
        if note is None:
            self._answer(HTTPStatus.NOT_FOUND, "not found")
        else:
            self._answer(HTTPStatus.OK, note)

    def _answer(self, status: HTTPStatus, text: str, content_type: str = TEXT) -> None:
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Access-Control-Allow-Origin", "*")
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Requests are not logged."""


class Server(ThreadingHTTPServer):
    """Serves a bounded number of connections; others wait."""

    daemon_threads = True
    request_queue_size = MOST_AT_ONCE

    def __init__(self, address: tuple[str, int], handler: type[Handler]) -> None:
        super().__init__(address, handler)
        self._free = threading.BoundedSemaphore(MOST_AT_ONCE)

    def process_request(self, request: Any, client_address: Any) -> None:
        self._free.acquire()
        super().process_request(request, client_address)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, *_: Any) -> None:
        """A client that goes away is nothing to report."""


def read_seed(path: Path) -> bytes:
    """The seed of the witness's key, which is made at the first start."""
    if not path.exists():
        write(path, secrets.token_bytes(HASH_BYTES).hex())
    return bytes.fromhex(path.read_text())


def log_keys(text: str) -> list[LogKey]:
    """The verifier keys of a log, one a line. Raises ValueError."""
    return [LogKey(line) for line in text.strip().split("\n")]


def arguments(given: Sequence[str] | None) -> argparse.Namespace:
    """The arguments of the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, usage=argparse.SUPPRESS
    )
    parser.add_argument("--name", required=True)
    parser.add_argument("--state", required=True, type=Path)
    parser.add_argument("--log", required=True, action="append", type=log_keys)
    parser.add_argument("--listen", default="127.0.0.1:8100")
    parser.add_argument("--type", choices=["ed25519", "ml-dsa-44"], default="ed25519")
    parsed = parser.parse_args(given)
    parsed.log = [key for keys in parsed.log for key in keys]
    if not KEY_NAME.fullmatch(parsed.name) or CONTROL_CHARACTER.search(parsed.name):
        parser.error("--name: no blanks and no plus signs")
    if parsed.type == "ml-dsa-44":
        if MLDSA44PrivateKey is None:
            parser.error("--type: this version of cryptography has no ML-DSA-44")
        if any(len(name.encode()) > MAX_NAME for name in (parsed.name, *(key.origin for key in parsed.log))):
            parser.error("--type: ML-DSA-44 needs names and origins of at most 255 bytes")
    return parsed


def main(given: Sequence[str] | None = None) -> None:
    """Serve until the process is ended."""
    args = arguments(given)
    args.state.mkdir(parents=True, exist_ok=True)
    lock = (args.state / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SystemExit("another witness uses this directory") from None
    type_ = ED25519 if args.type == "ed25519" else ML_DSA_44
    signer = Signer(args.name, type_, read_seed(args.state / f"{args.type}.key"))
    Handler.witness = Witness(signer, args.log, args.state)
    host, _, port = args.listen.rpartition(":")
    # The newest checkpoints are replaced whole, so there is nothing to end.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    server = Server((host.strip("[]"), int(port)), Handler)
    print(f"{signer.verifier_key} http://{host}:{server.server_port}", flush=True)
    with suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
