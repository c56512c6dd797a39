"""What a test can do with the agents of its host."""

from __future__ import annotations

import asyncio
import inspect
import json
import socket
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from host import Host

from agent_conform import AgentProcess, HostError, MockAgent, Refused, aio, start_mock_agent
from agent_conform.pytest_plugin import StartAsyncMockAgent, StartMockAgent
from agent_conform.types import AgentScript, ModelScript

PROTOCOL = "aionrs@0.1"
HALVES = [{"content": [{"text": "The answer is "}, {"gate": "half"}, {"text": "42."}]}]


def message(id: str) -> dict[str, Any]:
    return {"type": "message", "msg_id": id, "input": "What is the answer?"}


def started(agent: MockAgent) -> Host:
    host = Host(agent)
    agent.defer(host.close)
    return host


def text(host: Host) -> str:
    return (host.event("text_delta") or {})["text"]


def test_an_answer_is_held_at_a_gate_and_released(mock_agent: StartMockAgent) -> None:
    agent = mock_agent(protocol=PROTOCOL, script=HALVES)
    host = started(agent)
    host.event("ready")
    host.send(message("m1"))
    agent.wait_for_gate("half")
    assert agent.status()["gates"] == ["half"]
    assert text(host) == "The answer is "
    agent.release("half")
    assert text(host) == "42."
    host.event("stream_end")
    assert agent.wait_for_command({"type": "message"}) == message("m1")
    journal = agent.journal()
    assert any(entry.get("gate") == "half" for entry in journal)
    assert agent.journal(after=len(journal)) == []


def test_a_crash_is_followed_by_the_next_agent_and_the_commands_of_both_are_kept(mock_agent: StartMockAgent) -> None:
    agent = mock_agent(protocol=PROTOCOL, script=HALVES)
    first = started(agent)
    first.event("ready")
    first.send(message("m1"))
    agent.wait_for_gate("half")
    agent.crash(status=3)
    assert first.event("stream_end") is None
    second = started(agent)
    second.event("ready")
    second.send(message("m2"))
    agent.wait_for_agent(2).release("half")
    second.event("stream_end")
    assert [command["msg_id"] for command in agent.commands()] == ["m1", "m2"]
    assert [(one.number, one.is_running) for one in agent.agents()] == [(1, False), (2, True)]


def test_events_bytes_faults_and_a_new_script_come_when_the_test_wants_them(mock_agent: StartMockAgent) -> None:
    agent = mock_agent(protocol=PROTOCOL)
    host = started(agent)
    host.event("ready")
    agent.send({"type": "info", "msg_id": "m0", "message": "by the test"})
    assert (host.event("info") or {})["message"] == "by the test"
    agent.send_raw('{"type":"info","msg_id":"m0","message":"raw"}\n')
    assert (host.event("info") or {})["message"] == "raw"
    agent.reset("- text: Another one.")
    agent.fault("two-stream-ends")
    host.send(message("m1"))
    assert text(host) == "Another one."
    host.event("stream_end")
    host.event("stream_end")
    with pytest.raises(Refused, match="no-such-fault"):
        agent.fault("no-such-fault")


def test_the_other_protocols_with_a_built_in_script_and_a_fault_from_the_start(mock_agent: StartMockAgent) -> None:
    pi = mock_agent(protocol="pi@0.87", script="markdown")
    host = started(pi)
    host.send({"type": "prompt", "id": "p1", "message": "hi"})
    host.event("agent_settled")
    assert [command["type"] for command in pi.commands()] == ["prompt"]

    synaps = mock_agent(protocol="synaps@1", fault="no-ready", may_outlive=True)
    silent = Host(synaps)
    synaps.wait_for_agent()
    synaps.close()
    assert silent.event("ready") is None
    silent.close()
    assert not synaps.folder.exists()


def broken(*expected: str) -> MockAgent:
    """An agent whose host sends a mode that the protocol does not have."""
    agent = start_mock_agent(protocol=PROTOCOL)
    host = started(agent)
    for id in expected:
        agent.expect_finding(id)
    host.event("ready")
    host.send({"type": "set_mode", "mode": "auto"})
    host.event("error")
    return agent


def test_a_mistake_of_the_host_has_its_clause_and_its_frame_in_the_session_and_after_it() -> None:
    agent = broken()
    [early] = agent.findings()
    assert early.rule == "aionrs/schema/>set_mode"
    assert json.loads(early.frame or "") == {"type": "set_mode", "mode": "auto"}
    with pytest.raises(HostError, match=r"aionrs\.mode\.shape \(section 2\.6") as raised:
        agent.close()
    [finding] = raised.value.findings
    assert (finding.rule, finding.level, finding.at) == (early.rule, "must", early.at)
    assert finding.message == early.message == '`>set_mode`: `/mode` is "auto"'
    assert finding.frame == early.frame
    assert finding.clauses == early.clauses
    assert [clause.id for clause in finding.clauses] == ["aionrs.command.type-field", "aionrs.mode.shape"]


def test_a_mistake_that_a_test_expects_is_none_and_its_absence_is_one() -> None:
    broken("aionrs/schema/>set_mode").close()
    broken("aionrs.mode.shape").close()
    missing = r"the host did not break aionrs\.stop\.aborts, which the test expects; it broke .*aionrs\.mode\.shape"
    with pytest.raises(HostError, match=missing):
        broken("aionrs.mode.shape", "aionrs.stop.aborts").close()


def test_a_mistake_that_a_test_allows_may_be_made_or_not() -> None:
    agent = broken()
    agent.allow_finding("aionrs/schema/>set_mode")
    agent.allow_finding("aionrs.stop.aborts")
    agent.close()


def test_a_clock_that_is_stopped_is_advanced_and_a_fast_one_runs_by_itself(mock_agent: StartMockAgent) -> None:
    script: ModelScript = [{"error": {"status": 529}}, {"error": {"status": 529}}, {"text": "Here I am."}]
    agent = mock_agent(protocol="pi@0.87", script=script, clock="stopped")
    host = started(agent)
    host.send({"type": "prompt", "id": "p1", "message": "hi"})
    first = (host.event("auto_retry_start") or {})["delayMs"] / 1000
    assert agent.advance(first) == [2 * first]
    assert agent.advance(2 * first) == []
    assert (host.event("auto_retry_end") or {})["success"] is True
    host.event("agent_settled")

    fast = mock_agent(protocol=PROTOCOL, script=[{"delay": "1h", "text": "late"}], clock=100_000)
    other = started(fast)
    other.event("ready")
    other.send(message("m1"))
    assert text(other) == "late"
    with pytest.raises(Refused, match="the clock of this agent runs by itself"):
        fast.advance(1)


def test_a_gate_that_the_script_does_not_have_is_refused(mock_agent: StartMockAgent) -> None:
    agent = mock_agent(protocol=PROTOCOL, script=HALVES)
    started(agent).event("ready")
    with pytest.raises(Refused, match="the script has no gate `hlf`; its gates: half"):
        agent.release("hlf")


def test_a_command_is_found_when_its_agent_has_just_ended(mock_agent: StartMockAgent, async_mock_agent: StartAsyncMockAgent) -> None:
    agents = mock_agent(protocol=PROTOCOL), async_mock_agent(protocol=PROTOCOL)
    for agent in agents:
        host = Host(agent)
        host.event("ready")
        host.send(message("m1"))
        host.event("stream_end")
        host.close()
    plain, asynchronous = agents
    assert plain.wait_for_command({"msg_id": "m1"}) == message("m1")
    assert asyncio.run(asynchronous.wait_for_command({"type": "message", "msg_id": "m1"})) == message("m1")


def test_an_agent_that_cannot_start_says_why() -> None:
    agent = start_mock_agent(protocol=PROTOCOL, args=["--max-turns", "none"])
    host = Host(agent)
    with pytest.raises(HostError, match="the agent did not start: .*--max-turns"):
        agent.wait_for_gate("half")
    host.close()
    with pytest.raises(HostError, match="the agent did not start: .*--max-turns"):
        agent.close()


@pytest.mark.parametrize("start", [start_mock_agent, aio.start_mock_agent])
def test_a_script_with_a_mistake_is_refused_before_a_host_starts_the_agent(start: Callable[..., object]) -> None:
    with pytest.raises(ValueError, match=r"the agent did not start: .*script\.yaml:1:3: unknown key `txt`; did you mean `text`\?"):
        start(protocol=PROTOCOL, script="- txt: 42.")
    with pytest.raises(ValueError, match="there is no built-in script `no-such`"):
        start(protocol=PROTOCOL, script="no-such")
    with pytest.raises(ValueError, match=r"the agent did not start: .*/no/such/file\.yaml"):
        start(protocol=PROTOCOL, script="/no/such/file.yaml")
    start(protocol=PROTOCOL, script="- txt: 42.", may_stay_unused=True)


def test_an_agent_that_is_just_being_started_is_not_missed() -> None:
    agent = start_mock_agent(protocol=PROTOCOL)
    starting = threading.Thread(target=lambda: Host(agent).close())
    starting.start()
    agent.close()
    starting.join()


def test_an_option_that_there_is_not_is_refused() -> None:
    with pytest.raises(TypeError, match="unknown option scrpt; known are protocol, script"):
        start_mock_agent(scrpt=HALVES)  # pyright: ignore[reportCallIssue]


def test_an_agent_that_outlives_its_host_or_that_was_never_started_is_a_mistake() -> None:
    outlived = start_mock_agent(protocol=PROTOCOL, timeout=0.5)
    host = Host(outlived)
    host.event("ready")
    with pytest.raises(HostError, match=r"the agent 1 \(process \d+\) still runs"):
        outlived.close()
    assert host.event("ready") is None
    host.close()

    unused = start_mock_agent(protocol=PROTOCOL, timeout=0.1)
    with pytest.raises(TimeoutError, match=r"no agent has started within 0.1 s: does the host start `command`"):
        unused.release("half")
    with pytest.raises(HostError, match="the host has started no agent"):
        unused.close()
    with start_mock_agent(may_stay_unused=True):
        pass


def register_process(agent: MockAgent | aio.AsyncMockAgent, answer: Callable[[subprocess.Popen[bytes]], bytes]) -> subprocess.Popen[bytes]:
    """Registers a process that is no agent with the agents of a host. It answers the next request like this."""
    process = subprocess.Popen(["sleep", "60"])
    path = agent.folder / "socket"
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()

    def serve() -> None:
        with server, server.accept()[0] as connection:
            connection.recv(4096)
            connection.sendall(answer(process) + b"\n")

    threading.Thread(target=serve, daemon=True).start()
    control = Path(agent.env["MOCK_AGENT_CONTROL"])
    control.mkdir(exist_ok=True)
    (control / "1.json").write_text(json.dumps({"order": 1, "name": "aionrs", "pid": process.pid, "address": f"unix:{path}"}))
    return process


def killed(process: subprocess.Popen[bytes]) -> bytes:
    process.kill()
    return b'{"error":"the agent ends"}'


@pytest.mark.parametrize("start", [start_mock_agent, aio.start_mock_agent])
@pytest.mark.parametrize("answer, message", [(b'{"ok":null}', r"the agent 1 \(process \d+\) still runs"), (b"no JSON", "Expecting value")])
def test_an_agent_that_cannot_be_ended_is_told_of(start: Callable[..., aio.AsyncMockAgent], answer: bytes, message: str) -> None:
    agent = start(protocol=PROTOCOL, may_outlive=True, timeout=0.2)
    process = register_process(agent, lambda _: answer)
    with pytest.raises((TimeoutError, ValueError), match=message):
        agent._finish()  # pyright: ignore[reportPrivateUsage]
    process.kill()
    process.wait()


def test_an_agent_that_refuses_to_be_ended_because_it_ends_is_no_error() -> None:
    agent = start_mock_agent(protocol=PROTOCOL, may_outlive=True, timeout=2)
    process = register_process(agent, killed)
    agent.close()
    process.wait()


def test_an_own_dialect_is_played_from_its_folder_by_an_agent_script(mock_agent: StartMockAgent, tmp_path: Path) -> None:
    folder = tmp_path / "parrot/1"
    folder.mkdir(parents=True)
    by_type = {"events": "/type", "commands": "/type"}
    dialect = {"name": "parrot", "version": "1", "title": "a parrot", "discriminator": by_type, "events": {"word": None}, "commands": {"say": None}}
    (folder / "dialect.yaml").write_text(json.dumps(dialect))
    for file, name in (("events", "word"), ("commands", "say")):
        (folder / f"{file}.json").write_text(json.dumps({"$defs": {name: {"type": "object"}}}))

    script: AgentScript = {"commands": [{"on": {"type": "say"}, "capture": {"text": "/text"}, "do": [{"send": {"type": "word", "text": "{text}"}}]}]}
    with pytest.raises(ValueError, match="unknown command of parrot@1 `says`"):
        start_mock_agent(protocol="parrot@1", dialect_dir=tmp_path, script={"commands": [{"on": {"type": "says"}, "do": []}]})
    agent = mock_agent(protocol="parrot@1", dialect_dir=tmp_path, script=script)
    host = started(agent)
    host.send({"type": "say", "text": "hi"})
    assert (host.event("word") or {})["text"] == "hi"


def test_an_agent_that_listens_at_a_port_is_controlled_as_well(mock_agent: StartMockAgent, async_mock_agent: StartAsyncMockAgent) -> None:
    agent = mock_agent(protocol=PROTOCOL)
    agent.env["MOCK_AGENT_CONTROL"] = "tcp:" + agent.env["MOCK_AGENT_CONTROL"]
    host = started(agent)
    host.event("ready")
    assert agent.status()["name"] == "aionrs"

    asynchronous = async_mock_agent(protocol=PROTOCOL)
    asynchronous.env["MOCK_AGENT_CONTROL"] = "tcp:" + asynchronous.env["MOCK_AGENT_CONTROL"]
    other = Host(asynchronous)
    other.event("ready")
    assert asyncio.run(asynchronous.status())["name"] == "aionrs"
    other.close()


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match="/no/such/agent is not a program"):
        start_mock_agent(program="/no/such/agent")
    with pytest.raises(FileNotFoundError, match="no-such-agent is not on the PATH"):
        start_mock_agent(program="no-such-agent")


def test_the_names_of_the_plain_and_the_asynchronous_agents_are_the_same() -> None:
    def methods(kind: type) -> dict[str, str]:
        members = inspect.getmembers(kind, inspect.isfunction)
        return {name: str(inspect.signature(member)).split(" -> ")[0] for name, member in members if not name.startswith("_")}

    plain, asynchronous = methods(MockAgent), methods(aio.AsyncMockAgent)
    assert plain.pop("defer")
    assert plain == asynchronous
    assert methods(AgentProcess) == methods(aio.AsyncAgentProcess)
