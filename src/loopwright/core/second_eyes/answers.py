"""What a second agent answers, as data: one JSON object of a fixed form, of bounded size.

Nothing here runs. A command of it runs in a clean checkout inside a sandbox, or not at all.
"""

from __future__ import annotations

from ... import lazy_re as re
from ..json_text import JSONError, loads
from ..prompts.phrases import clip_text, one_line, strip_control_characters
from ..record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MAX_ANSWER = 200_000  # characters; an answer above is none
MAX_ITEMS = 12  # proposals or objections that are looked at
MAX_COMMAND, MAX_TEST, MAX_WORDS = 4_000, 20_000, 300
ASKED = ("missing", "extra", "cheat", "evidence")
DEMAND = "demand {}"
NOT_LOOKED_AT = f"at most {MAX_ITEMS} are looked at"
SAFE_PATH = re.compile(r"[A-Za-z0-9_][\w@+-]*(?:\.[\w@+-]+)*(?:/[A-Za-z0-9_][\w@+.-]*)*")
END_OF_TEST = "LOOPWRIGHT_END_OF_TEST"


class Trial(Record):
    """A command that a second agent proposes, and the test file that it needs; "": none."""

    command: str
    path: str = ""
    text: str = ""

    def script(self, may_replace: bool = False) -> str:
        """One shell line that writes the file into a checkout of its own, and runs the command.

        The file must be new, unless it `may_replace` one that the worker has given the same name.
        """
        if not self.path:
            return self.command
        folder = self.path.rpartition("/")[0]
        made = f"mkdir -p '{folder}' && " if folder else ""
        is_new = "" if may_replace else f"[ ! -e '{self.path}' ] && "
        return (
            f"{is_new}{made}cat > '{self.path}' <<'{END_OF_TEST}' || exit 126\n"
            f"{self.text}\n{END_OF_TEST}\n{self.command}\n"
        )


class Objection(Record):
    """What a reviewer objects to, and the command that it says shows it."""

    question: str
    problem: str
    file: str = ""
    line: int = 0
    trial: Trial | None = None
    flaw: str = ""  # why its command may not run at all

    @property
    def text(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.problem}" if place else self.problem


class Review(Record):
    """A complete answer of a reviewer."""

    answers: tuple[tuple[str, str], ...]  # yes or no to each question
    objections: tuple[Objection, ...] = ()


class Proposal(Record):
    """A check that a second agent proposes for one sentence of the spec."""

    quote: str
    says: str  # what must hold, in plain words
    trial: Trial | None = None
    is_guard: bool = False  # it must pass now already, because the sentence asks to keep something
    flaw: str = ""


class GreenTry(Record):
    """How an agent says that it turned the checks green, and a check that would have noticed."""

    how: str
    says: str = ""
    stronger: Trial | None = None


def json_object_in(text: str) -> dict[str, Any] | None:
    """The one JSON object in the text, which prose or a fence may surround; None: there is none."""
    if len(text) > MAX_ANSWER:
        return None
    for attempt in (text, text[text.find("{") : text.rfind("}") + 1]):
        try:
            value = loads(attempt)
        except JSONError:
            continue
        if isinstance(value, dict):
            return value
    return None


def read_review(text: str, questions: tuple[str, ...]) -> Review | None:
    """The review; None if a question has no answer, for then nobody knows what was looked at."""
    found = json_object_in(text) or {}
    answers, listed = found.get("answers"), found.get("objections")
    if not isinstance(answers, dict) or not isinstance(listed, list):
        return None
    if any(answers.get(question) not in ("yes", "no") for question in questions):
        return None
    objections = [_read_objection(each) for each in listed[:MAX_ITEMS]]
    if more := _left_out(listed):
        objections.append(Objection("", more, flaw=NOT_LOOKED_AT))
    return Review(
        tuple((question, answers[question]) for question in questions),
        tuple(objection for objection in objections if objection.problem),
    )


def read_proposals(text: str) -> tuple[Proposal, ...] | None:
    """The proposed checks; None if the answer is not in the form."""
    listed = (json_object_in(text) or {}).get("checks")
    if not isinstance(listed, list):
        return None
    proposals = [_read_proposal(each) for each in listed[:MAX_ITEMS]]
    if more := _left_out(listed):
        proposals.append(Proposal("", more, flaw=NOT_LOOKED_AT))
    return tuple(proposals)


def _left_out(listed: list[Any]) -> str:
    more = len(listed) - MAX_ITEMS
    return f"{more} more" if more > 0 else ""


def read_attempt(text: str) -> GreenTry:
    """What it says; our own runs alone tell whether it is so."""
    found = json_object_in(text) or {}
    row = found.get("stronger")
    row = row if isinstance(row, dict) else {}
    how = _words(found.get("how")) or "(it does not say how)"
    return GreenTry(how, _words(row.get("says")), read_trial(row)[0])


def _read_objection(row: Any) -> Objection:
    if not isinstance(row, dict):
        return Objection("", _words(row))
    trial, flaw = read_trial(row)
    line = row.get("line")
    return Objection(
        question=_words(row.get("question")),
        problem=_words(row.get("problem")),
        file=_words(row.get("file")),
        line=line if type(line) is int and 0 < line < 10_000_000 else 0,
        trial=trial,
        flaw=flaw,
    )


def _read_proposal(row: Any) -> Proposal:
    if not isinstance(row, dict):
        return Proposal("", _words(row), flaw="it is not in the form asked for")
    trial, flaw = read_trial(row)
    quote, says = _words(row.get("quote")), _words(row.get("says"))
    if not trial and not flaw:
        flaw = "it names no command"
    if not quote or not says:
        flaw = flaw or "it does not say what must hold, or quotes no sentence"
    return Proposal(quote, says, trial, row.get("guard") is True, flaw)


def read_trial(row: dict[str, Any]) -> tuple[Trial | None, str]:
    """The command of a row; else why it may not run. Both are empty if it names none."""
    command, path, text = (_raw_text(row.get(name)) for name in ("command", "path", "test"))
    if not command.strip():
        return None, "a test file without the command that runs it" if text else ""
    if len(command) > MAX_COMMAND or len(text) > MAX_TEST:
        return None, "its command or its test file is too long"
    if "\0" in command + text or END_OF_TEST in command + text:
        return None, "its command or its test file cannot be written to a file"
    if bool(path) != bool(text):
        return None, "a test file needs a path and a text"
    if path and not is_confined(path):
        return None, f"its test file is outside the project: {clip_text(one_line(path), 80)}"
    return Trial(command, path, text), ""


def is_confined(path: str) -> bool:
    """Is it a plain relative path, without folders that begin with a dot?"""
    return len(path) <= 200 and bool(SAFE_PATH.fullmatch(path))


def _raw_text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _words(value: Any) -> str:
    """A short line of plain text for people."""
    text = value if isinstance(value, str) else ""
    return clip_text(one_line(strip_control_characters(text)), MAX_WORDS)
