"""The content that each case has now, whether it was opened or not."""

from contextlib import suppress

from models.case_spins import CASE, IRL
from services.cases import queries, snapshots
from services.cases.irl import queries as irl_cases
from services.cases.kinds import CaseKind
from services.cases.snapshots import SnapshotNotFound
from services.openings.openable_cases import read_case
from services.shared.background import in_slices
from services.shared.errors import CaseNotFound


def cases_by_hash() -> dict[str, tuple[str, str]]:
    """The game and the id of every case that can be opened, by the hash of its content.

    Takes a second for 5,000 cases. Other greenlets may run meanwhile.
    """
    found: dict[str, tuple[str, str]] = {}
    for case in in_slices(queries.all_of(kinds=list(CaseKind)), 1):
        content = snapshots.content_of_case(case)
        if content is not None:
            found[content.hash] = CASE, case.id
    for case in in_slices(irl_cases.list_all(), 1):
        found[irl_cases.content_of_case(case).hash] = IRL, case.slug
    return found


def text_of(game: str, case_id: str, hash_: str) -> str:
    """The canonical JSON of this case. Raises SnapshotNotFound if its hash is another one by now."""
    with suppress(CaseNotFound):
        content = read_case(game, case_id).content
        if content is not None and content.hash == hash_:
            return content.text
    raise SnapshotNotFound
