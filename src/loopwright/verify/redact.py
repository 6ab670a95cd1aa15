"""Secrets are taken out of what we keep: evidence, journal and prompts."""

from __future__ import annotations

import os
import re
from typing import Any

from ..core.record import JSONError, dumps, loads

HIDDEN = "[redacted]"
NAMES = r"(?:api[_-]?key|token|secret|passw(?:or)?d|credential|private[_-]?key|auth)"
PATTERNS = (
    re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)", re.S),
    re.compile(r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}"),
    re.compile(r"\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}"),
    re.compile(r"\bAKIA[0-9A-Z]{16}\b"),
    re.compile(r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    re.compile(r"\bAIza[A-Za-z0-9_-]{30,}"),
    re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}"),
)
# Names have a bound: without one, a long word such as a base64 text takes hours.
ASSIGNED = re.compile(rf"(?i)(\b[\w.-]{{0,60}}{NAMES}[\w.-]{{0,60}}\b[\"']?\s*(?:=|:(?!:))\s*[\"']?)([^\s\"',;:]{{6,}})")
IN_ADDRESS = re.compile(r"(\b[a-z][a-z0-9+.-]{0,20}://[^\s:/@]+:)([^\s@/]+)(@)")


def redact(text: str, secrets: list[str] | None = None) -> str:
    """The text without keys, tokens, passwords, and without the values of secret-looking environment variables."""
    for value in secret_values() if secrets is None else secrets:
        text = text.replace(value, HIDDEN)
    for pattern in PATTERNS:
        text = pattern.sub(HIDDEN, text)
    text = ASSIGNED.sub(rf"\1{HIDDEN}", text)
    return IN_ADDRESS.sub(rf"\1{HIDDEN}\3", text)


def redact_line(line: str) -> str:
    """The same for a line of a stream: JSON stays JSON, with only its strings looked at; any other line is text."""
    try:
        value = loads(line)
    except JSONError:
        return redact(line)
    return f"{dumps(_redacted(value, '', secret_values()))}\n"


def _redacted(value: Any, name: str, secrets: list[str]) -> Any:
    if isinstance(value, dict):
        return {key: _redacted(part, key, secrets) for key, part in value.items()}
    if isinstance(value, list):
        return [_redacted(part, name, secrets) for part in value]
    if not isinstance(value, str):
        return value
    return HIDDEN if value and re.search(rf"{NAMES}$", name, re.I) else redact(value, secrets)


def secret_values() -> list[str]:
    named = re.compile(NAMES, re.I)
    found = [value for name, value in os.environ.items() if named.search(name) and len(value) >= 8]
    return sorted(found, key=len, reverse=True)
