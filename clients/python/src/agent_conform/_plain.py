"""Mock agents without asyncio."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Literal

from typing_extensions import Self, Unpack

from ._control import AgentEnded, Refused, Registered, Status, registered, request
from ._journal import JournalEntry, commands_of
from ._options import Options, Script, script_setting
from ._prepared import STEP, Prepared, crash, is_running


class AgentProcess:
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

    def wait_for_end(self) -> None:
        """Waits until the process has ended."""
        end = time.monotonic() + self._timeout
        while self.is_running:
            if time.monotonic() > end:
                raise TimeoutError(f"the agent {self.number} (process {self.pid}) still runs")
            time.sleep(STEP)

    def wait_for_gate(self, gate: str) -> None:
        """Waits until the answer is held at this gate of the script. All before it is written; the host may not have read it yet."""
        self._do({"wait_gate": {"gate": gate, "timeout_ms": int(self._timeout * 1000)}})

    def release(self, gate: str) -> None:
        """Releases a gate of the script permanently, also before it is reached."""
        self._do({"release": {"gate": gate}})

    def wait_for_command(self, matches: Mapping[str, object], *, after: int = 0) -> Any:
        """Waits until the host has sent a command that matches, and returns it. Those up to `after` in the journal do not count."""
        entry = self._do({"wait_command": {"matches": matches, "after": after, "timeout_ms": int(self._timeout * 1000)}})
        return entry["frame"]

    def advance(self, seconds: float) -> list[float]:
        """Advances the clock of an agent with `clock="stopped"`, once something waits for it.

        Returns when the agent has done what follows: how long each wait that is left still takes, in seconds.
        """
        advanced = self._do({"advance": {"by_ms": round(seconds * 1000), "timeout_ms": int(self._timeout * 1000)}})
        return [wait / 1000 for wait in advanced["waits_ms"]]

    def send(self, event: Mapping[str, object]) -> None:
        """Sends an event to the host."""
        self._do({"send": {"frame": event}})

    def send_raw(self, text: str) -> None:
        """Writes raw text to the host, without a line feed."""
        self._do({"send_raw": {"text": text}})

    def fault(self, id: str) -> None:
        """Plays a fault from now on; `conform list faults` lists them."""
        self._do({"fault": {"id": id}})

    def crash(self, *, status: int | None = None, signal: Literal["SIGKILL", "SIGABRT", "SIGTERM"] | None = None) -> None:
        """Ends the process immediately, with SIGKILL, another signal, or an exit status. SIGTERM ends an agent normally."""
        crash(self._agent, {"status": status, "signal": signal}, self._timeout)
        self.wait_for_end()

    def reset(self, script: Script) -> None:
        """Replaces the script from the next request to the model on, and closes all gates."""
        self._do({"reset": {"script": script_setting(script, self._folder / f"script-{self.number}-reset.yaml")}})

    def journal(self, *, after: int = 0) -> list[JournalEntry]:
        """What the host and the agent have written, and what happened at gates."""
        return self._do({"journal": {"after": after}})["entries"]

    def commands(self) -> list[Any]:
        """The commands of the host so far, in order."""
        return commands_of(self.journal())

    def status(self) -> Status:
        return self._do("status")

    def _do(self, command: object) -> Any:
        return request(self._agent, command, self._timeout)


class MockAgent(Prepared):
    """A mock agent for a host. Its methods act on the agent that was started last and still runs; they wait until there is one."""

    def agents(self) -> list[AgentProcess]:
        """The agents that the host has started, in order, also those that have ended."""
        return [AgentProcess(agent, self._own, self._timeout) for agent in registered(self._control)]

    def wait_for_agent(self, number: int | None = None) -> AgentProcess:
        """Waits for an agent of the host: by its number from 1, also one that has ended since, or one that runs."""
        end = time.monotonic() + self._timeout
        while True:
            found = self._running() if number is None else next((agent for agent in self.agents() if agent.number == number), None)
            if found is not None:
                return found
            if time.monotonic() > end or self._has_failed():
                raise self._not_started(number)
            time.sleep(STEP)

    def _running(self) -> AgentProcess | None:
        """The agent that was started last and still runs."""
        for agent in reversed(self.agents()):
            if _answers(agent):
                return agent
        return None

    def wait_for_gate(self, gate: str) -> None:
        """Waits until the answer is held at this gate of the script. All before it is written; the host may not have read it yet."""
        self.wait_for_agent().wait_for_gate(gate)

    def release(self, gate: str) -> None:
        """Releases a gate of the script permanently, also before it is reached."""
        self.wait_for_agent().release(gate)

    def wait_for_command(self, matches: Mapping[str, object], *, after: int = 0) -> Any:
        """Waits until the host has sent a command that matches, and returns it. Those up to `after` in the journal do not count."""
        while True:
            running = self._running()
            command = self._last_command(matches) if running is None and after == 0 else None
            if command is not None:
                return command
            try:
                return (running or self.wait_for_agent()).wait_for_command(matches, after=after)
            except AgentEnded:
                pass

    def advance(self, seconds: float) -> list[float]:
        """Advances the clock of an agent with `clock="stopped"`, once something waits for it; returns the lengths of the remaining waits."""
        return self.wait_for_agent().advance(seconds)

    def send(self, event: Mapping[str, object]) -> None:
        """Sends an event to the host."""
        self.wait_for_agent().send(event)

    def send_raw(self, text: str) -> None:
        """Writes raw text to the host, without a line feed."""
        self.wait_for_agent().send_raw(text)

    def fault(self, id: str) -> None:
        """Plays a fault from now on; `conform list faults` lists them."""
        self.wait_for_agent().fault(id)

    def crash(self, *, status: int | None = None, signal: Literal["SIGKILL", "SIGABRT", "SIGTERM"] | None = None) -> None:
        """Ends the process immediately, with SIGKILL, another signal, or an exit status. SIGTERM ends an agent normally."""
        self.wait_for_agent().crash(status=status, signal=signal)

    def reset(self, script: Script) -> None:
        """Replaces the script from the next request to the model on, and closes all gates."""
        self.wait_for_agent().reset(script)

    def journal(self, *, after: int = 0) -> list[JournalEntry]:
        """What the host and the agent have written, and what happened at gates."""
        return self.wait_for_agent().journal(after=after)

    def status(self) -> Status:
        return self.wait_for_agent().status()

    def defer(self, action: Callable[[], object]) -> None:
        """Calls the function at the beginning of `close`, the last one first: to end the host, before it is judged."""
        self._deferred.append(action)

    def close(self) -> None:
        """Ends the test: waits until the agents have ended; fails if one outlives its host, or if the host broke the protocol or started none."""
        self._finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def _answers(agent: AgentProcess) -> bool:
    try:
        agent.status()
        return True
    except (AgentEnded, Refused):
        return False


def start_mock_agent(**options: Unpack[Options]) -> MockAgent:
    """Prepares a mock agent. The host starts it: with `command`, `args` and the variables of `env`."""
    return MockAgent(**options)
