"""Pages that everybody asks for: kept as bytes until something that they show changes.

A change by this process tells of itself when it has been committed (services/changes.py). Another process's,
such as a command's, is not heard of, so that nothing is kept for longer than a second.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from http import HTTPStatus
from typing import Any

from flask import Response, g, make_response
from werkzeug.http import generate_etag

from blueprints.common.platform import platform
from blueprints.common.ready_answer import ReadyAnswer
from blueprints.common.ready_answers import keep_answer
from services import changes
from services.changes import Seen, Topic
from services.clock import Millis

LONGEST_SECONDS = 1.0


@dataclass(slots=True)
class Watch:
    """Over what an answer is made of, begun before any of it is read."""

    topics: tuple[Topic, ...]
    seen: Seen
    clock: Callable[[], Millis]
    until: float
    """By the monotonic clock."""
    until_ms: Millis | None = None
    """By the platform's clock, when what is shown changes with time."""

    def sees_no_change(self) -> bool:
        return (
            changes.seen(self.topics) == self.seen
            and time.monotonic() < self.until
            and (self.until_ms is None or self.clock() < self.until_ms)
        )


def kept(*topics: Topic, tagged: bool) -> Callable[[Callable[..., Any]], Callable[..., Response]]:
    """Keep what a view answers, by its address, until one of these changes.

    ``tagged`` says that it is a list with an ETag, as in etag.py. Whoever asks first, asks the view.
    """

    def decorator(view: Callable[..., Any]) -> Callable[..., Response]:
        @wraps(view)
        def wrapper(*args: Any, **kwargs: Any) -> Response:
            until = time.monotonic() + LONGEST_SECONDS
            watch = g.watch = Watch(topics, changes.seen(topics), platform().clock, until)
            response = make_response(view(*args, **kwargs))
            if response.status_code != HTTPStatus.OK:
                return response
            content = response.get_data()
            answer = ReadyAnswer(content, tag=generate_etag(content) if tagged else None)
            keep_answer(answer, watch.sees_no_change)
            return answer.response()

        return wrapper

    return decorator


def keep_until(at: Millis | None) -> None:
    """The current answer holds until this time at the most; None for no time that is known of."""
    watch: Watch = g.watch
    watch.until_ms = at


def do_not_keep() -> None:
    """The next one who asks is to be answered by the view as well."""
    watch: Watch = g.watch
    watch.until = 0
