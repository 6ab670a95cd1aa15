"""Product code that names something new outside the project is found."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from loopwright.ratchet.surrounding_rules.machine import find_needs_outside
from loopwright.repo.baseline import Change
from loopwright.verify.outside_state import new_things


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".known").write_text("x")
    monkeypatch.setenv("HOME", str(home))
    return home


def files_found(line: str, since: float, path: str = "cart.py") -> list[str]:
    change = Change(path, "x = 1\n", f"x = 1\n{line}\n")
    look = partial(new_things, "/project", since)
    return [finding.after for finding in find_needs_outside([change], look)]


def test_a_new_file_of_the_home_folder_that_the_product_names_is_found(home: Path) -> None:
    known, rates = home / ".known", home / ".rates"
    rates.write_text("x")
    while rates.stat().st_ctime == known.stat().st_ctime:
        rates.write_text("x")
    since = rates.stat().st_ctime

    assert files_found('RATES = "~/.rates"', since) == ["~/.rates"]
    assert files_found('RATES = Path.home() / ".rates"', since) == ["~/.rates"]
    assert files_found('RATES = Path.home() / ".known"', since) == []
    assert files_found('RATES = Path.home() / ".other"', since) == []
    assert files_found('RATES = Path.home() / ".rates"', since, "tests/test_cart.py") == []


def test_a_new_file_with_an_absolute_path_is_found(home: Path, tmp_path: Path) -> None:
    since = time.time() - 1
    answers = tmp_path / "answers.json"
    answers.write_text("{}")

    assert files_found(f'ANSWERS = "{answers}"', since) == [str(answers)]
    assert files_found(f'ANSWERS = "{tmp_path / "others.json"}"', since) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux names the process of a port")
def test_a_port_on_which_a_new_process_listens_is_found(home: Path) -> None:
    code = (
        "import socket\ns = socket.create_server(('127.0.0.1', 0))\n"
        "print(s.getsockname()[1], flush=True)\ninput()\n"
    )
    since = time.time() - 0.5
    with (
        socket.create_server(("127.0.0.1", 0)) as known,
        subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as server,
    ):
        assert server.stdout
        assert server.stdin
        port = server.stdout.readline().strip()

        assert files_found(f'URL = "http://localhost:{port}/"', since)[0].startswith(
            f"port {port}, on"
        )
        assert files_found(f"PORT = {port}", time.time() + 60) == []
        assert files_found(f"PORT = {known.getsockname()[1]}", time.time() + 60) == []
        server.stdin.write("\n")
