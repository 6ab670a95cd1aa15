"""The board of a fleet and the page of a job as text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.prompts.phrases import count_phrase, cut_at_word
from ...fleet.board import FleetBoard, jobs_without_worker, parked_jobs
from ...fleet.limits import Limit
from ...fleet.wait_reasons import worker_command
from ...views.clock import clock_time

MAX_JOBS = 200  # rows of the table; --json has all
JOB_HEAD = ("JOB", "NAME", "STATE", "WAITS FOR", "WORKER", "ITER", "DOLLARS", "AGE")
WORKER_HEAD = ("WORKER", "STATE", "JOBS", "LABELS", "ACCOUNTS", "RELEASE")
LIMIT_HEAD = ("LIMIT", "AT ONCE", "TURNS", "BUDGET", "")
TURN_HEAD = ("TURN", "STATE", "SPENT", "SET ASIDE", "BEGAN", "TOOK")
GAP = "  "


def board_lines(board: FleetBoard) -> list[str]:
    shown = board.jobs[:MAX_JOBS]
    lines = table_lines(JOB_HEAD, [_job_row(job) for job in shown]) if shown else []
    if len(board.jobs) > len(shown):
        lines.append(f"… and {len(board.jobs) - len(shown)} more: loop fleet status --json")
    if not shown:
        lines.append('No open job. Submit one: loop fleet submit "SPEC". Closed ones: --all')
    if board.workers:
        lines += ["", *table_lines(WORKER_HEAD, [_worker_row(row) for row in board.workers])]
    if board.limits:
        lines += ["", *limit_lines(board.limits, board.now)]
    lines += ["", _totals_line(board.totals)]
    if not board.totals["workers"]:
        lines.append("No worker is running. Start one: loop fleet worker")
    for missing, ids in jobs_without_worker(board).items():
        verb = "waits" if len(ids) == 1 else "wait"
        lines.append(f"{count_phrase(len(ids), 'job')} {verb} for {missing}, and none is running.")
        lines.append(f"  {worker_command(missing)}")
    lines += [f"{job['id']} is parked: {job['reason']}" for job in parked_jobs(board)]
    if board.totals["jobs"]["failed"]:
        lines.append("Why jobs failed: loop fleet doctor")
    asking = next((job for job in board.jobs if job["state"] == "asking"), None)
    if asking:
        lines.append(f"{asking['id']} asks: {asking['question']}")
        lines.append(f"Answer: {asking['next_command']}")
    return lines


def table_lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns as wide as their widest cell; the last one is not padded."""
    widths = [max(len(row[at]) for row in (head, *rows)) for at in range(len(head))]
    padded = (
        GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        for row in (head, *rows)
    )
    return [line.rstrip() for line in padded]


def _job_row(job: dict[str, Any]) -> tuple[str, ...]:
    state = grade_text(job["grade"]) or job["state"] if job["state"] == "ended" else job["state"]
    waits = job["waits_for"]
    if job["not_before"]:
        waits = f"{waits} until {clock_time(job['not_before'])}"
    return (
        job["id"],
        cut_at_word(" ".join(job["name"].split()), 32),
        state,
        cut_at_word(" ".join(waits.split()), 44),
        job["worker"],
        str(job["iterations"]),
        dollars_text(job),
        duration_text(job["age_seconds"]),
    )


def dollars_text(job: dict[str, Any]) -> str:
    """Spent, what was lost with turns that were cut off, and the budget."""
    dollars = job["dollars"]
    text = f"${dollars['spent']:.2f}"
    if dollars["lost"]:
        text += f" +{dollars['lost']:.2f} lost"
    return f"{text} of {job['budget']:.2f}" if job["budget"] else text


def _worker_row(row: dict[str, Any]) -> tuple[str, ...]:
    state = row["state"]
    if state == "silent":
        state = f"silent for {duration_text(row['silent_seconds'])}"
    return (
        row["id"],
        state,
        f"{row['busy']} of {row['slots']}",
        ", ".join(row["labels"]) or "-",
        ", ".join(row["accounts"]),
        row["release"],
    )


def limit_lines(found: Sequence[Limit], now: float) -> list[str]:
    rows = []
    for limit in found:
        period = duration_text(limit.period)
        blocked = f"blocked until {clock_time(limit.blocked_until)}: {limit.blocked_why}"
        rows.append(
            (
                limit.scope,
                f"{limit.used_at_once} of {limit.at_once}" if limit.at_once else "-",
                f"{limit.used_turns} of {limit.turns} in {period}" if limit.turns else "-",
                f"${limit.used_dollars:.2f} of {limit.budget:.2f}" if limit.budget else "-",
                blocked if limit.blocked_until > now else "",
            )
        )
    return table_lines(LIMIT_HEAD, rows)


def _totals_line(totals: dict[str, Any]) -> str:
    counts = [f"{number} {state}" for state, number in totals["jobs"].items() if number]
    spent = totals["spent"] + totals["spent_by_removed_jobs"]
    lost = f", ${totals['lost']:.2f} lost" if totals["lost"] else ""
    aside = f", ${totals['reserved']:.2f} set aside" if totals["reserved"] else ""
    workers = count_phrase(totals["workers"], "worker")
    return (
        f"Jobs: {', '.join(counts) or 'none'}. {workers}, {totals['busy']} of "
        f"{totals['slots']} slots busy. ${spent:.2f} spent{lost}{aside}."
    )


def job_lines(page: dict[str, Any]) -> list[str]:
    """One job with all that is known of it."""
    rows = [
        ("job", f"{page['id']}  {page['name']}"),
        ("state", _state_text(page)),
        ("repository", f"{page['repository']} at {page['base_commit'][:12]}"),
        ("worker", page["worker"]),
        ("account", page["account"]),
        ("labels", ", ".join(page["labels"])),
        ("priority", str(page["priority"]) if page["priority"] else ""),
        ("iterations", str(page["iterations"])),
        ("dollars", dollars_text(page)),
        ("results", page["published"] or page["results"]),
        ("question", page["question"]),
        ("reason", page["reason"]),
        ("unmet", ", ".join(page["loop_facts"].get("unmet", ()))),
    ]
    width = max(len(name) for name, _ in rows)
    lines = [f"{name.ljust(width)}  {text}" for name, text in rows if text]
    if page["turns_taken"]:
        turns = [_turn_row(turn) for turn in page["turns_taken"]]
        lines += ["", *table_lines(TURN_HEAD, turns)]
    return [*lines, "", f"Next: {page['next_command']}"]


def grade_text(grade: str) -> str:
    """The grade of an ended job in words."""
    return grade.replace("-", " ")


def _state_text(page: dict[str, Any]) -> str:
    text = str(page["state"])
    if page["grade"]:
        text += f", {grade_text(page['grade'])}"
    if page["state"] == "queued":
        text += f", waits for {page['waits_for']}"
        if page["not_before"]:
            text += f" until {clock_time(page['not_before'])}"
    return text


def _turn_row(turn: dict[str, Any]) -> tuple[str, ...]:
    took = turn["ended_at"] - turn["started_at"] if turn["ended_at"] else 0.0
    return (
        str(turn["number"]),
        turn["state"],
        f"${turn['known'] if turn['state'] == 'reserved' else turn['spent']:.2f}",
        f"${turn['reserved']:.2f}",
        clock_time(turn["started_at"]),
        duration_text(took) if took else "-",
    )


def duration_text(seconds: float) -> str:
    """Such as 42s, 7m, 3h, 12d."""
    for unit, size in (("d", 86_400), ("h", 3600), ("m", 60)):
        if seconds >= 2 * size or (seconds >= size and seconds % size == 0):
            return f"{seconds / size:.0f}{unit}"
    return f"{seconds:.0f}s"
