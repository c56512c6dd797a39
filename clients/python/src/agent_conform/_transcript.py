"""The transcript of a session, as the process between the host and the agent has recorded it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

# How many lines of a session a report shows, and how many characters of a line.
SHOWN_LINES = 40
SHOWN_LENGTH = 300

_SIDES = {"to_agent": "host ", "from_agent": "agent"}


def commands(transcript: Path) -> list[Any]:
    """The JSON objects that the host has sent."""
    return [frame for record in _records(transcript) if record.get("dir") == "to_agent" for frame in _objects(record.get("line"))]


def shown(transcript: Path) -> str:
    """The last lines of both sides, for the report of a test."""
    records = [record for record in _records(transcript) if record.get("dir") in _SIDES]
    lines = [f"{_SIDES[record['dir']]}  {_line(record)}" for record in records[-SHOWN_LINES:]]
    left = len(records) - len(lines)
    return "\n".join([f"... {left} lines before"] * (left > 0) + lines)


def _records(transcript: Path) -> list[dict[str, Any]]:
    lines = transcript.read_text(encoding="utf-8").split("\n")[:-1]
    return [cast("dict[str, Any]", json.loads(line)) for line in lines]


def _line(record: dict[str, Any]) -> str:
    line = str(record.get("line", "(bytes that are not UTF-8)"))
    return line if len(line) <= SHOWN_LENGTH else f"{line[:SHOWN_LENGTH]}..."


def _objects(line: str | None) -> list[Any]:
    try:
        value = json.loads(line or "")
    except ValueError:
        return []
    return [value] if isinstance(value, dict) else []
