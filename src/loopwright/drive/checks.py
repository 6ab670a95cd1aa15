"""Checks that wait for a person, and changes of the criteria, in a terminal or a session."""

from __future__ import annotations

import time
from collections.abc import Iterable

from ..core.criteria import Check, Criterion
from ..core.directives import Reply
from ..core.loop import Loop
from ..core.prompts.questions import outside_words
from ..core.proof.demand_results import command_criteria
from ..core.signals import Ordered
from ..core.start.binding import CHECK_KINDS, KIND_MARK
from ..store import trust
from ..store.folder import LoopFolder
from ..verify import tools
from .errors import UserError
from .step import step

ORIGINS = {
    "proposed": "proposed by the agent",
    "file": "found in a file",
    "settings": "from the settings of the GSD project",
}


def waiting_checks(loop: Loop, names: Iterable[str] = ()) -> list[Criterion]:
    """The criteria whose check waits for the person; an error if there are none."""
    wanted = list(names)
    waiting = [*loop.waiting_checks, *command_criteria(loop)]
    waiting = [c for c in waiting if not wanted or c.name in wanted]
    if not waiting:
        raise UserError("no check waits for you here. See: `loop criteria`")
    return waiting


def allow_checks(folder: LoopFolder, criteria: list[Criterion]) -> Reply:
    """Let these checks run in this loop, and in later ones in this folder."""
    allowed = []
    for c in criteria:
        assert c.check is not None
        if c.check.box:
            trust.allow_outside(folder, c.check)
        else:
            trust.allow_check(folder, c.check)
        allowed.append(c.but(check=c.check.but(allowed=True)))
    return step(folder, Ordered(time.time(), "allow", criteria=tuple(allowed)))


def check_texts(criteria: Iterable[Criterion], root: str, plan_file: str = "") -> list[str]:
    return [exact_check_text(c.name, c.check, root, plan_file) for c in criteria if c.check]


def exact_check_text(name: str, check: Check, root: str, plan_file: str) -> str:
    """What would run, character by character, so that nothing can hide on a terminal."""
    origin = ORIGINS.get(check.origin, check.origin)
    if check.origin == "plan":
        origin = f"from {plan_file or 'the plan'}"
    rows = [f"  {name} ← {trust.command_text(check)}{outside_words(check)}"]
    if script := tools.package_script(check.command, root):
        rows.append(f"      which runs: {script}")
    rows.append(f"      ({origin}; in {root}, at most {check.timeout} s)")
    return "".join(map(_visible_character, "\n".join(rows)))


def _visible_character(character: str) -> str:
    if character.isprintable() or character == "\n":
        return character
    return character.encode("unicode_escape").decode()


def named_kind_of_check(name: str, check: Check, detected: dict[str, Check]) -> Check | None:
    """The repository's check that NAME=@tests, @lint, @types or @build asks for."""
    line = check.command_line
    kind = line.removeprefix(KIND_MARK)
    if not line.startswith(KIND_MARK) or not kind.isalpha():
        return None
    if kind not in CHECK_KINDS:
        kinds = ", ".join(f"{KIND_MARK}{kind}" for kind in CHECK_KINDS)
        raise UserError(f"{name}={line}: there are {kinds}. Or give the command: NAME=COMMAND")
    if CHECK_KINDS[kind] not in detected:
        raise UserError(
            f"{name}={line}: no such command was found in this repository. "
            f'Give the command: "{name}=COMMAND", or name the criterion without a check'
        )
    return detected[CHECK_KINDS[kind]]


def change_criteria(
    folder: LoopFolder, loop: Loop, what: str, name: str, check: Check | None
) -> Reply:
    """Add one criterion, or drop it; before the work an independent check too."""
    if what == "drop" and any(c.is_independent and c.name == name for c in loop.final_checks):
        refuse_after_work(loop)
        return set_independent_checks(folder, without_independent_check(loop, name))
    changed = criteria_without(name, loop) if what == "drop" else criteria_with(name, check, loop)
    return step(folder, Ordered(time.time(), "criteria", criteria=changed))


def refuse_after_work(loop: Loop) -> None:
    """A check that is chosen after the work is no independent one."""
    if loop.spend.iterations or (loop.run and loop.run.turns_started):
        raise UserError("the work has begun; independent checks are chosen before it")


def set_independent_checks(folder: LoopFolder, changed: Loop) -> Reply:
    kept = tuple(c for c in changed.final_checks if c.is_independent)
    return step(folder, Ordered(time.time(), "independent", criteria=kept))


def without_independent_check(loop: Loop, name: str) -> Loop:
    kept = (c for c in loop.final_checks if not (c.is_independent and c.name == name))
    return loop.but(final_checks=tuple(kept))


def criteria_without(name: str, loop: Loop) -> tuple[Criterion, ...]:
    remaining = tuple(c for c in loop.criteria if c.name != name)
    if len(remaining) == len(loop.criteria):
        names = ", ".join(c.name for c in loop.criteria)
        raise UserError(f"no criterion {name!r}; there are: {names}")
    if not remaining and not loop.backlog:
        raise UserError(
            "a loop without criteria could never end. Add another first, or: `loop cancel`"
        )
    return remaining


def criteria_with(name: str, check: Check | None, loop: Loop) -> tuple[Criterion, ...]:
    """The criteria with a new one at the end; it replaces a criterion of the same name."""
    if loop.backlog and not check:
        raise UserError(f'a guard needs a command: `loop criteria add "{name}=COMMAND"`')
    others = [c for c in loop.criteria if c.name != name]
    return (*others, Criterion(name, check))
