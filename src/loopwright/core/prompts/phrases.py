"""Fixed strings of the documented formats, and small functions that word and clip text.

Hints to the person are in backticks as typed in a terminal (`loop continue`); an adapter may
respell them.
"""

from __future__ import annotations

STATUS_OPEN = "---LOOP_STATUS---"
STATUS_CLOSE = "---END_STATUS---"
LOOP_COMPLETE = "<loop-complete>"
MAX_OUTPUT_TAIL = 1_500
# In every prompt. An honest way out makes it less likely that an agent games a check.
DISPUTE_SENTENCE = (
    "Never make a check pass by changing what it measures; if it is wrong, dispute it instead: "
    "`DISPUTE: <criterion>: <why>`"
)

# Control characters except tab and newline.
_CONTROL = (*range(9), *range(11, 32), *range(127, 160))
# Line separators, and marks that reverse the direction of writing, so that a line reads as another.
_DIRECTION_MARKS = (0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F))
_ZERO_WIDTH = (0x200B, *range(0x2060, 0x2070), 0xFEFF)
INVISIBLE_CHARACTERS = dict.fromkeys((*_CONTROL, *_DIRECTION_MARKS, *_ZERO_WIDTH))


def strip_control_characters(text: str) -> str:
    """Text without characters that a terminal would obey or hide.

    People read what agents write; escape codes in it must not reach the terminal.
    """
    return strip_escape_codes(text).translate(INVISIBLE_CHARACTERS)


def strip_escape_codes(text: str) -> str:
    """Text without the codes that colour it, move the cursor or set the title of a terminal."""
    if "\x1b" not in text and "\x9b" not in text:
        return text
    text = text.replace("\x9b", "\x1b[")
    first, *parts = text.split("\x1b")
    return first + "".join(part[_escape_code_length(part) :] for part in parts)


def _escape_code_length(part: str) -> int:
    """The length of the code at the beginning of this text, which followed an escape character."""
    kind = part[:1]
    if kind == "[":  # parameters and one final letter
        at = 1
        while at < len(part) and " " <= part[at] <= "?":
            at += 1
        return at + 1 if "@" <= part[at : at + 1] <= "~" else at
    if kind in ("]", "P", "X", "^", "_"):  # a string up to BEL or the next code, on one line
        line = part.partition("\n")[0]
        end = line.find("\a")
        return end + 1 if end >= 0 else len(line)
    if kind == "\\":  # the end of such a string
        return 1
    at = 0
    while at < len(part) and " " <= part[at] <= "/":
        at += 1
    return at + 1 if "0" <= part[at : at + 1] <= "~" else at


def cut_at_word(text: str, most: int) -> str:
    """Cut between two words: redaction does not recognize half a key."""
    if len(text) <= most:
        return text
    words = text[:most].rsplit(None, 1) or [""]
    return words[0]


def clip_to_difference(before: str, after: str, most: int) -> tuple[str, str]:
    """Two texts of at most `most` characters each, with the part in which they differ."""
    if max(len(before), len(after)) <= most:
        return before, after
    pairs = enumerate(zip(before, after, strict=False))
    same = next((at for at, (was, now) in pairs if was != now), min(len(before), len(after)))
    # The mark in front takes two characters.
    start = max(0, min(same - most // 3, max(len(before), len(after)) - most + 2))
    mark = "… " if start else ""
    return clip_text(mark + before[start:], most), clip_text(mark + after[start:], most)


def clip_text(text: str, most: int) -> str:
    """At most `most` characters of the text; a code fence that is cut open is closed again."""
    if len(text) <= most:
        return text
    if "\n```" not in text:
        return f"{text[: max(0, most - 2)]} …"
    beginning = text[: max(0, most - 6)]
    # An open fence would turn all that follows into data.
    closing_fence = "\n```" if beginning.count("\n```") % 2 else ""
    return f"{beginning}{closing_fence}\n…"


def one_line(text: str) -> str:
    """The text on one line, without code fences."""
    return " ".join(text.replace("```text", "").replace("```", "").split())


def duration(seconds: float) -> str:
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"


def time_ago(seconds: float) -> str:
    """How long ago something happened: «just now», «3 min ago», «2 h ago», «5 days ago»."""
    minutes = seconds / 60
    if minutes < 1:
        return "just now"
    if minutes < 120:
        return f"{minutes:.0f} min ago"
    return f"{minutes / 60:.0f} h ago" if minutes < 48 * 60 else f"{minutes / 1440:.0f} days ago"


def count_phrase(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
