"""Mock agents for tests of hosts, and scripted models for tests of agents and apps."""

from ._control import AgentEnded, Refused, Status
from ._findings import Clause, Finding, HostError
from ._journal import JournalEntry
from ._model import MockModel, start_model
from ._model_journal import ModelError, ModelFailure, ModelFailureKind
from ._model_request import ModelApi, ModelMessage, ModelRequest, ModelToolCall, ModelToolResult
from ._model_script import ModelReplies, ScriptError
from ._options import Options, Script
from ._plain import AgentProcess, MockAgent, start_mock_agent
from ._started_model import ModelOptions

__all__ = [
    "AgentEnded",
    "AgentProcess",
    "Clause",
    "Finding",
    "HostError",
    "JournalEntry",
    "MockAgent",
    "MockModel",
    "ModelApi",
    "ModelError",
    "ModelFailure",
    "ModelFailureKind",
    "ModelMessage",
    "ModelOptions",
    "ModelReplies",
    "ModelRequest",
    "ModelToolCall",
    "ModelToolResult",
    "Options",
    "Refused",
    "Script",
    "ScriptError",
    "Status",
    "start_mock_agent",
    "start_model",
]
