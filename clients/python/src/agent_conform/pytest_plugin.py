"""The fixtures `mock_agent` and `async_mock_agent`: at the end of a test, the mistakes of its host fail it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import pytest
from typing_extensions import Unpack

from . import aio
from ._findings import HostError
from ._options import Options
from ._plain import MockAgent, start_mock_agent
from ._prepared import Prepared


class StartMockAgent(Protocol):
    """`start_mock_agent`, whose agents the fixture closes."""

    def __call__(self, **options: Unpack[Options]) -> MockAgent: ...


class StartAsyncMockAgent(Protocol):
    """`start_mock_agent` of `agent_conform.aio`, whose agents the fixture closes."""

    def __call__(self, **options: Unpack[Options]) -> aio.AsyncMockAgent: ...


@pytest.fixture
def mock_agent(request: pytest.FixtureRequest) -> Iterator[StartMockAgent]:
    """Prepares a mock agent: `agent = mock_agent(protocol=..., script=...)`."""
    closing: list[Callable[[], None]] = []

    def start(**options: Unpack[Options]) -> MockAgent:
        agent = start_mock_agent(**options)
        _report_session(request, agent)
        closing.append(agent.close)
        return agent

    yield start
    _close(closing)


@pytest.fixture
def async_mock_agent(request: pytest.FixtureRequest) -> Iterator[StartAsyncMockAgent]:
    """The same for tests in asyncio. The host must have ended when the test ends."""
    closing: list[Callable[[], None]] = []

    def start(**options: Unpack[Options]) -> aio.AsyncMockAgent:
        agent = aio.start_mock_agent(**options)
        _report_session(request, agent)
        closing.append(agent._finish)  # pyright: ignore[reportPrivateUsage]
        return agent

    yield start
    _close(closing)


def _report_session(request: pytest.FixtureRequest, agent: Prepared) -> None:
    """Shows what the host and the agent have sent if the test fails."""
    node: pytest.Item = request.node

    def report() -> None:
        session = agent._shown()  # pyright: ignore[reportPrivateUsage]
        if session:
            node.add_report_section("teardown", "mock-agent", session)

    agent._before_removal.append(report)  # pyright: ignore[reportPrivateUsage]


def _close(closing: list[Callable[[], None]]) -> None:
    errors: list[HostError] = []
    for close in closing:
        try:
            close()
        except HostError as error:
            errors.append(error)
    if errors:
        pytest.fail("\n\n".join(map(str, errors)), pytrace=False)
