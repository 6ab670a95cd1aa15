"""What exactly is sent to the agent while the loop goes on, and the lines that say why it does not.

Hints to the person stand in backticks as typed in a terminal (`loop continue`); an adapter may respell them.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

STATUS_OPEN, STATUS_CLOSE, LOOP_COMPLETE = (
    "---LOOP_STATUS---",
    "---END_STATUS---",
    "<loop-complete>",
)
MAX_OUTPUT_TAIL = 1_500

# Control characters; marks that turn the direction of writing around, so that a line reads as another; empty letters.
INVISIBLE_CHARACTERS = dict.fromkeys(
    (
        *range(9),
        *range(11, 32),
        *range(127, 160),
        0x61C,
        0x200B,
        0x200E,
        0x200F,
        *range(0x2028, 0x202F),
    )
)
INVISIBLE_CHARACTERS |= dict.fromkeys((*range(0x2060, 0x2070), 0xFEFF))


def strip_control_characters(text: str) -> str:
    """Text without what a terminal would obey or hide: agents' words reach people, their escape codes do not."""
    return text.translate(INVISIBLE_CHARACTERS)


def cut_at_word(text: str, most: int) -> str:
    """Cut between two words: half a key is no longer known for one."""
    return text if len(text) <= most else (text[:most].rsplit(None, 1) or [""])[0]


def clip_text(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    if "\n```" not in text:
        return f"{text[: max(0, most - 2)]} …"
    kept = text[: max(0, most - 6)]
    end = (
        "\n```" if kept.count("\n```") % 2 else ""
    )  # a fence that is cut open would make data of all that follows
    return f"{kept}{end}\n…"


def duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"


def count_phrase(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
