"""The host, with mock agents in place of the real one."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from agent_conform.aio import AsyncMockAgent
from agent_conform.pytest_plugin import StartAsyncMockAgent, StartMockAgent
from agent_conform.types import ModelScript
from host import Agent, AgentEnded, AgentSilent

PROTOCOL = "aionrs@0.1"

HALVES: ModelScript = [{"content": [{"text": "The answer is "}, {"gate": "half"}, {"text": "42."}]}]

WRITES: ModelScript = [
    {"tool_calls": [{"id": "t1", "name": "Write", "args": {"file_path": "notes.txt", "content": "hi"}}]},
    {"text": ["Understood."]},
]


class Screen:
    """What the user of a test sees and decides."""

    def __init__(self, reason: str | None = None) -> None:
        self.text = ""
        self.questions: list[str] = []
        self._reason = reason
        self._changed = asyncio.Event()

    def on_text(self, text: str) -> None:
        self.text += text
        self._changed.set()

    async def decide(self, tool: dict[str, Any]) -> str | None:
        self.questions.append(tool["name"])
        return self._reason

    async def shows(self, text: str) -> None:
        async with asyncio.timeout(20):
            while self.text != text:
                self._changed.clear()
                await self._changed.wait()


@asynccontextmanager
async def started(mock: AsyncMockAgent, *, silence: float = 60) -> AsyncGenerator[Agent, None]:
    agent = await Agent.start([mock.command], cwd=mock.folder, env={**os.environ, **mock.env}, silence=silence)
    try:
        yield agent
    finally:
        await agent.close()


def run(session: Coroutine[Any, Any, None]) -> None:
    """A host that hangs fails its test after a minute."""
    asyncio.run(asyncio.wait_for(session, 60))


def prompt(agent: Agent, screen: Screen, text: str = "What is the answer?") -> Coroutine[Any, Any, None]:
    return agent.prompt(text, on_text=screen.on_text, decide=screen.decide)


def test_half_an_answer_is_shown_while_the_agent_goes_on(async_mock_agent: StartAsyncMockAgent) -> None:
    async def session() -> None:
        screen = Screen()
        mock = async_mock_agent(protocol=PROTOCOL, script=HALVES)
        async with started(mock) as agent:
            turn = asyncio.create_task(prompt(agent, screen))
            await mock.wait_for_gate("half")
            await screen.shows("The answer is ")
            assert not turn.done()
            await mock.release("half")
            await turn
            assert screen.text == "The answer is 42."

    run(session())


def test_a_denial_is_sent_once_even_if_the_agent_asks_twice(async_mock_agent: StartAsyncMockAgent) -> None:
    async def session() -> None:
        screen = Screen(reason="not in this folder")
        mock = async_mock_agent(protocol=PROTOCOL, script=WRITES, fault="two-tool-requests")
        async with started(mock) as agent:
            await prompt(agent, screen)
            denials = [command for command in mock.commands() if command["type"] == "tool_deny"]
            assert denials == [{"type": "tool_deny", "call_id": "t1", "reason": "not in this folder"}]
        assert screen.questions == ["Write"]
        assert screen.text == "Understood."
        assert not (mock.folder / "notes.txt").exists()

    run(session())


def test_a_crash_in_the_middle_of_an_answer_is_an_error(async_mock_agent: StartAsyncMockAgent) -> None:
    async def session() -> None:
        screen = Screen()
        mock = async_mock_agent(protocol=PROTOCOL, script=HALVES)
        async with started(mock) as agent:
            turn = asyncio.create_task(prompt(agent, screen))
            await mock.wait_for_gate("half")
            await mock.crash(status=3)
            with pytest.raises(AgentEnded, match="status 3"):
                await turn
            assert screen.text == "The answer is "

    run(session())


def test_a_turn_that_never_ends_is_an_error(async_mock_agent: StartAsyncMockAgent) -> None:
    async def session() -> None:
        mock = async_mock_agent(protocol=PROTOCOL, fault="no-stream-end")
        async with started(mock, silence=0.3) as agent:
            with pytest.raises(AgentSilent):
                await prompt(agent, Screen())

    run(session())


def test_a_marker_in_the_prompt_picks_a_built_in_script(async_mock_agent: StartAsyncMockAgent) -> None:
    async def session() -> None:
        screen = Screen(reason="not now")
        async with started(async_mock_agent(protocol=PROTOCOL)) as agent:
            await prompt(agent, screen, "@mock script=approval")
            assert screen.questions == ["Bash"]
            screen.text = ""
            await prompt(agent, screen, "and now?")
            assert screen.text == "You said: and now?"

    run(session())


def test_a_session_that_ends_at_a_question_stops_its_turn(async_mock_agent: StartAsyncMockAgent) -> None:
    class GoneError(Exception):
        pass

    async def leave(tool: dict[str, Any]) -> None:
        raise GoneError

    async def session() -> None:
        async with started(async_mock_agent(protocol=PROTOCOL, script=WRITES)) as agent:
            with pytest.raises(GoneError):
                await agent.prompt("Write a note", on_text=print, decide=leave)

    run(session())
    # The fixture judges: a call that is neither answered nor stopped is a mistake.


def test_the_program_asks_in_the_terminal(mock_agent: StartMockAgent) -> None:
    mock = mock_agent(protocol=PROTOCOL, script=WRITES)
    program = [sys.executable, Path(__file__).with_name("host.py"), mock.command]
    env = {**os.environ, **mock.env}
    ended = subprocess.run(program, cwd=mock.folder, env=env, input="Write a note\ny\n", capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "\nWrite: Write to notes.txt. Run it? [y or a reason] Understood.\n"
    assert (mock.folder / "notes.txt").read_text() == "hi"


def test_a_program_that_does_not_exist_is_named() -> None:
    with pytest.raises(AgentEnded, match="/no/such/agent"):
        asyncio.run(Agent.start(["/no/such/agent"]))
