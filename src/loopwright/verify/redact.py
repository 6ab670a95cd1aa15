"""Secrets are taken out of what we keep: evidence, journal and prompts."""

from __future__ import annotations

import os
import re
from typing import Any

from ..core.json_text import JSONError, dumps, loads
from .secret_patterns import NAMES, PRIVATE_KEY, TOKENS

REDACTED = "[redacted]"
SECRET_NAMES = f"(?:{'|'.join(expression for expression, _ in NAMES)})"
TOKEN_START = r"(?:\b|(?<=m))"  # the code of a colour ends with an m
SECRET_PATTERNS = (
    re.compile(PRIVATE_KEY[0]),
    *(re.compile(TOKEN_START + expression) for expression, _ in TOKENS),
)
OPEN_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?!.*-----END )")
KEY_BLOCK_LINE = re.compile(r"\s*(?:[A-Za-z0-9+/=]{1,200}|(?:Proc-Type|DEK-Info):.*)?\s*")
# Names have a bound: without one, a long word such as a base64 text takes hours.
NAMED_SECRET = rf"\b[\w.-]{{0,60}}{SECRET_NAMES}[\w.-]{{0,60}}\b[\"']?\s*(?:=|:(?!:))\s*[\"']?(?:(?:bearer|basic|token)\s+)?"
ASSIGNED_SECRET = re.compile(
    rf"(?i)({NAMED_SECRET})((?<=\")[^\"\n]{{6,}}|(?<=')[^'\n]{{6,}}|[^\s\"',;:]{{6,}})"
)
PASSWORD_IN_URL = re.compile(r"([a-z][a-z0-9+.-]{0,20}://[^\s:/@]+:)([^\s@/]+)(@)")


def redact_text(text: str, secrets: list[str] | None = None) -> str:
    """The text without keys, tokens, passwords, and without the values of secret-looking environment variables."""
    for value in secret_values() if secrets is None else secrets:
        text = text.replace(value, REDACTED)
    for pattern in SECRET_PATTERNS:
        text = pattern.sub(REDACTED, text)
    text = ASSIGNED_SECRET.sub(rf"\1{REDACTED}", text)
    return PASSWORD_IN_URL.sub(rf"\1{REDACTED}\3", text)


class StreamRedactor:
    """The same for a text that comes line by line: a private key block takes many of them."""

    def __init__(self) -> None:
        self._inside = False

    def redact_line(self, line: str) -> str:
        if self._inside and KEY_BLOCK_LINE.fullmatch(line):
            return f"{REDACTED}\n"
        self._inside = OPEN_KEY_BLOCK.search(line) is not None
        return redact_line(line)


def redact_line(line: str) -> str:
    """A line of a stream: JSON stays JSON, with only its strings looked at; any other line is text."""
    try:
        value = loads(line)
    except JSONError:
        return redact_text(line)
    return f"{dumps(_redact_value(value, '', secret_values()))}\n"


def _redact_value(value: Any, name: str, secrets: list[str]) -> Any:
    if isinstance(value, dict):
        return {
            redact_text(key, secrets): _redact_value(part, key, secrets)
            for key, part in value.items()
        }
    if isinstance(value, list):
        return [_redact_value(part, name, secrets) for part in value]
    if not isinstance(value, str):
        return value
    return (
        REDACTED
        if value and re.search(rf"{SECRET_NAMES}$", name, re.I)
        else redact_text(value, secrets)
    )


def secret_values() -> list[str]:
    named = re.compile(SECRET_NAMES, re.I)
    found = [value for name, value in os.environ.items() if named.search(name) and len(value) >= 8]
    return sorted(found, key=len, reverse=True)
