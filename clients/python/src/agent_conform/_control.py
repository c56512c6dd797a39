"""The control socket of an agent: a request and its response, each a JSON object on a line, on a connection of its own."""

from __future__ import annotations

import asyncio
import json
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypedDict, cast

# How long a response may take beyond the timeout of its request, in seconds.
SLACK = 10

# The longest response, in bytes: a journal of 32 MiB, escaped.
LONGEST = 256 * 1024 * 1024


class AgentEnded(Exception):
    """The agent has ended, or ends before it answers."""


class Refused(Exception):
    """The agent refuses a request, or a wait has ended."""


class Status(TypedDict):
    """The status of an agent: `gates` hold a reply, `journal` is the number of entries."""

    order: int
    name: str
    pid: int
    session: str | None
    gates: list[str]
    journal: int
    # How long each wait on a stopped clock still takes, in milliseconds.
    waits_ms: list[int]


@dataclass(frozen=True)
class Registered:
    """An agent, or a model, as it has registered in the control folder."""

    order: int
    name: str
    pid: int
    address: str
    token: str | None = None

    @property
    def title(self) -> str:
        return f"the model (process {self.pid})" if self.name == "provider" else f"the agent {self.order} ({self.name}, process {self.pid})"


def registered(folder: Path) -> list[Registered]:
    """The agents that have registered in a folder, in the order in which they started."""
    found: list[Registered] = []
    for file in folder.glob("*.json"):
        try:
            found.append(Registered(**json.loads(file.read_text(encoding="utf-8"))))
        except ValueError:
            pass  # It is being written.
    return sorted(found, key=lambda agent: agent.order)


def failed_start(folder: Path) -> str | None:
    """Why an agent of a folder has not started, if one has not: a mistake in its arguments, its variables or its script."""
    files = sorted(folder.glob("failed-*.txt"), key=lambda file: file.stat().st_mtime)
    return f"the agent did not start: {files[-1].read_text(encoding='utf-8')}" if files else None


def request(agent: Registered, command: object, timeout: float) -> Any:
    """Sends one request and returns its result."""
    try:
        with _connect(agent, timeout + SLACK) as connection:
            connection.sendall(_line(agent, command))
            with connection.makefile("rb") as responses:
                line = responses.readline()
    except TimeoutError:
        raise Refused(f"{agent.title} does not answer") from None
    except OSError:
        line = b""
    return _result(agent, line)


async def request_async(agent: Registered, command: object, timeout: float) -> Any:
    """The same without blocking."""
    try:
        line = await asyncio.wait_for(_exchange(agent, command), timeout + SLACK)
    except (asyncio.TimeoutError, TimeoutError):
        raise Refused(f"{agent.title} does not answer") from None
    except OSError:
        line = b""
    return _result(agent, line)


async def _exchange(agent: Registered, command: object) -> bytes:
    host, port = _port(agent)
    opening = asyncio.open_unix_connection(agent.address.removeprefix("unix:"), limit=LONGEST) if port is None else asyncio.open_connection(host, port, limit=LONGEST)
    reader, writer = await opening
    try:
        writer.write(_line(agent, command))
        await writer.drain()
        return await reader.readline()
    finally:
        writer.close()


def _connect(agent: Registered, timeout: float) -> socket.socket:
    host, port = _port(agent)
    if port is not None:
        return socket.create_connection((host, port), timeout)
    connection = socket.socket(socket.AF_UNIX)
    connection.settimeout(timeout)
    try:
        connection.connect(agent.address.removeprefix("unix:"))
    except OSError:
        connection.close()
        raise
    return connection


def _port(agent: Registered) -> tuple[str, int | None]:
    if not agent.address.startswith("tcp:"):
        return "", None
    host, _, port = agent.address.removeprefix("tcp:").rpartition(":")
    return host, int(port)


def _line(agent: Registered, command: object) -> bytes:
    token = {} if agent.token is None else {"token": agent.token}
    return json.dumps({**token, "do": command}).encode() + b"\n"


def _result(agent: Registered, line: bytes) -> Any:
    if not line:
        raise AgentEnded(f"{agent.title} has ended")
    response = cast("dict[str, Any]", json.loads(line))
    if "error" in response:
        raise Refused(response["error"])
    return response.get("ok")
