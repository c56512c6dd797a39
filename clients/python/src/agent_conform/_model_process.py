"""The process of a scripted model: `conform provider`, from its start to its end."""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

# What still runs when Python ends, with its folder, and the process that started it: a fork of it does not end it.
_running: dict[subprocess.Popen[bytes], Path] = {}
_OWNER = os.getpid()


@atexit.register
def _end_all() -> None:
    for process, folder in _running.items() if os.getpid() == _OWNER else ():
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


class NotStarted(RuntimeError):
    """The process has ended before it served. `text` is what the process has said."""

    def __init__(self, text: str) -> None:
        super().__init__(f"the model did not start: {text.rstrip()}")
        self.text = text

    @property
    def is_about_script(self) -> bool:
        """Whether the script is wrong, not an option or the program."""
        return self.text != "" and "try '--help'" not in self.text


class ModelProcess:
    """A model that serves at `url`, an address without a path."""

    def __init__(self, program: str, args: Sequence[str], folder: Path) -> None:
        """Starts the program, which writes its messages to a file in this folder, and waits for its address."""
        messages = folder / "messages.txt"
        # The variables of mock agents, such as that of the folder of their control, are not for the model.
        env = {name: value for name, value in os.environ.items() if not name.startswith("MOCK_AGENT_")}
        with messages.open("wb") as stderr:
            self._process = subprocess.Popen([program, *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr, env=env)
        _running[self._process] = folder
        assert self._process.stdout
        with self._process.stdout as stdout:
            self.url = stdout.readline().decode().strip()
        if not self.url:
            self.stop(0)
            raise NotStarted(messages.read_text(encoding="utf-8"))

    def stop(self, timeout: float) -> None:
        """Ends the process, and waits until it has ended: normally, or after this time by force."""
        self._process.terminate()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        _running.pop(self._process, None)
