"""docs/audit-trail.md explains every event that is recorded."""

import re

from services.audit_trail.events import AuditEventType
from tests.harness.servers import ROOT


def test_the_table_of_events_has_every_event_and_no_other():
    page = (ROOT / "docs" / "audit-trail.md").read_text()
    table = page.partition("| event | when |")[2].partition("\n\n")[0]
    rows = [row.split("|")[1] for row in table.splitlines() if row.startswith("| `")]

    assert sorted(re.findall(r"`([a-z.-]+)`", " ".join(rows))) == sorted(AuditEventType)
