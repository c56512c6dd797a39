"""The host of the example: it asks an agent, and calls back with each piece of the answer."""

import asyncio
import json
import os
from collections.abc import Callable, Mapping, Sequence


async def ask(question: str, command: Sequence[str], env: Mapping[str, str], on_text: Callable[[str], object]) -> None:
    """Asks one question. Raises EOFError if the agent ends in the middle of its answer."""
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, env={**os.environ, **env}, stdin=pipe, stdout=pipe)
    assert process.stdin and process.stdout
    answered = False
    while line := await process.stdout.readline():
        event = json.loads(line)
        if event["type"] == "ready":
            process.stdin.write(json.dumps({"type": "message", "msg_id": "m1", "input": question}).encode() + b"\n")
        if event["type"] == "text_delta":
            on_text(event["text"])
        if event["type"] == "stream_end":
            answered = True
            process.stdin.close()
    await process.wait()
    if not answered:
        raise EOFError("the agent ended in the middle of its answer")
