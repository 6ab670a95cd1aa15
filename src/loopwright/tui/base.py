"""What the screens need from the application."""

from __future__ import annotations

from textual.app import App

from ..views.loop_page import LoopPage


class LoopApp(App[None]):
    """The application as its screens see it; `WatchApp` is the real one."""

    def open_loop(self, loop_id: str) -> None:
        raise NotImplementedError

    def read_page(self, loop_id: str) -> LoopPage | None:
        raise NotImplementedError

    def refresh_now(self) -> None:
        raise NotImplementedError
