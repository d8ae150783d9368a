"""/assets: the files that the built-in page is made of, compressed, and which modules it begins with."""

import mimetypes
import os
import re
from functools import lru_cache
from http import HTTPStatus
from pathlib import Path

from flask import Response, abort
from werkzeug.security import safe_join

from blueprints.api.auth import public
from blueprints.api.caching import Representation, compressed

FILES = Path(__file__).with_name("static")
MOST_FILES = 500
IMPORT_OR_EXPORT = re.compile(r"^(?:import [^;]*;\n+|export )", re.MULTILINE)
IMPORT = re.compile(r'\bfrom\s*"(\.{1,2}/[^"]+)"')


@public
def asset(filename: str) -> Response:
    """A file. Browsers revalidate it, so that all files of a page are of the same version."""
    path = safe_join(str(FILES), filename)
    if path is None or not os.path.isfile(path):  # noqa: PTH113  # False for names that no file can have
        abort(HTTPStatus.NOT_FOUND)
    file = Path(path)
    return _compressed_file(file, file.stat().st_mtime_ns).response()


@lru_cache(MOST_FILES)
def _compressed_file(path: Path, _changed_at_ns: int) -> Representation:
    kind = mimetypes.guess_type(path)[0] or "text/plain"
    return compressed(path.read_bytes(), content_type=f"{kind}; charset=utf-8")


def modules_of(entry: str) -> list[str]:
    """Paths of the modules that this one imports, and those import, to be loaded together."""
    found: list[Path] = []
    waiting = [FILES / entry]
    while waiting:
        module = waiting.pop(0)
        if module not in found:
            found.append(module)
            imported = IMPORT.findall(module.read_text(encoding="utf-8"))
            waiting += [(module.parent / path).resolve() for path in imported]
    return [path.relative_to(FILES).as_posix() for path in found[1:]]


def bundle(*entries: str) -> str:
    """The text of these modules and of those that they import, for a file that stands alone.

    Their top-level names must differ, and only functions may use what is imported.
    """
    found = dict.fromkeys(path for entry in entries for path in (entry, *modules_of(entry)))
    texts = [(FILES / path).read_text(encoding="utf-8") for path in reversed(found)]
    return IMPORT_OR_EXPORT.sub("", "\n".join(texts))
