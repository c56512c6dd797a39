"""Mock agents and scripted models for asyncio: the same names as of the package, as coroutines."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from typing_extensions import Self, Unpack

from ._aio_model import AsyncMockModel, start_model
from ._control import AgentEnded, Refused, Registered, Status, registered, request_async
from ._journal import JournalEntry, commands_of
from ._options import Options, Script, script_setting
from ._prepared import STEP, Prepared, is_running

__all__ = ["AsyncAgentProcess", "AsyncMockAgent", "AsyncMockModel", "start_mock_agent", "start_model"]


class AsyncAgentProcess:
    """One agent that the host has started."""

    def __init__(self, agent: Registered, folder: Path, timeout: float) -> None:
        self.number = agent.order
        self.pid = agent.pid
        self._agent = agent
        self._folder = folder
        self._timeout = timeout

    @property
    def is_running(self) -> bool:
        return is_running(self.pid)

    async def wait_for_end(self) -> None:
        """Waits until the process has ended."""
        end = time.monotonic() + self._timeout
        while self.is_running:
            if time.monotonic() > end:
                raise TimeoutError(f"the agent {self.number} (process {self.pid}) still runs")
            await asyncio.sleep(STEP)

    async def wait_for_gate(self, gate: str) -> None:
        """Waits until the answer is held at this gate of the script. All before it is written; the host may not have read it yet."""
        await self._do({"wait_gate": {"gate": gate, "timeout_ms": int(self._timeout * 1000)}})

    async def release(self, gate: str) -> None:
        """Releases a gate of the script permanently, also before it is reached."""
        await self._do({"release": {"gate": gate}})

    async def wait_for_command(self, matches: Mapping[str, object], *, after: int = 0) -> Any:
        """Waits until the host has sent a command that matches, and returns it. Those up to `after` in the journal do not count."""
        entry = await self._do({"wait_command": {"matches": matches, "after": after, "timeout_ms": int(self._timeout * 1000)}})
        return entry["frame"]

    async def advance(self, seconds: float) -> list[float]:
        """Advances the clock of an agent with `clock="stopped"`, once something waits for it.

        Returns when the agent has done what follows: how long each wait that is left still takes, in seconds.
        """
        advanced = await self._do({"advance": {"by_ms": round(seconds * 1000), "timeout_ms": int(self._timeout * 1000)}})
        return [wait / 1000 for wait in advanced["waits_ms"]]

    async def send(self, event: Mapping[str, object]) -> None:
        """Sends an event to the host."""
        await self._do({"send": {"frame": event}})

    async def send_raw(self, text: str) -> None:
        """Writes raw text to the host, without a line feed."""
        await self._do({"send_raw": {"text": text}})

    async def fault(self, id: str) -> None:
        """Plays a fault from now on; `conform list faults` lists them."""
        await self._do({"fault": {"id": id}})

    async def crash(self, *, status: int | None = None, signal: Literal["SIGKILL", "SIGABRT", "SIGTERM"] | None = None) -> None:
        """Ends the process immediately, with SIGKILL, another signal, or an exit status. SIGTERM ends an agent normally."""
        try:
            await self._do({"crash": {"status": status, "signal": signal}})
        except AgentEnded:
            pass
        await self.wait_for_end()

    async def reset(self, script: Script) -> None:
        """Replaces the script from the next request to the model on, and closes all gates."""
        await self._do({"reset": {"script": script_setting(script, self._folder / f"script-{self.number}-reset.yaml")}})

    async def journal(self, *, after: int = 0) -> list[JournalEntry]:
        """What the host and the agent have written, and what happened at gates."""
        return (await self._do({"journal": {"after": after}}))["entries"]

    async def commands(self) -> list[Any]:
        """The commands of the host so far, in order."""
        return commands_of(await self.journal())

    async def status(self) -> Status:
        return await self._do("status")

    async def _do(self, command: object) -> Any:
        return await request_async(self._agent, command, self._timeout)


class AsyncMockAgent(Prepared):
    """A mock agent for a host. Its methods act on the agent that was started last and still runs; they wait until there is one."""

    def agents(self) -> list[AsyncAgentProcess]:
        """The agents that the host has started, in order, also those that have ended."""
        return [AsyncAgentProcess(agent, self._own, self._timeout) for agent in registered(self._control)]

    async def wait_for_agent(self, number: int | None = None) -> AsyncAgentProcess:
        """Waits for an agent of the host: by its number from 1, also one that has ended since, or one that runs."""
        end = time.monotonic() + self._timeout
        while True:
            found = await self._running() if number is None else next((agent for agent in self.agents() if agent.number == number), None)
            if found is not None:
                return found
            if time.monotonic() > end or self._has_failed():
                raise self._not_started(number)
            await asyncio.sleep(STEP)

    async def _running(self) -> AsyncAgentProcess | None:
        """The agent that was started last and still runs."""
        for agent in reversed(self.agents()):
            if await _answers(agent):
                return agent
        return None

    async def wait_for_gate(self, gate: str) -> None:
        """Waits until the answer is held at this gate of the script. All before it is written; the host may not have read it yet."""
        await (await self.wait_for_agent()).wait_for_gate(gate)

    async def release(self, gate: str) -> None:
        """Releases a gate of the script permanently, also before it is reached."""
        await (await self.wait_for_agent()).release(gate)

    async def wait_for_command(self, matches: Mapping[str, object], *, after: int = 0) -> Any:
        """Waits until the host has sent a command that matches, and returns it. Those up to `after` in the journal do not count."""
        while True:
            running = await self._running()
            command = self._last_command(matches) if running is None and after == 0 else None
            if command is not None:
                return command
            try:
                return await (running or await self.wait_for_agent()).wait_for_command(matches, after=after)
            except AgentEnded:
                pass

    async def advance(self, seconds: float) -> list[float]:
        """Advances the clock of an agent with `clock="stopped"`, once something waits for it; returns the lengths of the remaining waits."""
        return await (await self.wait_for_agent()).advance(seconds)

    async def send(self, event: Mapping[str, object]) -> None:
        """Sends an event to the host."""
        await (await self.wait_for_agent()).send(event)

    async def send_raw(self, text: str) -> None:
        """Writes raw text to the host, without a line feed."""
        await (await self.wait_for_agent()).send_raw(text)

    async def fault(self, id: str) -> None:
        """Plays a fault from now on; `conform list faults` lists them."""
        await (await self.wait_for_agent()).fault(id)

    async def crash(self, *, status: int | None = None, signal: Literal["SIGKILL", "SIGABRT", "SIGTERM"] | None = None) -> None:
        """Ends the process immediately, with SIGKILL, another signal, or an exit status. SIGTERM ends an agent normally."""
        await (await self.wait_for_agent()).crash(status=status, signal=signal)

    async def reset(self, script: Script) -> None:
        """Replaces the script from the next request to the model on, and closes all gates."""
        await (await self.wait_for_agent()).reset(script)

    async def journal(self, *, after: int = 0) -> list[JournalEntry]:
        """What the host and the agent have written, and what happened at gates."""
        return await (await self.wait_for_agent()).journal(after=after)

    async def status(self) -> Status:
        return await (await self.wait_for_agent()).status()

    async def close(self) -> None:
        """Ends the test: waits until the agents have ended; fails if one outlives its host, or if the host broke the protocol or started none."""
        await asyncio.to_thread(self._finish)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()


async def _answers(agent: AsyncAgentProcess) -> bool:
    try:
        await agent.status()
        return True
    except (AgentEnded, Refused):
        return False


def start_mock_agent(**options: Unpack[Options]) -> AsyncMockAgent:
    """Prepares a mock agent. The host starts it: with `command`, `args` and the variables of `env`."""
    return AsyncMockAgent(**options)
