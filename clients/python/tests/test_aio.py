"""The same without blocking."""

from __future__ import annotations

import asyncio

import pytest
from host import Host
from test_control import HALVES, PROTOCOL, message

from agent_conform import HostError, aio
from agent_conform.pytest_plugin import StartAsyncMockAgent


def test_waits_block_nothing_else(async_mock_agent: StartAsyncMockAgent) -> None:
    async def session() -> None:
        agent = async_mock_agent(protocol=PROTOCOL, script=HALVES)
        held = asyncio.create_task(agent.wait_for_gate("half"))
        asked = asyncio.create_task(agent.wait_for_command({"type": "message"}))
        await asyncio.sleep(0)
        host = Host(agent)
        await asyncio.to_thread(host.event, "ready")
        host.send(message("m1"))
        await held
        assert await asked == message("m1")
        await agent.release("half")
        await asyncio.to_thread(host.event, "stream_end")
        assert [entry["dir"] for entry in await agent.journal()].count("gate") == 2
        host.close()

    asyncio.run(session())


def test_a_crash_is_awaited() -> None:
    async def session() -> None:
        async with aio.start_mock_agent(protocol=PROTOCOL, script=HALVES) as agent:
            host = Host(agent)
            await asyncio.to_thread(host.event, "ready")
            process = await agent.wait_for_agent()
            await agent.crash()
            assert not process.is_running
            host.close()

    asyncio.run(session())


def test_a_mistake_of_the_host_is_raised() -> None:
    async def session() -> None:
        async with aio.start_mock_agent(protocol=PROTOCOL) as agent:
            host = Host(agent)
            await asyncio.to_thread(host.event, "ready")
            host.send({"type": "set_mode", "mode": "auto"})
            await asyncio.to_thread(host.event, "error")
            host.close()

    with pytest.raises(HostError, match=r"aionrs\.mode\.shape"):
        asyncio.run(session())
