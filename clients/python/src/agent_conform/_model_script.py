"""The file of a model's script, and what is said about a mistake in it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Union

from ._options import script_setting
from .types import ModelScript

# The replies, the path of a file that ends in `.yaml` or `.json`, a YAML text, or the name of a built-in script.
ModelReplies = Union[ModelScript, str, Path]


class ScriptError(ValueError):
    """The script of a model cannot be played: which mistakes it has, each with its place."""


def write_script(script: ModelReplies, file: Path) -> str:
    """Writes a script to this file, each reply on a line of its own, unless it is a file already. Returns what `conform provider` takes."""
    if isinstance(script, (str, Path)):
        return script_setting(script, file)
    replies = ",\n".join(json.dumps(reply, ensure_ascii=False) for reply in script)
    file.write_text(f"[\n{replies}\n]\n", encoding="utf-8")
    return str(file)


def reply_of(script: ModelReplies, number: int) -> str | None:
    """The reply of a script, as text. None if the script is a file or a text."""
    if isinstance(script, (str, Path)) or number >= len(script):
        return None
    return json.dumps(script[number], ensure_ascii=False)


def script_error(message: str, script: ModelReplies, folder: Path) -> ScriptError:
    """What `conform` says about a script. A place in a file that was written for it, in this folder, becomes one in the script."""
    is_text = isinstance(script, (str, Path))

    def place(match: re.Match[str]) -> str:
        file, line, column = match.groups()
        if Path(file).parent != folder:
            return match[0]
        return f"--> line {line}, column {column} of the script" if is_text else f"--> reply {int(line) - 2} of the script"

    shown = re.sub(r"--> (.+):(\d+):(\d+)$", place, message, flags=re.MULTILINE)
    if not is_text:
        shown = re.sub(r"^ *\d+(?= \| )", lambda number: " " * len(number[0]), shown, flags=re.MULTILINE)
    return ScriptError(f"the script of the model cannot be played\n\n{shown.rstrip()}")
