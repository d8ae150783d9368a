"""A small public log of bets, made the naive way: the independent half of the monitor's tests."""

import gzip
import hashlib
import hmac
import json
import struct
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ORIGIN = "play.example.com/log"
BEGAN_MS = 1_750_000_000_000
STEP_MS = 1_000
PROOF_DELAY_SECONDS = 6

CASE = {
    "id": "desert-case",
    "items": [
        {"name": "Rare", "price": "1500", "width": "50000000000000000"},
        {"name": "Never", "price": "900", "width": "0"},
        {"name": "Common", "price": "60", "width": "950000000000000000"},
    ],
    "price": "140",
}


def canonical(value) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


SNAPSHOT = sha256(canonical(CASE))


class Key:
    """A signing key that follows from its name."""

    def __init__(self, name: str) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(name.encode()).digest())
        self._typed = b"\x01" + self._private.public_key().public_bytes_raw()

    def id(self, origin: str) -> bytes:
        return hashlib.sha256(origin.encode() + b"\n" + self._typed).digest()[:4]

    def verifier(self, origin: str = ORIGIN) -> str:
        return f"{origin}+{self.id(origin).hex()}+{b64encode(self._typed).decode()}"

    def line(self, origin: str, text: str) -> str:
        signature = b64encode(self.id(origin) + self._private.sign(text.encode())).decode()
        return f"— {origin} {signature}\n"


@lru_cache(maxsize=4_096)
def root(entries: tuple[bytes, ...]) -> bytes:
    """The Merkle Tree Hash of RFC 6962, section 2.1, as it is written there."""
    count = len(entries)
    if count == 0:
        return hashlib.sha256(b"").digest()
    if count == 1:
        return hashlib.sha256(b"\x00" + entries[0]).digest()
    left = 1
    while left * 2 < count:
        left *= 2
    return hashlib.sha256(b"\x01" + root(entries[:left]) + root(entries[left:])).digest()


def tiles(entries: list[bytes]) -> Iterator[tuple[str, bytes]]:
    """The path below /tile/ and the content of each tile and bundle."""
    level, span = 0, 1
    while len(entries) >= span:
        hashes = [
            root(tuple(entries[place : place + span])) for place in range(0, len(entries) - span + 1, span)
        ]
        yield from _parts(str(level), hashes)
        level, span = level + 1, span * 256
    yield from _parts("entries", [struct.pack(">H", len(entry)) + entry for entry in entries])


def _parts(level: str, items: list[bytes]) -> Iterator[tuple[str, bytes]]:
    for number in range(-(-len(items) // 256)):
        part = items[number * 256 : number * 256 + 256]
        suffix = "" if len(part) == 256 else f".p/{len(part)}"
        yield f"{level}/{number:03}{suffix}", b"".join(part)


class Player:
    def __init__(self, name: str) -> None:
        self.name = name
        self.id = sha256(name)[:32]
        self.nonce = 1
        self.drawn = 0

    def seed(self, nonce: int) -> str:
        return sha256(f"{self.name} {nonce} {self.drawn}")

    @property
    def commitment(self) -> str:
        return sha256(self.seed(self.nonce))


class PublicLog:
    """Entries and bets of a log. Keywords of its methods replace fields of the entry that they append."""

    def __init__(self, origin: str = ORIGIN, key: str = "first") -> None:
        self.origin = origin
        self.keys = [Key(key)]
        self.entries: list[bytes] = []
        self.bets: dict[int, dict] = {}
        self.live: list[str] = []
        self.began_ms = BEGAN_MS
        self.battles: dict[int, dict] = {}
        """The revealed battles, by the indexes of their ends."""
        self.documents: dict[str, object] = {}
        """Further documents of the site, by path."""
        self.texts: dict[str, str] = {}
        """Further texts of the site, by path."""

    @property
    def now_ms(self) -> int:
        """When the next entry is appended."""
        return self.began_ms + len(self.entries) * STEP_MS

    def append(self, **entry) -> int:
        at = self.now_ms
        self.entries.append(canonical({"at": at, "v": 1} | entry).encode())
        return len(self.entries) - 1

    def commit(self, player: Player, reason: str = "new", **changed) -> Player:
        announced = {"commitment": player.commitment, "nonce": player.nonce, "player": player.id}
        self.append(**{**announced, "reason": reason} | changed)
        return player

    def new_player(self, name: str = "alice") -> Player:
        return self.commit(Player(name))

    def redraw(self, player: Player, epoch: int) -> None:
        player.drawn += 1
        self.commit(player, "redrawn", redraw=epoch)

    def spin(
        self, player: Player, *, wager: int = 250, price: int = 1_000, edge: str = "0.05", **changed
    ) -> int:
        """Settle a spin; its index."""
        threshold = int(10_000_000 * (1 - Fraction(edge)) * wager / price)
        terms = {
            "algorithm": "upgrader-1",
            "edge": edge,
            "item": "AK-47 | Rød Ørn",
            "price": price,
            "threshold": threshold,
            "wager": wager,
        }
        roll = int(_fraction(player, "") * 10_000_000)
        payout = price if roll < threshold else 0
        shown = {
            "item": terms["item"],
            "price": f"${price / 100:.2f}",
            "houseEdge": float(edge),
            "threshold": threshold,
            "roll": roll,
            "chance": threshold / 100_000,
        }
        return self._settle(player, "upgrader", terms, payout, shown, changed)

    def open(self, player: Player, game: str = "case", *, wager: int = 140, **changed) -> int:
        """Settle the opening of a case; its index."""
        terms = {"algorithm": f"{game}-1", "snapshot": SNAPSHOT, "wager": wager}
        ticket = int(_fraction(player, f"{game}:") * 10**18)
        end = 0
        for item in CASE["items"]:
            end += int(item["width"])
            if ticket < end:
                break
        shown = {"case": CASE["id"], "item": item["name"], "ticket": str(ticket), "snapshot": SNAPSHOT}
        return self._settle(player, game, terms, int(item["price"]), shown, changed)

    def _settle(self, player, game, terms, payout, shown, changed) -> int:
        nonce, commitment, seed = player.nonce, player.commitment, player.seed(player.nonce)
        player.nonce += 1
        entry = {
            "clientSeed": "my-lucky-seed",
            "commitment": commitment,
            "game": game,
            "next": player.commitment,
            "nonce": nonce,
            "player": player.id,
            "terms": terms,
        }
        index = self.append(**entry | changed)
        wager = terms["wager"]
        self.bets[index] = shown | {
            "id": str(index + 1_000),
            "game": game,
            "algorithm": terms["algorithm"],
            "user": player.name,
            "betAmount": wager / 100,
            "payout": payout / 100,
            "multiplier": payout * 100 // wager / 100 if wager else 0,
            "status": "won" if payout > wager else "lost",
            "completedAt": BEGAN_MS + index * STEP_MS + PROOF_DELAY_SECONDS * 1_000,
            "pf": {
                "serverSeedCommitment": commitment,
                "serverSeed": seed,
                "clientSeed": "my-lucky-seed",
                "nonce": nonce,
                "publicSeed": "",
                "round": 0,
            },
            "log": {"origin": self.origin, "index": index},
        }
        return index

    @property
    def root(self) -> str:
        return b64encode(root(tuple(self.entries))).decode()

    def checkpoint(self) -> str:
        text = f"{self.origin}\n{len(self.entries)}\n{self.root}\n"
        return f"{text}\n{''.join(key.line(self.origin, text) for key in self.keys)}"

    def files(self) -> dict[str, bytes]:
        """All documents of the site, by path."""
        prefix = "/" + self.origin.partition("/")[2]
        live = [{"id": self.bets[index]["id"]} for index in sorted(self.bets)[-10:]]
        live += [{"id": bet_id} for bet_id in self.live]
        pages = range(-(-len(self.entries) // 256))
        documents = {
            "/log/current": {"origin": self.origin},
            "/upgrader/rules": {"houseEdge": 0.05, "proofDelay": PROOF_DELAY_SECONDS},
            "/stats/live-bets": {"success": True, "data": {"bets": live, "total": len(live)}},
            **{f"/bets/{bet['id']}": bet for bet in self.bets.values()},
            **{f"{prefix}/revealed/{page}": self._revealed(page) for page in pages},
            **self.documents,
        }
        return {
            **{path: json.dumps(document).encode() for path, document in documents.items()},
            **{path: text.encode() for path, text in self.texts.items()},
            f"/snapshots/{SNAPSHOT}": canonical(CASE).encode(),
            f"{prefix}/key": "".join(f"{key.verifier(self.origin)}\n" for key in self.keys).encode(),
            f"{prefix}/checkpoint": self.checkpoint().encode(),
            **{f"{prefix}/tile/{path}": content for path, content in tiles(self.entries)},
        }

    def _revealed(self, page: int) -> list[dict]:
        bets = [{"index": index, "bet": bet} for index, bet in self.bets.items() if index // 256 == page]
        ended = self.battles.items()
        return bets + [{"index": index, "battle": battle} for index, battle in ended if index // 256 == page]


def _fraction(player: Player, prefix: str) -> Fraction:
    """The digest of the player's next bet, as a fraction of its range."""
    message = f"{prefix}my-lucky-seed:{player.nonce}:0"
    digest = hmac.new(player.seed(player.nonce).encode(), message.encode(), hashlib.sha256).hexdigest()
    return Fraction(int(digest, 16), 2**256)


class Site:
    """What a server serves: ``files`` by path, compressed or not, and the status of paths that fail.

    A function in ``faults`` answers a path instead. It gets a function that sends a status and a body.
    """

    def __init__(self) -> None:
        self.address = ""
        self.files: dict[str, bytes] = {}
        self.failing: dict[str, int] = {}
        self.faults: dict[str, Callable[[Callable[..., None]], object]] = {}
        self.is_compressed = False

    @property
    def url(self) -> str:
        return f"{self.address}/log"


@contextmanager
def serving() -> Iterator[Site]:
    """A site on a port of this machine."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Otherwise the body waits for the client's acknowledgement of the head.
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            if fault := site.faults.get(self.path):
                fault(self.answer)
                self.close_connection = True
                return
            status = site.failing.get(self.path, 200 if self.path in site.files else 404)
            self.answer(status, site.files[self.path] if status == 200 else b"nothing")

        def answer(self, status: int, body: bytes, *, length: int | None = None) -> None:
            self.send_response(status)
            if site.is_compressed:
                body = gzip.compress(body)
                self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(length or len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        site.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, args=[0.01], daemon=True)
        thread.start()
        yield site
        server.shutdown()
        thread.join(10)
