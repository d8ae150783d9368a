"""Rows about a player in every table of an export, with texts that occur nowhere else, and dumps.

A new table needs nothing here unless it has rules about its columns: these are in ``RULES``.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import peewee

from models.audit_trail import AuditEvent
from models.battles import Battle, BattleSeat
from models.bets import Bet, Prize
from models.cases import Case
from models.db.connection import database, reading, writing
from models.exports import Export
from models.items import Item
from models.ledger import LedgerEntry, LedgerTransaction, Referral
from models.limits import LimitRequest
from models.logins import PlayerLogin
from models.payments import Deposit, Discrepancy, PaymentRecord, Withdrawal
from models.rewards import Reward
from models.staff import Proposal
from models.users import User
from services.exports.parts import NOTES, PARTS

NEVER = 2**60

FRESH = (LedgerTransaction, PaymentRecord)
"""Each row that refers to one of these has its own."""

RULES: dict[Any, dict[str, Any]] = {
    Bet: {
        "algorithm": "upgrader-1",
        "status": "lost",
        "payout_cents": 0,
        "wager_cents": 100,
        "price_cents": 1_000,
        "threshold": 1,
        "roll": 2,
        "snapshot": None,
        "ticket": None,
        "encrypted_server_seed": None,
    },
    Battle: {
        "state": "cancelled",
        "mode": "normal",
        "lock_entry": None,
        "locked_at_ms": None,
        "round": None,
        "end_entry": None,
        "void_reason": None,
        "outcome": None,
        "ledger_transaction": None,
        "bot_wins": None,
    },
    BattleSeat: {"bet": None, "after_nonce": None, "left_at_ms": None},
    Case: {"kind": "regular", "type": "gamea", "required_level": None},
    Deposit: {"status": "credited"},
    Item: {"app_id": 730, "price_source": "import"},
    LedgerEntry: {"account": "balance"},
    LimitRequest: {"kind": "wager", "period": "day"},
    PaymentRecord: {"type": "deposit"},
    PlayerLogin: {"provider": "identity"},
    Proposal: {"status": "open", "decided_by": None, "decided_at_ms": None},
    Reward: {"kind": "bonus", "state": "claimed", "case": None, "value_cents": None, "bet": None},
    Withdrawal: {"status": "completed", "release": None},
}
"""Values of columns that not every text or number may have."""


@dataclass
class PersonalRows:
    """Writes rows about a player, and remembers their texts."""

    app: Any
    player: Any
    other: Any
    """The other player where a row has two."""
    letter: str
    """Begins the texts of this player."""
    texts: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """The texts of each column, by the names of table and column."""
    _rows: dict[Any, Any] = field(default_factory=dict)
    _count: int = 0

    def write(self) -> None:
        """Write a row of each table."""
        with writing():
            self._change_account()
            for table in peewee.sort_models([part.table for part in (*PARTS, *NOTES)]):
                if table not in (User, Export):
                    self._write_rows(table)

    def _write_rows(self, table: Any) -> None:
        user = next((name for name, key in keys_of(table).items() if key.rel_model is User), None)
        if user is not None and table._meta.fields[user].primary_key:
            table.delete().where(table._meta.fields[user] == self.player.id).execute()
        for rules in self._rules_of(table):
            self._insert(table, rules)

    def _rules_of(self, table: Any) -> list[dict[str, Any]]:
        """What each row has of a table of which there are several, or that has no key of a player."""
        own = self.player.platform_id
        if table is Bet:
            hidden = {"server_seed": None, "proof_due_at_ms": NEVER, "proof_held_by": None, "nonce": 2}
            return [{}, hidden | {"encrypted_server_seed": self._text(Bet.encrypted_server_seed)}]
        if table is Discrepancy:
            return [{"platform_id": own}]
        if table is Prize:
            address = json.dumps({"city": self._text(Prize.encrypted_address)})
            encrypter = self.app.extensions["services"].shipping.encrypter
            return [{"status": "shipped", "encrypted_address": encrypter.encrypt(address)}]
        if table is Referral:
            return [{"user": self.player.id, "owner": self.other.id}]
        if table is AuditEvent:
            return [
                {"who": own, "player": own, "number": None, **self._objects()},
                {"who": own, "player": None, "number": None, **self._objects()},
            ]
        return [{}]

    def _objects(self) -> dict[str, str]:
        return {
            column.name: json.dumps({"text": self._text(column)})
            for column in (AuditEvent.before, AuditEvent.after)
        }

    def _insert(self, table: Any, rules: Mapping[str, Any]) -> Any:
        fixed = RULES.get(table, {}) | dict(rules)
        values = {}
        for column in table._meta.sorted_fields:
            if column.name in fixed:
                values[column.name] = fixed[column.name]
            elif not isinstance(column, peewee.AutoField | peewee.BigAutoField):
                values[column.name] = self._value(column)
        if table is AuditEvent:
            values["id"] = 2**40 + self._next()
        key = table.insert(values).execute()
        if not table._meta.composite_key and not isinstance(key, int):
            key = values.get(table._meta.primary_key.name, key)
        self._rows.setdefault(table, key)
        return key

    def _value(self, column: Any) -> Any:
        if isinstance(column, peewee.ForeignKeyField):
            return self._reference(column)
        if isinstance(column, peewee.BooleanField):
            return False
        if isinstance(column, peewee.BlobField):
            return self._next().to_bytes(32, "big")
        if isinstance(column, peewee.CharField | peewee.TextField):
            return self._text(column)
        return 1

    def _reference(self, column: Any) -> Any:
        if column.rel_model is User:
            return self.player.id
        if column.rel_model in FRESH or column.rel_model not in self._rows:
            return self._insert(column.rel_model, {})
        return self._rows[column.rel_model]

    def _text(self, column: Any) -> str:
        """A text that occurs nowhere else, as long as the hashes that some columns hold."""
        text = f"{self.letter}{self._next():06d}"
        if (getattr(column, "max_length", None) or 0) == 64:
            text = text.ljust(64, "x")
        self.texts.setdefault((column.model._meta.table_name, column.column_name), []).append(text)
        return text

    def _next(self) -> int:
        self._count += 1
        return self._count + 100_000 * (ord(self.letter) - ord("a"))

    def _change_account(self) -> None:
        texts = [
            column
            for column in User._meta.sorted_fields
            if isinstance(column, peewee.CharField) and column is not User.platform_id
        ]
        User.update({column: self._text(column) for column in texts}).where(
            User.id == self.player.id
        ).execute()


def keys_of(table: Any) -> dict[str, Any]:
    """The foreign keys of a table, by their names."""
    return {
        column.name: column
        for column in table._meta.sorted_fields
        if isinstance(column, peewee.ForeignKeyField)
    }


Dump = dict[str, list[dict[str, Any]]]


def dump() -> Dump:
    """Every row of the open database, by the names of the tables."""
    with reading():
        return {table: list(_rows_of(table)) for table in database.get_tables()}


def _rows_of(table: str) -> Iterator[dict[str, Any]]:
    cursor = database.execute_sql(f'SELECT * FROM "{table}"')  # noqa: S608  # a table of the schema
    names = [column[0] for column in cursor.description]
    for values in cursor.fetchall():
        yield {name: _plain(value) for name, value in zip(names, values, strict=True)}


def _plain(value: Any) -> Any:
    """The value as both databases and the file have it."""
    if isinstance(value, bool):
        return int(value)
    return bytes(value).hex() if isinstance(value, bytes | memoryview) else value


def references() -> list[tuple[str, str, str]]:
    """Every foreign key of the open database: its table and column, and the table that it refers to."""
    with reading():
        return [
            (table, key.column, key.dest_table)
            for table in database.get_tables()
            for key in database.get_foreign_keys(table)
        ]


def personal_tables() -> set[str]:
    """The tables that refer to players, directly or by others that do, or that have ids of players."""
    keys, found = references(), {"users"}
    with reading():
        for table in database.get_tables():
            if {column.name for column in database.get_columns(table)} & {"platform_id", "player"}:
                found.add(table)
    while more := {table for table, _, other in keys if other in found} - found:
        found |= more
    return found


def rows_about(player_id: int, texts: set[str], dumped: Dump) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every row that refers to the player, or that has one of these texts, with the name of its table."""
    keys = [(table, column) for table, column, other in references() if other == "users"]
    for table, rows in dumped.items():
        own = [column for of_table, column in keys if of_table == table]
        for row in rows:
            refers = any(row[column] == player_id for column in own)
            if refers or any(
                text in value for value in row.values() if isinstance(value, str) for text in texts
            ):
                yield table, row
