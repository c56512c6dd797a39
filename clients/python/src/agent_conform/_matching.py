"""Matchers of values, for the commands to an agent that has ended. One that runs matches by itself, with all operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast


def is_match(value: Any, matcher: object) -> bool:
    """Whether a value matches: members of objects, elements of arrays, and values. Operators match nothing."""
    if isinstance(matcher, Mapping):
        members = cast("Mapping[str, object]", matcher).items()
        return isinstance(value, dict) and all(name in value and is_match(value[name], one) for name, one in members)
    if isinstance(matcher, Sequence) and not isinstance(matcher, str):
        elements = cast("Sequence[object]", matcher)
        return isinstance(value, list) and len(cast("list[Any]", value)) == len(elements) and all(map(is_match, cast("list[Any]", value), elements))
    return type(value) is type(matcher) and value == matcher
