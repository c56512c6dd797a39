"""Scripted models for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from typing_extensions import Self, Unpack

from ._control import Refused, request_async
from ._model_request import ModelRequest
from ._model_script import ModelReplies
from ._started_model import ModelOptions, StartedModel


class AsyncMockModel(StartedModel):
    """A scripted model, which serves until it is closed."""

    async def wait_for_request(self, matches: Mapping[str, object] | None = None) -> ModelRequest:
        """Waits until the app has sent a request whose body matches, and returns it. Earlier requests count."""
        after = 0
        while True:
            entry = await self._do(self._wait_request(matches or {}, after))
            found = self._found(entry)
            if found is not None:
                return found
            after = entry["n"]

    async def wait_for_gate(self, gate: str) -> None:
        """Waits until the answer is held at this gate of the script. All before it is written; the app may not have read it yet."""
        await self._do(self._wait_gate(gate))

    async def release(self, gate: str) -> None:
        """Releases a gate of the script permanently, also before it is reached."""
        await self._do({"release": {"gate": gate}})

    async def reset(self, script: ModelReplies) -> None:
        """Replaces the script from the next request on, and closes all gates. Replies of the earlier script are no longer missed."""
        try:
            await self._do(self._new_script(script))
        except Refused as error:
            raise self._refusal(error, script) from None
        self._script = script

    async def close(self) -> None:
        """Ends the model. Raises `ModelError` if the app and the script do not fit."""
        await asyncio.to_thread(self._finish)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()

    async def _do(self, command: object) -> Any:
        return await request_async(self._model(), command, self._timeout)


def start_model(script: ModelReplies, **options: Unpack[ModelOptions]) -> AsyncMockModel:
    """Starts a model that answers with these replies, one after the other. Raises `ScriptError` if the script has a mistake."""
    return AsyncMockModel(script, **options)
