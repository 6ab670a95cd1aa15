"""What an agent leaves in .git: our git writes through no link and waits for no pipe."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loopwright.drive.runner.agent_box import AgentSandbox, git_launcher_for
from loopwright.repo import git_limits, kept_trees, user_repo
from loopwright.repo.checkout import fill_submodules
from loopwright.repo.commit_object import write_commit, write_ref
from loopwright.repo.git import GitError, run_user_git
from loopwright.repo.git_box import add_launcher, git_launcher, remove_launcher
from loopwright.repo.lanes.changes import commit_lane
from loopwright.repo.lanes.merge import fast_forward_main, settle_lane
from loopwright.repo.lanes.worktrees import create_lane, remove_lane
from loopwright.repo.plumbing import run_git
from loopwright.repo.submodules import changed_submodules
from loopwright.repo.tree import read_tree
from loopwright.sandbox.choose import choose_sandbox
from loopwright.sandbox.git_guard import GitGuard, keep_whole, place_guard
from tests.sandbox.user import needs_bwrap
from tests.support.project import Project
from tests.support.runner import DONE, script, start_checked_loop
from tests.torture.size import every

pytestmark = pytest.mark.sandbox

FILES = {"a.py": "a = 1\n", ".gitignore": ".loop/\n"}
# What git writes at a commit, a merge or a new branch.
WRITTEN = (
    *("COMMIT_EDITMSG", "index", "logs/HEAD", "logs/refs/heads/main", "packed-refs", "HEAD"),
    *("ORIG_HEAD", "refs/heads/main", "AUTO_MERGE", "loop-names"),
)


@pytest.fixture
def main_branch_project(project) -> Project:
    here: Project = project(FILES)
    here.git("branch", "-M", "main")
    return here


@contextmanager
def git_in_sandbox(here: Project) -> Iterator[Project]:
    """The project, whose git, as far as it writes, works in the sandbox of the agents."""
    sandbox = choose_sandbox("bwrap", str(here.root))
    launcher = git_launcher_for(AgentSandbox(sandbox), here.folder)
    assert launcher is not None
    add_launcher(str(here.root), launcher)
    yield here
    remove_launcher(str(here.root))


@pytest.fixture
def boxed(main_branch_project: Project) -> Iterator[Project]:
    with git_in_sandbox(main_branch_project):
        yield main_branch_project


def link(path: Path, target: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    path.symlink_to(target)


@needs_bwrap
@pytest.mark.parametrize("name", every(2, [*WRITTEN]))
def test_a_commit_of_ours_writes_through_no_link(boxed: Project, name: str) -> None:
    mine = boxed.root.parent / "bashrc"
    mine.write_text("# mine\n")
    link(boxed.root / ".git" / name, mine)
    boxed.write({"a.py": "a = 2\n"})

    user_repo.commit_changes(str(boxed.root), "by the runner")

    assert mine.read_text() == "# mine\n"


@needs_bwrap
@pytest.mark.parametrize("target", [".loop/journal.jsonl", ".git/config", ".git/hooks/pre-commit"])
def test_nor_to_what_the_agent_cannot_write_in_the_project(boxed: Project, target: str) -> None:
    path = boxed.root / target
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    before = path.read_bytes()
    link(boxed.root / ".git/COMMIT_EDITMSG", path)
    boxed.write({"a.py": "a = 2\n"})

    user_repo.commit_changes(str(boxed.root), "by the runner")

    assert path.read_bytes() == before


@needs_bwrap
def test_a_commit_in_the_sandbox_has_the_author_and_the_patterns_of_the_person(
    boxed: Project,
) -> None:
    home = Path(os.environ["HOME"])
    (home / "dotfiles").mkdir()
    (home / "dotfiles/git").write_text(
        f"[user]\n\tname = Me\n\temail = me@home\n[core]\n\texcludesFile = {home}/dotfiles/ignore\n"
    )
    (home / "dotfiles/ignore").write_text("*.secret\n")
    (home / ".gitconfig").write_text(f"[include]\n\tpath = {home}/dotfiles/git\n")
    boxed.write({"a.py": "a = 2\n", "my.secret": "x\n"})

    assert user_repo.commit_changes(str(boxed.root), "by the runner")

    assert boxed.git("log", "-1", "--format=%an %ae").strip() == "Me me@home"
    assert boxed.git("show", "--name-only", "--format=").split() == ["a.py"]


@needs_bwrap
def test_a_filter_of_the_project_reads_no_secret(boxed: Project) -> None:
    """The person's filter is a program of the project, and the agent has changed it."""
    secret = Path(os.environ["HOME"], ".ssh/id")
    secret.parent.mkdir()
    secret.write_text("KEY\n")
    boxed.git("config", "filter.strip.clean", "tools/strip")
    boxed.write({".gitattributes": "*.nb filter=strip\n", "x.nb": "data\n"})
    boxed.write({"tools/strip": f"#!/bin/sh\ncat; cat {secret} 2>&1\n"})
    (boxed.root / "tools/strip").chmod(0o755)

    assert user_repo.commit_changes(str(boxed.root), "by the runner")

    assert "KEY" not in boxed.git("show", "HEAD:x.nb")
    assert boxed.git("show", "HEAD:x.nb").startswith("data\n")


@needs_bwrap
@pytest.mark.parametrize("branch", ["main", "feature", "loop/20200101-000000-000000"])
def test_a_lane_is_made_committed_landed_and_removed_in_the_sandbox(
    main_branch_project: Project, branch: str
) -> None:
    """The project may be a worktree itself: the person's, or that of a loop."""
    project = main_branch_project
    if branch != "main":
        main_branch_project.git(
            "worktree", "add", "-q", "-b", branch, f"{main_branch_project.root}-other"
        )
        project = Project(Path(f"{main_branch_project.root}-other"), {})
    root, path, lane = str(project.root), f"{project.root}-lanes-1/one", "loop/one/work"
    with git_in_sandbox(project):
        assert create_lane(root, path, lane).problem == ""
        Path(path, "new.py").write_text("new\n")

        commit = commit_lane(path, "work")

        assert commit.problem == ""
        assert fast_forward_main(root, commit.commit) == ""
        assert (project.root / "new.py").read_text() == "new\n"
        main_branch_project.git("pack-refs", "--all")
        assert remove_lane(root, path, lane) == ""
    assert not os.path.exists(path)
    assert main_branch_project.git("branch", "--list", "loop/one/*") == ""


@needs_bwrap
@pytest.mark.parametrize("head", ["--detach", "refs/heads/main", "refs/heads/loop/1-02/work"])
def test_our_git_moves_the_branch_of_a_lane_and_no_other_whatever_its_head_says(
    boxed: Project, head: str
) -> None:
    """A runner died, and the next one has never seen the HEAD that we made."""
    root, path = str(boxed.root), f"{boxed.root}-lanes-1/one"
    boxed.git("worktree", "add", "-q", "-b", "loop/1-01/work", path)
    boxed.git("branch", "loop/1-02/work")
    lane = Project(Path(path), git=False)
    lane.git("checkout", "-q", "--detach")
    lane.git("commit", "-qm", "on no branch", "--allow-empty")
    commit = lane.git("rev-parse", "HEAD").strip()
    if head != "--detach":
        lane.git("symbolic-ref", "HEAD", head)
    tips = boxed.git("rev-parse", "main", "loop/1-02/work")

    assert settle_lane(path, "loop/1-01/work", commit) == ""

    assert boxed.git("rev-parse", "loop/1-01/work").strip() == commit
    assert git_launcher(path, ("commit",)) != git_launcher(path, ("branch",))
    writable = " ".join(git_launcher(path, ("commit",)))
    assert f"{root}/.git/refs/heads/loop/1-01" in writable
    assert "loop/1-02" not in writable
    assert boxed.git("rev-parse", "main", "loop/1-02/work") == tips


@needs_bwrap
def test_a_submodule_of_a_lane_counts_as_unchanged(boxed: Project, tmp_path: Path) -> None:
    library = Project(tmp_path / "library", {"lib.txt": "the library\n"})
    allow = ("-c", "protocol.file.allow=always")
    boxed.git(*allow, "submodule", "add", "-q", str(library.root), "lib")
    boxed.commit("with a submodule")
    path = f"{boxed.root}-lanes-1/one"
    create_lane(str(boxed.root), path, "loop/one")

    fill_submodules(str(boxed.root), path)

    assert Path(path, "lib/lib.txt").exists()
    assert changed_submodules(path) == ()


@needs_bwrap
def test_a_worktree_that_git_refuses_leaves_no_folder(boxed: Project) -> None:
    path = f"{boxed.root}-lanes-1/one"

    done = run_user_git(str(boxed.root), "worktree", "add", path, "no-such-commit")

    assert done.returncode
    assert not os.path.exists(path)


def test_only_what_writes_is_started_in_the_sandbox(main_branch_project: Project) -> None:
    root = str(main_branch_project.root)
    add_launcher(root, lambda root, made, is_shared: ("shared",) if is_shared else ("box",))
    try:
        assert git_launcher(root, ("-c", "user.name=a", "commit", "-m", "x")) == ("box",)
        assert git_launcher(f"{root}-lanes-1/x", ("add", "-A")) == ("box",)
        assert git_launcher(root, ("worktree", "add", "--detach", "x")) == ("shared",)
        assert git_launcher(root, ("branch", "--delete", "x")) == ("shared",)
        assert git_launcher(root, ("rev-parse", "HEAD")) == ()
        assert git_launcher(root, ("worktree", "list")) == ()
        assert git_launcher(f"{root}x", ("commit",)) == ()
    finally:
        remove_launcher(root)


@pytest.mark.parametrize("folder", ["refs/loop", "refs/loop/L"])
def test_a_kept_tree_is_written_through_no_link(main_branch_project: Project, folder: str) -> None:
    outside = main_branch_project.root.parent / "outside"
    (outside / "L").mkdir(parents=True)
    (main_branch_project.root / ".git/refs/loop").mkdir()
    path = main_branch_project.root / ".git" / folder
    if path.exists():
        path.rmdir()
    path.symlink_to(outside)
    tree = read_tree(
        str(main_branch_project.root), main_branch_project.folder.path, store=True
    ).tree

    assert (
        kept_trees.keep_tree(
            str(main_branch_project.root), main_branch_project.folder.path, tree, "refs/loop/L/1"
        )
        == ""
    )
    assert not [name for _, _, names in os.walk(outside) for name in names]


def test_an_object_is_written_through_no_link(main_branch_project: Project) -> None:
    outside = main_branch_project.root.parent / "outside"
    outside.mkdir()
    tree = main_branch_project.git("rev-parse", "HEAD^{tree}").strip()
    store = main_branch_project.root / ".git/objects"
    for number in range(256):
        if not (store / f"{number:02x}").exists():
            (store / f"{number:02x}").symlink_to(outside)

    for at in range(1, 20):
        try:
            write_commit(str(store), tree, "", "x", float(at))
        except OSError:
            continue

    assert not list(outside.iterdir())
    assert write_ref(str(main_branch_project.root / ".git"), "refs/loop/L/1", "0" * 40)


# --- after a turn ---


def test_new_links_and_pipes_are_removed_after_a_turn_and_the_persons_own_stay(
    main_branch_project: Project,
) -> None:
    git, mine = main_branch_project.root / ".git", main_branch_project.root.parent / "mine"
    mine.write_text("*.orig\n")
    link(git / "info/exclude", mine)
    link(git / "lfs", main_branch_project.root.parent)
    place_guard(str(main_branch_project.root))
    for name in ("COMMIT_EDITMSG", "logs/HEAD", "objects/00"):
        link(git / name, mine) if not (git / name).is_dir() else None
    (git / "index").unlink()
    os.mkfifo(git / "index")
    os.mkfifo(git / "FETCH_HEAD")
    link(git / "info/exclude", main_branch_project.root.parent / "other")

    removed = keep_whole(str(main_branch_project.root))

    assert len(removed) >= 5
    assert os.readlink(git / "info/exclude") == str(mine)
    assert (git / "lfs").is_symlink()
    assert not os.path.lexists(git / "COMMIT_EDITMSG")
    assert not os.path.lexists(git / "FETCH_HEAD")
    assert main_branch_project.git("status", "--porcelain") == ""  # there is an index again
    assert keep_whole(str(main_branch_project.root)) == ()


@pytest.mark.parametrize(
    "name",
    [
        *("rr-cache/0123/preimage", "lfs/tmp/x", "rebase-merge/done", "rebase-apply/x"),
        *("sequencer/todo", "worktrees/x/HEAD", "modules/q/HEAD", "modules/q/logs/refs/x", "svn/x"),
        *("annex/x", "branches/x", "new/a/b/c", "objects/00/x", "objects/pack/x/y"),
    ],
)
@pytest.mark.parametrize("make", [lambda path: path.symlink_to("/tmp"), os.mkfifo])
def test_a_link_or_a_pipe_anywhere_in_the_git_folder_is_removed(
    main_branch_project: Project, name: str, make: Callable[[Path], None]
) -> None:
    place_guard(str(main_branch_project.root))
    path = main_branch_project.root / ".git" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    make(path)
    path.parent.chmod(0)

    assert keep_whole(str(main_branch_project.root)) == (str(path),)

    assert not os.path.lexists(path)


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes", ".gitmodules"])
def test_a_pipe_in_place_of_a_file_of_the_project_that_git_opens_is_removed(
    main_branch_project: Project, name: str
) -> None:
    place_guard(str(main_branch_project.root))
    (main_branch_project.root / name).unlink(missing_ok=True)
    os.mkfifo(main_branch_project.root / name)

    assert keep_whole(str(main_branch_project.root)) == (str(main_branch_project.root / name),)

    assert run_user_git(str(main_branch_project.root), "status").returncode == 0


@pytest.mark.parametrize("name", ["", "refs", "objects"])
@pytest.mark.parametrize("mode", [0o000, 0o600, 0o500])
def test_the_owner_gets_the_rights_of_the_git_folder_back(
    main_branch_project: Project, name: str, mode: int
) -> None:
    """Else git would take the project for a bare repository, with settings of the agent."""
    place_guard(str(main_branch_project.root))
    folder = main_branch_project.root / ".git" / name
    before = folder.stat().st_mode
    folder.chmod(mode)

    keep_whole(str(main_branch_project.root))

    assert folder.stat().st_mode & 0o700 == before & 0o700


def test_whatever_ends_the_run_nothing_is_left_of_what_a_check_made(
    main_branch_project: Project,
) -> None:
    """A signal ends the check round, so the clean-up after the turn never comes."""
    guard = GitGuard(str(main_branch_project.root), str(main_branch_project.root / ".loop"))
    guard.enter()
    git = main_branch_project.root / ".git"
    link(git / "ORIG_HEAD", main_branch_project.root.parent / "mine")
    (git / "HEAD").write_text("junk\n")
    (git / "refs").chmod(0o600)

    guard.leave()
    guard.leave()

    assert not os.path.lexists(git / "ORIG_HEAD")
    assert not (git / "commondir").exists()
    assert (git / "refs").stat().st_mode & 0o700 == 0o700
    assert main_branch_project.git("rev-parse", "--abbrev-ref", "HEAD").strip() == "main"


BREAKS_GIT = """\
rm -f .git/COMMIT_EDITMSG; ln -s ../../mine .git/COMMIT_EDITMSG
mkdir -p objects refs; echo "ref: refs/heads/main" > HEAD; echo junk > .git/HEAD
"""


@needs_bwrap
@pytest.mark.parametrize("command", ["start", "check"])
def test_a_check_leaves_git_whole_whoever_runs_it(
    main_branch_project: Project, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """The person's next commit would write through the link, with settings of the agent."""
    monkeypatch.delenv("LOOP_SANDBOX")
    here, git = main_branch_project, main_branch_project.root / ".git"
    (here.root / "t.sh").write_text(BREAKS_GIT if command == "start" else "false\n")
    said = here.run("start", "fix a", "--score", "9", "--yes", "--check", "t=sh t.sh")
    assert said.code == 0, said.err
    if command == "check":
        (here.root / "t.sh").write_text(BREAKS_GIT)
        assert here.run("check").code == 0

    assert (here.root / "objects").is_dir()  # it ran
    left = ("COMMIT_EDITMSG", "commondir", "config.worktree")
    assert not [name for name in left if os.path.islink(git / name) or name in os.listdir(git)]
    assert here.git("rev-parse", "--abbrev-ref", "HEAD").strip() == "main"
    assert not (here.root / "HEAD").exists()
    assert not (here.root / ".loop/git-before.json").exists()


def test_the_last_one_that_works_removes_the_guard(main_branch_project: Project) -> None:
    root, common = str(main_branch_project.root), main_branch_project.root / ".git/commondir"
    run, check = (GitGuard(root, f"{root}/.loop") for _ in range(2))
    with run:
        with check:
            assert common.exists()
        assert common.exists()
        (lock,) = Path(os.environ["XDG_STATE_HOME"]).glob("loopwright/git-guards/*")
        with open(lock, "rb") as other:  # as another process would hold it
            fcntl.flock(other, fcntl.LOCK_SH)
            run.leave()
            assert common.exists()
    with check:
        pass
    assert not common.exists()


# --- sparse files ---


@pytest.mark.parametrize(
    "name", [".gitignore", ".gitattributes", ".git/info/exclude", ".git/packed-refs", ".git/HEAD"]
)
def test_git_is_not_started_where_it_would_read_gigabytes(
    main_branch_project: Project, name: str
) -> None:
    main_branch_project.write({name: ""})
    os.truncate(main_branch_project.root / name, 3 << 30)

    with pytest.raises(git_limits.BlockedGit, match=f"{name} has 3072 MB.*ls -ls {name}"):
        run_git(str(main_branch_project.root), "", "status", own_config=False)
    with pytest.raises(GitError, match="3072 MB"):
        run_user_git(str(main_branch_project.root), "log")


@pytest.mark.skipif(sys.platform != "linux", reason="only there the memory is bounded")
def test_a_git_that_reads_may_allocate_two_gigabytes(
    main_branch_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file elsewhere, such as src/.gitignore, may be as large."""
    root, tools = str(main_branch_project.root), main_branch_project.root.parent / "tools"
    tools.mkdir()
    waits = "until [ $(ulimit -d) != unlimited ]; do sleep 0.02; done; ulimit -d"
    (tools / "git").write_text(f"#!/bin/sh\n{waits}\n")
    (tools / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")

    assert run_git(root, "", "status", own_config=False) == (0, b"2048000\n")
    assert run_user_git(root, "log").stdout == b"2048000\n"


# --- pipes ---


@pytest.mark.parametrize("name", [".git/index", ".git/HEAD", ".git/info/exclude", ".gitignore"])
def test_git_is_not_started_where_a_pipe_is_in_its_way(
    main_branch_project: Project, name: str
) -> None:
    (main_branch_project.root / name).unlink(missing_ok=True)
    os.mkfifo(main_branch_project.root / name)

    with pytest.raises(git_limits.BlockedGit, match=name):
        run_git(str(main_branch_project.root), "", "status", own_config=False)
    with pytest.raises(GitError, match=name):
        run_user_git(str(main_branch_project.root), "status")


def test_a_git_that_waits_for_a_pipe_elsewhere_is_ended(
    main_branch_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("plumbing", "git"):
        monkeypatch.setattr(f"loopwright.repo.{module}.LOOK_SECONDS", 0.05)
    monkeypatch.setattr(git_limits, "BLOCKED_SECONDS", 0.3)
    main_branch_project.write({"sub/x.py": "x\n", ".loop/notes.md": ""})
    os.mkfifo(main_branch_project.root / "sub/.gitignore")

    with pytest.raises(git_limits.BlockedGit):
        run_git(str(main_branch_project.root), "", "status", own_config=False)
    with pytest.raises(GitError, match=r"find \. -type p"):
        run_user_git(str(main_branch_project.root), "status")
    assert (
        "find . -type p"
        in read_tree(str(main_branch_project.root), main_branch_project.folder.path).problem
    )


def test_a_git_whose_filter_takes_its_time_is_not_blocked(
    main_branch_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loopwright.repo.git.LOOK_SECONDS", 0.05)
    monkeypatch.setattr(git_limits, "BLOCKED_SECONDS", 0.2)
    main_branch_project.git("config", "filter.slow.clean", "sleep 1; cat")
    main_branch_project.write({".gitattributes": "*.nb filter=slow\n", "x.nb": "data\n"})

    assert run_user_git(str(main_branch_project.root), "add", "-A").returncode == 0


# --- a whole run ---


@needs_bwrap
def test_a_run_with_commits_changes_nothing_outside_whatever_the_agent_leaves(
    project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOOP_SANDBOX")
    here = start_checked_loop(project, "--iterations", "1")
    mine, mark = Path(os.environ["HOME"], ".bashrc"), here.root.parent / "mark"
    mine.write_text("# mine\n")
    bin_folder = here.root / ".venv/bin"
    monkeypatch.setenv("PATH", f"{bin_folder}:.:{os.environ['PATH']}")
    (here.root / ".git/info/exclude").write_text(".venv\n")
    program = f"printf '#!/bin/sh\\ntouch {mark}\\n' > $0"
    commands = ["mkdir -p .venv/bin"]
    for name in ("git", "bwrap", "sh", "python3", "ps", "cp", "cat", "env", "sleep", "perl"):
        planted = f".venv/bin/{name}"
        commands.append(program.replace("$0", planted) + f"; chmod +x {planted}; cp {planted} .")
        commands.append(f"echo {name} >> .git/info/exclude")
    links = ("COMMIT_EDITMSG", "logs/HEAD", "packed-refs")
    commands += [f"rm -f .git/{name}; ln -s {mine} .git/{name}" for name in links]
    commands.append("rm .git/index; mkfifo .git/index")

    turn = {**DONE, "run": commands}
    said = here.run("run", "--commit", "--script", script(here, turn))

    assert mine.read_text() == "# mine\n"
    assert not mark.exists()
    assert "the agent put a link or a pipe where git expects a file" in said.out
    assert "Committed" in said.out
    names = subprocess.run(
        ["/usr/bin/git", "-C", str(here.root), "ls-tree", "-r", "--name-only", "HEAD"],
        capture_output=True,
        check=True,
        text=True,
    )
    assert "done.txt" in names.stdout.split()


@pytest.mark.parametrize("has_repository", [True, False])
def test_a_project_that_an_agent_makes_a_bare_repository_is_none(
    project, has_repository: bool
) -> None:
    here: Project = project(FILES, git=has_repository)
    mark, root = here.root.parent / "mark", here.root
    place_guard(str(root))
    subprocess.run(["git", "init", "-q", "--bare", "evil"], cwd=root, check=True)
    for path in (root / "evil").iterdir():
        path.rename(root / path.name)
    (root / "config").write_text(
        f"[core]\n\tbare = false\n\tworktree = {root}\n\tfsmonitor = touch {mark}; true\n"
    )
    if has_repository:
        (root / ".git/HEAD").write_text("junk\n")

    keep_whole(str(root))
    subprocess.run(["git", "status"], cwd=root, capture_output=True, check=False)

    assert not mark.exists()
    assert (root / "HEAD.set-aside").exists()
    assert keep_whole(str(root)) == ()


def test_each_git_file_of_an_agent_is_set_aside_not_only_the_first(project) -> None:
    here: Project = project(FILES, git=False)
    place_guard(str(here.root))
    for _ in range(2):
        here.write({".git": "gitdir: evil\n"})
        keep_whole(str(here.root))
        assert not (here.root / ".git").exists()
