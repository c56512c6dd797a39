"""The host of the example: it asks an agent, and calls back with each piece of the answer."""

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def denied(_tool: str) -> bool:
    return False


def send(stdin: asyncio.StreamWriter, command: dict[str, Any]) -> None:
    stdin.write(json.dumps(command).encode() + b"\n")


async def ask(
    question: str,
    command: Sequence[str],
    env: Mapping[str, str],
    on_text: Callable[[str], object],
    *,
    approve: Callable[[str], bool] = denied,
    on_notice: Callable[[str], object] = print,
) -> None:
    """Asks one question. Raises EOFError if the agent ends in the middle of its answer."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, env={**os.environ, **env}, stdin=pipe, stdout=pipe)
    assert process.stdin and process.stdout
    answered = False
    while line := await process.stdout.readline():
        event = json.loads(line)
        if event["type"] == "ready":
            send(process.stdin, {"type": "message", "msg_id": "m1", "input": question})
        if event["type"] == "text_delta":
            on_text(event["text"])
        if event["type"] == "info":
            on_notice(event["message"])
        if event["type"] == "tool_request":
            decision = {"type": "tool_approve"} if approve(event["tool"]["name"]) else {"type": "tool_deny", "reason": "The user said no"}
            send(process.stdin, {**decision, "call_id": event["call_id"]})
        if event["type"] == "stream_end":
            answered = True
            process.stdin.close()
    await process.wait()
    if not answered:
        raise EOFError("the agent ended in the middle of its answer")
