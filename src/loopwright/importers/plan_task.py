"""One <task> of a plan: its attributes, files, action, checks. Its parts are found by their lines; the action is raw text."""

from __future__ import annotations

import re

from ..core.plan.plan import MODIFY, PlannedFile, Task, TaskCheck
from ..core.plan.reading import ERROR, WARNING, PlanProblem
from ..core.prompts.phrases import clip_text
from .plan_text import (
    Piece,
    dedent_text,
    find_element,
    iter_elements,
    parse_attributes,
    parse_names,
    without_comment_lines,
)
from .plan_words import check_target

MAX_TITLE = 72
PARTS = ("files", "libraries", "verify", "done", "skills")
CONTEXT_ATTRIBUTES = (
    "url",
    "viewport",
    "service",
)  # attributes of a check that whoever looks must know


def read(piece: Piece, wave: int) -> tuple[Task, list[PlanProblem]]:
    """The task, and what is wrong with its text. `wave` is that of the heading above it."""
    head, _, body = piece.text.partition("\n")
    said = parse_attributes(head)
    start, inner, end = find_element(body, "action", 0, -1)
    action, rest = dedent_text(inner), f"{body[:start]}\n{body[end:]}"
    within, verify = (
        without_comment_lines(find_element(rest, "files")[1]),
        without_comment_lines(find_element(rest, "verify", -1, -1)[1]),
    )
    files = tuple(
        PlannedFile(normalized_path(words), own.get("action", MODIFY).lower())
        for own, words in iter_elements(within, "file")
    )
    task = Task(
        said.get("id", ""),
        said.get("title") or title_from_action(action),
        int(said["wave"]) if is_wave_number(said.get("wave", "")) else wave,
        parse_names(re.sub(r"\s+", ",", said.get("depends", ""))),
        files,
        action,
        parse_names(find_element(rest, "libraries")[1]),
        parse_names(find_element(rest, "skills")[1]),
        " ".join(find_element(rest, "done")[1].split()),
        tuple(parse_check(own, words, files) for own, words in iter_elements(verify, "check")),
        parse_names(said.get("reqs", "")),
        said.get("parallel", "").lower() in ("false", "no"),
    )
    found = [
        *unclosed_tags(body, rest),
        *unreadable_elements(within, "file", len(files)),
        *unreadable_elements(verify, "check", len(task.checks)),
    ]
    if "wave" in said and not is_wave_number(said["wave"]):
        found.append(f"a wave is a number, not {said['wave'][:40]!r}")
    wrong = [PlanProblem(ERROR, piece.line, f"task {task.id}: {text}") for text in found]
    if within.strip() and not files and not wrong:
        text = f'task {task.id}: <files> names none. Each is a <file action="create|modify|delete">'
        wrong.append(PlanProblem(WARNING, piece.line, text))
    return task, wrong


def is_wave_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 5


def unclosed_tags(body: str, rest: str) -> list[str]:
    """A tag that is never closed takes what is in it away: that is said, or a check would be gone and nobody know."""
    places = {
        "action": body,
        **dict.fromkeys(PARTS, rest),
    }  # what stands in the action is nobody's part
    open_ones = [
        name
        for name, text in places.items()
        if re.search(rf"^[ \t]*<{name}\b", text, re.M) and f"</{name}>" not in text
    ]
    found = [f"<{name}> is never closed. End it with </{name}>" for name in open_ones]
    if body.rpartition("\n")[2].rstrip() != "</task>":
        found.append(
            "no end. It is a line </task> at the first column. An example of a task is indented, or in a fence"
        )
    return found


def unreadable_elements(text: str, name: str, number: int) -> list[str]:
    there = len(re.findall(rf"^[ \t]*<{name}[\s>]", text, re.M))
    how = f'Write <{name} name="value">…</{name}>; a quote inside a value is &quot;'
    return (
        [f"{there - number} of its {there} <{name}> cannot be read. {how}"]
        if there > number
        else []
    )


def normalized_path(words: str) -> str:
    """As the schedule compares it: ./a and a are one file."""
    return re.sub(r"/{2,}", "/", words.strip(" \t\r\n`\"'")).removeprefix("./")


def parse_check(said: dict[str, str], words: str, files: tuple[PlannedFile, ...]) -> TaskCheck:
    kind, command = said.get("type", "").lower(), said.get("cmd", "")
    text = " ".join(words.split())
    known = "".join(f" ({name}: {said[name]})" for name in CONTEXT_ATTRIBUTES if said.get(name))
    place, wanted = ("", ()) if command else check_target(kind, text, files)
    return TaskCheck(kind, text + known, command, place, wanted)


def title_from_action(action: str) -> str:
    """The first sentence, or the first line."""
    line = action.lstrip().partition("\n")[0]
    sentence = re.split(r"(?<=[.!?])\s", line, maxsplit=1)[0]
    return clip_text(" ".join(sentence.split()).rstrip(".:"), MAX_TITLE)
