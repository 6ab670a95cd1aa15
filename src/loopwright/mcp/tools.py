"""The tools as data: what each takes, and the command of `loop` that it runs.

An agent may run all of these commands in a shell too. None of them loosens or ends a loop.
"""

from __future__ import annotations

from typing import Any

from ..core.criteria import KINDS_OF_EVIDENCE
from ..core.prompts.mcp_tools import DESCRIPTIONS, FIELDS, TITLES
from ..core.record import Record

MAX_TEXT = 4_000
MAX_NAMES = 100
TEXT, FLAG, NUMBER, TEXTS = "text", "flag", "number", "texts"
JSON_TYPES = {TEXT: "string", FLAG: "boolean", NUMBER: "integer", TEXTS: "array"}


class WrongArguments(Exception):
    """The arguments of a call do not fit its tool; the text says what does."""


class Field(Record):
    """One argument of a tool, and the option of the command that it becomes; "" for a word."""

    name: str
    option: str = ""
    kind: str = TEXT
    required: bool = False
    choices: tuple[str | int, ...] = ()


class Tool(Record):
    """A tool, and the command that it runs."""

    name: str
    command: tuple[str, ...]
    fields: tuple[Field, ...] = ()
    reads_only: bool = False
    output: dict[str, Any] | None = None  # the schema of its structured content


CHECK_OUTPUT = {
    "type": "object",
    "properties": {
        "passed": {"type": "boolean", "description": "checks ran, and all of them pass"},
        "shared": {"type": "boolean", "description": "another call had begun this run"},
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "criterion": {"type": "string"},
                    "passed": {"type": "boolean"},
                    "result": {"type": "string", "description": "how the command ended"},
                    "seconds": {"type": "number"},
                    "detail": {"type": "string", "description": "the end of its output"},
                    "log": {"type": "string", "description": "a file below .loop/"},
                },
                "required": ["criterion", "passed", "result", "seconds", "detail", "log"],
            },
        },
    },
    "required": ["passed", "shared", "results"],
}
_TOOLS = (
    Tool("loop_status", ("status",), reads_only=True),
    Tool("loop_why", ("why",), reads_only=True),
    Tool("loop_check", ("check", "--json"), (Field("names", "", TEXTS),), output=CHECK_OUTPUT),
    Tool(
        "loop_claim",
        ("claim",),
        (
            Field("met", "--met"),
            Field("kind", "--kind", choices=KINDS_OF_EVIDENCE),
            Field("evidence", "--evidence"),
            Field("step_done", "--step-done"),
            Field("note", "--note"),
            Field("gate", "--gate"),
            Field("shows", "--shows", TEXTS),
            Field("exit", "--exit", FLAG),
            Field("ask", "--ask"),
            Field("must_not", "--must-not", TEXTS),
            Field("confidence", "--confidence", NUMBER),
            Field("points", "--points", NUMBER, choices=(1, 3, 5, 8, 13)),
            Field("alternative", "--alt"),
            Field("risk", "--risk"),
        ),
    ),
    Tool("loop_blocked", ("claim",), (Field("reason", "--blocked", required=True),)),
    Tool(
        "loop_dispute",
        ("dispute",),
        (Field("criterion", required=True), Field("why", required=True)),
    ),
)
TOOLS = {tool.name: tool for tool in _TOOLS}


def described_tool(tool: Tool, version: str) -> dict[str, Any]:
    """The tool as `tools/list` of this version shows it."""
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {field.name: _field_schema(field) for field in tool.fields},
        "additionalProperties": False,
    }
    if required := [field.name for field in tool.fields if field.required]:
        schema["required"] = required
    described = {
        "name": tool.name,
        "description": DESCRIPTIONS[tool.name],
        "inputSchema": schema,
    }
    if version >= "2025-03-26":
        hints = {"readOnlyHint": tool.reads_only, "openWorldHint": False}
        described["annotations"] = {"title": TITLES[tool.name], "destructiveHint": False, **hints}
    if version >= "2025-06-18":
        described["title"] = TITLES[tool.name]
        if tool.output:
            described["outputSchema"] = tool.output
    return described


def _field_schema(field: Field) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": JSON_TYPES[field.kind],
        "description": FIELDS[field.name],
    }
    if field.kind == TEXT:
        schema["maxLength"] = MAX_TEXT
    if field.kind == TEXTS:
        schema |= {"items": {"type": "string", "maxLength": MAX_TEXT}, "maxItems": MAX_NAMES}
    if field.choices:
        schema["enum"] = list(field.choices)
    return schema


def command_words(tool: Tool, arguments: dict[str, Any]) -> tuple[str, ...]:
    """The words after `loop` for these arguments; WrongArguments if they do not fit."""
    names = [field.name for field in tool.fields]
    if unknown := [name for name in arguments if name not in names]:
        takes = f"it takes: {', '.join(names)}" if names else "it takes none"
        raise WrongArguments(f"{tool.name} has no argument {unknown[0][:100]!r}; {takes}")
    options: list[str] = []
    words: list[str] = []
    for field in tool.fields:
        value = arguments.get(field.name)
        if value is None:
            if field.required:
                raise WrongArguments(f"{tool.name} needs `{field.name}`: {FIELDS[field.name]}")
            continue
        _require_fitting(tool, field, value)
        texts = [_plain_text(str(part)) for part in (value if field.kind == TEXTS else [value])]
        if not field.option:
            words += texts
        elif field.kind == FLAG:
            options += [field.option] if value else []
        else:
            options += [f"{field.option}={text}" for text in texts]
    return (*tool.command, *options, *(("--", *words) if words else ()))


def _require_fitting(tool: Tool, field: Field, value: object) -> None:
    where = f"`{field.name}` of {tool.name}"
    if not _is_of_kind(value, field.kind):
        kind = "array of strings" if field.kind == TEXTS else JSON_TYPES[field.kind]
        raise WrongArguments(f"{where} is of type {kind}")
    if field.choices and value not in field.choices:
        raise WrongArguments(f"{where} is one of: {', '.join(map(str, field.choices))}")
    texts = value if isinstance(value, list) else [value]
    if len(texts) > MAX_NAMES:
        raise WrongArguments(f"{where} has at most {MAX_NAMES} entries")
    if any(len(str(text)) > MAX_TEXT for text in texts):
        raise WrongArguments(f"{where} has at most {MAX_TEXT} characters; say it shorter")
    if field.required and not str(value).strip():
        raise WrongArguments(f"{where} is empty. Say {FIELDS[field.name]}")


def _is_of_kind(value: object, kind: str) -> bool:
    if kind == TEXTS:
        return isinstance(value, list) and all(isinstance(part, str) for part in value)
    if kind == FLAG:
        return isinstance(value, bool)
    if kind == NUMBER:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str)


def _plain_text(text: str) -> str:
    """The text without what no argument of a program can hold."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()
