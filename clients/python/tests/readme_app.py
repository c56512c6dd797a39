"""The app of the example: an agent with one tool, which asks a model over the API of OpenAI."""

import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.request import Request, urlopen

WEATHER = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}


def ask(question: str, env: Mapping[str, str] = os.environ) -> str:
    """The answer to a question. Raises HTTPError if the model cannot be asked."""
    messages: list[Any] = [{"role": "user", "content": question}]
    while True:
        body = {"model": "gpt-5", "messages": messages, "tools": [WEATHER]}
        headers = {"content-type": "application/json", "authorization": f"Bearer {env['OPENAI_API_KEY']}"}
        with urlopen(Request(f"{env['OPENAI_BASE_URL']}/chat/completions", json.dumps(body).encode(), headers)) as response:
            message = json.load(response)["choices"][0]["message"]
        if "tool_calls" not in message:
            return message["content"]
        messages.append(message)
        for call in message["tool_calls"]:
            city = json.loads(call["function"]["arguments"])["city"]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": f"rain in {city}"})
