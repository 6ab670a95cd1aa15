"""Errors: what kind of failure a text describes, and when two failures are the same."""

from __future__ import annotations

TRANSIENT, LOGIC, BLOCKING, UNKNOWN = "transient", "logic", "blocking", "unknown"
MAX_LINE = 200

# The first row with a phrase that occurs decides. Without one, a failed command is logic: the agent
# sees the error and works on it. A failed API call is unknown, see `classify_error`.
ERROR_PHRASES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        BLOCKING,
        (
            "permission denied",
            "requested permissions",
            "operation not permitted",
            "eacces",
            "eperm",
            "not authorized",
            "unauthorized",
            "authenticat",
            "invalid api key",
            "credit balance",
            "billing",
            "command not found",
            "no module named",
            "cannot find module",
            "disk quota",
            "no space left",
            "prompt is too long",
        ),
    ),
    (
        TRANSIENT,
        (
            "timed out",
            "timeout",
            "etimedout",
            "econnreset",
            "econnrefused",
            "enotfound",
            "eai_again",
            "connection reset",
            "connection refused",
            "connection error",
            "network",
            "temporary failure",
            "overloaded",
            "rate limit",
            "too many requests",
            "service unavailable",
            "bad gateway",
            "internal server error",
            "socket hang up",
            "high demand",
            "stream disconnected",
        ),
    ),
)


def classify_error(text: str, from_api: bool = False) -> str:
    """The kind of the error.

    transient: retry, pause when it repeats. logic: the agent fixes it, and it counts.
    blocking: pause at once. unknown: pause and ask.
    """
    low = text.lower()
    if from_api and _is_transient_status(low[:3]):
        return TRANSIENT
    for kind, phrases in ERROR_PHRASES:
        if any(phrase in low for phrase in phrases):
            return kind
    return UNKNOWN if from_api else LOGIC


def _is_transient_status(code: str) -> bool:
    """Is it an HTTP status of the API that passes by itself?"""
    return code.isdecimal() and (code in ("408", "429") or "500" <= code <= "599")


def error_line(text: str) -> str:
    """The error as people read it: its first two lines as one. Rulers say nothing."""
    rows = [row for row in text[:2000].splitlines() if any(map(str.isalnum, row))]
    return " ".join(": ".join(rows[:2]).split())[:MAX_LINE]


def signature(key: str, text: str) -> str:
    """The error without the words that change from run to run: numbers, paths, times, hex."""
    words = text.lower().split()[:60]
    stable = " ".join("#" if _is_volatile(word) else word for word in words)
    return f"{key[:200]}: {stable[:400]}"


def _is_volatile(word: str) -> bool:
    return any(letter.isdigit() or letter in "/\\" for letter in word)
