"""`loop fleet submit`: queue one loop, or one for each line of a file."""

from __future__ import annotations

import argparse
import copy
import json
import sys
from collections.abc import Iterator
from typing import Any

from ...drive.errors import UserError
from ...drive.new_loop import TooVague
from ...fleet.jobs import JobRequest, submit_jobs
from .. import exits, output
from ..start.next_step import explain_vague_spec
from .connection import opened_database
from .job_request import JobBuilder
from .job_words import WordsParser
from .options import add_submit

MAX_LINES = 100_000
MAX_LINE = 2_000_000  # characters
# Options that belong to the whole command.
NOT_IN_A_LINE = ("from", "database", "json", "yes", "help")


class VagueLine(UserError):
    """A line of the file has a spec that is too vague to start on."""


def run(args: argparse.Namespace) -> int:
    builder = JobBuilder()
    if args.from_file:
        try:
            requests = list(requests_of_file(builder, args))
        except VagueLine as vague:
            output.show_warning(f"loop: {vague}")
            return exits.VAGUE
    else:
        try:
            requests = [builder.build(args)]
        except TooVague as vague:
            return explain_vague_spec(vague)
    with opened_database(args) as database:
        ids = submit_jobs(database, requests)
    if args.json:
        rows = [submitted_facts(*row) for row in zip(ids, requests, strict=True)]
        output.show_json(rows if args.from_file else rows[0])
    else:
        show_submitted(ids, requests)
    return exits.PROVEN


def submitted_facts(job_id: str, request: JobRequest) -> dict[str, Any]:
    return {
        "id": job_id,
        "name": request.name,
        "repository": request.repository,
        "commit": request.base_commit,
        "labels": list(request.labels),
        "account": request.account,
        "priority": request.priority,
        "results": request.results,
    }


def show_submitted(ids: list[str], requests: list[JobRequest]) -> None:
    for job_id, request in list(zip(ids, requests, strict=True))[:20]:
        output.show_text(f"Queued {job_id}: {request.name}")
    if len(ids) > 20:
        output.show_text(f"… and {len(ids) - 20} more; {len(ids)} jobs in all")
    labels = sorted({label for request in requests for label in request.labels})
    if labels:
        output.show_text(f"Needs a worker with: {', '.join(labels)}")
    output.show_text("Follow: loop fleet status --watch. Run jobs here: loop fleet worker")


def requests_of_file(builder: JobBuilder, args: argparse.Namespace) -> Iterator[JobRequest]:
    """A job for each line. What was typed holds for every line, unless the line says otherwise."""
    parser = WordsParser(
        prog="loop fleet submit", add_help=False, allow_abbrev=False, conflict_handler="resolve"
    )
    add_submit(parser)
    count = 0
    for number, line in enumerate(_read_lines(args.from_file), 1):
        if not line.strip():
            continue
        count += 1
        if count > MAX_LINES:
            raise UserError(f"more than {MAX_LINES:,} lines; submit them in parts")
        try:
            words = words_of_line(line)
            yield builder.build(parser.parse_args_into(words, copy.deepcopy(args)))
        except TooVague as vague:
            raise VagueLine(
                f"line {number}: {vague}. Say more, or give a check. Nothing was submitted"
            ) from vague
        except UserError as error:
            raise UserError(f"line {number}: {error}. Nothing was submitted") from error
    if not count:
        raise UserError(f"{args.from_file} has no line with a job")


def _read_lines(path: str) -> list[str]:
    try:
        if path == "-":
            return sys.stdin.read().split("\n")
        with open(path, encoding="utf-8-sig") as file:
            return file.read().split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}") from error


def words_of_line(line: str) -> list[str]:
    """The options of a JSON object as words: {"check": ["a=b"], "yes": true} → --check=a=b --yes"""
    if len(line) > MAX_LINE:
        raise UserError(f"longer than {MAX_LINE:,} characters")
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise UserError(f"no JSON: {error}") from error
    if not isinstance(values, dict):
        raise UserError('no JSON object such as {"spec": "fix all failing tests"}')
    words: list[str] = []
    for key, value in values.items():
        name = key.removeprefix("--").replace("_", "-")
        if name in NOT_IN_A_LINE:
            raise UserError(f"{key!r} is for the command, not for a line")
        if name != "spec":
            words += _option_of_value(name, value)
    spec = values.get("spec", "")
    if not isinstance(spec, str):
        raise UserError(f"spec takes a text, not {json.dumps(spec)[:60]}")
    return [*words, "--", spec] if spec else words


def _option_of_value(name: str, value: Any) -> list[str]:
    if value is None or value is False:
        return []
    if value is True:
        return [f"--{name}"]
    values = value if isinstance(value, list) else [value]
    for each in values:
        if isinstance(each, bool) or not isinstance(each, str | int | float):
            raise UserError(f"{name} takes a text or a number, not {json.dumps(each)[:60]}")
    return [f"--{name}={each}" for each in values]
