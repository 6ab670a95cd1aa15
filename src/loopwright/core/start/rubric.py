"""The rubric: five dimensions of 0 to 2 points, scored from the words of the spec, with reasons.

It replaces the judgement of a model when there is no session. If in doubt, it scores low, so that
the person is asked once too often rather than once too rarely.
"""

from __future__ import annotations

import re

from ..loop import Point, Shape
from .requests import is_request, sentences_of

TOOL_POINTS, COLLEAGUE_POINTS = 8, 5
# What commit messages and issues carry along, and what says nothing about the work.
REFERENCE = re.compile(
    r"(?m)^[\w-]+-by:.*$|https?://\S+|(?:\b(?:pr|issue|gh)[ -])?#\d+|\bgh-\d+"
    # The mark of a list item, and a year.
    r"|^\s*\d+[.)](?=\s)|\b(?:since|in|of|until) (?:the )?(?:19|20)\d\d\b"
)


def _word_pattern(*alternatives: str) -> str:
    return rf"\b(?:{'|'.join(alternatives)})\b"


VAGUE = _word_pattern("better|nicer|good|great|awesome|clean|all the problems|stuff|things")
NUMBER = r"(?:[<>≤≥=]|\b)\s*\d+(?:\.\d+)?\s*(?:%|ms|s|mb|kb|loc|lines|x)?(?:\b|$)"
TESTS = r"\ball (?:\w+ ){0,2}tests?\b"
GROUP = r"\ball (?:\w+ ){0,2}(?:routes?|endpoints?|files|modules|components|pages)\b"
STATE = _word_pattern(
    r"pass(?:es|ing)?|green|returns? \d+|no (?:\w+ ){0,2}(?:errors?|warnings?|failures?)",
    r"status \d+|fail(?:s|ing|ed)?|builds?|compiles?|reject\w*|validat\w+",
    r"(?:is|are|be|was) (?:red|broken)",
    r"(?:ruff|eslint|flake8|clippy|mypy|pyright|tsc|lint|types?)\b[^.\n]{0,30} (?:is|are) clean",
)
METRIC = _word_pattern(
    r"performance|latency|speed|memory|coverage|size|accessib\w+|security|reliab\w+"
)
ACTION = _word_pattern(
    "add|implement|create|build|write|fix|debug|refactor|migrate|rename|remove",
    "delete|replace|move|convert|support|update|upgrade|improve|change|drop|print|show|document",
    "translate|switch|extract|split|port|annotate|bump|pin|rewrite|simplify|raise|lower|speed up",
)
TEXT = r"(?<!\w)'[^'\n]{2,}'(?!\w)|\"[^\"\n]{2,}\""
PLACE = (
    r"(?:(?<![\w.-])[\w.-]+/[\w./-]*\w"
    r"|\b[\w-]+\.(?:py|[jt]sx?|go|rs|java|rb|md|c|h|cpp|css|html|sql|toml|json|ya?ml)\b"
    r"|\b[a-z_]\w+\.[a-z_]\w+\b"  # Type.method, module.name
    r"|\b\w+\([^()\n]*\)|`[^`]+`|/[a-z][\w/-]+|(?<![\w-])--[a-z][\w-]+|\b[a-z\d]+_[a-z\d_]+\b)"
)
DOCUMENT = r"\breadme\b|\bchangelog\b|\b[\w/-]+\.(?:md|rst|adoc)\b"
MODULE = _word_pattern(
    r"module|package|parser|api|auth\w*|routes?|endpoints?|tests?|suite|page|component",
    r"service|cli|command|function|class|middleware|schema|docs?|readme|login|ui|form",
)
LIMIT = _word_pattern(
    r"no new|without|must not|do not|don't|only use|at most|no more than|under \d+",
    r"keep (?:the )?(?:public )?\w+|backwards? compatible|stdlib",
)
STACK = _word_pattern(
    r"existing|middleware|(?:using|use|with)(?! (?:unit )?tests?\b)(?: \w+)?|zod|pydantic",
    "react|django|flask|fastapi|express|typescript|sql|same",
)
METHOD = _word_pattern(
    r"tests?|pytest|unittest|jest|vitest|lint\w*|ruff|eslint|mypy|type ?check\w*",
    r"type errors?|builds?|compile\w*|e2e|qa|benchmarks?|coverage|ci|review\w*|returns? \d+",
)
ENDPOINT = _word_pattern(
    "until|done when|when (?:all|the|every)|merged|deployed|released|exits? 0|green"
)
FINISHED = _word_pattern("all|every|each|complete|entire|failing|pass(?:es|ing)?|works?")
# For each dimension: the points, the words that earn them, and the reason. The first match decides.
OUTCOME_ROWS = (
    (2, NUMBER, "a measurable target"),
    (2, f"{GROUP}|{TESTS}", "every one of a named group"),
    (2, STATE, "a state that can be seen"),
    (2, TEXT, "an exact text"),
    (1, METRIC, "a named metric"),
    (1, ACTION, "a named action"),
    (1, r"\b(?:should|shall|must)\b", "a behaviour is asked for"),
)
SCOPE_ROWS = (
    (2, PLACE, "files or functions are named"),
    (2, GROUP, "a whole named group"),
    (1, MODULE, "a module is named"),
)
CONSTRAINT_ROWS = (
    (2, LIMIT, "an explicit limit"),
    (1, STACK, "a stack or technique is named"),
)
DONE_ROWS = (
    (2, ENDPOINT, "an observable end"),
    (1, FINISHED, "an end is implied"),
)
QUESTIONS = {
    "Outcome": "What will be different when it is done? (a state or a number)",
    "Scope": "Which files, module or feature does it concern?",
    "Constraints": "What must stay as it is? (no new dependencies, public API, ...)",
    "Success": "Which command shows that it works? (pytest -q, npm test, ...)",
    "Done": "When exactly may the loop stop?",
}


def score_spec(spec: str, checks: int = 0) -> tuple[Point, ...]:
    """A point for each dimension, with the words that earned it."""
    low = REFERENCE.sub(" ", spec.lower())
    outcome = _score_outcome(low)
    scope = _score_dimension(low, "Scope", SCOPE_ROWS, "the whole code base")
    constraints = _score_dimension(low, "Constraints", CONSTRAINT_ROWS, "none stated")
    success = _score_success(low, outcome, checks)
    done = _score_dimension(low, "Done", DONE_ROWS, "implied at most")
    if checks:
        done = Point("Done", 2, "done when the given checks pass")
    elif success.points == outcome.points == 2:
        done = Point("Done", 2, "several methods show the end")
    return (outcome, scope, constraints, success, done)


def _score_outcome(low: str) -> Point:
    has_target = re.search(f"{NUMBER}|{STATE}|{GROUP}|{TESTS}|{TEXT}", low)
    if re.search(VAGUE, low) and not has_target:
        return Point("Outcome", 0, "vague words, no target")
    point = _score_dimension(low, "Outcome", OUTCOME_ROWS, "no outcome is named")
    if not point.points and any(map(is_request, sentences_of(low))):
        return Point("Outcome", 1, "a request")
    return point


def _score_success(low: str, outcome: Point, checks: int) -> Point:
    if checks:
        return Point("Success", 2, f"{checks} check{'s' * (checks > 1)} given")
    methods = sorted({match.group() for match in re.finditer(METHOD, low)})
    if methods:
        return Point("Success", min(2, len(methods)), f"methods: {', '.join(methods)}")
    if outcome.points == 2:
        return Point("Success", 1, "implied by the outcome")
    return Point("Success", 0, "none stated")


def _score_dimension(
    low: str, dimension: str, rows: tuple[tuple[int, str, str], ...], otherwise: str
) -> Point:
    for points, pattern, reason in rows:
        if match := re.search(pattern, low):
            return Point(dimension, points, f"{reason}: {match.group().strip()!r}")
    return Point(dimension, 0, otherwise)


def shape_for(
    points: tuple[Point, ...],
    total: int | None = None,
    checks: int = 0,
    wanted: str = "auto",
    needs_no_check: bool = False,
) -> Shape | None:
    """The shape for a score: tool from 8, colleague from 5 or with checks; None: too vague.

    `needs_no_check`: the repository has tests, which guard the work, or the work is a document.
    Then a spec that names the work is enough, unless somebody who knows more has scored it.
    """
    if total is None:
        total = sum(point.points for point in points)
        checks = checks or int(needs_no_check and _names_work(points))
    if wanted in ("tool", "colleague"):
        return Shape(wanted, total, points)
    if total >= TOOL_POINTS:
        return Shape("tool", total, points)
    if total >= COLLEAGUE_POINTS or checks:
        return Shape("colleague", total, points)
    return None


def _names_work(points: tuple[Point, ...]) -> bool:
    """Does it say what is to be done, and where or to what end?"""
    of = {point.dimension: point.points for point in points}
    return of["Outcome"] == 2 or (of["Outcome"] > 0 and of["Scope"] > 0)


def names_document(spec: str) -> bool:
    """Is it about a document? No test shows that one is as it should be."""
    return bool(re.search(DOCUMENT, spec.lower()))


def parse_point(text: str) -> Point:
    """A point as a model or a person gives it: `Outcome: 2 (a clear refactor)`."""
    match = re.fullmatch(r"\s*(\w+)\s*[:=]\s*([0-2])\s*[(:-]?\s*(.+?)\)?\s*", text, re.S)
    if not match or match[1].capitalize() not in QUESTIONS:
        raise ValueError(
            f'write a point as "Outcome: 2 (why)", with one of {", ".join(QUESTIONS)} '
            f"and 0, 1 or 2; got {text!r}"
        )
    return Point(match[1].capitalize(), int(match[2]), " ".join(match[3].split())[:200])


def open_questions(points: tuple[Point, ...]) -> dict[str, str]:
    """The questions about dimensions without full points, the lowest score first."""
    lacking = [point for point in points if point.points < 2]
    lacking.sort(key=lambda point: point.points)
    return {point.dimension: QUESTIONS[point.dimension] for point in lacking}
