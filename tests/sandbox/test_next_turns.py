"""A hostile agent's second and third turn: what it left in the project must not lead us out of it.

The mounts of a turn are planned, and our own git runs, after the agent has written. Links, pipes,
repositories and settings that it left are followed by nobody.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from loopwright.disk.links import follow_links
from loopwright.drive.runner.agent_box import (
    AgentSandbox,
    agent_box,
    new_submodules_text,
    open_box,
)
from loopwright.repo import user_repo
from loopwright.repo.checkout import create_checkout
from loopwright.repo.lanes.changes import commit_lane, uncommitted_paths
from loopwright.repo.submodules import changed_submodules, submodule_settings
from loopwright.repo.tree import tree_hash
from loopwright.sandbox.backends import bwrap
from loopwright.sandbox.backends.syscalls import NUMBERS, filter_program
from loopwright.sandbox.choose import Sandbox, SandboxUnavailable, choose_sandbox, launcher_words
from loopwright.sandbox.git_guard import keep_whole, place_guard, remove_guard
from loopwright.sandbox.git_paths import find_git_paths
from loopwright.sandbox.mounts import MASK, Box, Mount, plan_mounts
from loopwright.sandbox.places import find_places
from loopwright.sandbox.profiles import AGENT, CHECK, PROFILES, REVIEWER
from tests.sandbox.user import ORDINARY_USER, as_ordinary_user, needs_bwrap, system_python

pytestmark = pytest.mark.sandbox

BWRAP = Sandbox("bwrap", features=("proc",))


def git(root: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always")
    argv = ["git", "-C", str(root), *identity, *words]
    return subprocess.run(argv, check=True, capture_output=True, text=True).stdout


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    for name in ("private", ".ssh", ".claude"):
        (home / name).mkdir(parents=True)
        (home / name / "secret").write_text("a secret\n")
    (home / "diary.txt").write_text("a secret\n")
    monkeypatch.setenv("HOME", str(home))
    return home


@pytest.fixture
def root(home: Path, tmp_path: Path) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q")
    (root / "a.txt").write_text("1\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "start")
    return root


def shown_paths(box: Box) -> list[str]:
    """The paths outside that the sandbox would show at some place inside."""
    words = launcher_words(BWRAP, box)
    pairs = pairwise(words)
    return [os.path.realpath(path) for option, path in pairs if option in ("--bind", "--ro-bind")]


def config_of_module(root: Path) -> None:
    (root / ".git/modules/x").mkdir(parents=True)
    (root / ".git/modules/x/config").symlink_to("../../../../home/diary.txt")


def hooks_of_module(root: Path) -> None:
    (root / ".git/modules/x").mkdir(parents=True)
    (root / ".git/modules/x/config").write_text("[core]\n")
    (root / ".git/modules/x/hooks").symlink_to("../../../../home/private")


def folder_of_module(root: Path) -> None:
    (root / ".git/modules").mkdir()
    (root / ".git/modules/x").symlink_to("../../../home/private")


def folder_of_modules(root: Path) -> None:
    (root / ".git/modules").symlink_to("../../home")


def config_of_worktree(root: Path) -> None:
    (root / ".git/config.worktree").symlink_to("../../home/diary.txt")


def folder_of_worktrees(root: Path) -> None:
    (root / ".git/worktrees").symlink_to("../../home")


def folder_of_the_path(root: Path) -> None:
    (root / "tools").symlink_to("../home/private")
    os.environ["PATH"] = f"{root}/tools:{os.environ['PATH']}"


def venv_of_the_path(root: Path) -> None:
    (root / ".venv").mkdir()
    (root / ".venv/bin").symlink_to("../../home")
    (root / ".venv/pyvenv.cfg").write_text(f"home = {root.parent}/home/private\n")
    os.environ["PATH"] = f"{root}/.venv/bin:{os.environ['PATH']}"


def venv_of_the_variable(root: Path) -> None:
    (root / ".venv").symlink_to("../home/private")
    os.environ["VIRTUAL_ENV"] = f"{root}/.venv"


def link_over_a_link(root: Path) -> None:
    (root / "one").symlink_to("two")
    (root / "two").symlink_to("../home/private")
    os.environ["GOPATH"] = f"{root}/one"


def checkout_of_a_module(root: Path) -> None:
    (root / ".git/modules/x").mkdir(parents=True)
    (root / ".git/modules/x/config").write_text("[core]\n\tworktree = ../../../sub\n")
    (root / "sub").symlink_to("../home/private")


LINKS: tuple[Callable[[Path], None], ...] = (
    *(config_of_module, hooks_of_module, folder_of_module, folder_of_modules, config_of_worktree),
    *(folder_of_worktrees, folder_of_the_path, venv_of_the_path, venv_of_the_variable),
    *(link_over_a_link, checkout_of_a_module),
)


@pytest.mark.parametrize("plant", LINKS, ids=lambda plant: plant.__name__)
def test_a_link_that_an_agent_left_shows_nothing_of_the_home(
    plant, root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PATH", "VIRTUAL_ENV", "GOPATH"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    plant(root)
    for profile in PROFILES:
        shown = shown_paths(Box(profile=profile, root=str(root)))
        assert [path for path in shown if path.startswith(f"{home}/")] == []
        assert str(home) not in shown


def test_the_same_links_of_the_person_are_followed(root: Path, home: Path, tmp_path: Path) -> None:
    """Outside of what an agent writes, a link is the person's own."""
    link = tmp_path / "tools"
    link.symlink_to(home / "private")

    assert follow_links(str(link), (str(root),)) == str(home / "private")
    assert follow_links(str(link), (str(tmp_path),)) == ""
    assert follow_links(f"{root}/a.txt", (str(root),)) == f"{root}/a.txt"


def test_a_folder_that_the_person_allows_and_the_agent_replaces_is_not_followed(
    root: Path, home: Path, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    (shared / "data").symlink_to(home / "private")
    (root / "build").symlink_to(home)

    box = Box(profile=AGENT, root=str(root), allow_read=(f"{shared}/data",))
    box = box.but(allow_write=(str(shared), f"{root}/build"))

    assert [path for path in shown_paths(box) if path.startswith(str(home))] == []
    assert str(shared) in shown_paths(box)


def test_a_clean_checkout_beside_the_project_follows_no_link_of_the_project(
    root: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = tmp_path / "room"
    room.mkdir()
    (root / "tools").symlink_to(home / "private")
    monkeypatch.setenv("PATH", f"{root}/tools:{os.environ['PATH']}")

    shown = shown_paths(Box(profile=CHECK, root=str(room), beside=str(root)))

    assert str(home / "private") not in shown


def test_a_script_of_the_command_line_that_the_agent_replaced_is_not_shown(
    root: Path, home: Path, loop_here
) -> None:
    folder, loop = loop_here(root)
    (root / "agent").symlink_to(home / "private/secret")
    (home / "private/secret").chmod(0o755)

    box = agent_box(AgentSandbox(BWRAP), folder, loop, str(root), (f"{root}/agent",), {})

    assert [path for path in shown_paths(box) if path.startswith(f"{home}/private")] == []


def test_the_copy_of_a_login_file_is_not_written_through_a_link_of_the_agent(
    root: Path, home: Path, loop_here
) -> None:
    folder, loop = loop_here(root)
    (home / ".claude.json").write_text("{}\n")
    chosen = AgentSandbox(BWRAP)
    box = agent_box(chosen, folder, loop, str(root), ("claude",), {})
    store = Path(box.agent_store, "claude")
    store.mkdir(parents=True)
    (store / ".claude.json").symlink_to(home / "diary.txt")

    open_box(chosen, folder, loop, str(root), ("claude",), {})

    assert (home / "diary.txt").read_text() == "a secret\n"
    assert (store / ".claude.json").read_text() == "{}\n"


@pytest.fixture
def loop_here(monkeypatch: pytest.MonkeyPatch):
    from loopwright.core.loop import Loop
    from loopwright.store.folder import LoopFolder

    def make(root: Path):
        return LoopFolder(str(root)), Loop(id="20260101-000000-abcdef", spec="x")

    return make


def test_settings_of_other_worktrees_and_of_submodules_cannot_be_replaced(root: Path) -> None:
    git(root, "config", "extensions.worktreeConfig", "true")
    git(root, "worktree", "add", "-q", str(root.parent / "one"))
    git(root, "worktree", "add", "-q", str(root.parent / "two"))
    for name in ("s", "s/modules/n", "a/b"):
        (root / f".git/modules/{name}").mkdir(parents=True)
        (root / f".git/modules/{name}/config").write_text("[core]\n\tworktree = ../../../sub\n")
    (root / "sub").mkdir()
    (root / "sub/.git").write_text("gitdir: ../.git/modules/s\n")
    place_guard(str(root))

    kept = find_git_paths(str(root.parent / "one")).files
    own = find_git_paths(str(root)).files

    common = root / ".git"
    assert {f"{common}/worktrees/two", f"{common}/worktrees/one/config.worktree"} <= set(kept)
    assert f"{common}/worktrees/one" not in kept  # its index and its HEAD are the agent's own
    assert {f"{common}/worktrees/one", f"{common}/worktrees/two", f"{root}/sub/.git"} <= set(own)
    for name in ("s", "s/modules/n", "a/b"):
        assert f"{common}/modules/{name}/commondir" in own
    git(root, "status")
    remove_guard(str(root))
    assert list(common.rglob("modules/**/commondir")) == []


@pytest.mark.parametrize("break_it", ["remove", "text", "folder", "pipe"])
def test_a_head_that_the_agent_breaks_is_put_back(root: Path, break_it: str) -> None:
    """Else git takes the project itself for a repository, with settings of the agent."""
    place_guard(str(root))
    head = root / ".git/HEAD"
    before = head.read_text()
    head.unlink()
    if break_it == "text":
        head.write_text("nothing\n")
    elif break_it == "folder":
        head.mkdir()
    elif break_it == "pipe":
        os.mkfifo(head)

    keep_whole(str(root))

    assert head.read_text() == before
    assert git(root, "rev-parse", "--git-dir").strip() == ".git"


def test_a_repository_that_the_agent_makes_keeps_only_plain_settings(
    tmp_path: Path, home: Path
) -> None:
    root = tmp_path / "new"
    root.mkdir()
    place_guard(str(root))
    git(root, "init", "-q")
    for name in ("core.fsmonitor", "filter.e.clean", "core.hooksPath", "include.path", "user.name"):
        git(root, "config", name, "evil")
    with (root / ".git/config").open("a") as file:
        file.write("[core] sshCommand = evil\n\tpager = evil\n[user]\n\tname = a\\\n\temail = e\n")
    (root / ".git/hooks/post-commit").write_text("evil\n")

    keep_whole(str(root))

    kept = git(root, "config", "--local", "--name-only", "--list").split()
    assert {"core.bare", "user.name"} <= set(kept)
    assert {name.partition(".")[0] for name in kept} == {"core", "user"}
    assert not {"core.fsmonitor", "core.hookspath", "core.sshcommand", "core.pager"} & set(kept)
    assert not (root / ".git/hooks").exists()
    (root / ".git/config").write_text("[alias]\n")
    keep_whole(str(root))  # from now on the agent cannot write it, so it is the person's
    assert (root / ".git/config").read_text() == "[alias]\n"


def test_a_git_file_that_the_agent_makes_leads_nowhere(tmp_path: Path, home: Path) -> None:
    root = tmp_path / "new"
    root.mkdir()
    place_guard(str(root))
    (root / ".git").write_text("gitdir: evil\n")

    keep_whole(str(root))

    assert sorted(os.listdir(root)) == [".git.set-aside"]


def test_the_folders_without_which_git_is_no_repository_cannot_be_moved(root: Path) -> None:
    words = launcher_words(BWRAP, Box(profile=AGENT, root=str(root)))

    for name in ("objects", "refs"):
        assert words[words.index(f"{root}/.git/{name}") - 1] == "--bind"


def test_a_pipe_in_place_of_a_setting_is_not_waited_for(root: Path) -> None:
    os.mkfifo(root / ".git/config.worktree")
    (root / ".git/modules/x").mkdir(parents=True)
    os.mkfifo(root / ".git/modules/x/config")

    assert find_git_paths(str(root)).folders


# --- our own git, outside the sandbox ---


@pytest.fixture
def trap(root: Path) -> Path:
    """A submodule that the agent made, whose settings name a program; the file says that it ran."""
    sub, ran = root / "sub", root.parent / "ran"
    git(root, "init", "-q", "sub")
    (sub / "f").write_text("1\n")
    git(sub, "add", ".")
    git(sub, "commit", "-qm", "x")
    program = root.parent / "program.sh"
    program.write_text(f"#!/bin/sh\necho ran >> '{ran}'\ncat\n")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "filter.e.clean", "filter.e.process", "diff.external"):
        git(sub, "config", name, str(program))
    (sub / ".gitattributes").write_text("* filter=e\n")
    (sub / "f").write_text("2\n")
    git(root, "add", "sub")
    (root / ".gitmodules").write_text('[submodule "sub"]\n path = sub\n ignore = none\n url = x\n')
    ran.unlink(missing_ok=True)
    subprocess.run(["git", "-C", str(root), "status"], capture_output=True, check=False)
    assert ran.exists()  # a git that looks into the submodule runs it
    ran.unlink()
    return ran


def test_no_git_of_ours_runs_a_program_of_a_submodule(root: Path, trap: Path) -> None:
    base = git(root, "rev-parse", "HEAD").strip()
    (root / ".loop").mkdir()

    assert user_repo.diff_stat(str(root), base)
    assert user_repo.uncommitted_files(str(root))
    assert "sub" in changed_submodules(str(root))
    assert "sub" in uncommitted_paths(str(root))
    assert tree_hash(str(root), str(root / ".loop"))
    assert user_repo.commit_changes(str(root), "all of it")

    assert not trap.exists()
    assert "sub" in git(root, "ls-tree", "--name-only", "HEAD")


def test_the_end_of_a_run_names_a_submodule_that_is_new_or_has_other_settings(
    root: Path, trap: Path
) -> None:
    before = submodule_settings(str(root))

    assert "rm -rf sub/.git" in new_submodules_text(str(root), {})
    assert new_submodules_text(str(root), before) == ""
    (root / "sub/.git/hooks/post-checkout").write_text("evil\n")
    assert "changed: sub." in new_submodules_text(str(root), before)
    assert not trap.exists()


def test_a_lane_commits_the_new_commit_of_a_submodule_and_runs_no_program(
    root: Path, trap: Path
) -> None:
    git(root, "commit", "-qm", "with it")
    lane = root.parent / "lane"
    git(root, "worktree", "add", "-q", str(lane))
    (lane / "sub").rmdir()
    (root / "sub").rename(lane / "sub")
    git(lane / "sub", "commit", "-q", "--allow-empty", "-m", "moved")
    moved = git(lane / "sub", "rev-parse", "HEAD").strip()
    trap.unlink(missing_ok=True)

    done = commit_lane(str(lane), "the lane")

    assert (done.problem, moved in git(lane, "ls-tree", "HEAD")) == ("", True)
    assert not trap.exists()


def test_a_clone_without_its_submodules_can_be_read(root: Path) -> None:
    library = root.parent / "library"
    git(root.parent, "clone", "-q", str(root), str(library))
    git(root, "submodule", "--quiet", "add", str(library), "lib")
    git(root, "commit", "-qm", "with a library")
    clone = root.parent / "clone"
    git(root.parent, "clone", "-q", str(root), str(clone))

    assert os.listdir(clone / "lib") == []
    (clone / ".loop").mkdir()
    assert tree_hash(str(clone), str(clone / ".loop"))


def test_a_project_whose_path_has_a_line_break_can_have_a_clean_checkout(root: Path) -> None:
    odd = root.rename(root.parent / "a\nb")
    commit = git(odd, "rev-parse", "HEAD").strip()

    assert create_checkout(str(odd), str(root.parent / "room"), commit, ())


# --- files of the project that we read and write ---


def test_a_page_that_is_a_link_is_copied_nowhere(root: Path, home: Path) -> None:
    """Its content would come back as the backup of the page, in the project."""
    from loopwright.store.page_file import BacklogPageFile

    (root / ".loop").mkdir()
    (root / ".claude").mkdir()
    page = root / ".claude/loop-state.local.md"
    page.symlink_to(home / "diary.txt")
    (root / ".loop/page.md").write_text("# the page as we wrote it\n")
    file = BacklogPageFile(str(root), str(root / ".loop"))

    (lost,) = file.read_edits(0.0)
    file.archive_copy()

    assert lost.how == "unreadable"
    assert not page.is_symlink()
    assert list(root.rglob("*backup*")) == []
    assert (home / "diary.txt").read_text() == "a secret\n"


def test_a_page_below_a_linked_folder_is_not_touched(root: Path, home: Path) -> None:
    from loopwright.store.page_file import BacklogPageFile

    (root / ".loop").mkdir()
    (root / ".claude").symlink_to(home / "private")
    (home / "private/loop-state.local.md").write_text("a secret\n")

    file = BacklogPageFile(str(root), str(root / ".loop"))

    assert file.read_edits(0.0) == ()
    assert (home / "private/loop-state.local.md").read_text() == "a secret\n"


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
def test_a_page_of_a_plan_that_an_agent_replaced_is_neither_read_nor_written(
    root: Path, home: Path, kind: str
) -> None:
    from loopwright.drive.plans import plan_files

    (home / "private/STATE.md").write_text("---\nloop: 1\n---\na secret\n")
    before = {path: path.read_text() for path in home.rglob("*.md")}
    (root / "gsd").mkdir()
    if kind == "link":
        (root / "gsd/STATE.md").symlink_to(home / "private/STATE.md")
    elif kind == "pipe":
        os.mkfifo(root / "gsd/STATE.md")
    else:
        (root / "gsd").rmdir()
        (root / "gsd").symlink_to(home / "private")

    plan_files._rewrite_file(str(root), "gsd/STATE.md", lambda text: f"{text}more\n")

    assert {path: path.read_text() for path in home.rglob("*.md")} == before
    assert kind != "link" or (root / "gsd/STATE.md").is_symlink()


def test_a_folder_that_holds_the_home_is_no_project(
    root: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from loopwright.cli.commands import start
    from loopwright.drive.errors import UserError

    monkeypatch.chdir(tmp_path)

    with pytest.raises(UserError, match="it holds your home folder"):
        start.project_folder()


def test_nobody_waits_for_a_pipe_that_an_agent_left(root: Path) -> None:
    from loopwright.disk.files import read_bytes, read_text
    from loopwright.store.config import ConfigError, settings
    from loopwright.verify.test_report import PYTEST_REPORT, read_report

    for name in (".gitmodules", ".loop.toml", PYTEST_REPORT):
        os.mkfifo(root / name)

    assert read_text(str(root / ".gitmodules"), 10) is None
    with pytest.raises(OSError, match="no regular file"):
        read_bytes(str(root / ".gitmodules"))
    assert read_report(str(root), "").passed == ()
    with pytest.raises(ConfigError, match="no regular file"):
        settings(str(root))


def test_a_report_that_is_a_link_is_not_read(root: Path, home: Path) -> None:
    from loopwright.verify.test_report import PYTEST_REPORT, read_report

    (home / "secret.xml").write_text('<a><testcase name="a secret"/></a>')
    (root / PYTEST_REPORT).symlink_to(home / "secret.xml")

    assert read_report(str(root), "").passed == ()


# --- attempts inside, all of a profile in one sandbox ---

WORDS = """
import json, sys
sys.path.insert(0, sys.argv[1])
from loopwright.sandbox.choose import choose_sandbox, launcher_words
from loopwright.sandbox.mounts import Box
box = Box(profile=sys.argv[2], root=sys.argv[3], network=False)
print(json.dumps(launcher_words(choose_sandbox("bwrap", sys.argv[3]), box)))
"""


@pytest.fixture
def full_repository(root: Path) -> Path:
    """A repository with a second worktree, submodules and a loop."""
    git(root, "config", "extensions.worktreeConfig", "true")
    git(root, "worktree", "add", "-q", str(root.parent / "other"))
    for name in ("s", "s/modules/n"):
        (root / f".git/modules/{name}").mkdir(parents=True)
        (root / f".git/modules/{name}/config").write_text("[core]\n\tworktree = ../../../sub\n")
    (root / "sub").mkdir()
    (root / "sub/.git").write_text("gitdir: ../.git/modules/s\n")
    (root / ".loop/inbox").mkdir(parents=True)
    (root / ".loop/journal.jsonl").write_text("{}\n")
    place_guard(str(root))
    return root


@needs_bwrap
@pytest.mark.parametrize("is_root", [True, False], ids=["as root", "as an ordinary user"])
@pytest.mark.parametrize("profile", [AGENT, CHECK, REVIEWER])
def test_no_attempt_inside_succeeds(
    full_repository: Path, home: Path, profile: str, is_root: bool
) -> None:
    root, python, before = full_repository, sys.executable, ()
    if not is_root:
        if os.getuid():
            pytest.skip("only root can become another user")
        python, before = system_python(), tuple(ORDINARY_USER.split())
        as_ordinary_user(root.parent)
    script = root / "attempts.py"
    shutil.copyfile(Path(__file__).with_name("sandbox_attempts.py"), script)
    source = root.parent / "source"  # ours may lie where an ordinary user cannot read
    shutil.copytree(Path(bwrap.__file__).parents[3], source, ignore=lambda *_: {"__pycache__"})
    kept = (root / ".git/config").read_bytes()
    words = [*before, python, "-B", "-c", WORDS, str(source), profile, str(root)]
    launcher = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)

    done = subprocess.run(
        [*before, *launcher, system_python(), str(script), str(os.getpid())],
        cwd=root,
        capture_output=True,
        check=True,
    )

    assert json.loads(done.stdout) == []
    assert (root / ".git/config").read_bytes() == kept


@needs_bwrap
def test_the_filter_also_works_where_there_is_no_perl(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bwrap, "PERL", "/nonexistent")
    launcher = launcher_words(BWRAP, Box(profile=CHECK, root=str(root), network=False))
    ask = (
        "import socket\ntry:\n socket.socket(socket.AF_VSOCK)\nexcept OSError as e: print(e.errno)"
    )

    words = [*launcher, system_python(), "-c", ask]
    done = subprocess.run(words, capture_output=True, text=True, check=True)

    assert done.stdout == "97\n"


# getpid as a 32-bit program asks: int 0x80 works in every program.
OLD_CALL = """\
import ctypes, mmap
page = mmap.mmap(-1, 4096, prot=7)
page.write(bytes.fromhex("53b814000000cd805bc3"))
at = ctypes.addressof(ctypes.c_char.from_buffer(page))
print("answered", ctypes.CFUNCTYPE(ctypes.c_int)(at)() > 0)
"""


@needs_bwrap
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the code is that of x86_64")
@pytest.mark.parametrize("profile", [AGENT, CHECK])
def test_a_process_that_makes_a_32_bit_call_ends(root: Path, profile: str) -> None:
    """With these calls it would open the sockets that the filter refuses."""
    launcher = launcher_words(BWRAP, Box(profile=profile, root=str(root)))

    words = [*launcher, "sh", "-c", '"$0" -c "$1"; echo $?', system_python(), OLD_CALL]
    done = subprocess.run(words, capture_output=True, text=True, check=True)

    assert done.stdout == f"{128 + signal.SIGSYS}\n"


def answer(program: bytes, call: int, architecture: int, *arguments: int) -> int:
    """What the kernel would answer: the few instructions that the filter uses."""
    memory = {0: call, 4: architecture}
    memory |= {16 + 8 * at: (*arguments, 0, 0, 0, 0)[at] for at in range(4)}
    at, value = 0, 0
    while True:
        code, if_true, if_false, k = struct.unpack_from("HBBI", program, at * 8)
        at += 1
        if code == 0x06:
            return k
        if code == 0x20:
            value = memory[k]
        else:
            is_true = {0x15: value == k, 0x35: value >= k, 0x45: bool(value & k)}[code]
            at += if_true if is_true else if_false


@pytest.mark.parametrize(("machine", "calls"), NUMBERS.items())
def test_the_filter_refuses_keyrings_and_the_host_of_the_machine_and_nothing_else(
    machine, calls
) -> None:
    program, allow = filter_program(machine), 0x7FFF0000
    refused = {*calls.keyrings, *calls.unreadable}

    assert {answer(program, call, calls.architecture) for call in refused} == {0x50026}
    assert answer(program, calls.socket, calls.architecture, 40) == 0x50061
    assert answer(program, calls.socket, calls.architecture, 2) == allow
    others = {*range(500)} - refused
    assert {answer(program, call, calls.architecture) for call in others} == {allow}
    others = (0x40000003, 0x40000028, 1234)  # i386, arm and another
    assert {answer(program, 20, architecture) for architecture in others} == {0x80000000}
    if machine == "x86_64":
        assert answer(program, 0x40000000 + 250, 0xC000003E) == 0x50026
    assert filter_program("another") == b""


@pytest.mark.parametrize(("machine", "calls"), NUMBERS.items())
def test_the_filter_refuses_a_setuid_bit_and_no_other_mode(machine, calls) -> None:
    program, allow, refused = filter_program(machine), 0x7FFF0000, 0x50001
    created, read = 0o101, 0o0

    def asked(call: int, at: int, mode: int, flags: int = created) -> int:
        arguments = [flags] * 4
        arguments[at] = mode
        return answer(program, call, calls.architecture, *arguments)

    for call, at in (*calls.chmod, *calls.open):
        assert [asked(call, at, mode) for mode in (0o4755, 0o6711)] == [refused] * 2
        assert {asked(call, at, mode) for mode in (0o755, 0o2775, 0o1777)} == {allow}
    for call, at in calls.open:  # without O_CREAT the mode means nothing
        assert asked(call, at, 0o4755, read) == allow
        assert asked(call, at, 0o4755, 0o20200000) == refused  # O_TMPFILE


def test_a_socket_of_a_service_is_masked_and_one_of_the_project_is_not(root: Path) -> None:
    places = find_places().but(sockets=("/srv/db.sock", f"{root}/dev.sock"))
    for path in places.sockets:
        assert os.path.isabs(path)
    box = Box(profile=CHECK, root=str(root))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os.path, "lexists", lambda path: True)
        mounts = plan_mounts(box, places, find_git_paths(str(root)), False)

    assert Mount(MASK, "/srv/db.sock") in mounts
    assert f"{root}/dev.sock" not in [mount.path for mount in mounts]


# --- what a person asks for ---


@pytest.mark.parametrize("command", ["false", "true", "echo {root}", "sh -c 'exit 3'"])
def test_a_command_that_starts_no_other_is_no_sandbox(root: Path, command: str) -> None:
    """One that does nothing and says yes would pass every check."""
    with pytest.raises(SandboxUnavailable, match="starts no command: exit code"):
        choose_sandbox(command, str(root))


@pytest.mark.parametrize("place", ["project/box", "project/tools/../box", "link"])
def test_a_command_of_the_project_is_no_sandbox(root: Path, place: str) -> None:
    """The agent of a turn would replace it before the next."""
    (root / "box").write_text('#!/bin/sh\nexec "$@"\n')
    (root / "box").chmod(0o755)
    (root.parent / "link").symlink_to(root / "box")
    word = root.parent / place.replace("project", root.name)

    with pytest.raises(SandboxUnavailable, match="lies in the project"):
        choose_sandbox(str(word), str(root))


def test_a_command_that_starts_others_is_measured_later(root: Path) -> None:
    assert choose_sandbox("env", str(root)).label == "command:env"


def test_a_name_in_capitals_is_recognised(root: Path) -> None:
    with pytest.raises(SandboxUnavailable, match="did you mean bwrap"):
        choose_sandbox("BWRAP", str(root))


def asked(*words: str, root: Path) -> str:
    """What the person is told instead of a run; "" if it could begin."""
    from argparse import ArgumentParser

    from loopwright.cli.commands import run
    from loopwright.cli.sandbox_request import chosen_sandbox
    from loopwright.drive.errors import UserError
    from loopwright.store.folder import LoopFolder

    parser = ArgumentParser()
    run.arguments(parser)
    try:
        chosen_sandbox(parser.parse_args(list(words)), LoopFolder(str(root)))
    except UserError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--no-network", "--sandbox", "off"), "--no-network needs a sandbox"),
        (("--sandbox", "env", "--allow-write", "/"), "too much"),
        (("--sandbox", "env", "--allow-read", "/proc"), "too much"),
        (("--sandbox", "env", "--allow-write", ".git/hooks"), "no agent may change it"),
        (("--sandbox", "env", "--allow-write", "missing"), "no such file"),
        (("--sandbox", "env", "--allow-read", "~/.ssh"), "stays hidden"),
        (("--sandbox", "env", "--allow-read", "~/link"), "stays hidden"),
        (("--sandbox", "env", "--allow-write", "~/private"), ""),
    ],
)
def test_a_wish_that_cannot_be_kept_is_an_error(
    words, told, root: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root)
    (home / "link").symlink_to(".ssh/secret")

    said = asked(*words, root=root)

    assert told in said
    assert bool(told) == bool(said)


@pytest.mark.parametrize(
    ("variable", "link", "words"),
    [
        ("XDG_CONFIG_HOME", "", ()),
        ("XDG_STATE_HOME", "", ()),
        ("XDG_CONFIG_HOME", "config/loop", ()),
        ("XDG_CONFIG_HOME", "config/loop/config.toml", ()),
        ("XDG_CONFIG_HOME", "config", ("--allow-write", "{elsewhere}")),
    ],
)
def test_our_settings_and_record_are_in_no_folder_of_an_agent(
    root: Path, home: Path, monkeypatch: pytest.MonkeyPatch, variable: str, link: str, words
) -> None:
    """It would rename the folder above them and write its own: `sandbox.use = off`."""
    elsewhere = home / "elsewhere"
    target = elsewhere if words else root / "dotfiles"
    target.mkdir()
    place = home / link if link else target
    if link:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target / "missing" if link.endswith(".toml") else target)
    monkeypatch.setenv(variable, str(home / "config") if link else str(place))
    words = [word.format(elsewhere=elsewhere) for word in words]

    said = asked("--sandbox", "env", *words, root=root)

    assert "an agent that works there could write our" in said
    assert f"{variable}=FOLDER" in said
    assert asked("--sandbox", "off", root=root) == ""
