"""A folder whose file system gives no locks, as some network disks: refused with the reason, and nothing is written there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.hook import HOOK_SCRIPT, SESSION, event, stop_event
from tests.support.project import Project
from tests.torture.conftest import Figure

ERRORS = {"ENOLCK": "No locks available", "EOPNOTSUPP": "Operation not supported"}
START = "start 'fix all failing tests in readme.md' --score 9 --yes --check 'done=test -e done.txt'"
ORDERS = f"pause;continue;steer hello;claim --exit;attach --session s2 --yes;detach;cancel;{START} --replace;"
LOOP, HOOK = (
    f"{sys.executable} -m loopwright.cli.main",
    f"{sys.executable} -I -S {HOOK_SCRIPT} claude",
)


def files(*places: Path) -> dict[Path, bytes]:
    """All there is; a lock file that nobody could lock is empty, and no matter."""
    found = [path for place in places for path in place.rglob("*") if path.is_file()]
    locks = ("lock", "driver.lock", "answer.lock")
    return {path: path.read_bytes() for path in found if path.name not in locks}


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace makes flock fail")
@pytest.mark.parametrize("error", ["ENOLCK", pytest.param("EOPNOTSUPP", marks=pytest.mark.long)])
def test_a_folder_without_locks_is_refused_and_left_as_it_is(
    project: Callable[..., Project], error: str, figure: Figure
) -> None:
    fresh, here, state, tried = (
        project(),
        project(),
        Path(os.environ["XDG_STATE_HOME"]),
        list[str](),
    )
    here.start("--check", "done=test -e done.txt", "--session", SESSION)
    before, bad = files(state, fresh.root, here.root), list[str]()

    def meets(at: Project, line: str, code: int, stdin: str = "") -> None:
        """The real process; only flock fails in it, and in all that it starts."""
        tried.append(line)
        argv = [
            "sh",
            "-c",
            f"exec strace --seccomp-bpf -f -qq -o {os.devnull} -e trace=flock -e inject=flock:error={error} {line}",
        ]
        done = subprocess.run(
            argv, cwd=at.root, input=stdin, capture_output=True, text=True, timeout=300, check=False
        )
        told = (
            done.stderr if code else str(json.loads(done.stdout or "{}").get("systemMessage", ""))
        )
        if (
            done.returncode != code
            or "own error" in told
            or (code == 0 and (done.stderr or "decision" in done.stdout))
        ):
            bad.append(f"{error}: {line}: {done}")
        if told.count(f"gives no locks ({ERRORS[error]}). Work on a local disk") != 1:
            bad.append(f"{error}: {line}: {told}")
        if (now := files(state, fresh.root, here.root)) != before:
            bad.append(f"{error}: {line} wrote {[str(path) for path in {*now} ^ {*before}]}")

    meets(fresh, f"{LOOP} {START}", 1)
    if (fresh.root / ".loop").exists():
        bad.append(f"{error}: loop start left {os.listdir(fresh.root / '.loop')}")
    for order in (ORDERS + "run --agent-command true --attach --yes").split(";"):
        meets(here, f"{LOOP} {order}", 1)
    meets(here, HOOK, 0, json.dumps(stop_event(here, "done <loop-complete>")))
    for name in ("UserPromptSubmit", "SessionStart", "SessionEnd"):
        meets(here, HOOK, 0, json.dumps(event(name, here, prompt="go on", source="resume")))
    figure("no locks", of=len(tried), bad=bad)
