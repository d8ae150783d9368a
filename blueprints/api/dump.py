"""Dumping objects with a schema, in a third of the time that marshmallow takes."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import marshmallow as ma


class DumpingSchema(ma.Schema):
    """A schema with its own loop over its fields. How a field converts its value stays marshmallow's.

    An attribute that is missing is an error. There are no defaults and no hooks such as ``post_dump``.
    """

    @cached_property
    def _columns(self) -> list[tuple[str, str | None, Callable[..., Any]]]:
        """Key, attribute and conversion of each field; no attribute where the whole object is converted."""
        columns = []
        for name, field in self.dump_fields.items():
            attribute = (field.attribute or name) if field._CHECK_ATTRIBUTE else None  # noqa: SLF001
            columns.append((field.data_key or name, attribute, field._serialize))  # noqa: SLF001
        return columns

    def dump(self, obj: Any, *, many: bool | None = None) -> Any:
        """Dump an object or a dict, or a list of them."""
        if self.many if many is None else many:
            return [self.dump(each, many=False) for each in obj]
        read = dict.__getitem__ if isinstance(obj, dict) else getattr
        dumped = {}
        for key, attribute, convert in self._columns:
            value = convert(None if attribute is None else read(obj, attribute), attribute, obj)
            if value is not ma.missing:
                dumped[key] = value
        return dumped
