"""What the host did wrong, as the judge in each agent has written it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Clause:
    """A clause of the specification of the protocol."""

    id: str
    section: str
    text: str


@dataclass(frozen=True)
class Finding:
    """A mistake of the host.

    `at` is the number of the wrong frame in the session, from 1; it and `frame` are None for a mistake without a frame. `text` is all
    that the judge says, with the frames before.
    """

    rule: str
    level: Literal["must", "should"]
    message: str
    clauses: tuple[Clause, ...]
    at: int | None
    frame: str | None
    text: str


class HostError(AssertionError):
    """The host broke the protocol, or did not where a test expects it, or outlived its test."""

    def __init__(self, message: str, findings: Iterable[Finding] = ()) -> None:
        super().__init__(message)
        self.findings = list(findings)


# A mistake in a running session, or in one that has ended, where the last ones of many have one line each.
_STARTS = re.compile(r"^(?=CAUSE \d|(?:must|should) \S+ at frame \d|(?:MUST|SHOULD) \S+ )", re.MULTILINE)
_LIVE = re.compile(r"(?P<level>must|should) (?P<rule>\S+) at frame \d+: (?P<message>.*)")
_WHOLE = re.compile(r"CAUSE \d+ of \d+ (?P<message>.*)\n {2}(?P<level>must|should) (?P<rule>\S+)")
_LINE = re.compile(r"(?P<level>MUST|SHOULD) (?P<rule>\S+) (?P<message>.*)")
_AT = re.compile(r" at frame (\d+)")
_FRAME = re.compile(r"^ +Frame {2}(.*)|^(?: {4}Frames {2}| {12})> +\d+ .*?(?:host|agent) +(.*)", re.MULTILINE)
_CLAUSE = re.compile(r"^ {4}Clause {2}(\S+) \(section (.*?)(?:, (?:must|should|may))?\): (.*(?:\n {12}\S.*)*)", re.MULTILINE)


def parse_findings(file: str) -> list[Finding]:
    """The findings in the file of a judge."""
    return [_finding(block.rstrip()) for block in _STARTS.split(file) if block.strip()]


def _finding(text: str) -> Finding:
    head = _LIVE.match(text) or _WHOLE.match(text) or _LINE.match(text)
    at = _AT.search(text)
    frame = _FRAME.search(text)
    clauses = (Clause(clause[1], clause[2], re.sub(r"\n +", " ", clause[3])) for clause in _CLAUSE.finditer(text))
    return Finding(
        rule=head["rule"] if head else "unknown",
        level="should" if head and head["level"].lower() == "should" else "must",
        message=head["message"] if head else text,
        clauses=tuple(clauses),
        at=int(at[1]) if at else None,
        frame=(frame[1] or frame[2]) if frame else None,
        text=text,
    )


def judge(findings: list[Finding], expected: set[str], allowed: set[str]) -> HostError | None:
    """Compares findings with those that are expected or allowed, by the id of their rule or of a clause. None if they are the same."""

    def names(finding: Finding) -> set[str]:
        return {finding.rule, *(clause.id for clause in finding.clauses)}

    unexpected = [finding for finding in findings if not names(finding) & (expected | allowed)]
    seen = {name for finding in findings for name in names(finding)}
    parts = [finding.text for finding in unexpected]
    if parts:
        parts.insert(0, "the host broke the protocol")
    broken = f"it broke {', '.join(sorted(seen))}" if seen else "it broke nothing"
    parts += [f"the host did not break {name}, which the test expects; {broken}" for name in sorted(expected - seen)]
    return HostError("\n\n".join(parts), unexpected) if parts else None
