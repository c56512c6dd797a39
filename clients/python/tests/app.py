"""A small app: it sends bodies to a model, over each API."""

from __future__ import annotations

import json
from typing import Any
from urllib.error import HTTPError
from urllib.request import ProxyHandler, Request, build_opener

from agent_conform import MockModel, ModelApi
from agent_conform.aio import AsyncMockModel

PATHS: dict[ModelApi, str] = {
    "anthropic": "/v1/messages",
    "openai-chat": "/v1/chat/completions",
    "openai-responses": "/v1/responses",
    "gemini": "/v1beta/models/gemini-3-pro:streamGenerateContent",
}


def post(url: str, body: object, headers: dict[str, str]) -> tuple[int, Any]:
    """The status and the document of the answer."""
    request = Request(url, json.dumps(body).encode(), {"content-type": "application/json", **headers})
    try:
        with build_opener(ProxyHandler({})).open(request) as response:
            text = response.read().decode()
            return response.status, text if "data:" in text else json.loads(text)
    except HTTPError as error:
        with error:
            return error.code, json.load(error)


def send(model: MockModel | AsyncMockModel, api: ModelApi, body: dict[str, Any]) -> tuple[int, Any]:
    keys = {"authorization": f"Bearer {model.env['OPENAI_API_KEY']}", "x-api-key": model.env["ANTHROPIC_API_KEY"], "x-goog-api-key": model.env["GEMINI_API_KEY"]}
    return post(model.url + PATHS[api], body, {**keys, "anthropic-version": "2023-06-01"})


def ask(model: MockModel | AsyncMockModel, question: str) -> str:
    """The answer to a question over Chat Completions."""
    _, answer = send(model, "openai-chat", {"model": "gpt-5", "messages": [{"role": "user", "content": question}]})
    return answer["choices"][0]["message"]["content"]


def refused(model: MockModel | AsyncMockModel) -> None:
    """Sends a request without messages."""
    status, _ = send(model, "openai-chat", {"model": "gpt-5", "messages": []})
    assert status == 400
