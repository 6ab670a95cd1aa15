"""Files outside the tree that a check loads: new ones are found, those of an honest day are not."""

from __future__ import annotations

import os
import py_compile
import subprocess
import time
from pathlib import Path

import pytest

from loopwright.checks.reach import reach_on_disk
from loopwright.core.findings import MEDIUM, Finding
from loopwright.ratchet.surrounding_rules.machine import find_hidden_packages, find_loaded_files
from loopwright.repo.baseline import Change
from loopwright.verify.ignored_files import content_digests, installed_modules, loaded_files
from tests.support.files import write_file

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the layout of packages is another there")
SITE = ".venv/lib/python3.12/site-packages"
CHECK = ".venv/bin/python -m pytest -q"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root, home = tmp_path / "above" / "project", tmp_path / "home"
    for folder in (root / SITE, root / ".venv/bin", root / "src/shop", home):
        folder.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    ignored = "conftest.py\n.env\nmake.local\n*_local.py\n.venv/\n__pycache__/\nbuild/\nrates.py\n"
    (root / ".git/info/exclude").write_text(ignored)
    (root / ".venv/bin/python").write_text("#!/bin/sh\n")
    (root / "Makefile").write_text("-include make.local\ntest:\n\tpython3 -m pytest\n")
    (root / "tests").mkdir()
    (root / "tests/conftest.py").write_text("from hooks_local import *\n")
    subprocess.run(["git", "add", "--force", "tests/conftest.py"], cwd=root, check=True)
    monkeypatch.setenv("HOME", str(home))
    return root


def findings(root: str, since: float, commands: tuple, known: dict | None = None) -> list[Finding]:
    return find_loaded_files(loaded_files(root, commands, since), known or {})


def hidden_packages(root: str, new: list[str], commands: tuple) -> list[Finding]:
    reach = reach_on_disk(commands, root)
    changes = [Change(path, None, "") for path in new]
    return [*find_hidden_packages(changes, installed_modules(root, reach), reach.folders)]


def compile_unchecked(root: Path) -> None:
    write_file(root / "cart.py")
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    py_compile.compile(str(root / "cart.py"), doraise=True, invalidation_mode=mode)


def compile_with_digest(root: Path) -> None:
    write_file(root / "cart.py")
    mode = py_compile.PycInvalidationMode.CHECKED_HASH
    py_compile.compile(str(root / "cart.py"), doraise=True, invalidation_mode=mode)


LOADED = {
    "a conftest": lambda root: write_file(root / "conftest.py"),
    "variables": lambda root: write_file(root / ".env", "PYTEST_ADDOPTS=-k x\n"),
    "a makefile that the Makefile includes": lambda root: write_file(root / "make.local"),
    "a module that a conftest imports": lambda root: write_file(root / "hooks_local.py"),
    "a module that Python never compares": compile_unchecked,
    "a module with a digest of its source": lambda root: compile_with_digest(root),
    "a start-up module of the person": lambda root: write_file(
        Path.home() / ".local/lib/python3.12/site-packages/usercustomize.py"
    ),
    "settings in a folder above": lambda root: write_file(root.parent / "pytest.ini"),
    "a start-up module": lambda root: write_file(root / SITE / "sitecustomize.py"),
    "a path file with code": lambda root: write_file(
        root / SITE / "z.pth", "import os; os._exit(0)\n"
    ),
    "a path file that leads away": lambda root: write_file(
        root / SITE / "shop.pth", "/elsewhere/src\n"
    ),
    "a plugin of pytest": lambda root: write_file(
        root / SITE / "quiet-1.dist-info/entry_points.txt", "[pytest11]\nq = quiet\n"
    ),
    "a copy of the product": lambda root: write_file(root / SITE / "shop/__init__.py"),
}


@pytest.mark.parametrize("act", LOADED.values(), ids=LOADED.keys())
def test_a_new_file_that_a_check_loads_needs_a_look(root: Path, act) -> None:
    since = time.time() - 0.05
    before = {finding.file for finding in findings(str(root), since, (CHECK, "make test"))}
    act(root)

    found = [*findings(str(root), since - 1, (CHECK, "make test"))]
    new = [finding for finding in found if finding.file not in before]

    assert [(finding.severity, finding.rule) for finding in new] == [
        (MEDIUM, "ignored-file-loaded")
    ]


HONEST = {
    "nothing": lambda root: None,
    "what the check generates": lambda root: write_file(root / "rates.py"),
    "a build": lambda root: write_file(root / "build/conftest.py"),
    "an editable install": lambda root: write_file(root / SITE / "shop.pth", f"{root}/src\n"),
    "compiled packages": lambda root: (
        write_file(root / "__pycache__/cart.cpython-312.pyc", ""),
        write_file(root / SITE / "__pycache__/six.cpython-312.pyc", ""),
    ),
    "a package": lambda root: write_file(root / SITE / "requests/__init__.py"),
    "an entry point for a program": lambda root: write_file(
        root / SITE / "tool-1.dist-info/entry_points.txt", "[console_scripts]\nt = tool\n"
    ),
    "settings of a tool that no check runs": lambda root: write_file(Path.home() / ".npmrc"),
}


@pytest.mark.parametrize("act", HONEST.values(), ids=HONEST.keys())
def test_files_that_no_check_loads_are_left_alone(root: Path, act) -> None:
    act(root)

    assert [*findings(str(root), time.time() - 60, (CHECK, "make test"))] == []


def test_a_file_that_is_older_than_the_loop_is_the_persons(root: Path) -> None:
    write_file(root / "conftest.py")

    assert [*findings(str(root), time.time() + 5, (CHECK,))] == []


def plant(root: Path) -> None:
    """Every kind of file outside the tree that a check loads, as they are at the start."""
    for act in LOADED.values():
        act(root)
    write_file(root / "check.sh", "git archive HEAD\n")
    write_file(root / ".git/info/attributes", "a.sh export-ignore\n")


def test_a_file_whose_time_alone_changed_is_the_same_file(root: Path, tmp_path: Path) -> None:
    commands = (CHECK, "make test", "sh check.sh")
    plant(root)
    known, since = content_digests(str(root), commands), time.time()
    planted = [*root.rglob("*"), *Path.home().rglob("*"), root.parent / "pytest.ini"]
    for number, path in enumerate(path for path in planted if path.is_file()):
        os.link(path, tmp_path / f"link-{number}")  # as the install of another project does

    timeless = [*findings(str(root), since - 1, commands)]
    assert len(timeless) >= len(known) >= len(LOADED)
    assert [*findings(str(root), since - 1, commands, known)] == []


def test_a_known_file_with_other_content_needs_a_look(root: Path) -> None:
    plant(root)
    commands = (CHECK, "make test", "sh check.sh")
    known = content_digests(str(root), commands)
    start_up = Path.home() / ".local/lib/python3.12/site-packages/usercustomize.py"
    ours = ("conftest.py", ".git/info/attributes", f"{SITE}/z.pth", f"{SITE}/shop/__init__.py")
    for path in (start_up, *(root / name for name in ours)):
        path.write_text(path.read_text() + "import os\n")

    found = {Path(finding.file).name for finding in findings(str(root), 0, commands, known)}

    assert found == {"conftest.py", "attributes", "z.pth", "shop", "usercustomize.py"}


def test_settings_of_the_person_for_a_tool_that_a_check_runs_need_a_look(root: Path) -> None:
    write_file(Path.home() / ".mypy.ini", "[mypy]\nignore_errors = True\n")

    (finding,) = findings(str(root), time.time() - 60, ("python3 -m mypy .",))

    assert finding.file == "~/.mypy.ini"


def test_attributes_in_the_git_folder_need_a_look_if_a_check_runs_git(root: Path) -> None:
    write_file(root / ".git/info/attributes", "cases/a.sh export-ignore\n")
    write_file(root / "check.sh", "git archive HEAD | tar -x -C box\n")

    (finding,) = findings(str(root), time.time() - 60, ("sh check.sh",))

    assert finding.file == ".git/info/attributes"
    assert [*findings(str(root), time.time() - 60, (CHECK,))] == []


def test_a_new_module_at_the_top_may_not_hide_an_installed_package(root: Path) -> None:
    write_file(root / SITE / "iniconfig/__init__.py")
    new = ["iniconfig.py", "src/shop/iniconfig.py", "cart.py", "tests/iniconfig.py"]

    (finding,) = hidden_packages(str(root), new, (CHECK,))

    assert (finding.severity, finding.rule, finding.file) == (
        MEDIUM,
        "module-shadowed",
        "iniconfig.py",
    )
