"""The arguments of `loop start`: what the person typed, and what an agent adds for them.

A person types them at a terminal, or after /loop:start in a session. There the agent runs
`loop start`, and we read the person's own words from the session.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
from typing import Any

from ...agents.claude.hooks import parse_number
from ...agents.shell_variables import agent_session
from ...core.record import Record
from ...drive.errors import UserError
from ...store import pending_start
from .. import here

Args = argparse.Namespace
FLAG = re.compile(r"(?:^|(?<=\s))(--[a-z-]+)(?=[\s=]|$)")


class StartArguments(Record):
    """The person's arguments and the agent's; one of them may be missing."""

    person: Args | None
    agent: Args | None

    @property
    def in_order(self) -> list[Args]:
        """The person's arguments come first."""
        return [args for args in (self.person, self.agent) if args]

    def first(self, option: str) -> Any:
        """The value of an option, the person's before the agent's; "" if neither gives one."""
        values = [getattr(args, option) for args in self.in_order]
        return next(filter(None, values), "")


def parse_typed_arguments(session: str) -> Args | None:
    """What the person typed after /loop:start in this session; None outside of a session."""
    text = pending_start.read_pending_start(session) if session and here.agent_variable() else ""
    if not text:
        return None
    from ..command_parser import command_parser

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
    """The spec word for word, and the flags around it.

    A spec may mention a flag («add a --yes»). A flag without a value therefore counts only at the
    end of the text or before another flag.
    """
    from ..command_parser import command_parser

    options = {
        flag: action
        for action in command_parser("start")._actions
        for flag in action.option_strings
    }
    for match in FLAG.finditer(text):
        action = options.get(match[1])
        if not action:
            continue
        after = text[match.end() :].strip()
        takes_value = action.nargs != 0
        if takes_value or not after or after.startswith("--"):
            return strip_quotes(text[: match.start()].strip()), text[match.start() :]
    return strip_quotes(text.strip()), ""


def strip_quotes(text: str) -> str:
    """The text without quotes, if one pair of quotes encloses all of it."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted and text[0] not in text[1:-1] else text


def join_specs(person: str, agent: str) -> str:
    """The person's words, then what the agent adds, such as the person's answers to questions."""
    if person in agent:
        return agent
    return person if agent in person else f"{person}\n\n{agent}"


def client_pid(session: str) -> int:
    """The process of the client that runs this command in the session; 0 for any other session."""
    is_own = session and session == os.environ.get("CLAUDE_CODE_SESSION_ID", "")
    return parse_number(os.environ.get("CLAUDE_PID", "")) if is_own else 0


def session_id(args: Args) -> str:
    named = args.session or os.environ.get("LOOP_SESSION", "").replace("*", "")
    return str(named or agent_session())
