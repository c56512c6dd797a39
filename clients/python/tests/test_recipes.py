import asyncio

from readme_host import ask

from agent_conform.pytest_plugin import StartAsyncMockAgent, StartMockAgent
from agent_conform.types import ModelScript

WRITES: ModelScript = [{"tool_calls": [{"id": "t1", "name": "Write", "args": {"file_path": "a.txt", "content": "hi"}}]}, {"text": "Done."}]
LIMITED: ModelScript = [{"error": {"status": 429, "headers": {"retry-after": "30"}}}, {"text": "Here I am."}]


def test_the_user_decides_about_a_tool(mock_agent: StartMockAgent) -> None:
    agent = mock_agent(protocol="aionrs@0.1", script=WRITES)
    asyncio.run(ask("hello", [agent.command, *agent.args], agent.env, print, approve=lambda tool: tool != "Write"))
    assert agent.wait_for_command({"type": "tool_deny"})["reason"] == "The user said no"


def test_a_rate_limit_is_shown_and_passes(async_mock_agent: StartAsyncMockAgent) -> None:
    async def session() -> None:
        agent = async_mock_agent(protocol="aionrs@0.1", script=LIMITED, clock="stopped", retries=1)
        screen: list[str] = []
        command = [agent.command, *agent.args]
        asked = asyncio.create_task(ask("hello", command, agent.env, screen.append, on_notice=screen.append))
        await agent.advance(30)
        await asked
        assert "retrying" in screen[0]
        assert screen[-1] == "Here I am."

    asyncio.run(session())
