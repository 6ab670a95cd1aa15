"""What the templates say in numbers, taken from the code: a page cannot disagree with what runs."""

from __future__ import annotations

import re

from ..agents.claude.hooks import BLOCK_CAP
from ..core import rubric, workflow
from ..core.loop import TRANSITIONS, Limits
from ..core.plan import GAPS, Plan
from ..drive.orders import MOST_DOLLARS, MOST_ITERATIONS
from ..store.mirror import WORDS

SCORED = (
    "make it better",
    "fix all failing tests",
    "refactor all API routes to use validation middleware",
    "validate src/api/users.ts with zod, no new dependencies, until all tests pass and lint is clean",
)


def of_the_code(exits: dict[int, str]) -> dict[str, str]:
    """Placeholder → text."""
    limit, plan = Limits(), Plan("1")
    return {
        "retries": f"{plan.retries}",
        "rounds": f"{plan.rounds}",
        "gaps": "\n".join(f"| {kind} | {strategy} |" for kind, strategy in GAPS.items()),
        "tool": f"{rubric.TOOL}",
        "colleague": f"{rubric.COLLEAGUE}",
        "below_tool": f"{rubric.TOOL - 1}",
        "dollars": f"{limit.dollars:g}",
        "iterations": f"{limit.iterations}",
        "minutes": f"{limit.minutes:g}",
        "most_dollars": f"{MOST_DOLLARS:g}",
        "most_iterations": f"{MOST_ITERATIONS}",
        "transient": f"{limit.transient}",
        "same_error": f"{limit.same_error}",
        "cap": f"{BLOCK_CAP}",
        "statuses": ", ".join(f"`{WORDS.get(status, status)}`" for status in TRANSITIONS),
        "workflows": "\n".join(map(_workflow, workflow.GATES)),
        "breakers": "\n".join(_breakers(limit)),
        "stuck_rule": _stuck(limit),
        "examples": "\n".join(map(_example, SCORED)),
        "exits": "\n".join(f"| {code} | {meaning} |" for code, meaning in exits.items()),
    }


def _workflow(letter: str) -> str:
    names = {"A": "Build", "B": "Debug", "C": "Refactor"}
    words = ", ".join(f'"{word}"' for word in workflow.WORDS[letter])
    return f"| **{letter} ({names[letter]})** | {words} | {workflow.GATES[letter]} |"


def _breakers(limit: Limits) -> list[str]:
    rows = [
        ("same criteria unmet", f"{limit.rethink}x, then {limit.stuck}x in a row", "asked to change the approach, then paused"),
        ("same error", f"{limit.same_error}x in a row", "paused, help is asked for"),
        ("same file edited", f"{limit.same_file}x in one iteration", "paused, likely thrashing"),
        ("only talk", f"{limit.idle}x in a row", "paused: no tool used, nothing changed, nothing new claimed"),
        ("no tool call", f"{BLOCK_CAP + 1}x in a row", "paused: the client takes no more"),
        ("a mustNot comes true", "at once", "paused"),
        ("budget", f"${limit.dollars:g}", "paused, going on is offered"),
        ("iterations", f"{limit.iterations}", "paused, going on is offered"),
        ("running time", f"{limit.minutes:g} minutes", "paused, going on is offered"),
    ]
    return [f"| {what} | {at} | {then} |" for what, at, then in rows]


def _stuck(limit: Limits) -> str:
    return (
        "A stop counts as stuck when the set of unmet criteria has not shrunk, was seen before lately, no step was finished\n"
        f"and no check proved more or reported a better number. After {limit.rethink} in a row the prompt asks for another\n"
        f"approach; after {limit.stuck} the loop pauses."
    )


def _example(spec: str) -> str:
    points = rubric.score(spec)
    total = sum(point.points for point in points)
    parts = " · ".join(f"{p.dimension} {p.points}" for p in points)
    found = rubric.shape(points)
    return f"- «{spec}»: {parts} = **{total}**, {found.name if found else 'too vague'}"


def filled(data: bytes, fill: dict[str, str], name: str) -> bytes:
    """{{placeholders}} by what they stand for; one that nobody knows is an error."""

    def value(found: re.Match[str]) -> str:
        if found[1] not in fill:
            raise ValueError(f"BUG: {name} asks for {found[0]}, which no code gives")
        return fill[found[1]]

    return re.sub(r"\{\{(\w+)\}\}", value, data.decode()).encode()
