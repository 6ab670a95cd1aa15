"""A person's orders: words in, a directive out.

They are the same whether typed in a terminal or in a session.
"""

from __future__ import annotations

import os
import time

from ...core.criteria import LISTED_AT_START, Criterion
from ...core.directives import Reply, Stop
from ...core.json_text import dumps
from ...core.limits import MAX_DOLLARS, MAX_ITERATIONS
from ...core.loop import Loop
from ...core.prompts.phrases import time_ago
from ...core.signals import Answered, Ordered
from ...disk.files import write_atomic
from ...store.folder import LoopFolder
from ..errors import UserError, WrongValue
from ..runner.driver_lock import OrderLock, refuse_if_driven
from ..step import step
from ..turn_facts import is_holder_gone

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...core.findings import Finding

NOTHING_FOUND = "Nothing was found. The comparison with the start runs when all criteria are met."
WHOLE_AMOUNTS = ("iterations", "attempts", "max-parallel", "block-cap")
RECENT_SECONDS = 600  # a session that was active more recently loses its lease only with --yes


def run_typed_command(
    folder: LoopFolder, command: str, words: list[str], session: str, pid: int, cwd: str = ""
) -> Reply:
    """One slash command of the person who drives the loop, in their folder `cwd`."""
    now, yes = time.time(), "--yes" in words
    try:
        match command:
            case "continue":
                unproven = "--unproven" in words
                amounts = parse_limit_raises([word for word in words if word != "--unproven"])
                return continue_loop(folder, *amounts, yes=yes, heard=True, unproven=unproven)
            case "execute" | "verify":
                return enter_stage(folder, command, heard=True)
            case "pause":
                return _pause_from_session(folder, session, " ".join(words))
            case "cancel":
                return cancel_loop(folder, keep="--keep" in words)
            case "answer":
                return step(folder, Answered(now, " ".join(words), agent_informed=True))
            case "criteria":
                return list_or_change_criteria(folder, words, cwd)
            case "allow" | "rule":
                return CHECK_COMMANDS[command](folder, words)
            case "accept":
                return accept_findings(folder, tuple(words))
            case "attach":
                return attach_session(folder, session, pid, yes, heard=True)
            case "detach":
                return detach_session(folder)
        loop = folder.read_loop()
        assert loop is not None
        return Stop(message=view_text(command, loop, session))
    except UserError as error:
        return Stop(message=str(error))


def allow_typed_checks(folder: LoopFolder, words: list[str]) -> Reply:
    """Show the checks that wait for the person; with names or --yes, allow them.

    An open question that lists them has shown them already.
    """
    from .. import checks

    loop = folder.read_loop()
    assert loop is not None
    names = [word for word in words if word != "--yes"]
    waiting = checks.waiting_checks(loop, names)
    listed = loop.gate and loop.gate.name == "G1" and all(map(_is_listed_at_start, waiting))
    if words or listed or (loop.gate and loop.gate.name == "allow"):
        return checks.allow_checks(folder, waiting)
    plan_file = loop.plan.file if loop.plan else ""
    rows = ["These commands would run at every stop:"]
    rows += checks.check_texts(waiting, folder.root, plan_file)
    rows.append("Allow them: `loop allow --yes`, or one of them: `loop allow NAME`")
    return Stop(message="\n".join(rows))


def list_or_change_criteria(folder: LoopFolder, words: list[str], cwd: str) -> Reply:
    """List the criteria; or `add NAME=COMMAND`, `add NAME=@tests`, or `drop NAME`."""
    from ...checks.detection.repository import repository_checks
    from ...core.start.intake import parse_named_check
    from ...views.criterion_rows import criterion_line
    from .. import checks

    loop = folder.read_loop()
    assert loop is not None
    what = words[0] if words else "list"
    if what == "list":
        return Stop(message="\n".join(criterion_line(c, loop) for c in loop.criteria))
    if what not in ("add", "drop"):
        raise UserError(f"{what!r} is neither add nor drop. See: `loop criteria`")
    try:
        name, check = parse_named_check(" ".join(words[1:]))
    except ValueError as error:
        raise UserError(str(error)) from error
    if check and what == "add":
        detected = repository_checks(folder.root, check.timeout, cwd)
        check = checks.named_kind_of_check(name, check, detected) or check
    return checks.change_criteria(folder, loop, what, name, check)


def rule_on_dispute(folder: LoopFolder, words: list[str]) -> Reply:
    """List what waits for a ruling; or NAME, then keep, drop or change and a COMMAND."""
    from .rulings import rule_by_words

    return rule_by_words(folder, words)


CHECK_COMMANDS = {"allow": allow_typed_checks, "rule": rule_on_dispute}


def _is_listed_at_start(c: Criterion) -> bool:
    return bool(c.check and c.check.origin in LISTED_AT_START)


def view_text(command: str, loop: Loop, session: str) -> str:
    """The answer to `status` or `why` in this session."""
    from ...views import board, why

    return board.text(loop, session, time.time()) if command == "status" else why.text(loop)


def _pause_from_session(folder: LoopFolder, session: str, reason: str) -> Reply:
    """Pause. Another session that drives the loop halts at its next tool call."""
    loop = folder.read_loop()
    reply = step(folder, Ordered(time.time(), "pause", reason=reason))
    if loop and loop.lease.holder not in ("", session):
        write_halt_file(folder, reply.message)
    return reply


def parse_limit_raises(words: list[str]) -> tuple[float, float, float]:
    """Dollars, iterations and minutes in words such as --budget=25 --iterations 5."""
    amounts = {"--budget": 0.0, "--iterations": 0.0, "--minutes": 0.0}
    rest = [part for word in words if word != "--yes" for part in word.split("=", 1)]
    while rest:
        flag = rest.pop(0)
        if flag not in amounts or not rest:
            raise UserError(
                f"unknown word {flag!r}. Usage: "
                "loop continue [--budget=N] [--iterations=N] [--minutes=N] [--yes]"
            )
        amounts[flag] = parse_amount(flag, rest.pop(0))
    return amounts["--budget"], amounts["--iterations"], amounts["--minutes"]


def parse_amount(flag: str, text: str) -> float:
    try:
        value = float(text.removeprefix("$"))
    except ValueError:
        raise WrongValue(f"{flag} takes a number, not {text!r}") from None
    if not 0 < value < 1_000_000:
        raise WrongValue(f"{flag} takes a number above 0, not {text!r}")
    if flag.removeprefix("--") in WHOLE_AMOUNTS and value != int(value):
        raise WrongValue(f"{flag} takes a whole number, not {text!r}")
    return value


def typed_raises(args: object) -> tuple[float, float, float]:
    """What --budget, --iterations and --minutes add; 0.0 where one is left out."""
    typed = ((f"--{name}", getattr(args, name)) for name in ("budget", "iterations", "minutes"))
    dollars, iterations, minutes = (parse_amount(*row) if row[1] else 0.0 for row in typed)
    return dollars, iterations, minutes


def continue_loop(
    folder: LoopFolder,
    dollars: float,
    iterations: float,
    minutes: float,
    yes: bool = False,
    heard: bool = False,
    unproven: bool = False,
    prove: bool = False,
) -> Reply:
    """Add to the limits and resume. Limits above the maxima need `yes`; none is reduced silently.

    `heard`: the order was typed in the session of the agent, which learns of it right away.
    `unproven`: work without the checks that may not run. `prove`: the caller waits for a proof
    that a fault of the machine cut off.
    """
    from ...core.person.orders import PROVE  # what a typed command of another kind does not need

    loop = folder.read_loop()
    if loop is None:
        raise UserError("no loop here to continue. Start one: `loop start SPEC`")
    total_dollars = loop.limits.dollars + dollars
    total_iterations = loop.limits.iterations + iterations
    if dollars and total_dollars > MAX_DOLLARS and not yes:
        raise UserError(
            f"that makes ${total_dollars:g}, above ${MAX_DOLLARS:g}. Add --yes if you mean it"
        )
    if iterations and total_iterations > MAX_ITERATIONS and not yes:
        raise UserError(
            f"that makes {total_iterations:g} iterations, above {MAX_ITERATIONS}. "
            "Add --yes if you mean it"
        )
    folder.remove_halt_files()
    if unproven:
        step(folder, Ordered(time.time(), "waive"))
    order = Ordered(
        time.time(),
        "continue",
        dollars=dollars,
        iterations=int(iterations),
        minutes=minutes,
        agent_informed=heard,
        arguments=(PROVE,) if prove else (),
    )
    return step(folder, order)


def is_same_plan(file: str, typed: str, root: str) -> bool:
    """Is the path that was typed the plan with this path below the root?"""
    return os.path.realpath(os.path.join(root, file)) == os.path.realpath(os.path.abspath(typed))


def enter_stage(folder: LoopFolder, stage: str, heard: bool = False) -> Reply:
    """Continue with the tasks of a plan, or verify it now."""
    if folder.read_loop():
        refuse_if_driven(folder)
    folder.remove_halt_files()
    return step(folder, Ordered(time.time(), stage, agent_informed=heard))


def attach_session(
    folder: LoopFolder, session: str, pid: int, yes: bool, heard: bool = False
) -> Reply:
    """Move the lease to a session. A driver that was active recently loses it only with `yes`."""
    loop = folder.read_loop()
    if loop is None:
        raise UserError("no loop here to attach to")
    with OrderLock(folder):
        other_holder = loop.lease.holder not in ("", session)
        # We hold the lock of a runner, so no runner drives the loop now.
        is_over = loop.lease.session_ended or loop.headless_run or is_holder_gone(loop, session)
        if other_holder and not is_over and not yes:
            refuse_if_driven_recently(folder)
        order = Ordered(time.time(), "attach", session=session, pid=pid, agent_informed=heard)
        return step(folder, order)


def accept_findings(folder: LoopFolder, keys: tuple[str, ...]) -> Reply:
    """Accept findings as they are; without keys, list them."""
    from ...core.prompts.objections import finding_text

    findings = open_findings(folder, keys)
    if keys:
        return step(folder, Ordered(time.time(), "accept", arguments=keys))
    if not findings:
        return Stop(message=NOTHING_FOUND)
    rows = [f"{finding.key}  {finding.severity}\n{finding_text(finding)}" for finding in findings]
    return Stop(message="\n".join([*rows, "Take one as it is: `loop accept KEY`"]))


def open_findings(folder: LoopFolder, keys: tuple[str, ...] = ()) -> tuple[Finding, ...]:
    """The findings that wait for a person. A key that is not one of them is an error."""
    from ...core import loop as loops
    from ...core.findings import HIGH, MEDIUM

    loop = folder.read_loop()
    findings = loops.open_findings(loop, HIGH, MEDIUM) if loop else ()
    refuse_unknown_keys(findings, keys)
    return findings


def refuse_unknown_keys(findings: tuple[Finding, ...], keys: Iterable[str]) -> None:
    known_keys = [finding.key for finding in findings]
    if unknown := set(keys) - set(known_keys):
        listed = ", ".join(known_keys) or "none"
        raise UserError(f"no finding {min(unknown)!r}; there are: {listed}. See: `loop accept`")


def refuse_if_driven_recently(folder: LoopFolder) -> None:
    """Raise an error when the session of the lease drove the loop within the last ten minutes."""
    age = time.time() - os.stat(folder.journal_path).st_mtime
    if age < RECENT_SECONDS:
        raise UserError(
            f"another session drove this loop {time_ago(age)}, and its client still runs. "
            "Add --yes to take it over"
        )


def detach_session(folder: LoopFolder) -> Reply:
    loop = folder.read_loop()
    if loop is None:
        raise UserError("no loop here to let go of")
    with OrderLock(folder):
        return step(folder, Ordered(time.time(), "detach"))


def cancel_loop(folder: LoopFolder, keep: bool) -> Reply:
    """Cancel the loop, whoever drives it.

    The record gets what a killed runner had spent before it is closed.
    """
    if folder.read_loop():
        try:
            refuse_if_driven(folder)
        except UserError:  # the runner is alive, and notices the end by itself
            pass
    return step(folder, Ordered(time.time(), "cancel", keep_mirror=keep))


def steer_agent(folder: LoopFolder, text: str) -> Reply:
    """Give the agent a message while it works."""
    if not text.strip():
        raise UserError('what is the agent to know? Say it: loop steer "leave the database alone"')
    return step(folder, Ordered(time.time(), "steer", reason=text.strip()[:2000]))


def write_halt_file(folder: LoopFolder, why: str) -> None:
    """Leave the message that stops the driving session at its next tool call, see hook/halt.sh.

    Without the refusal the client would still run that tool call, and halt after it.
    """
    refusal = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": why,
    }
    answer = {"continue": False, "stopReason": why, "hookSpecificOutput": refusal}
    write_atomic(folder.path_of("halt"), dumps(answer).encode() + b"\n")
