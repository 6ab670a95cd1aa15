"""What a check sees through git: a lost tag and a file that git no longer lists are found."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from loopwright.core.findings import MEDIUM, Finding
from loopwright.ratchet.surrounding_rules.git_state import find_changed_refs, find_left_files
from loopwright.verify import git_state

TAGS = 'newest=$(git tag --list "v*" --sort=-v:refname | head -n 1)\n'
PYTHON_TAGS = 'import subprocess\nsubprocess.run(["git", "describe", "--tags"])\n'
STABLE = "git diff --name-only stable -- src\n"
TOP = 'cd "$(git rev-parse --show-toplevel)" && python3 -m unittest\n'
LISTS = "for page in $(git ls-files '*.md'); do grep -q TODO $page; done\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    for name in ("a", "b"):
        (tmp_path / name).write_text(name)
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-q", "-m", name)
    git(tmp_path, "tag", "v1", "HEAD~1")
    git(tmp_path, "tag", "v2")
    git(tmp_path, "branch", "stable", "HEAD~1")
    return tmp_path


def git(root: Path, *words: str) -> None:
    who = ("-c", "user.name=t", "-c", "user.email=t@t.invalid")
    subprocess.run(["git", *who, *words], cwd=root, check=True)


def changed_refs(root: Path, script: str, *steps: tuple[str, ...]) -> list[str]:
    name = "check.py" if script.startswith("import") else "check.sh"
    (root / name).write_text(script)
    commands = (f"python3 {name}" if name.endswith(".py") else f"sh {name}",)
    before = git_state.refs_of_checks(str(root), commands)
    for words in steps:
        git(root, *words)
    texts = git_state.texts_of_checks(str(root), commands)
    now = git_state.refs_now(str(root), before)
    rows = list(find_changed_refs(before, now, texts)) if before else []
    assert all((row.severity, row.rule) == (MEDIUM, "git-ref-changed") for row in rows)
    return [row.file for row in rows]


@pytest.mark.parametrize(
    ("script", "step", "ref"),
    [
        (TAGS, ("tag", "-d", "v2"), "refs/tags/v2"),
        (TAGS, ("tag", "-f", "v1", "HEAD"), "refs/tags/v1"),
        (TAGS, ("tag", "v3"), "refs/tags/v3"),
        (PYTHON_TAGS, ("tag", "-d", "v2"), "refs/tags/v2"),
        (STABLE, ("branch", "-f", "stable", "HEAD"), "refs/heads/stable"),
        (STABLE, ("branch", "-D", "stable"), "refs/heads/stable"),
        ("git describe --tags\n", ("update-ref", "-d", "refs/tags/v2"), "refs/tags/v2"),
    ],
)
def test_a_name_that_a_check_asks_for_and_that_changed_is_found(
    root: Path, script: str, step: tuple[str, ...], ref: str
) -> None:
    assert changed_refs(root, script, step) == [ref]


def test_a_commit_that_git_shows_in_place_of_another_is_found(root: Path) -> None:
    (found,) = changed_refs(root, "git log --format=%s\n", ("replace", "HEAD", "HEAD~1"))

    assert found.startswith("refs/replace/")


COMMIT = ("commit", "-q", "--allow-empty", "-m", "work")


@pytest.mark.parametrize(
    ("script", "steps"),
    [
        (TAGS, (COMMIT,)),
        (STABLE, (COMMIT, ("branch", "work"))),
        (STABLE, (("checkout", "-q", "-b", "fix"), COMMIT)),
        (STABLE, (("tag", "-d", "v2"),)),
        (TOP, (("tag", "-d", "v2"), ("branch", "-D", "stable"))),
        ("python3 -m unittest\n", (("tag", "-d", "v2"),)),
    ],
)
def test_commits_new_branches_and_names_that_no_check_asks_for_are_not_found(
    root: Path, script: str, steps: tuple[tuple[str, ...], ...]
) -> None:
    assert not changed_refs(root, script, *steps)


def test_many_tags_are_compared_as_one(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_state, "MAX_REFS", 2)

    assert changed_refs(root, TAGS, ("tag", "-d", "v2")) == [git_state.ALL_TAGS]
    assert not changed_refs(root, TAGS, COMMIT)


@pytest.mark.parametrize(
    ("script", "file", "counts"),
    [
        (LISTS, "docs/install.md", True),
        (LISTS, "data/rows.csv", True),
        ("ruff check .\n", "src/a.py", True),
        ("ruff check .\n", "data/rows.csv", False),
        ("npx prettier --check .\n", "docs/a.md", True),
        (TOP, "docs/install.md", False),
        ("python3 -m unittest\n", "src/a.py", False),
    ],
)
def test_a_file_that_git_no_longer_lists_counts_if_a_check_asks_git(
    tmp_path: Path, script: str, file: str, counts: bool
) -> None:
    (tmp_path / "check.sh").write_text(script)
    texts = git_state.texts_of_checks(str(tmp_path), ("sh check.sh",))

    found = find_left_files([file], texts)

    assert found == ([Finding(MEDIUM, "file-left-tree", file)] if counts else [])
