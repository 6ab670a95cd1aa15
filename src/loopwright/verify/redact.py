"""Secrets are taken out of what we keep: evidence, journal and prompts."""

from __future__ import annotations

import os
import re
from typing import Any

from ..core.record import JSONError, dumps, loads

HIDDEN = "[redacted]"
NAMES = r"(?:api[_-]?key|token|secret|passw(?:or)?d|credential|private[_-]?key|auth)"
BEGINS = r"(?:\b|(?<=m))"  # the code of a colour ends with an m
PATTERNS = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S),
    re.compile(BEGINS + r"(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}"),
    re.compile(BEGINS + r"(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,})"),
    re.compile(BEGINS + r"AKIA[0-9A-Z]{16}\b"),
    re.compile(BEGINS + r"xox[abprs]-[A-Za-z0-9-]{10,}"),
    re.compile(BEGINS + r"AIza[A-Za-z0-9_-]{30,}"),
    re.compile(BEGINS + r"eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}"),
)
UNENDED = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?!.*-----END )")
BODY = re.compile(r"\s*(?:[A-Za-z0-9+/=]{1,200}|(?:Proc-Type|DEK-Info):.*)?\s*")
# Names have a bound: without one, a long word such as a base64 text takes hours.
NAMED = rf"\b[\w.-]{{0,60}}{NAMES}[\w.-]{{0,60}}\b[\"']?\s*(?:=|:(?!:))\s*[\"']?(?:(?:bearer|basic|token)\s+)?"
ASSIGNED = re.compile(rf"(?i)({NAMED})((?<=\")[^\"\n]{{6,}}|(?<=')[^'\n]{{6,}}|[^\s\"',;:]{{6,}})")
IN_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]{0,20}://[^\s:/@]+:)([^\s@/]+)(@)")


def redact(text: str, secrets: list[str] | None = None) -> str:
    """The text without keys, tokens, passwords, and without the values of secret-looking environment variables."""
    for value in secret_values() if secrets is None else secrets:
        text = text.replace(value, HIDDEN)
    for pattern in PATTERNS:
        text = pattern.sub(HIDDEN, text)
    text = ASSIGNED.sub(rf"\1{HIDDEN}", text)
    return IN_ADDRESS.sub(rf"\1{HIDDEN}\3", text)


class Stream:
    """The same for a text that comes line by line: a private key block takes many of them."""

    def __init__(self) -> None:
        self._inside = False

    def line(self, line: str) -> str:
        if self._inside and BODY.fullmatch(line):
            return f"{HIDDEN}\n"
        self._inside = UNENDED.search(line) is not None
        return redact_line(line)


def redact_line(line: str) -> str:
    """A line of a stream: JSON stays JSON, with only its strings looked at; any other line is text."""
    try:
        value = loads(line)
    except JSONError:
        return redact(line)
    return f"{dumps(_redacted(value, '', secret_values()))}\n"


def _redacted(value: Any, name: str, secrets: list[str]) -> Any:
    if isinstance(value, dict):
        return {redact(key, secrets): _redacted(part, key, secrets) for key, part in value.items()}
    if isinstance(value, list):
        return [_redacted(part, name, secrets) for part in value]
    if not isinstance(value, str):
        return value
    return HIDDEN if value and re.search(rf"{NAMES}$", name, re.I) else redact(value, secrets)


def secret_values() -> list[str]:
    named = re.compile(NAMES, re.I)
    found = [value for name, value in os.environ.items() if named.search(name) and len(value) >= 8]
    return sorted(found, key=len, reverse=True)
