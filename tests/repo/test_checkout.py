"""A clean checkout: the exact bytes of a commit, and nothing of the user's repository is touched."""

from __future__ import annotations

import os
import subprocess
import zlib
from pathlib import Path

import pytest

from loopwright.repo import checkout, kept_trees
from loopwright.repo.checkout import CheckoutFailed, create_checkout, restore_paths
from loopwright.repo.tree import tree_hash
from loopwright.store.create import prepare_folder
from tests.support.project import Project

pytestmark = pytest.mark.room

FILES = {
    "a.py": "a = 1\n",
    "src/b.py": "b = 2\n",
    ".gitignore": "*.log\n",
    ".gitattributes": "*.txt text eol=lf filter=shout\n*.id ident\n",
    "crlf.txt": "one\r\ntwo\n",
    "version.id": "$Id$\n",
}


@pytest.fixture
def checkout_project(project) -> Project:
    made: Project = project(FILES)
    prepare_folder(made.folder)
    return made


def keep(here: Project) -> tuple[str, str]:
    tree = tree_hash(str(here.root), here.folder.path)
    ref = kept_trees.kept_tree_ref("L", 1)
    commit = kept_trees.keep_tree(str(here.root), here.folder.path, tree, ref)
    assert commit, "it can be kept"
    return tree, commit


def check_out(here: Project, tmp_path: Path, commit: str) -> tuple[Path, str]:
    room = tmp_path / "rooms" / "app"
    return room, create_checkout(str(here.root), str(room), commit, ())


def files_under(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    own = {".git", ".loop"}
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in files
        if own.isdisjoint(path.relative_to(folder).parts)
    }


def test_a_checkout_has_the_bytes_that_were_kept_whatever_filters_say(
    checkout_project: Project, tmp_path: Path
) -> None:
    checkout_project.write({"new.py": "new\n", "noise.log": "ignored\n"})
    checkout_project.git("config", "filter.shout.smudge", "tr a-z A-Z")
    checkout_project.git("config", "core.autocrlf", "true")
    (checkout_project.root / "crlf.txt").write_bytes(b"one\r\ntwo\nthree\r\n")
    tree, commit = keep(checkout_project)

    room, checked_out = check_out(checkout_project, tmp_path, commit)

    assert checked_out == tree
    wanted = files_under(checkout_project.root)
    del wanted["noise.log"]
    assert files_under(room) == wanted
    assert (room / "crlf.txt").read_bytes() == b"one\r\ntwo\nthree\r\n"
    assert (room / "version.id").read_text() == "$Id$\n"


def test_modes_and_links_are_kept(checkout_project: Project, tmp_path: Path) -> None:
    (checkout_project.root / "run").write_text("#!/bin/sh\n")
    (checkout_project.root / "run").chmod(0o755)
    (checkout_project.root / "link").symlink_to("a.py")
    _, commit = keep(checkout_project)

    room, _ = check_out(checkout_project, tmp_path, commit)

    assert os.access(room / "run", os.X_OK)
    assert os.readlink(room / "link") == "a.py"


def git_files(here: Project) -> dict[str, bytes]:
    git = here.root / ".git"
    return {str(path): path.read_bytes() for path in git.rglob("*") if path.is_file()}


def test_nothing_is_registered_or_pruned_in_the_users_repository(
    checkout_project: Project, tmp_path: Path
) -> None:
    checkout_project.git("worktree", "add", "-q", str(tmp_path / "theirs"), "-b", "theirs")
    os.rename(
        tmp_path / "theirs", tmp_path / "on another disk"
    )  # `git worktree prune` would drop it
    _, commit = keep(checkout_project)
    before = git_files(checkout_project)

    room, _ = check_out(checkout_project, tmp_path, commit)
    restore_paths(str(room), commit, ["a.py"])
    checkout.remove_checkout(str(room))

    assert git_files(checkout_project) == before
    assert "theirs" in checkout_project.git("worktree", "list")
    assert not list(tmp_path.glob("rooms/*"))


def test_git_works_in_a_checkout_and_knows_the_tags(
    checkout_project: Project, tmp_path: Path
) -> None:
    checkout_project.git("tag", "v1.2")
    _, commit = keep(checkout_project)

    room, _ = check_out(checkout_project, tmp_path, commit)

    described = Project.git(_at(room), "describe", "--tags", "--always")
    assert described.startswith("v1.2-1-g")
    assert Project.git(_at(room), "status", "--porcelain") == ""


def _at(folder: Path) -> Project:
    place = Project.__new__(Project)
    place.root = folder
    return place


def test_submodules_come_from_their_own_checkout(
    project, checkout_project: Project, tmp_path: Path
) -> None:
    library: Project = project({"lib.py": "lib = 1\n"})
    checkout_project.git(
        "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.root), "lib"
    )
    checkout_project.commit()
    _, commit = keep(checkout_project)

    room, _ = check_out(checkout_project, tmp_path, commit)

    assert (room / "lib/lib.py").read_text() == "lib = 1\n"
    checkout_project.git("submodule", "deinit", "-q", "-f", "lib")
    with pytest.raises(CheckoutFailed, match="the submodule lib is not checked out"):
        create_checkout(str(checkout_project.root), str(tmp_path / "again"), commit, ())


def test_git_answers_where_the_repository_is_out_of_reach(
    checkout_project: Project, tmp_path: Path
) -> None:
    _, commit = keep(checkout_project)
    room = tmp_path / "room"
    create_checkout(str(checkout_project.root), str(room), commit, (), alone=True)
    (room / ".git/objects/info/alternates").unlink()

    (room / "a.py").write_text("a = 2\n")
    git = ["git", "-C", str(room)]
    status = subprocess.run([*git, "status", "--porcelain"], capture_output=True, check=True)
    last = subprocess.run([*git, "log", "--format=%H"], capture_output=True, check=True)
    diff = subprocess.run([*git, "diff", "HEAD", "--", "a.py"], capture_output=True, check=True)

    assert status.stdout == b" M a.py\n"
    assert last.stdout.decode().split() == [commit]
    assert b"-a = 1" in diff.stdout


def test_a_folder_without_git_cannot_be_checked_out(tmp_path: Path) -> None:
    with pytest.raises(CheckoutFailed, match="is not a git repository"):
        create_checkout(str(tmp_path), str(tmp_path / "room"), "0" * 40, ())


def object_path(here: Project, name: str) -> Path:
    return here.root / ".git/objects" / name[:2] / name[2:]


def test_a_file_that_is_gone_from_the_repository_is_noticed(
    checkout_project: Project, tmp_path: Path
) -> None:
    checkout_project.write({"new.py": "new\n"})
    _, commit = keep(checkout_project)
    object_path(
        checkout_project, checkout_project.git("rev-parse", f"{commit}:new.py").strip()
    ).unlink()

    with pytest.raises(CheckoutFailed, match="some of its files are gone"):
        check_out(checkout_project, tmp_path, commit)


def test_a_replaced_object_is_noticed(checkout_project: Project, tmp_path: Path) -> None:
    checkout_project.write({"new.py": "assert add(1, 2) == 3\n"})
    tree, commit = keep(checkout_project)
    blob = object_path(
        checkout_project, checkout_project.git("rev-parse", f"{commit}:new.py").strip()
    )
    blob.chmod(0o600)
    content = b"assert True\n"
    blob.write_bytes(zlib.compress(b"blob %d\0%s" % (len(content), content)))

    try:
        _, checked_out = check_out(checkout_project, tmp_path, commit)
    except CheckoutFailed:
        return  # git noticed it itself
    assert checked_out != tree


def test_a_replaced_commit_is_noticed(checkout_project: Project, tmp_path: Path) -> None:
    _, commit = keep(checkout_project)
    path = object_path(checkout_project, commit)
    content = checkout_project.git("cat-file", "commit", "HEAD").encode()
    path.chmod(0o600)
    path.write_bytes(zlib.compress(b"commit %d\0%s" % (len(content), content)))

    with pytest.raises(kept_trees.KeptTreeError):
        kept_trees.tree_of_commit(str(checkout_project.root), commit)


def test_a_replace_ref_does_not_change_a_checkout(
    checkout_project: Project, tmp_path: Path
) -> None:
    tree, commit = keep(checkout_project)
    checkout_project.write({"a.py": "a = 9\n"})
    checkout_project.commit()
    checkout_project.git("replace", commit, "HEAD")

    room, checked_out = check_out(checkout_project, tmp_path, commit)

    assert (room / "a.py").read_text() == "a = 1\n"
    assert checked_out == tree


def test_files_are_put_back_as_another_commit_has_them(
    checkout_project: Project, tmp_path: Path
) -> None:
    _, start = keep(checkout_project)
    (checkout_project.root / "src/b.py").unlink()
    checkout_project.write({"a.py": "a = 9\n", "conftest.py": "cheat\n"})
    _, end = keep(checkout_project)
    room, _ = check_out(checkout_project, tmp_path, end)

    restore_paths(str(room), start, ["a.py", "src/b.py", "conftest.py"])

    assert (room / "a.py").read_text() == "a = 1\n"
    assert (room / "src/b.py").read_text() == "b = 2\n"
    assert not (room / "conftest.py").exists()
