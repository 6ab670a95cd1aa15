"""Our commands in the format of each host, from the same templates as the skills of Claude Code.

A command that the hook answers is a page that only names it: the hook sees the prompt and answers
without a model call. Where the host has no prompt hook, the page runs the command.
"""

from __future__ import annotations

import json
import os
import re

from ..agents.claude.hooks import PLAN_COMMANDS, RECORD_COMMANDS, TYPED_COMMANDS
from ..agents.wiring import CommandPages, Wiring
from ..formats.front_matter import body_start
from .build import TEMPLATES, iter_files
from .template_values import fill_template, values_from_code

MODEL_COMMANDS = ("start", "intent", "shape", "plan", "help")
READING_COMMANDS = ("status", "why", "receipt", "history", "pause")  # an agent may run these
KEPT_WORDS = re.compile(r"Typed as `/loop:[^`]*`.*?pass\s+their\s+request", re.DOTALL)
PLUGIN_PATH = re.compile(
    r"is on your PATH through (?:this|the) plugin(?:; its full path is `[^`]*`)?"
)
REFERENCES = re.compile(r" ?\[Examples\]\(references/[^)]*\)|^- \[[^]]*\]\(references/.*\n", re.M)
MARK = "Written by Loopwright; `loop uninstall` removes it."


def command_files(wiring: Wiring, exits: dict[int, str]) -> dict[str, bytes]:
    """Path below the host's folder → page, for each command that makes sense there."""
    pages = wiring.commands
    if pages is None:
        return {}
    files = {}
    for name, description, body in skill_pages(exits):
        if name in MODEL_COMMANDS:
            text = host_body(pages, body)
        elif name not in (*TYPED_COMMANDS, *RECORD_COMMANDS, *PLAN_COMMANDS):
            continue
        elif pages.answered_by_hook:
            text = f"/loop:{name} {pages.arguments}\n"
        elif pages.runs_inline and name in READING_COMMANDS:
            inline = pages.runs_inline.format(command=f"loop {name} {pages.arguments}".strip())
            text = f"Show this to the person, word for word, and do nothing else:\n\n{inline}\n"
        else:
            continue
        path = pages.path.format(name=name)
        files[path] = page_text(pages, f"loop-{name}", description, text).encode()
    return files


def skill_pages(exits: dict[int, str]) -> list[tuple[str, str, str]]:
    """Name, description and body of each of our own skills."""
    values, pages = values_from_code(exits), []
    for path, data in iter_files(os.path.join(TEMPLATES, "skills")):
        name, _, file = path.partition("/")
        if file != "SKILL.md":
            continue
        page = fill_template(data, values, path).decode()
        start = body_start(page)
        found = re.search(r"^description: (.*)$", page[:start], re.MULTILINE)
        description = found[1] if found else name
        pages.append((name, description.strip('"'), page[start:].strip() + "\n"))
    return pages


def host_body(pages: CommandPages, body: str) -> str:
    """The body with what is different in this host: no plugin, no words kept by a hook."""
    body = KEPT_WORDS.sub("Pass their request", body)
    body = PLUGIN_PATH.sub("is on your PATH", body)
    body = REFERENCES.sub("", body)
    body = body.replace("$ARGUMENTS", pages.arguments or "what they wrote with this command")
    return body.replace("!loop ", "loop ").replace("/loop:", pages.prefix)


def page_text(pages: CommandPages, name: str, description: str, body: str) -> str:
    """The page in the host's format."""
    if pages.style == "toml":
        quoted = body.replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
        head = f"# {MARK}\ndescription = {json.dumps(description, ensure_ascii=False)}\n"
        return f'{head}prompt = """\n{quoted}"""\n'
    if pages.style == "plain":
        return f"<!-- {MARK} -->\n\n{body}"
    title = f"name: {name}\n" if pages.style == "skill" else ""
    head = f"---\n{title}description: {json.dumps(description, ensure_ascii=False)}\n---\n"
    return f"{head}\n<!-- {MARK} -->\n\n{body}" if title else f"{head}\n{body}"
