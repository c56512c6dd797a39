#!/usr/bin/env python3
"""Runs the official SDKs of the vendors against a running provider that serves sdk_check.yaml, and checks what they parse.

Usage: sdk_check.py BASE_URL     (with the packages `anthropic`, `openai` and `google-genai` installed)
"""

import json
import sys
import urllib.error
import urllib.request

import anthropic
import openai
from google import genai
from google.genai import errors, types

READ = {"path": "a.txt", "deep": {"list": [1, 2.5, None, True, "ü"]}}
TEXT = "I'll läs\n👋"
USER = [{"role": "user", "content": "hello"}]


def assert_equal(actual, expected):
    assert actual == expected, f"\n  expected {expected!r}\n  got      {actual!r}"


def raises(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"no {kind.__name__}")


# ---- Anthropic


def ask(client, **more):
    return client.messages.create(**({"model": "m", "max_tokens": 2048, "messages": USER} | more))


def stream(client, **more):
    with client.messages.stream(**({"model": "m", "max_tokens": 2048, "messages": USER} | more)) as events:
        kinds = [event.type for event in events]
        return events.get_final_message(), kinds


def anthropic_stream(client):
    thinking = {"type": "enabled", "budget_tokens": 1024}
    message, kinds = stream(client, thinking=thinking)
    assert_equal(message.id[:6], "msg_01")
    assert_equal(message.model, "m")
    assert_equal([block.type for block in message.content], ["thinking", "text", "tool_use", "tool_use"])
    thought, text, read, write = message.content
    assert_equal((thought.thinking, thought.signature), ("Let me think.", "sig-1"))
    assert_equal(text.text, TEXT)
    assert_equal((read.id, read.name, read.input), ("toolu_read", "Read", READ))
    assert_equal((write.id[:8], write.name, write.input), ("toolu_01", "Write", {}))
    assert_equal(message.stop_reason, "tool_use")
    usage = message.usage
    assert_equal((usage.input_tokens, usage.output_tokens), (12, 34))
    assert_equal((usage.cache_read_input_tokens, usage.cache_creation_input_tokens), (5, 7))
    assert_equal(kinds.count("message_start"), 1)
    assert_equal(kinds[-1], "message_stop")

    blocks = [block.model_dump(exclude_none=True) for block in message.content]
    for block in blocks:
        block.pop("parsed_output", None)
    results = [
        {"type": "tool_result", "tool_use_id": read.id, "content": "no such file", "is_error": True},
        {"type": "tool_result", "tool_use_id": write.id, "content": "ok"},
    ]
    history = USER + [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
    without_thought = history[:1] + [{"role": "assistant", "content": blocks[1:]}] + history[2:]
    changed = json.loads(json.dumps(history))
    changed[1]["content"][0]["signature"] = "sig-2"
    for bad, words in [
        (without_thought, "Expected `thinking` or `redacted_thinking`, but found `text`"),
        (changed, "Invalid `signature` in `thinking` block"),
        (history[:2], "without `tool_result` blocks immediately after"),
        (USER + history[2:], "unexpected `tool_use_id`"),
    ]:
        error = raises(anthropic.BadRequestError, lambda: ask(client, messages=bad, thinking=thinking))
        assert_equal(error.body["error"]["type"], "invalid_request_error")
        assert words in error.body["error"]["message"], error
        assert error.request_id.startswith("req_") and error.body["request_id"] == error.request_id
    done = ask(client, messages=history, thinking=thinking)
    assert_equal(done.content[0].text, "Done.")


def anthropic_answers(client):
    message = ask(client)
    assert_equal([block.type for block in message.content], ["thinking", "text", "tool_use"])
    assert_equal(message.content[2].input, {"a": 1})
    assert_equal((message.stop_reason, message.usage.output_tokens), ("tool_use", 2))
    message, _ = stream(client)
    assert_equal((message.content[0].data, message.content[1].text), ("b64==", "after"))
    assert_equal(stream(client)[0].stop_reason, "max_tokens")
    message, _ = stream(client, stop_sequences=["END"])
    assert_equal((message.stop_reason, message.stop_sequence), ("stop_sequence", "END"))
    message = ask(client)
    assert_equal((message.stop_reason, message.content), ("refusal", []))
    assert_equal(stream(client)[0].content[0].text, "trickle ü")
    message, _ = stream(client)
    assert_equal([block.text for block in message.content], ["x", "y"])


def anthropic_errors(client):
    once = client.with_options(max_retries=0)
    assert_equal(ask(client).content[0].text, "third time")
    for _ in range(2):
        error = raises(anthropic.APIStatusError, lambda: stream(once))
        assert_equal(error.body["error"]["type"], "overloaded_error")
    raises(Exception, lambda: stream(once))
    for kind, name in [
        (anthropic.BadRequestError, "invalid_request_error"),
        (anthropic.AuthenticationError, "authentication_error"),
        (anthropic.PermissionDeniedError, "permission_error"),
        (anthropic.NotFoundError, "not_found_error"),
        (anthropic.APIStatusError, "request_too_large"),
        (anthropic.RateLimitError, "rate_limit_error"),
        (anthropic.InternalServerError, "api_error"),
        (anthropic.APIStatusError, "overloaded_error"),
    ]:
        error = raises(kind, lambda: ask(once))
        assert_equal(error.body["error"]["type"], name)
        if name == "rate_limit_error":
            assert_equal(error.response.headers["retry-after"], "17")
            assert_equal(error.response.headers["anthropic-ratelimit-requests-remaining"], "0")
    error = raises(anthropic.APIStatusError, lambda: ask(once))
    assert_equal((error.status_code, error.body), (502, "<html>Bad Gateway</html>"))


def anthropic_rest(client):
    count = client.messages.count_tokens(model="m", messages=USER)
    assert count.input_tokens > 0
    models = client.models.list()
    assert_equal((models.has_more, models.data[0].id, models.first_id), (False, "mock-model", "mock-model"))
    assert_equal(client.models.retrieve("mock-model").display_name, "Mock Model")
    assert_equal(client.models.retrieve("other").id, "other")
    keyless = urllib.request.Request(f"{str(client.base_url).rstrip('/')}/v1/messages", b"{}", {"anthropic-version": "2023-06-01"})
    error = raises(urllib.error.HTTPError, lambda: urllib.request.urlopen(keyless))
    assert_equal((error.code, json.load(error)["error"]["type"]), (401, "authentication_error"))
    raises(anthropic.BadRequestError, lambda: ask(client, messages=[]))


# ---- OpenAI


def chat(client, **more):
    return client.chat.completions.create(**({"model": "m", "messages": USER} | more))


def chunks(client, **more):
    return list(chat(client, stream=True, **more))


def openai_stream(client):
    stream_chunks = chunks(client, stream_options={"include_usage": True})
    assert_equal(len({(chunk.id, chunk.object, chunk.model, chunk.created) for chunk in stream_chunks}), 1)
    last = stream_chunks.pop()
    assert_equal(last.choices, [])
    usage = last.usage
    assert_equal((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (24, 34, 58))
    assert_equal((usage.prompt_tokens_details.cached_tokens, usage.completion_tokens_details.reasoning_tokens), (5, 3))
    assert all(chunk.usage is None for chunk in stream_chunks)
    deltas = [chunk.choices[0].delta for chunk in stream_chunks]
    assert_equal(deltas[0].role, "assistant")
    assert_equal("".join(delta.content or "" for delta in deltas), TEXT)
    assert_equal("".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas), "Let me think.")
    calls, order = {}, []
    for call in (call for delta in deltas for call in delta.tool_calls or []):
        order.append(call.index)
        known = calls.setdefault(call.index, {"id": call.id, "name": call.function.name, "arguments": ""})
        known["arguments"] += call.function.arguments
    assert_equal((calls[0]["id"], calls[0]["name"], json.loads(calls[0]["arguments"])), ("call_read", "Read", {"path": "a.txt"}))
    assert_equal((calls[1]["id"][:5], json.loads(calls[1]["arguments"])), ("call_", {"n": 1}))
    assert_equal(order, [0, 1] * 5)
    assert_equal(stream_chunks[-1].choices[0].finish_reason, "tool_calls")

    functions = [
        {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": call["arguments"]}}
        for call in calls.values()
    ]
    results = [
        {"role": "tool", "tool_call_id": calls[0]["id"], "content": "no such file"},
        {"role": "tool", "tool_call_id": calls[1]["id"], "content": "ok"},
    ]
    asked = USER + [{"role": "assistant", "content": TEXT, "tool_calls": functions}]
    for bad, words in [
        (asked + results[:1], "did not have response messages"),
        (USER + results, "must be a response to a preceeding message"),
    ]:
        error = raises(openai.BadRequestError, lambda: chat(client, messages=bad))
        assert words in error.body["message"], error
        assert error.request_id.startswith("req_")
    with client.chat.completions.stream(model="m", messages=asked + results) as events:
        for _ in events:
            pass
        completion = events.get_final_completion()
    assert_equal((completion.choices[0].message.content, completion.choices[0].finish_reason), ("Done.", "stop"))


def openai_answers(client):
    completion = chat(client)
    message = completion.choices[0].message
    assert_equal((message.content, message.tool_calls[0].id), (None, "call_w"))
    assert_equal(json.loads(message.tool_calls[0].function.arguments), {"a": 1})
    assert_equal((completion.choices[0].finish_reason, completion.usage.total_tokens), ("tool_calls", 3))
    stream_chunks = chunks(client)
    assert_equal((stream_chunks[-1].choices[0].finish_reason, stream_chunks[-1].usage), ("length", None))
    assert_equal(chat(client).choices[0].finish_reason, "content_filter")
    assert_equal("".join(chunk.choices[0].delta.content or "" for chunk in chunks(client)), "trickle ü")
    assert_equal("".join(chunk.choices[0].delta.content or "" for chunk in chunks(client)), "xy")


def openai_errors(client):
    once = client.with_options(max_retries=0)
    assert_equal(chat(client).choices[0].message.content, "third time")
    error = raises(openai.RateLimitError, lambda: chat(client))
    assert_equal((error.code, error.type), ("insufficient_quota", "insufficient_quota"))
    error = raises(openai.APIError, lambda: chunks(once))
    assert_equal((error.message, error.type), ("The server had an error", "server_error"))
    raises(Exception, lambda: chunks(once))
    for kind, name in [
        (openai.BadRequestError, "invalid_request_error"),
        (openai.AuthenticationError, "invalid_request_error"),
        (openai.PermissionDeniedError, "invalid_request_error"),
        (openai.NotFoundError, "invalid_request_error"),
        (openai.RateLimitError, "requests"),
        (openai.InternalServerError, "server_error"),
        (openai.InternalServerError, "server_error"),
    ]:
        error = raises(kind, lambda: chat(once))
        assert_equal(error.type, name)
        if name == "requests":
            assert_equal(error.response.headers["x-ratelimit-remaining-requests"], "0")


def respond(client, **more):
    return client.responses.create(**({"model": "m", "input": "hello", "store": False} | more))


def openai_responses(client):
    include = ["reasoning.encrypted_content"]
    with client.responses.stream(model="m", input="hello", store=False, include=include) as events:
        seen = list(events)
        response = events.get_final_response()
    assert_equal([event.sequence_number for event in seen], list(range(len(seen))))
    assert_equal(("".join(event.delta for event in seen if event.type == "response.output_text.delta")), TEXT)
    thought, message, read, write = response.output
    assert_equal((thought.summary[0].text, thought.encrypted_content), ("Let me think.", "opaque"))
    assert_equal((response.output_text, message.status), (TEXT, "completed"))
    assert_equal((read.call_id, read.name, json.loads(read.arguments)), ("call_read", "Read", {"path": "a.txt"}))
    assert_equal((write.call_id, write.arguments), ("call_write", "{}"))
    usage = response.usage
    assert_equal((usage.input_tokens, usage.output_tokens, usage.total_tokens), (17, 34, 51))
    assert_equal((usage.input_tokens_details.cached_tokens, usage.output_tokens_details.reasoning_tokens), (5, 3))

    asked = USER + [item.model_dump(exclude_none=True) for item in response.output]
    for item in asked:
        item.pop("parsed_arguments", None)
    outputs = [
        {"type": "function_call_output", "call_id": "call_read", "output": "no such file"},
        {"type": "function_call_output", "call_id": "call_write", "output": "ok"},
    ]
    for bad, words in [(asked + outputs[:1], "No tool output found"), (USER + outputs, "No tool call found")]:
        error = raises(openai.BadRequestError, lambda: respond(client, input=bad))
        assert words in error.body["message"], error
    done = respond(client, input=asked + outputs)
    assert_equal((done.output_text, done.status), ("Done.", "completed"))
    cut = respond(client)
    assert_equal((cut.status, cut.incomplete_details.reason), ("incomplete", "max_output_tokens"))
    failed = [event for event in respond(client, stream=True)][-1]
    assert_equal((failed.type, failed.response.error.message), ("response.failed", "The server had an error"))
    error = [event for event in respond(client, stream=True)][-1]
    assert_equal((error.type, error.code), ("error", "server_error"))


def anthropic_tool_runner(client):
    @anthropic.beta_tool
    def add(a: int, b: int) -> str:
        """Adds two numbers."""
        return str(a + b)

    asked = [{"role": "user", "content": "one plus two"}]
    runner = client.beta.messages.tool_runner(model="m", max_tokens=2048, tools=[add], messages=asked)
    assert_equal([message.stop_reason for message in runner], ["tool_use", "end_turn"])


def openai_held(client):
    with client.responses.stream(model="m", input="hello", tools=[{"type": "custom", "name": "sh"}]) as events:
        kinds = [event.type for event in events]
        response = events.get_final_response()
    assert "response.custom_tool_call_input.done" in kinds, kinds
    (call,) = response.output
    assert_equal((call.type, call.input), ("custom_tool_call", "ls -l"))
    output = {"type": "custom_tool_call_output", "call_id": call.call_id, "output": "a.txt"}
    refused = client.responses.create(model="m", previous_response_id=response.id, input=[output])
    assert_equal(refused.output[0].content[0].refusal, "I will not.")
    waiting = client.responses.create(model="m", input="hello", background=True)
    assert_equal((waiting.status, client.responses.retrieve(waiting.id).output_text), ("queued", "later"))
    client.responses.delete(waiting.id)
    assert_equal(client.responses.compact(model="gpt-5", input="hello").output[-1].type, "compaction")
    vectors = client.embeddings.create(model="text-embedding-3-small", input=["x", "y"]).data
    assert_equal([len(vector.embedding) for vector in vectors], [1536, 1536])
    azure = openai.AzureOpenAI(azure_endpoint=str(client.base_url).removesuffix("/v1/"), api_key="k", api_version="2024-10-21")
    with azure.chat.completions.stream(model="m", messages=USER) as events:
        for _ in events:
            pass
        message = events.get_final_completion().choices[0].message
    assert_equal((message.content, message.refusal), (None, "I will not."))


def openai_rest(client):
    assert_equal([model.id for model in client.models.list()], ["mock-model", "mock-model-mini"])
    assert_equal(client.models.retrieve("mock-model").object, "model")
    assert_equal(client.models.retrieve("other").id, "other")
    raises(openai.BadRequestError, lambda: chat(client, messages=[]))
    assert_equal(chat(client).choices[0].message.content, "OK.")


# ---- Gemini


GEMINI = "gemini-3-pro"
TOOL = types.Tool(function_declarations=[{"name": "Read", "parameters": {"type": "OBJECT", "properties": {"path": {"type": "STRING"}}}}, {"name": "Write"}])
THINKING = types.ThinkingConfig(include_thoughts=True)


def generate(client, contents="hello", **config):
    return client.models.generate_content(model=GEMINI, contents=contents, config=config)


def generate_stream(client, contents="hello", **config):
    return list(client.models.generate_content_stream(model=GEMINI, contents=contents, config=config))


def gemini_stream(client):
    asked = [types.Content(role="user", parts=[types.Part(text="hello")])]
    chunks = generate_stream(client, asked, tools=[TOOL], system_instruction="Be brief.", thinking_config=THINKING)
    parts = [part for chunk in chunks for part in chunk.candidates[0].content.parts]
    assert_equal("".join(part.text for part in parts if part.thought), "Let me think.")
    assert_equal("".join(part.text or "" for part in parts if not part.thought), TEXT)
    read, write = [part for part in parts if part.function_call]
    assert_equal((read.function_call.id, read.function_call.name, read.function_call.args), ("call_read", "Read", {"path": "a.txt"}))
    assert_equal((len(write.function_call.id), write.function_call.args), (8, {"n": 1}))
    assert_equal((read.thought_signature, write.thought_signature), (b"sig-1", None))
    assert_equal({(chunk.model_version, chunk.response_id) for chunk in chunks}, {(GEMINI, chunks[0].response_id)})
    last = chunks[-1]
    assert_equal(last.candidates[0].finish_reason, types.FinishReason.STOP)
    usage = last.usage_metadata
    assert_equal((usage.prompt_token_count, usage.cached_content_token_count, usage.candidates_token_count), (24, 5, 31))
    assert_equal((usage.thoughts_token_count, usage.total_token_count), (3, 58))

    answered = [types.Content(role="model", parts=parts)]
    results = [
        types.Part.from_function_response(name="Read", response={"error": "no such file"}),
        types.Part.from_function_response(name="Write", response={"output": "ok"}),
    ]
    unsigned = [types.Content(role="model", parts=[types.Part(function_call=read.function_call), types.Part(function_call=write.function_call)])]
    for bad, words in [
        (asked + answered + [types.Content(role="user", parts=results[:1])], "number of function response parts is equal"),
        (asked + [types.Content(role="user", parts=results)], "function response turn comes immediately after"),
        (asked + unsigned + [types.Content(role="user", parts=results)], "missing a thought_signature"),
    ]:
        error = raises(errors.ClientError, lambda: generate(client, bad))
        assert_equal((error.code, error.status), (400, "INVALID_ARGUMENT"))
        assert words in error.message, error
    # Results without the ids of their calls.
    done = generate(client, asked + answered + [types.Content(role="user", parts=results)], tools=[TOOL])
    assert_equal(done.text, "Done.")


def gemini_answers(client):
    answer = generate(client, thinking_config=THINKING)
    thought, text, call = answer.candidates[0].content.parts
    assert_equal((thought.text, thought.thought, text.text), ("hm", True, "whole"))
    assert_equal((call.function_call.args, answer.function_calls[0].id), ({"a": 1}, "call_w"))
    assert_equal(generate(client).candidates[0].finish_reason, types.FinishReason.MAX_TOKENS)
    assert_equal(generate(client).candidates[0].finish_reason, types.FinishReason.SAFETY)
    blocked = generate(client)
    assert_equal((blocked.candidates, blocked.prompt_feedback.block_reason), (None, types.BlockedReason.SAFETY))
    malformed = generate_stream(client)[-1].candidates[0]
    assert_equal(malformed.finish_reason, types.FinishReason.MALFORMED_FUNCTION_CALL)
    assert_equal("".join(chunk.text for chunk in generate_stream(client)), "trickle ü")
    assert_equal("".join(chunk.text for chunk in generate_stream(client)), "xy")
    chat = client.chats.create(model=GEMINI)
    assert_equal("".join(chunk.text for chunk in chat.send_message_stream("one")), "first")
    assert_equal(chat.send_message("two").text, "second")

    def add(a: int, b: int) -> int:
        """Adds two numbers."""
        return a + b

    adding = client.chats.create(model=GEMINI, config={"tools": [add]})
    assert_equal(adding.send_message("one plus two").text, "3")


def gemini_errors(client):
    for code, status in [
        (400, "INVALID_ARGUMENT"),
        (403, "PERMISSION_DENIED"),
        (404, "NOT_FOUND"),
        (429, "RESOURCE_EXHAUSTED"),
        (500, "INTERNAL"),
        (503, "UNAVAILABLE"),
    ]:
        ask = generate_stream if code == 404 else generate
        error = raises(errors.ClientError if code < 500 else errors.ServerError, lambda: ask(client))
        assert_equal((error.code, error.status), (code, status))
        if code == 429:
            assert_equal(error.details["error"]["details"][0]["retryDelay"], "17s")
    chunks = client.models.generate_content_stream(model=GEMINI, contents="hello")
    assert_equal(next(chunks).text, "part")
    error = raises(errors.APIError, lambda: list(chunks))
    assert_equal((error.code, error.status, error.message), (503, "UNAVAILABLE", "Overloaded"))
    raises(Exception, lambda: generate_stream(client))


def gemini_rest(client):
    assert_equal([model.name for model in client.models.list()], ["models/mock-model", "models/mock-model-mini"])
    assert_equal(client.models.get(model="mock-model").display_name, "Mock Model")
    assert_equal(client.models.get(model="other").name, "models/other")
    assert client.models.count_tokens(model=GEMINI, contents="hello").total_tokens > 0
    config = types.EmbedContentConfig(output_dimensionality=8)
    vectors = client.models.embed_content(model="gemini-embedding-001", contents=["x", "y"], config=config).embeddings
    assert_equal([len(vector.values) for vector in vectors], [8, 8])
    raises(errors.ClientError, lambda: generate(client, types.Content(role="user", parts=[])))
    url = client._api_client._http_options.base_url.rstrip("/")
    ask = json.dumps({"contents": {"parts": {"text": "hello"}}}).encode()
    keyless = urllib.request.Request(f"{url}/v1beta/models/m:generateContent", ask)
    error = raises(urllib.error.HTTPError, lambda: urllib.request.urlopen(keyless))
    assert_equal((error.code, json.load(error)["error"]["status"]), (403, "PERMISSION_DENIED"))
    with urllib.request.urlopen(urllib.request.Request(f"{url}/v1/models/m:streamGenerateContent?key=k", ask)) as stream:
        assert_equal(json.load(stream)[-1]["candidates"][0]["finishReason"], "STOP")


# In the order of the script.
CHECKS = [
    anthropic_stream,
    anthropic_answers,
    anthropic_errors,
    openai_stream,
    openai_answers,
    openai_errors,
    openai_responses,
    anthropic_tool_runner,
    openai_held,
    gemini_stream,
    gemini_answers,
    gemini_errors,
    anthropic_rest,
    openai_rest,
    gemini_rest,
]


def main(url):
    claude = anthropic.Anthropic(base_url=url, api_key="k")
    gpt = openai.OpenAI(base_url=f"{url}/v1", api_key="k")
    gemini = genai.Client(api_key="k", http_options={"base_url": url})
    clients = {"anthropic": claude, "openai": gpt, "gemini": gemini}
    for check in CHECKS:
        check(clients[check.__name__.split("_")[0]])
        print("ok", check.__name__)
    print(f"ok: anthropic {anthropic.__version__}, openai {openai.__version__}, google-genai {genai.__version__}")


if __name__ == "__main__":
    main(sys.argv[1])
