"""What is said about several attempts at one spec."""

from __future__ import annotations

from .phrases import LOOP_COMPLETE, count_phrase


def winner_text(number: int) -> str:
    """The claim that the loop proves on main: the words of the winner do not matter."""
    return f"Attempt {number} is proven in its worktree, and main has its work.\n{LOOP_COMPLETE}"


def no_winner_reason(number: int) -> str:
    return (
        f"none of {count_phrase(number, 'attempt')} is proven, so nothing landed. "
        "Compare them: loop report"
    )
