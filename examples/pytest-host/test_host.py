"""The host, with mock agents in place of the real one."""

import asyncio
import os
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from host import Agent, AgentEnded, AgentSilent

MOCK_AGENT = os.environ.get("MOCK_AGENT", "mock-agent")

HALVES = """
- content: [{ text: "The answer is " }, { gate: half }, { text: "42." }]
"""

WRITES = """
- tool_calls: [{ id: t1, name: Write, args: { file_path: notes.txt, content: hi } }]
- text: ["Understood."]
"""


class Screen:
    """What the user of a test sees and decides."""

    def __init__(self, reason=None):
        self.text = ""
        self.questions = []
        self._reason = reason
        self._changed = asyncio.Event()

    def on_text(self, text):
        self.text += text
        self._changed.set()

    async def decide(self, tool):
        self.questions.append(tool["name"])
        return self._reason

    async def shows(self, text):
        async with asyncio.timeout(20):
            while self.text != text:
                self._changed.clear()
                await self._changed.wait()


@asynccontextmanager
async def started(mock_agents, *, silence=60, **settings):
    agent = await Agent.start([MOCK_AGENT], cwd=mock_agents.folder, env=mock_agents.env(**settings), silence=silence)
    try:
        yield agent
    finally:
        await agent.close()


def run(session):
    """A host that hangs fails its test after a minute."""
    asyncio.run(asyncio.wait_for(session, 60))


def prompt(agent, screen, text="What is the answer?"):
    return agent.prompt(text, on_text=screen.on_text, decide=screen.decide)


def test_half_an_answer_is_shown_while_the_agent_goes_on(mock_agents):
    async def session():
        screen = Screen()
        async with started(mock_agents, script=HALVES) as agent:
            turn = asyncio.create_task(prompt(agent, screen))
            mock = await asyncio.to_thread(mock_agents.agent)
            await asyncio.to_thread(mock.wait_gate, "half")
            await screen.shows("The answer is ")
            assert not turn.done()
            mock.release("half")
            await turn
            assert screen.text == "The answer is 42."

    run(session())


def test_a_denial_is_sent_once_even_if_the_agent_asks_twice(mock_agents):
    async def session():
        screen = Screen(reason="not in this folder")
        async with started(mock_agents, script=WRITES, fault="two-tool-requests") as agent:
            await prompt(agent, screen)
            denials = [command for command in mock_agents.agent().commands() if command["type"] == "tool_deny"]
            assert denials == [{"type": "tool_deny", "call_id": "t1", "reason": "not in this folder"}]
        assert screen.questions == ["Write"]
        assert screen.text == "Understood."
        assert not (mock_agents.folder / "notes.txt").exists()

    run(session())


def test_a_crash_in_the_middle_of_an_answer_is_an_error(mock_agents):
    async def session():
        screen = Screen()
        async with started(mock_agents, script=HALVES) as agent:
            turn = asyncio.create_task(prompt(agent, screen))
            mock = await asyncio.to_thread(mock_agents.agent)
            await asyncio.to_thread(mock.wait_gate, "half")
            mock.crash(status=3)
            with pytest.raises(AgentEnded, match="status 3"):
                await turn
            assert screen.text == "The answer is "

    run(session())


def test_a_turn_that_never_ends_is_an_error(mock_agents):
    async def session():
        async with started(mock_agents, fault="no-stream-end", silence=0.3) as agent:
            with pytest.raises(AgentSilent):
                await prompt(agent, Screen())

    run(session())


def test_a_marker_in_the_prompt_picks_a_built_in_script(mock_agents):
    async def session():
        screen = Screen(reason="not now")
        async with started(mock_agents) as agent:
            await prompt(agent, screen, "@mock script=approval")
            assert screen.questions == ["Bash"]
            screen.text = ""
            await prompt(agent, screen, "and now?")
            assert screen.text == "You said: and now?"

    run(session())


def test_a_session_that_ends_at_a_question_stops_its_turn(mock_agents):
    class GoneError(Exception):
        pass

    async def leave(tool):
        raise GoneError

    async def session():
        async with started(mock_agents, script=WRITES) as agent:
            with pytest.raises(GoneError):
                await agent.prompt("Write a note", on_text=print, decide=leave)

    run(session())
    # The fixture judges: a call that is neither answered nor stopped is a mistake.


def test_the_program_asks_in_the_terminal(mock_agents):
    program = [sys.executable, Path(__file__).with_name("host.py"), MOCK_AGENT]
    env = mock_agents.env(script=WRITES)
    ended = subprocess.run(program, cwd=mock_agents.folder, env=env, input="Write a note\ny\n", capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "\nWrite: Write to notes.txt. Run it? [y or a reason] Understood.\n"
    assert (mock_agents.folder / "notes.txt").read_text() == "hi"


def test_a_program_that_does_not_exist_is_named():
    with pytest.raises(AgentEnded, match="/no/such/agent"):
        asyncio.run(Agent.start(["/no/such/agent"]))
