"""What a person typed after /loop:start, as the flags it means. The spec stays word for word, quotes and all."""

from __future__ import annotations

import argparse
import os
import re
import shlex

from ...drive.errors import UserError
from ...store import pending_start
from .. import here


def parse_typed_arguments(session: str) -> argparse.Namespace | None:
    """The person's own words of this session, parsed like a command line; None outside of one."""
    text = pending_start.read_pending_start(session) if session and here.agent_variable() else ""
    if not text:
        return None
    from ..main import command_parser

    spec, flags = split_spec_and_flags(text)
    try:
        words = shlex.split(flags)
    except ValueError as error:
        raise UserError(
            f"the flags after the spec cannot be read ({error}): {flags[:200]!r}"
        ) from error
    args, rest = command_parser("start").parse_known_args(words)
    unknown = [word for word in rest if word.startswith("--")]
    if unknown:
        raise UserError(
            f"the person typed {unknown[0]!r}, and there is no such flag. See: loop start --help"
        )
    args.spec = " ".join(part for part in (spec, args.spec, *rest) if part)
    return args


def split_spec_and_flags(text: str) -> tuple[str, str]:
    """The spec, and the flags after or before it. A flag that a spec may speak of («add a --yes») is one only at the end."""
    from ..main import command_parser

    known = {
        flag: action
        for action in command_parser("start")._actions
        for flag in action.option_strings
    }
    for found in re.finditer(r"(?:^|(?<=\s))(--[a-z-]+)(?=[\s=]|$)", text):
        action, after = known.get(found[1]), text[found.end() :].strip()
        if action and (action.nargs != 0 or not after or after.startswith("--")):
            return strip_quotes(text[: found.start()].strip()), text[found.start() :]
    return strip_quotes(text.strip()), ""


def strip_quotes(text: str) -> str:
    """A spec that was typed in quotes from end to end is meant without them."""
    whole = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if whole and text[0] not in text[1:-1] else text


def join_specs(person: str, given: str) -> str:
    """The person's words first; what the model adds, such as their answers to its questions, after them."""
    if person in given:
        return given
    return person if given in person else f"{person}\n\n{given}"


def session_id(args: argparse.Namespace) -> str:
    return str(args.session or os.environ.get("CLAUDE_CODE_SESSION_ID", ""))
