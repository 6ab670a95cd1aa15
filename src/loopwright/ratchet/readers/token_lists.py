"""Statements as lists of tokens: their parts between signs, and the two sides of an equality."""

from __future__ import annotations

from . import assertion_words as words
from .statement import tokens_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

OPENERS, CLOSERS = "([{", ")]}"


def key_of(text: str) -> tuple[str, ...]:
    tokens = tuple(tokens_of(text))
    return _as_equality(tokens) or tokens


def _as_equality(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """`assertEqual(a, b)`, `assert a == b`, `expect(a).toBe(b)` as the same; () if it is none."""
    text = list(tokens)
    while text and text[0] in ("await", "return"):
        text = text[1:]
    if text[:1] == ["assert"] and text[1:2] not in (["."], ["("], ["!"], ["_"]):
        text = text[1:]
        while text[:1] == ["("] and closing_place(text, 0) == len(text) - 1:
            text = text[1:-1]
        sides = _split_equal(text)
        return _equality(sides) if sides else ()
    if "(" not in text:
        return ()
    place = text.index("(")
    name = "".join(text[:place])
    if words.EQUALITY.fullmatch(name) and closing_place(text, place) == len(text) - 1:
        sides = split_tokens(text[place + 1 : -1], ",")
        if len(sides) > 2 and sides[0] == ["t"]:  # of Go
            sides = sides[1:]
        is_message = len(sides) == 3 and sides[2] and sides[2][0][:1] in "\"'`"
        if len(sides) == 2 or is_message:
            return _equality(sides[:2])
    if name == "self.assertIsNone":
        return _equality([split_tokens(text[place + 1 : -1], ",")[0], ["None"]])
    if name in ("expect", "assertThat", "expectThat") and words.EXPECTED.search("".join(text)):
        end = closing_place(text, place)
        rest = text[end + 1 :]
        if "(" in rest and closing_place(rest, rest.index("(")) == len(rest) - 1:
            sides = [text[place + 1 : end], rest[rest.index("(") + 1 : -1]]
            if words.EXPECTED.fullmatch("".join(rest[: rest.index("(") + 1])):
                return _equality(sides)
    return ()


def _equality(sides: list[list[str]]) -> tuple[str, ...]:
    return ("==", *min(sides), "|", *max(sides))


def _split_equal(tokens: list[str]) -> list[list[str]]:
    """Both sides of `==` outside of brackets. (The signs are tokens of their own.)

    `is None` counts as `== None`: nothing else is equal to it.
    """
    claim = split_tokens(tokens, ",")[0]
    if claim[-2:] == ["is", "None"] and not {"and", "or", "if", "="} & {*claim}:
        return [claim[:-2], ["None"]]
    depth = 0
    for index, word in enumerate(tokens[:-1]):
        depth += (word in OPENERS) - (word in CLOSERS)
        if depth == 0 and word == "=" and tokens[index + 1] == "=":
            if tokens[index - 1] in ("!", "<", ">", "="):
                return []
            left, right = tokens[:index], tokens[index + 2 :]
            is_plain = not {"and", "or", "if"} & {*left, *right}
            right = split_tokens(right, ",")[0]
            return [left, right] if is_plain else []
    return []


def split_tokens(tokens: list[str], sign: str) -> list[list[str]]:
    """The parts between signs that are in no bracket."""
    parts: list[list[str]] = [[]]
    depth = 0
    for word in tokens:
        depth += (word in OPENERS) - (word in CLOSERS)
        if depth == 0 and word == sign:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def closing_place(tokens: Sequence[str], start: int) -> int:
    depth = 0
    for index in range(start, len(tokens)):
        depth += (tokens[index] in OPENERS) - (tokens[index] in CLOSERS)
        if depth == 0:
            return index
    return -1
