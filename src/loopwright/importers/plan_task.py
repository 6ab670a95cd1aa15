"""Read one <task> of a plan: its attributes, files and checks, and its action as raw text."""

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
# Attributes of a check that whoever looks must know.
CONTEXT_ATTRIBUTES = ("url", "viewport", "service")


def read(piece: Piece, wave: int) -> tuple[Task, list[PlanProblem]]:
    """The task, and the problems of its text. `wave` is that of the heading above it."""
    head, _, body = piece.text.partition("\n")
    attributes = parse_attributes(head)
    start, inner, end = find_element(body, "action", 0, -1)
    action, rest = dedent_text(inner), f"{body[:start]}\n{body[end:]}"
    files_text = without_comment_lines(find_element(rest, "files")[1])
    verify_text = without_comment_lines(find_element(rest, "verify", -1, -1)[1])
    files = tuple(
        PlannedFile(normalized_path(words), own.get("action", MODIFY).lower())
        for own, words in iter_elements(files_text, "file")
    )
    checks = iter_elements(verify_text, "check")
    own_wave = attributes.get("wave", "")
    task = Task(
        id=attributes.get("id", ""),
        title=attributes.get("title") or title_from_action(action),
        wave=int(own_wave) if is_wave_number(own_wave) else wave,
        depends=parse_names(re.sub(r"\s+", ",", attributes.get("depends", ""))),
        files=files,
        action=action,
        libraries=parse_names(find_element(rest, "libraries")[1]),
        skills=parse_names(find_element(rest, "skills")[1]),
        done_when=" ".join(find_element(rest, "done")[1].split()),
        checks=tuple(parse_check(own, words, files) for own, words in checks),
        requirements=parse_names(attributes.get("reqs", "")),
        runs_alone=attributes.get("parallel", "").lower() in ("false", "no"),
    )
    texts = [
        *unclosed_tags(body, rest),
        *unreadable_elements(files_text, "file", len(files)),
        *unreadable_elements(verify_text, "check", len(task.checks)),
    ]
    if "wave" in attributes and not is_wave_number(own_wave):
        texts.append(f"a wave is a number, not {own_wave[:40]!r}")
    problems = [PlanProblem(ERROR, piece.line, f"task {task.id}: {text}") for text in texts]
    if files_text.strip() and not files and not problems:
        text = f'task {task.id}: <files> names none. Each is a <file action="create|modify|delete">'
        problems.append(PlanProblem(WARNING, piece.line, text))
    return task, problems


def is_wave_number(text: str) -> bool:
    return text.isdecimal() and len(text) < 5


def unclosed_tags(body: str, rest: str) -> list[str]:
    """Problems of tags that are never closed: a check in such a tag would be lost silently."""
    # A tag inside the action is text, so the other parts are looked for outside of it.
    texts = {"action": body, **dict.fromkeys(PARTS, rest)}
    problems = []
    for name, text in texts.items():
        if f"</{name}>" not in text and re.search(rf"^[ \t]*<{name}\b", text, re.M):
            problems.append(f"<{name}> is never closed. End it with </{name}>")
    if body.rpartition("\n")[2].rstrip() != "</task>":
        problems.append(
            "no end. It is a line </task> at the first column. "
            "An example of a task is indented, or in a fence"
        )
    return problems


def unreadable_elements(text: str, name: str, readable: int) -> list[str]:
    """A problem if the text has more of these tags than could be read."""
    count = len(re.findall(rf"^[ \t]*<{name}[\s>]", text, re.M))
    if count <= readable:
        return []
    rule = f'Write <{name} name="value">…</{name}>; a quote inside a value is &quot;'
    return [f"{count - readable} of its {count} <{name}> cannot be read. {rule}"]


def normalized_path(words: str) -> str:
    """The path as the schedule compares it: ./a and a are one file."""
    return re.sub(r"/{2,}", "/", words.strip(" \t\r\n`\"'")).removeprefix("./")


def parse_check(
    attributes: dict[str, str], words: str, files: tuple[PlannedFile, ...]
) -> TaskCheck:
    """A <check>. Without a command, its words may name a file and a text to look for."""
    kind, command = attributes.get("type", "").lower(), attributes.get("cmd", "")
    text = " ".join(words.split())
    path, wanted = ("", ()) if command else check_target(kind, text, files)
    context = [name for name in CONTEXT_ATTRIBUTES if attributes.get(name)]
    return TaskCheck(
        kind=kind,
        text=text + "".join(f" ({name}: {attributes[name]})" for name in context),
        command=command,
        path=path,
        wanted=wanted,
    )


def title_from_action(action: str) -> str:
    """The first sentence of the action, or its first line."""
    line = action.lstrip().partition("\n")[0]
    sentence = re.split(r"(?<=[.!?])\s", line, maxsplit=1)[0]
    return clip_text(" ".join(sentence.split()).rstrip(".:"), MAX_TITLE)
