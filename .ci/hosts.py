#!/usr/bin/env python3
"""Small hosts that drive mock-agent. The judge must name the mistake of each bad one, with its clause and its frame, and nothing of the others.

Usage: hosts.py MOCK_AGENT     (the path of the program)
"""

import json
import os
import subprocess
import sys
import tempfile

AIONRS = ["--json-stream"]
SYNAPS = ["rpc"]
PI = ["--mode", "rpc", "--extension", "dialogs.json"]
DIALOGS = {"commands": {"ask": [{"method": "confirm", "title": "Sure?", "message": "Yes?"}]}}
WRITE = 'tool Write {"file_path": "a.txt", "content": "a"}'


class Host:
    """An agent in a child process, and what is needed to speak with it."""

    def __init__(self, program, args, folder, **env):
        self.folder = folder
        with open(self.path("dialogs.json"), "w") as file:
            json.dump(DIALOGS, file)
        judge = {"MOCK_AGENT_JUDGE": self.path("host.txt"), "MOCK_AGENT_TRANSCRIPT": self.path("session.jsonl")}
        self.agent = subprocess.Popen(
            [program, *args, "--judge"], cwd=folder, env=os.environ | judge | env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, data):
        self.agent.stdin.write(data)
        self.agent.stdin.flush()

    def send(self, **command):
        self.write(json.dumps(command).encode() + b"\n")

    def until(self, kind):
        for line in self.agent.stdout:
            event = json.loads(line)
            if event["type"] == kind:
                return event
        raise AssertionError(f"no {kind} came")

    def finish(self):
        """Closes stdin and reads to the end. Returns the exit status and what the judge says."""
        self.agent.stdin.close()
        self.agent.stdout.read()
        status = self.agent.wait(60)
        with open(self.path("host.txt")) as file:
            return status, file.read()


# ---- bad hosts: the rule, the clause and the frame, and whether a `must` is broken


def approves_twice(host):
    host.until("ready")
    host.send(type="message", msg_id="m1", input=WRITE)
    call = host.until("tool_request")["call_id"]
    for _ in range(2):
        host.send(type="tool_approve", call_id=call, scope="once")
    host.until("stream_end")


def approves_an_index(host):
    host.until("ready")
    host.send(type="message", msg_id="m1", input=WRITE)
    call = host.until("tool_request")["call_id"]
    host.send(type="tool_approve", call_id="0", scope="once")
    host.send(type="tool_deny", call_id=call, reason="no")
    host.until("stream_end")


def speaks_first(host):
    host.send(type="message", msg_id="m1", input="hi")
    host.until("stream_end")


def hides_the_dialog(host):
    host.until("ready")
    host.send(type="message", msg_id="m1", input=WRITE)
    host.until("tool_request")


def speaks_json_rpc(host):
    host.until("ready")
    host.send(jsonrpc="2.0", id=1, method="prompt", params={"message": "hi"})
    host.until("error")


def counts_ids_per_window(host):
    host.until("ready")
    host.write(b'{"type":"get_state","id":"1"}\n{"type":"get_messages","id":"1"}\n')
    host.until("response")
    host.until("response")


def cannot_say_goodbye(host):
    host.until("ready")
    host.write(b'{"type":"shutdown"}\n{"type":"get_state","id":"1"}\n')


def answers_yes_by_a_text(host):
    host.send(type="prompt", id="p", message="/ask")
    dialog = host.until("extension_ui_request")["id"]
    host.send(type="extension_ui_response", id=dialog, value="yes")
    host.until("response")


BAD = [
    (approves_twice, AIONRS, "aionrs/answered-once", "aionrs.approve.call-id-pending", '{"type": "tool_approve"', True),
    (approves_an_index, AIONRS, "aionrs/answers-match", "aionrs.approve.call-id-pending", '"call_id": "0"', True),
    (speaks_first, AIONRS, "aionrs/host-waits-for-ready", "aionrs.ready.host-waits", '"msg_id": "m1"', True),
    (hides_the_dialog, AIONRS, "aionrs/request-answered", "aionrs.tool-request.host-answers", "closes stdin", False),
    (speaks_json_rpc, SYNAPS, "synaps/command-lines", "synaps.framing.host-json-line", '"jsonrpc": "2.0"', True),
    (counts_ids_per_window, SYNAPS, "synaps/id-in-use", "", "get_messages", False),
    (cannot_say_goodbye, SYNAPS, "synaps/shutdown-last", "", "get_state", False),
    (answers_yes_by_a_text, PI, "pi/dialog-answer-kind", "pi.ui.response-kind", '"value": "yes"', True),
]


# ---- good hosts that do it in another way


def sends_everything_ahead(host):
    host.until("ready")
    for number in range(3):
        host.send(type="message", msg_id=f"m{number}", input="hi")
    for _ in range(3):
        host.until("stream_end")


def writes_like_windows(host):
    host.until("ready")
    host.write(b'\r\n  {"trace": {"span": 1},\t"msg_id": "\\u006d1", "input": "\\u2028", "type": "message"}  \r\n')
    host.until("stream_end")


def changes_its_mind(host):
    host.until("ready")
    host.send(type="message", msg_id="m1", input=WRITE)
    call = host.until("tool_request")["call_id"]
    host.send(type="stop")
    host.send(type="tool_approve", call_id=call, scope="once")
    host.until("stream_end")


def takes_its_time(host):
    host.send(type="prompt", message="/ask")
    dialog = host.until("extension_ui_request")["id"]
    for _ in range(3):
        host.send(type="get_state")
        host.until("response")
    host.send(type="extension_ui_response", id=dialog, confirmed=False)


GOOD = [(sends_everything_ahead, AIONRS), (writes_like_windows, AIONRS), (changes_its_mind, AIONRS), (takes_its_time, PI)]


def judged(program, drive, args):
    # What is sent before `ready` must arrive before it is written.
    env = {"MOCK_AGENT_LATENCY_MS": "500"} if drive is speaks_first else {}
    with tempfile.TemporaryDirectory() as folder:
        host = Host(program, args, folder, **env)
        drive(host)
        return host.finish()


def main():
    program = os.path.abspath(sys.argv[1])
    for drive, args, rule, clause, frame, violates in BAD:
        status, text = judged(program, drive, args)
        for part in (rule, clause, frame):
            assert part in text, f"{drive.__name__}: no {part} in\n{text}"
        assert text.count("CAUSE") == 1, f"{drive.__name__}: {text}"
        assert status == int(violates), f"{drive.__name__}: exit status {status}"
    for drive, args in GOOD:
        status, text = judged(program, drive, args)
        assert (status, text) == (0, ""), f"{drive.__name__}: exit status {status}\n{text}"
    print(f"{len(BAD)} bad hosts named, {len(GOOD)} good ones clean")


main()
