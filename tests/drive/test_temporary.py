"""Temporary folders of killed processes are removed by the next one, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from loopwright.disk.temporary import own_prefix, remove_leftovers

# Makes a folder as we do, and is killed.
KILLED = (
    "import os, signal, tempfile\n"
    "from loopwright.disk.temporary import own_prefix\n"
    "folder = tempfile.mkdtemp(prefix=own_prefix('report'))\n"
    "os.makedirs(folder + '/deep')\n"
    "os.symlink(os.environ['KEPT'], folder + '/deep/link')\n"
    "print(folder, flush=True)\n"
    "os.kill(os.getpid(), signal.SIGKILL)\n"
)


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    remove_leftovers.cache_clear()
    return folder


def leave_folder(kept: Path) -> Path:
    """The folder that a killed process has left."""
    env = {**os.environ, "KEPT": str(kept)}
    done = subprocess.run([sys.executable, "-c", KILLED], env=env, capture_output=True, check=False)
    return Path(done.stdout.decode().strip())


def test_the_folder_of_a_killed_process_is_removed_and_no_link_in_it_is_followed(
    temporary: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "kept"
    kept.mkdir()
    (kept / "file").touch()
    left = leave_folder(kept)
    assert left.is_dir()

    own_prefix("report")

    assert not left.exists()
    assert (kept / "file").exists()


def test_what_lives_or_is_not_ours_stays(temporary: Path, tmp_path: Path) -> None:
    left = leave_folder(tmp_path)
    prefix = left.name.rpartition("-")[0]
    living = Path(tempfile.mkdtemp(prefix=own_prefix("audit")))
    namespace, process = prefix.split("-")[2:]
    remove_leftovers.cache_clear()
    stays = [
        temporary / f"loop-report-{int(namespace) + 1}-{process}-abc",  # another container
        temporary / "loop-demo-abc",
        temporary / "loop-crash-abc.txt",
        temporary / f"other-report-{namespace}-{process}-abc",
    ]
    for path in stays:
        path.mkdir()
    link = temporary / f"{prefix}-link"
    link.symlink_to(tmp_path)

    own_prefix("report")

    assert all(path.exists() for path in (*stays, living, link, tmp_path))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_the_folder_of_another_user_stays(temporary: Path, tmp_path: Path) -> None:
    left = leave_folder(tmp_path)
    remove_leftovers.cache_clear()
    others = temporary / f"{left.name}x"
    others.mkdir()
    os.chown(others, 12345, 12345)

    own_prefix("report")

    assert others.exists()
