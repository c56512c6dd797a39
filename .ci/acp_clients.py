#!/usr/bin/env python3
"""Clients of the Agent Client Protocol that others wrote drive mock-agent: a turn, a permission, a denial, a cancel, a load.

Usage: acp_clients.py MOCK_AGENT NPM     (the program, and a folder with @agentclientprotocol/sdk, acpx and node installed)
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile

import acp

SCRIPT = {
    "model": [
        {"tool_calls": [{"id": "a", "name": "Bash", "args": {"command": "touch ran"}}]},
        {"text": "done"},
    ]
}
HERE = os.path.dirname(os.path.abspath(__file__))


class Client(acp.Client):
    """Chooses an option by its kind; without one, it never answers."""

    def __init__(self, kind=None):
        self.kind = kind
        self.updates = []
        self.asked = asyncio.Event()

    async def request_permission(self, options, session_id, tool_call, **_):
        self.asked.set()
        chosen = [option for option in options if option.kind == self.kind]
        if not chosen:
            await asyncio.Event().wait()
        outcome = {"outcome": "selected", "optionId": chosen[0].option_id}
        return acp.RequestPermissionResponse.model_validate({"outcome": outcome})

    async def session_update(self, session_id, update, **_):
        self.updates.append(update.session_update)


async def play_python(program, folder, script):
    """The client of the package agent-client-protocol."""

    async def connected(client, work):
        command = [program, "--acp", "--script", script]
        async with acp.spawn_agent_process(client, *command, cwd=folder, env=dict(os.environ)) as (connection, _process):
            await connection.initialize(
                protocol_version=acp.PROTOCOL_VERSION,
                client_capabilities=acp.schema.ClientCapabilities(),
                client_info=acp.schema.Implementation(name="acp-clients", version="1"),
            )
            return await work(connection)

    async def turn(connection):
        session = await connection.new_session(cwd=folder, mcp_servers=[])
        answer = await connection.prompt(session_id=session.session_id, prompt=[acp.text_block("go")])
        return session.session_id, answer.stop_reason

    allowing = Client("allow_once")
    saved, reason = await connected(allowing, turn)
    assert reason == "end_turn", reason
    assert "tool_call" in allowing.updates and os.path.exists(os.path.join(folder, "ran"))
    os.remove(os.path.join(folder, "ran"))

    _, reason = await connected(Client("reject_once"), turn)
    assert reason == "end_turn" and not os.path.exists(os.path.join(folder, "ran"))

    silent = Client()

    async def cancelled(connection):
        session = await connection.new_session(cwd=folder, mcp_servers=[])
        running = asyncio.ensure_future(connection.prompt(session_id=session.session_id, prompt=[acp.text_block("go")]))
        await silent.asked.wait()
        await connection.cancel(session_id=session.session_id)
        return (await running).stop_reason

    assert await connected(silent, cancelled) == "cancelled"

    loading = Client()
    await connected(loading, lambda connection: connection.load_session(cwd=folder, mcp_servers=[], session_id=saved))
    assert loading.updates[:3] == ["user_message_chunk", "tool_call", "agent_message_chunk"], loading.updates
    print("the Python client: clean")


def play_acpx(program, npm, folder, script):
    """acpx, a command line."""
    node = os.path.join(npm, "node_modules", ".bin", "node")
    acpx = os.path.join(npm, "node_modules", "acpx", "dist", "cli.js")
    agent = f"{program} --acp --script {script}"
    environment = {**os.environ, "HOME": folder}
    for policy, status in [("--approve-all", "completed"), ("--deny-all", "failed")]:
        command = [node, acpx, "--agent", agent, "--cwd", folder, policy, "--format", "json", "exec", "go"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
        frames = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        updates = [frame["params"]["update"] for frame in frames if frame.get("method") == "session/update"]
        states = [update.get("status") for update in updates if update["sessionUpdate"] == "tool_call_update"]
        assert states and states[-1] == status, (policy, states, done.stderr)
    print("acpx: clean")


def main():
    program, npm = (os.path.abspath(path) for path in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "script.json")
        with open(script, "w") as file:
            json.dump(SCRIPT, file)
        asyncio.run(play_python(program, folder, script))
        play_acpx(program, npm, folder, script)
        node = os.path.join(npm, "node_modules", ".bin", "node")
        sdk = [node, os.path.join(HERE, "acp_clients.mjs"), program, folder, script]
        subprocess.run(sdk, check=True, env={**os.environ, "CI_NPM": npm}, timeout=120)


main()
