"""The fixture `mock_agents`: every test that uses it also judges its host."""

import pytest
from mock_agents import MockAgents, is_running, wait_until


@pytest.fixture
def mock_agents(tmp_path):
    agents = MockAgents(tmp_path)
    yield agents
    agents.close()
    for pid in agents.started():
        wait_until(lambda: not is_running(pid), f"agent {pid} outlived its host")
    assert agents.mistakes() == "", "the host broke the protocol"
