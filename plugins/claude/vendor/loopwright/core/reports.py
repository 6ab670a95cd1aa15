"""What executors and fixers say of their work: TASK COMPLETE, TASK FAILED, CHECKPOINT, NEW ISSUE, GAP CLOSED. Never proof.

Only lines that the agent says itself count, and only where they begin with these words: a sentence that mentions them
reports nothing. No `re` here: this is read at every Stop of a plan loop.
"""

from __future__ import annotations

from .markers import spoken_lines
from .record import Record

COMPLETE, FAILED = "COMPLETE", "FAILED"
CHECKPOINT, ISSUE, CLOSED, GAP_FAILED = "CHECKPOINT", "NEW ISSUE", "GAP CLOSED", "GAP FAILED"
STORIES = {"story-complete": COMPLETE, "story-blocked": FAILED}  # the tags of ralph
FIELDS = {"progress": "progress", "blocker": "blocker", "suggested fix": "fix", "files": "", "commit": "", "auto-fixes": ""}
DIVIDERS = ":-–—(.!"
MARKS = ("- ", "* ", "+ ", "[x] ", "[X] ")
WRAPPING = "*_`#()[]:,.;"  # around an id
SIGNS = " ✅✔✓☑🎉❌✗✘🛑⏸⚠\ufe0f"
UNTOLD = "no reason given"
MOST_TEXT = 1_000
MOST_LINE = 4_000
MOST = 50  # of each kind of line


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
    closed: tuple[str, ...] = ()
    gap_failed: tuple[str, ...] = ()
    unclear: int = 0  # reports that may be about any task, or about none of these


def reports_in(text: str, tasks: tuple[str, ...]) -> Reports:
    """What a message reports of these tasks. One that is both complete and failed has failed: that is the honest reading."""
    complete: dict[str, bool] = {}
    failed: dict[str, TaskReport] = {}
    notes: dict[str, list[str]] = {CHECKPOINT: [], ISSUE: [], CLOSED: [], GAP_FAILED: []}
    unclear, task, field = 0, "", ""  # what the next lines tell more about
    for raw in spoken_lines(text):
        line = _bare(raw[:MOST_LINE])
        if note := _note(line):
            notes[note[0]].append(note[1])
            task = ""
        elif report := _report(line, tasks):
            verb, task, reason = report
            unclear += not task
            if task and verb == COMPLETE:
                complete[task], task = True, ""
            elif task:
                failed[task], field = TaskReport(task, reason), "reason"
        elif raw.startswith("#"):
            task = ""
        elif task:
            failed[task], field = _more(failed[task], field, raw[:MOST_LINE], line)
    return Reports(
        tuple(name for name in complete if name not in failed),
        tuple(failed.values()),
        next((reason or UNTOLD for reason in reversed(notes[CHECKPOINT])), ""),
        tuple(dict.fromkeys(issue for issue in notes[ISSUE] if issue))[:MOST],
        tuple(notes[CLOSED][:MOST]),
        tuple(notes[GAP_FAILED][:MOST]),
        unclear,
    )


def _bare(line: str) -> str:
    """The line without its heading, bullet, box, number, emphasis and cheer; as many of them as anybody puts on one line."""
    for _ in range(6):
        rest = line.lstrip(SIGNS)
        for mark in MARKS:
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


def _note(line: str) -> tuple[str, str] | None:
    """A line that is about no task by name, and what it says."""
    for word in (CHECKPOINT, ISSUE, CLOSED, GAP_FAILED):
        if line.startswith(word):
            divided, rest = _divided(line[len(word) :])
            severity, _, said = rest.partition("] ") if rest.startswith("[") else ("", "", rest)
            if (divided or not rest) and not _is_blank_form(said) and not severity.startswith(("[{", "[<")):
                return word, plain(rest)
    return None


def _divided(after: str) -> tuple[bool, str]:
    """Is what stands behind a word set off from it? And what it is; nothing, if there are only signs."""
    after = after.strip()
    divider = after[:1]
    divided = divider != "" and divider in DIVIDERS
    rest = after.lstrip(divider).strip() if divided else after
    return divided, rest if any(letter.isalnum() for letter in rest) else ""


def _is_blank_form(text: str) -> bool:
    """No more than our own words for what belongs there: {reason}, <reason>."""
    return text[:1] + text[-1:] in ("{}", "<>") or (text != "" and not any(letter.isalnum() for letter in text))


def _report(line: str, tasks: tuple[str, ...]) -> tuple[str, str, str] | None:
    """COMPLETE or FAILED, the task that it is about (empty: unclear), the reason."""
    for tag, verb in STORIES.items():
        if line.startswith(f"<{tag}>") and line.endswith(f"</{tag}>"):
            inner = line[len(tag) + 2 : -len(tag) - 3].strip()
            if verb == COMPLETE and inner:
                return verb, _named(inner, tasks), ""
            return _about(verb, inner, True, tasks)
    if not line.startswith("TASK "):
        return None
    name, rest = "", " ".join(line.split())[5:]
    for _ in range(2):
        verb = COMPLETE if rest.startswith(COMPLETE) else FAILED
        after = rest.removeprefix(verb)
        if after != rest and not after[:1].isalnum():
            divided, rest = _divided(after)
            return _of(verb, name, rest, divided, tasks) if name else _about(verb, rest, divided, tasks)
        name, _, rest = rest.partition(" ")
    return None


def _of(verb: str, name: str, rest: str, divided: bool, tasks: tuple[str, ...]) -> tuple[str, str, str] | None:
    """TASK 02 FAILED: reason. A sentence may begin so too (TASK IS COMPLETE WHEN …), and then it is no report."""
    task = _named(name, tasks)
    if (not task and not any(letter.isdecimal() for letter in name)) or (rest and not divided) or _is_blank_form(rest):
        return None
    return verb, task, plain(rest)


def _about(verb: str, rest: str, divided: bool, tasks: tuple[str, ...]) -> tuple[str, str, str] | None:
    """TASK FAILED: 02: reason, or without the id. A number that begins the reason (2 tests fail) is none."""
    word, _, text = rest.partition(" ")
    name, colon, tail = word.partition(":")
    text = f"{tail} {text}".strip()
    alone = bool(colon) or not text or not word[-1].isalnum() or text[0] in DIVIDERS
    task = _named(name, tasks)
    if task and (alone or not divided or not name.isdecimal() or name.startswith("0")):
        reason = text.lstrip(":-–— ")
        return None if _is_blank_form(reason) else (verb, task, plain(reason))
    if name and alone and any(_looks_like(name, task) for task in tasks):
        return verb, "", ""  # another's
    if (rest and not divided) or _is_blank_form(rest):
        return None
    return verb, tasks[0] if len(tasks) == 1 else "", plain(rest)


def _named(name: str, tasks: tuple[str, ...]) -> str:
    """The task of this name: as written, or as the only one that is the same without T, zeros and capitals."""
    name = name.strip(WRAPPING)
    same = [task for task in tasks if task == name] or [task for task in tasks if _folded(task) == _folded(name)]
    return same[0] if len(same) == 1 else ""


def _folded(name: str) -> str:
    low = name.casefold()
    bare = low[1:] if low[:1] == "t" and low[1:2].isdecimal() else low
    return bare.lstrip("0") or bare


def _looks_like(name: str, task: str) -> bool:
    """03 looks like 02, and US-7 like US-001: it is meant as the id of a task. In «404: not found» it is not."""
    return len(_folded(name.strip(WRAPPING))) <= len(task) and _shape(name) == _shape(task)


def _shape(name: str) -> str:
    shape = "".join("0" if letter.isdecimal() else letter for letter in _folded(name.strip(WRAPPING)))
    while "00" in shape:
        shape = shape.replace("00", "0")
    return shape


def _more(report: TaskReport, field: str, raw: str, line: str) -> tuple[TaskReport, str]:
    """The lines below a failure: its fields, and what goes on with one. An empty line ends what has begun."""
    name, colon, value = line.partition(":")
    name = name.strip("*_ ").casefold()
    if colon and name in FIELDS:
        field = FIELDS[name]
        return (report.but(**{field: plain(value)}) if field else report), field
    said = getattr(report, field) if field else ""
    if not any(letter.isalnum() for letter in raw):
        return report, "" if said else field
    words = raw.lstrip("-+ ").removeprefix("* ")
    return (report.but(**{field: plain(f"{said} {words}")}) if field else report), field


def plain(text: str, most: int = MOST_TEXT) -> str:
    """Somebody's words as one line that no terminal obeys, and no longer than this."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text[: 4 * most]).split())[:most].rstrip()
