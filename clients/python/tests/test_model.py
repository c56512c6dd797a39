"""What a test can do with a scripted model."""

from __future__ import annotations

import asyncio
import inspect
import subprocess
import sys
import threading
from typing import Any
from urllib.error import URLError

import pytest
from app import ask, post, refused, send

from agent_conform import MockModel, ModelError, ModelMessage, ModelToolCall, ModelToolResult, Refused, ScriptError, aio, start_model
from agent_conform.aio import AsyncMockModel
from agent_conform.pytest_plugin import StartAsyncModel, StartModel
from agent_conform.types import ModelScript

QUESTION = {"role": "user", "content": "What is the answer?"}
SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}}


def error_of(model: MockModel) -> ModelError:
    """The error at the end of a test with this model."""
    with pytest.raises(ModelError) as raised:
        model.close()
    return raised.value


def test_replies_are_served_in_their_order_and_requests_are_decoded(mock_model: StartModel) -> None:
    model = mock_model([{"text": "one"}, {"text": "two"}])
    assert ask(model, "1?") == "one"
    assert ask(model, "2?") == "two"
    assert [(request.number, request.api, request.messages[0].text) for request in model.requests()] == [(0, "openai-chat", "1?"), (1, "openai-chat", "2?")]
    assert model.failures() == []


def test_a_conversation_is_decoded_alike_over_each_api(mock_model: StartModel) -> None:
    model = mock_model([{"text": "a"}, {"text": "b"}, {"text": "c"}, {"text": "d"}])
    use = {"type": "tool_use", "id": "c1", "name": "weather", "input": {"city": "Oslo"}}
    result = {"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "no city"}], "is_error": True}
    body: dict[str, Any] = {
        "model": "claude-opus-4-5",
        "max_tokens": 100,
        "system": [{"type": "text", "text": "Be brief."}],
        "tools": [{"name": "weather", "input_schema": SCHEMA}],
        "messages": [QUESTION, {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, use]}, {"role": "user", "content": [result]}],
    }
    send(model, "anthropic", body)
    function = {"name": "weather", "arguments": '{"city":"Oslo"}'}
    body = {
        "model": "gpt-5",
        "stream": True,
        "tools": [{"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}],
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "What is "}, {"type": "text", "text": "the answer?"}]},
            {"role": "assistant", "content": "Let me see.", "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": "c1", "content": "no city"},
        ],
    }
    send(model, "openai-chat", body)
    body = {
        "model": "gpt-5",
        "instructions": "Be brief.",
        "tools": [{"type": "function", "name": "weather", "parameters": SCHEMA, "strict": False}],
        "input": [
            QUESTION,
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Let me see.", "annotations": []}]},
            {"type": "function_call", "call_id": "c1", **function},
            {"type": "function_call_output", "call_id": "c1", "output": "no city"},
        ],
    }
    send(model, "openai-responses", body)
    called = {"functionCall": {"id": "c1", "name": "weather", "args": {"city": "Oslo"}}, "thoughtSignature": "c2ln"}
    body = {
        "system_instruction": {"parts": {"text": "Be brief."}},
        "tools": [{"functionDeclarations": [{"name": "weather", "parameters": SCHEMA}]}],
        "contents": [
            {"parts": {"text": QUESTION["content"]}},
            {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": "Let me see."}, called]},
            {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "weather", "response": {"error": "no city"}}}]},
        ],
    }
    send(model, "gemini", body)
    anthropic, chat, responses, gemini = model.requests()
    assert {(request.system, *request.tools) for request in model.requests()} == {("Be brief.", "weather")}
    asked = ModelMessage("user", "What is the answer?")
    calls = [ModelToolCall("c1", "weather", {"city": "Oslo"})]
    returned = ModelMessage("tool", tool_results=[ModelToolResult("c1", "no city")])
    said = ModelMessage("assistant", "Let me see.", calls)
    failed = ModelMessage("user", tool_results=[ModelToolResult("c1", "no city", is_error=True)])
    assert anthropic.messages == gemini.messages == [asked, said, failed]
    assert (gemini.api, gemini.model, gemini.stream) == ("gemini", "gemini-3-pro", True)
    assert chat.messages == [asked, said, returned]
    assert responses.messages == [asked, ModelMessage("assistant", "Let me see."), ModelMessage("assistant", "", calls), returned]
    assert (chat.stream, responses.stream, chat.model, anthropic.body["max_tokens"]) == (True, False, "gpt-5", 100)


def test_a_text_is_an_input_and_arguments_that_are_no_json_are_a_text(mock_model: StartModel) -> None:
    model = mock_model([{"text": "a"}, {"text": "b"}])
    send(model, "openai-responses", {"model": "gpt-5", "input": "hi"})
    call = {"type": "custom_tool_call", "call_id": "c1", "name": "shell", "input": "ls -l"}
    output = {"type": "custom_tool_call_output", "call_id": "c1", "output": "a.txt"}
    send(model, "openai-responses", {"model": "gpt-5", "input": [call, output], "tools": [{"type": "custom", "name": "shell"}]})
    first, second = model.requests()
    assert first.messages == [ModelMessage("user", "hi")]
    assert second.messages[0].tool_calls == [ModelToolCall("c1", "shell", "ls -l")]
    assert second.tools == ["shell"]


def test_an_answer_is_held_at_a_gate_and_released(mock_model: StartModel) -> None:
    model = mock_model([{"content": [{"text": "The answer is "}, {"gate": "half"}, {"text": "42."}]}])
    answers: list[str] = []
    app = threading.Thread(target=lambda: answers.append(ask(model, "hi")))
    model.defer(app.join)
    app.start()
    assert model.wait_for_request({"messages": [{"content": "hi"}]}).messages[0].text == "hi"
    model.wait_for_gate("half")
    assert answers == []
    with pytest.raises(Refused, match="the script has no gate `hlf`; its gates: half"):
        model.release("hlf")
    model.release("half")
    app.join()
    assert answers == ["The answer is 42."]


def test_waits_in_asyncio_block_nothing_else(async_mock_model: StartAsyncModel) -> None:
    async def session() -> None:
        model = async_mock_model([{"gate": "held", "text": "one"}, {"text": "two"}])
        asked = asyncio.create_task(model.wait_for_request())
        held = asyncio.create_task(model.wait_for_gate("held"))
        answered = asyncio.create_task(asyncio.to_thread(ask, model, "hi"))
        await held
        assert (await asked).messages == [ModelMessage("user", "hi")]
        await model.release("held")
        assert await answered == "one"
        with pytest.raises(ScriptError, match="unknown key `txt`"):
            await model.reset([{"txt": "three"}])  # pyright: ignore[reportArgumentType]
        await model.reset([{"text": "three"}])
        assert await asyncio.to_thread(ask, model, "hi") == "three"

    asyncio.run(session())


def test_a_model_of_asyncio_is_judged_at_the_end_of_its_block() -> None:
    async def session() -> None:
        async with aio.start_model([{"text": "one"}]) as model:
            await asyncio.to_thread(refused, model)

    with pytest.raises(ModelError, match="request 0 is refused"):
        asyncio.run(session())


def test_a_model_ends_while_it_holds_an_answer() -> None:
    model = start_model([{"gate": "held", "text": "42."}])
    errors: list[Exception] = []

    def app() -> None:
        try:
            ask(model, "hi")
        except Exception as error:
            errors.append(error)

    thread = threading.Thread(target=app)
    thread.start()
    model.wait_for_gate("held")
    model.close()
    thread.join()
    assert len(errors) == 1
    with pytest.raises(URLError):
        ask(model, "hi")
    assert len(model.requests()) == 1
    with pytest.raises(RuntimeError, match="the model is closed"):
        model.release("held")


def test_a_reply_that_is_not_asked_for_fails_the_test_with_the_reply() -> None:
    model = start_model([{"text": "one"}, {"text": "two"}, {"text": "three", "repeat": 2}])
    assert ask(model, "hi") == "one"
    error = error_of(model)
    assert str(error).startswith("the app and the script of its model do not fit\n\nthe agent did not ask the model for reply 1 of its script; ")
    assert '\n  reply 1: {"text": "two"}' in str(error)
    assert [(one.kind, one.request, one.reply, one.expected) for one in error.failures] == [("unused", None, 1, "1 request"), ("unused", None, 2, "2 requests")]
    assert model.failures() == error.failures


def test_an_app_that_asks_another_model_is_told_of_the_variables() -> None:
    assert "no request has come: does the app use the variables of `env`?" in str(error_of(start_model([{"text": "one"}])))


def test_a_request_that_the_real_api_would_refuse_fails_the_test_with_the_reason() -> None:
    model = start_model([{"text": "one"}])
    refused(model)
    assert [(one.kind, one.request) for one in model.failures()] == [("refused", 0)]
    assert ask(model, "hi") == "one"
    error = str(error_of(model))
    assert "request 0 is refused as by the real API: 400" in error
    assert '\n  request 0: POST /v1/chat/completions {"model": "gpt-5", "messages": []}' in error


def test_requests_without_a_key_and_wrong_bodies_are_answered_if_a_test_wants_it() -> None:
    def keyless(model: MockModel) -> int:
        return post(f"{model.url}/v1/chat/completions", {"model": "m", "messages": [QUESTION]}, {})[0]

    strict = start_model([])
    assert keyless(strict) == 401
    assert "request 0 is refused as by the real API: 401" in str(error_of(strict))
    with start_model([{"text": "one"}], keyless=True) as model:
        assert keyless(model) == 200
    with start_model([{"text": "one"}], lenient=True) as model:
        assert send(model, "openai-chat", {"model": "gpt-5", "messages": []})[0] == 200


def test_a_request_without_a_reply_and_one_that_is_not_as_its_reply_expects_fail_the_test() -> None:
    model = start_model([{"expect_request": {"contains": "Oslo"}, "text": "one"}])
    ask(model, "Bergen")
    ask(model, "more")
    error = error_of(model)
    assert [(one.kind, one.request, one.reply) for one in error.failures] == [("expectation", 0, 0), ("ran dry", 1, None)]
    assert '"Oslo"' in str(error)
    assert "request 1 came when the model's script had no reply left (1 in all)" in str(error)


def test_a_path_that_no_api_has_fails_the_test_and_a_member_without_effect_does_not() -> None:
    with start_model([{"text": "one"}]) as model:
        send(model, "openai-chat", {"model": "gpt-5", "messages": [QUESTION], "n": 2})
        assert [one.kind for one in model.failures()] == ["not served"]
    wrong = start_model([])
    post(f"{wrong.url}/chat/completions", {}, {})
    assert "conform does not serve POST /chat/completions" in str(error_of(wrong))


def test_a_failure_that_a_test_allows_does_not_fail_it(mock_model: StartModel) -> None:
    model = mock_model([{"text": "one"}])
    model.allow_failure("unused")
    model.allow_failure("refused")
    refused(model)


def refusal(script: ModelScript | str) -> str:
    with pytest.raises(ScriptError) as raised:
        start_model(script)
    return str(raised.value)


def test_a_script_with_a_mistake_is_refused_at_once_with_the_place() -> None:
    typo = refusal([{"text": "one"}, {"txt": "two"}])  # pyright: ignore[reportArgumentType]
    assert typo.startswith("the script of the model cannot be played\n\nerror: unknown key `txt`; did you mean `text`?")
    assert '\n --> reply 1 of the script\n  |\n  | {"txt": "two"}\n' in typo
    assert "--> line 2, column 3 of the script\n  |\n2 | - txt: two\n" in refusal("- text: one\n- txt: two")
    assert "there is no built-in script `no-such`" in refusal("no-such")
    assert "/no/such/script.yaml: cannot be read" in refusal("/no/such/script.yaml")


def test_a_wrong_option_and_a_program_that_is_missing_are_refused() -> None:
    with pytest.raises(FileNotFoundError, match="/no/such/conform is not a program: name conform by the option `program` or by CONFORM"):
        start_model([], program="/no/such/conform")
    with pytest.raises(RuntimeError, match="the model did not start: error: invalid value 'fast' for '--pace"):
        start_model([], pace="fast")
    with pytest.raises(TypeError, match="unknown option scripts; known are keyless, "):
        start_model([], scripts="x")  # pyright: ignore[reportCallIssue]


def test_a_new_script_is_played_from_the_next_request_on(mock_model: StartModel) -> None:
    model = mock_model("- text: one\n- text: two")
    assert ask(model, "1?") == "one"
    with pytest.raises(ScriptError, match=r"unknown key `txt`[\s\S]*--> reply 0 of the script"):
        model.reset([{"txt": "three"}])  # pyright: ignore[reportArgumentType]
    model.reset([{"text": "three"}])
    assert ask(model, "2?") == "three"


def test_an_app_is_ended_before_its_requests_are_judged() -> None:
    model = start_model([{"text": "one"}])
    model.defer(lambda: ask(model, "the last one"))
    model.close()
    model.close()
    assert len(model.requests()) == 1


def test_a_model_that_a_test_forgets_ends_with_python() -> None:
    program = "import agent_conform; model = agent_conform.start_model([]); print(model.url)"
    ended = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True, timeout=20)
    with pytest.raises(URLError):
        post(ended.stdout.decode().strip(), {}, {})


def test_the_functions_of_asyncio_are_those_of_the_package() -> None:
    def members(kind: type) -> dict[str, str]:
        members = inspect.getmembers(kind, inspect.isfunction)
        return {name: str(inspect.signature(member)).split(" -> ")[0] for name, member in members if not name.startswith("_")}

    plain = members(MockModel)
    plain.pop("defer")
    assert members(AsyncMockModel) == plain
