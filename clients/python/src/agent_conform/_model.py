"""Scripted models for the tests of an app or an agent: they serve the APIs of the vendors, and say what the script decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

from typing_extensions import Self, Unpack

from ._control import Refused, request
from ._model_request import ModelRequest
from ._model_script import ModelReplies
from ._started_model import ModelOptions, StartedModel


class MockModel(StartedModel):
    """A scripted model, which serves until it is closed."""

    def wait_for_request(self, matches: Mapping[str, object] | None = None) -> ModelRequest:
        """Waits until the app has sent a request whose body matches, and returns it. Earlier requests count."""
        after = 0
        while True:
            entry = self._do(self._wait_request(matches or {}, after))
            found = self._found(entry)
            if found is not None:
                return found
            after = entry["n"]

    def wait_for_gate(self, gate: str) -> None:
        """Waits until the answer is held at this gate of the script. All before it is written; the app may not have read it yet."""
        self._do(self._wait_gate(gate))

    def release(self, gate: str) -> None:
        """Releases a gate of the script permanently, also before it is reached."""
        self._do({"release": {"gate": gate}})

    def reset(self, script: ModelReplies) -> None:
        """Replaces the script from the next request on, and closes all gates. Replies of the earlier script are no longer missed."""
        try:
            self._do(self._new_script(script))
        except Refused as error:
            raise self._refusal(error, script) from None
        self._script = script

    def defer(self, action: Callable[[], object]) -> None:
        """Calls the function at the beginning of `close`, the last one first: to end the app, before its requests are judged."""
        self._deferred.append(action)

    def close(self) -> None:
        """Ends the model. Raises `ModelError` if the app and the script do not fit."""
        self._finish()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def _do(self, command: object) -> Any:
        return request(self._model(), command, self._timeout)


def start_model(script: ModelReplies, **options: Unpack[ModelOptions]) -> MockModel:
    """Starts a model that answers with these replies, one after the other. Raises `ScriptError` if the script has a mistake."""
    return MockModel(script, **options)
