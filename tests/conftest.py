"""Every test runs as a person without a home of their own, and never as an agent's child; a project is one call away."""

import gc
import os
import shutil
import signal
import sys
from collections.abc import Callable, Generator, Iterator, Mapping
from itertools import count
from pathlib import Path

import pytest

from loopwright.disk import programs
from tests.support import hook
from tests.support.hook import SESSION
from tests.support.project import Project
from tests.torture.size import FIGURES

# Under `nohup` the programs that tests start would ignore SIGHUP too. A handler keeps pytest alive
# and is not passed on to a program.
if sys.platform != "win32" and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
    signal.signal(signal.SIGHUP, lambda *_: None)

pytest_plugins = ["tests.suite_times", "tests.suite_order"]
AGENTS = ("CLAUDE", "AI_AGENT", "LOOP_")
# They need a pty, dash, links, file modes, signals, or names that Windows forbids; tests/platform shows the essentials there.
POSIX_ONLY = [
    "strength",
    "sandbox",
    "e2e",
    "plugin",
    "chaos",
    "torture",
    "browser",
    "web",
    "fleet",
]
POSIX_ONLY += [
    "hook/test_gate.py",
    "hook/test_halt.py",
    "hook/test_finding.py",
    "hook/test_trouble.py",
    "hook/test_silent_ends.py",
]
POSIX_ONLY += [
    "verify/test_runner.py",
    "repo/test_tree.py",
    "store/test_folder.py",
    "importers/test_state_json.py",
]
POSIX_ONLY += [
    "hook/test_discovery_path.py",
    "repo/test_user_repo.py",
    "cli/test_on_a_terminal.py",
    "cli/test_doctor.py",
    "cli/test_start.py",
    "checks/test_detection.py",
    "drive/test_random_runs.py",
]
POSIX_ONLY += [
    "agents/test_process.py",
    "agents/test_clocks.py",
    "agents/test_process_guard.py",
    "cli/test_logs_and_steer.py",
]
POSIX_ONLY += ["cli/test_runner_commands.py", "drive/test_runner_worktree_and_commit.py"]
POSIX_ONLY += [
    f"drive/test_{name}.py"
    for name in ("runner_headless", "runner_stop_signals", "notify", "handover")
]
POSIX_ONLY += [
    f"repo/test_lanes_{name}.py" for name in ("worktrees", "changes", "merge", "merge_guard")
]
POSIX_ONLY += [
    f"drive/test_{name}.py"
    for name in ("runner_waves", "runner_tasks", "lanes_stopped", "plan_files")
]
POSIX_ONLY += ["cheats", "cli/test_proof.py", "repo/test_kept_trees.py", "repo/test_write_race.py"]
POSIX_ONLY += ["mcp/test_server_process.py", "hook/test_documented_hosts.py"]
POSIX_ONLY += ["drive/test_documented_nights.py", "drive/test_documented_plans.py"]
POSIX_ONLY += ["verify/test_room.py", "repo/test_checkout.py", "drive/test_room_runs.py"]
POSIX_ONLY += [
    "stories/test_seed_plan.py",
    "cli/test_plan_options.py",
    "agents/claude/test_write_scope_hook.py",
]
# Thousands of small repositories and of journals that are synced line by line: in memory, where there is room for them.
MEMORY, ROOM = Path("/dev/shm"), 4 << 30  # bytes
if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
collect_ignore = POSIX_ONLY if sys.platform == "win32" else []
PROOF = os.environ.get("LOOP_PROOF")  # set by `make proof`
BROWSER = os.environ.get("LOOP_BROWSER")  # set by `make browser`
FLEET = os.environ.get("LOOP_FLEET")  # set by `make fleet`
CLIENTS = os.environ.get("LOOP_CLIENTS")  # set by `make clients`


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """The thousands of tests live to the end: no search for garbage looks at them, which is 2 s of each worker."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Some tests run in a suite of their own; the table of the suites says how many are left out."""
    later = {item for item in items if item.get_closest_marker("long") and not FIGURES}
    if not PROOF and not FIGURES:
        later |= {item for item in items if item.get_closest_marker("proof")}
    if not BROWSER:
        later |= {item for item in items if item.get_closest_marker("browser")}
    if not FLEET and not FIGURES:
        later |= {item for item in items if is_of_fleet(item)}
    if not CLIENTS and not FIGURES:
        later |= {item for item in items if item.get_closest_marker("clients")}
    if later:
        config.hook.pytest_deselected(items=list(later))
        items[:] = [item for item in items if item not in later]


def is_of_fleet(item: pytest.Item) -> bool:
    """They have a suite of their own, because they need Postgres and several minutes of processor time."""
    return item.path.parent.name == "fleet"


def pytest_xdist_auto_num_workers() -> int:
    """Two more than there are cores: many tests wait for a client, a clock or a child, and leave their core idle meanwhile.

    Each further worker reads all the tests for itself, and in `make test` other suites run beside these.
    """
    return (os.cpu_count() or 1) + 2


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """New folders without end. pytest's own mktemp lists all the earlier ones each time, and there are thousands."""
    place = tmp_path_factory.mktemp("homes")
    return (place / str(number) for number in count())


@pytest.fixture(scope="session")
def _python3(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder for the PATH whose python3 is a program. A version manager's is a script, as dear as the check that it starts.

    It has no packages either: those of the machine's own Python may run code at each start, which is dearer still.
    """
    folder = tmp_path_factory.mktemp("python3") / "bin"
    folder.mkdir()
    if sys.platform != "win32":
        program = Path(os.path.realpath(sys.executable))
        (folder / "python3").symlink_to(program)
        if not PROOF and not FIGURES:  # their checks are pytest, the machine's own
            (folder.parent / "pyvenv.cfg").write_text(f"home = {program.parent}\n")
    return str(folder)


def folder_of_run(factory: pytest.TempPathFactory, name: str) -> Path:
    """A folder that all the workers of one run share."""
    place = factory.getbasetemp()
    folder = (place.parent if "PYTEST_XDIST_WORKER" in os.environ else place) / name
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def go_cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    """In a home of its own each test would compile the standard library of Go, for seconds."""
    return str(folder_of_run(tmp_path_factory, "go"))


@pytest.fixture(autouse=True)
def _isolation(
    _homes: Iterator[Path],
    _python3: str,
    go_cache: str,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    test = request.path.relative_to(Path(__file__).parent).as_posix()
    monkeypatch.setattr(hook, "as_process", test.startswith(hook.ABOUT_PROCESS))
    # Nothing is started from the folders of earlier tests either, and there are thousands of them.
    monkeypatch.setattr(programs, "_agent_folders", {})
    monkeypatch.setattr(programs, "_safe_lists", {})
    monkeypatch.setenv("PATH", _python3, prepend=os.pathsep)
    home = next(_homes)
    home.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))  # as Windows calls it
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    monkeypatch.setenv("GOCACHE", os.environ.get("GOCACHE", go_cache))
    if not FIGURES:
        # A check that is pytest would import all the plugins of its Python, for half of its time.
        monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    for name in [name for name in os.environ if name.startswith(AGENTS)]:
        monkeypatch.delenv(name)
    # Most tests watch an agent through files beside the project, which a sandbox hides from it.
    monkeypatch.setenv("LOOP_SANDBOX", "off")


@pytest.fixture(scope="session")
def bytecode(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled modules that all the homes of one run share. A home of its own begins without any, and compiles for a second."""
    return folder_of_run(tmp_path_factory, "bytecode")


@pytest.fixture
def own_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The person types in a terminal, although pytest may have none."""
    monkeypatch.setattr("loopwright.cli.here.has_controlling_terminal", lambda: True)


@pytest.fixture
def project(tmp_path: Path) -> Callable[..., Project]:
    """project({...files}), a fresh folder at each call."""
    made: list[Project] = []

    def make(files: Mapping[str, str] | None = None, git: bool = True) -> Project:
        made.append(Project(tmp_path / f"project{len(made) or ''}", files, git))
        return made[-1]

    return make


@pytest.fixture
def here(project: Callable[..., Project]) -> Project:
    """A project with one file and no loop."""
    return project()


@pytest.fixture
def claimed_project(here: Project) -> Project:
    """With a loop whose one criterion the agent claims."""
    here.start()
    return here


@pytest.fixture
def checked_project(here: Project) -> Project:
    """With a loop whose one criterion holds when done.txt is there."""
    here.start("--check", "done=test -e done.txt")
    return here


@pytest.fixture
def session_project(here: Project) -> Project:
    """With a loop of one claimed criterion, which a session drives."""
    here.start("--criterion", "docs read well", "--session", SESSION)
    return here
