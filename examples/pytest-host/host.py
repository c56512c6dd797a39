"""A host for the terminal: `python3 host.py [AGENT [ARGS...]]` talks to an agent that speaks the aionrs JSON stream, version 0.1.

Each line of the input is a prompt. Before a tool runs, the host asks, and the next line is the answer: `y`, or a reason to deny.
"""

import asyncio
import json
import os
import signal
import sys
import uuid
from asyncio.subprocess import Process
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeGuard, cast

# A frame, and the part of it that describes a tool.
Json = dict[str, Any]
Decide = Callable[[Json], Awaitable[str | None]]

# In bytes. asyncio fails at 64 KiB by default.
LONGEST_LINE = 16 * 1024 * 1024


# How long an agent may take to end after its stdin was closed, and again after SIGTERM, in seconds.
GRACE = 2


class AgentError(Exception):
    """What is wrong with an agent, for the user."""


class AgentEnded(AgentError):
    """The agent has ended, or never started."""


class AgentSilent(AgentError):
    """No event has come for too long."""


class Agent:
    """A running agent. Timeouts are in seconds."""

    def __init__(self, process: Process, silence: float) -> None:
        assert process.stdin and process.stdout
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._silence = silence
        self._in_turn = False

    @classmethod
    async def start(
        cls, command: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None, startup: float = 30, silence: float = 60
    ) -> "Agent":
        """Starts the agent and waits until it is ready. Its stderr is the host's."""
        pipe = asyncio.subprocess.PIPE
        arguments = [*command, "--json-stream", "--session-id", str(uuid.uuid4())]
        try:
            # A process group of its own, so that the tools of the agent end with it.
            process = await asyncio.create_subprocess_exec(
                *arguments, cwd=cwd, env=env, stdin=pipe, stdout=pipe, limit=LONGEST_LINE, start_new_session=True
            )
        except OSError as error:
            raise AgentEnded(f"the agent cannot be started: {error}") from error
        agent = cls(process, silence)
        try:
            while (await agent._next_event(startup))["type"] != "ready":
                pass
        except BaseException:
            await agent.close()
            raise
        return agent

    async def prompt(self, text: str, *, on_text: Callable[[str], object], decide: Decide) -> None:
        """Sends a prompt and returns when the turn has ended.

        `on_text` is called with each piece of the answer, `await decide(tool)` returns None to approve a call, or the reason of a denial.
        """
        turn = str(uuid.uuid4())
        answered: set[str] = set()
        self._in_turn = True
        await self._send({"type": "message", "msg_id": turn, "input": text})
        while True:
            event = await self._next_event(self._silence)
            if event.get("msg_id") not in (turn, None):
                continue  # A late event of an earlier turn.
            if event["type"] == "stream_end":
                self._in_turn = False
                return
            try:
                await self._handle(event, answered, on_text, decide)
            except KeyError as missing:
                raise AgentError(f"an event has no {missing}: {json.dumps(event)[:200]}") from None

    async def close(self) -> None:
        """Ends the agent: closes its stdin, then SIGTERM, then SIGKILL. A turn is stopped first, so that no call stays unanswered."""
        if self._in_turn:
            await self._send({"type": "stop"})
        self._stdin.close()
        for last_resort in (signal.SIGTERM, signal.SIGKILL):
            try:
                # Reading to the end keeps an agent that still writes from being blocked.
                await asyncio.wait_for(asyncio.gather(self._process.wait(), self._drain()), GRACE)
                return
            except TimeoutError:
                self._signal(last_resort)
        await self._process.wait()

    async def _handle(self, event: Json, answered: set[str], on_text: Callable[[str], object], decide: Decide) -> None:
        match event["type"]:
            case "text_delta":
                on_text(event["text"])
            case "tool_request" if event["call_id"] not in answered:
                answered.add(event["call_id"])
                await self._send(decision(event["call_id"], await decide(event["tool"])))
            case "error":
                on_text(f"[{event['error']['message']}]")
            case _:
                pass

    async def _send(self, command: Json) -> None:
        try:
            self._stdin.write(json.dumps(command).encode() + b"\n")
            await self._stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            pass  # The agent has ended; reading says so.

    async def _next_event(self, timeout: float) -> Json:
        """The next event that is JSON. Other lines are shown and skipped."""
        while True:
            try:
                line = await asyncio.wait_for(self._stdout.readline(), timeout)
            except TimeoutError:
                raise AgentSilent(f"no answer for {timeout} s") from None
            except ValueError:
                raise AgentError(f"a line of the agent is longer than {LONGEST_LINE} bytes") from None
            if not line.endswith(b"\n"):
                torn = f" in the middle of a line: {line.decode(errors='replace')[:200]}" if line else ""
                await self.close()
                raise AgentEnded(f"the agent has ended (status {self._process.returncode}){torn}")
            try:
                event = json.loads(line)
            except ValueError:
                event = None
            if is_event(event):
                return event
            print(f"not an event: {line.decode(errors='replace').strip()[:200]}", file=sys.stderr)

    async def _drain(self) -> None:
        while await self._stdout.read(65536):
            pass

    def _signal(self, number: signal.Signals) -> None:
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            pass


def is_event(value: Any) -> TypeGuard[Json]:
    return isinstance(value, dict) and isinstance(cast(Json, value).get("type"), str)


def decision(call: str, reason: str | None) -> Json:
    """The command that approves a call, or denies it for a reason."""
    if reason is None:
        return {"type": "tool_approve", "call_id": call, "scope": "once"}
    return {"type": "tool_deny", "call_id": call, "reason": reason}


async def main(command: Sequence[str]) -> int:
    """Reads prompts from stdin until it ends; returns the exit status."""

    def say(text: str) -> None:
        print(text, end="", flush=True)

    async def ask(tool: Json) -> str | None:
        say(f"\n{tool['name']}: {tool['description']}. Run it? [y or a reason] ")
        answer = (await asyncio.to_thread(sys.stdin.readline)).strip()
        return None if answer == "y" else answer or "The user said no."

    try:
        agent = await Agent.start(command)
    except AgentError as error:
        print(error, file=sys.stderr)
        return 1
    try:
        while text := await asyncio.to_thread(sys.stdin.readline):
            await agent.prompt(text.rstrip("\n"), on_text=say, decide=ask)
            say("\n")
        return 0
    except AgentError as error:
        say(f"\n{error}\n")
        return 1
    finally:
        await agent.close()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:] or ["aionrs"])))
