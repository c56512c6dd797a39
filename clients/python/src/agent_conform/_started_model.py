"""What a model has with asyncio and without: its process, its files, and its end."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypedDict

from typing_extensions import Unpack

from ._closing import run_deferred
from ._control import Refused, Registered, registered
from ._model_journal import ModelError, ModelFailure, ModelFailureKind, ModelJournal
from ._model_process import ModelProcess, NotStarted
from ._model_request import ModelRequest
from ._model_script import ModelReplies, ScriptError, script_error, write_script
from ._options import check, find_program


class ModelOptions(TypedDict, total=False):
    """The options of `start_model`.

    keyless: Whether requests without a key are answered. By default they are refused, as by the real APIs.
    lenient: Whether requests are answered that the real APIs refuse for what is in their body.
    pace: The speed of replies: `human`, or a multiple of it. By default they come at once.
    program: The path of conform. By default CONFORM of the environment, that of the installed package, or `conform` on the PATH.
    timeout: How long each wait may take, in seconds. By default 4.
    """

    keyless: bool
    lenient: bool
    pace: str
    program: str | Path
    timeout: float


class StartedModel:
    """A scripted model, which serves until it is closed.

    url: The address of the server, without a path.
    env: The variables for the app, which reads them as the SDKs of the vendors do. Those of the test itself are not among them.
    """

    def __init__(self, script: ModelReplies, **options: Unpack[ModelOptions]) -> None:
        check(options, ModelOptions)
        program = find_program("conform", options.get("program"))
        self._script = script
        self._timeout = options.get("timeout", 4.0)
        self._allowed: set[ModelFailureKind] = set()
        self._deferred: list[Callable[[], object]] = []
        self._before_removal: list[Callable[[], object]] = []
        self._resets = 0
        self._ended: ModelJournal | None = None
        self._is_closed = False
        self._own = Path(tempfile.mkdtemp(prefix="mock-model-"))
        try:
            self._process = ModelProcess(program, self._arguments(options), self._own)
        except Exception as error:
            shutil.rmtree(self._own, ignore_errors=True)
            if isinstance(error, NotStarted) and error.is_about_script:
                raise script_error(error.text, script, self._own) from None
            raise
        self.url = self._process.url
        self.env = {
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_BASE": f"{self.url}/v1",
            "OPENAI_API_KEY": "mock-key",
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": "mock-key",
            "GOOGLE_GEMINI_BASE_URL": self.url,
            "GEMINI_API_KEY": "mock-key",
            "NO_PROXY": _direct("NO_PROXY"),
            "no_proxy": _direct("no_proxy"),
        }

    def _arguments(self, options: ModelOptions) -> list[str]:
        file = write_script(self._script, self._own / "script.yaml")
        args = ["provider", "--script", file, "--journal", str(self._journal), "--control", str(self._control)]
        args += [] if options.get("keyless") else ["--require-key"]
        args += ["--lenient"] if options.get("lenient") else []
        return args + (["--pace", options["pace"]] if "pace" in options else [])

    @property
    def _journal(self) -> Path:
        return self._own / "journal.jsonl"

    @property
    def _control(self) -> Path:
        return self._own / "control"

    def requests(self) -> list[ModelRequest]:
        """The requests of the app for an answer so far, in order, decoded; also after the model has ended."""
        return self._read().requests()

    def failures(self) -> list[ModelFailure]:
        """What was wrong with the requests so far. After `close`, the replies that were not asked for are among it."""
        return self._read().failures()

    def allow_failure(self, kind: ModelFailureKind) -> None:
        """Allows failures of this kind, such as `unused`: they do not fail the test."""
        self._allowed.add(kind)

    def _read(self) -> ModelJournal:
        return self._ended or ModelJournal(self._journal)

    def _model(self) -> Registered:
        if self._is_closed:
            raise RuntimeError("the model is closed")
        return registered(self._control)[0]

    def _wait_gate(self, gate: str) -> object:
        return {"wait_gate": {"gate": gate, "timeout_ms": int(self._timeout * 1000)}}

    def _wait_request(self, matches: Mapping[str, object], after: int) -> object:
        return {"wait_command": {"matches": matches, "after": after, "timeout_ms": int(self._timeout * 1000)}}

    def _found(self, entry: dict[str, Any]) -> ModelRequest | None:
        """The request of an entry of the control. None if it is not for an answer."""
        return next((request for request in self.requests() if request.number == entry["request"]), None)

    def _new_script(self, script: ModelReplies) -> object:
        self._resets += 1
        return {"reset": {"script": write_script(script, self._own / f"script-{self._resets}.yaml")}}

    def _refusal(self, error: Refused, script: ModelReplies) -> ScriptError:
        return script_error(str(error), script, self._own)

    def _shown(self) -> str:
        """The requests and answers of the test, for its report."""
        return self._read().shown()

    def _finish(self) -> None:
        """Ends the model, and judges the app."""
        if self._is_closed:
            return
        errors = run_deferred(self._deferred)
        self._is_closed = True
        self._process.stop(self._timeout)
        self._ended = ModelJournal(self._journal)
        for action in self._before_removal:
            action()
        shutil.rmtree(self._own, ignore_errors=True)
        wrong = self._ended.judge(self._allowed, self._script)
        if wrong is not None:
            errors.append(wrong)
        if len(errors) == 1:
            raise errors[0]
        if errors:
            raise ModelError("\n\n".join(map(str, errors)), wrong.failures if wrong else []) from errors[0]


def _direct(variable: str) -> str:
    """The hosts that are reached without a proxy, as a variable names them, and the model."""
    hosts = os.environ.get(variable)
    return f"{hosts},127.0.0.1" if hosts else "127.0.0.1"
