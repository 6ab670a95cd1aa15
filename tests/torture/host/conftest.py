"""The machine of the end-to-end tests."""

from tests.e2e.conftest import client, codex, offline, programs, world

__all__ = ["client", "codex", "offline", "programs", "world"]
