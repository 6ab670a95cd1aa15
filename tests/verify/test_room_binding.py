"""A clean checkout at the path of the project, for its checks alone."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from loopwright.cleanroom import path_binding
from loopwright.cleanroom.path_binding import BUBBLEWRAP, UNSHARE

pytestmark = pytest.mark.room


@pytest.fixture
def places(tmp_path: Path) -> tuple[str, str]:
    """A room and the project."""
    for name in ("room", "project"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "where.txt").write_text(name)
    return str(tmp_path / "room"), str(tmp_path / "project")


def require(kind: str, room: str, root: str) -> None:
    path_binding.mark_room(room)
    if not path_binding.is_bound(kind, room, root):
        pytest.skip(f"{kind} is missing, or the system refuses it")


@pytest.mark.parametrize("kind", [UNSHARE, BUBBLEWRAP])
def test_only_the_check_sees_the_room_at_the_path_of_the_project(places, kind: str) -> None:
    room, root = places
    require(kind, room, root)
    words = (*path_binding.launcher_words(kind, room, root), "/bin/sh", "-c")
    command = f"pwd; id -u; cat {root}/where.txt; echo written > new.txt; exit 3"
    done = subprocess.run([*words, command], capture_output=True, text=True, check=False)

    user = subprocess.run(["id", "-u"], capture_output=True, text=True, check=True).stdout
    assert (done.returncode, done.stdout) == (3, f"{root}\n{user}room")
    assert Path(root, "where.txt").read_text() == "project", "the project is as it was"
    assert Path(room, "new.txt").exists()
    assert not Path(root, "new.txt").exists()


def test_where_the_system_refuses_there_is_no_binding(places, monkeypatch) -> None:
    monkeypatch.setattr(path_binding, "NAMESPACE_SCRIPT", "import sys; sys.exit(126)")
    monkeypatch.setenv("PATH", "/nowhere")

    assert path_binding.available_kind(places[1]) == ""


def test_a_project_that_has_the_mark_shows_nothing(places) -> None:
    room, root = places
    for folder in places:
        path_binding.mark_room(folder)

    assert not path_binding.is_bound(UNSHARE, room, root)
