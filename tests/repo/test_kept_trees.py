"""Kept trees: every byte as it was, in commits beside the branches; nothing of the user's is touched on the way."""

from __future__ import annotations

import os

import pytest

from loopwright.repo import kept_trees
from loopwright.repo.commit_object import write_ref
from loopwright.repo.tree import read_tree, tree_hash
from loopwright.store.create import prepare_folder
from tests.support.project import Project

FILES = {
    "a.py": "a = 1\n",
    "src/b.py": "b = 2\n",
    ".gitignore": "*.log\n",
    "crlf.txt": "one\r\ntwo\n",
}


@pytest.fixture
def kept_project(project) -> Project:
    made: Project = project(FILES)
    prepare_folder(made.folder)
    return made


def now(here: Project) -> str:
    return tree_hash(str(here.root), here.folder.path)


def keep(here: Project, number: int | str = 1) -> tuple[str, str]:
    tree = now(here)
    commit = kept_trees.keep_tree(
        str(here.root), here.folder.path, tree, kept_trees.kept_tree_ref("L", number)
    )
    assert commit, "it can be kept"
    return tree, commit


def restore(here: Project, commit: str) -> None:
    kept_trees.restore_tree(str(here.root), here.folder.path, now(here), commit)


def bytes_of(here: Project) -> dict[str, bytes]:
    files = [
        path
        for path in here.root.rglob("*")
        if path.is_file() and {".git", ".loop"}.isdisjoint(path.parts)
    ]
    return {str(path.relative_to(here.root)): path.read_bytes() for path in files}


def test_the_commit_holds_what_is_there_committed_or_not(kept_project: Project) -> None:
    kept_project.write({"a.py": "a = 9\n", "new.py": "new\n", "noise.log": "ignored\n"})
    (kept_project.root / "src/b.py").unlink()

    _, commit = keep(kept_project)

    assert kept_project.git("ls-tree", "-r", "--name-only", commit).split() == [
        ".gitignore",
        "a.py",
        "crlf.txt",
        "new.py",
    ]
    assert kept_project.git("show", f"{commit}:a.py") == "a = 9\n"
    assert kept_project.git("rev-parse", "refs/loop/L/1").strip() == commit


def test_the_tree_of_the_last_commit_is_kept_as_it_is_in_the_store(kept_project: Project) -> None:
    tree, commit = keep(kept_project)

    assert kept_project.git("rev-parse", "HEAD^{tree}", f"{commit}^{{tree}}").split() == [tree] * 2
    assert not (kept_project.root / ".loop/tree/kept").exists(), "no index was needed"

    before = bytes_of(kept_project)
    kept_project.write({"a.py": "a = 9\n"})
    restore(kept_project, commit)
    assert bytes_of(kept_project) == before


def test_branch_index_and_files_stay_as_they_are(kept_project: Project) -> None:
    kept_project.write({"a.py": "a = 9\n", "staged.py": "x\n"})
    kept_project.git("add", "staged.py")
    before = (
        kept_project.git("status", "--porcelain=v2", "--branch"),
        kept_project.git("stash", "list"),
        bytes_of(kept_project),
    )

    keep(kept_project)

    assert (
        kept_project.git("status", "--porcelain=v2", "--branch"),
        kept_project.git("stash", "list"),
        bytes_of(kept_project),
    ) == before


CHANGES = {
    "an edit": lambda p: p.write({"a.py": "a = 5\n"}),
    "a new file": lambda p: p.write({"deep/down/x.py": "x\n"}),
    "a deleted file": lambda p: (p.root / "src/b.py").unlink(),
    "line ends": lambda p: (p.root / "crlf.txt").write_bytes(b"one\ntwo\r\n"),
    "bytes that are no text": lambda p: (p.root / "a.py").write_bytes(bytes(range(256))),
    "a file that may be run": lambda p: (p.root / "a.py").chmod(0o755),
    "a link": lambda p: (p.root / "link").symlink_to("a.py"),
    "a folder in place of a file": lambda p: (
        (p.root / "a.py").unlink(),
        p.write({"a.py/in.py": "in\n"}),
    ),
    "a file in place of a folder": lambda p: (
        (p.root / "src/b.py").unlink(),
        (p.root / "src").rmdir(),
        p.write({"src": "s\n"}),
    ),
    "a name in Unicode": lambda p: p.write({"grüß dich.py": "x\n"}),
    "everything": lambda p: [
        path.unlink() for path in (p.root / "a.py", p.root / "src/b.py", p.root / "crlf.txt")
    ],
}


@pytest.mark.skipif(os.name == "nt", reason="needs links and modes")
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_there_and_back_every_byte_is_as_it_was(kept_project: Project, change) -> None:
    start, first = keep(kept_project, 0)
    was = bytes_of(kept_project)
    change(kept_project)
    end, second = keep(kept_project, 1)
    became = bytes_of(kept_project)

    restore(kept_project, first)
    assert (now(kept_project), bytes_of(kept_project)) == (start, was)
    restore(kept_project, second)
    assert (now(kept_project), bytes_of(kept_project)) == (end, became)


def test_filters_of_the_project_have_no_say(kept_project: Project) -> None:
    kept_project.write({".gitattributes": "*.txt text eol=crlf\n*.py filter=shout\n"})
    kept_project.git("config", "filter.shout.clean", "tr a-z A-Z")
    kept_project.git("config", "filter.shout.smudge", "tr a-z A-Z")
    was = bytes_of(kept_project)
    _, commit = keep(kept_project)
    kept_project.write({"a.py": "other\n", "crlf.txt": "other\n"})

    restore(kept_project, commit)

    assert bytes_of(kept_project) == was


def test_an_ignored_file_in_the_way_is_not_overwritten(kept_project: Project) -> None:
    kept_project.write({"notes.md": "kept\n"})
    _, commit = keep(kept_project)
    (kept_project.root / "notes.md").unlink()
    kept_project.write({".gitignore": "*.log\nnotes.md\n", "notes.md": "somebody's own\n"})

    with pytest.raises(kept_trees.KeptTreeError, match=r"notes\.md is in the way"):
        restore(kept_project, commit)

    assert (kept_project.root / "notes.md").read_text() == "somebody's own\n"


def test_what_changes_while_it_is_kept_is_not_kept_and_the_next_one_is(
    kept_project: Project,
) -> None:
    tree = now(kept_project)
    kept_project.write({"a.py": "a = 7\n"})

    assert (
        kept_trees.keep_tree(
            str(kept_project.root),
            kept_project.folder.path,
            "0" * 40,
            kept_trees.kept_tree_ref("L", 1),
        )
        == ""
    )
    assert (
        kept_trees.keep_tree(
            str(kept_project.root),
            kept_project.folder.path,
            now(kept_project),
            kept_trees.kept_tree_ref("L", 2),
        )
        != ""
    )
    assert now(kept_project) != tree


def test_a_repository_without_a_commit_can_be_kept_too(project) -> None:
    here: Project = project(FILES, git=False)
    here.git("init", "-q")
    prepare_folder(here.folder)

    tree, commit = keep(here)

    assert here.git("rev-parse", f"{commit}^{{tree}}").strip() == tree


def test_without_git_there_is_nothing_to_keep_it_in(project) -> None:
    here: Project = project(FILES, git=False)
    prepare_folder(here.folder)

    assert (
        kept_trees.keep_tree(
            str(here.root), here.folder.path, now(here), kept_trees.kept_tree_ref("L", 1)
        )
        == ""
    )


def test_the_difference_names_files_and_shows_lines(kept_project: Project) -> None:
    _, one = keep(kept_project, 0)
    kept_project.write({"a.py": "a = 2\n", "new.py": "n\n"})
    (kept_project.root / "src/b.py").unlink()
    tree, other = keep(kept_project, 1)

    rows = kept_trees.tree_changes(str(kept_project.root), kept_project.folder.path, one, tree)
    assert [(path, kind) for path, kind, _ in rows] == [
        ("a.py", "M"),
        ("new.py", "A"),
        ("src/b.py", "D"),
    ]
    assert "-a = 1\n+a = 2\n" in kept_trees.diff_text(str(kept_project.root), one, other)
    found = kept_trees.file_contents(
        str(kept_project.root),
        kept_project.folder.path,
        one,
        ["a.py", "src/b.py", "gone.py", ".gitignore"],
        7,
    )
    assert found == {"a.py": b"a = 1\n", "src/b.py": b"b = 2\n", ".gitignore": b"*.log\n"}


def test_let_go_of_they_are_gone(kept_project: Project) -> None:
    keep(kept_project, 0)
    keep(kept_project, "saved-1")

    kept_trees.drop_kept_trees(str(kept_project.root), "L")

    assert kept_project.git("for-each-ref", "refs/loop") == ""


@pytest.mark.parametrize("name", ["kept", "kept.tree"])
def test_where_a_power_cut_emptied_our_index_it_is_kept_from_the_beginning(
    kept_project: Project, name: str
) -> None:
    keep(kept_project)
    (kept_project.root / ".loop/tree" / name).write_bytes(b"")
    kept_project.write({"a.py": "a = 9\n"})
    kept_trees.keep_tree(
        str(kept_project.root),
        kept_project.folder.path,
        now(kept_project),
        kept_trees.kept_tree_ref("L", 2),
    )  # it finds out

    keep(kept_project, 3)


# --- a Stop with an edit: content is stored while it is hashed ---


def stop_and_keep(here: Project, number: int) -> str:
    """As a Stop does it."""
    tree = read_tree(str(here.root), here.folder.path, store=True).tree
    ref = kept_trees.kept_tree_ref("L", number)
    return kept_trees.keep_tree(str(here.root), here.folder.path, tree, ref)


@pytest.fixture
def git_calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The git commands that are started from now on."""
    calls: list[str] = []
    spawn = os.posix_spawn

    def count(program: str, argv: list[str], *args: object, **named: object) -> int:
        calls.append(next(word for word in argv[3:] if "=" not in word and word != "-c"))
        return spawn(program, argv, *args, **named)

    monkeypatch.setattr(os, "posix_spawn", count)
    return calls


def test_an_edit_takes_three_git_processes_and_no_edit_one(
    kept_project: Project, git_calls: list[str]
) -> None:
    keep(kept_project, 0)
    git_calls.clear()
    tree_hash(str(kept_project.root), kept_project.folder.path)
    assert git_calls == ["ls-files"]

    git_calls.clear()
    kept_project.write({"a.py": "a = 2\n", "deep/er/new.py": "new\n"})
    commit = stop_and_keep(kept_project, 1)

    assert git_calls == ["ls-files", "update-index", "write-tree"]
    assert kept_project.git("show", f"{commit}:deep/er/new.py") == "new\n"
    assert (
        kept_project.git("rev-parse", f"{commit}^").strip()
        == kept_project.git("rev-parse", "HEAD").strip()
    )


def test_a_kept_tree_waits_for_the_disk_twice(
    kept_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Once for the commit and all before it, once for the ref."""
    keep(kept_project, 0)
    kept_project.write({"a.py": "a = 2\n"})
    synced: list[int] = []
    sync = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(fd), sync(fd)))

    assert stop_and_keep(kept_project, 1)

    assert len(synced) == 2


def test_a_ref_that_we_cannot_write_ourselves_is_left_to_git(
    kept_project: Project, git_calls: list[str]
) -> None:
    keep(kept_project, 0)
    kept_project.write({"a.py": "a = 2\n"})
    git_dir = kept_project.root / ".git"
    (git_dir / "refs/loop/L/1.lock").write_text("")  # of a git that works just now
    git_calls.clear()

    assert stop_and_keep(kept_project, 1) == ""
    assert git_calls[-1] == "update-ref"
    (git_dir / "refs/loop/L/1.lock").unlink()
    assert not write_ref(str(kept_project.root), "refs/loop/L/2", "0" * 40)  # no folder of refs


def test_what_is_kept_is_whole_for_git(kept_project: Project) -> None:
    keep(kept_project, 0)
    for number in range(1, 4):
        kept_project.write({"a.py": f"a = {number}\n", f"part{number}/new.py": "new\n"})
        (kept_project.root / "src/b.py").unlink(missing_ok=True)
        assert stop_and_keep(kept_project, number)

    assert kept_project.git("fsck", "--strict", "--full", "--no-dangling") == ""
    assert kept_project.git("log", "-1", "--format=%an <%ae> %B", "refs/loop/L/3").split() == [
        *("Loopwright", "<loopwright@localhost>", "loop/L/3"),
    ]


def test_a_tree_that_was_only_hashed_is_stored_when_it_is_kept(kept_project: Project) -> None:
    keep(kept_project, 0)
    kept_project.write({"a.py": "a = 2\n"})
    now(kept_project)  # a check has changed the file, say
    kept_project.write({"a.py": "a = 3\n", "c.py": "c\n"})
    commit = stop_and_keep(kept_project, 1)
    kept_project.write({"c.py": "d\n"})
    other = stop_and_keep(kept_project, 2)

    assert kept_project.git("show", f"{commit}:a.py") == "a = 3\n"
    assert kept_project.git("show", f"{other}:c.py") == "d\n"
    assert kept_project.git("fsck", "--strict", "--full", "--no-dangling") == ""


def test_a_forged_note_of_what_is_stored_keeps_no_tree_with_holes(kept_project: Project) -> None:
    kept_project.write({"a.py": "a = 2\n"})
    tree = now(kept_project)
    (kept_project.root / ".loop/tree/stored").write_text(tree)
    commit = stop_and_keep(kept_project, 1)

    assert kept_project.git("show", f"{commit}:a.py") == "a = 2\n"
    assert kept_project.git("fsck", "--strict", "--full", "--no-dangling") == ""


def test_a_packed_branch_and_a_worktree_are_the_parent_too(kept_project: Project) -> None:
    kept_project.git("pack-refs", "--all")
    _, commit = keep(kept_project, 1)
    assert (
        kept_project.git("rev-parse", f"{commit}^").strip()
        == kept_project.git("rev-parse", "HEAD").strip()
    )

    kept_project.git("checkout", "-q", "--detach")
    _, commit = keep(kept_project, 2)
    assert (
        kept_project.git("rev-parse", f"{commit}^").strip()
        == kept_project.git("rev-parse", "HEAD").strip()
    )


def test_a_tracked_file_that_we_write_ourselves_does_not_keep_the_tree_from_being_kept(
    kept_project: Project,
) -> None:
    kept_project.write({".gsd/STATE.md": "phase: 1\n", "VERIFICATION.md": "passed\n"})
    kept_project.commit()
    kept_project.write({"a.py": "a = 2\n"})

    _, commit = keep(kept_project)

    assert kept_project.git("show", f"{commit}:a.py") == "a = 2\n"
    assert "STATE.md" not in kept_project.git("ls-tree", "-r", "--name-only", commit)
    assert (kept_project.root / ".gsd/STATE.md").exists()
