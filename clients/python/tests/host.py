"""A small host: it starts an agent, sends commands, and waits for events."""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

from agent_conform import MockAgent
from agent_conform.aio import AsyncMockAgent


class Host:
    def __init__(self, agent: MockAgent | AsyncMockAgent) -> None:
        self._process = subprocess.Popen(
            [agent.command, *agent.args],
            cwd=agent.folder,
            env={**os.environ, **agent.env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )

    def send(self, command: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps(command).encode() + b"\n")
        self._process.stdin.flush()

    def event(self, type: str) -> dict[str, Any] | None:
        """The next event of this type; those before it are dropped. None if the agent ends."""
        assert self._process.stdout
        for line in iter(self._process.stdout.readline, b""):
            event = json.loads(line)
            if event["type"] == type:
                return event
        return None

    def close(self) -> None:
        self._process.communicate()
