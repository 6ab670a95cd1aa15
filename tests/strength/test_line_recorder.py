"""Which lines a Python process runs: in threads, children and forks, beside other tools."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.strength.lines_run import (
    NOT_SEEN,
    OTHER_TRACER,
    prepare_recording,
    read_recording,
)
from tests.strength.measured import a_room, changed

MODULE = """\
def in_thread():
    return 1

def in_child():
    return 2

def in_fork():
    return 3

def never():
    return 4
"""
RUN = """\
import os, subprocess, sys, threading
import work
thread = threading.Thread(target=work.in_thread)
thread.start()
thread.join()
subprocess.run([sys.executable, "-c", "import work; work.in_child()"], check=True)
pid = os.fork()
if not pid:
    work.in_fork()
    os._exit(0)
os.waitpid(pid, 0)
"""
NEWER = [
    path
    for version in ("3.12", "3.13", "3.14")
    if (path := shutil.which(f"python{version}"))
    and not subprocess.run([path, "-c", ""], capture_output=True, check=False).returncode
]
PYTHONS = [sys.executable, *NEWER]


def record(folder: Path, python: str, code: str, **files: str):
    room = a_room(folder, {"work.py": MODULE, **{f"{k}.py": v for k, v in files.items()}})
    file = changed("work.py", MODULE)
    variables = {**os.environ, "PYTHONPATH": "", **prepare_recording(room, [file])}
    (folder / "run.py").write_text(code)
    done = subprocess.run(
        [python, "run.py"], cwd=folder, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return read_recording(room, [file]), done.stdout


@pytest.mark.parametrize("python", PYTHONS, ids=os.path.basename)
def test_lines_of_threads_children_and_forks(tmp_path: Path, python: str) -> None:
    found, _ = record(tmp_path, python, RUN)

    assert found.ran["work.py"] == {1, 2, 4, 5, 7, 8, 10}


def test_a_process_that_is_killed_loses_no_line(tmp_path: Path) -> None:
    code = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import os, work; work.never(); os.kill(os.getpid(), 9)'])\n"

    found, _ = record(tmp_path, sys.executable, code)

    assert 11 in found.ran["work.py"]


def test_the_next_sitecustomize_is_loaded_and_the_path_is_as_without_us(tmp_path: Path) -> None:
    room = a_room(tmp_path / "a", {"work.py": MODULE})
    other = tmp_path / "other"
    other.mkdir()
    (other / "sitecustomize.py").write_text("MARK = 'theirs'\n")
    slot = prepare_recording(room, [changed("work.py", MODULE)])["PYTHONPATH"].split(os.pathsep)[0]
    code = "import sys, sitecustomize; print(sitecustomize.MARK, sys.path)"
    command = [sys.executable, "-c", code]

    def out(*folders: str) -> str:
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join(folders)}
        return subprocess.run(
            command, env=variables, capture_output=True, text=True, check=True
        ).stdout

    assert out(slot, str(other)) == out(str(other))
    assert "theirs" in out(slot, str(other))


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="both work side by side from 3.12 on")
def test_another_tracer_makes_the_lines_unknown(tmp_path: Path) -> None:
    code = "import sys\nsys.settrace(lambda *a: None)\nimport work\nwork.never()\n"

    found, _ = record(tmp_path, sys.executable, code)

    assert found.unknown["work.py"] == OTHER_TRACER


def test_an_isolated_process_is_not_followed_and_that_is_said(tmp_path: Path) -> None:
    code = "import os, sys\nos.execv(sys.executable, [sys.executable, '-I', '-c', 'print(1)'])\n"
    room = a_room(tmp_path, {"work.py": MODULE})
    file = changed("work.py", MODULE)
    variables = {**os.environ, **prepare_recording(room, [file])}

    subprocess.run([sys.executable, "-I", "-c", code], cwd=tmp_path, env=variables, check=True)

    assert read_recording(room, [file]).unknown["work.py"] == NOT_SEEN


def test_it_brings_no_module_into_the_process(tmp_path: Path) -> None:
    code = "import sys\nprint(*sorted(sys.modules))\n"
    _, with_us = record(tmp_path / "a", sys.executable, code)
    (tmp_path / "run.py").write_text(code)
    variables = {**os.environ, "PYTHONPATH": ""}

    without = subprocess.run(
        [sys.executable, "run.py"], cwd=tmp_path, env=variables, capture_output=True, text=True
    ).stdout

    assert set(with_us.split()) - set(without.split()) <= {"sitecustomize", "atexit", "__future__"}
