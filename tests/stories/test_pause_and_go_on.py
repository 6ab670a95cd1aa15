"""Pause and go on: steps one by one, faults of the network, and money."""

import pytest

from tests.support.hook import Transcript, calls, returns, says, stop, usage

STEPS = ("read", "write", "test", "polish")


class Session:
    """An agent at work in a project: what it does is in its transcript by the time it stops."""

    def __init__(self, here, path):
        self.here, self.path, self.turn = here, path, 0

    def stops(self, text, *, failed="", tokens=0):
        self.turn += 1
        script, call = Transcript(self.path), f"toolu_{self.turn}"
        if failed:
            script.assistant(
                calls("Bash", call, command="curl example.invalid"), id=f"call-{self.turn}"
            )
            script.user(returns(failed, call, error=True))
        script.assistant(says(text), id=f"m{self.turn}", usage=usage(out=tokens))
        return stop(self.here, text, transcript_path=str(self.path))


@pytest.fixture
def report_project(project):
    here = project()
    steps = [word for step in STEPS for word in ("--step", step)]
    started = here.run(
        "start", "add a report command", "--check", "report works=false", *steps, "--yes"
    )
    assert started.code == 0, started.err
    return here


@pytest.fixture
def agent(report_project, tmp_path):
    return Session(report_project, tmp_path / "session.jsonl")


def finishes(here, step):
    done = [*here.state["completedSteps"], step]
    here.edit_state(completedSteps=done, remainingSteps=[s for s in STEPS if s not in done])


def test_each_iteration_moves_a_step_and_a_second_time_out_in_a_row_pauses(report_project, agent):
    finishes(report_project, "read")
    assert "[LOOP] ✓ read complete | Progress: 1/4 | Next: write" in agent.stops("read it").message

    assert agent.stops(
        "the network", failed="curl: (28) Connection timed out after 30 s"
    ).prompt  # retried once, silently
    said = agent.stops(
        "the network again", failed="curl: (28) Connection timed out after 31 s"
    ).message

    assert "Progress: 1 step complete, 3 remaining" in said
    assert "Resume: `loop continue`" in said
    assert report_project.run("status", "--exit-code").code == 4

    went_on = report_project.run("continue")
    assert went_on.code == 0
    assert "Iteration 4/10" in went_on.out
    assert "Step: write" in went_on.out
    assert report_project.state["remainingSteps"][0] == "write"


def test_at_25_dollars_it_pauses_and_a_raise_goes_on(report_project, agent):
    said = agent.stops("expensive", tokens=1_255_000).message  # $25.10 at $20 per million
    assert "\n[LOOP] ⏸ Paused: budget of $25 reached ($25.10 spent)\n" in said
    assert "loop continue --budget=25" in said

    refused = report_project.run("continue")
    assert refused.code == 2
    assert "`loop continue --budget=25`" in refused.out

    went_on = report_project.run("continue", "--budget=25")
    assert went_on.code == 0
    assert "$25.10/$50" in went_on.out
