"""Descriptions of exceptions for the log, without their messages: those may have amounts, seeds or tokens."""

import errno
import traceback
from pathlib import Path

from models.db.connection import schema_problem
from models.db.new_connections import UnusableDatabase

ROOT = Path(__file__).resolve().parents[1]


def safe_exception_summary(error: BaseException) -> str:
    """The types of an exception and its causes, and where each was raised.

    Never the message, except for the name of a missing table or column, and of what this program raises about
    the database itself: databases put values of rows into
    their messages, and libraries their arguments.
    """
    parts = []
    cause: BaseException | None = error
    while cause is not None:
        code = getattr(cause, "pgcode", None) or getattr(cause, "sqlite_errorname", None)
        if isinstance(cause, OSError):
            # Such as ENOSPC.
            code = errno.errorcode.get(cause.errno or 0)
        kind = f"{type(cause).__name__}{f' {code}' if code else ''}"
        frames = [
            f"{_short(frame.filename)}:{frame.lineno}" for frame in traceback.extract_tb(cause.__traceback__)
        ]
        problem = str(cause) if isinstance(cause, UnusableDatabase) else schema_problem(cause)
        parts.append(f"{kind} at {' < '.join(reversed(frames[-8:]))}{f' ({problem})' if problem else ''}")
        cause = cause.__cause__ or (None if cause.__suppress_context__ else cause.__context__)
    return "; caused by ".join(parts)


def _short(filename: str) -> str:
    path = Path(filename)
    if path.is_relative_to(ROOT):
        return str(path.relative_to(ROOT)).split("site-packages/")[-1]
    return "/".join(path.parts[-2:])
