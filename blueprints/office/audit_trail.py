"""The audit trail: a search with its filters in the address, and the export."""

import re
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import IO, Any, NamedTuple

from flask import Response, render_template, request

from blueprints.office.access import check_may_see, require_permission
from blueprints.office.addresses import MOST_ROWS, wants_csv, with_query
from blueprints.office.blueprint import office
from blueprints.office.csv_files import Columns, list_file
from models.db import waiting
from server.current_services import get_services
from services.audit_trail.events import AuditEventType
from services.audit_trail.queries import search
from services.audit_trail.verification import export
from services.shared.background import in_slices
from services.shared.clock import DAY_MS, MINUTE_MS, iso_time
from services.staff import accounts, personal_data
from services.staff.permissions import Permission

ROWS = 50
PLACE = re.compile(r"([0-9]{1,15})\.([0-9]{1,18})", re.ASCII)
PIECE_BYTES = 64 * 1024
LINES_A_SLICE = 200
MINUTE_FORMAT = "%Y-%m-%dT%H:%M"
STAFF = "staff"


class Moment(NamedTuple):
    """A minute or a day in UTC that a filter names."""

    begins_at_ms: int
    ends_at_ms: int

    @property
    def minute(self) -> str:
        """Its first minute, as a field of a form has it, such as 2026-03-18T12:05."""
        return _minute(self.begins_at_ms)

    @property
    def last_minute(self) -> str:
        """Its last minute."""
        return _minute(self.ends_at_ms - MINUTE_MS)


EVENTS: Columns = {
    "time": lambda event: iso_time(event["at_ms"]),
    "person": lambda event: event["who"],
    "action": lambda event: event["what"],
    "player": lambda event: event["player"],
    "before": lambda event: event["before"],
    "after": lambda event: event["after"],
    # Those of players are in the export, which is an event.
    "address": lambda event: event["address"] if event["who"].startswith("staff:") else None,
}


@office.get("/audit-trail")
@require_permission(Permission.AUDIT_SEE)
def audit_trail() -> Any:
    """Events, newest first. ``?after=`` is the place of the last event of the page before."""
    since, until = _moment("from"), _moment("to")
    found = search(
        who=_text("who"),
        player=_text("player"),
        what=_text("what"),
        since_ms=since and since.begins_at_ms,
        until_ms=until and until.ends_at_ms,
        is_by_staff=request.args.get("by") == STAFF,
        after=_place(request.args.get("after", "")),
        limit=MOST_ROWS if wants_csv() else ROWS + 1,
    )
    if wants_csv():
        return list_file("audit-trail", EVENTS, found)
    events = found[:ROWS]
    return render_template(
        "office/audit-trail.html",
        events=[(event, _changes(event)) for event in events],
        event_types=sorted(AuditEventType),
        since=since,
        until=until,
        people=[f"staff:{account.name}" for account in accounts.listed()],
        older=_address_after(events[-1]) if len(found) > ROWS else None,
    )


@office.get("/audit-trail/export")
@require_permission(Permission.AUDIT_SEE)
def export_audit_trail() -> Response:
    """What ``flask audit export`` prints, as a file. It has the addresses of players."""
    check_may_see()
    now = get_services().clock()
    personal_data.record_look(user_id=None, what="export of the audit trail", now=now)
    # Written before it is sent: a slow client must not keep a transaction open.
    file = tempfile.TemporaryFile()  # noqa: SIM115  # _pieces closes it
    for line in in_slices(export(), LINES_A_SLICE):
        # An export has as much time as it needs.
        waiting.begin_budget()
        file.write(line.encode() + b"\n")
    day = datetime.fromtimestamp(now / 1000, UTC).strftime("%Y-%m-%d")
    return Response(
        _pieces(file),
        mimetype="application/jsonl",
        headers={
            "Content-Disposition": f"attachment; filename=trail-{day}.jsonl",
            "Content-Length": str(file.tell()),
        },
    )


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        file.seek(0)
        while piece := file.read(PIECE_BYTES):
            yield piece


def _text(name: str) -> str | None:
    return request.args.get(name, "").strip() or None


def _minute(ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, UTC).strftime(MINUTE_FORMAT)


def _moment(name: str) -> Moment | None:
    """The moment in the address, such as 2026-03-18T12:05 or 2026-03-18. What is none is left out."""
    for form, length_ms in ((MINUTE_FORMAT, MINUTE_MS), ("%Y-%m-%d", DAY_MS)):
        with suppress(ValueError):
            named = datetime.strptime(request.args.get(name, ""), form).replace(tzinfo=UTC)
            begins_at_ms = int(named.timestamp()) * 1000
            return Moment(begins_at_ms, begins_at_ms + length_ms)
    return None


def _place(text: str) -> tuple[int, int] | None:
    found = PLACE.fullmatch(text)
    return (int(found[1]), int(found[2])) if found else None


def _address_after(event: Mapping[str, Any]) -> str:
    return with_query(after=f"{event['at_ms']}.{event['id']}")


def _changes(event: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Each name in ``before`` and ``after`` with its two values; None where there is none."""
    before, after = (
        value if isinstance(value, dict) else {} if value is None else {"altered": value}
        for value in (event["before"], event["after"])
    )
    return [(name, before.get(name), after.get(name)) for name in dict.fromkeys([*before, *after])]
