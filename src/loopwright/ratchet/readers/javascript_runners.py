"""The calls of JavaScript runners: what they name, skip, repeat and give more time."""

from __future__ import annotations

from collections.abc import Iterator

from .javascript_lines import Link, object_parts, source_text
from .javascript_parser import Pieces, Values, text_at
from .javascript_scope import Context
from .javascript_tables import table_rows
from .matchers import word_set
from .suite import EXACT

NO_TIMEOUT_SECONDS = 86400.0
BLOCKS = word_set("describe context suite fdescribe xdescribe")
RUNNERS = BLOCKS | word_set("it test specify fit xit xtest")
SKIPPED_RUNNERS = ("xit", "xtest", "xdescribe")


def has_only_option(args: tuple[Pieces, ...]) -> bool:
    """`test('adds', { only: true }, …)` of node's own runner."""
    return any(source_text(object_parts(arg).get("only", ())) == "true" for arg in args[1:])


def title_of(arg: Pieces) -> str:
    return source_text(arg) if arg and arg[0].kind in ("string", "template") else ""


def switches_of(links: list[Link], here: Context) -> Iterator[tuple[str, tuple[Pieces, ...]]]:
    """The skips, time-outs and retries that the words and arguments of a test set."""
    runner = links[0].name
    for link in links[1:]:
        yield f"{runner}.{link.name}", (link.args or ()) if link.name.endswith("If") else ()
    for arg in (links[-1].args or ())[1:]:
        for key, value in ({"timeout": arg} | object_parts(arg)).items():
            yield key, (value,)
    if runner in SKIPPED_RUNNERS or here.reach < EXACT:
        yield f"{runner}.skip", ()


def case_rows(links: list[Link], params: Pieces, values: Values) -> list[dict[str, Pieces]] | None:
    """The rows of `each`; one empty row without a table, None if the table cannot be read."""
    for link in links:
        if link.name in ("each", "for") and link.args:
            return table_rows(link.args[0], params, values)
    return [{}]


def patience_of(word: str, number: float) -> float:
    """Retries count as they are; time-outs are in milliseconds, and 0 means none."""
    if "retr" in word:
        return number
    return number / 1000 or NO_TIMEOUT_SECONDS


def is_planned_test(value: Pieces) -> bool:
    """Is it a `t` that counts its assertions?"""
    return text_at(value, 0) == "tspl" and text_at(value, 1) == "("


def is_runner(value: Pieces) -> bool:
    """Is this a name for `it` or `describe`, or a choice between them?"""
    if "{" in {piece.text for piece in value}:
        return False
    following = [text_at(value, at + 1) for at, piece in enumerate(value) if piece.text in RUNNERS]
    return bool(following) and all(text in ("", ".", ":", "?") for text in following)
