"""Schemas of the payloads of events."""

from typing import Any

import marshmallow as ma

from models.logins import LoginProvider
from server.schemas import (
    Avatar,
    Coins,
    Computed,
    ItemImage,
    WireSchema,
    count,
    documented,
    epoch_ms,
    one_of,
    text,
)
from services.bets import rolls
from services.bets.lookups import multiplier_hundredths
from services.bets.terms import GAMES, UPGRADER
from services.payments import history
from services.shared.money import number_from_cents


def logins_field() -> ma.fields.List[Any]:
    """The providers with which a player logs in."""
    names = ma.fields.String(validate=one_of(*LoginProvider))
    example = documented("The providers with which the player logs in", ["platform", "identity"])
    return ma.fields.List(names, required=True, metadata=example)


HASH = ma.validate.Regexp("^[0-9a-f]{64}$")

# The values of this example belong together: they pass the checks of `flask fairness verify`.
SERVER_SEED = text(
    "The revealed server seed, whose text is the key of the roll's HMAC",
    "73300871f44c168e7c949de2c750e60c2c9bb8ff530017c5a267234e9cb4db8e",
    validate=HASH,
)
SERVER_SEED_COMMITMENT = text(
    "SHA-256 of the server seed's text, published before the bet",
    "5f1e08c00ac2f0e4bc6ff28bcdb0b7b7a9483158b838d615522d883d10290fcf",
    validate=HASH,
)
GAME = text("The game", UPGRADER, validate=one_of(*GAMES))
CLIENT_SEED = text("4 to 64 letters, digits, dashes and underscores", "my-lucky-seed")
SNAPSHOT_EXAMPLE = "3d23e04e7564abd8bf89f685c2f350e224fc3694eff34179090dcebff6242380"
SNAPSHOT = text(
    "SHA-256 of the case's content as canonical JSON, which `/snapshots/{hash}` serves",
    SNAPSHOT_EXAMPLE,
    validate=HASH,
)
TICKET = text(
    "The ticket: a whole number from 0 to 10^18 - 1. The item whose range holds it is won",
    "236139975960886890",
    validate=ma.validate.Regexp("^[0-9]{1,18}$"),
)
NONCE = count("Number of the player's bet, from 1", 1, validate=ma.validate.Range(min=1))
CASE_SNAPSHOT = text(
    "SHA-256 of the content as canonical JSON, which `/snapshots/{hash}` serves. Null for a case that can't"
    " be opened because an item has no price or is retired",
    SNAPSHOT_EXAMPLE,
    allow_none=True,
)
"""The snapshot of a case that is shown."""

CASE_IMAGE = "The picture of the case; left out when it has none"


def bet_multiplier(description: str) -> Computed:
    """Payout divided by wager of a bet."""
    return Computed(
        lambda bet: number_from_cents(multiplier_hundredths(bet)),
        "number",
        f"{description}; a factor, rounded down to two decimals",
        1.24,
    )


class ReceiptSchema(WireSchema):
    """The server's signed promise that a bet is in the public log within ten seconds."""

    nonce = NONCE
    receipt = text(
        "A signed note: the log's origin and `/receipt`, the entry of the bet, and the signature",
        "play.example.com/log/receipt\n{…}\n\n— play.example.com/log …\n",
    )


class BalanceSchema(WireSchema):
    """A player's three accounts."""

    balance = Coins("What the player can wager", 102.4, attribute="balance_cents")
    vault_balance = Coins("What is locked in the vault", 25, attribute="vault_cents")
    sweepstake_balance = Coins("The sweepstake balance", 0, attribute="sweepstake_cents")
    version = count(
        "Grows with every change of the three; ignore a lower one", 12, attribute="balance_version"
    )


class CommitmentSchema(WireSchema):
    """The commitment of the player's next bet."""

    server_seed_commitment = SERVER_SEED_COMMITMENT
    nonce = NONCE


class PfSchema(WireSchema):
    """The inputs of a roll, without its server seed, which is still secret."""

    server_seed_commitment = SERVER_SEED_COMMITMENT
    client_seed = CLIENT_SEED
    nonce = NONCE
    percent = Computed(
        rolls.percent, "number", "The roll, in percent: 0.00000 to 99.99999", 57.61652, attribute="roll"
    )


class OpeningPfSchema(PfSchema):
    """The inputs of an opening's ticket, without its server seed, which is still secret."""

    percent = Computed(
        rolls.ticket_percent,
        "number",
        "The ticket, in percent: 0.00000 to 99.99999",
        23.61399,
        attribute="ticket",
    )
    ticket = TICKET


class ProofSchema(WireSchema):
    """The revealed server seed of a spin."""

    server_seed = SERVER_SEED
    server_seed_commitment = SERVER_SEED_COMMITMENT
    client_seed = CLIENT_SEED
    nonce = NONCE


class OpeningProofSchema(ProofSchema):
    """The revealed server seed of an opening."""

    snapshot = SNAPSHOT


class LiveBetSchema(WireSchema):
    """A bet in the public feed."""

    id = text("The id of the bet's fairness entry", "18")
    game = GAME
    pfp = Avatar("The player's picture", attribute="avatar")
    user = text("The whole username", "alice", attribute="username")
    wager = Coins("The wager", 10, attribute="wager_cents")
    multiplier = bet_multiplier("Payout divided by wager; 0 for a free opening")
    payout = Coins("What was won: 0 for a lost spin", attribute="payout_cents")
    date = epoch_ms("When its proof was due", attribute="proof_due_at_ms")
    item = text("The item that was wanted, or that an opening won", "AK-47 | Copper Tide (Field-Tested)")
    image = ItemImage("The item's picture")
    case = text(
        "The id of the case that was opened; null for a spin, and for a case that is gone",
        "desert-case",
        allow_none=True,
        attribute="case_slug",
    )
    case_name = text("The name of this case, or null", "Desert Case", allow_none=True)


class PlayStatisticsSchema(WireSchema):
    """The sums of the wagers and payouts of bets."""

    wagered = Coins("All wagers", 250)
    paid = Coins("All payouts, prizes included", 231.5)
    net = Coins("Payouts minus wagers, below 0 for a loss", -18.5)


class RealityCheckSchema(PlayStatisticsSchema):
    """How long a player has played without a pause of 30 minutes, and the sums of these bets."""

    since = epoch_ms("When the first of these bets was settled")
    minutes = count("Whole minutes since then", 60)


class LoginsChangedSchema(WireSchema):
    """The providers with which the player logs in."""

    logins = logins_field()


class PaymentChangedSchema(WireSchema):
    """A deposit or withdrawal that has another status now."""

    id = text("The id of the deposit or withdrawal", "8f14e45fceea167a5a36dedd4bea2543")
    type = Computed(history.type_of, "string", "`deposit` or `withdrawal`", "deposit")
    status = text("The status", "credited", validate=one_of(*history.STATUSES))


class AddressAddedSchema(WireSchema):
    """An address that was added to the player's address book."""

    id = text("The id of the address", "0f2d7e61c8b94d5a93b1c07e5a6d4f38")
    method = text("Its payment method", "BTC-CHAIN")
    name = text("The player's word for it", "My wallet")
    usable_from = epoch_ms("From when withdrawals can go to it", attribute="usable_from_ms")
