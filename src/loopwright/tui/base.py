"""The application as its screens see it; `WatchApp` is the real one."""

from __future__ import annotations

from textual.app import App

from ..store.further_loops import FurtherLoops
from ..store.loop_catalog import LoopCatalog


class LoopApp(App[None]):
    def __init__(self, further: FurtherLoops | None = None) -> None:
        super().__init__()
        self.catalog = LoopCatalog(further)

    def open_loop(self, loop_id: str) -> None:
        raise NotImplementedError

    def refresh_now(self) -> None:
        raise NotImplementedError
