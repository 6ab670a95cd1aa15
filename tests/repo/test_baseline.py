"""The tree of the start: looked back to with git and without; what cannot be read back under its name is not believed."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from loopwright.core.record import digest
from loopwright.ratchet import is_relevant
from loopwright.ratchet.surrounding_rules.baseline import find_uncompared
from loopwright.repo.baseline import compare_with_baseline, keep_baseline
from loopwright.repo.tree import tree_hash
from loopwright.store.create import prepare_folder
from tests.support.project import Project

FILES = {
    "src/a.py": "a = 1\n",
    "tests/test_a.py": "def test_a():\n    assert 1\n",
    "data.bin": "x\n",
}


@pytest.fixture(params=[True, False], ids=["git", "without git"])
def baseline_project(request, project) -> Project:
    made: Project = project(FILES, git=request.param)
    prepare_folder(made.folder)
    return made


def now(here: Project) -> str:
    return tree_hash(str(here.root), here.folder.path)


def begin(here: Project) -> str:
    base = keep_baseline(str(here.root), here.folder.path, now(here), "L", (), is_relevant)
    assert base, "it can be kept"
    return base


def look(here: Project, base: str, *protect: str):
    compared = compare_with_baseline(
        str(here.root), here.folder.path, base, now(here), protect, is_relevant
    )
    return {change.path: (change.before, change.after) for change in compared.changes}, [
        (f.rule, f.file) for f in find_uncompared(compared, base)
    ]


def test_before_and_after_of_what_matters(baseline_project: Project) -> None:
    base = begin(baseline_project)
    baseline_project.write(
        {
            "tests/test_a.py": "def test_a():\n    pass\n",
            "tests/test_b.py": "new\n",
            "data.bin": "y\n",
        }
    )
    (baseline_project.root / "src/a.py").unlink()

    changes, found = look(baseline_project, base)

    assert changes == {
        "src/a.py": ("a = 1\n", None),
        "tests/test_a.py": ("def test_a():\n    assert 1\n", "def test_a():\n    pass\n"),
        "tests/test_b.py": (None, "new\n"),
    }
    assert found == []


def test_nothing_changed_is_nothing_found(baseline_project: Project) -> None:
    assert look(baseline_project, begin(baseline_project), "src/") == ({}, [])


PROTECTED = {
    "a file": "data.bin",
    "a folder": "tests/",
    "a pattern": "*.bin",
    "from the top": "/data.bin",
}


@pytest.mark.parametrize("pattern", PROTECTED.values(), ids=PROTECTED.keys())
def test_what_is_protected_may_not_change_at_all(baseline_project: Project, pattern: str) -> None:
    base = begin(baseline_project)
    baseline_project.write(
        {"data.bin": "y\n", "tests/test_a.py": "def test_a():\n    assert 1  # more\n"}
    )

    assert (
        "protected-path-changed",
        "data.bin" if "bin" in pattern else "tests/test_a.py",
    ) in look(baseline_project, base, pattern)[1]


@pytest.mark.skipif(os.name == "nt", reason="needs links")
def test_a_link_in_place_of_a_file_is_named(baseline_project: Project) -> None:
    base = begin(baseline_project)
    (baseline_project.root / "tests/test_a.py").unlink()
    (baseline_project.root / "tests/test_a.py").symlink_to("../src/a.py")

    assert look(baseline_project, base)[1] == [("replaced-by-link", "tests/test_a.py")]


def test_a_test_file_too_large_to_judge_is_named(baseline_project: Project) -> None:
    base = begin(baseline_project)
    baseline_project.write({"tests/test_a.py": "# padding\n" * 200_000})

    assert look(baseline_project, base)[1] == [("too-large-to-compare", "tests/test_a.py")]


def test_a_new_large_file_that_is_no_text_takes_nothing_away(baseline_project: Project) -> None:
    base = begin(baseline_project)
    (baseline_project.root / "tests/blob.bin").write_bytes(b"\x87" * 2_000_000)
    baseline_project.write({"tests/test_new.py": "# padding\n" * 200_000})

    assert look(baseline_project, base)[1] == [("too-large-to-compare", "tests/test_new.py")]


def test_a_start_that_was_tampered_with_is_no_start(baseline_project: Project) -> None:
    base = begin(baseline_project)
    if base.startswith("copy:"):
        (Path(baseline_project.folder.path) / "start" / digest(b"tests/test_a.py")).write_text(
            "easier\n"
        )
    else:
        base = "0" * 40

    assert [rule for rule, _ in look(baseline_project, base)[1]] == ["baseline-gone"]


def test_where_the_tree_of_now_cannot_be_told_the_start_is_not_called_gone(
    baseline_project: Project,
) -> None:
    base = begin(baseline_project)

    compared = compare_with_baseline(
        str(baseline_project.root), baseline_project.folder.path, base, "", (), is_relevant
    )

    assert [f.rule for f in find_uncompared(compared, base)] == ["tree-unreadable"]


def test_a_submodule_at_another_commit_is_named(project) -> None:
    here: Project = project(FILES)
    commands = (
        "git init -q contract && echo a > contract/cases.tsv && cd contract && git add -A",
        "cd contract && git -c user.name=t -c user.email=t@t.invalid commit -q -m cases",
        "printf '[submodule \"contract\"]\\n\\tpath = contract\\n\\turl = x\\n' > .gitmodules",
        "git add .gitmodules contract 2>&1",
    )
    for command in commands:
        subprocess.run(command, shell=True, cwd=here.root, check=True)
    prepare_folder(here.folder)
    base = begin(here)
    commit = "git -c user.name=t -c user.email=t@t.invalid commit -q --allow-empty -m other"
    subprocess.run(f"cd contract && {commit}", shell=True, cwd=here.root, check=True)

    assert look(here, base) == ({}, [("submodule-moved", "contract")])


def test_a_file_that_is_ignored_now_and_still_there_is_named(project) -> None:
    here: Project = project(FILES, git=True)
    prepare_folder(here.folder)
    base = begin(here)
    (here.root / ".gitignore").write_text("data.bin\n")
    subprocess.run(["git", "rm", "-q", "--cached", "data.bin"], cwd=here.root, check=True)
    (here.root / "src/a.py").unlink()

    compared = compare_with_baseline(
        str(here.root), here.folder.path, base, now(here), (), is_relevant
    )

    assert compared.left == ("data.bin",)
