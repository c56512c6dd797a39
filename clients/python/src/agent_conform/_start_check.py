"""Whether a mock agent starts with its protocol and its script, before a host starts it."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

# The exit status of a program that does not start.
USAGE = 2

# How long the agent may take to report a mistake, in seconds. One that keeps running has started.
LIMIT = 1.0

_SETTINGS = {"MOCK_AGENT_PROTOCOL", "MOCK_AGENT_DIALECT", "MOCK_AGENT_DIALECT_DIR", "MOCK_AGENT_SCRIPT"}


def check_start(command: str, args: Sequence[str], env: Mapping[str, str], folder: Path) -> None:
    """Starts the agent without a host, in a folder of its own, where it ends immediately. Raises ValueError if it does not start."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("MOCK_AGENT_")}
    settings = {name: value for name, value in env.items() if name in _SETTINGS}
    surroundings = {**inherited, **settings, "HOME": str(folder), "MOCK_AGENT_CLOCK": "1000000"}
    null = subprocess.DEVNULL
    try:
        ended = subprocess.run([command, *args], cwd=folder, env=surroundings, stdin=null, stdout=null, stderr=subprocess.PIPE, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return
    mistake = re.search(r"^mock-agent: ([\s\S]*)", ended.stderr.decode(errors="replace"), re.MULTILINE)
    if ended.returncode == USAGE and mistake:
        raise ValueError(f"the agent did not start: {mistake[1].rstrip()}")
