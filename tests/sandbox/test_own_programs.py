"""The programs that Loopwright itself starts: never one that an agent wrote."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from loopwright.agents.process_guard import ProcessGuard
from loopwright.disk import programs
from loopwright.repo.git import run_user_git
from loopwright.repo.plumbing import run_git
from loopwright.sandbox.choose import Sandbox, launcher_words
from loopwright.sandbox.mounts import Box
from tests.sandbox.user import needs_bwrap
from tests.support.project import Project

pytestmark = pytest.mark.sandbox

GIT = shutil.which("git") or ""


ALLOWED_IMPORTS = """
import sys
from loopwright.disk import programs

avoided, base, project = sys.argv[1:]
sys.base_prefix = base
sys.path[:] = [f"{base}/lib/python3", project]
programs.avoid_folders(avoided)
programs.drop_project_imports()
print("\\n".join(sys.path))
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / ".venv/bin").mkdir(parents=True)
    subprocess.run([GIT, "init", "-q", str(root)], check=True)
    return root


def plant(path: Path, mark: Path) -> None:
    """A program that leaves a mark, as an agent writes it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\ntouch {mark}\nexec {GIT} "$@"\n')
    path.chmod(0o755)


def test_python_installed_below_the_avoided_folder_keeps_its_library(tmp_path: Path) -> None:
    """As pyenv does in the home folder, where a person may be when asking for the status."""
    base, project = tmp_path / ".pyenv", tmp_path / "project"
    found = subprocess.run(
        [sys.executable, "-c", ALLOWED_IMPORTS, str(tmp_path), str(base), str(project)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )

    assert found.stdout.split() == [f"{base}/lib/python3"]


def environment_on_the_path(root: Path) -> str:
    return f"{root}/.venv/bin"


def current_folder(root: Path) -> str:
    shutil.move(root / ".venv/bin/git", root / "git")
    os.chdir(root)
    return "."


def empty_entry(root: Path) -> str:
    current_folder(root)
    return ""


def link_to_the_project(root: Path) -> str:
    (root.parent / "bin").symlink_to(root / ".venv/bin")
    return f"{root.parent}/bin"


def link_in_the_project(root: Path) -> str:
    (root.parent / "planted").mkdir()
    shutil.move(root / ".venv/bin/git", root.parent / "planted/git")
    (root / "tools").symlink_to("../planted")
    return f"{root}/tools"


def program_that_is_a_link(root: Path) -> str:
    (root.parent / "bin").mkdir()
    (root.parent / "bin/git").symlink_to(root / ".venv/bin/git")
    return f"{root.parent}/bin"


def dots_on_the_way(root: Path) -> str:
    return f"{root.parent}/project/../project/.venv/bin"


PLACES = (
    *(environment_on_the_path, current_folder, empty_entry, link_to_the_project),
    *(link_in_the_project, program_that_is_a_link, dots_on_the_way),
)


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_our_git_is_none_that_the_agent_wrote(
    place, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(root.parent)
    mark = root.parent / "mark"
    plant(root / ".venv/bin/git", mark)
    monkeypatch.setenv("PATH", f"{place(root)}:{os.environ['PATH']}")

    assert run_git(str(root), "", "rev-parse", "--git-dir", own_config=False)[0] == 0
    assert run_user_git(str(root), "rev-parse", "--git-dir").returncode == 0
    assert not mark.exists()


def test_the_programs_of_the_main_checkout_are_not_taken_in_its_worktree(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "--allow-empty", "-qm", "x")
    subprocess.run([GIT, "-C", str(root), *commit], check=True)
    lane = root.parent / "lane"
    subprocess.run([GIT, "-C", str(root), "worktree", "add", "-q", str(lane)], check=True)
    plant(root / ".venv/bin/git", root.parent / "mark")
    monkeypatch.setenv("PATH", f"{root}/.venv/bin:{os.environ['PATH']}")

    assert not programs.own_program("git", str(lane)).startswith(str(root))


def test_a_program_that_is_only_in_the_project_is_none(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(root / ".venv/bin/git", root.parent / "mark")
    monkeypatch.setenv("PATH", f"{root}/.venv/bin")

    assert programs.own_program("git", str(root)) == ""
    assert programs.agent_program("git") == f"{root}/.venv/bin/git"  # a person's own choice


def test_variables_that_name_code_of_the_project_do_not_reach_our_programs(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs.avoid_folders(str(root))
    monkeypatch.setenv("LD_PRELOAD", f"/usr/lib/kept.so {root}/evil.so")
    monkeypatch.setenv("LD_LIBRARY_PATH", f"/usr/lib:{root}/lib:lib;{root}/lib")
    for name in ("PYTHONPATH", "GCONV_PATH", "PERL5OPT", "NODE_OPTIONS", "BASH_ENV"):
        monkeypatch.setenv(name, "src" if name == "PYTHONPATH" else f"{root}/x")

    env = programs.own_environment()

    assert env["LD_PRELOAD"] == "/usr/lib/kept.so"
    assert env["LD_LIBRARY_PATH"] == "/usr/lib"
    assert not env.keys() & {"PYTHONPATH", "GCONV_PATH", "PERL5OPT", "NODE_OPTIONS", "BASH_ENV"}


# They run where their caller runs: in the sandbox of the agent, or as the client.
INHERITING = {
    "agents/claude/write_scope_hook.py",
    "agents/script/play.py",
    "verify/process_groups.py",  # on Windows
}


def test_every_program_of_ours_is_started_with_variables_that_are_chosen() -> None:
    package = Path(programs.PACKAGE)
    careless = {
        f"{path.relative_to(package)}:{call.lineno}"
        for path in package.rglob("*.py")
        if str(path.relative_to(package)) not in INHERITING
        if "subprocess." in (text := path.read_text())
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call)
        if ast.unparse(call.func) in ("subprocess.run", "subprocess.Popen")
        if "env" not in [word.arg for word in call.keywords]
    }

    assert careless == set()


@pytest.mark.skipif(sys.platform != "linux", reason="its loader complains on stderr")
@pytest.mark.parametrize("words", [("config", "--list"), ("worktree", "prune"), ("add", ".")])
def test_git_outside_the_sandbox_loads_no_library_of_the_project(
    root: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("LD_PRELOAD", f"{root}/missing.so")

    assert b"missing.so" not in run_user_git(str(root), *words).stderr


@pytest.mark.skipif(sys.platform != "linux", reason="it looks at /proc")
def test_the_supervisor_of_an_agent_gets_no_variable_that_loads_code_of_the_project(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs.avoid_folders(str(root))
    monkeypatch.setenv("LD_LIBRARY_PATH", f"{root}/lib")
    show = "tr '\\0' '\\n' < /proc/$PPID/environ; echo inside=$LD_LIBRARY_PATH"
    guard = ProcessGuard()

    process = guard.start(
        ["/bin/sh", "-c", show], str(root), dict(os.environ), stdout=subprocess.PIPE
    )
    with process.stdout as out:
        lines = out.read().decode().splitlines()
    process.end(1.0)

    assert f"LD_LIBRARY_PATH={root}/lib" not in lines
    assert f"inside={root}/lib" in lines


@needs_bwrap
def test_bubblewrap_loads_nothing_of_the_project_and_the_command_keeps_its_variable(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does the program inside that sets the filter of system calls."""
    mark = root / "mark"
    (root / "Evil.pm").write_text(f"open(F, '>', '{mark}'); 1;\n")
    monkeypatch.setenv("PERL5OPT", f"-I{root} -MEvil")
    monkeypatch.setenv("LD_PRELOAD", f"{root}/missing.so")
    launcher = launcher_words(Sandbox("bwrap", features=("proc",)), Box("check", str(root)))
    env = programs.without_loader_lists(dict(os.environ), launcher)

    done = subprocess.run(
        [*launcher, "/bin/sh", "-c", 'echo "$LD_PRELOAD $PERL5OPT"'],
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )

    assert "LD_PRELOAD" not in env
    assert done.stdout == f"{root}/missing.so -I{root} -MEvil\n"
    assert done.stderr.count("missing.so") == 1  # of the shell itself
    assert not mark.exists()


def test_a_module_of_the_project_is_not_imported_by_a_command(
    project, monkeypatch: pytest.MonkeyPatch
) -> None:
    here: Project = project()
    mark = here.root.parent / "mark"
    for name in ("shlex", "difflib", "tempfile", "subprocess"):
        here.write({f"src/{name}.py": f"open({str(mark)!r}, 'w')\n"})
    source = str(Path(programs.PACKAGE).parent)
    words = [sys.executable, "-m", "loopwright", "doctor"]
    env = {**os.environ, "PYTHONPATH": f"{source}:{here.root}/src", "PYTHONSAFEPATH": "1"}
    subprocess.run(words, cwd=here.root, env=env, capture_output=True, check=False)

    assert not mark.exists()


@needs_bwrap
def test_an_environment_of_the_project_from_which_we_run_is_read_only(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = root / "tools/.venv"
    venv.create(inner, with_pip=False)
    monkeypatch.setattr(sys, "prefix", str(inner))
    launcher = launcher_words(Sandbox("bwrap", features=("proc",)), Box("agent", str(root)))
    script = (
        "echo x > tools/.venv/bin/new; rm -f tools/.venv/bin/python; mv tools other; "
        "mv tools/.venv tools/old; echo x > tools/file; ls"
    )

    subprocess.run([*launcher, "/bin/sh", "-c", script], capture_output=True, check=False)

    assert (inner / "bin/python").exists()
    assert not (inner / "bin/new").exists()
    assert (root / "tools/file").exists()  # the rest is the agent's
