"""The options of a test for its agent."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, Union

from ._programs import installed_program

# The name of a built-in script, the path of a file that ends in `.yaml` or `.json`, a YAML text, or the script itself.
Script = Union[str, Path, Sequence[Any], Mapping[str, Any]]

_ARGUMENTS = {"acp": ["--acp"], "aionrs": ["--json-stream"], "pi": ["--mode", "rpc"], "synaps": ["rpc"]}


class Options(TypedDict, total=False):
    """The options of `start_mock_agent`.

    protocol: `NAME@VERSION`, or `NAME` for the version that its hosts speak. Without it, the arguments of the host decide.
    script: The replies of the agent. Without it, the agent repeats the prompt.
    fault: A fault to play, `ID` or `ID@turn=N`; `conform list faults` lists them.
    pace: The speed of replies: `human`, or a multiple of it.
    retries: How often aionrs and synaps try a failed request to the model again. By default 0.
    clock: `stopped` until the test advances it, or how many times as fast the waits of the agent pass: before retries, of delays and of
        the pace.
    args: More arguments, after those of the protocol.
    env: More variables, such as MOCK_AGENT_LATENCY_MS.
    dialect_dir: A folder of own dialects; `protocol` is then one of them.
    program: The path of mock-agent. By default MOCK_AGENT of the environment, that of the installed package, or
        `mock-agent` on the PATH.
    timeout: How long each wait may take, in seconds. By default 4.
    may_outlive: Whether agents may run on when the test ends. They are then ended.
    may_stay_unused: Whether the host may start no agent at all, or one that cannot start.
    """

    protocol: str
    script: Script
    fault: str
    pace: str
    retries: int
    clock: Literal["stopped"] | float
    args: Sequence[str]
    env: Mapping[str, str]
    dialect_dir: str | Path
    program: str | Path
    timeout: float
    may_outlive: bool
    may_stay_unused: bool


def check(options: Mapping[str, Any], known: type = Options) -> None:
    """Refuses an unknown option."""
    unknown = sorted(options.keys() - known.__annotations__.keys())
    if unknown:
        raise TypeError(f"unknown option {', '.join(unknown)}; known are {', '.join(known.__annotations__)}")


# The variables that name the programs, and what each program is.
_PROGRAMS = {"mock-agent": ("MOCK_AGENT", "the mock agent"), "conform": ("CONFORM", "conform")}


def find_program(program: Literal["mock-agent", "conform"], given: str | Path | None) -> str:
    """The path of a program: as given, as MOCK_AGENT or CONFORM names it, that of the installed package, or that on the PATH."""
    variable, title = _PROGRAMS[program]
    name = str(given or os.environ.get(variable) or installed_program(program) or program)
    found = shutil.which(name)
    if found is None:
        is_path = os.path.dirname(name) != ""
        what = f"{name} is not a program" if is_path else f"{name} is not on the PATH"
        raise FileNotFoundError(f"{what}: name {title} by the option `program` or by {variable} in the environment")
    return os.path.abspath(found)


def protocol_arguments(options: Options) -> list[str]:
    """The arguments with which the real agent of a protocol is started."""
    protocol = options.get("protocol", "").split("@")[0]
    return [] if "dialect_dir" in options else _ARGUMENTS.get(protocol, [])


def arguments_of(options: Options) -> list[str]:
    """The same, and those of the test."""
    return [*protocol_arguments(options), *options.get("args", [])]


def script_setting(script: Script, file: Path) -> str:
    """The value of MOCK_AGENT_SCRIPT for a script, which is written to the file unless it is a file already."""
    if isinstance(script, Path):
        return str(script.resolve())
    if not isinstance(script, str):
        text = json.dumps(script)
    elif re.fullmatch(r"[\w-]+", script):
        return script
    elif re.fullmatch(r"[^\n]*\.(ya?ml|json)", script):
        return os.path.abspath(script)
    else:
        text = script
    file.write_text(text, encoding="utf-8")
    return str(file)
