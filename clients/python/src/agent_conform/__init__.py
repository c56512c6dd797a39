"""Mock agents for tests of hosts."""

from ._control import AgentEnded, Refused, Status
from ._findings import Clause, Finding, HostError
from ._journal import JournalEntry
from ._options import Options, Script
from ._plain import AgentProcess, MockAgent, start_mock_agent

__all__ = [
    "AgentEnded",
    "AgentProcess",
    "Clause",
    "Finding",
    "HostError",
    "JournalEntry",
    "MockAgent",
    "Options",
    "Refused",
    "Script",
    "Status",
    "start_mock_agent",
]
