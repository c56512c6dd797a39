import asyncio

import pytest
from readme_host import ask

from agent_conform.pytest_plugin import StartAsyncMockAgent, StartMockAgent

SCRIPT = [{"content": [{"text": "The answer is "}, {"gate": "half"}, {"text": "42."}]}]


async def shown(screen: list[str], text: str) -> None:
    """Waits until the host shows the text, which the agent has written before it comes to the gate."""
    while "".join(screen) != text:
        await asyncio.sleep(0.01)


def test_the_answer_is_shown(mock_agent: StartMockAgent) -> None:
    agent = mock_agent(protocol="aionrs@0.1", script=[{"text": "42."}])
    screen: list[str] = []
    asyncio.run(ask("What is the answer?", [agent.command, *agent.args], agent.env, screen.append))
    assert screen == ["42."]


def test_half_an_answer_is_shown_while_the_agent_works(async_mock_agent: StartAsyncMockAgent) -> None:
    async def session() -> None:
        agent = async_mock_agent(protocol="aionrs@0.1", script=SCRIPT)
        screen: list[str] = []
        asked = asyncio.create_task(ask("What is the answer?", [agent.command, *agent.args], agent.env, screen.append))
        await agent.wait_for_gate("half")
        await asyncio.wait_for(shown(screen, "The answer is "), 4)
        await agent.release("half")
        await asked
        assert "".join(screen) == "The answer is 42."

    asyncio.run(session())


def test_a_crash_is_an_error(async_mock_agent: StartAsyncMockAgent) -> None:
    async def session() -> None:
        agent = async_mock_agent(protocol="aionrs@0.1", script=SCRIPT)
        asked = asyncio.create_task(ask("What is the answer?", [agent.command, *agent.args], agent.env, print))
        await agent.wait_for_gate("half")
        await agent.crash()
        with pytest.raises(EOFError):
            await asked

    asyncio.run(session())
