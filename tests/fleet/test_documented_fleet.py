"""What a stranger who has read only docs/fleet.md expects of `loop fleet`, on a real SQLite file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.e2e.waiting import until
from tests.support.project import CommandResult, Project

SPEC = "fix the failing tests in readme.md so that done.txt exists"
DONE = {"write": {"done.txt": "x"}, "say": "done"}
SCRIPT = json.dumps({"turns": [DONE]})
AGENT = ("--agent", "script", "--script", "s.json")
CHECK = ("--check", "done=test -f done.txt")
Words = tuple[str, ...]
# Made up, and put together here so that no scanner takes it for real.
KEY = "sk-ant-api03-" + "q" * 40


@pytest.fixture
def scripted_project(project: Callable[..., Project]) -> Project:
    """A project of a person with a fleet; the script of its agent is committed."""
    return project({"readme.md": "a project\n", "s.json": SCRIPT})


def submit(here: Project, *words: str, spec: str = SPEC) -> str:
    """Submit a job; its id."""
    said = here.run("fleet", "submit", spec, *AGENT, *CHECK, "--json", *words)
    assert said.code == 0, said
    return str(said.json["id"])


def state_of(here: Project, job: str) -> str:
    return str(here.run("fleet", "status", job, "--json").json["state"])


def refused(said: CommandResult, says: str, code: int = 1) -> None:
    """One line that says what is wrong, and nothing of our own inside."""
    assert said.code == code, said
    assert said.out == ""
    assert says in said.err, said.err
    assert said.err.startswith("loop: ")
    assert "our own error" not in said.err
    assert said.err.count("\n") == 1


# --- wrong words ---


@pytest.mark.parametrize("ref", ["--upload-pack=x", "nobranch", "main:evil"])
def test_a_ref_that_the_address_does_not_have_is_refused(
    scripted_project: Project, ref: str
) -> None:
    there = f"--repository={scripted_project.root}"
    said = scripted_project.run("fleet", "submit", SPEC, *AGENT, *CHECK, there, f"--ref={ref}")
    refused(said, "has no branch or tag")


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("clean", "--older-than=0d", "--yes"), 64, "a time such as"),
        (("worker", "--drain="), 1, "loop fleet status"),
        (("worker", "--root=/proc/x"), 1, "--root DIR"),
        (("worker", "--root=readme.md"), 1, "--root DIR"),
        (("status", "%"), 1, "no job '%'"),
        (("logs", ""), 1, "no job ''"),
        (("results", "x", "--fetch"), 1, "no job 'x'"),
    ],
)
def test_a_wrong_word_for_the_fleet_is_refused_in_one_line(
    scripted_project: Project, words: Words, code: int, says: str
) -> None:
    refused(scripted_project.run("fleet", *words), says, code)


def test_a_name_cannot_speak_to_the_terminal_nor_break_the_table(scripted_project: Project) -> None:
    job = submit(scripted_project, "--name", "evil\x1b[31m\x07\u202e\nname\r")
    plain = submit(scripted_project, "--name", "evil name")

    shown = scripted_project.run("fleet", "status").out.splitlines()
    assert [line[: len("12345678  evil name  queued")][8:] for line in shown[1:3]] == [
        "  evil name  queued"
    ] * 2, shown
    assert scripted_project.run("fleet", "status", job, "--json").json["name"] == "evil name"
    assert scripted_project.run("fleet", "status", plain[:7]).code == 0


# --- odd places ---


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: path.write_text("no database " * 500), "is no database of a fleet"),
        (lambda path: path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000), "no database"),
        (lambda path: path.symlink_to("/proc/nowhere/x"), "database"),
    ],
    ids=["a folder", "a text", "damaged", "a link to nowhere"],
)
def test_a_file_that_is_no_database_is_named_and_left_alone(
    scripted_project: Project, tmp_path: Path, make: Callable[[Path], object], says: str
) -> None:
    path = tmp_path / "fleet.db"
    make(path)
    for words in (("status",), ("submit", SPEC, *AGENT)):
        said = scripted_project.run("fleet", *words, "--database", str(path))
        refused(said, says)
    doctor = scripted_project.run("fleet", "doctor", "--database", str(path))
    assert doctor.code == 1
    assert "loop fleet init --database" in doctor.out
    assert "See: loop fleet doctor" not in doctor.out


def test_a_worker_does_not_wait_for_a_damaged_file_to_heal(
    scripted_project: Project, tmp_path: Path
) -> None:
    (tmp_path / "fleet.db").write_text("no database " * 500)
    said = scripted_project.run("fleet", "worker", "--database", str(tmp_path / "fleet.db"))
    refused(said, "is no database of a fleet")


def test_a_state_folder_that_cannot_be_made_is_explained(scripted_project: Project) -> None:
    said = scripted_project.run("fleet", "status", XDG_STATE_HOME="/proc/nowhere")
    refused(said, "cannot be made")
    assert "--database" in said.err


def test_without_git_everybody_is_told_so(scripted_project: Project) -> None:
    nowhere = {"PATH": "/nonexistent"}
    refused(
        scripted_project.run("fleet", "submit", SPEC, *AGENT, *CHECK, **nowhere),
        "git is not installed",
    )
    refused(scripted_project.run("fleet", "worker", **nowhere), "needs git")
    doctor = scripted_project.run("fleet", "doctor", **nowhere)
    assert doctor.code == 1
    assert "install git" in doctor.out


def test_a_repository_without_a_branch_is_sent(scripted_project: Project) -> None:
    scripted_project.git("checkout", "-q", "--detach")
    assert state_of(scripted_project, submit(scripted_project)) == "queued"


def test_the_command_that_commits_a_file_works_where_it_is_shown(
    scripted_project: Project,
) -> None:
    scripted_project.write({"sub dir/new.json": SCRIPT})
    agent = ("--agent", "script", "--script", "new.json", "--yes")
    said = scripted_project.run("fleet", "submit", SPEC, *agent, *CHECK, at="sub dir")
    refused(said, "git add new.json && git commit")


@pytest.mark.parametrize("action", ["status", "cancel x"])
def test_a_typing_mistake_in_the_database_creates_no_fleet(
    scripted_project: Project, action: str
) -> None:
    path = scripted_project.root / "fleeet.db"
    said = scripted_project.run("fleet", *action.split(), "--database", str(path))
    refused(said, "there is no fleet at")
    assert "loop fleet init --database" in said.err
    assert not path.exists()


# --- workers ---


@pytest.fixture
def start_worker(scripted_project: Project, tmp_path: Path) -> Iterator[Callable[..., Path]]:
    """Start a worker in a process group of its own, as a terminal does; its log."""
    running: list[subprocess.Popen[bytes]] = []

    def start(*words: str) -> Path:
        log = tmp_path / f"worker{len(running)}.log"
        argv = [sys.executable, "-m", "loopwright", "fleet", "worker", *words]
        with log.open("wb") as file:
            running.append(
                subprocess.Popen(
                    argv,
                    stdout=file,
                    stderr=file,
                    cwd=scripted_project.root,
                    start_new_session=True,
                )
            )
        return log

    yield start
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(30)


def scripted(here: Project, tmp_path: Path, name: str, *turns: object, words: Words = ()) -> str:
    """Submit a job whose agent plays these turns; its id."""
    path = tmp_path / f"{name}.json"
    path.write_text(json.dumps({"turns": turns}))
    agent = ("--agent", "script", "--script", str(path), "--room", "off", "--name", name)
    said = here.run("fleet", "submit", SPEC, *agent, *CHECK, "--json", *words)
    assert said.code == 0, said
    return str(said.json["id"])


@pytest.mark.long
def test_hostile_jobs_harm_neither_the_worker_nor_their_neighbours(
    scripted_project: Project, tmp_path: Path, start_worker: Callable[..., Path]
) -> None:
    """One agent dies at once, one prints the key, one gives orders, one deletes its loop, one floods."""
    account = tmp_path / "team.env"
    account.write_text(f"export TEAM_KEY='{KEY}'\n")
    account.chmod(0o600)
    order = f"{sys.executable} -m loopwright fleet limit fleet --budget 1 > order.txt 2>&1; true"
    dies = scripted(scripted_project, tmp_path, "dies", {"exit": 3})
    key = scripted(
        scripted_project,
        tmp_path,
        "key",
        {"run": ["echo $TEAM_KEY; false"], **DONE},
        words=("--account=team",),
    )
    orders = scripted(scripted_project, tmp_path, "orders", {"run": [order], **DONE})
    deletes = scripted(scripted_project, tmp_path, "deletes", {"run": ["rm -rf .loop"], **DONE})
    floods = scripted(scripted_project, tmp_path, "floods", {**DONE, "say": "x\x1b[2J\n" * 5_000})
    results = tmp_path / "results.git"
    scripted_project.git("init", "-q", "--bare", str(results))
    pushed = scripted(scripted_project, tmp_path, "pushed", DONE, words=(f"--results={results}",))
    theirs = scripted_project.git(
        "commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "of somebody else"
    )
    scripted_project.git("push", "-q", str(results), f"{theirs.strip()}:refs/heads/loop/{pushed}")

    log = start_worker("--slots=4", "--account", f"team={account}")
    good = (key, orders, deletes, floods, pushed)
    until(
        lambda: {state_of(scripted_project, job) for job in good} == {"ended"},
        lambda: scripted_project.run("fleet", "status", "--all").out + log.read_text(),
        120,
    )

    logs = scripted_project.run("fleet", "logs", key).out
    assert "[redacted]" in logs
    assert KEY not in logs
    assert scripted_project.run("fleet", "logs", floods).out.count("\n") <= 1_001
    assert "\x1b" not in scripted_project.run("fleet", "logs", floods, "--json").out
    assert scripted_project.run("fleet", "results", orders, "--fetch").code == 0
    assert "the person's to run" in scripted_project.git("show", f"loop/{orders}:order.txt")
    assert scripted_project.git("--git-dir", str(results), "rev-parse", f"loop/{pushed}") == theirs
    assert "not published" in scripted_project.run("fleet", "results", pushed).out
    # A crash is the job's own affair, and is counted on whoever takes the job next.
    assert "blocked" not in scripted_project.run("fleet", "limit").out
    until(
        lambda: "(attempt 2 of 3)" in scripted_project.run("fleet", "status", dies).out,
        lambda: scripted_project.run("fleet", "status", dies).out,
    )
    assert f"Job {dies}: queued (script ended with exit code 3" in log.read_text()


def test_ctrl_c_while_a_job_is_prepared_does_not_fail_it(
    scripted_project: Project, tmp_path: Path, start_worker: Callable[..., Path]
) -> None:
    checking = tmp_path / "checking"  # `loop start` tries the checks
    slow = f"slow=touch {checking} && sleep 1"
    job = scripted(
        scripted_project, tmp_path, "slow", DONE, words=("--room", "on", "--check", slow)
    )
    log = start_worker()
    until(checking.exists, log.read_text)
    worker = scripted_project.run("fleet", "status", "--json").json["workers"][0]["pid"]

    os.killpg(worker, signal.SIGINT)  # a terminal sends it to the worker and to all it started
    until(lambda: "stopped" in scripted_project.run("fleet", "status").out, log.read_text)
    assert state_of(scripted_project, job) in ("queued", "ended"), scripted_project.run(
        "fleet", "status", job
    ).out
