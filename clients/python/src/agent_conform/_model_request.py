"""A request to the model, decoded: the same members whichever API the app uses."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast

ModelApi: TypeAlias = Literal["anthropic", "openai-chat", "openai-responses", "gemini"]
"""Anthropic Messages, OpenAI Chat Completions, OpenAI Responses or Gemini."""


@dataclass(frozen=True)
class ModelToolCall:
    """A call of a tool by the model. `args` are decoded, or a text if they are not JSON."""

    id: str
    name: str
    args: Any


@dataclass(frozen=True)
class ModelToolResult:
    """What a tool has returned for a call. Anthropic marks errors, and Gemini has them in a member `error`."""

    call: str
    text: str
    is_error: bool = False


@dataclass(frozen=True)
class ModelMessage:
    """A message of the conversation.

    `role` is `user`, `assistant`, or `tool` for the results of tools over the APIs of OpenAI; over those of Anthropic and Gemini,
    the user brings them.
    """

    role: str
    text: str = ""
    tool_calls: list[ModelToolCall] = field(default_factory=list[ModelToolCall])
    tool_results: list[ModelToolResult] = field(default_factory=list[ModelToolResult])


@dataclass(frozen=True)
class ModelRequest:
    """A request of the app for an answer of the model.

    number: Its number among all requests, from 0, as failures cite it.
    model: The name of the model that the app asks for.
    stream: Whether the app asks for a stream.
    system: The system prompt, or the instructions.
    messages: The conversation, without the system prompt.
    tools: The names of the tools that the model may call.
    body: The whole body, as sent.
    """

    number: int
    api: ModelApi
    path: str
    model: str
    stream: bool
    system: str
    messages: list[ModelMessage]
    tools: list[str]
    body: dict[str, Any]


_Object: TypeAlias = "dict[str, Any]"
_Conversation: TypeAlias = "tuple[list[str], list[ModelMessage]]"

_PATHS: dict[str, ModelApi] = {"/messages": "anthropic", "/chat/completions": "openai-chat", "/responses": "openai-responses"}

_GEMINI_PATH = re.compile(r"/([^/]+):(generateContent|streamGenerateContent)$")
"""The end of a path of Gemini, which has the model."""


def decode_request(record: dict[str, Any]) -> ModelRequest | None:
    """The request of a record of the journal. None if it is for something other than an answer, such as the list of models."""
    path = str(record["path"])
    gemini = _GEMINI_PATH.search(path)
    api: ModelApi | None = "gemini" if gemini else next((api for end, api in _PATHS.items() if path.endswith(end)), None)
    if api is None or record["method"] != "POST":
        return None
    body = _object(record["body"])
    system, messages = _DECODERS[api](body)
    offered = [one for tool in _objects(body.get("tools")) for one in _objects(_either(tool, "functionDeclarations", "function_declarations")) or [tool]]
    tools = (_text_of(tool, "name") or _text_of(_object(tool.get("function", tool.get("custom"))), "name") or _text_of(tool, "type") for tool in offered)
    return ModelRequest(
        number=record["n"],
        api=api,
        path=path,
        model=gemini[1] if gemini else _text_of(body, "model"),
        stream=gemini[2] == "streamGenerateContent" if gemini else body.get("stream") is True,
        system="\n".join(system),
        messages=messages,
        tools=[name for name in tools if name],
        body=body,
    )


def _anthropic(body: _Object) -> _Conversation:
    system = _content(body.get("system"))
    return [system] if system else [], [_anthropic_message(message) for message in _objects(body.get("messages"))]


def _anthropic_message(message: _Object) -> ModelMessage:
    blocks = _objects(message.get("content"))
    return ModelMessage(
        role=_text_of(message, "role"),
        text=_content(message.get("content")),
        tool_calls=[ModelToolCall(_text_of(block, "id"), _text_of(block, "name"), block.get("input")) for block in blocks if block.get("type") == "tool_use"],
        tool_results=[_result(block, "tool_use_id", "content", block.get("is_error") is True) for block in blocks if block.get("type") == "tool_result"],
    )


def _chat(body: _Object) -> _Conversation:
    return _conversation([], _objects(body.get("messages")), _chat_message)


def _chat_message(message: _Object) -> ModelMessage:
    role = _text_of(message, "role")
    if role == "tool":
        return ModelMessage(role, tool_results=[_result(message, "tool_call_id", "content")])
    calls = [_chat_call(call) for call in _objects(message.get("tool_calls"))]
    return ModelMessage(role, _content(message.get("content")), calls)


def _chat_call(call: _Object) -> ModelToolCall:
    called = _object(call.get("function", call.get("custom")))
    args = _parsed(called["arguments"]) if "arguments" in called else called.get("input")
    return ModelToolCall(_text_of(call, "id"), _text_of(called, "name"), args)


def _responses(body: _Object) -> _Conversation:
    instructions, given = _text_of(body, "instructions"), body.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else _objects(given)
    conversation = [item for item in items if item.get("type") != "reasoning"]
    return _conversation([instructions] if instructions else [], conversation, _responses_item)


def _responses_item(item: _Object) -> ModelMessage:
    kind = _text_of(item, "type")
    if kind.endswith("_call_output"):
        return ModelMessage("tool", tool_results=[_result(item, "call_id", "output")])
    if kind in ("function_call", "custom_tool_call"):
        args = _parsed(item.get("arguments")) if kind == "function_call" else item.get("input")
        return ModelMessage("assistant", tool_calls=[ModelToolCall(_text_of(item, "call_id"), _text_of(item, "name"), args)])
    return ModelMessage(_text_of(item, "role"), _content(item.get("content")))


def _gemini(body: _Object) -> _Conversation:
    instruction = _object(_either(body, "systemInstruction", "system_instruction"))
    system = _content(_one_or_more(instruction.get("parts")))
    return [system] if system else [], [_gemini_message(content) for content in _one_or_more(body.get("contents"))]


def _gemini_message(content: _Object) -> ModelMessage:
    parts = _one_or_more(content.get("parts"))
    calls = [_object(_either(part, "functionCall", "function_call")) for part in parts]
    results = [_object(_either(part, "functionResponse", "function_response")) for part in parts]
    return ModelMessage(
        role="assistant" if content.get("role") == "model" else "user",
        text=_content([part for part in parts if part.get("thought") is not True]),
        tool_calls=[ModelToolCall(_text_of(call, "id"), _text_of(call, "name"), call.get("args")) for call in calls if call],
        tool_results=[_gemini_result(result) for result in results if result],
    )


def _gemini_result(result: _Object) -> ModelToolResult:
    response = _object(result.get("response"))
    text = response.get("output", response.get("error", response))
    return ModelToolResult(_text_of(result, "id") or _text_of(result, "name"), text if isinstance(text, str) else json.dumps(text), "error" in response)


_DECODERS: dict[ModelApi, Callable[[_Object], _Conversation]] = {"anthropic": _anthropic, "openai-chat": _chat, "openai-responses": _responses, "gemini": _gemini}


def _conversation(system: list[str], messages: list[_Object], decode: Callable[[_Object], ModelMessage]) -> _Conversation:
    """A conversation in which the system prompt is a message like the others."""
    decoded = [decode(message) for message in messages]
    own = ("system", "developer")
    return system + [message.text for message in decoded if message.role in own], [message for message in decoded if message.role not in own]


def _result(source: _Object, id: str, content: str, is_error: bool = False) -> ModelToolResult:
    return ModelToolResult(_text_of(source, id), _content(source.get(content)), is_error)


def _content(content: object) -> str:
    """The text of a content: a string, or the texts of its parts, one after the other."""
    if isinstance(content, str):
        return content
    return "".join(_text_of(part, "text") or _text_of(part, "refusal") for part in _objects(content))


def _parsed(text: object) -> Any:
    """The JSON of a text; the text itself if it is none."""
    try:
        return json.loads(str(text))
    except ValueError:
        return text


def _object(value: object) -> _Object:
    return cast("_Object", value) if isinstance(value, dict) else {}


def _objects(value: object) -> list[_Object]:
    return [cast("_Object", one) for one in cast("list[object]", value) if isinstance(one, dict)] if isinstance(value, list) else []


def _either(value: _Object, name: str, other: str) -> object:
    return value.get(name, value.get(other))


def _one_or_more(value: object) -> list[_Object]:
    """The objects of a list, for which Gemini also takes one object."""
    return _objects([cast("object", value)] if isinstance(value, dict) else value)


def _text_of(value: _Object, name: str) -> str:
    found = value.get(name)
    return found if isinstance(found, str) else ""
