"""The SDKs of the vendors take their address and their key from the variables of a model."""

from __future__ import annotations

import pytest

from agent_conform import MockModel, ModelMessage
from agent_conform.pytest_plugin import StartModel

anthropic = pytest.importorskip("anthropic")
openai = pytest.importorskip("openai")
genai = pytest.importorskip("google.genai")

QUESTION = [{"role": "user", "content": "What is the answer?"}]


@pytest.fixture
def model(mock_model: StartModel, monkeypatch: pytest.MonkeyPatch) -> MockModel:
    """A model that the SDKs find in the environment of this process."""
    model = mock_model([{"text": ["The answer ", "is 42."]}])
    for name, value in model.env.items():
        monkeypatch.setenv(name, value)
    return model


ASKED = [ModelMessage("user", "What is the answer?")]


def test_anthropic(model: MockModel) -> None:
    with anthropic.Anthropic().messages.stream(model="mock-model", max_tokens=100, messages=QUESTION) as stream:
        assert "".join(stream.text_stream) == "The answer is 42."
    assert model.requests()[0].messages == ASKED


def test_openai_chat(model: MockModel) -> None:
    completion = openai.OpenAI().chat.completions.create(model="gpt-5", messages=QUESTION)
    assert completion.choices[0].message.content == "The answer is 42."
    assert model.requests()[0].messages == ASKED


def test_openai_responses(model: MockModel) -> None:
    assert openai.OpenAI().responses.create(model="gpt-5", input=QUESTION).output_text == "The answer is 42."
    assert model.requests()[0].messages == ASKED


def test_gemini(model: MockModel) -> None:
    client = genai.Client()
    chunks = client.models.generate_content_stream(model="gemini-3-pro", contents=QUESTION[0]["content"])
    assert "".join(chunk.text for chunk in chunks) == "The answer is 42."
    assert model.requests()[0].messages == ASKED


def test_an_error_that_comes_once_is_not_seen_by_an_app_and_one_that_comes_three_times_is(mock_model: StartModel) -> None:
    model = mock_model(
        [
            {"error": {"status": 429, "headers": {"retry-after-ms": 1}}},
            {"text": "later"},
            {"error": {"status": 429, "headers": {"retry-after-ms": 1}}, "repeat": 3},
        ]
    )
    client = openai.OpenAI(base_url=model.env["OPENAI_BASE_URL"], api_key=model.env["OPENAI_API_KEY"])
    assert client.responses.create(model="gpt-5", input=QUESTION).output_text == "later"
    with pytest.raises(openai.RateLimitError):
        client.responses.create(model="gpt-5", input=QUESTION)
