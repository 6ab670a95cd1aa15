"""A segment: what one worker does for a job between a claim and giving the job back.

It is a workflow of the engine: prepare, then turn after turn, then close. Each step is safe to run
again. A step never stores the fence; it takes it from the claim of the process that runs it, so a
workflow that another process continues uses the claim of that process.
"""

from __future__ import annotations

from dbos import DBOS

from .job_steps import Host, JobSteps
from .outcomes import Outcome
from .tables import RUNNING

MAX_TURNS = 200  # of one segment; the job is then queued again, so that others get their turn

_host: Host | None = None  # the engine calls its steps with a job's id and nothing else


def set_host(host: Host) -> None:
    """Tell the steps of this process which worker they belong to."""
    global _host
    _host = host


def _steps_of(job_id: str) -> JobSteps:
    assert _host is not None, "BUG: no worker runs in this process"
    return JobSteps(_host, _host.work_of(job_id))


@DBOS.workflow(name="segment")
def run_segment(job_id: str) -> str:
    prepared: Outcome = prepare_job(job_id)
    outcome, number = prepared, int(prepared["turn"])
    for _ in range(MAX_TURNS):
        if outcome["state"] != RUNNING:
            break
        outcome = run_turn(job_id, number)
        number += 1
    return close_segment(job_id, outcome)


@DBOS.step(name="prepare")
def prepare_job(job_id: str) -> Outcome:
    """Bring the job here. `turn` is the number of the turn that follows."""
    steps = _steps_of(job_id)
    with steps.work.step_under_way():
        outcome = steps.explain_errors(steps.open_job)
    return {**outcome, "turn": steps.work.job.turns + 1}


@DBOS.step(name="turn")
def run_turn(job_id: str, number: int) -> Outcome:
    """Reserve, work, prove, settle."""
    steps = _steps_of(job_id)
    with steps.work.step_under_way():
        return steps.explain_errors(lambda: steps.take_turn(number))


@DBOS.step(name="close")
def close_segment(job_id: str, outcome: Outcome) -> str:
    """Publish what has ended, give the job back, and remove its files."""
    steps = _steps_of(job_id)
    with steps.work.step_under_way():
        final = steps.explain_errors(lambda: steps.give_back(outcome))
        steps.work.close(final["state"], outcome.get("reason") or outcome.get("waits_for", ""))
    return str(final["state"])
