"""Compiles each URL rule once in a process, since most of the time of creating an app is spent on that."""

from collections.abc import Callable
from typing import Any

from werkzeug.routing import Rule


def reuse_compiled_rules() -> None:
    """Let the apps that are created from now on share what werkzeug compiles to build URLs."""
    compile_builder = Rule._compile_builder
    compiled: dict[Any, Callable[..., tuple[str, str]]] = {}

    def compile_once(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        # All that the compiled function depends on.
        key = rule.rule, tuple(rule._trace), repr(rule.defaults), append_unknown
        if key not in compiled:
            compiled[key] = compile_builder(rule, append_unknown)
        return compiled[key]

    Rule._compile_builder = compile_once
