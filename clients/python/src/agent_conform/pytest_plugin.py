"""The fixtures `mock_agent` and `mock_model`, and both for asyncio: at the end of a test, the mistakes of its host or its app fail it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import pytest
from typing_extensions import Unpack

from . import aio
from ._findings import HostError
from ._model import MockModel, start_model
from ._model_journal import ModelError
from ._model_script import ModelReplies
from ._options import Options
from ._plain import MockAgent, start_mock_agent
from ._prepared import Prepared
from ._started_model import ModelOptions, StartedModel


class StartMockAgent(Protocol):
    """`start_mock_agent`, whose agents the fixture closes."""

    def __call__(self, **options: Unpack[Options]) -> MockAgent: ...


class StartAsyncMockAgent(Protocol):
    """`start_mock_agent` of `agent_conform.aio`, whose agents the fixture closes."""

    def __call__(self, **options: Unpack[Options]) -> aio.AsyncMockAgent: ...


class StartModel(Protocol):
    """`start_model`, whose models the fixture closes."""

    def __call__(self, script: ModelReplies, **options: Unpack[ModelOptions]) -> MockModel: ...


class StartAsyncModel(Protocol):
    """`start_model` of `agent_conform.aio`, whose models the fixture closes."""

    def __call__(self, script: ModelReplies, **options: Unpack[ModelOptions]) -> aio.AsyncMockModel: ...


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


@pytest.fixture
def mock_model(request: pytest.FixtureRequest) -> Iterator[StartModel]:
    """Starts a scripted model: `model = mock_model([{"text": "42."}])`."""
    closing: list[Callable[[], None]] = []

    def start(script: ModelReplies, **options: Unpack[ModelOptions]) -> MockModel:
        model = start_model(script, **options)
        _report_session(request, model)
        closing.append(model.close)
        return model

    yield start
    _close(closing)


@pytest.fixture
def async_mock_model(request: pytest.FixtureRequest) -> Iterator[StartAsyncModel]:
    """The same for tests in asyncio. The app must have ended when the test ends."""
    closing: list[Callable[[], None]] = []

    def start(script: ModelReplies, **options: Unpack[ModelOptions]) -> aio.AsyncMockModel:
        model = aio.start_model(script, **options)
        _report_session(request, model)
        closing.append(model._finish)  # pyright: ignore[reportPrivateUsage]
        return model

    yield start
    _close(closing)


def _report_session(request: pytest.FixtureRequest, one: Prepared | StartedModel) -> None:
    """Shows what the host and the agent, or the app and the model, have sent if the test fails."""
    node: pytest.Item = request.node
    title = "mock-model" if isinstance(one, StartedModel) else "mock-agent"

    def report() -> None:
        session = one._shown()  # pyright: ignore[reportPrivateUsage]
        if session:
            node.add_report_section("teardown", title, session)

    one._before_removal.append(report)  # pyright: ignore[reportPrivateUsage]


def _close(closing: list[Callable[[], None]]) -> None:
    errors: list[Exception] = []
    for close in closing:
        try:
            close()
        except Exception as error:
            errors.append(error)
    for error in errors:
        if not isinstance(error, (HostError, ModelError)):
            raise error
    if errors:
        pytest.fail("\n\n".join(map(str, errors)), pytrace=False)
