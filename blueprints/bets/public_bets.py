"""Bets as anybody may see them once their proofs are due."""

from collections.abc import Mapping
from typing import Any

import orjson

from blueprints.bets.schemas import OpenedCaseSchema, OpeningSchema, PublicSpinSchema
from services.bets.snapshots import Content

SPIN = PublicSpinSchema()
OPENING = OpeningSchema()
OPENED_CASE = OpenedCaseSchema()


def dump_opened_case(content: Content) -> dict[str, Any]:
    """The case of an opening. Its items are JSON already: dumping 500 of them takes several ms."""
    opened: dict[str, Any] = OPENED_CASE.dump(content)
    return opened | {"items": orjson.Fragment(orjson.dumps(opened["items"]))}


def dump_bet(bet: Any, opened: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
    """The object of a bet, for orjson. ``opened`` has the dumped cases by the ids of their snapshots."""
    opening = bet.snapshot_id is not None
    dumped: dict[str, Any] = OPENING.dump(bet) | opened[bet.snapshot_id] if opening else SPIN.dump(bet)
    return dumped


def dump_revealed_bet(bet: Any, opened: Mapping[int, dict[str, Any]]) -> dict[str, Any]:
    """The same without the user: in a bundle of the log nothing changes any more."""
    return {name: value for name, value in dump_bet(bet, opened).items() if name != "user"}
