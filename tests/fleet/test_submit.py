"""`loop fleet submit`: what a job keeps of the words that were typed, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.cli.fleet.job_words import job_run_config
from loopwright.drive.errors import UserError
from loopwright.fleet.database import open_database
from loopwright.fleet.jobs import Job, read_bundle
from loopwright.fleet.settings import default_database
from loopwright.store.folder import LoopFolder
from tests.fleet.held_job import all_jobs
from tests.support.plan_projects import a_plan
from tests.support.project import CommandResult, Project

SPEC = "make readme.md say hello"
CHECK = ("--check", "says hello=grep -q hello readme.md")
SCRIPT = '{"turns": [{"say": "Done."}]}'


@pytest.fixture
def fleet_project(project: Callable[..., Project], monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("LOOP_SANDBOX", raising=False)
    return project({"readme.md": "a project\n", "tests/turns.json": SCRIPT})


def submit(here: Project, *words: str, **env: str) -> CommandResult:
    return here.run("fleet", "submit", *words, **env)


def jobs() -> list[Job]:
    database = open_database(default_database())
    with database.reading() as connection:
        found = all_jobs(connection)
    database.close()
    return found


def test_the_repository_here_is_sent_as_a_bundle_of_head(fleet_project: Project) -> None:
    said = submit(fleet_project, SPEC, *CHECK, "--agent", "claude")

    assert said.code == 0, said.err
    (job,) = jobs()
    assert f"Queued {job.id}: {SPEC}" in said.out
    assert job.base_commit == fleet_project.git("rev-parse", "HEAD").strip()
    assert (job.address, job.repository) == ("", str(fleet_project.root))
    database = open_database(default_database())
    with database.reading() as connection:
        bundle = read_bundle(connection, job.base_commit)
    database.close()
    assert bundle.startswith(b"# v2 git bundle")


def test_the_words_of_start_and_run_are_kept_apart(fleet_project: Project) -> None:
    submit(
        fleet_project, SPEC, *CHECK, "--budget", "3.5", "--must-not", "gone=! test -e readme.md",
        "--no-worse-than-baseline", "--agent", "codex", "--fallback", "claude",
        "--turn-budget", "1", "--allow", "Bash(npm *)", "--keep-context",
    )  # fmt: skip

    (job,) = jobs()
    assert job.start_words == [
        "--check=says hello=grep -q hello readme.md",
        "--must-not=gone=! test -e readme.md",
        "--no-worse-than-baseline",
        "--iterations=10",
        "--budget=3.5",
        "--minutes=240",
        SPEC,
    ]
    assert job.run_words == [
        "--agent=codex",
        "--fallback=claude",
        "--keep-context",
        "--allow=Bash(npm *)",
        "--turn-budget=1",
    ]


def test_the_limits_that_hold_here_travel_with_the_job(fleet_project: Project) -> None:
    fleet_project.run("config", "limits.iterations", "7")
    submit(fleet_project, SPEC, *CHECK, "--agent", "claude", LOOP_BUDGET="4")

    (job,) = jobs()
    assert job.start_words[-4:-1] == ["--iterations=7", "--budget=4", "--minutes=240"]


def test_a_job_needs_workers_with_its_agents(fleet_project: Project) -> None:
    said = submit(
        fleet_project, SPEC, *CHECK, "--agent", "codex", "--fallback", "claude", "--label", "gpu"
    )

    assert jobs()[0].labels == ["agent:claude", "agent:codex", "gpu"]
    assert "Needs a worker with: agent:claude, agent:codex, gpu" in said.out


def test_the_sandbox_of_the_person_who_submits_travels_with_the_job(fleet_project: Project) -> None:
    submit(fleet_project, SPEC, *CHECK, "--agent", "claude", LOOP_SANDBOX="off")

    assert jobs()[0].run_words == ["--agent=claude", "--sandbox=off"]


def test_a_scripted_agent_needs_no_program(fleet_project: Project) -> None:
    submit(fleet_project, SPEC, *CHECK, "--script", "tests/turns.json")

    (job,) = jobs()
    assert (job.labels, job.run_words) == ([], ["--agent=script", "--script", "tests/turns.json"])


def test_files_outside_the_repository_travel_and_those_inside_stay(
    fleet_project: Project, tmp_path: Path
) -> None:
    (tmp_path / "spec.md").write_text(SPEC)
    (tmp_path / "turns.json").write_text(SCRIPT)
    said = submit(
        fleet_project, "--file", "../spec.md", *CHECK, "--script", str(tmp_path / "turns.json")
    )

    assert said.code == 0, said.err
    (job,) = jobs()
    assert job.files == {"spec.md": SPEC, "turns.json": SCRIPT}
    assert job.start_words[-2:] == ["--file", "{files}/spec.md"]
    assert job.run_words[-2:] == ["--script", "{files}/turns.json"]
    assert job.name == "spec.md"


def test_files_of_the_same_name_do_not_replace_each_other(
    fleet_project: Project, tmp_path: Path
) -> None:
    for folder, text in (("one", SPEC), ("two", SCRIPT)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "x").write_text(text)
    submit(fleet_project, "--file", "../one/x", *CHECK, "--script", "../two/x")

    (job,) = jobs()
    assert job.files == {"x": SPEC, "2-x": SCRIPT}


def test_a_spec_that_looks_like_an_option_travels_as_a_file(fleet_project: Project) -> None:
    said = submit(fleet_project, *CHECK, "--agent", "claude", "--", "--help must say hello")

    assert said.code == 0, said.err
    assert jobs()[0].files == {"spec.md": "--help must say hello"}


def test_the_spec_may_come_from_stdin(fleet_project: Project) -> None:
    fleet_project.run("fleet", "submit", "-", *CHECK, "--agent", "claude", stdin=f"{SPEC}\n")

    assert jobs()[0].start_words[-1] == SPEC


def test_a_plan_of_the_repository_stays_a_path_and_must_be_committed(
    fleet_project: Project,
) -> None:
    fleet_project.write({"PLAN.md": a_plan()})
    refused = submit(fleet_project, "--plan", "PLAN.md", "--agent", "claude", "--yes")
    assert "Commit it first: git add PLAN.md" in refused.err

    fleet_project.commit()
    said = submit(fleet_project, "--plan", "PLAN.md", "--agent", "claude", "--strict")
    assert said.code == 0, said.err
    (job,) = jobs()
    assert (job.name, job.start_words[-2:], job.files) == ("PLAN.md", ["--plan", "PLAN.md"], {})
    assert job.run_words == ["--agent=claude", "--strict"]


def test_a_plan_outside_the_repository_travels(fleet_project: Project, tmp_path: Path) -> None:
    (tmp_path / "PLAN.md").write_text(a_plan())
    said = submit(fleet_project, "--plan", "../PLAN.md", "--agent", "claude")

    assert said.code == 0, said.err
    (job,) = jobs()
    assert (job.start_words[-2:], job.files) == (
        ["--plan", "{files}/PLAN.md"],
        {"PLAN.md": a_plan()},
    )


def test_a_plan_with_errors_is_refused(fleet_project: Project) -> None:
    fleet_project.write({"PLAN.md": "# nothing to do\n"})
    fleet_project.commit()
    assert "cannot be executed as it is" in submit(fleet_project, "--plan", "PLAN.md").err


def test_an_address_is_resolved_to_a_commit(fleet_project: Project, tmp_path: Path) -> None:
    fleet_project.git("tag", "-a", "v1", "-m", "one")
    first = fleet_project.git("rev-parse", "HEAD").strip()
    fleet_project.commit()
    (tmp_path / "elsewhere").mkdir()
    outside = Project(tmp_path / "elsewhere", git=False)
    said = outside.run(
        "fleet", "submit", SPEC, *CHECK, "--agent", "claude",
        "--repository", str(fleet_project.root), "--ref", "v1", "--budget", "2",
    )  # fmt: skip

    assert said.code == 0, said.err
    (job,) = jobs()
    assert (job.address, job.base_commit, job.repository) == (
        str(fleet_project.root),
        first,
        str(fleet_project.root),
    )
    assert job.start_words == [f"{CHECK[0]}={CHECK[1]}", "--budget=2", SPEC]


def test_a_name_a_label_a_priority_an_account_and_a_place_for_results(
    fleet_project: Project,
) -> None:
    said = submit(
        fleet_project, SPEC, *CHECK, "--agent", "claude", "--name", "greeting", "--priority", "5",
        "--account", "team", "--results", "../results.git", "--json",
    )  # fmt: skip

    (job,) = jobs()
    assert said.json == {
        "id": job.id,
        "name": "greeting",
        "repository": str(fleet_project.root),
        "commit": job.base_commit,
        "labels": ["agent:claude"],
        "account": "team",
        "priority": 5,
        "results": str(fleet_project.root.parent / "results.git"),
    }
    assert (job.account, job.priority, job.results) == ("team", 5, said.json["results"])


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        ((), 1, "what is to be done?"),
        ((SPEC, "--detach"), 1, "--detach is not for a job: a worker runs it in the background"),
        ((SPEC, "--ref", "main"), 1, "--ref needs --repository"),
        ((SPEC, "--file", "readme.md"), 1, "--file has the spec already"),
        ((SPEC, "--fallback", "nobody"), 64, "no agent 'nobody'"),
        ((SPEC, "--script", "missing.json"), 1, "there is no such file here"),
        ((SPEC, "--turn-budget", "much"), 64, "--turn-budget takes"),
        ((SPEC, "--budget", "500"), 1, "--budget 500 is above 100. Add --yes"),
        ((SPEC, "--check", "no command="), 64, "no command"),
        ((SPEC, "--label", "two words"), 64, "--label takes letters"),
        ((SPEC, "--account", "a b"), 64, "--account takes letters"),
        ((SPEC, "--include", ".env"), 1, "files that are not committed stay here"),
        ((SPEC, "--strict"), 1, "--strict is for a plan"),
        ((SPEC, "--plan", "PLAN.md"), 1, "a plan is its own spec"),
        ((SPEC, "--repository", "https://u:token@example.invalid/x.git"), 64, "has a password"),
        ((SPEC, "--repository", "ext::sh -c evil"), 64, "not an address of a repository"),
        ((SPEC, "--repository=--upload-pack=evil"), 64, "not an address of a repository"),
        ((SPEC, "--repository="), 64, "--repository is empty"),
        ((SPEC, "--results="), 64, "--results is empty"),
        ((SPEC, "--results=ext::sh -c 'touch evil'"), 64, "not an address"),
        ((SPEC, "--budget=nan"), 64, "a number above 0"),
        ((SPEC, "--account="), 64, "--account is empty"),
        ((SPEC, "--account=../etc"), 64, "letters, digits"),
        (("  ",), 1, 'loop fleet submit "'),
        ((SPEC, "--repository", "nowhere"), 1, "git cannot read"),
        (
            (SPEC, "--results", "https://u:token@example.invalid/x.git"),
            64,
            "--results has a password",
        ),
        ((SPEC, "--until", "later"), 64, "--until takes a time"),
        ((SPEC, "--priority", "100000"), 64, "--priority takes a number from -1000 to 1000"),
        ((SPEC, "--name", "a\udcff"), 64, "the job has a character that is no text"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(
    fleet_project: Project, words: tuple[str, ...], code: int, message: str
) -> None:
    spec_only = words[:1] == (SPEC,) and not {"--file", "--plan"} & set(words)
    agent = () if "--script" in words or "--agent" in words else ("--agent", "claude")
    said = submit(
        fleet_project, *words, *(CHECK if spec_only and "--check" not in words else ()), *agent
    )

    assert said.code == code
    assert message in said.err
    assert (said.err.startswith("loop: "), said.err.count("\n")) == (True, 1), "one line"
    assert "token" not in said.err
    assert not (fleet_project.root / "evil").exists()
    assert not os.path.exists(default_database()) or jobs() == []


def test_options_that_make_no_sense_for_a_job_are_refused(fleet_project: Project) -> None:
    for option in (
        *("--worktree", "--attach", "--resume-all", "--stay", "--parallel", "--max-parallel=2"),
        *("--continue", "--replace", "--waves", "--attempts=2"),
    ):
        said = submit(fleet_project, SPEC, *CHECK, "--agent", "claude", option)
        assert f"{option.partition('=')[0]} is not for a job" in said.err


def test_a_vague_spec_is_refused_with_its_own_exit_code(fleet_project: Project) -> None:
    said = submit(fleet_project, "improve it", "--agent", "claude")

    assert said.code == 5
    assert "too vague" in said.err


def test_uncommitted_changes_stay_behind_only_if_the_person_says_so(fleet_project: Project) -> None:
    fleet_project.write({"new.txt": "x"})
    refused = submit(fleet_project, SPEC, *CHECK, "--agent", "claude")
    assert refused.code == 1
    assert "stay behind (new.txt)" in refused.err

    assert submit(fleet_project, SPEC, *CHECK, "--agent", "claude", "--yes").code == 0
    assert len(jobs()) == 1


def test_a_repository_that_is_too_large_or_shallow_is_refused(
    fleet_project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("loopwright.fleet.sources.MAX_BUNDLE", 10)
    said = submit(fleet_project, SPEC, *CHECK, "--agent", "claude")
    assert "the database takes at most 0 MB. Let the workers clone it" in said.err
    fleet_project.commit()
    fleet_project.git(
        "clone", "-q", "--depth=1", f"file://{fleet_project.root}", str(tmp_path / "shallow")
    )
    shallow = Project(tmp_path / "shallow", {}, git=False)
    assert "git fetch --unshallow" in submit(shallow, SPEC, *CHECK, "--agent", "claude").err
    assert jobs() == []


def test_an_empty_stdin_is_no_spec(fleet_project: Project) -> None:
    for words in ((), ("--repository", ".")):
        said = fleet_project.run(
            "fleet", "submit", "-", *CHECK, "--agent", "claude", *words, stdin=" \n"
        )
        assert "what is to be done?" in said.err


def test_a_folder_without_git_or_without_a_commit_is_refused(
    project: Callable[..., Project], tmp_path: Path
) -> None:
    no_git = project({"x": "y"}, git=False)
    assert "is no git repository" in submit(no_git, SPEC, *CHECK, "--agent", "claude").err
    (tmp_path / "empty").mkdir()
    empty = Project(tmp_path / "empty", git=False)
    empty.git("init", "-q")
    assert "has no commit" in submit(empty, SPEC, *CHECK, "--agent", "claude", "--yes").err


def test_an_agent_may_look_but_not_submit(fleet_project: Project) -> None:
    refused = submit(fleet_project, SPEC, *CHECK, CLAUDECODE="1")
    assert refused.code == 1
    assert "`loop fleet submit` is the person's to run (CLAUDECODE is set)" in refused.err

    assert fleet_project.run("fleet", "status", CLAUDECODE="1").code == 0
    for words in (
        ("limit",),
        ("answer", "x", "y"),
        ("worker",),
        ("clean",),
        ("init",),
    ):
        assert "is the person's to run" in fleet_project.run("fleet", *words, LOOP_CHILD="1").err


# --- many at once ---


def test_each_line_of_a_file_is_a_job(fleet_project: Project, tmp_path: Path) -> None:
    lines = [
        {"spec": SPEC, "check": [CHECK[1]], "priority": 3, "label": ["gpu"], "budget": 2.5},
        {"spec": "--help says hello", "check": CHECK[1], "keep_context": True, "name": "help"},
    ]
    (tmp_path / "jobs.jsonl").write_text("\n\n".join(map(json.dumps, lines)) + "\n")
    said = submit(
        fleet_project, "--from", "../jobs.jsonl", "--agent", "claude", "--label", "big", "--json"
    )

    assert said.code == 0, said.err
    first, second = jobs()
    assert [row["id"] for row in said.json] == [first.id, second.id]
    assert (first.priority, first.labels) == (3, ["agent:claude", "big", "gpu"])
    assert "--budget=2.5" in first.start_words
    assert (second.name, second.labels) == ("help", ["agent:claude", "big"])
    assert "--keep-context" in second.run_words
    assert second.files == {"spec.md": "--help says hello"}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "line 2: no JSON"),
        ("[1]", "line 2: no JSON object"),
        ('{"spec": "x", "budget": NaN}', "a number above 0"),
        ('{"spec": "x", "chek": "a=b"}', "line 2: no option --chek"),
        ('{"spec": 5}', "line 2: spec takes a text"),
        ('{"spec": "x", "check": [{}]}', "line 2: check takes a text or a number"),
        ('{"spec": "x", "from": "y"}', "line 2: 'from' is for the command"),
        ('{"spec": "improve it"}', "line 2: the spec is too vague"),
        ('{"spec": "x", "priority": "high"}', "line 2: argument --priority"),
        ('{"spec": "x", "detach": true}', "line 2: --detach is not for a job"),
        ('{"spec": "say \\u0000 hello", "check": "a=true"}', "a character that is no text"),
    ],
)
def test_a_mistake_names_its_line_and_nothing_is_submitted(
    fleet_project: Project, line: str, message: str
) -> None:
    good = json.dumps({"spec": SPEC, "check": CHECK[1]})
    said = fleet_project.run(
        "fleet", "submit", "--from", "-", "--agent", "claude", stdin=f"{good}\n{line}\n"
    )

    assert said.code == {"line 2: the spec is too vague": 5, "a character that is no text": 64}.get(
        message, 1
    )
    assert message in said.err
    assert jobs() == []


def test_an_empty_or_missing_file_is_an_error(fleet_project: Project) -> None:
    assert (
        "has no line with a job"
        in fleet_project.run("fleet", "submit", "--from", "-", stdin="\n").err
    )
    assert "cannot read gone.jsonl" in submit(fleet_project, "--from", "gone.jsonl").err


def test_an_id_that_is_taken_is_drawn_again(
    fleet_project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = iter(["aaaaaaaa", "aaaaaaaa", "aaaaaaaa", "bbbbbbbb"])
    monkeypatch.setattr("loopwright.fleet.jobs.secrets.token_hex", lambda _: next(drawn))
    lines = [{"spec": SPEC, "check": CHECK[1], "name": name} for name in ("one", "two")]
    text = "\n".join(map(json.dumps, lines))
    fleet_project.run("fleet", "submit", "--from", "-", "--agent", "claude", stdin=text)

    assert sorted(job.id for job in jobs()) == ["aaaaaaaa", "bbbbbbbb"]


# --- what a worker makes of the words ---


def test_paths_in_the_words_are_those_of_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "turns.json").write_text(SCRIPT)
    agent = tmp_path / "agent.sh"
    agent.write_text("#!/bin/sh\n")
    agent.chmod(0o755)
    folder = LoopFolder(str(tmp_path))

    scripted = job_run_config(["--agent=script", "--script", "turns.json"], folder)
    assert scripted.words == (str(tmp_path / "turns.json"),)
    command = job_run_config(["--agent-command=./agent.sh {prompt}"], folder)
    assert command.words == (str(agent), "{prompt}")


def test_words_that_cannot_be_read_are_an_error_and_no_exit(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no option --later"):
        job_run_config(["--later"], LoopFolder(str(tmp_path)))


def test_without_the_extra_the_way_out_is_named(fleet_project: Project) -> None:
    code = (
        "import sys; sys.modules['sqlalchemy'] = None; "
        "from loopwright.cli.main import main; sys.exit(main(['fleet', 'status']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=fleet_project.root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert 'pip install "loopwright[fleet]"' in done.stderr
