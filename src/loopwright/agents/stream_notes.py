"""What a line of an agent's stream says, as values: the same for what we record and what we show.

An agent's stream.py translates an event into these notes. `add_notes` adds them to the output of
the turn, and `tell_notes` puts them into words for people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..core.record import Record
from .base import MAX_TEXT, TurnOutput, TurnRequest, add_edit, parse_event
from .stream_parts import (
    add_denied_call,
    add_token_cost,
    add_words,
    close_call,
    end_message,
    fail_turn,
    open_call,
)


class Session(Record):
    id: str


class Message(Record):
    """Words of the model. A part is added to the parts before it."""

    text: str
    is_part: bool = False
    by_subagent: bool = False  # people see it, and it is no answer


class CallStart(Record):
    call_id: str
    words: str
    edited_file: str = ""


class CallEnd(Record):
    call_id: str
    error: str = ""
    result: str = ""
    denied: bool = False  # it had no permission


class Tokens(Record):
    """Used tokens: input that the cache did not hold, read from it, written to it, output."""

    counts: tuple[float, ...]
    model: str


class Dollars(Record):
    amount: float


class Failure(Record):
    """The API ended the turn."""

    words: str
    status: Any = 0  # of HTTP
    limited: bool = False  # it says itself that this is a usage limit


class TurnEnd(Record):
    """The agent reports that the turn is over."""

    session: str = ""
    cut: str = ""
    denied: tuple[str, ...] = ()
    succeeded: bool = True
    text: str = ""  # the answer, which people have seen as a message before
    is_whole_turn: bool = False  # the text is all that was said, and the last message counts


class Remark(Record):
    """Something to show, and not to record."""

    words: str


Note = Session | Message | CallStart | CallEnd | Tokens | Dollars | Failure | TurnEnd | Remark
Translation = Callable[[dict[str, Any], TurnRequest], Iterable[Note]]


def stream_reader(translate: Translation) -> Callable[[TurnOutput, str, TurnRequest], TurnOutput]:
    """`read` of a stream.py whose events this function translates."""

    def read(output: TurnOutput, line: str, request: TurnRequest) -> TurnOutput:
        return add_notes(output, translate(parse_event(line), request), request)

    return read


def stream_teller(translate: Translation) -> Callable[[str], str]:
    """`tell` of a stream.py whose events this function translates."""
    nothing_asked = TurnRequest(0)

    def tell(line: str) -> str:
        return tell_notes(translate(parse_event(line), nothing_asked))

    return tell


def add_notes(output: TurnOutput, notes: Iterable[Note], request: TurnRequest) -> TurnOutput:
    for note in notes:
        output = _add_note(output, note, request)
    return output


def _add_note(output: TurnOutput, note: Note, request: TurnRequest) -> TurnOutput:
    match note:
        case Session():
            return output.but(session=note.id)
        case Message(by_subagent=False):
            return _add_message(output, note)
        case CallStart():
            output = add_edit(output, note.edited_file) if note.edited_file else output
            return open_call(end_message(output), note.call_id, note.words)
        case CallEnd():
            if note.denied:
                words = dict(output.open_tool_calls).get(note.call_id, "tool")
                output = add_denied_call(output, words)
            return close_call(output, note.call_id, note.error, note.result)
        case Tokens() if any(note.counts):
            return add_token_cost(output, note.counts, note.model, request)
        case Dollars():
            return output.but(dollars=output.dollars + note.amount)
        case Failure():
            return fail_turn(output, note.words, note.status).but(limited=note.limited)
        case TurnEnd():
            return _end_turn(end_message(output), note)
    return output


def _add_message(output: TurnOutput, message: Message) -> TurnOutput:
    if message.is_part:
        return add_words(output, message.text)
    return output.but(text=message.text[:MAX_TEXT])


def _end_turn(output: TurnOutput, end: TurnEnd) -> TurnOutput:
    # An agent that has told why it failed may report no success at its end.
    is_result = end.succeeded or bool(output.failure)
    text = output.text if end.is_whole_turn and output.text else end.text or output.text
    return output.but(
        results=output.results + int(is_result),
        open_tool_calls=(),
        session=end.session or output.session,
        denied=end.denied or output.denied,
        cut=end.cut,
        text=text[:MAX_TEXT],
    )


def tell_notes(notes: Iterable[Note]) -> str:
    return "\n".join(row for note in notes if (row := _note_words(note)))


def _note_words(note: Note) -> str:
    match note:
        case Message():
            return note.text
        case CallStart():
            return f"→ {note.words}"
        case CallEnd() if note.error:
            return f"✗ {note.error[:300]}"
        case Failure() | Remark():
            return f"! {note.words}"
    return ""
