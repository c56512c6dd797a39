"""docs/model.md shows replies that can be played, and names the failures and the variables that there are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from agent_conform import ModelFailureKind, start_model

PAGE = (Path(__file__).parents[3] / "docs" / "model.md").read_text(encoding="utf-8")


def first_cells(title: str) -> list[str]:
    """The first cells of the table in this section."""
    section = PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)


REPLIES = [cell.strip("`") for cell in first_cells("The script")]


@pytest.mark.parametrize("reply", REPLIES)
def test_every_reply_is_one(reply: str) -> None:
    with start_model(f"- text: before\n- {reply}") as model:
        model.allow_failure("unused")


def test_the_failures_are_those_of_the_type() -> None:
    assert len(REPLIES) > 5
    rows = " ".join(line for line in PAGE.splitlines() if line.startswith("| `"))
    assert all(f"`{kind}`" in rows for kind in get_args(ModelFailureKind))


def test_the_variables_are_those_of_a_model() -> None:
    named = [name for cell in first_cells("The address") for name in re.findall(r"`(\w+)`", cell)]
    with start_model([]) as model:
        assert sorted(named) == sorted(model.env)
