"""The fixtures fail a test whose host breaks the protocol, or whose app does not fit the script of its model; the examples of the README are tests."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

BROKEN = """
import os, subprocess

def test_a_mode_that_the_protocol_does_not_have(mock_agent):
    agent = mock_agent(protocol="aionrs@0.1")
    {expect}
    pipe = subprocess.PIPE
    with subprocess.Popen([agent.command, *agent.args], env={{**os.environ, **agent.env}}, stdin=pipe, stdout=pipe) as process:
        assert b"ready" in process.stdout.readline()
        process.communicate(b'{{"type":"set_mode","mode":"auto"}}\\n')
"""


def test_a_host_that_breaks_the_protocol_fails_its_test_with_clause_and_frame(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(BROKEN.format(expect=""))
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["the host broke the protocol", "*aionrs.mode.shape (section 2.6*", '*{"type":"set_mode","mode":"auto"}'])


FAILING = """
import os, subprocess

def test_fails(mock_agent):
    agent = mock_agent(protocol="aionrs@0.1", script="many-deltas")
    with subprocess.Popen([agent.command, *agent.args], env={**os.environ, **agent.env}, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert b"ready" in process.stdout.readline()
        process.stdin.write(b'{"type":"message","msg_id":"m1","input":"hi"}\\n')
        process.stdin.flush()
        assert any(b"stream_end" in line for line in process.stdout)
    assert False
"""


def test_a_test_that_fails_shows_the_session(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(FAILING)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*Captured mock-agent teardown*", "... * lines before", 'agent  {"type":"text_delta",*', 'agent  {"type":"stream_end",*'])

    pytester.makepyfile(FAILING.replace("many-deltas", "markdown"))
    result = pytester.runpytest_subprocess()
    result.stdout.fnmatch_lines(["*Captured mock-agent teardown*", 'agent  {"type":"ready"*', 'host   {"type":"message",*', "agent  *"])


def test_a_mistake_that_is_expected_passes(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(BROKEN.format(expect="agent.expect_finding('aionrs.mode.shape')"))
    pytester.runpytest_subprocess().assert_outcomes(passed=1)


APP = """
import json, urllib.error, urllib.request

def send(model, body):
    headers = {"content-type": "application/json", "authorization": "Bearer " + model.env["OPENAI_API_KEY"]}
    request = urllib.request.Request(model.env["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(), headers)
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).close()
"""


def test_an_app_that_does_not_fit_the_script_of_its_model_fails_its_test_with_the_reason(pytester: pytest.Pytester) -> None:
    body = """
def test_sends_what_the_api_refuses(mock_model):
    model = mock_model([{"text": "left"}])
    try:
        send(model, {"model": "gpt-5", "messages": []})
    except urllib.error.HTTPError:
        pass
"""
    pytester.makepyfile(APP + body)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(passed=1, errors=1)
    reasons = ["the app and the script of its model do not fit", "request 0 is refused as by the real API: 400*", "the agent did not ask the model for reply 0*"]
    result.stdout.fnmatch_lines(reasons)


def test_a_test_that_fails_shows_what_its_app_has_sent_and_ends_its_models(pytester: pytest.Pytester) -> None:
    body = """
def test_fails(mock_model):
    first, second = mock_model([{"text": "one"}]), mock_model([{"text": "two"}])
    first.defer(lambda: 1 / 0)
    send(second, {"model": "gpt-5", "messages": [{"role": "user", "content": "hi"}]})
    raise AssertionError(f"URLS {first.url} {second.url}")
"""
    pytester.makepyfile(APP + body)
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1, errors=1)
    result.stdout.fnmatch_lines(["*Captured mock-model teardown*", 'request 0: POST /v1/chat/completions {"model": "gpt-5",*', "answer 0: 200"])
    urls = re.findall(r"URLS (http://\S+) (http://\S+)", result.stdout.str())[0]
    for url in urls:
        with pytest.raises(OSError):
            socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2])))


def test_the_examples_of_the_readme_are_these_tests() -> None:
    root = Path(__file__).parent.parent
    examples = re.findall(r"^```python file=(\S+)\n(.*?)^```$", (root / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert examples
    for file, text in examples:
        assert text in (root / file).read_text(), f"not in {file}:\n{text}"
