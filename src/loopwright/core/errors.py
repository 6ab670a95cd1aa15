"""Errors by table (seed 001): what a failure is, and when two failures are the same one."""

from __future__ import annotations

TRANSIENT, LOGIC, BLOCKING, UNKNOWN = "transient", "logic", "blocking", "unknown"

# The first row with a phrase that occurs decides. A failed command that no row knows is logic: the agent sees it and
# works on. A failed API call that no row knows is unknown, see `classify`.
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
    """transient: retry once, then pause. logic: fix, counts. blocking: pause at once. unknown: pause and ask."""
    low = text.lower()
    if (
        from_api
        and low[:3].isdecimal()
        and (low[:3] in ("408", "429") or "500" <= low[:3] <= "599")
    ):  # the API's own number
        return TRANSIENT
    for kind, phrases in ERROR_PHRASES:
        if any(phrase in low for phrase in phrases):
            return kind
    return UNKNOWN if from_api else LOGIC


def signature(key: str, text: str) -> str:
    """The error without what changes from run to run: words with digits or slashes (numbers, paths, times, hex)."""
    words = text.lower().split()[:60]
    same = " ".join(
        "#" if any(letter.isdigit() or letter in "/\\" for letter in word) else word
        for word in words
    )
    return f"{key[:200]}: {same[:400]}"
