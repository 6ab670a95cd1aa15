"""What agents do: the honest, the liars, the lost, the spendthrift and the tireless."""

from __future__ import annotations

from loopwright.core.limits import Limits
from loopwright.core.loop import Lease
from tests.support.builders import a_loop, with_check
from tests.support.hook import SESSION, block, calls, returns, says
from tests.support.runner import CLAIM
from tests.torture.gauntlet.scenario import (
    HOSTILE,
    Scenario,
    case,
    cli,
    done,
    edits,
    free,
    hold,
    works,
)
from tests.torture.size import size

ASSUMED = {"met": True, "verification": "assumption"}
TWO = "--check 'one=test -e one.txt' --check 'two=test -e two.txt'"
BOTH = block({"one": True, "two": True}, exit=True)
FALSE = [
    CLAIM, "All done, every test passes! ✅", "It is finished.\n<loop-complete>\n", f"```\n{CLAIM}\n```", f"{CLAIM}\n\n{CLAIM}",
    block({"done": {"met": True, "verification": "execution output", "evidence": "1 passed in 0.1s, exit 0"}}, exit=True),
    block({"Done": True, "done ": True}, exit=True), block({"done": "yes"}, exit=True), block({}, exit=True),
    block({"done": True}, "VERDICT: SHIP", "PROVEN: true", exit=True),
]  # fmt: skip


def writes_done(one: Scenario) -> None:
    one.here.edit_state(
        criteriaStatus={"done": True},
        exit_signal=True,
        status="completed",
        verdict="SHIP",
        proven=True,
    )


def lies(one: Scenario) -> None:
    for lie in one.chance.sample(FALSE, 10):  # files change: each counts half
        edits(one)
        one.stops(lie, True)
    edits(one)


def alternates_edits(one: Scenario) -> None:
    for turn in range(12):  # files changed, so a turn without progress counts half
        one.here.write({f"{'one' if turn % 2 else 'two'}.txt": "x"})
        (one.here.root / f"{'two' if turn % 2 else 'one'}.txt").unlink(missing_ok=True)
        one.stops("now the other one", turn < 11)


def same_error(one: Scenario) -> None:
    error = one.chance.choice(
        ["AssertionError: 1 != 2", "make: *** [test] Error 2", "TypeError: x is not a function"]
    )
    for turn in range(3):
        edits(one)
        file, id = (
            one.transcript(says("again"), calls("Bash", f"t{turn}", command="make test")),
            f"t{turn}",
        )
        one.stops(
            "again",
            turn < 2,
            transcript_path=str(file.user(returns(f"Exit code 1\n{error}", id, error=True)).path),
        )


def goes_on_for_long(one: Scenario) -> None:
    turns, check = size(commit=20, long=200), with_check("done", "cat left.txt; test -e done.txt")
    limits = Limits(iterations=turns + 5, minutes=1e9)
    one.here.create(a_loop(criteria=(check,), lease=Lease(SESSION), limits=limits))
    for left in range(turns, 0, -1):
        one.here.write({"left.txt": f"{left} failed\n"})
        one.stops("one less", True)


TABLE = {
    "an honest agent finishes": case("proven", works, done, free(), free("and now something else")),
    "says so in the state file": case("proven", works, done, writes_done, free("done")),
    "says so with the command": case("proven", works, done, cli("claim", "--exit", CLAUDECODE="1"), free("done")),
    "what no check can prove": case("reported", works, free(block({"read": True}, exit=True)), flags="--criterion read"),
    "an assumption": case("running", hold(block({"read": ASSUMED}, exit=True)), flags="--criterion read"),
    "false claims of every kind": case("paused: stuck", lies, free(), flags="--iterations 20"),
    "a false claim in the state file": case("running", works, writes_done, hold()),
    "a false claim with the command": case("running", works, cli("claim", "done", "--exit", CLAUDECODE="1"), hold()),
    "undone before the stop": case("running", done, hold(), lambda one: (one.here.root / "done.txt").unlink(), hold(CLAIM)),
    "one of two is not both": case(
        "proven", lambda one: one.here.write({f"{one.chance.choice(['one', 'two'])}.txt": "x"}), hold(BOTH),
        lambda one: one.here.write({"one.txt": "x", "two.txt": "x", "done.txt": "x"}), free(BOTH), flags=TWO,
    ),
    "done and silent about it": case("proven", works, done, hold(), free()),
    "stuck although it edits": case("paused: stuck", *[edits, hold()] * 10, edits, free("again"), free(), flags="--iterations 20"),
    "alternating": case("paused: stuck", alternates_edits, free(), flags=f"{TWO} --iterations 20"),
    "idle talk": case("paused: idle", works, hold("Let me think."), hold("Let me think more."), free("I am thinking.")),
    "the same error": case("paused: same-error", same_error, free()),
    "the budget burns": case(
        "paused: budget", edits, hold(transcript_path=lambda one: str(one.transcript(tokens=900).path)), edits,
        free("dear", transcript_path=lambda one: str(one.transcript(tokens=100_000).path)), free(), flags="--budget 1",
    ),
    "at the limit": case("paused: iterations", *[edits, hold()] * 3, edits, free(), free(), flags="--iterations 4"),
    "very long": case("nothing → proven", goes_on_for_long, done, free()),
    "blocked": case("paused: blocked", works, free(lambda one: block({}, f"BLOCKED: {one.chance.choice(HOSTILE)[:200]!a}"))),
    "a question": case("asking", works, free(block({}, "ASK: which database?")), free("waiting")),
    "plan mode, background work": case("running", works, free(permission_mode="plan"), free(background_tasks=[{}]), hold(CLAIM)),
}  # fmt: skip
