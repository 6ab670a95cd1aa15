"""`windows`: that system, in disguise. `system`: this one, then that. `any_system`: and one without /proc, too."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.platform.systems import HERE, NO_PROC, System


@pytest.fixture
def windows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    if sys.platform != "linux":
        pytest.skip("the stand-ins for Windows are made of what Linux has")
    programs = tmp_path / "System32"
    programs.mkdir()
    write_program(
        programs / "taskkill", f'exec "{sys.executable}" -I -S "{HERE / "taskkill.py"}" "$@"'
    )
    write_program(programs / "cmd.exe", 'echo "cmd $1"; exec /bin/sh -c "$2"')
    monkeypatch.setenv("PATH", str(programs), prepend=":")
    return System(True, {"COMSPEC": str(programs / "cmd.exe")})


# On Linux every other test shows the same.
NATIVE = pytest.param("native", marks=[pytest.mark.long] if sys.platform == "linux" else [])


@pytest.fixture(params=[NATIVE, "windows"])
def system(request: pytest.FixtureRequest) -> System:
    return request.getfixturevalue("windows") if request.param == "windows" else System(False)


@pytest.fixture(params=[NATIVE, "no proc", "windows"])
def any_system(request: pytest.FixtureRequest) -> System:
    if request.param == "windows":
        return request.getfixturevalue("windows")
    return System(False, before=NO_PROC if request.param == "no proc" else "")


def write_program(path: Path, line: str) -> None:
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o700)
