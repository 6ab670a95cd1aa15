"""How much a command in a sandbox may use: memory, processes and disk, with and without a control group."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.sandbox import bounds as bounds_module
from loopwright.sandbox import control_groups
from loopwright.sandbox.backends import container
from loopwright.sandbox.bounds import GIGABYTE, Bounds, bounds_text, usual_bounds, watch_words
from loopwright.sandbox.choose import choose_sandbox, launcher_words
from loopwright.sandbox.inner_process import inner_process
from loopwright.sandbox.mounts import Box
from tests.sandbox.user import ORDINARY_USER, as_ordinary_user, needs_bwrap, system_python
from tests.support.runner import read_when_complete

bounds_watcher = pytest.importorskip("loopwright.sandbox.bounds_watcher")  # of Unix
pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.skipif(not bounds_module.can_watch(), reason="it needs Linux"),
]
MEGABYTE = 1 << 20
SMALL = Bounds(memory=200 * MEGABYTE, processes=40, disk=20 * MEGABYTE)
USE_MEMORY = "import time; kept = [bytearray(MEGABYTE * 30) for _ in range(20)]; time.sleep(60)"
TOO_MUCH = {
    "0.2 GB of memory": USE_MEMORY.replace("MEGABYTE", "(1 << 20)"),
    "40 processes and threads": "import threading, time\n"
    "for _ in range(60): threading.Thread(target=time.sleep, args=(60,)).start()",
    "0.0 GB written": "import os, time\n"
    "for name in 'abc':\n"
    "    with open(name, 'wb') as file:\n"
    "        file.write(bytes(15 << 20)); file.flush(); os.fsync(file.fileno())\n"
    "time.sleep(60)",
}


@pytest.fixture
def no_group(monkeypatch):
    monkeypatch.setattr(bounds_module, "join_folders", lambda *_: ())


def watched(folder: Path, *command: str, bounds: Bounds = SMALL, before=()) -> tuple[int, str]:
    words = [*before, *watch_words(bounds), *command]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(("what", "program"), TOO_MUCH.items(), ids=TOO_MUCH)
@pytest.mark.parametrize("is_root", [True, False], ids=["as root", "as an ordinary user"])
def test_a_command_that_uses_too_much_is_ended_with_the_reason(
    disk_folder, no_group, monkeypatch, what, program, is_root
):
    before = () if is_root else tuple(ORDINARY_USER.split())
    if not is_root:
        if os.getuid():
            pytest.skip("only root can become another user")
        monkeypatch.setattr(sys, "executable", system_python())
        as_ordinary_user(disk_folder)

    code, said = watched(disk_folder, system_python(), "-c", program, before=before)

    assert (code, f"[LOOP] The sandbox ended this: more than {what}." in said) == (137, True), said


@pytest.fixture
def disk_folder(tmp_path: Path) -> Path:
    """A folder on a disk: what is written to memory is not counted."""
    import tempfile

    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        yield Path(folder)


def test_a_file_cannot_become_larger_than_the_bound(tmp_path, no_group):
    program = "open('big', 'wb').write(bytes(21 << 20))"

    code, said = watched(tmp_path, sys.executable, "-c", program)

    assert code == 1
    assert "File too large" in said
    assert (tmp_path / "big").stat().st_size <= 20 * MEGABYTE


def test_memory_that_many_processes_share_counts_once(tmp_path, no_group):
    program = (
        "import os, time\nkept = b'x' * (90 << 20)\n"
        "for _ in range(3):\n    if not os.fork(): time.sleep(1.5); os._exit(0)\n"
        "while True:\n    try: os.wait()\n    except ChildProcessError: break\n"
        "print('finished')"
    )

    assert watched(tmp_path, sys.executable, "-c", program) == (0, "finished\n")


@pytest.mark.parametrize(
    ("line", "code"), [("exit 0", 0), ("exit 7", 7), ("kill -9 $$", 137), ("kill -15 $$", 143)]
)
def test_the_exit_code_is_that_of_the_command(tmp_path, line, code):
    assert watched(tmp_path, "/bin/sh", "-c", line) == (code, "")


def test_a_program_that_is_missing_is_named(tmp_path):
    code, said = watched(tmp_path, "/nonexistent/program")

    assert (code, "/nonexistent/program: No such file" in said) == (127, True)


def test_the_command_has_the_signals_of_a_plain_start(tmp_path):
    """Python ignores some, and the program between holds some back: neither is inherited."""
    line = ["grep", "-E", "^Sig(Blk|Ign|Cgt)", "/proc/self/status"]
    plain = subprocess.run(line, capture_output=True, text=True, check=True).stdout

    assert watched(tmp_path, *line) == (0, plain)


def test_a_signal_to_the_group_ends_the_command_and_its_code_is_told(tmp_path):
    script = "trap 'exit 7' TERM; echo > ready; while :; do sleep 0.05; done"
    words = [*watch_words(SMALL), "/bin/sh", "-c", script]
    with subprocess.Popen(words, cwd=tmp_path, start_new_session=True) as process:
        read_when_complete(tmp_path / "ready")
        os.killpg(process.pid, signal.SIGTERM)

        assert process.wait(20) == 7


def test_the_command_ends_with_the_process_that_started_it(tmp_path):
    """Also one that no launcher ties to its parent."""
    words = [*watch_words(SMALL), "/bin/sh", "-c", "echo $$ > pid; exec sleep 60"]
    start = f"import subprocess; subprocess.run({words!r})"
    with subprocess.Popen([sys.executable, "-c", start], cwd=tmp_path) as process:
        inside = int(read_when_complete(tmp_path / "pid"))
        process.kill()

    wait_until_dead(inside)


# A process: its number, parent, threads, resident pages, and kilobytes that are its own share.
def write_proc(folder: Path, *rows: tuple[int, int, int, int, int]) -> str:
    for pid, parent, threads, pages, share in rows:
        entry = folder / str(pid)
        entry.mkdir()
        fields = ["S", str(parent), *["0"] * 15, str(threads), *["0"] * 3, str(pages), "0"]
        (entry / "stat").write_text(f"{pid} (a) 1 (b) {' '.join(fields)}\n")
        (entry / "smaps_rollup").write_text(f"Rss: 1 kB\nPss: {share} kB\nPss_Dirty: 9999 kB\n")
        (entry / "io").write_text(f"write_bytes: {share}\ncancelled_write_bytes: 9999\n")
    (folder / "9").mkdir()  # it has ended while we look
    (folder / "meminfo").write_text("")
    return str(folder)


PAGES = MEGABYTE // bounds_watcher.PAGE_BYTES  # of a megabyte


@pytest.mark.parametrize(
    ("bounds", "exceeded"),
    [
        pytest.param((0, 0, 0), "", id="no bound"),
        pytest.param((0, 6, 0), "", id="as many threads as it may have"),
        pytest.param((0, 5, 0), "5 processes and threads", id="a thread too many"),
        pytest.param((60 * MEGABYTE, 0, 0), "", id="less memory than the bound"),
        pytest.param((20 * MEGABYTE, 0, 0), "", id="more only if shared pages count twice"),
        pytest.param((19 * MEGABYTE, 0, 0), "0.0 GB of memory", id="more memory"),
        pytest.param((0, 0, 20480), "", id="as many bytes as it may write"),
        pytest.param((0, 0, 20479), "0.0 GB written", id="a byte too many"),
    ],
)
def test_everything_below_the_command_is_added_up_and_nothing_else(tmp_path, bounds, exceeded):
    proc = write_proc(
        tmp_path,
        (1, 0, 500, 900 * PAGES, 900_000),
        (50, 1, 1, 10 * PAGES, 4_096),
        (51, 50, 3, 20 * PAGES, 8_192),
        (52, 51, 2, 20 * PAGES, 8_192),
        (53, 1, 500, 900 * PAGES, 900_000),
    )

    assert bounds_watcher.exceeded_bound(50, bounds, proc) == exceeded
    assert bounds_watcher.exceeded_bound(9, (1, 1, 1), proc) == ""  # it has ended


@needs_bwrap
def test_a_signal_reaches_the_command_in_the_sandbox_and_a_kill_ends_all_of_it(tmp_path):
    box = Box(profile="agent", root=str(tmp_path), bounds=usual_bounds(8, 2000, 20))
    words = launcher_words(choose_sandbox("bwrap", str(tmp_path)), box)
    script = "trap 'echo heard > heard; exit' USR1; echo $$ > ready; while :; do sleep 0.05; done"

    for number in (signal.SIGUSR1, signal.SIGKILL):  # INT may be ignored already
        with subprocess.Popen(
            [*words, "/bin/sh", "-c", script], cwd=tmp_path, start_new_session=True
        ) as process:
            read_when_complete(tmp_path / "ready")
            inside = inner_process(process.pid)
            assert inside != process.pid
            os.kill(process.pid if number == signal.SIGKILL else inside, number)
            process.wait(20)
        (tmp_path / "ready").unlink()
        if number == signal.SIGUSR1:
            assert (tmp_path / "heard").exists()
        else:
            wait_until_dead(inside)


def wait_until_dead(pid: int) -> None:
    import time

    for _ in range(400):
        if not os.path.exists(f"/proc/{pid}"):
            return
        time.sleep(0.05)
    raise AssertionError(f"{pid} lives")


def test_a_control_group_bounds_memory_and_processes_where_one_can_be_made(tmp_path):
    folders = control_groups.join_folders(SMALL.memory, SMALL.processes)
    if not folders:
        pytest.skip("this user may make no control group")
    # All of them live until the program ends, however slowly they start.
    threads = TOO_MUCH["40 processes and threads"].replace("(60,)", "(60,), daemon=True")

    code, said = watched(tmp_path, sys.executable, "-c", TOO_MUCH["0.2 GB of memory"])
    assert code in (1, 137), said  # the kernel ends the process, or gives it no memory
    assert code == 1 or "more than 0.2 GB of memory" in said  # whoever saw it first
    _, said = watched(tmp_path, sys.executable, "-c", threads)
    assert "can't start new thread" in said or "more than 40 processes" in said
    assert "by a control group" in bounds_text(SMALL)


def test_what_the_kernel_ended_is_counted_in_both_versions_of_control_groups(tmp_path):
    for name, text in {
        "one": ("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n"),
        "two": ("memory.events", "max 9\noom 4\noom_kill 3\n"),
    }.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / text[0]).write_text(text[1])
    folders = [str(tmp_path / name) for name in ("one", "two", "missing")]

    assert bounds_watcher.count_ended_by_kernel(folders) == 5


def delegated(mount: Path, path: str, controllers: str = "cpu memory pids") -> Path:
    folder = mount / path
    folder.mkdir(parents=True)
    (folder / "cgroup.subtree_control").write_text(controllers)
    (folder / "cgroup.procs").write_text("")
    return folder


def test_a_group_of_version_2_is_made_in_the_closest_folder_that_is_delegated(
    tmp_path, monkeypatch
):
    own = "/user.slice/user@1.service/app.slice/term.scope"
    monkeypatch.setattr(control_groups, "_own_groups", lambda: {"": own})
    control_groups.join_folders.cache_clear()
    app = delegated(tmp_path, "user.slice/user@1.service/app.slice")
    (app / "loopwright-999999999").mkdir()  # of a process that was killed
    (app / "loopwright-1").mkdir()  # of a run between two turns

    (folder,) = control_groups.join_folders(5, 6, mount=str(tmp_path))

    assert folder == f"{app}/loopwright-{os.getpid()}"
    assert (Path(folder) / "memory.max").read_text() == "5"
    assert (Path(folder) / "pids.max").read_text() == "6"
    assert not (app / "loopwright-999999999").exists()
    assert (app / "loopwright-1").exists()
    for most in (7, 5):  # whoever asks last has the bounds that were asked for
        control_groups.join_folders(most, 6, mount=str(tmp_path))
        assert (Path(folder) / "memory.max").read_text() == str(most)


@pytest.mark.parametrize("controllers", ["", "memory", "cpu pids"])
def test_without_both_controllers_there_is_no_group(tmp_path, monkeypatch, controllers):
    delegated(tmp_path, "a", controllers)
    monkeypatch.setattr(control_groups, "_own_groups", lambda: {"": "/a/b"})
    control_groups.join_folders.cache_clear()

    assert control_groups.join_folders(5, 6, mount=str(tmp_path)) == ()


def test_the_default_of_memory_is_eight_gigabytes_or_half_of_the_machine(monkeypatch):
    for machine, most in ((64, 8), (10, 5)):
        monkeypatch.setattr(bounds_module, "machine_memory", lambda m=machine: m * GIGABYTE)
        assert usual_bounds(8, 2000, 20).memory == most * GIGABYTE
    assert usual_bounds(12, 2000, 20).memory == 12 * GIGABYTE  # as the person says
    assert usual_bounds(12, 2000, 20) == Bounds(12 * GIGABYTE, 2000, 20 * GIGABYTE)


def test_a_container_has_the_same_bounds(tmp_path):
    box = Box(profile="check", root=str(tmp_path), bounds=SMALL)
    words = launcher_words(choose_sandbox("off", "/").but(backend="docker", argument="x"), box)

    assert words[words.index("--memory") + 1] == str(SMALL.memory)
    assert words[words.index("--pids-limit") + 1] == "40"
    assert container._bound_words(Bounds()) == []


def test_the_settings_and_the_command_that_shows_them(project):
    here = project({"a.txt": "1\n"})
    here.run("config", "sandbox.memory", "3")
    here.run("config", "sandbox.processes", "500")

    said = here.run("sandbox", "show", "--sandbox", "env")

    assert "at most: 3.0 GB of memory and 500 processes" in said.out, said.err
