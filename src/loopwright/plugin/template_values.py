"""The values in the templates, taken from the code, so that no page disagrees with what runs."""

from __future__ import annotations

import re

from ..agents.claude.hooks import DEFAULT_BLOCK_CAP
from ..core.limits import MAX_DOLLARS, MAX_ITERATIONS, Limits
from ..core.plan.plan import Plan
from ..core.prompts import workflow_steps
from ..core.prompts.gap_texts import GAP_STRATEGIES
from ..core.start import rubric, workflow
from ..core.status import TRANSITIONS
from ..store.mirror import STATUS_WORDS

SCORED_EXAMPLES = (
    "make it better",
    "fix all failing tests",
    "refactor all API routes to use validation middleware",
    "validate src/api/users.ts with zod, no new dependencies, "
    "until all tests pass and lint is clean",
)


def values_from_code(exits: dict[int, str]) -> dict[str, str]:
    """Placeholder → text."""
    limit, plan = Limits(), Plan("1")
    return {
        "retries": f"{plan.retries}",
        "rounds": f"{plan.max_fix_rounds}",
        "gaps": "\n".join(f"| {kind} | {strategy} |" for kind, strategy in GAP_STRATEGIES.items()),
        "tool": f"{rubric.TOOL_POINTS}",
        "colleague": f"{rubric.COLLEAGUE_POINTS}",
        "below_tool": f"{rubric.TOOL_POINTS - 1}",
        "dollars": f"{limit.dollars:g}",
        "iterations": f"{limit.iterations}",
        "minutes": f"{limit.minutes:g}",
        "most_dollars": f"{MAX_DOLLARS:g}",
        "most_iterations": f"{MAX_ITERATIONS}",
        "transient": f"{limit.transient}",
        "same_error": f"{limit.same_error}",
        "cap": f"{DEFAULT_BLOCK_CAP}",
        "statuses": ", ".join(f"`{STATUS_WORDS.get(status, status)}`" for status in TRANSITIONS),
        "workflows": "\n".join(map(_workflow_row, workflow_steps.STEP_ZERO)),
        "breakers": "\n".join(_breaker_rows(limit)),
        "stuck_rule": _stuck_rule(limit),
        "examples": "\n".join(map(_scored_example, SCORED_EXAMPLES)),
        "exits": "\n".join(f"| {code} | {meaning} |" for code, meaning in exits.items()),
    }


def _workflow_row(letter: str) -> str:
    names = {"A": "Build", "B": "Debug", "C": "Refactor"}
    words = ", ".join(f'"{word}"' for word in workflow.WORKFLOW_WORDS[letter])
    return f"| **{letter} ({names[letter]})** | {words} | {workflow_steps.STEP_ZERO[letter]} |"


def _breaker_rows(limit: Limits) -> list[str]:
    rows = [
        (
            "same criteria unmet",
            f"{limit.rethink}x, then {limit.stuck}x in a row",
            "asked to change the approach, then paused",
        ),
        ("same error", f"{limit.same_error}x in a row", "paused, help is asked for"),
        ("same file edited", f"{limit.same_file}x in one iteration", "paused, likely thrashing"),
        (
            "only talk",
            f"{limit.idle}x in a row",
            "paused: no tool used, nothing changed, nothing new claimed",
        ),
        ("no tool call", f"{DEFAULT_BLOCK_CAP + 1}x in a row", "paused: the client takes no more"),
        ("a mustNot comes true", "at once", "paused"),
        ("budget", f"${limit.dollars:g}", "paused; you may continue"),
        ("iterations", f"{limit.iterations}", "paused; you may continue"),
        ("running time", f"{limit.minutes:g} minutes", "paused; you may continue"),
    ]
    return [f"| {what} | {at} | {then} |" for what, at, then in rows]


def _stuck_rule(limit: Limits) -> str:
    return (
        "A stop counts as stuck when the set of unmet criteria has not shrunk, was seen before "
        "lately, no step was finished\n"
        "and no check proved more or reported a better number. "
        "It counts half if files changed and the failing\n"
        "check prints no number that could show progress. "
        f"After {limit.rethink} in a row the prompt asks for another\n"
        f"approach; after {limit.stuck} the loop pauses."
    )


def _scored_example(spec: str) -> str:
    points = rubric.score_spec(spec)
    total = sum(point.points for point in points)
    parts = " · ".join(f"{p.dimension} {p.points}" for p in points)
    shape = rubric.shape_for(points)
    return f"- «{spec}»: {parts} = **{total}**, {shape.name if shape else 'too vague'}"


def fill_template(data: bytes, values: dict[str, str], name: str) -> bytes:
    """The template with its {{placeholders}} replaced; an unknown one is an error."""

    def value_of(placeholder: re.Match[str]) -> str:
        if placeholder[1] not in values:
            raise ValueError(f"BUG: {name} asks for {placeholder[0]}, which no code gives")
        return values[placeholder[1]]

    return re.sub(r"\{\{(\w+)\}\}", value_of, data.decode()).encode()
