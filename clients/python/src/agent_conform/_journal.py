"""The journal of an agent."""

from __future__ import annotations

from typing import Any, Literal, TypedDict

from typing_extensions import NotRequired


class JournalEntry(TypedDict):
    """What the host or the agent has written, as `frame` or as `text` that is not a JSON object, or what happened at a gate."""

    n: int
    # Microseconds since the start.
    at: int
    dir: Literal["host", "agent", "gate"]
    frame: NotRequired[dict[str, Any]]
    text: NotRequired[str]
    gate: NotRequired[str]
    state: NotRequired[str]


def commands_of(entries: list[JournalEntry]) -> list[Any]:
    """The commands of the host in a journal."""
    return [entry["frame"] for entry in entries if entry["dir"] == "host" and "frame" in entry]
