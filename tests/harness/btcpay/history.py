"""What every invoice and payout looked like after each change, for answers that are out of date."""

import json
import time
from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any

UNSEEN_SECONDS = 10
"""An object that is younger may be missing in a list that is out of date."""


class History:
    """The forms of objects, oldest first, as JSON."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._forms: dict[str, list[str]] = defaultdict(list)
        self._began: dict[str, float] = {}

    def record(self, key: str, form: Any) -> None:
        """Add a form unless nothing has changed."""
        forms, text = self._forms[key], json.dumps(form)
        if not forms or forms[-1] != text:
            forms.append(text)
        self._began.setdefault(key, time.monotonic())

    def forget(self, key: str) -> None:
        """Lose an object."""
        self._forms.pop(key, None)

    def forms(self, key: str) -> list[str]:
        """All forms of an object, oldest first."""
        return list(self._forms[key])

    def one(self, key: str, *, stale: bool) -> Any:
        """The present form, or an earlier one if there is any."""
        forms = self._forms[key]
        earlier = forms[:-1] if stale else []
        return json.loads(self._random.choice(earlier) if earlier else forms[-1])

    def newest_first(self, *, stale: bool) -> Iterator[Any]:
        """All objects; if ``stale``, each in an earlier form, and without those that are new."""
        for key in reversed(list(self._forms)):
            is_new = time.monotonic() - self._began[key] < UNSEEN_SECONDS
            if not (stale and is_new and len(self._forms[key]) == 1):
                yield self.one(key, stale=stale)

    def __contains__(self, key: str) -> bool:
        return key in self._forms
