"""The upgrader's spin as a small asyncio server makes it, with uvicorn, python-socketio and asyncpg.

It has the platform's own settling statement, rolls and events, and nothing else. It leaves out what
socketio_spins.mjs leaves out: rate limits, the encryption of seeds, receipts, log lines, metrics, and the
delivery of proofs that were missed. It does not check the signatures of tokens. It appends no bets to the
public log, so its proofs do not wait for that.

DATABASE_URL is a database of the platform, SETTLEMENT {text, parameters}: the statement with $1, $2, … for
these names.
"""

import asyncio
import base64
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import asyncpg
import socketio
import uvicorn

from services.bets import rolls
from services.shared.clock import CalendarPeriod, now_ms
from services.shared.money import number_from_cents

CONNECTIONS = 12
HOUSE_EDGE_PPM = 50_000
SHARDS = 64
# The settling statement asks for a checkpoint that the log has had: that of the empty log.
EMPTY_ROOT = sha256().hexdigest()
SETTLEMENT = json.loads(os.environ["SETTLEMENT"])
PROOF_DELAY_MS = int(os.environ["UPGRADER_PROOF_DELAY"]) * 1000

sio = socketio.AsyncServer(async_mode="asgi", max_http_buffer_size=65_536)


@dataclass
class Seed:
    nonce: int
    server_seed: str
    commitment: str


@dataclass
class Player:
    """A player of this server, and the seed of the next bet."""

    id: int
    username: str
    seed: Seed
    is_spinning: bool = False


class State:
    pool: asyncpg.Pool
    prices: Mapping[str, int]
    players: dict[str, Player] = {}
    """By socket."""


def draw(nonce: int) -> Seed:
    server_seed = secrets.token_hex(32)
    return Seed(nonce, server_seed, sha256(server_seed.encode()).hexdigest())


@sio.on("upgrader:spin")
async def spin(sid: str, payload: Mapping[str, Any]) -> dict[str, Any]:
    player = State.players[sid]
    if player.is_spinning:
        return await refuse(sid, "A spin is already in progress")
    player.is_spinning = True
    try:
        return await play(sid, player, payload)
    finally:
        player.is_spinning = False


async def play(sid: str, player: Player, payload: Mapping[str, Any]) -> dict[str, Any]:
    seed, following = player.seed, draw(player.seed.nonce + 1)
    values = bet(player, seed, following, payload)
    row = await State.pool.fetchrow(SETTLEMENT["text"], *(values[name] for name in SETTLEMENT["parameters"]))
    is_locked, _, found, bet_id, _prize_id, *balances = row
    if bet_id is None:
        return await refuse(
            sid, "Insufficient balance" if is_locked and found else "A spin is already in progress"
        )
    player.seed = following
    pf = {
        "serverSeedCommitment": seed.commitment,
        "clientSeed": values["client_seed"],
        "nonce": seed.nonce,
        "percent": rolls.percent(values["roll"]),
    }
    await sio.emit("upgrader:pf", pf, to=sid)
    result = {
        "success": values["status"] == "won",
        "amount": number_from_cents(values["payout_cents"]),
        "item": values["item"],
    }
    answer = {"status": True, "result": result}
    await sio.emit("upgrader:spin", answer, to=sid)
    # Its first step runs after the acknowledgement.
    sio.start_background_task(follow_up, sid, player, seed, following, values, bet_id, balances)
    return answer


def bet(player: Player, seed: Seed, following: Seed, payload: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of the settling statement."""
    item, client_seed = payload["item"], payload["clientSeed"]
    wager, price, now = round(payload["amount"] * 100), State.prices[item], now_ms()
    threshold = rolls.threshold(wager_cents=wager, price_cents=price, house_edge_ppm=HOUSE_EDGE_PPM)
    roll = rolls.roll(server_seed=seed.server_seed, client_seed=client_seed, nonce=seed.nonce)
    won = roll < threshold
    return {
        "user_id": player.id,
        "nonce": seed.nonce,
        "server_seed_commitment": seed.commitment,
        "encrypted_server_seed": seed.server_seed,
        "next_commitment_hex": following.commitment,
        "next_encrypted_server_seed": following.server_seed,
        "next_commitment": bytes.fromhex(following.commitment),
        "checkpoint_size": 0,
        "checkpoint_root": EMPTY_ROOT,
        "game": "upgrader",
        "algorithm": "upgrader-1",
        "ledger_kind": "spin",
        "wager_cents": wager,
        "payout_cents": price if won else 0,
        "status": "won" if won else "lost",
        "item": item,
        "price_cents": price,
        "house_edge_ppm": HOUSE_EDGE_PPM,
        "threshold": threshold,
        "roll": roll,
        "snapshot_id": None,
        "snapshot_hash": None,
        "snapshot_text": None,
        "case_read_at_ms": None,
        "token_number": 0,
        "ticket": None,
        "case_id": None,
        "reward_id": None,
        "counted_edge_ppm": None,
        "prize_image": None,
        "client_seed": client_seed,
        "request_id": None,
        "request_digest": None,
        "created_at_ms": now,
        "proof_due_at_ms": now + PROOF_DELAY_MS,
        "shard": player.id % SHARDS,
        "min_cycle_ms": 0,
        "longest_play_ms": 0,
        "day": CalendarPeriod.DAY.start(now),
        "week": CalendarPeriod.WEEK.start(now),
        "month": CalendarPeriod.MONTH.start(now),
    }


async def follow_up(
    sid: str,
    player: Player,
    seed: Seed,
    following: Seed,
    values: Mapping[str, Any],
    bet_id: int,
    balances: list[int],
) -> None:
    """Send what follows the acknowledgement, and the proof when it is due."""
    announced = {"serverSeedCommitment": following.commitment, "nonce": following.nonce}
    await sio.emit("upgrader:commitment", announced, to=sid)
    balance, vault, sweepstake, version = balances
    state = {
        "balance": number_from_cents(balance),
        "vaultBalance": number_from_cents(vault),
        "sweepstakeBalance": number_from_cents(sweepstake),
        "version": version,
    }
    await sio.emit("balance", state, to=sid)
    await asyncio.sleep(PROOF_DELAY_MS / 1000)
    await State.pool.execute(
        "UPDATE bets SET server_seed = $1, encrypted_server_seed = NULL, proof_delivered_at_ms = $2"
        " WHERE id = $3",
        seed.server_seed,
        now_ms(),
        bet_id,
    )
    wager, payout = values["wager_cents"], values["payout_cents"]
    live_bet = {
        "id": str(bet_id),
        "game": "upgrader",
        "pfp": "",
        "user": player.username,
        "wager": number_from_cents(wager),
        "multiplier": number_from_cents(payout * 100 // wager),
        "payout": number_from_cents(payout),
        "date": values["proof_due_at_ms"],
    }
    await sio.emit("live-bets:new", live_bet)
    proof = {
        "serverSeed": seed.server_seed,
        "serverSeedCommitment": seed.commitment,
        "clientSeed": values["client_seed"],
        "nonce": seed.nonce,
    }
    await sio.emit("upgrader:proof", proof, to=sid)


async def refuse(sid: str, error: str) -> dict[str, Any]:
    answer = {"status": False, "error": error}
    await sio.emit("upgrader:spin", answer, to=sid)
    return answer


@sio.event
async def connect(sid: str, _environ: Mapping[str, Any], auth: Mapping[str, str]) -> None:
    _, claims, _ = auth["token"].split(".")
    platform_id = json.loads(base64.urlsafe_b64decode(f"{claims}=="))["sub"]
    user_id, username = await State.pool.fetchrow(
        "SELECT id, username FROM users WHERE platform_id = $1", platform_id
    )
    State.players[sid] = Player(user_id, username, await announce(user_id))


@sio.event
async def disconnect(sid: str, _reason: str) -> None:
    with suppress(KeyError):
        del State.players[sid]


async def announce(user_id: int) -> Seed:
    """The first seed of a player here: the platform's own can't be decrypted without its key."""
    nonce = await State.pool.fetchval("SELECT nonce FROM announced_seeds WHERE user_id = $1", user_id)
    seed = draw(nonce)
    await State.pool.execute(
        "UPDATE announced_seeds SET server_seed_commitment = $1, encrypted_server_seed = $2, is_logged = TRUE"
        " WHERE user_id = $3",
        seed.commitment,
        seed.server_seed,
        user_id,
    )
    return seed


async def start() -> None:
    State.pool = await asyncpg.create_pool(
        os.environ["DATABASE_URL"], min_size=CONNECTIONS, max_size=CONNECTIONS
    )
    State.prices = dict(await State.pool.fetch("SELECT market_hash_name, price_cents FROM items"))


async def health(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"{}"})


if __name__ == "__main__":
    app = socketio.ASGIApp(sio, health, on_startup=start)
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), log_level="error", access_log=False)
