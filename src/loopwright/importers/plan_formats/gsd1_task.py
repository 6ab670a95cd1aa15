"""The <task> and <feature> blocks of a GSD 1 plan. They have a name, but no id."""

from __future__ import annotations

from ... import lazy_re as re
from ...core.plan.plan import Task, TaskCheck
from ...core.prompts.phrases import clip_text
from ..plan_text import (
    dedent_text,
    fenced_lines,
    find_element,
    iter_elements,
    parse_attributes,
    split_lines,
)
from .document import MAX_TASKS, MAX_TITLE, ReadTask
from .task_words import checks_in, listed_files

TASK_LINE = re.compile(r"^[ \t]*<(task|feature)(?:\s[^<>\n]*)?>(?=[ \t]*(?:<[a-z]|$))", re.M)
# A part that begins behind another one on the same line.
LATER_PART = re.compile(r"(?<=>)[ \t]*(?=<(?:name|files|action|verify|done|behavior)\b)")
NUMBERED_NAME = re.compile(r"(?:Task|Feature)\s+(\d{1,3}[a-z]?)\s*[:.–—-]\s*(.*)$", re.I | re.S)
# Parts that say what is to be done, in the order in which an agent reads them.
PARTS = (
    *("read_first", "behavior", "implementation", "action", "what-built", "how-to-verify"),
    *("decision", "context", "options", "instructions", "resume-signal"),
)
CHECKPOINT = "checkpoint"


def is_checkpoint(task: Task) -> bool:
    return any(check.kind == CHECKPOINT for check in task.checks)


def read_tasks(text: str, plan: str) -> list[ReadTask]:
    """The tasks in order; their ids are the number of the plan and their own: 01-2."""
    rows: list[ReadTask] = []
    lines = split_lines(text)
    fenced = fenced_lines(lines)
    taken: set[str] = set()
    start, kind = 0, ""
    for number, line in enumerate([*lines, "<task>"]):
        if number in fenced or len(rows) > MAX_TASKS:  # the linter refuses so many
            continue
        opening = TASK_LINE.match(line)
        closes = bool(kind) and line.strip() == f"</{kind}>"
        if kind and (opening or closes):
            head, body = _head_and_body(lines[start:number])
            task = _read_task(head, body, plan, len(rows) + 1, taken)
            taken.add(task.id)
            rows.append(ReadTask(task, start + 1))
            kind = ""
        if opening:
            start, kind = number, opening[1]
    return rows


def _head_and_body(lines: list[str]) -> tuple[str, str]:
    """The opening tag and what follows it, also where the whole task is on one line."""
    opening = TASK_LINE.match(lines[0])
    end = opening.end() if opening else len(lines[0])
    first = LATER_PART.sub("\n", lines[0][end:].strip())
    return lines[0][:end], "\n".join([*([first] if first else []), *lines[1:]])


def _read_task(head: str, body: str, plan: str, position: int, taken: set[str]) -> Task:
    attributes = parse_attributes(head)
    name = " ".join(find_element(body, "name")[1].split())
    numbered = NUMBERED_NAME.match(name)
    own, title = numbered.groups() if numbered else (str(position), name)
    task_id = attributes.get("id") or "-".join(filter(None, (plan, own)))
    if task_id in taken:
        task_id = "-".join(filter(None, (plan, f"{position}b")))
    kind = attributes.get("type", "auto")
    texts = [dedent_text(find_element(body, part, 0, -1)[1]).strip("\n") for part in PARTS]
    action = "\n\n".join(filter(None, texts))
    is_person = kind.startswith(CHECKPOINT)
    if not action:
        action = re.sub(r"</?[\w-]+[^<>\n]*>", "", dedent_text("\n" + body)).strip()
    if not title:
        title = f"{kind}: {action}" if is_person else action
    return Task(
        id=task_id,
        title=clip_text(" ".join(title.split()), MAX_TITLE),
        files=listed_files(_file_list(body)),
        action=action,
        done_when=" ".join(find_element(body, "done")[1].split()) or title,
        checks=(*_checks(body), *([_person_check(body, title)] if is_person else ())),
        runs_alone=is_person,
    )


def _file_list(body: str) -> str:
    text = find_element(body, "files")[1]
    inner = [words for _, words in iter_elements(text, "file")]
    return "\n".join(inner) if inner else text


def _checks(body: str) -> tuple[TaskCheck, ...]:
    """The commands in <automated>, what else <verify> says, and each acceptance criterion."""
    verify = find_element(body, "verify", -1, -1)[1]
    commands = [" ".join(words.split()) for _, words in iter_elements(verify, "automated")]
    checks = [TaskCheck("test", line, line) for line in commands if _runs(line)]
    rest = re.sub(r"<automated>.*?</automated>", " ", verify, flags=re.S)
    rest = re.sub(r"</?[\w-]+>", " ", rest)
    checks += checks_in(rest)
    missing = [line for line in commands if not _runs(line)]
    checks += [TaskCheck("criterion", line) for line in missing if line]
    for line in find_element(body, "acceptance_criteria")[1].split("\n"):
        checks += checks_in(re.sub(r"^\s*[-*+]\s+(?:\[[ xX]\]\s+)?", "", line))
    return tuple(dict.fromkeys(checks))


def _runs(line: str) -> bool:
    """Is it a command? A plan may say MISSING: the test is still to be written."""
    return bool(line) and not line.upper().startswith(("MISSING", "N/A", "NONE"))


def _person_check(body: str, title: str) -> TaskCheck:
    words = find_element(body, "how-to-verify")[1] or find_element(body, "decision")[1] or title
    return TaskCheck(CHECKPOINT, clip_text(" ".join(words.split()), 500))
