"""The header fields of an answer, and beside them the same as they go out: checked and encoded once."""

from collections.abc import Iterable, Sequence

Field = tuple[str, str]


class WrittenFields(list[Field]):
    """Fields as WSGI has them. The production server sends them as they were written here."""

    __slots__ = ("as_sent", "connection", "content_length", "date")

    def __init__(self, fields: Iterable[Field] = ()) -> None:
        """Raises ValueError for a line end in a field, which would begin another one, or another answer."""
        super().__init__(fields)
        text = "".join([f"{name}: {value}\r\n" for name, value in self])
        if not text.count("\r") == text.count("\n") == len(self):
            raise ValueError("a line end in the head of an answer")
        self.as_sent = text.encode("latin-1")
        lowered = f"\r\n{text.lower()}"
        self.date = _said_of("date", lowered)
        self.content_length = _said_of("content-length", lowered)
        self.connection = _said_of("connection", lowered)

    def plus(self, name: str, value: str) -> "WrittenFields":
        """With one more, of which the caller knows that no line ends in it and no server acts upon it."""
        more = WrittenFields.__new__(WrittenFields)
        more.extend(self)
        more.append((name, value))
        more.as_sent = self.as_sent + f"{name}: {value}\r\n".encode("latin-1")
        more.date, more.content_length, more.connection = self.date, self.content_length, self.connection
        return more


def written(fields: Sequence[Field]) -> WrittenFields:
    """These fields, written now unless they have been. Raises ValueError for a line end in one."""
    return fields if isinstance(fields, WrittenFields) else WrittenFields(fields)


def _said_of(name: str, fields: str) -> str | None:
    """The value of a field among others in lower case; None when it is not there."""
    _, found, rest = fields.partition(f"\r\n{name}: ")
    return rest.partition("\r\n")[0] if found else None
