"""The machine of the end-to-end tests."""

from tests.e2e.conftest import _homes, client, codex, disk, offline, programs, tmp_path, world

__all__ = ["_homes", "client", "codex", "disk", "offline", "programs", "tmp_path", "world"]
