"""Reports: read TASK COMPLETE, TASK FAILED, CHECKPOINT, NEW ISSUE and GAP CLOSED in a message.

A report is a claim, never proof. Only lines that begin with these words count, and only outside
quotes. This file does without `re`, because every Stop of a plan loop imports it.
"""

from __future__ import annotations

from ..record import Record
from .markers import unquoted_lines

COMPLETE, FAILED = "COMPLETE", "FAILED"
CHECKPOINT, NEW_ISSUE = "CHECKPOINT", "NEW ISSUE"
GAP_CLOSED, GAP_FAILED = "GAP CLOSED", "GAP FAILED"
NOTE_WORDS = (CHECKPOINT, NEW_ISSUE, GAP_CLOSED, GAP_FAILED)
STORY_TAGS = {"story-complete": COMPLETE, "story-blocked": FAILED}  # the tags of ralph
# Label of a detail line → field of TaskReport; empty: the line is ignored.
REPORT_FIELDS = {
    "progress": "progress",
    "blocker": "blocker",
    "suggested fix": "fix",
    "files": "",
    "commit": "",
    "auto-fixes": "",
}
DIVIDERS = ":-–—(.!"
LIST_MARKS = ("- ", "* ", "+ ", "[x] ", "[X] ")
WRAPPING = "*_`#()[]:,.;"  # characters around an id
DECORATIONS = " ✅✔✓☑🎉❌✗✘🛑⏸⚠\ufe0f"
NO_REASON = "no reason given"
MAX_TEXT = 1_000
MAX_LINE = 4_000
MAX_REPORTS = 50  # of each kind


class TaskReport(Record):
    """A task that its agent gave up, in its own words."""

    task: str
    reason: str = ""
    progress: str = ""
    blocker: str = ""
    fix: str = ""


class Reports(Record):
    """Everything that one message reports."""

    complete: tuple[str, ...] = ()
    failed: tuple[TaskReport, ...] = ()
    checkpoint: str = ""
    issues: tuple[str, ...] = ()
    closed_gaps: tuple[str, ...] = ()


def reports_in(text: str, tasks: tuple[str, ...]) -> Reports:
    """What a message reports about these tasks. One reported as complete and failed has failed."""
    complete: dict[str, bool] = {}
    failed: dict[str, TaskReport] = {}
    notes: dict[str, list[str]] = {word: [] for word in NOTE_WORDS}
    task, field = "", ""  # the failed task, and its field, that the next lines describe
    for raw in unquoted_lines(text):
        line = _strip_decorations(raw[:MAX_LINE])
        if note := _parse_note(line):
            word, message = note
            notes[word].append(message)
            task = ""
        elif report := _parse_report(line, tasks):
            verb, task, reason = report
            if task and verb == COMPLETE:
                complete[task], task = True, ""
            elif task:
                failed[task], field = TaskReport(task, reason), "reason"
        elif raw.startswith("#"):
            task = ""
        elif task:
            failed[task], field = _add_detail_line(failed[task], field, raw[:MAX_LINE], line)
    checkpoints = notes[CHECKPOINT]
    return Reports(
        complete=tuple(name for name in complete if name not in failed),
        failed=tuple(failed.values()),
        checkpoint=(checkpoints[-1] or NO_REASON) if checkpoints else "",
        issues=tuple(dict.fromkeys(filter(None, notes[NEW_ISSUE])))[:MAX_REPORTS],
        closed_gaps=tuple(notes[GAP_CLOSED][:MAX_REPORTS]),
    )


def _strip_decorations(line: str) -> str:
    """The line without heading, bullet, box, number, emphasis and emoji, up to six of them."""
    for _ in range(6):
        rest = _strip_one_decoration(line)
        if rest == line:
            break
        line = rest
    return line


def _strip_one_decoration(line: str) -> str:
    """The line without one decoration of each kind."""
    rest = line.lstrip(DECORATIONS)
    for mark in LIST_MARKS:
        rest = rest.removeprefix(mark)
    if rest.startswith("#"):
        rest = rest.lstrip("#").lstrip()
    number, dot, after = rest.partition(". ")
    if dot and len(number) < 4 and number.isdecimal():
        rest = after
    inside = rest.lstrip("*_")
    emphasis = rest[: len(rest) - len(inside)]
    return inside.replace(emphasis, "", 1) if emphasis else rest


def _parse_note(line: str) -> tuple[str, str] | None:
    """A line that names no task: its word, and the text behind it."""
    word = next((word for word in NOTE_WORDS if line.startswith(word)), "")
    if not word:
        return None
    divided, text = _text_after_divider(line[len(word) :])
    if text and not divided:  # a sentence that only begins with the word
        return None
    severity, message = "", text
    if text.startswith("["):
        severity, _, message = text.partition("] ")
    if _is_placeholder(message) or severity.startswith(("[{", "[<")):
        return None
    return word, single_line(text)


def _text_after_divider(after: str) -> tuple[bool, str]:
    """Does a divider follow the word? And the text behind it; empty if that has no words."""
    after = after.strip()
    divider = after[:1]
    divided = divider != "" and divider in DIVIDERS
    rest = after.lstrip(divider).strip() if divided else after
    return divided, rest if _has_words(rest) else ""


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def _is_placeholder(text: str) -> bool:
    """Is it our own placeholder, {reason} or <reason>, or punctuation only?"""
    if text[:1] + text[-1:] in ("{}", "<>"):
        return True
    return text != "" and not _has_words(text)


def _parse_report(line: str, tasks: tuple[str, ...]) -> tuple[str, str, str] | None:
    """COMPLETE or FAILED, the task (empty: unclear), and the reason; None: not a report."""
    for tag, verb in STORY_TAGS.items():
        if line.startswith(f"<{tag}>") and line.endswith(f"</{tag}>"):
            inner = line[len(tag) + 2 : -len(tag) - 3].strip()
            return _report_in_tag(verb, inner, tasks)
    if not line.startswith("TASK "):
        return None
    words = " ".join(line.split())[5:]
    if after := _split_verb(words):
        verb, divided, rest = after
        return _report_after_verb(verb, rest, divided, tasks)
    name, _, words = words.partition(" ")
    if name and (after := _split_verb(words)):
        verb, divided, rest = after
        return _report_on_named_task(verb, name, rest, divided, tasks)
    return None


def _split_verb(words: str) -> tuple[str, bool, str] | None:
    """The verb that the words begin with, whether a divider follows it, and the rest."""
    verb = COMPLETE if words.startswith(COMPLETE) else FAILED
    after = words.removeprefix(verb)
    if after == words or after[:1].isalnum():
        return None
    return verb, *_text_after_divider(after)


def _report_in_tag(verb: str, inner: str, tasks: tuple[str, ...]) -> tuple[str, str, str] | None:
    """<story-complete>02</story-complete> or <story-blocked>02: reason</story-blocked>."""
    if verb == COMPLETE and inner:
        return verb, _matching_task(inner, tasks), ""
    return _report_after_verb(verb, inner, True, tasks)


def _report_on_named_task(
    verb: str, name: str, rest: str, divided: bool, tasks: tuple[str, ...]
) -> tuple[str, str, str] | None:
    """TASK 02 FAILED: reason. A sentence such as "TASK IS COMPLETE WHEN …" is not a report."""
    task = _matching_task(name, tasks)
    is_id = task or any(map(str.isdecimal, name))
    is_sentence = rest and not divided
    if not is_id or is_sentence or _is_placeholder(rest):
        return None
    return verb, task, single_line(rest)


def _report_after_verb(
    verb: str, rest: str, divided: bool, tasks: tuple[str, ...]
) -> tuple[str, str, str] | None:
    """TASK FAILED: 02: reason, with or without the id.

    A number that only begins the reason, as in "2 tests fail", is not an id.
    """
    word, _, text = rest.partition(" ")
    name, colon, tail = word.partition(":")
    text = f"{tail} {text}".strip()
    is_alone = bool(colon) or not text or not word[-1].isalnum() or text[0] in DIVIDERS
    task = _matching_task(name, tasks)
    could_be_count = name.isdecimal() and not name.startswith("0")
    if task and (is_alone or not divided or not could_be_count):
        reason = text.lstrip(":-–— ")
        return None if _is_placeholder(reason) else (verb, task, single_line(reason))
    if name and is_alone and any(_looks_like_id(name, task) for task in tasks):
        return verb, "", ""  # the id of a task that is not among these
    if (rest and not divided) or _is_placeholder(rest):
        return None
    only_task = tasks[0] if len(tasks) == 1 else ""
    return verb, only_task, single_line(rest)


def _matching_task(name: str, tasks: tuple[str, ...]) -> str:
    """The task with this id, or the only one that differs just in T, zeros and capitals."""
    name = name.strip(WRAPPING)
    if tasks.count(name) == 1:
        return name
    same = [task for task in tasks if _normal_id(task) == _normal_id(name)]
    return same[0] if len(same) == 1 else ""


def _normal_id(name: str) -> str:
    low = name.casefold()
    bare = low[1:] if low[:1] == "t" and low[1:2].isdecimal() else low
    return bare.lstrip("0") or bare


def _looks_like_id(name: str, task: str) -> bool:
    """Is the name an id of the same form: 03 like 02, US-7 like US-001? "404: not found" is not."""
    return len(_normal_id(name.strip(WRAPPING))) <= len(task) and _id_shape(name) == _id_shape(task)


def _id_shape(name: str) -> str:
    """The id with each number replaced by 0."""
    letters = _normal_id(name.strip(WRAPPING))
    shape = "".join("0" if letter.isdecimal() else letter for letter in letters)
    while "00" in shape:
        shape = shape.replace("00", "0")
    return shape


def _add_detail_line(report: TaskReport, field: str, raw: str, line: str) -> tuple[TaskReport, str]:
    """Add a line below a failure: a new field, or more of the current one.

    Returns the field that the next line continues. An empty line ends a field that has text.
    """
    name, colon, value = line.partition(":")
    name = name.strip("*_ ").casefold()
    if colon and name in REPORT_FIELDS:
        field = REPORT_FIELDS[name]
        return _with_text(report, field, value), field
    text = getattr(report, field) if field else ""
    if not _has_words(raw):
        return report, "" if text else field
    words = raw.lstrip("-+ ").removeprefix("* ")
    return _with_text(report, field, f"{text} {words}"), field


def _with_text(report: TaskReport, field: str, text: str) -> TaskReport:
    return report.but(**{field: single_line(text)}) if field else report


def single_line(text: str, most: int = MAX_TEXT) -> str:
    """The text as one line of at most `most` characters, without control characters."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text[: 4 * most])
    return " ".join(printable.split())[:most].rstrip()
