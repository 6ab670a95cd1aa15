"""`loop fleet results JOB`: where the results of a job are; --fetch brings them here."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from ...drive.errors import UserError
from ...fleet.fleet_git import shown_address
from ...fleet.jobs import Job, find_job, read_checkpoint
from ...fleet.results import branch_of, fetch_results, receipt_ref
from .. import here, output
from .board_text import grade_text
from .connection import opened_database
from .status import state_code


def run(args: argparse.Namespace) -> int:
    if args.fetch and here.agent_variable():
        here.refuse_agent_command(here.find_loop_folder(), "fleet results --fetch")
    with opened_database(args) as database, database.reading() as connection:
        job = find_job(connection, args.job)
        stored = read_checkpoint(connection, job.id)
    facts = result_facts(job, stored)
    if args.fetch:
        if stored is None:
            raise UserError(f"job {job.id} has not begun, so there is nothing to fetch")
        facts["fetched"] = fetch_results(stored[1], repository_here(), job.id)
    if args.json:
        output.show_json(facts)
    else:
        output.show_text("\n".join(result_lines(job, facts)))
    return state_code(job.state, job.grade, job.reason, job.loop_facts)


def repository_here() -> Path:
    root = here.checkout_top(os.getcwd())
    if not os.path.exists(os.path.join(root, ".git")):
        raise UserError(f"{root} is no git repository. Go to one with the commit of the job")
    return Path(root)


def result_facts(job: Job, stored: tuple[int, bytes, bytes, bytes] | None) -> dict[str, Any]:
    facts = job.loop_facts
    return {
        "id": job.id,
        "name": job.name,
        "state": job.state,
        "grade": job.grade,
        "repository": job.repository,
        "commit": job.base_commit,
        "loop": job.loop,
        "branch": branch_of(job.id),
        "receipt_ref": receipt_ref(job.id),
        "results": shown_address(job.results),
        "published": job.published,
        "checkpoint_turn": stored[0] if stored else None,
        "checkpoint_bytes": sum(map(len, stored[1:])) if stored else 0,
        "verdict": facts.get("verdict"),
        "unmet": facts.get("unmet", []),
        "fetched": "",
    }


def result_lines(job: Job, facts: dict[str, Any]) -> list[str]:
    grade = f", {grade_text(job.grade)}" if job.grade else ""
    lines = [f"Job {job.id} is {job.state}{grade}: {job.name}"]
    if facts["verdict"] and facts["verdict"]["why"]:
        lines.append(f"Verdict: {facts['verdict']['why']}")
    if facts["unmet"]:
        lines.append(f"Not met: {', '.join(facts['unmet'])}")
    if facts["published"]:
        lines.append(f"Results: {facts['published']}")
    if facts["fetched"]:
        lines.append(f"Fetched: {facts['fetched']}")
    elif facts["checkpoint_turn"] is None:
        lines.append(f"It has not begun. See: loop fleet status {job.id}")
    else:
        size = facts["checkpoint_bytes"] / 1_000_000
        lines.append(
            f"In the database after turn {facts['checkpoint_turn']}, {size:.1f} MB. "
            f"Bring the branch {facts['branch']} here: loop fleet results {job.id} --fetch"
        )
    return lines
