"""Intake: turn what a person typed into criteria and steps. Nothing is invented silently."""

from __future__ import annotations

import re

from ..criteria import SPEC_SATISFIED, Check, Criterion
from ..json_text import JSONError, loads
from ..loop import Step
from .binding import checks_wanted_by_spec, meant_checks, topics_of
from .workflow import detect_workflow

CRITERIA_HEADING = re.compile(
    r"^\W*(success criteria|acceptance criteria|acceptance|criteria|done when|must)\W*$", re.I
)
LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ x]\]\s*)?(.+)$")


def parse_named_check(text: str) -> tuple[str, Check | None]:
    """The name and check of NAME=COMMAND, or of a name alone.

    A command that is a JSON list is an argv, anything else is a shell line.
    """
    name, equals, command = text.partition("=")
    name, command = name.strip(), command.strip()
    if not name or (equals and not command):
        raise ValueError(f'write it as NAME=COMMAND, such as "tests pass=pytest -q"; got {text!r}')
    if not equals:
        return name, None
    try:
        argv = loads(command)
    except JSONError:
        # A broken list is an error, but `[ -f x ]` is a shell command.
        argv = [] if command.startswith('["') else None
    if not isinstance(argv, list):
        return name, Check(command)
    if not argv or not all(isinstance(word, str) for word in argv):
        raise ValueError(f"a command in brackets is a JSON list of strings; got {command!r}")
    return name, Check(tuple(argv))


def spec_lists(spec: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The spec's list items as criteria (below a heading such as «success criteria») and steps."""
    criteria: list[str] = []
    steps: list[str] = []
    section = steps
    for line in spec.splitlines():
        if CRITERIA_HEADING.match(line.rstrip(": ")):
            section = criteria
        elif item := LIST_ITEM.match(line):
            section.append(item.group(1).strip()[:200])
        elif line.strip():
            section = steps
    return tuple(criteria), tuple(steps)


def criteria_of(spec: str, detected: dict[str, Check]) -> tuple[Criterion, ...]:
    """Explicit lists first, then topics of the spec."""
    names = list(spec_lists(spec)[0])
    # A word for a check that the repository has not, in a spec that does not ask to run it, may
    # mean anything: the name of a script, a job of CI.
    known = {*detected, *checks_wanted_by_spec(spec), "tests pass"}
    topics = [name for name in topics_of(spec) if name in known]
    workflow = detect_workflow(spec)
    # Where something is to be built or refactored, passing tests show only half of it.
    makes_something = workflow.sure and workflow.letter in "AC"
    if not names and (makes_something or not topics):
        names.append(SPEC_SATISFIED)
    meant = {topic for name in names for topic in meant_checks(name)}
    names += [name for name in topics if name not in meant]
    return tuple(Criterion(name, detected.get(name)) for name in dict.fromkeys(names))


def steps_of(spec: str, typed: tuple[str, ...], usual: tuple[str, ...]) -> tuple[Step, ...]:
    """The person's steps, else the spec's own list, else the usual steps of this kind of work."""
    names = typed or spec_lists(spec)[1] or usual
    return tuple(Step(name) for name in dict.fromkeys(names))
