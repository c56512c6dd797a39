"""The end of a test: what it has deferred."""

from __future__ import annotations

from collections.abc import Callable, Sequence


def run_deferred(actions: Sequence[Callable[[], object]]) -> list[Exception]:
    """Calls the functions that a test has deferred, the last one first. Returns their errors."""
    errors: list[Exception] = []
    for action in reversed(actions):
        try:
            action()
        except Exception as error:
            errors.append(error)
    return errors
