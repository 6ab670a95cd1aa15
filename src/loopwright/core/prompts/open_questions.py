"""What a person can still decide after a loop has ended unproven, each with its exact command."""

from __future__ import annotations

import shlex

from ... import lazy_re as re
from ..findings import HIGH, MEDIUM, Finding
from ..loop import Loop, open_findings
from ..proof.disputes import DROP, KEEP, Dispute
from ..proof.grades import TESTED, checked_criteria, is_accepted_after_end, unshown_criteria
from ..proof.verdict import against_work_tests
from ..record import Record
from .disputes import LOOKS_USED_UP
from .phrases import clip_text, one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_QUESTIONS = 12
MAX_REASON = 200
COMMIT = re.compile(r"[0-9a-f]{40,64}")  # in the user's repository
TAKE_ALL = "To take the whole result as it is:"
TO_DECIDE = "To decide, in a terminal of your own"


class OpenQuestion(Record):
    """A question in one line, and the commands that answer it."""

    text: str
    commands: tuple[str, ...]

    @property
    def line(self) -> str:
        return f"{self.text} {' or '.join(f'`{command}`' for command in self.commands)}"


def open_questions(loop: Loop) -> tuple[OpenQuestion, ...]:
    """The first questions of an ended loop; none if it was accepted."""
    questions = all_questions(loop)
    if len(questions) <= MAX_QUESTIONS:
        return questions
    rest = OpenQuestion(f"And {len(questions) - MAX_QUESTIONS} more:", ("loop accept",))
    return (*questions[:MAX_QUESTIONS], rest)


def all_questions(loop: Loop) -> tuple[OpenQuestion, ...]:
    verdict = loop.verdict
    if not verdict or is_accepted_after_end(loop):
        return ()
    undecided = {dispute.criterion: dispute for dispute in loop.disputes if not dispute.ruling}
    left = (Dispute(name) for name in loop.left_to_verdict if name not in undecided)
    disputes = tuple(map(_about_dispute, (*undecided.values(), *left)))
    if verdict.is_shown:
        return disputes  # an independent check holds the verdict back, and not the proof
    disputed = {dispute.criterion for dispute in loop.disputes}
    questions = (
        *_about_findings(open_findings(loop, HIGH, MEDIUM)),
        *disputes,
        *(
            _about_criterion(loop, name)
            for name in _criteria_to_decide(loop)
            if name not in disputed
        ),
    )
    if questions or not verdict.why:
        return questions
    why = clip_text(one_line(verdict.why), MAX_REASON).rstrip(".")
    text = f"{why}. {TAKE_ALL}"
    return (OpenQuestion(text, ("loop accept --all",)),)


def _criteria_to_decide(loop: Loop) -> tuple[str, ...]:
    """Where tests show the work, why they are not enough says more than that no command has."""
    is_tested = loop.verdict and loop.verdict.grade_word == TESTED
    if is_tested or against_work_tests(loop):
        return tuple(c.name for c in checked_criteria(loop) if c.name in unshown_criteria(loop))
    return unshown_criteria(loop)


def _about_findings(findings: Iterable[Finding]) -> Iterator[OpenQuestion]:
    """One question for each file and all that is found in it, except for each place of many."""
    by_place: dict[str, list[Finding]] = {}
    for finding in findings:
        by_place.setdefault(finding.place, []).append(finding)
    for place, found in by_place.items():
        words = "; ".join(dict.fromkeys(one_line(finding.text) for finding in found))
        keys = " ".join(finding.key for finding in found)
        text = f"{one_line(place)}: {words}. If it is right as it is:"
        yield OpenQuestion(text, (f"loop accept {keys}",))


def _about_dispute(dispute: Dispute) -> OpenQuestion:
    problem = LOOKS_USED_UP
    if dispute.why:
        problem = (
            f"the agent calls its check wrong ({clip_text(one_line(dispute.why), MAX_REASON)})"
        )
    text = f"{one_line(dispute.criterion)}: {problem}."
    name = shlex.quote(dispute.criterion)
    return OpenQuestion(text, tuple(f"loop rule {name} {ruling}" for ruling in (KEEP, DROP)))


def _about_criterion(loop: Loop, name: str) -> OpenQuestion:
    text = f"{one_line(name)}: no command has shown it. {change_to_read(loop)}{TAKE_ALL}"
    return OpenQuestion(text, ("loop accept --all",))


def change_to_read(loop: Loop) -> str:
    """What a person looks at who decides without a command; "" if it is not known."""
    baseline = loop.baseline
    if not baseline.change:
        return ""
    before, after = baseline.tree_id, baseline.end_commit
    has_names = all(map(COMMIT.fullmatch, (before, after))) and not loop.room.baseline_commit
    command = f": git diff {before[:10]} {after[:10]}" if has_names else ""
    return f"Read the change ({one_line(baseline.change)}{command}). "


def question_lines(loop: Loop) -> str:
    """The questions below the verdict at the end of a run; "" for none."""
    questions = open_questions(loop)
    rows = "".join(f"\n? {question.line}" for question in questions)
    return f"\n{TO_DECIDE}:{rows}" if rows else ""
