#!/usr/bin/env python3
"""Clients of MCP that others wrote drive the scripted server of `conform mcp`: tools, results, errors, silence, death, a slow start.

Usage: mcp_clients.py CONFORM NPM     (the program, and a folder with @modelcontextprotocol/sdk and node installed)
"""

import asyncio
import os
import subprocess
import sys
import time

import mcp

HERE = os.path.dirname(os.path.abspath(__file__))
SCRIPT = os.path.join(HERE, "mcp_clients.yaml")


async def connected(program, server, work, timeout=10):
    """Connects to a server, without the handshake, and has `work` use it."""
    parameters = mcp.StdioServerParameters(command=program, args=["mcp", SCRIPT, "--server", server, "--", "--own"])
    async with mcp.stdio_client(parameters) as (read, write):
        async with mcp.ClientSession(read, write, read_timeout_seconds=timeout) as session:
            return await work(session)


async def refused(awaitable):
    """The message of the error that an exchange ends in."""
    try:
        answer = await awaitable
    except Exception as error:  # the classes differ between versions of the client
        return str(error)
    raise AssertionError(f"answered with {answer}")


async def use(session):
    shaken = await session.initialize()
    assert shaken.server_info.name == "birds", shaken
    assert shaken.capabilities.tools is not None and shaken.capabilities.resources is None
    await session.send_ping()
    tools = {tool.name: tool for tool in (await session.list_tools()).tools}
    assert list(tools) == ["count", "look", "fall", "lost", "sleep", "late", "die"], tools
    assert tools["count"].input_schema["required"] == ["where"]
    counted = await session.call_tool("count", {"where": "the mill pond"})
    assert not counted.is_error and counted.content[0].text == "seven herons", counted
    looked = await session.call_tool("look", {})
    assert [part.type for part in looked.content] == ["image", "text"], looked
    fallen = await session.call_tool("fall", {})
    assert fallen.is_error and fallen.content[0].text == "no wind", fallen
    assert "gone" in await refused(session.call_tool("lost", {}))
    assert "no tool" in await refused(session.call_tool("swim", {}))
    assert "no method" in await refused(session.list_resources())
    assert (await session.call_tool("late", {})).content[0].text == "at last"
    await refused(session.call_tool("sleep", {}, read_timeout_seconds=0.3))
    assert "seven" in (await session.call_tool("count", {"where": "here"})).content[0].text
    await refused(session.call_tool("die", {}))


async def start(session):
    began = time.monotonic()
    await session.initialize()
    assert time.monotonic() - began > 0.3
    assert [tool.name for tool in (await session.list_tools()).tools] == ["wake"]


async def play_python(program):
    """The package mcp."""
    await connected(program, "birds", use)
    await connected(program, "slow", start)
    await connected(program, "mute", lambda session: refused(session.initialize()), timeout=0.3)
    await connected(program, "gone", lambda session: refused(session.initialize()))
    print("the Python client of MCP: clean")


def main():
    program, npm = (os.path.abspath(path) for path in sys.argv[1:3])
    asyncio.run(asyncio.wait_for(play_python(program), 60))
    node = os.path.join(npm, "node_modules", ".bin", "node")
    command = [node, os.path.join(HERE, "mcp_clients.mjs"), program, SCRIPT]
    subprocess.run(command, check=True, env={**os.environ, "CI_NPM": npm}, timeout=60)


main()
