"""Intake: what a person typed becomes criteria and steps. Only what is said is taken; nothing is invented silently."""

from __future__ import annotations

import re

from .criteria import Check, Criterion
from .json_text import JSONError, loads
from .loop import Step
from .workflow import detect_workflow

SPEC_SATISFIED = "the spec is satisfied"
# What a spec may speak of → the criterion it means. The repository's own command of that name becomes its check.
TOPICS = {
    "tests pass": r"\b(tests?|pytest|unittest|jest|vitest)\b",
    "lint clean": r"\b(lint\w*|ruff|eslint|flake8|clippy|style errors?)\b",
    "no type errors": r"\b(type ?check\w*|type errors?|typing|mypy|pyright|tsc)\b",
    "build succeeds": r"\b(the build|build errors?|builds? (again|passes|succeeds|is green)|compil\w+)\b",
}
CRITERIA_HEADING = re.compile(
    r"^\W*(success criteria|acceptance criteria|acceptance|criteria|done when|must)\W*$", re.I
)
LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(?:\[[ x]\]\s*)?(.+)$")


def parse_named_check(text: str) -> tuple[str, Check | None]:
    """NAME=COMMAND, split at the first `=`; a JSON list is an argv, anything else a shell line; no `=`: a name alone."""
    name, equals, command = text.partition("=")
    name, command = name.strip(), command.strip()
    if not name or (equals and not command):
        raise ValueError(f'write it as NAME=COMMAND, such as "tests pass=pytest -q"; got {text!r}')
    if not equals:
        return name, None
    try:
        argv = loads(command)
    except JSONError:
        argv = [] if command.startswith('["') else None  # `[ -f x ]` is a shell's own
    if not isinstance(argv, list):
        return name, Check(command)
    if not argv or not all(isinstance(word, str) for word in argv):
        raise ValueError(f"a command in brackets is a JSON list of strings; got {command!r}")
    return name, Check(tuple(argv))


def spec_topics(spec: str) -> tuple[str, ...]:
    """The criteria that the words of the spec speak of."""
    return tuple(name for name, pattern in TOPICS.items() if re.search(pattern, spec, re.I))


def spec_lists(spec: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Lists in the spec: those under a heading such as «success criteria» are criteria, all others are steps."""
    criteria: list[str] = []
    steps: list[str] = []
    into = steps
    for line in spec.splitlines():
        if CRITERIA_HEADING.match(line.rstrip(": ")):
            into = criteria
        elif item := LIST_ITEM.match(line):
            into.append(item.group(1).strip()[:200])
        elif line.strip() and into is criteria:
            into = steps
    return tuple(criteria), tuple(steps)


def criteria_of(spec: str, detected: dict[str, Check]) -> tuple[Criterion, ...]:
    """Explicit lists first, then topics with the repository's commands; tests that exist always guard the work."""
    names = list(spec_lists(spec)[0])
    spoken = spec_topics(spec)
    flow = detect_workflow(spec)
    if not names and (
        not spoken or (flow.sure and flow.letter in "AC")
    ):  # something is to be made: passing tests show half
        names.append(SPEC_SATISFIED)
    names += [name for name in spoken if name not in names]
    if "tests pass" in detected and "tests pass" not in names:
        names.append("tests pass")
    return tuple(Criterion(name, detected.get(name)) for name in dict.fromkeys(names))


def steps_of(spec: str, given: tuple[str, ...], usual: tuple[str, ...]) -> tuple[Step, ...]:
    """The person's steps, else the spec's own list, else what this kind of work usually takes."""
    names = given or spec_lists(spec)[1] or usual
    return tuple(Step(name) for name in dict.fromkeys(names))
