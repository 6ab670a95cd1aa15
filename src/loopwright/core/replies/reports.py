"""What executors and fixers say of their work: TASK COMPLETE, TASK FAILED, CHECKPOINT, NEW ISSUE, GAP CLOSED. Never proof.

Only lines that the agent says itself count, and only where they begin with these words: a sentence that mentions them
reports nothing. No `re` here: this is read at every Stop of a plan loop.
"""

from __future__ import annotations

from ..record import Record
from .markers import unquoted_lines

COMPLETE, FAILED = "COMPLETE", "FAILED"
CHECKPOINT, NEW_ISSUE, GAP_CLOSED, GAP_FAILED = (
    "CHECKPOINT",
    "NEW ISSUE",
    "GAP CLOSED",
    "GAP FAILED",
)
STORY_TAGS = {"story-complete": COMPLETE, "story-blocked": FAILED}  # the tags of ralph
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
WRAPPING = "*_`#()[]:,.;"  # around an id
DECORATIONS = " ✅✔✓☑🎉❌✗✘🛑⏸⚠\ufe0f"
NO_REASON = "no reason given"
MAX_TEXT = 1_000
MAX_LINE = 4_000
MAX_REPORTS = 50  # of each kind of line


class TaskReport(Record):
    """A task that its agent gave up, in its own words."""

    task: str
    reason: str = ""
    progress: str = ""
    blocker: str = ""
    fix: str = ""


class Reports(Record):
    complete: tuple[str, ...] = ()
    failed: tuple[TaskReport, ...] = ()
    checkpoint: str = ""
    issues: tuple[str, ...] = ()
    closed_gaps: tuple[str, ...] = ()
    failed_gaps: tuple[str, ...] = ()
    unclear: int = 0  # reports that may be about any task, or about none of these


def reports_in(text: str, tasks: tuple[str, ...]) -> Reports:
    """What a message reports of these tasks. One that is both complete and failed has failed: that is the honest reading."""
    complete: dict[str, bool] = {}
    failed: dict[str, TaskReport] = {}
    notes: dict[str, list[str]] = {CHECKPOINT: [], NEW_ISSUE: [], GAP_CLOSED: [], GAP_FAILED: []}
    unclear, task, field = 0, "", ""  # what the next lines tell more about
    for raw in unquoted_lines(text):
        line = _strip_decorations(raw[:MAX_LINE])
        if note := _parse_note(line):
            notes[note[0]].append(note[1])
            task = ""
        elif report := _parse_report(line, tasks):
            verb, task, reason = report
            unclear += not task
            if task and verb == COMPLETE:
                complete[task], task = True, ""
            elif task:
                failed[task], field = TaskReport(task, reason), "reason"
        elif raw.startswith("#"):
            task = ""
        elif task:
            failed[task], field = _add_detail_line(failed[task], field, raw[:MAX_LINE], line)
    return Reports(
        tuple(name for name in complete if name not in failed),
        tuple(failed.values()),
        next((reason or NO_REASON for reason in reversed(notes[CHECKPOINT])), ""),
        tuple(dict.fromkeys(issue for issue in notes[NEW_ISSUE] if issue))[:MAX_REPORTS],
        tuple(notes[GAP_CLOSED][:MAX_REPORTS]),
        tuple(notes[GAP_FAILED][:MAX_REPORTS]),
        unclear,
    )


def _strip_decorations(line: str) -> str:
    """The line without its heading, bullet, box, number, emphasis and cheer; as many of them as anybody puts on one line."""
    for _ in range(6):
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
        if emphasis:
            rest = inside.replace(emphasis, "", 1)
        if rest == line:
            break
        line = rest
    return line


def _parse_note(line: str) -> tuple[str, str] | None:
    """A line that is about no task by name, and what it says."""
    for word in (CHECKPOINT, NEW_ISSUE, GAP_CLOSED, GAP_FAILED):
        if line.startswith(word):
            divided, rest = _text_after_divider(line[len(word) :])
            severity, _, said = rest.partition("] ") if rest.startswith("[") else ("", "", rest)
            if (
                (divided or not rest)
                and not _is_blank_form(said)
                and not severity.startswith(("[{", "[<"))
            ):
                return word, single_line(rest)
    return None


def _text_after_divider(after: str) -> tuple[bool, str]:
    """Is what stands behind a word set off from it? And what it is; nothing, if there are only signs."""
    after = after.strip()
    divider = after[:1]
    divided = divider != "" and divider in DIVIDERS
    rest = after.lstrip(divider).strip() if divided else after
    return divided, rest if any(letter.isalnum() for letter in rest) else ""


def _is_blank_form(text: str) -> bool:
    """No more than our own words for what belongs there: {reason}, <reason>."""
    return text[:1] + text[-1:] in ("{}", "<>") or (
        text != "" and not any(letter.isalnum() for letter in text)
    )


def _parse_report(line: str, tasks: tuple[str, ...]) -> tuple[str, str, str] | None:
    """COMPLETE or FAILED, the task that it is about (empty: unclear), the reason."""
    for tag, verb in STORY_TAGS.items():
        if line.startswith(f"<{tag}>") and line.endswith(f"</{tag}>"):
            inner = line[len(tag) + 2 : -len(tag) - 3].strip()
            if verb == COMPLETE and inner:
                return verb, _matching_task(inner, tasks), ""
            return _report_after_verb(verb, inner, True, tasks)
    if not line.startswith("TASK "):
        return None
    name, rest = "", " ".join(line.split())[5:]
    for _ in range(2):
        verb = COMPLETE if rest.startswith(COMPLETE) else FAILED
        after = rest.removeprefix(verb)
        if after != rest and not after[:1].isalnum():
            divided, rest = _text_after_divider(after)
            return (
                _report_on_named_task(verb, name, rest, divided, tasks)
                if name
                else _report_after_verb(verb, rest, divided, tasks)
            )
        name, _, rest = rest.partition(" ")
    return None


def _report_on_named_task(
    verb: str, name: str, rest: str, divided: bool, tasks: tuple[str, ...]
) -> tuple[str, str, str] | None:
    """TASK 02 FAILED: reason. A sentence may begin so too (TASK IS COMPLETE WHEN …), and then it is no report."""
    task = _matching_task(name, tasks)
    if (
        (not task and not any(letter.isdecimal() for letter in name))
        or (rest and not divided)
        or _is_blank_form(rest)
    ):
        return None
    return verb, task, single_line(rest)


def _report_after_verb(
    verb: str, rest: str, divided: bool, tasks: tuple[str, ...]
) -> tuple[str, str, str] | None:
    """TASK FAILED: 02: reason, or without the id. A number that begins the reason (2 tests fail) is none."""
    word, _, text = rest.partition(" ")
    name, colon, tail = word.partition(":")
    text = f"{tail} {text}".strip()
    alone = bool(colon) or not text or not word[-1].isalnum() or text[0] in DIVIDERS
    task = _matching_task(name, tasks)
    if task and (alone or not divided or not name.isdecimal() or name.startswith("0")):
        reason = text.lstrip(":-–— ")
        return None if _is_blank_form(reason) else (verb, task, single_line(reason))
    if name and alone and any(_looks_like_id(name, task) for task in tasks):
        return verb, "", ""  # another's
    if (rest and not divided) or _is_blank_form(rest):
        return None
    return verb, tasks[0] if len(tasks) == 1 else "", single_line(rest)


def _matching_task(name: str, tasks: tuple[str, ...]) -> str:
    """The task of this name: as written, or as the only one that is the same without T, zeros and capitals."""
    name = name.strip(WRAPPING)
    same = [task for task in tasks if task == name] or [
        task for task in tasks if _normal_id(task) == _normal_id(name)
    ]
    return same[0] if len(same) == 1 else ""


def _normal_id(name: str) -> str:
    low = name.casefold()
    bare = low[1:] if low[:1] == "t" and low[1:2].isdecimal() else low
    return bare.lstrip("0") or bare


def _looks_like_id(name: str, task: str) -> bool:
    """03 looks like 02, and US-7 like US-001: it is meant as the id of a task. In «404: not found» it is not."""
    return len(_normal_id(name.strip(WRAPPING))) <= len(task) and _id_shape(name) == _id_shape(task)


def _id_shape(name: str) -> str:
    shape = "".join(
        "0" if letter.isdecimal() else letter for letter in _normal_id(name.strip(WRAPPING))
    )
    while "00" in shape:
        shape = shape.replace("00", "0")
    return shape


def _add_detail_line(report: TaskReport, field: str, raw: str, line: str) -> tuple[TaskReport, str]:
    """The lines below a failure: its fields, and what goes on with one. An empty line ends what has begun."""
    name, colon, value = line.partition(":")
    name = name.strip("*_ ").casefold()
    if colon and name in REPORT_FIELDS:
        field = REPORT_FIELDS[name]
        return (report.but(**{field: single_line(value)}) if field else report), field
    said = getattr(report, field) if field else ""
    if not any(letter.isalnum() for letter in raw):
        return report, "" if said else field
    words = raw.lstrip("-+ ").removeprefix("* ")
    return (report.but(**{field: single_line(f"{said} {words}")}) if field else report), field


def single_line(text: str, most: int = MAX_TEXT) -> str:
    """Somebody's words as one line that no terminal obeys, and no longer than this."""
    return " ".join(
        "".join(letter if letter.isprintable() else " " for letter in text[: 4 * most]).split()
    )[:most].rstrip()
