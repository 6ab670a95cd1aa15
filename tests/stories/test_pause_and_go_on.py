"""Pause and go on: steps one by one, faults of the network, missing permissions, idle talk, and money."""

import pytest

from tests.support.project import Project, came_back, prompt_of, spent, used

STEPS = ("read", "write", "test", "polish")


@pytest.fixture
def project(tmp_path):
    project = Project(tmp_path / "project").write(a_py="x = 1\n").commit()
    steps = [word for step in STEPS for word in ("--step", step)]
    started = project.run("start", "add a report command", "--check", "report works=false", *steps, "--yes")
    assert started.code == 0, started.err
    return project


def finishes(project, step):
    done = [*project.state["completedSteps"], step]
    project.edit_state(completedSteps=done, remainingSteps=[s for s in STEPS if s not in done])


def fails(project, number, text):
    project.says(used("Bash", number, command="curl example"), came_back(number, text, failed=True))


def test_each_iteration_moves_a_step_and_a_second_time_out_in_a_row_pauses(project):
    finishes(project, "read")
    said = project.stop("read it")
    assert "[LOOP] ✓ read complete | Progress: 1/4 | Next: write" in said["systemMessage"]

    fails(project, "t1", "curl: (28) Connection timed out after 30 s")
    prompt_of(project.stop("the network"))  # retried once, silently
    fails(project, "t2", "curl: (28) Connection timed out after 31 s")
    said = project.stop("the network again")["systemMessage"]

    assert "Progress: 1 steps complete, 3 remaining" in said
    assert "Resume: `loop continue`" in said
    assert project.run("status", "--exit-code").code == 4

    went_on = project.run("continue")
    assert went_on.code == 0
    assert "Iteration 4/10" in went_on.out
    assert "Step: write" in went_on.out
    assert project.state["remainingSteps"][0] == "write"


def test_a_missing_permission_pauses_at_once(project):
    fails(project, "t1", "bash: /etc/shadow: Permission denied")

    assert "Paused: blocked by bash: /etc/shadow: Permission denied" in project.stop("hm")["systemMessage"]


def test_an_error_that_the_agent_worked_past_does_not_pause(project):
    fails(project, "t1", "bash: /etc/shadow: Permission denied")
    project.says(used("Bash", "t2", command="ls"), came_back("t2", "a.py"))

    prompt_of(project.stop("found another way"))


def test_three_turns_of_talk_pause(project):
    prompt_of(project.stop("I think"))  # the first stop binds the session; nothing was done in it either
    prompt_of(project.stop("I still think"))

    assert "3 turns of talk" in project.stop("therefore I am")["systemMessage"]


def test_at_25_dollars_it_pauses_and_a_raise_goes_on(project):
    project.says(spent("m1", 1_255_000, "expensive"))  # $25.10 at $20 per million
    said = project.stop("expensive")["systemMessage"]
    assert said.splitlines()[0] == "[LOOP] ⏸ Paused: budget of $25 reached ($25.10 spent)"
    assert "loop continue --budget=25" in said

    refused = project.run("continue")
    assert refused.code == 2
    assert "--budget=N" in refused.out

    went_on = project.run("continue", "--budget=25")
    assert went_on.code == 0
    assert "$25.10/$50" in went_on.out


def test_blocked_is_the_honest_way_out(project):
    prompt_of(project.stop("looking"))
    said = project.run("claim", "--blocked", "no access to the report database", CLAUDECODE="1")
    assert said.code == 0
    assert "Paused: the agent says it is blocked: no access to the report database" in said.out

    assert project.stop("that is all") is None
    assert project.run("status", "--exit-code").code == 7


def test_a_must_not_that_comes_true_pauses_at_once(tmp_path):
    project = Project(tmp_path / "project").write(a_py="x = 1\n").commit()
    flags = ("--check", "works=false", "--must-not", "secret file=test -e secret.txt", "--yes")
    assert project.run("start", "add a report command", *flags).code == 0
    prompt_of(project.stop("working"))
    (project.root / "secret.txt").write_text("oh")

    assert "Paused: must not: secret file" in project.stop("oops")["systemMessage"]
