"""Takes secrets out of what we keep and show: evidence, journal and prompts."""

from __future__ import annotations

import os
from typing import Any

from .. import lazy_re as re
from ..core.json_text import JSONError, dumps, loads
from .secret_patterns import KNOWN_SECRETS, NAMES, PRIVATE_KEY, SHORTEST_SECRET, SIGNS, TOKENS

REDACTED = "[redacted]"
SECRET_NAMES = f"(?:{'|'.join(expression for expression, _ in NAMES)})"
SECRET_NAME = re.compile(SECRET_NAMES, re.I)
WORD_START = r"(?:\b|(?<=m))"  # a terminal's colour code ends with an m
SECRET_PATTERNS = (
    re.compile(PRIVATE_KEY[0]),
    *(re.compile(WORD_START + expression) for expression, _ in TOKENS),
)
OPEN_KEY_BLOCK = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----(?!.*-----END )")
KEY_BLOCK_LINE = re.compile(r"\s*(?:[A-Za-z0-9+/=]{1,200}|(?:Proc-Type|DEK-Info):.*)?\s*")
# The length of a name is bounded: otherwise a long word, such as a base64 text, takes hours.
NAMED_SECRET = (
    rf"\b[\w.-]{{0,60}}{SECRET_NAMES}[\w.-]{{0,60}}\b[\"']?"
    r"\s*(?:=|:(?!:))\s*[\"']?(?:(?:bearer|basic|token)\s+)?"
)
ASSIGNED_SECRET = re.compile(
    rf"(?i)({NAMED_SECRET})((?<=\")[^\"\n]{{6,}}|(?<=')[^'\n]{{6,}}|[^\s\"',;:]{{6,}})"
)
PLAIN_VALUE = re.compile(r"[ !#-\[\]-~]*")  # printable ASCII without quotes and backslashes
PASSWORD_IN_URL = re.compile(r"([a-z][a-z0-9+.-]{0,20}://[^\s:/@]+:)([^\s@/]+)(@)")


def redact_text(text: str, secrets: list[str] | None = None) -> str:
    """The text without keys, tokens, passwords and values of secret environment variables."""
    if not text:
        return text
    for value in secret_values() if secrets is None else secrets:
        text = text.replace(value, REDACTED)
    for pattern in SECRET_PATTERNS:
        text = pattern.sub(REDACTED, text)
    text = ASSIGNED_SECRET.sub(rf"\1{REDACTED}", text)
    return PASSWORD_IN_URL.sub(rf"\1{REDACTED}\3", text)


class StreamRedactor:
    """Redacts a text that comes line by line, because a private key block spans many lines."""

    def __init__(self) -> None:
        self._inside = False
        self._secrets = secret_values()
        # JSON may write other values in another way than they are.
        self._all_plain = all(map(PLAIN_VALUE.fullmatch, self._secrets))

    def redact_line(self, line: str) -> str:
        if self._inside and KEY_BLOCK_LINE.fullmatch(line):
            return f"{REDACTED}\n"
        if not self._inside and self._is_harmless(line):
            return line
        self._inside = OPEN_KEY_BLOCK.search(line) is not None
        return redact_line(line, self._secrets)

    def _is_harmless(self, line: str) -> bool:
        """Has the line no sign of a secret? Most have none, and the patterns take long."""
        if not self._all_plain or "\\u" in line or "://" in line:
            return False
        low = line.lower()
        return not any(sign in low for sign in SIGNS) and not any(
            value in line for value in self._secrets
        )


def redact_line(line: str, secrets: list[str] | None = None) -> str:
    """Redact one line; in a line of JSON only the strings, so that it stays JSON."""
    if secrets is None:
        secrets = secret_values()
    try:
        value = loads(line)
    except JSONError:
        return redact_text(line, secrets)
    return f"{dumps(_redact_value(value, '', secrets))}\n"


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
    if value and re.search(rf"{SECRET_NAMES}$", name, re.I):
        return REDACTED
    return redact_text(value, secrets)


def secret_values() -> list[str]:
    """What runners pass to agents, and variables with the name of a secret, the longest first."""
    values = list(KNOWN_SECRETS)
    for name, value in os.environ.items():
        if len(value) >= SHORTEST_SECRET and SECRET_NAME.search(name):
            values.append(value)
    return sorted(values, key=len, reverse=True)
