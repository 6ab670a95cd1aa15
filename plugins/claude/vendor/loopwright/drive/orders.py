"""A person's orders, the same whether typed in a terminal or in a session: words in, a directive out."""

from __future__ import annotations

import os
import time

from ..core.loop import Loop
from ..core.record import dumps
from ..core.signals import Answered, Ordered, Reply, Stop
from ..store.folder import FileLock, FolderBusy, LoopFolder
from ..store.journal import write_atomic
from .step import step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..core.ratchet import Finding

MOST_DOLLARS, MOST_ITERATIONS = 100.0, 50
NOTHING_FOUND = "Nothing was found, or nobody has looked yet: that is done when all criteria are met."
MOMENT = 0.5  # seconds; a runner holds its lock for longer than that, who only asks for it does not
RECENT = 600  # seconds; a lease that moved later than this is moved again only on --yes


class UserError(Exception):
    """What is wrong, where, and the way out; shown as it is."""


def typed(folder: LoopFolder, command: str, words: list[str], session: str, pid: int) -> Reply:
    """One slash command of the person who drives the loop."""
    now = time.time()
    try:
        match command:
            case "continue":
                return go_on(folder, *raises(words), yes="--yes" in words, heard=True)
            case "execute" | "verify":
                return staged(folder, command, heard=True)
            case "pause":
                return step(folder, Ordered(now, "pause", reason=" ".join(words)))
            case "cancel":
                return cancel(folder, keep="--keep" in words)
            case "answer":
                return step(folder, Answered(now, " ".join(words), heard=True))
            case "accept":
                return accept(folder, tuple(words))
            case "attach":
                return attach(folder, session, pid, "--yes" in words, heard=True)
            case "detach":
                return detach(folder)
        loop = folder.peek()
        assert loop is not None
        return Stop(say=_shown(command, loop))
    except UserError as error:
        return Stop(say=str(error))


def _shown(command: str, loop: Loop) -> str:
    from ..views import board, why

    return board.text(loop) if command == "status" else why.text(loop)


def raises(words: list[str]) -> tuple[float, float, float]:
    """--budget=25 --iterations 5 --minutes=60, as a person types them: dollars, iterations, minutes."""
    found = {"--budget": 0.0, "--iterations": 0.0, "--minutes": 0.0}
    rest = [part for word in words if word != "--yes" for part in word.split("=", 1)]
    while rest:
        flag = rest.pop(0)
        if flag not in found or not rest:
            raise UserError(f"unknown word {flag!r}. Usage: loop continue [--budget=N] [--iterations=N] [--minutes=N] [--yes]")
        found[flag] = amount(flag, rest.pop(0))
    return found["--budget"], found["--iterations"], found["--minutes"]


def amount(flag: str, text: str) -> float:
    try:
        value = float(text.removeprefix("$"))
    except ValueError:
        raise UserError(f"{flag} takes a number, not {text!r}") from None
    if not 0 < value < 1_000_000:
        raise UserError(f"{flag} takes a number above 0, not {text!r}")
    return value


def go_on(folder: LoopFolder, dollars: float, iterations: float, minutes: float, yes: bool = False, heard: bool = False) -> Reply:
    """Add to the limits and resume. Above the maxima the person must say so; nothing is clamped silently."""
    loop = folder.peek()
    if loop is None:
        raise UserError("no loop here to continue. Start one: loop start SPEC")
    if not yes and loop.limits.dollars + dollars > MOST_DOLLARS and dollars:
        raise UserError(f"that makes ${loop.limits.dollars + dollars:g}, above ${MOST_DOLLARS:g}. Add --yes if you mean it")
    if not yes and loop.limits.iterations + iterations > MOST_ITERATIONS and iterations:
        raise UserError(
            f"that makes {loop.limits.iterations + iterations:g} iterations, above {MOST_ITERATIONS}. Add --yes if you mean it"
        )
    folder.unhalt()
    order = Ordered(time.time(), "continue", dollars=dollars, iterations=int(iterations), minutes=minutes, heard=heard)
    return step(folder, order)


def is_plan(known: str, typed: str, root: str) -> bool:
    """Is the file that was typed the plan that is known by this path?"""
    return os.path.realpath(os.path.join(root, known)) == os.path.realpath(os.path.abspath(typed))


def staged(folder: LoopFolder, stage: str, heard: bool = False) -> Reply:
    """Go on with the tasks of a plan, or verify it now."""
    if loop := folder.peek():
        must_be_free(folder, loop)
    folder.unhalt()
    return step(folder, Ordered(time.time(), stage, heard=heard))


def attach(folder: LoopFolder, session: str, pid: int, yes: bool, heard: bool = False) -> Reply:
    """Move the lease to a session. A driver that was heard of just now is not pushed aside without a yes."""
    loop = folder.peek()
    if loop is None:
        raise UserError("no loop here to attach to")
    with Free(folder, loop):
        held = loop.lease.holder not in ("", session) and not loop.lease.ended and not loop.headless  # a runner is gone by now
        if held and not yes:
            must_be_quiet(folder, loop)
        return step(folder, Ordered(time.time(), "attach", session=session, pid=pid, heard=heard))


def accept(folder: LoopFolder, keys: tuple[str, ...]) -> Reply:
    """Take findings as they are; without keys, list them."""
    from ..core.objections import described

    found = standing(folder, keys)
    if keys:
        return step(folder, Ordered(time.time(), "accept", names=keys))
    rows = [f"{finding.key}  {finding.severity}\n{described(finding)}" for finding in found]
    return Stop(say="\n".join([*rows, "Take one as it is: `loop accept KEY`"]) if rows else NOTHING_FOUND)


def standing(folder: LoopFolder, keys: tuple[str, ...] = ()) -> tuple[Finding, ...]:
    """What was found and waits for a person; every key must be one of them."""
    from ..core.ratchet import HIGH, MEDIUM
    from ..core.ratchet import standing as of

    loop = folder.peek()
    found = of(loop, HIGH, MEDIUM) if loop else ()
    if unknown := set(keys) - {finding.key for finding in found}:
        there = ", ".join(finding.key for finding in found) or "none"
        raise UserError(f"no finding {min(unknown)!r}; there are: {there}. See: `loop accept`")
    return found


def must_be_quiet(folder: LoopFolder, loop: Loop) -> None:
    """A session that was heard of just now is not pushed aside without a yes."""
    if time.time() - os.stat(folder.journal).st_mtime < RECENT:
        raise UserError(f"session {loop.lease.holder} drove this loop less than 10 minutes ago. Add --yes to take it over")


def detach(folder: LoopFolder) -> Reply:
    loop = folder.peek()
    if loop is None:
        raise UserError("no loop here to let go of")
    with Free(folder, loop):
        return step(folder, Ordered(time.time(), "detach"))


def cancel(folder: LoopFolder, keep: bool) -> Reply:
    """Whoever drives it. What a runner that was killed had spent is in the record before it is closed."""
    if loop := folder.peek():
        try:
            must_be_free(folder, loop)
        except UserError:  # it lives, and hears of the end by itself
            pass
    return step(folder, Ordered(time.time(), "cancel", keep=keep))


class Free(FileLock):
    """The lock that a runner holds for its life, held for an order: two drivers are impossible, and none comes in between.

    What a runner that was killed had spent is written down before anybody has the loop, and by one of those who come.
    """

    def __init__(self, folder: LoopFolder, loop: Loop) -> None:
        super().__init__(folder.inside("driver.lock"), MOMENT)
        self.folder, self.holder = folder, loop.lease.holder

    def __enter__(self) -> None:
        try:
            super().__enter__()
        except FolderBusy as error:
            raise UserError(f"{self.holder} drives this loop now. Stop it first: Ctrl-C there, or: loop pause") from error
        try:
            if (loop := self.folder.peek()) and loop.headless:
                from .aftermath import settle

                settle(self.folder, loop)
        except BaseException:
            self.release()
            raise


def must_be_free(folder: LoopFolder, loop: Loop) -> None:
    with Free(folder, loop):
        pass


def runner_lives(folder: LoopFolder) -> bool:
    """A runner holds a lock for its whole life."""
    try:
        with FileLock(folder.inside("driver.lock"), wait=0.0):
            return False
    except FolderBusy:
        return True


def steer(folder: LoopFolder, text: str) -> Reply:
    """A word for the agent while it works."""
    if not text.strip():
        raise UserError('what is the agent to know? Say it: loop steer "leave the database alone"')
    return step(folder, Ordered(time.time(), "steer", reason=text.strip()[:2000]))


def halt(folder: LoopFolder, at: float) -> Reply:
    """A person touched .loop/STOP: pause, and take the file away so that it halts once."""
    said = step(folder, Ordered(at, "pause", reason=".loop/STOP was found"))
    folder.unhalt("STOP")  # not before: an order that could not be written down stands
    return said


def order_halt(folder: LoopFolder, why: str) -> None:
    """Leave word for the driving session's next tool call, see hook/halt.sh."""
    write_atomic(folder.inside("halt"), dumps({"continue": False, "stopReason": why}).encode() + b"\n")
