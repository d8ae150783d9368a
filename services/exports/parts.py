"""What an export consists of: the rows of these tables, and the tables that are left out, with the reasons.

A part has all columns of its table, under their names in camelCase, except for those in ``without`` and the
internal ids of players. So a new table is one more line here.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import peewee

from models.announced_seeds import AnnouncedSeed
from models.audit_trail import AuditEvent
from models.battles import Battle, BattleSeat
from models.bets import Bet, Prize
from models.cases import Case, CaseItem, Snapshot
from models.db.connection import Table
from models.exports import Export
from models.ledger import Affiliate, LedgerEntry, LedgerTransaction, Referral
from models.limits import LimitRequest
from models.logins import (
    ConfirmedToken,
    LoginChallenge,
    LoginDevice,
    PlayerLogin,
    RecoveryCode,
    TwoFactor,
    WrongCode,
)
from models.payments import Deposit, Discrepancy, PaymentRecord, Withdrawal, WithdrawalAddress
from models.rewards import Reward
from models.staff import Proposal
from models.users import Notification, PersonalDetails, PlayerNote, PlayerTag, User

SECRET = "A secret. Who gets hold of the file could use it, or know a bet before it is made"  # noqa: S105  # no password
OTHERS = "About another person"
REVIEW = "Written by staff or by the checks of payments; the operator gives it on request, after a review"

BY_STAFF_ALONE = (
    "note.added",
    "note.deleted",
    "tag.added",
    "tag.removed",
    "proposal.made",
    "proposal.approved",
    "proposal.rejected",
    "proposal.withdrawn",
)
"""Events of the audit trail that are left out with the notes, tags and proposals that they are about."""

Rows = Callable[[User], Any]
"""The condition for the rows of a player."""


def of(column: Any) -> Sequence[Rows]:
    """The rows whose column refers to the player."""
    return (lambda player: column == player.id,)


@dataclass(frozen=True)
class Part:
    """A list of rows in the file."""

    name: str
    table: type[Table]
    about: str
    rows: Sequence[Rows]
    """The conditions, each of which an index answers. No row is in two of them."""
    key: Sequence[Any] = ()
    """The order of the rows, by an index with the condition; by default the primary key."""
    without: Mapping[str, str] = field(default_factory=dict)
    """The columns that are left out, with the reasons."""
    joined: Mapping[Any, Sequence[Any]] = field(default_factory=dict)
    """Columns of another table, by the foreign key to it, with whose name theirs begin."""
    decrypted: Mapping[str, Any] = field(default_factory=dict)
    """Encrypted columns whose content the file has, by its names there."""
    in_windows: bool = False
    """Whether no index has the player's rows, so that the table is read by ranges of ids."""

    @cached_property
    def order(self) -> Sequence[Any]:
        """The columns of ``key``, or of the primary key."""
        if self.key:
            return self.key
        own: Any = self.table._meta  # noqa: SLF001  # peewee's documented place
        if own.composite_key:
            return [own.fields[name] for name in own.primary_key.field_names]
        return [own.primary_key]

    @cached_property
    def columns(self) -> dict[str, Any]:
        """The columns by their names in the file, in snake case."""
        own = {
            column.column_name: column
            for column in self.table._meta.sorted_fields  # noqa: SLF001  # peewee's documented place
            if column.column_name not in self.without and not _is_player(column)
        }
        joined = {
            f"{key.name}_{column.column_name}": column
            for key, columns in self.joined.items()
            for column in columns
        }
        return own | joined | dict(self.decrypted)


def _is_player(column: Any) -> bool:
    return isinstance(column, peewee.ForeignKeyField) and column.rel_model is User


PARTS = (
    Part("account", User, "The account, with balances, sums, limits, and the end of a break", of(User.id)),
    Part("details", PersonalDetails, "Name, phone number and address", of(PersonalDetails.user)),
    Part("logins", PlayerLogin, "Logins of providers that lead to the account", of(PlayerLogin.user)),
    Part(
        "devices",
        LoginDevice,
        "Browsers in which the account was logged in, by a hash of their cookie",
        of(LoginDevice.user),
    ),
    Part(
        "twoFactor",
        TwoFactor,
        "Two-factor authentication",
        of(TwoFactor.user),
        without={"encrypted_secret": SECRET},
    ),
    Part(
        "recoveryCodes",
        RecoveryCode,
        "Recovery codes that were not used",
        of(RecoveryCode.user),
        without={"encrypted_code": SECRET},
    ),
    Part("wrongCodes", WrongCode, "Wrong codes of the last day", of(WrongCode.user)),
    Part(
        "loginChallenges",
        LoginChallenge,
        "Logins that wait for a code",
        of(LoginChallenge.user),
        without={"key": SECRET},
    ),
    Part("confirmedTokens", ConfirmedToken, "Tokens that a code covers", of(ConfirmedToken.user)),
    Part("notifications", Notification, "Notifications", of(Notification.user)),
    Part("limitRequests", LimitRequest, "Requests to raise a limit", of(LimitRequest.user)),
    Part(
        "announcedSeed",
        AnnouncedSeed,
        "The commitment to the next bet",
        of(AnnouncedSeed.user),
        without={"encrypted_server_seed": SECRET},
    ),
    Part(
        "bets",
        Bet,
        "Bets with their proofs, those of battles first. `/bets/ID` shows one with the content of its case,"
        " and `/bets/ID/tlog-proof` is its receipt: the proof that it is in the public log. The server seed"
        " is null until the proof is due",
        of(Bet.user),
        key=[Bet.nonce],
        without={"encrypted_server_seed": SECRET},
        joined={Bet.snapshot: [Snapshot.hash]},
    ),
    Part(
        "prizes",
        Prize,
        "Prizes, with the address that each was shipped to",
        of(Prize.user),
        without={"encrypted_address": "The file has its content, as `address`"},
        decrypted={"address": Prize.encrypted_address},
    ),
    Part(
        "battleSeats",
        BattleSeat,
        "Seats in battles, each with its battle. `/battles/PUBLICID` shows it with its proof",
        of(BattleSeat.user),
        joined={
            BattleSeat.battle: [
                Battle.public_id,
                Battle.state,
                Battle.mode,
                Battle.teams,
                Battle.is_crazy,
                Battle.is_terminal,
                Battle.is_players_only,
                Battle.is_private,
                Battle.cost_cents,
                Battle.commitment,
                Battle.server_seed,
                Battle.created_at_ms,
                Battle.locked_at_ms,
                Battle.round,
                Battle.lock_index,
                Battle.ended_at_ms,
                Battle.end_index,
                Battle.void_reason,
                Battle.signature,
                Battle.randomness,
                Battle.outcome,
            ]
        },
        in_windows=True,
    ),
    Part(
        "ledgerEntries",
        LedgerEntry,
        "Every change of a balance, with its transaction",
        of(LedgerEntry.user),
        joined={LedgerEntry.transaction: [LedgerTransaction.kind, LedgerTransaction.created_at_ms]},
    ),
    Part(
        "payments",
        PaymentRecord,
        "Payments in the books",
        of(PaymentRecord.user),
        key=[PaymentRecord.created_at_ms, PaymentRecord.id],
    ),
    Part(
        "deposits",
        Deposit,
        "Deposits",
        of(Deposit.user),
        key=[Deposit.created_at_ms, Deposit.id],
        without={"secret": SECRET, "reason": REVIEW},
    ),
    Part(
        "withdrawals",
        Withdrawal,
        "Withdrawals",
        of(Withdrawal.user),
        key=[Withdrawal.created_at_ms, Withdrawal.id],
        without=dict.fromkeys(("reason", "check_decision", "check_reason", "review_reason"), REVIEW),
    ),
    Part("withdrawalAddresses", WithdrawalAddress, "The address book", of(WithdrawalAddress.user)),
    Part(
        "paymentDiscrepancies",
        Discrepancy,
        "Differences from the books of the payment service that name the player",
        (lambda player: Discrepancy.platform_id == player.platform_id,),
        in_windows=True,
    ),
    Part("affiliate", Affiliate, "Claimed earnings of the player's promo code", of(Affiliate.user)),
    Part(
        "usedPromoCode",
        Referral,
        "The promo code that the player has used, and the sums that count for its owner",
        of(Referral.user),
    ),
    Part(
        "referrals",
        Referral,
        "Players who use the player's promo code, without their names",
        of(Referral.owner),
        without={"ledger_transaction_id": OTHERS, "theoretical_loss_before_ucents": OTHERS},
    ),
    Part(
        "rewards",
        Reward,
        "Rewards",
        of(Reward.user),
        key=[Reward.kind, Reward.number],
        without={"granted_by": OTHERS, "reason": REVIEW},
    ),
    Part("cases", Case, "Cases that the player has created", of(Case.creator)),
    Part(
        "caseItems",
        CaseItem,
        "The items of these cases",
        (lambda player: CaseItem.case.in_(Case.select(Case.id).where(Case.creator == player.id)),),
    ),
    Part("exports", Export, "This export", of(Export.user)),
    Part(
        "auditTrail",
        AuditEvent,
        "What was done with the account, and by the player, with the client's address. Staff are not named",
        (
            lambda player: (AuditEvent.player == player.platform_id) & AuditEvent.what.not_in(BY_STAFF_ALONE),
            lambda player: (
                (AuditEvent.who == player.platform_id)
                & (AuditEvent.player.is_null() | (AuditEvent.player != player.platform_id))
            ),
        ),
        key=[AuditEvent.at_ms, AuditEvent.id],
        without={"salt": "It would let somebody guess what the digest hides"},
    ),
)
"""The parts of the file, in their order."""

NOTES = (
    Part("notes", PlayerNote, "Notes of staff", of(PlayerNote.user)),
    Part("tags", PlayerTag, "Tags of staff", of(PlayerTag.user)),
    Part(
        "proposals",
        Proposal,
        "What staff have proposed, and others have decided",
        (lambda player: Proposal.user == player.id,),
    ),
)
"""What an operator adds after a review: ``flask users export --notes``."""

LEFT_OUT = {
    "player_notes": REVIEW,
    "player_tags": REVIEW,
    "proposals": REVIEW,
    "alarms": REVIEW,
    "battle_cases": "The contents of a battle are the same for all its players: `/battles/PUBLICID`",
    "export_slices": "They are this file",
    "level_gifts": "What levels give is the same for all players: `/rewards/rules`",
    "log_entries": "Public under a pseudonym, `player.pseudonym`: `/log/checkpoint` and the entries below it",
    "webhook_deliveries": "Messages of payment services, whose content is in payments, deposits and"
    " withdrawals; deleted after 90 days, unless they have failed",
}
"""Tables with rows about players that are in no part, with the reasons."""
