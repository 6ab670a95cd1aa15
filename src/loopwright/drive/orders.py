"""A person's orders, the same whether typed in a terminal or in a session: words in, a directive out."""

from __future__ import annotations

import os
import time

from ..core.directives import Reply, Stop
from ..core.json_text import dumps
from ..core.loop import Loop
from ..core.signals import Answered, Ordered
from ..disk.files import write_atomic
from ..disk.lock import FileLock, FolderBusy
from ..store.folder import LoopFolder
from .errors import UserError
from .step import step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.findings import Finding

MAX_DOLLARS, MAX_ITERATIONS = 100.0, 50
NOTHING_FOUND = (
    "Nothing was found, or nobody has looked yet: that is done when all criteria are met."
)
LOCK_WAIT_SECONDS = (
    0.5  # seconds; a runner holds its lock for longer than that, who only asks for it does not
)
RECENT_SECONDS = 600  # seconds; a lease that moved later than this is moved again only on --yes


def run_typed_command(
    folder: LoopFolder, command: str, words: list[str], session: str, pid: int
) -> Reply:
    """One slash command of the person who drives the loop."""
    now = time.time()
    try:
        match command:
            case "continue":
                return continue_loop(
                    folder, *parse_limit_raises(words), yes="--yes" in words, heard=True
                )
            case "execute" | "verify":
                return enter_stage(folder, command, heard=True)
            case "pause":
                return step(folder, Ordered(now, "pause", reason=" ".join(words)))
            case "cancel":
                return cancel_loop(folder, keep="--keep" in words)
            case "answer":
                return step(folder, Answered(now, " ".join(words), agent_informed=True))
            case "accept":
                return accept_findings(folder, tuple(words))
            case "attach":
                return attach_session(folder, session, pid, "--yes" in words, heard=True)
            case "detach":
                return detach_session(folder)
        loop = folder.read_loop()
        assert loop is not None
        return Stop(message=_view_text(command, loop))
    except UserError as error:
        return Stop(message=str(error))


def _view_text(command: str, loop: Loop) -> str:
    from ..views import board, why

    return board.text(loop) if command == "status" else why.text(loop)


def parse_limit_raises(words: list[str]) -> tuple[float, float, float]:
    """--budget=25 --iterations 5 --minutes=60, as a person types them: dollars, iterations, minutes."""
    found = {"--budget": 0.0, "--iterations": 0.0, "--minutes": 0.0}
    rest = [part for word in words if word != "--yes" for part in word.split("=", 1)]
    while rest:
        flag = rest.pop(0)
        if flag not in found or not rest:
            raise UserError(
                f"unknown word {flag!r}. Usage: loop continue [--budget=N] [--iterations=N] [--minutes=N] [--yes]"
            )
        found[flag] = parse_amount(flag, rest.pop(0))
    return found["--budget"], found["--iterations"], found["--minutes"]


def parse_amount(flag: str, text: str) -> float:
    try:
        value = float(text.removeprefix("$"))
    except ValueError:
        raise UserError(f"{flag} takes a number, not {text!r}") from None
    if not 0 < value < 1_000_000:
        raise UserError(f"{flag} takes a number above 0, not {text!r}")
    return value


def continue_loop(
    folder: LoopFolder,
    dollars: float,
    iterations: float,
    minutes: float,
    yes: bool = False,
    heard: bool = False,
) -> Reply:
    """Add to the limits and resume. Above the maxima the person must say so; nothing is clamped silently."""
    loop = folder.read_loop()
    if loop is None:
        raise UserError("no loop here to continue. Start one: loop start SPEC")
    if not yes and loop.limits.dollars + dollars > MAX_DOLLARS and dollars:
        raise UserError(
            f"that makes ${loop.limits.dollars + dollars:g}, above ${MAX_DOLLARS:g}. Add --yes if you mean it"
        )
    if not yes and loop.limits.iterations + iterations > MAX_ITERATIONS and iterations:
        raise UserError(
            f"that makes {loop.limits.iterations + iterations:g} iterations, above {MAX_ITERATIONS}. Add --yes if you mean it"
        )
    folder.remove_halt_files()
    order = Ordered(
        time.time(),
        "continue",
        dollars=dollars,
        iterations=int(iterations),
        minutes=minutes,
        agent_informed=heard,
    )
    return step(folder, order)


def is_same_plan(known: str, typed: str, root: str) -> bool:
    """Is the file that was typed the plan that is known by this path?"""
    return os.path.realpath(os.path.join(root, known)) == os.path.realpath(os.path.abspath(typed))


def enter_stage(folder: LoopFolder, stage: str, heard: bool = False) -> Reply:
    """Go on with the tasks of a plan, or verify it now."""
    if loop := folder.read_loop():
        refuse_if_driven(folder, loop)
    folder.remove_halt_files()
    return step(folder, Ordered(time.time(), stage, agent_informed=heard))


def attach_session(
    folder: LoopFolder, session: str, pid: int, yes: bool, heard: bool = False
) -> Reply:
    """Move the lease to a session. A driver that was heard of just now is not pushed aside without a yes."""
    loop = folder.read_loop()
    if loop is None:
        raise UserError("no loop here to attach to")
    with DriverLock(folder, loop):
        held = (
            loop.lease.holder not in ("", session)
            and not loop.lease.session_ended
            and not loop.headless_run
        )  # a runner is gone by now
        if held and not yes:
            refuse_if_driven_recently(folder, loop)
        return step(
            folder, Ordered(time.time(), "attach", session=session, pid=pid, agent_informed=heard)
        )


def accept_findings(folder: LoopFolder, keys: tuple[str, ...]) -> Reply:
    """Take findings as they are; without keys, list them."""
    from ..core.prompts.objections import finding_text

    found = open_findings(folder, keys)
    if keys:
        return step(folder, Ordered(time.time(), "accept", arguments=keys))
    rows = [f"{finding.key}  {finding.severity}\n{finding_text(finding)}" for finding in found]
    return Stop(
        message="\n".join([*rows, "Take one as it is: `loop accept KEY`"])
        if rows
        else NOTHING_FOUND
    )


def open_findings(folder: LoopFolder, keys: tuple[str, ...] = ()) -> tuple[Finding, ...]:
    """What was found and waits for a person; every key must be one of them."""
    from ..core.findings import HIGH, MEDIUM
    from ..core.loop import open_findings as of

    loop = folder.read_loop()
    found = of(loop, HIGH, MEDIUM) if loop else ()
    if unknown := set(keys) - {finding.key for finding in found}:
        there = ", ".join(finding.key for finding in found) or "none"
        raise UserError(f"no finding {min(unknown)!r}; there are: {there}. See: `loop accept`")
    return found


def refuse_if_driven_recently(folder: LoopFolder, loop: Loop) -> None:
    """A session that was heard of just now is not pushed aside without a yes."""
    if time.time() - os.stat(folder.journal_path).st_mtime < RECENT_SECONDS:
        raise UserError(
            f"session {loop.lease.holder} drove this loop less than 10 minutes ago. Add --yes to take it over"
        )


def detach_session(folder: LoopFolder) -> Reply:
    loop = folder.read_loop()
    if loop is None:
        raise UserError("no loop here to let go of")
    with DriverLock(folder, loop):
        return step(folder, Ordered(time.time(), "detach"))


def cancel_loop(folder: LoopFolder, keep: bool) -> Reply:
    """Whoever drives it. What a runner that was killed had spent is in the record before it is closed."""
    if loop := folder.read_loop():
        try:
            refuse_if_driven(folder, loop)
        except UserError:  # it lives, and hears of the end by itself
            pass
    return step(folder, Ordered(time.time(), "cancel", keep_mirror=keep))


class DriverLock(FileLock):
    """The lock that a runner holds for its life, held for an order: two drivers are impossible, and none comes in between.

    What a runner that was killed had spent is written down before anybody has the loop, and by one of those who come.
    """

    def __init__(self, folder: LoopFolder, loop: Loop) -> None:
        super().__init__(folder.path_of("driver.lock"), LOCK_WAIT_SECONDS)
        self.folder, self.holder = folder, loop.lease.holder

    def __enter__(self) -> None:
        try:
            super().__enter__()
        except FolderBusy as error:
            raise UserError(
                f"{self.holder} drives this loop now. Stop it first: Ctrl-C there, or: loop pause"
            ) from error
        try:
            if (loop := self.folder.read_loop()) and loop.headless_run:
                from .runner.turn_result import settle_lost_turns

                settle_lost_turns(self.folder, loop)
        except BaseException:
            self.release()
            raise


def refuse_if_driven(folder: LoopFolder, loop: Loop) -> None:
    with DriverLock(folder, loop):
        pass


def is_runner_alive(folder: LoopFolder) -> bool:
    """A runner holds a lock for its whole life."""
    try:
        with FileLock(folder.path_of("driver.lock"), timeout_seconds=0.0):
            return False
    except FolderBusy:
        return True


def steer_agent(folder: LoopFolder, text: str) -> Reply:
    """A word for the agent while it works."""
    if not text.strip():
        raise UserError('what is the agent to know? Say it: loop steer "leave the database alone"')
    return step(folder, Ordered(time.time(), "steer", reason=text.strip()[:2000]))


def pause_for_stop_file(folder: LoopFolder, at: float) -> Reply:
    """A person touched .loop/STOP: pause, and take the file away so that it halts once."""
    said = step(folder, Ordered(at, "pause", reason=".loop/STOP was found"))
    folder.remove_halt_files("STOP")  # not before: an order that could not be written down stands
    return said


def write_halt_file(folder: LoopFolder, why: str) -> None:
    """Leave word for the driving session's next tool call, see hook/halt.sh."""
    write_atomic(
        folder.path_of("halt"), dumps({"continue": False, "stopReason": why}).encode() + b"\n"
    )
