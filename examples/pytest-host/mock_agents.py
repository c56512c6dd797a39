"""Controls mock agents from a test. Copy this file and conftest.py into the tests of your host: they need nothing but pytest."""

import json
import os
import socket
import time
from pathlib import Path

# How long the waits of a test may take, in seconds. Only a failure waits this long.
TIMEOUT = 20


class MockAgents:
    """What the agents of one test share: a folder in which they register, write their judgements, and find their script."""

    def __init__(self, folder: Path):
        self.folder = folder
        self._control = folder / "control"
        self._clients = []

    def env(self, *, script=None, fault=None):
        """The environment for the host, which passes it on to its agents. `script` is a model script, as YAML."""
        env = {**os.environ, "MOCK_AGENT_CONTROL": str(self._control), "MOCK_AGENT_JUDGE": str(self.folder / "host-{pid}.txt")}
        if script is not None:
            (self.folder / "script.yaml").write_text(script)
            env["MOCK_AGENT_SCRIPT"] = str(self.folder / "script.yaml")
        if fault is not None:
            env["MOCK_AGENT_FAULT"] = fault
        return env

    def agent(self, order=1):
        """The agent that was started as the first, second, ... one. Waits until it has started."""
        file = self._control / f"{order}.json"
        wait_until(file.exists, f"agent {order} has not started")
        self._clients.append(MockAgent(json.loads(file.read_text())))
        return self._clients[-1]

    def started(self):
        """The process ids of the agents that have started."""
        return [json.loads(file.read_text())["pid"] for file in self._control.glob("*.json")]

    def mistakes(self):
        """What the host did wrong, by the judgement of each agent."""
        files = sorted(self.folder.glob("host-*.txt"))
        assert files, "no agent has judged the host"
        return "".join(file.read_text() for file in files)

    def close(self):
        for client in self._clients:
            client.close()


class MockAgent:
    """One running agent: requests and responses are JSON objects, one on a line, over a Unix socket."""

    def __init__(self, registered):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(TIMEOUT + 5)
        self._socket.connect(registered["address"].removeprefix("unix:"))
        self._responses = self._socket.makefile(encoding="utf-8", newline="\n")

    def wait_gate(self, gate):
        """Waits until the answer is held at this gate of the script."""
        self._request({"wait_gate": {"gate": gate, "timeout_ms": TIMEOUT * 1000}})

    def release(self, gate):
        self._request({"release": {"gate": gate}})

    def wait_command(self, matches):
        """Waits for a command of the host that matches; returns it."""
        return self._request({"wait_command": {"matches": matches, "timeout_ms": TIMEOUT * 1000}})["frame"]

    def commands(self):
        """The commands of the host so far, in order."""
        return [entry["frame"] for entry in self._request({"journal": {}})["entries"] if entry["dir"] == "host"]

    def send(self, event):
        self._request({"send": {"frame": event}})

    def fault(self, name):
        self._request({"fault": {"id": name}})

    def crash(self, status=None):
        """Ends the process at once, with SIGKILL or this exit status."""
        try:
            self._request({"crash": {"status": status}})
        except ConnectionError:
            pass

    def close(self):
        self._responses.close()
        self._socket.close()

    def _request(self, command):
        self._socket.sendall(json.dumps({"do": command}).encode() + b"\n")
        line = self._responses.readline()
        if not line:
            raise ConnectionError("the agent has ended")
        response = json.loads(line)
        if "error" in response:
            raise AssertionError(response["error"])
        return response["ok"]


def is_running(pid):
    try:
        os.kill(pid, 0)
        return True
    except ProcessLookupError:
        return False


def wait_until(condition, otherwise):
    end = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < end, otherwise
        time.sleep(0.01)
