"""Forms with files: what is checked before the framework parses one.

Its parser looks for the end of a part's head in all that follows, again and again, and makes headers of
megabytes as well; meanwhile nobody else is served.
"""

import re

from services.errors import PlatformError

HEAD_BYTES = 4096
END_OF_HEAD = re.compile(rb"\r\n\r\n|\r\r|\n\n")


class NotAForm(PlatformError):
    """The body is of another kind, or a form that no program makes."""

    text = "The body must be multipart/form-data"


def check_heads(form: bytes, *, boundary: str) -> None:
    """Raise NotAForm when 4 KiB are not enough for what precedes the first part, or for a part's head.

    Takes for delimiters and ends of heads exactly what the parser takes for them, one after the other.
    """
    if not boundary or not boundary.isascii():
        return
    delimiter = re.compile(rb"--%s(--|[^\S\r\n]*(?:\r\n|\r|\n))" % re.escape(boundary.encode()))
    between = re.compile(rb"[\r\n]" + delimiter.pattern)
    found = delimiter.search(form)
    if (found.start() if found else len(form)) > HEAD_BYTES:
        raise NotAForm
    while found is not None and found[1] != b"--":
        head = END_OF_HEAD.search(form, found.end(), found.end() + HEAD_BYTES)
        if head is None:
            raise NotAForm
        # The second line break of the empty line may be the one before a delimiter.
        found = between.search(form, (head.start() + head.end()) // 2)
