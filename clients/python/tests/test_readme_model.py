from urllib.error import HTTPError

import pytest
from readme_app import ask

from agent_conform.pytest_plugin import StartModel


def test_the_question_is_answered(mock_model: StartModel) -> None:
    model = mock_model([{"text": "42."}])
    assert ask("What is the answer?", model.env) == "42."
    assert model.requests()[0].messages[0].text == "What is the answer?"


def test_the_result_of_a_tool_goes_to_the_model(mock_model: StartModel) -> None:
    model = mock_model([{"tool_calls": [{"name": "weather", "args": {"city": "Oslo"}}]}, {"text": "It rains."}])
    assert ask("How is the weather in Oslo?", model.env) == "It rains."
    first, second = model.requests()
    assert first.tools == ["weather"]
    assert second.messages[-1].tool_results[0].text == "rain in Oslo"


def test_a_model_that_is_overloaded_is_an_error(mock_model: StartModel) -> None:
    model = mock_model([{"error": {"status": 529}}])
    with pytest.raises(HTTPError, match="529"):
        ask("What is the answer?", model.env)
