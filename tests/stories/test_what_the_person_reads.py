"""What the person reads, and how little the agent is told after its first turn: the real hook, a real failing test."""

import threading

import pytest

from tests.support.hook import SESSION, Transcript, block, says, session_starts, stop, usage

TEST = """import unittest

class Sums(unittest.TestCase):
    def test_one(self):
        self.assertEqual(1, 2)

    def test_two(self):
        self.assertEqual(2, 3)

    def test_three(self):
        pass
"""
COMMAND = "python3 -B -m unittest -q"
START = ("start", "make the tests pass", "--check", f"tests pass={COMMAND}", "--yes")
DONE = block({"tests pass": True}, "STEP_DONE: fix it", exit=True)


@pytest.fixture
def sums_project(project):
    here = project({"test_sums.py": TEST})
    started = here.run(*START, "--step", "fix it", "--step", "verify it", "--session", SESSION)
    assert started.code == 0, started.err
    return here


def test_a_refuted_claim_is_reported_in_one_line_without_a_step_that_is_complete(sums_project):
    said = stop(sums_project, DONE)

    assert said.message == (
        f"The agent said done; `{COMMAND}` still fails (2 of 3). Iteration 2/10, $0.00."
    )
    assert said.prompt.splitlines()[0] == "unmet criteria: tests pass"
    assert "  | AssertionError: 2 != 3" in said.prompt
    assert len(said.prompt.splitlines()) <= 12


def test_only_a_compaction_repeats_the_protocol(sums_project):
    assert "---END_STATUS---" not in stop(sums_project, block({"tests pass": False})).prompt

    assert "---END_STATUS---" in session_starts(sums_project, source="compact").prompt
    assert len(sums_project.events("ContextCompacted")) == 1

    assert "---END_STATUS---" not in stop(sums_project, block({"tests pass": False})).prompt


def test_an_agent_that_did_not_start_the_loop_reads_the_protocol_once(project):
    here = project({"test_sums.py": TEST})
    assert here.run(*START).code == 0

    assert "---END_STATUS---" in stop(here, "hello").prompt
    assert len(stop(here, "hello again").prompt.splitlines()) <= 12


def test_a_colleague_is_not_shown_a_second_status_block(project):
    here = project({"test_sums.py": TEST})
    started = here.run(*START[:-1], "--shape", "colleague", "--step", "a", "--session", SESSION)
    assert started.code == 0, started.err
    here.run("answer", "yes")

    assert "LOOP_STATUS" not in stop(here, block({"tests pass": False})).message


def test_the_cost_of_the_last_call_is_counted_though_its_line_comes_late(sums_project, tmp_path):
    told = Transcript(tmp_path / "session.jsonl")
    dollar = usage(out=50_000)
    told.assistant(says(DONE), id="first", usage=dollar)
    stop(sums_project, DONE, transcript_path=str(told.path))

    late = threading.Timer(0.2, lambda: told.assistant(says(DONE), id="last", usage=dollar))
    late.start()
    stop(sums_project, DONE, transcript_path=str(told.path))
    late.join()

    assert sums_project.loop.spend.dollars == pytest.approx(2.0)
