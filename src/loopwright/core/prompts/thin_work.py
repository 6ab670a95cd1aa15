"""The words about strength in a loop: for the agent whose work is thin, and for every screen."""

from __future__ import annotations

from ..loop import Loop
from ..proof.clean_checkout import OFF
from ..proof.measured_strength import (
    current_strength,
    strength_of,
    unmeasured_reason,
)
from ..proof.strength import LEFT, NOTE, StrengthItem
from .phrases import clip_text, one_line
from .strength import headline, item_text, strength_block

MAX_ROWS, MAX_TEXT, MAX_FILES, MAX_REASON = 10, 200, 3, 160
INSTRUCTION = (
    "No check, or no new test, notices if one of these is taken away. Test each: write a test that "
    "fails without it. Remove it only if the spec does not ask for it. Then claim the end again."
)
INSTRUCTION_TO_FINISH = "The lines below say that work is left. Do it, then claim the end again."
INSTRUCTION_FOR_TESTS = (
    "The tests run this code, and none fails if one of these changes is made. Assert what the code "
    "returns or does, so that a test fails with each of them. Leave the product as it is. Then "
    "claim the end again."
)
TEST_REQUEST = (
    "Every check passed before the work began, so none shows it. Write a test that asserts what "
    "the work does, fails without it and passes with it; if there can be none, say why. Then claim "
    "the end again."
)


def thin_reason(loop: Loop) -> str:
    """The first line of the prompt that gives thin work back."""
    if _asks_for_test(loop):
        return "not shown yet: no test fails without the work"
    files = list(dict.fromkeys(item.file for item in strength_of(loop).untested_items))
    more = ", …" if len(files) > MAX_FILES else ""
    what = "work is left" if _is_left(loop) else "no check notices parts of the work"
    if strength_of(loop).of_tests:
        what = "the new tests do not notice changes of the code that they cover"
    return f"not shown yet: {what} ({', '.join(files[:MAX_FILES])}{more})"


def thin_lines(loop: Loop) -> list[str]:
    """What the agent is to do, and about what. Quoted code is data."""
    items = strength_of(loop).untested_items
    rows = [f"- {thin_text(item)}" for item in items[:MAX_ROWS]]
    if len(items) > MAX_ROWS:
        rows.append(f"- and {len(items) - MAX_ROWS} more: `loop why` lists them")
    return [_instruction(loop), *rows]


def _instruction(loop: Loop) -> str:
    if _asks_for_test(loop):
        return TEST_REQUEST
    if _is_left(loop):
        return INSTRUCTION_TO_FINISH
    return INSTRUCTION_FOR_TESTS if strength_of(loop).of_tests else INSTRUCTION


def _is_left(loop: Loop) -> bool:
    """Do the weak lines alone say what is missing, whatever the checks notice?"""
    return {item.kind for item in strength_of(loop).untested_items} in (
        {NOTE},
        {LEFT},
        {NOTE, LEFT},
    )


def _asks_for_test(loop: Loop) -> bool:
    return bool(loop.strength and loop.strength.lacks_test)


def thin_text(item: StrengthItem) -> str:
    return clip_text(one_line(item_text(item)).replace("```", "'''"), MAX_TEXT)


def strength_summary(loop: Loop) -> str:
    """The first line of the block; "" if nobody wants to know."""
    if why := unmeasured_reason(loop):
        return f"Strength: not measured: {clip_text(one_line(why), MAX_REASON)}."
    measured = current_strength(loop)
    return headline(measured.result) if measured and measured.result else ""


def strength_lines(loop: Loop) -> list[str]:
    """The block in verdict, receipt, report and board; one line if nothing was measured.

    Nothing before the final proof has come so far, and where a person wants no clean checkout.
    """
    measured = current_strength(loop)
    if not measured and (not loop.verdict or loop.room.status in ("", OFF)):
        return []
    if unmeasured_reason(loop) or not measured or not measured.result:
        return [line for line in (strength_summary(loop),) if line]
    return strength_block(measured.result)
