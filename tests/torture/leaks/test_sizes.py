"""Nothing that we write, tell or show grows with what somebody else writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.discovery import cycle
from tests.support.hook import block
from tests.support.runner import command, start_checked_loop
from tests.torture.conftest import Figure
from tests.torture.leaks.rounds import ROUNDS
from tests.torture.leaks.world import KINDS, Make, World
from tests.torture.size import size

HUGE = size(commit=300_000, long=10_000_000)
TEXTS = {
    "many lines": "line\n" * (HUGE // 5),
    "one word": "x" * HUGE,
    "wide letters": "語" * (HUGE // 3),
}
# Letters. The whole loop, with a hundred steps and an unknown field or two, is in some lines of the journal.
MAX = {
    "journal.jsonl": 200_000,
    "state.json": 300_000,
    "evidence": 350_000,
    "a hook": 60_000,
    "a view": 200_000,
}


def letters(path: Path) -> str:
    return path.read_bytes().decode("utf-8", "replace")


@pytest.mark.parametrize("text", [*TEXTS][: size(commit=1, long=3)])
@pytest.mark.parametrize("kind", [*KINDS][: size(commit=1, long=len(KINDS))])
def test_nothing_grows_with_what_somebody_writes(
    project: Make, figure: Figure, kind: str, text: str
) -> None:
    world, sizes = World(project(git=False), kind), list[tuple[str, str, int]]()
    for round in ROUNDS[kind]:
        round(world, lambda field: f"{TEXTS[text]} {field}")
        sizes += [
            (round.__name__, "a hook" if said[:1] == "{" else "a view", len(said))
            for said in world.outputs
        ]
        world.outputs.clear()
        world.goes_on()
        for path in world.files():
            if path.name == "journal.jsonl":
                sizes += [
                    (round.__name__, path.name, len(line)) for line in letters(path).split("\n")
                ]
            else:
                sizes.append(
                    (
                        round.__name__,
                        "evidence" if path.suffix == ".log" else "state.json",
                        len(letters(path)),
                    )
                )
    for view, said in world.views().items():
        sizes.append((view, "journal.jsonl" if "journal" in view else "a view", len(said)))

    figure(
        "sizes",
        of=len(sizes),
        bad=[
            f"{kind}, {text}, {where}: {what} has {number}"
            for where, what, number in sizes
            if number > MAX[what]
        ],
    )


def test_nothing_grows_with_how_much_is_said_at_once(project: Make, figure: Figure) -> None:
    """Not one long text but many: a hundred thousand steps, criteria, items, fields."""
    many, sizes = range(size(commit=500, long=100_000)), list[int]()
    lines = [
        f"{word}: thing {n}"
        for n in many
        for word in ("STEP_DONE", "TASK FAILED", "NEW ISSUE", "GAP CLOSED")
    ]
    said = {
        "spec": block({f"criterion {n}": True for n in many}, *lines),
        "discovery": cycle(
            "; ".join(f"done {n}" for n in many), "; ".join(f"found {n}" for n in many)
        ),
        "plan": "\n".join(lines),
    }
    for kind in KINDS:
        world = World(project(git=False), kind)
        for number in range(3):
            world.here.edit_state(
                completedSteps=[f"step {number} {n}" for n in many],
                **{f"field {n}": n for n in many[:1000]},
            )
            world.stops(said[kind])
            world.goes_on()
        world.views()
        sizes += [
            len(line)
            for line in (world.here.root / ".loop/journal.jsonl").read_bytes().split(b"\n")
        ]
        sizes += [
            *map(len, world.outputs),
            *(path.stat().st_size for path in world.files() if path.name != "journal.jsonl"),
        ]

    figure(
        "sizes",
        of=len(sizes),
        bad=[f"{number} bytes" for number in sizes if number > max(MAX.values())],
    )


@pytest.mark.long
def test_the_log_of_a_runner_and_what_it_passes_on_have_an_end(
    project: Make, figure: Figure
) -> None:
    here = start_checked_loop(project, git=False)
    lines_of = size(commit=550, long=10_000)
    text = f"for n in range({lines_of}): print('x' * 9_999)\nprint({block({}, 'ASK: ' + 'y' * 100_000)!r})"
    said = here.run("run", *command(here, text))
    logs = [path.stat().st_size for path in (here.root / ".loop/logs").iterdir()]
    lines = [len(line) for line in (here.root / ".loop/journal.jsonl").read_bytes().split(b"\n")]

    bad = [f"{number} in a log" for number in logs if number > 5_100_000] + [
        f"{n} in a line" for n in lines if n > 50_000
    ]
    figure(
        "sizes",
        of=len(logs) + len(lines) + 1,
        bad=bad + [f"{len(said.out)} printed"] * (len(said.out) > 10_000),
    )
    assert here.loop.status == "asking"
