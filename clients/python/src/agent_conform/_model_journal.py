"""The journal of a scripted model: the requests that came, and what was wrong with them or with what did not come."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from ._model_request import ModelRequest, decode_request
from ._model_script import ModelReplies, reply_of

ModelFailureKind: TypeAlias = Literal["ran dry", "unmatched", "repeated", "expectation", "refused", "not served", "unused"]
"""What a failure is about.

A request came when the script had no reply left (`ran dry`), or none that fits it (`unmatched`), or repeats an earlier one (`repeated`); it is
not as its reply expects (`expectation`); the real API would refuse it (`refused`); `conform` does not serve what it asks for (`not served`);
or a reply was not asked for (`unused`).
"""

# A websocket is refused with this status, and the app goes on without it.
UPGRADE_REQUIRED = 426

# How many characters of a body or a reply a message shows.
SHOWN_LENGTH = 400


@dataclass(frozen=True)
class ModelFailure:
    """A difference between the script and what the app has sent.

    request: The number of the request, from 0; None for a reply that was not asked for.
    reply: The number of the reply in the script, from 0, if the failure is about one.
    expected, actual: What the script expects, and what came instead, if there is something to compare.
    """

    kind: ModelFailureKind
    request: int | None
    reply: int | None
    message: str
    expected: str | None
    actual: str | None


class ModelError(AssertionError):
    """The app has sent what does not fit the script, or what the real API would refuse, or has not asked for a reply."""

    def __init__(self, message: str, failures: list[ModelFailure]) -> None:
        super().__init__(message)
        self.failures = failures


class ModelJournal:
    """The journal so far: each record is written before the app can see its effect."""

    def __init__(self, file: Path) -> None:
        # The last line may be incomplete.
        lines = file.read_text(encoding="utf-8").split("\n")[:-1] if file.exists() else []
        self._records: list[dict[str, Any]] = [json.loads(line) for line in lines]

    def requests(self) -> list[ModelRequest]:
        """The requests for an answer of the model, in order."""
        decoded = (decode_request(record) for record in self._of("llm_request"))
        return [request for request in decoded if request is not None]

    def failures(self) -> list[ModelFailure]:
        return [_failure(record) for record in self._records if "failure" in record]

    def judge(self, allowed: set[ModelFailureKind], script: ModelReplies) -> ModelError | None:
        """What is wrong, except for failures of these kinds. None if nothing is."""
        failures = [failure for failure in self.failures() if failure.kind not in allowed and self._is_wrong(failure)]
        if not failures:
            return None
        parts = ["the app and the script of its model do not fit"]
        if not self.requests():
            parts.append("no request has come: does the app use the variables of `env`?")
        return ModelError("\n\n".join(parts + [self._described(failure, script) for failure in failures]), failures)

    def shown(self) -> str:
        """The requests, the answers and the failures, for the report of a test."""
        return "\n".join(_shown(record) for record in self._records)

    def _of(self, kind: str) -> list[dict[str, Any]]:
        return [record for record in self._records if record.get("dir") == kind]

    def _is_wrong(self, failure: ModelFailure) -> bool:
        """Whether the app got something else than from the real API: a member of a body without effect is not such a failure."""
        if failure.kind != "not served":
            return True
        statuses = [record["status"] for record in self._of("llm_reply") if record["n"] == failure.request]
        return any(status >= 400 and status != UPGRADE_REQUIRED for status in statuses)

    def _described(self, failure: ModelFailure, script: ModelReplies) -> str:
        """A failure with the request and the reply that it is about."""
        lines = [_difference(failure)]
        lines += [f"  {_shown(record)}" for record in self._of("llm_request") if record["n"] == failure.request]
        reply = None if failure.reply is None else reply_of(script, failure.reply)
        return "\n".join(lines + ([f"  reply {failure.reply}: {_shortened(reply)}"] if reply else []))


def _failure(record: dict[str, Any]) -> ModelFailure:
    reply = re.match(r"/(\d+)", record["pointer"])
    return ModelFailure(
        kind=record["failure"],
        request=record["n"],
        reply=int(reply[1]) if reply else None,
        message=record["message"],
        expected=record["expected"],
        actual=record["actual"],
    )


def _difference(failure: ModelFailure) -> str:
    expected = [] if failure.expected is None else [f"expected {failure.expected}"]
    actual = [] if failure.actual is None else [f"got {failure.actual}"]
    return "; ".join([failure.message, *expected, *actual])


def _shown(record: dict[str, Any]) -> str:
    if "failure" in record:
        return _difference(_failure(record))
    if record["dir"] == "llm_reply":
        return f"answer {record['n']}: {record['status']}"
    return f"request {record['n']}: {record['method']} {record['path']} {_shortened(json.dumps(record['body'], ensure_ascii=False))}"


def _shortened(text: str) -> str:
    return text if len(text) <= SHOWN_LENGTH else f"{text[:SHOWN_LENGTH]}..."
