"""Stillness: a hash of everything anew, whatever our index believes; and files that were written since a check began."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from loopwright.repo import tree, write_race
from loopwright.repo.tree import tree_hash
from loopwright.store.create import prepare_folder
from tests.support.hook import SESSION, block, stop
from tests.support.project import Project

FILES = {"a.py": "a = 1\n", "src/b.py": "b = 2\n", ".gitignore": "*.log\n"}


@pytest.fixture(params=[True, False], ids=["git", "without git"])
def raced_project(request, project) -> Project:
    made: Project = project(FILES, git=request.param)
    prepare_folder(made.folder)
    return made


def where(here: Project) -> tuple[str, str]:
    return str(here.root), here.folder.path


def test_anew_is_the_same_where_nothing_was_hidden(raced_project: Project) -> None:
    before = tree_hash(*where(raced_project))

    assert tree.reread_tree(*where(raced_project), ()).tree == before
    assert tree_hash(*where(raced_project)) == before


def test_an_index_that_was_told_not_to_look_is_not_believed(project) -> None:
    here: Project = project(FILES)
    prepare_folder(here.folder)
    before = tree_hash(*where(here))
    env = {**os.environ, "GIT_DIR": str(here.root / ".loop/tree"), "GIT_WORK_TREE": str(here.root)}
    subprocess.run(
        ["git", "update-index", "--assume-unchanged", "a.py"], cwd=here.root, env=env, check=True
    )
    here.write({"a.py": "a = 2\n"})

    assert tree_hash(*where(here)) == before, "the hidden change is not seen"
    assert tree.reread_tree(*where(here), ()).tree != before


def test_a_file_with_the_same_content_was_still_written(raced_project: Project) -> None:
    tree_hash(*where(raced_project))
    time.sleep(0.05)
    since = time.time()
    assert write_race.files_written_since(*where(raced_project), (), since) == []

    raced_project.write({"a.py": "a = 9\n"})
    raced_project.write({"a.py": "a = 1\n"})

    assert [
        path for _, path in write_race.files_written_since(*where(raced_project), (), since)
    ] == ["a.py"]


def test_a_folder_that_is_gone_is_not_brought_back(raced_project: Project) -> None:
    import shutil

    shutil.rmtree(raced_project.folder.path)

    assert tree.reread_tree(*where(raced_project), ()).tree == ""
    assert not os.path.exists(raced_project.folder.path)


def test_where_the_git_program_is_gone_the_loop_pauses_and_the_claim_counts_later(
    project, tmp_path: Path
) -> None:
    here: Project = project()
    here.start("--check", "done=test -e done.txt", "--session", SESSION)
    here.write({"done.txt": "x"})
    (tmp_path / "bin").mkdir()
    for name in ("sh", "test"):
        (tmp_path / "bin" / name).symlink_to(str(shutil.which(name)))
    claim = block({"done": True}, exit=True)

    said = stop(here, claim, PATH=str(tmp_path / "bin")).message
    assert "Paused: git is not installed" in said
    assert "SHIP" in here.run("continue").out
