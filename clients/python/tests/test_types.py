"""What a type checker knows of frames and scripts."""

from __future__ import annotations

from agent_conform import start_mock_agent
from agent_conform.types import Aionrs01Event, ModelScript, Pi087Event, Synaps1Event
from agent_conform.types.aionrs_0_1 import MessageCommand


def text_of(event: Aionrs01Event) -> str:
    if event["type"] == "text_delta" or event["type"] == "thinking":
        return event["text"]
    if event["type"] == "tool_request":
        return f"{event['tool']['name']} ({event['tool']['category']})"
    return ""


def describe(event: Pi087Event) -> str:
    if event["type"] == "response" and event["command"] == "get_state":
        return event["data"]["sessionId"] if event["success"] is True else event["error"]
    return event["type"]


def model_of(event: Synaps1Event) -> str | None:
    return event.get("model") if event["type"] == "response" else None


def test_a_frame_is_told_by_its_type() -> None:
    assert text_of({"type": "text_delta", "msg_id": "m1", "text": "hi"}) == "hi"
    assert describe({"type": "response", "command": "get_state", "success": False, "error": "no"}) == "no"
    assert model_of({"type": "response", "id": "s", "command": "get_state", "streaming": False, "model": "m", "session_id": "s1"}) == "m"


def test_a_member_that_a_frame_does_not_have_is_an_error() -> None:
    event: Aionrs01Event = {"type": "text_delta", "msg_id": "m1", "txt": "hi"}  # pyright: ignore[reportAssignmentType]
    assert event


def test_a_script_has_a_type() -> None:
    script: ModelScript = [{"text": "hi"}, {"content": [{"text": "a"}, {"gate": "half"}]}]
    with start_mock_agent(protocol="aionrs@0.1", script=script, may_stay_unused=True) as agent:
        commands: list[MessageCommand] = agent.commands()
        assert commands == []
