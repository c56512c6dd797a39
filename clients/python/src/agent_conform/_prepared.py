"""What a test prepares: the command and the environment for the host, and the files of the agents in their folder."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from typing_extensions import Unpack

from . import _transcript as transcript
from ._closing import run_deferred
from ._control import AgentEnded, Refused, Registered, failed_start, registered, request
from ._findings import Finding, HostError, judge, parse_findings
from ._matching import is_match
from ._options import Options, arguments_of, check, find_program, protocol_arguments, script_setting
from ._start_check import check_start

# The polling interval of files and processes during a wait, in seconds.
STEP = 0.01


# How long an agent may take to start, in seconds.
START = 2.0


class Prepared:
    """A mock agent for a host.

    command, args: The program for the host to start, and the arguments that select the protocol.
    env: The variables for the host, which passes them on to its agents. Those of the test itself are not among them.
    folder: A folder that only this test has, for example as the workspace of the agent. It is removed at the end,
        unless the host broke the protocol.
    """

    def __init__(self, **options: Unpack[Options]) -> None:
        check(options)
        self.command = find_program("mock-agent", options.get("program"))
        self.args = arguments_of(options)
        self._options = options
        self._timeout = options.get("timeout", 4.0)
        self._expected: set[str] = set()
        self._allowed: set[str] = set()
        self._deferred: list[Callable[[], object]] = []
        self._before_removal: list[Callable[[], object]] = []
        self._is_closed = False
        self._own = Path(tempfile.mkdtemp(prefix="mock-agent-"))
        self._control = self._own / "control"
        self.folder = self._own / "workspace"
        self.folder.mkdir()
        self.env = self._environment(options)
        self._check_start()

    def _check_start(self) -> None:
        """Raises ValueError if an agent cannot start with this protocol and this script, unless that is what the test is about."""
        options = self._options
        if options.get("may_stay_unused", False) or not options.keys() & {"protocol", "dialect_dir"}:
            return
        folder = self._own / "check"
        folder.mkdir()
        check_start(self.command, protocol_arguments(options), self.env, folder)
        shutil.rmtree(folder)

    def _environment(self, options: Options) -> dict[str, str]:
        is_port = sys.platform == "win32"
        env = {
            "MOCK_AGENT_CONTROL": f"tcp:{self._control}" if is_port else str(self._control),
            "MOCK_AGENT_JUDGE": str(self._own / "host-{pid}.txt"),
            "MOCK_AGENT_TRANSCRIPT": str(self._own / "session-{pid}.jsonl"),
        }
        if "protocol" in options:
            env["MOCK_AGENT_DIALECT" if "dialect_dir" in options else "MOCK_AGENT_PROTOCOL"] = options["protocol"]
        if "dialect_dir" in options:
            env["MOCK_AGENT_DIALECT_DIR"] = os.path.abspath(options["dialect_dir"])
        if "script" in options:
            env["MOCK_AGENT_SCRIPT"] = script_setting(options["script"], self._own / "script.yaml")
        if "fault" in options:
            env["MOCK_AGENT_FAULT"] = options["fault"]
        if "pace" in options:
            env["MOCK_AGENT_PACE"] = options["pace"]
        if "retries" in options:
            env["MOCK_AGENT_RETRIES"] = str(options["retries"])
        if "clock" in options:
            env["MOCK_AGENT_CLOCK"] = str(options["clock"])
        return {**env, **options.get("env", {})}

    def commands(self) -> list[Any]:
        """The commands of the host to all of its agents, one agent after the other, also after they have ended."""
        return [command for pid in self._sessions() for command in transcript.commands(self._transcript(pid))]

    def findings(self) -> list[Finding]:
        """The mistakes of the host so far, by the judgement of each agent."""
        files = (self._own / f"host-{pid}.txt" for pid in self._sessions())
        return [finding for file in files for finding in parse_findings(file.read_text(encoding="utf-8"))]

    def expect_finding(self, id: str) -> None:
        """Expects that the host breaks this rule or clause. The end of the test fails if it does not."""
        self._expected.add(id)

    def allow_finding(self, id: str) -> None:
        """Allows the host to break this rule or clause, such as one with the level `should`."""
        self._allowed.add(id)

    def _last_command(self, matches: Mapping[str, object]) -> Any:
        """The first command to the agent that was started last that has the values of a matcher. None if there is none."""
        for pid in self._sessions()[-1:]:
            return next((command for command in transcript.commands(self._transcript(pid)) if is_match(command, matches)), None)

    def _shown(self) -> str:
        """The sessions of the test, for its report."""
        return "\n\n".join(transcript.shown(self._transcript(pid)) for pid in self._sessions())

    def _transcript(self, pid: int) -> Path:
        return self._own / f"session-{pid}.jsonl"

    def _sessions(self) -> list[int]:
        """The processes between the host and each agent, which record and judge, in the order of their ids."""
        return sorted(int(file.stem.removeprefix("host-")) for file in self._own.glob("host-*.txt"))

    def _has_failed(self) -> bool:
        return failed_start(self._control) is not None

    def _not_started(self, number: int | None) -> Exception:
        failed = failed_start(self._control)
        if failed:
            return HostError(failed)
        started = len(registered(self._control))
        which = "no agent" if number is None else f"no agent {number}"
        ended = " and ended" if number is None else ""
        why = f"{started} have started{ended}" if started else "does the host start `command` with the variables of `env`?"
        return TimeoutError(f"{which} has started within {self._timeout:g} s: {why}")

    def _finish(self) -> None:
        """Waits until the agents have ended, and judges the host."""
        if self._is_closed:
            return
        self._is_closed = True
        errors = run_deferred(self._deferred)
        errors += self._end()
        for action in self._before_removal:
            action()
        broken = judge(self.findings(), self._expected, self._allowed)
        if broken is not None:
            # The transcript of a session with a mistake is kept: the message names it.
            errors.append(broken)
        else:
            shutil.rmtree(self._own, ignore_errors=True)
        if len(errors) == 1:
            raise errors[0]
        if errors:
            findings = broken.findings if broken else []
            raise HostError("\n\n".join(str(error) for error in errors), findings) from errors[0]

    def _end(self) -> list[Exception]:
        agents = self._started()
        pids = [agent.pid for agent in agents] + self._sessions()
        may_outlive = self._options.get("may_outlive", False)
        failed = failed_start(self._control)
        if not agents:
            failed = failed or "the host has started no agent: does it pass on the variables of `env`?"
        errors: list[Exception] = [HostError(failed)] if failed and not self._options.get("may_stay_unused", False) else []
        if not may_outlive:
            self._until_ended(pids)
        left = [agent for agent in agents if is_running(agent.pid)]
        for agent in left:
            try:
                crash(agent, {}, self._timeout)
                self._until_ended([agent.pid])
                if is_running(agent.pid):
                    errors.append(TimeoutError(f"the agent {agent.order} (process {agent.pid}) still runs"))
            except Refused:
                pass  # It is ending by itself.
            except Exception as error:
                errors.append(error)
        self._until_ended(pids)
        outlived = [] if may_outlive else left
        return errors + [HostError(self._outlived(agent)) for agent in outlived]

    def _outlived(self, agent: Registered) -> str:
        still = f"the agent {agent.order} (process {agent.pid}) still runs {self._timeout:g} s after the end of the test"
        return f"{still}: end it, or its host, in a `finally` or with `agent.defer(host.close)`; a server that tests share has `may_outlive=True`"

    def _started(self) -> list[Registered]:
        """The agents of the host, which may have just started one."""
        end = time.monotonic() + min(START, self._timeout)
        while True:
            agents = registered(self._control)
            is_late = self._options.get("may_stay_unused", False) or time.monotonic() > end
            if agents or is_late or failed_start(self._control):
                return agents
            time.sleep(STEP)

    def _until_ended(self, pids: list[int]) -> None:
        end = time.monotonic() + self._timeout
        while any(map(is_running, pids)) and time.monotonic() < end:
            time.sleep(STEP)


def crash(agent: Registered, how: dict[str, Any], timeout: float) -> None:
    """Ends an agent, which may be gone before it answers."""
    try:
        request(agent, {"crash": how}, timeout)
    except AgentEnded:
        pass


def is_running(pid: int) -> bool:
    """Whether a process runs. One that has ended and is not yet reaped by its parent does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return not Path("/proc/self/stat").exists()
    return stat[stat.rindex(")") + 2] not in "ZX"
