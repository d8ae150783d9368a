"""docs/office.md has the table of roles that the code has."""

import re

from services.staff.permissions import ROLES, Permission, Role
from tests.harness.servers import ROOT

PAGE = (ROOT / "docs" / "office.md").read_text()


def test_the_table_of_roles_is_that_of_the_code():
    (head,) = re.findall(r"^\| permission \| what it allows \| (.+) \|$", PAGE, re.MULTILINE)
    roles = [Role(name.strip()) for name in head.split("|")]
    written = {role: set() for role in Role}
    for permission, cells in re.findall(r"^\| `([a-z-]+\.[a-z-]+)` \| [^|]+ \|(.+)\|$", PAGE, re.MULTILINE):
        for role, cell in zip(roles, cells.split("|"), strict=True):
            if cell.strip():
                written[role].add(Permission(permission))

    assert written == {role: set(permissions) for role, permissions in ROLES.items()}


def test_an_auditor_sees_everything_and_changes_nothing():
    assert {permission for permission in Permission if permission.endswith(".see")} == ROLES[Role.AUDITOR]
