"""A job as the dashboards show it: a row of the board, and the page of its loop. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..core.loop import Loop
from ..core.prompts.phrases import clip_text, strip_control_characters
from ..views.board_of_loops import MAX_SPEC, BoardRow, JobView, one_clean_line
from ..views.loop_page import LimitView, LoopPage, clean_text, loop_page
from .board import next_command
from .hints import respell_hints
from .tables import ASKING, CANCELLED, ENDED, FAILED, PAUSED, QUEUED, RUNNING

Facts = Mapping[str, Any]  # columns of a job
STATUSES = {
    QUEUED: "queued",
    RUNNING: "running",
    ASKING: "asking",
    PAUSED: "paused",
    ENDED: "finished",
    FAILED: "failed",
    CANCELLED: "cancelled",
}
MAX_NAME = 80
RAISED_LIMITS = re.compile(r"--(?:budget|iterations|minutes)=[\d.]+")
ANSWER_REACHES = "The next worker with a free slot continues with it."


def job_row(job: Facts, waits_for: str, clock_offset: float, now: float = 0.0) -> BoardRow:
    """The row of a job; `now` is the time of the database, and `clock_offset` is how far this
    machine's clock is ahead of it.
    """
    loop = job["loop_facts"]
    verdict = loop.get("verdict") or {}
    limits = loop.get("limits") or {}
    criteria = loop.get("criteria") or []
    tasks = (loop.get("plan") or {}).get("tasks", [])
    view = _job_view(job, waits_for, now)
    return BoardRow(
        id=job["id"],
        project=job["repository"].rstrip("/").rpartition("/")[2].removesuffix(".git"),
        root=job["repository"],
        status=STATUSES[job["state"]],
        policy=loop.get("policy", ""),
        spec=strip_control_characters(
            clip_text(" ".join((loop.get("spec") or job["name"]).split()), MAX_SPEC)
        ),
        why=one_clean_line(_reason(job, view, verdict)),
        verdict=verdict.get("name", ""),
        grade=str(verdict.get("grade") or "").replace("-", " "),
        iterations=loop.get("iterations", 0),
        max_iterations=limits.get("iterations", 0),
        dollars=round(loop.get("dollars", 0.0), 4),
        max_dollars=limits.get("dollars", 0.0),
        is_cost_known=not loop.get("unpriced_models"),
        minutes=round(loop.get("minutes", 0.0), 1),
        max_minutes=limits.get("minutes", 0.0),
        met=sum(bool(criterion["met"]) for criterion in criteria),
        criteria=len(criteria),
        tasks_done=sum(task["state"] == "done" for task in tasks),
        tasks=len(tasks),
        open_items=len((loop.get("backlog") or {}).get("items", [])),
        driver=f"worker {view.worker}" if view.worker else "",
        started_at=loop.get("started_at") or job["created_at"] + clock_offset,
        changed_at=job["changed_at"] + clock_offset,
        ended_at=job["ended_at"] + clock_offset if job["ended_at"] else 0.0,
        job=view,
    )


def _job_view(job: Facts, waits_for: str, now: float) -> JobView:
    later = job["not_before"] if job["not_before"] > now else 0.0
    return JobView(
        id=job["id"],
        name=clip_text(one_clean_line(job["name"]), MAX_NAME),
        state=job["state"],
        repository=one_clean_line(job["repository"]),
        worker=job["worker"] if job["state"] == RUNNING else "",
        waits_for=one_clean_line(waits_for) if job["state"] == QUEUED else "",
        loop=job["loop"],
        priority=job["priority"],
        labels=tuple(job["labels"]),
        queue_key=(later, -job["priority"], job["created_at"]) if job["state"] == QUEUED else (),
    )


def _reason(job: Facts, view: JobView, verdict: Facts) -> str:
    """The open question, what it waits for, why it stands still, or the verdict."""
    state = job["state"]
    if state == ASKING:
        return str(job["question"])
    if state == QUEUED:
        return f"waits for {view.waits_for}" if view.waits_for else ""
    if state == PAUSED:
        return respell_hints(job["reason"], job["id"])
    if state in (FAILED, CANCELLED):
        return str(job["reason"])
    if not verdict:
        return ""
    if verdict.get("proven") or verdict.get("tests_hold"):
        return f"{verdict['name']}, {str(verdict['grade']).replace('-', ' ')}"
    return f"{verdict['name']}, not proven: {verdict['why']}"


def job_page(job: Facts, row: BoardRow, loop: Loop | None) -> LoopPage:
    """The page of a job; without its journal, with what the database tells at once."""
    page = loop_page(loop) if loop else _page_from_facts(job, row)
    is_asking = job["state"] == ASKING
    gate = (job["loop_facts"].get("question") or {}).get("gate", "")
    return page.but(
        headline=_headline(job, row, page, gate),
        # With the limits that must be raised before the loop can continue.
        next_command=" ".join(
            (next_command(job["state"], job["id"]), *RAISED_LIMITS.findall(page.next_command))
        ),
        gate=gate if is_asking else "",
        question=clean_text(job["question"]) if is_asking else "",
        answer_reaches=ANSWER_REACHES if is_asking else "",
        verdict_notes=(*page.verdict_notes, *_whole_reason(job, row)),
        # Nobody rules on a job that is over.
        awaiting_ruling=page.awaiting_ruling if not job["ended_at"] else (),
    )


def _whole_reason(job: Facts, row: BoardRow) -> list[str]:
    """Why the job failed, where the row has no room for all of it."""
    reason = clean_text(job["reason"]).strip() if job["state"] == FAILED else ""
    return [reason] if " ".join(reason.split()) != row.why and reason else []


def _headline(job: Facts, row: BoardRow, page: LoopPage, gate: str) -> str:
    if job["state"] == ASKING:
        return f"waiting for a person ({gate}): {row.why}"
    if job["state"] in (RUNNING, ENDED) and page.headline and not page.question:
        return respell_hints(page.headline, job["id"])
    return f"{row.status}: {row.why}" if row.why else row.status


def _page_from_facts(job: Facts, row: BoardRow) -> LoopPage:
    limits = (
        LimitView("iterations", row.iterations, row.max_iterations),
        LimitView("dollars", row.dollars, row.max_dollars),
        LimitView("minutes", row.minutes, row.max_minutes),
    )
    return LoopPage(
        headline="",
        next_command="",
        spec=clean_text(job["loop_facts"].get("spec") or job["name"]),
        criteria=(),
        limits=limits if job["loop"] else (),
        counters=(),
    )
