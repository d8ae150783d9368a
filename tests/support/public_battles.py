"""Battles of the small public log, and a network of drand whose key is known, both made the naive way."""

import hashlib
import hmac
import json
from fractions import Fraction

from py_arkworks_bls12381 import G1Point, G2Point, Scalar

from tests.support.public_log import CASE, SNAPSHOT, Player, PublicLog, sha256

DAY_MS = 24 * 60 * 60 * 1000
SIZES = {
    "1v1": (1, 1),
    "1v1v1": (1, 1, 1),
    "1v1v1v1": (1, 1, 1, 1),
    "1v1v1v1v1v1": (1, 1, 1, 1, 1, 1),
    "2v2": (2, 2),
    "3v3": (3, 3),
    "2v2v2": (2, 2, 2),
}


class Network:
    """A network of one, whose key follows from its name."""

    period = 3
    genesis = 1_600_000_000
    group_hash = "00" * 32

    def __init__(self, name: str = "house") -> None:
        self.name = name
        self._secret = Scalar.from_be_bytes_mod_order(hashlib.sha256(name.encode()).digest())
        self.key = (G2Point() * self._secret).to_compressed_bytes()

    @property
    def hash(self) -> str:
        times = self.period.to_bytes(4, "big") + self.genesis.to_bytes(8, "big")
        group = bytes.fromhex(self.group_hash)
        return hashlib.sha256(times + self.key + group + self.name.encode()).hexdigest()

    def info(self) -> dict:
        return {
            "public_key": self.key.hex(),
            "period": self.period,
            "genesis_time": self.genesis,
            "hash": self.hash,
            "groupHash": self.group_hash,
            "schemeID": "bls-unchained-g1-rfc9380",
            "metadata": {"beaconID": self.name},
        }

    def time_ms(self, number: int) -> int:
        return (self.genesis + self.period * (number - 1)) * 1_000

    def round_after(self, at: int) -> int:
        """The round that decides a battle that is locked then."""
        number = 1 + (at - self.genesis * 1_000) // (self.period * 1_000)
        while self.time_ms(number) < at + 6_000:
            number += 1
        return number

    def sign(self, number: int) -> str:
        message = hashlib.sha256(number.to_bytes(8, "big")).digest()
        domain = b"BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_"
        return (G1Point.hash_to_curve(message, domain) * self._secret).to_compressed_bytes().hex()

    def files(self, *numbers: int) -> dict[str, bytes]:
        """What a relay serves of these rounds, the last of which is the newest."""
        beacons = {str(number): {"round": number, "signature": self.sign(number)} for number in numbers}
        if numbers:
            beacons["latest"] = beacons[str(numbers[-1])]
        documents = {f"/{self.hash}/public/{name}": beacon for name, beacon in beacons.items()}
        documents[f"/{self.hash}/info"] = self.info()
        return {path: json.dumps(document).encode() for path, document in documents.items()}


class Quicknet(Network):
    """The public network, of which one round is known."""

    genesis = 1_692_803_367
    group_hash = "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e"
    number = 657_413
    signature = (
        "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b"
    )

    def __init__(self) -> None:
        super().__init__("quicknet")
        self.key = bytes.fromhex(
            "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d106451"
            "0d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a"
        )

    def sign(self, number: int) -> str:
        assert number == self.number
        return self.signature


class PublicBattles:
    """Locks and ends battles in a log. Keywords replace fields of the entry that is appended."""

    def __init__(self, log: PublicLog, network: Network | None = None) -> None:
        self.log = log
        self.network = network or Network()
        self.locked = 0
        self.decisions: dict[int, dict] = {}
        """Values, tie and winners of the battles whose outcome was computed, by their locks."""
        log.documents["/battles/rules"] = {"beacon": self.network.info(), "demo": False}

    def lock(self, *players: Player | None, teams: str = "1v1", count: int = 2, **changed) -> int:
        """Lock a battle of so many cases with these players in its seats, None being a bot. Its index."""
        self.locked += 1
        battle_id = f"{self.locked:022}"
        sizes = [team for team, size in enumerate(SIZES[teams]) for _ in range(size)]
        players = players or tuple(Player(f"player {seat}") for seat in range(len(sizes)))
        at = changed.pop("at", self.log.now_ms)
        entry = {
            "at": at,
            "battle": sha256(battle_id),
            "beacon": {"chain": self.network.hash, "round": self.network.round_after(at)},
            "cases": [SNAPSHOT] * count,
            "commitment": sha256(self.seed(self.locked)),
            "crazy": False,
            "mode": "normal",
            "playersOnly": False,
            "seats": [
                {
                    "clientSeed": f"bot-{seat}" if player is None else "my-lucky-seed",
                    "player": "bot" if player is None else player.id,
                    "team": team,
                }
                for seat, (player, team) in enumerate(zip(players, sizes, strict=True))
            ],
            "terminal": False,
            "v": 2,
        }
        return self.log.append(**entry | changed)

    def seed(self, number: int) -> str:
        return sha256(f"seed of battle {number}")

    def entry(self, lock: int) -> dict:
        return json.loads(self.log.entries[lock])

    def published_ms(self, lock: int) -> int:
        """When the round of a battle is published."""
        return self.network.time_ms(self.entry(lock)["beacon"]["round"])

    def pass_round(self, lock: int, ms: int = 500) -> None:
        """Let the log's clock be so much after the round of a battle."""
        self.log.began_ms += max(0, self.published_ms(lock) + ms - self.log.now_ms)

    def settle(self, lock: int, /, **changed) -> int:
        """Settle a battle, and reveal it. Its index."""
        self.pass_round(lock)
        signature = self.network.sign(self.entry(lock)["beacon"]["round"])
        index = self.log.append(**{**self._end(lock), "signature": signature} | changed)
        self.log.battles[index] = self.outcome(lock, signature)
        return index

    def void(self, lock: int, reason: str = "late", /, **changed) -> int:
        return self.log.append(**{**self._end(lock), "reason": reason} | changed)

    def _end(self, lock: int) -> dict:
        entry = self.entry(lock)
        seeds = {sha256(self.seed(number)): self.seed(number) for number in range(1, self.locked + 1)}
        seed = seeds[entry["commitment"]]
        return {"at": self.log.now_ms, "battle": entry["battle"], "lock": lock, "seed": seed, "v": 2}

    def outcome(self, lock: int, signature: str) -> dict:
        """What was drawn, and the payouts, as they are revealed. Of the mode ``normal`` only."""
        entry, raw = self.entry(lock), self.log.entries[lock]
        leaf = hashlib.sha256(b"\x00" + raw).hexdigest()
        randomness = hashlib.sha256(bytes.fromhex(signature)).hexdigest()
        seed = self._end(lock)["seed"]

        def below(a: object, b: int, number: int) -> int:
            message = f"battle-1:{leaf}:{randomness}:{a}:{b}".encode()
            drawn = hmac.new(seed.encode(), message, hashlib.sha256).hexdigest()
            return int(Fraction(int(drawn, 16), 2**256) * number)

        drawn = []
        for seat in range(len(entry["seats"])):
            tickets = [below(seat, place, 10**18) for place in range(len(entry["cases"]))]
            drawn.append([{**_won(ticket), "ticket": str(ticket)} for ticket in tickets])
        cents = [[round(each["price"] * 100) for each in items] for items in drawn]
        teams = [seat["team"] for seat in entry["seats"]]
        counted = [items[-1] if entry["terminal"] else sum(items) for items in cents]
        values = [
            sum(value for value, other in zip(counted, teams, strict=True) if other == team)
            for team in range(max(teams) + 1)
        ]
        best = min(values) if entry["crazy"] else max(values)
        tied = [team for team, value in enumerate(values) if value == best]
        team = tied[below("tie", 0, len(tied))] if len(tied) > 1 else tied[0]
        seats = [seat for seat, other in enumerate(teams) if other == team]
        share, rest = divmod(sum(map(sum, cents)), len(seats))
        payouts = [0] * len(teams)
        for place in range(len(seats)):
            seat = seats[(below("rest", 0, len(seats)) + place) % len(seats)]
            payouts[seat] = share + (place < rest)
        decision = {
            "values": [each / 100 for each in values],
            "tie": tied if len(tied) > 1 else None,
            "winners": [team],
        }
        self.decisions[lock] = decision
        return {"drawn": drawn, "payouts": [each / 100 for each in payouts]}

    def shown(self, lock: int, number: int = 1, end: int | None = None) -> dict:
        """A battle as ``GET /battles/:id`` shows it: locked, or ended."""
        entry = self.entry(lock)
        teams = [seat["team"] for seat in entry["seats"]]
        sizes = tuple(teams.count(team) for team in range(max(teams) + 1))
        battle = {
            "id": f"{number:022}",
            "state": "locked",
            "version": 4,
            **{name: entry[name] for name in ("mode", "crazy", "terminal", "playersOnly")},
            "teams": next(name for name, each in SIZES.items() if each == sizes),
            "private": False,
            "cost": len(entry["cases"]) * int(CASE["price"]) / 100,
            "createdAt": entry["at"] - 60_000,
            "serverSeedCommitment": entry["commitment"],
            "cases": [
                {"id": CASE["id"], "name": "Desert", "price": int(CASE["price"]) / 100, "snapshot": snapshot}
                for snapshot in entry["cases"]
            ],
            "seats": [
                {
                    "seat": place,
                    "team": seat["team"],
                    "bot": seat["player"] == "bot",
                    "player": None if seat["player"] == "bot" else {"name": f"player {place}"},
                    "clientSeed": seat["clientSeed"],
                }
                for place, seat in enumerate(entry["seats"])
            ],
            "lockedAt": entry["at"],
            "round": entry["beacon"]["round"],
            "entry": lock,
        }
        if end is None:
            return battle
        ended = json.loads(self.log.entries[end])
        if "reason" in ended:
            return battle | {"state": "void", "reason": ended["reason"], "serverSeed": ended["seed"]}
        signature = ended["signature"]
        return battle | {
            "state": "settled",
            "signature": signature,
            "randomness": hashlib.sha256(bytes.fromhex(signature)).hexdigest(),
            "serverSeed": ended["seed"],
            **self.outcome(lock, signature),
            **self.decisions[lock],
        }


def _won(ticket: int) -> dict:
    end = 0
    for item in CASE["items"]:
        end += int(item["width"])
        if ticket < end:
            return {"item": item["name"], "price": int(item["price"]) / 100}
    raise AssertionError("a ticket is below 10**18")
