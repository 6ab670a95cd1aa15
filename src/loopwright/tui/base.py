"""What the screens need from the application."""

from __future__ import annotations

from textual.app import App

from ..store.further_loops import PersonOrder
from ..views.loop_page import LoopPage


class LoopApp(App[None]):
    """The application as its screens see it; `WatchApp` is the real one."""

    def open_loop(self, loop_id: str) -> None:
        raise NotImplementedError

    def read_page(self, loop_id: str) -> LoopPage | None:
        raise NotImplementedError

    def give_order(self, loop_id: str, order: PersonOrder) -> str:
        """Waits for a lock, the final checks or a worker."""
        raise NotImplementedError

    def refresh_now(self) -> None:
        raise NotImplementedError
