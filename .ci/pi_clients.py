#!/usr/bin/env python3
"""Clients of pi from PyPI drive mock-agent unchanged: prompts, tools, dialogs, sessions. The judge must find no mistake of theirs.

Usage: pi_clients.py MOCK_AGENT     (the path of the program)
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time

import picable
from pi_agent import PiClient

# What an extension asks in the session of picable.
DIALOGS = {
    "commands": {
        "ask": [
            {"method": "select", "title": "Which side?", "options": ["left", "right"], "tell": True},
            {"method": "confirm", "title": "Clear?", "message": "All of it?", "tell": True},
            {"method": "input", "title": "Name?", "placeholder": "a name", "tell": True},
            {"method": "editor", "title": "Note", "prefill": "a\nb", "tell": True},
        ]
    }
}
STORIES = ["tools", "parallel-tools", "markdown", "thinking", "edit", "image", "tool-errors", "max-tokens"]
RETRIES = ["rate-limit", "error-stream", "retry", "compaction", "context-overflow"]
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@contextlib.contextmanager
def workspace(name):
    """A folder for a session, in which the host must make no mistake."""
    with tempfile.TemporaryDirectory() as folder:
        os.makedirs(os.path.join(folder, ".pi"))
        with open(os.path.join(folder, ".pi", "settings.json"), "w") as file:
            json.dump({"retry": {"baseDelayMs": 1}}, file)
        with open(os.path.join(folder, "dialogs.json"), "w") as file:
            json.dump(DIALOGS, file)
        yield folder
        with open(os.path.join(folder, "host.txt")) as file:
            mistakes = file.read()
        assert mistakes == "", f"{name}: {mistakes}"
        print(f"{name}: clean")


def environment(folder, version):
    return {
        "HOME": folder,
        "MOCK_AGENT_PROTOCOL": f"pi@{version}",
        "MOCK_AGENT_JUDGE": os.path.join(folder, "host.txt"),
        "MOCK_AGENT_TRANSCRIPT": os.path.join(folder, "session.jsonl"),
    }


def play_picable(program):
    """picable is written for 0.73: each message of that version has a type of its own in it."""
    with workspace("picable") as folder:
        options = picable.PiClientOptions(
            executable=program, cwd=folder, env=environment(folder, "0.73"), extra_args=("-e", "dialogs.ts")
        )
        with picable.PiClient(options) as client:
            events = client.subscribe_events(maxsize=100_000)
            for story in STORIES:
                client.prompt(f"@mock script={story}", images=[{"type": "image", "data": DOT, "mimeType": "image/png"}])
                while events.get(timeout=30).type != "agent_end":
                    pass
            client.bash("echo listed")
            assert client.get_last_assistant_text()
            first = client.get_fork_messages()[0]
            saved = client.get_state().session_file
            client.fork(first.entry_id)
            client.new_session()
            client.switch_session(saved)
            client.set_session_name("Mine")
            client.set_steering_mode("all")
            client.set_auto_retry(False)
            client.compact()
            client.get_session_stats(), client.get_commands(), client.get_messages(), client.get_available_models()
            told = answer_dialogs(client, events)
            assert told == ['answer: "left"', "answer: true", 'answer: "left"', 'answer: "left"'], told


def answer_dialogs(client, events):
    """Runs the extension's command, and returns what it says about the answers."""
    events.drain()
    client.prompt("/ask")
    told, deadline = [], time.monotonic() + 30
    while len(told) < 4 and time.monotonic() < deadline:
        event = events.get(timeout=30)
        if event.type != "extension_ui_request":
            continue
        request = event.request
        if request.method == "notify":
            told.append(request.message)
        elif request.method == "confirm":
            client.respond_extension_ui_confirmed(request.id, True)
        else:
            client.respond_extension_ui_value(request.id, "left")
    return told


def play_sdk(program):
    """pi-agent-python-sdk needs the newest version."""
    asked = []

    def answer(request):
        asked.append(request["method"])
        return True if request["method"] == "confirm" else "left"

    with workspace("pi-agent-python-sdk") as folder:
        env = os.environ | environment(folder, "0.87")
        with PiClient(executable=program, cwd=folder, env=env, ui_handler=answer) as client:
            assert client.run("hello").text == "You said: hello"
            for story in STORIES + RETRIES:
                assert client.run(f"@mock script={story}").stop_reason in ("stop", "length"), story
            client.run("@mock script=dialogs")
            client.run("@mock script=approval")
            assert [m for m in asked if m in ("select", "confirm", "input", "editor")] == [
                "select", "confirm", "input", "editor", "confirm",
            ], asked
            assert client.bash("exit 3")["exitCode"] == 3
            saved = client.get_state()["sessionFile"]
            client.fork(client.get_fork_messages()[0]["entryId"])
            client.new_session()
            client.switch_session(saved)
            assert client.get_tree()["tree"] and client.get_entries()["entries"]
            assert client.compact()["summary"]
            with client.stream("@mock script=markdown") as stream:
                assert sum(1 for event in stream if event.text_delta) > 5


def main():
    program = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "install", folder], check=True, stdout=subprocess.DEVNULL)
        play_picable(os.path.join(folder, "pi"))
        play_sdk(os.path.join(folder, "pi"))


main()
