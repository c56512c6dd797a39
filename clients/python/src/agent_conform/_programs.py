"""The programs that the wheel brings."""

from __future__ import annotations

import os
import sys
from importlib import metadata


def installed_program(name: str) -> str | None:
    """The path of a program of this package, if it was installed with its programs."""
    try:
        files = metadata.files("agent-conform") or []
    except metadata.PackageNotFoundError:
        return None
    found = (os.path.realpath(str(file.locate())) for file in files if file.name == name)
    return next(found, None)


def main() -> None:
    """Runs `conform` in place of this process."""
    os.execvp(installed_program("conform") or "conform", ["conform", *sys.argv[1:]])
