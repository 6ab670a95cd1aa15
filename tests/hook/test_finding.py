"""Where the door looks for a loop, and that it costs nothing where none is."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from loopwright.core.record import KINDS_BY_MODULE
from loopwright.store.create import prepare_folder
from tests.support import hook
from tests.support.hook import (
    HOOK_SCRIPT,
    OTHER,
    SESSION,
    Transcript,
    block,
    run_hook,
    says,
    stop,
    stop_event,
)
from tests.support.project import Project

# Runs the door as it is, and lists at its very end what was imported.
PROBE = """
import sys
sys.argv = sys.argv[1:]
import posix
leave = posix._exit
def listed(code):
    sys.stdout.flush()
    sys.stderr.write("\\n".join(sys.modules)); sys.stderr.flush(); leave(code)
posix._exit = listed
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"), {"__name__": "__main__", "__file__": sys.argv[0]})
listed(0)
"""
ENTRY = "loopwright.hook.entry"  # the one module of ours that runs where there is no loop
ALREADY = "import sys; import posix; print('\\n'.join(sys.modules))"


def modules(
    event: dict[str, object] | bytes, *argv: str, host: str = "claude"
) -> tuple[set[str], str]:
    """What the door imported beyond the bare interpreter, and what it printed."""
    data = event if isinstance(event, bytes) else json.dumps(event, ensure_ascii=False).encode()
    bare = subprocess.run(
        [sys.executable, "-I", "-S", "-c", ALREADY], capture_output=True, text=True, check=True
    ).stdout
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PROBE, HOOK_SCRIPT, host, *argv],
        input=data,
        capture_output=True,
        check=True,
        cwd="/",
    )
    return set(done.stderr.decode().split("\n")) - set(bare.split("\n")), done.stdout.decode()


@pytest.fixture
def deep_project(project) -> Project:
    made = project({"readme.md": "x\n", "src/deep/a.py": "a = 1\n"})
    made.start("--criterion", "docs read well", "--session", SESSION)
    return made


@pytest.fixture
def unbound(project) -> Project:
    """A loop that no session holds yet, so that only the folder leads to it."""
    made = project({"readme.md": "x\n"})
    made.start("--criterion", "docs read well")
    return made


# --- no loop ---

MESSAGES = [
    "",
    "Done.",
    "Line one\nline two\n\n```\ncode\n```",
    'He said "hi" \\ there',
    "ünïcode 🎉",
]


@pytest.mark.parametrize("text", MESSAGES)
def test_where_no_loop_is_it_is_silent_and_imports_only_the_entry(project, text: str) -> None:
    found, out = modules(stop_event(project(), text))

    assert out == ""
    assert {name for name in found if name.startswith("loopwright")} == {ENTRY}


@pytest.mark.parametrize(
    "name", ["UserPromptSubmit", "SessionStart", "PreToolUse", "SubagentStop", "NoSuchEvent"]
)
def test_where_no_loop_is_every_event_is_silent(project, name: str) -> None:
    assert run_hook({**stop_event(project()), "hook_event_name": name}).reply is None


def test_a_loop_that_has_ended_is_no_loop(deep_project: Project) -> None:
    deep_project.run("cancel", "--keep")
    assert deep_project.state["status"] == "cancelled"
    found, out = modules(stop_event(deep_project))

    assert out == ""
    assert {name for name in found if name.startswith("loopwright")} == {ENTRY}


# --- the cheap path ---

# Standard modules that take longer to import than the hook takes to answer. bench/hook.py measures the whole.
FORBIDDEN = {
    "_collections_abc",
    "argparse",
    "ast",
    "asyncio",
    "collections",
    "contextlib",
    "copy",
    "dataclasses",
    "datetime",
    "difflib",
    "email",
    "enum",
    "fnmatch",
    "functools",
    "glob",
    "hashlib",
    "importlib.metadata",
    "inspect",
    "json",
    "logging",
    "os",
    "pathlib",
    "platform",
    "random",
    "re",
    "selectors",
    "shlex",
    "shutil",
    "signal",
    "socket",
    "string",
    "subprocess",
    "tempfile",
    "textwrap",
    "threading",
    "tomllib",
    "traceback",
    "typing",
    "urllib.parse",
    "uuid",
}


@pytest.mark.parametrize("text", ["I looked around.", "Line one\nline two"])
def test_on_the_active_path_only_what_it_needs_is_imported(
    deep_project: Project, text: str
) -> None:
    found, out = modules(stop_event(deep_project, text))

    assert "unmet criteria: docs read well" in out
    assert not found & FORBIDDEN, sorted(found & FORBIDDEN)


@pytest.mark.parametrize(
    ("demands", "imported"), [((), set()), (("a", "b"), {"loopwright.core.proof.demands"})]
)
def test_a_stop_pays_for_demands_only_if_its_loop_has_some(
    project, demands: tuple[str, ...], imported: set[str]
) -> None:
    """And then for the record alone, until the end is claimed; the protocol is in this prompt."""
    here: Project = project()
    words = [word for text in demands for word in ("--demand", text)]
    here.start("--criterion", "docs read well", *words)
    found, out = modules(stop_event(here, "I looked around."))

    assert "unmet criteria: docs read well" in out
    assert {name for name in found if "demand" in name} == imported
    assert not found & FORBIDDEN, sorted(found & FORBIDDEN)


# --- looking ---


def test_it_is_found_from_a_subfolder(deep_project: Project) -> None:
    assert stop(deep_project, cwd=str(deep_project.root / "src/deep")).prompt.startswith(
        "unmet criteria: docs read well"
    )


@pytest.mark.parametrize("kind", ["folder", "file"])
def test_never_past_a_checkouts_top(unbound: Project, kind: str) -> None:
    inner = unbound.root / "vendor/inner"
    inner.mkdir(parents=True)
    (inner / ".git").mkdir() if kind == "folder" else (inner / ".git").write_text(
        "gitdir: /elsewhere\n"
    )

    assert stop(unbound, cwd=str(inner)).reply is None
    assert stop(unbound, cwd=str(inner / "src")).reply is None
    assert stop(unbound, cwd=str(unbound.root / "vendor")).prompt.startswith("unmet criteria")


def test_never_into_home_or_above(tmp_path: Path) -> None:
    home = Project(tmp_path / "home", git=False)
    prepare_folder(home.folder)
    (home.root / ".loop/state.json").write_text('{"spec": "x", "status": "in_progress"}')
    (home.root / "work/x").mkdir(parents=True)

    for cwd in (home.root, home.root / "work/x"):
        assert stop(home, cwd=str(cwd), HOME=str(home.root)).reply is None
        assert stop(home, cwd=str(cwd), HOME=str(home.root / "work")).reply is None


def test_m2_a_process_elsewhere_finds_it_by_stdins_cwd(deep_project: Project) -> None:
    assert os.getcwd() != str(deep_project.root)
    assert stop(deep_project).prompt.startswith("unmet criteria")


@pytest.mark.parametrize("cwd", ["", "/gone/away", "/", 7, None])
def test_without_a_useful_cwd_the_project_folder_of_the_client_is_taken(
    unbound: Project, cwd: object
) -> None:
    assert stop(unbound, cwd="/").reply is None
    assert stop(unbound, cwd=cwd, CLAUDE_PROJECT_DIR=str(unbound.root)).prompt.startswith(
        "unmet criteria"
    )


def test_stdins_cwd_comes_before_the_project_folder(unbound: Project, project) -> None:
    other = project()
    other.start("--criterion", "another thing")

    assert "another thing" in stop(other, CLAUDE_PROJECT_DIR=str(unbound.root)).prompt


@pytest.mark.parametrize(
    "name", ['with "quotes"', "with spaces", "back\\slash", "ünïcode-🎉", "new\nline"]
)
def test_a_folder_with_an_odd_name_is_found(tmp_path: Path, name: str) -> None:
    odd = Project(tmp_path / name)
    odd.start("--criterion", "docs read well", "--session", SESSION)

    assert stop(odd).prompt.startswith("unmet criteria: docs read well")


def test_a_worktree_has_a_loop_of_its_own(deep_project: Project) -> None:
    deep_project.git("worktree", "add", "-q", "../side")
    side = Project(deep_project.root.parent / "side", {"x.md": "x"}, git=False)

    assert stop(side, session=OTHER).reply is None
    side.start("--criterion", "the side is done", "--session", OTHER)
    assert "the side is done" in stop(side, session=OTHER).prompt
    assert "docs read well" in stop(deep_project).prompt


# --- not ours to hear ---


def test_a_child_of_our_own_runner_is_left_alone(
    deep_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hook, "as_process", True)
    before = len(deep_project.events())

    assert stop(deep_project, LOOP_CHILD="some-id").reply is None
    assert len(deep_project.events()) == before


# --- stdin, and what is missing ---


def test_a_client_that_never_closes_stdin_traps_nobody(deep_project: Project) -> None:
    reader, writer = os.pipe()
    os.write(writer, json.dumps(stop_event(deep_project, "hm")).encode())
    done = subprocess.run(
        [sys.executable, "-I", "-S", HOOK_SCRIPT, "claude"],
        stdin=reader,
        capture_output=True,
        timeout=600,
        check=True,
    )

    assert json.loads(done.stdout)["decision"] == "block"
    os.close(reader)
    os.close(writer)


def test_without_any_stdin_it_is_silent() -> None:
    argv = ["sh", "-c", 'exec "$@" <&-', "sh", sys.executable, "-I", "-S", HOOK_SCRIPT, "claude"]
    done = subprocess.run(argv, capture_output=True, timeout=600, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_mirror_whose_journal_was_taken_away_is_no_loop_without_checks(
    project, tmp_path: Path
) -> None:
    here: Project = project()
    here.start("--check", "done=test -e done.txt", "--session", SESSION)
    told = Transcript(tmp_path / "session.jsonl", time.time() - 60).assistant(
        says("hm")
    )  # older than the mirror
    (here.root / ".loop/journal.jsonl").unlink()
    answer = stop(here, block({"done": True}, exit=True), transcript_path=str(told.path))

    assert (answer.prompt, "loop restore" in answer.message, "complete" in answer.message) == (
        "",
        True,
        False,
    )
    assert not (here.root / ".loop/history").exists()


OF_EVERY_TURN = "events"
OF_OTHER_EVENTS = {
    *(f"loopwright.core.{name}" for name in KINDS_BY_MODULE if name != OF_EVERY_TURN),
    "loopwright.store.mirror_edits",
}


def test_an_ordinary_stop_makes_no_class_that_only_other_events_need(deep_project: Project) -> None:
    found, out = modules(stop_event(deep_project, "I looked around."))

    assert "docs read well" in out
    assert not found & OF_OTHER_EVENTS


@pytest.mark.skipif(sys.platform != "linux", reason="strace counts the calls")
def test_an_ordinary_stop_waits_for_the_disk_once_and_renames_one_file(
    deep_project: Project, tmp_path: Path
) -> None:
    if not shutil.which("strace"):
        pytest.skip("there is no strace here")
    stop(deep_project)  # binds, and writes what is written once
    log = tmp_path / "calls"
    watch = ("strace", "-f", "-e", "trace=fsync,fdatasync,rename,renameat,renameat2", "-o", log)
    subprocess.run(
        [*map(str, watch), sys.executable, "-I", "-S", HOOK_SCRIPT, "claude"],
        input=json.dumps(stop_event(deep_project, "I looked around.")).encode(),
        stdout=subprocess.DEVNULL,
        check=True,
        cwd="/",
    )
    calls = [line for line in log.read_text().splitlines() if str(deep_project.root) in line]
    renamed = [line for line in calls if "rename" in line and "__pycache__" not in line]

    assert sum("sync(" in line for line in log.read_text().splitlines()) == 1
    assert [line for line in renamed if "state.json" in line] == renamed
    assert len(renamed) == 1
