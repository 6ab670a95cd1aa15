"""Where the door looks when folders are written as on Windows: backslashes, drives, and a HOME of any spelling.

A drive is a folder named "C:" here, in which the door stands; that makes C:/work a path that both systems know.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loopwright.hook.entry import folder_in_input
from tests.platform.systems import System
from tests.support.hook import HOOK_SCRIPT, Answer, stop_event
from tests.support.project import Project


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    """A loop in C:/work/shop that no session holds, so that only the folder leads to it."""
    made = Project(tmp_path / "C:/work/shop", {"src/deep/a.py": "a = 1\n"}, git=False)
    made.start("--criterion", "docs read well")
    return made


def knock(windows: System, drive: Path, cwd: str, **env: str) -> Answer:
    data = json.dumps({**stop_event(drive, "Looked around."), "cwd": cwd}).encode()
    return windows.run_hook(data, cwd=drive, **env)


SPELLINGS = [
    r"C:\work\shop",
    "C:/work/shop",
    r"C:\work/shop",
    "C:\\work\\shop\\",
    r"C:\work\shop\src\deep",
    "C:/work/shop/src/",
]


ROOTS = """
import json, sys
from loopwright.hook.entry import find_roots
print(json.dumps([find_roots(folder, "")[0] for folder in json.loads(sys.argv[1])]))
"""


def test_a_loop_is_found_however_its_folder_is_written(
    windows: System, shop: Project, tmp_path: Path
) -> None:
    found = windows.run(ROOTS, json.dumps(SPELLINGS), cwd=tmp_path).json
    assert found == ["C:/work/shop"] * len(SPELLINGS)
    assert "docs read well" in knock(windows, tmp_path, SPELLINGS[0]).prompt
    cwd = SPELLINGS[-1]
    assert "docs read well" in knock(windows, tmp_path, "", CLAUDE_PROJECT_DIR=cwd).prompt


@pytest.mark.parametrize("name", ["HOME", "USERPROFILE"])
@pytest.mark.parametrize(
    ("home", "found"),
    [
        pytest.param(r"C:\work\shop", False, id="HOME itself"),
        pytest.param("c:/WORK/Shop/", False, id="in other letters"),
        pytest.param(r"C:\work\shop\src", False, id="above HOME"),
        pytest.param(r"C:\Work", True, id="a folder in HOME"),
        pytest.param(r"C:\work\shop2", True, id="a name that begins alike"),
    ],
)
def test_never_into_home_or_above_it(
    windows: System, shop: Project, tmp_path: Path, name: str, home: str, found: bool
) -> None:
    homes = {"HOME": r"C:\Users\me", "USERPROFILE": r"C:\Users\me", name: home}

    assert bool(knock(windows, tmp_path, r"C:\work\shop", **homes).reply) == found


NO_PROJECTS = ["C:\\", "C:", "C:/", r"C:\elsewhere", "\\\\server\\share\\x", "//server/share"]
NO_PROJECTS += ["\\", "/", "C:work"]


def test_a_drive_is_no_project(windows: System, tmp_path: Path) -> None:
    drive = Project(tmp_path / "C:", {"elsewhere/x": "x\n"}, git=False)
    drive.start("--criterion", "docs read well")

    found = windows.run(ROOTS, json.dumps(NO_PROJECTS), cwd=tmp_path).json
    assert found == [""] * len(NO_PROJECTS)
    assert knock(windows, tmp_path, NO_PROJECTS[0]).reply is None


def test_never_past_a_checkouts_top(windows: System, shop: Project, tmp_path: Path) -> None:
    (shop.root / "vendor/inner/.git").mkdir(parents=True)

    assert knock(windows, tmp_path, r"C:\work\shop\vendor\inner").reply is None
    assert knock(windows, tmp_path, r"C:\work\shop\vendor").reply is not None


LISTED = """
import nt, sys
def leave(code, out=sys.stderr):
    out.write(" ".join(sys.modules)); out.flush(); gone(code)
gone, nt._exit = nt._exit, leave
door = sys.argv[1]
with open(door, encoding="utf-8") as file:
    exec(compile(file.read(), door, "exec"), {"__name__": "__main__", "__file__": door})
"""


@pytest.mark.parametrize(
    "cwd", [r"C:\nothing\here", r"C:\Users\me", "\\\\server\\share\\x", "C:/nothing"]
)
def test_where_no_loop_is_a_backslash_costs_nothing(
    windows: System, tmp_path: Path, cwd: str
) -> None:
    """Every folder on Windows has one: the door must not need a JSON parser for it."""
    said = windows.run(
        LISTED,
        HOOK_SCRIPT,
        stdin=json.dumps({**stop_event(tmp_path), "cwd": cwd}).encode(),
        cwd=tmp_path,
    )

    assert (said.code, said.out) == (0, "")
    assert "sys" in said.err.split()
    ours = [name for name in said.err.split() if name.startswith("loopwright")]
    assert ours == ["loopwright.hook.entry"]


@pytest.mark.parametrize("cwd", [r"C:\n\t", "C:\\a\nb", 'C:\\"a"', "C:\\ü", "\\\\", "\\\\\\", ""])
def test_the_quick_look_at_the_folder_reads_what_json_means_or_asks(cwd: str) -> None:
    for escaped in (True, False):
        said = json.dumps(
            {"session_id": "x", "cwd": cwd, "more": "\\"}, ensure_ascii=escaped
        ).encode()
        assert folder_in_input(said) in (cwd, None)
    assert folder_in_input(json.dumps({"cwd": r"C:\work\shop"}).encode()) == r"C:\work\shop"
