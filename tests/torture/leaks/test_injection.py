"""Whatever stands in a field: nothing of it runs, no file appears elsewhere, no quoted word ends a loop, all is read back."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.json_text import JSONError, loads
from loopwright.core.loop import plan_of
from loopwright.core.plan.gaps import gaps_in, status_in
from loopwright.core.plan.plan import Gap, HistoryEntry, TaskFailure
from loopwright.formats import gsd_roadmap, gsd_state
from loopwright.formats.markdown_page import BacklogPage
from loopwright.views import verification
from tests.support.discovery import PAGE
from tests.support.hook import block, run_hook, stop_event
from tests.support.plan_stories import a_plan_loop
from tests.support.runner import program, script
from tests.torture.conftest import Figure
from tests.torture.leaks.rounds import ROUNDS
from tests.torture.leaks.world import Make, World, flat
from tests.torture.size import size

PAYLOADS: list[str] = json.loads((Path(__file__).parent / "payloads.json").read_text())["anything"]
STATE = "# State\n\nloop: mine\n"
PASSES = {
    kind: size(commit=few, long=len(PAYLOADS))
    for kind, few in (("spec", 3), ("discovery", 2), ("plan", 2))
}
CHUNKS = [
    (kind, range(at, min(at + 5, most)))
    for kind, most in PASSES.items()
    for at in range(0, most, 5)
]


class Watched:
    """Every field gets the next payload, another one in each pass. What went wrong is told with both."""

    def __init__(self, world: World) -> None:
        self.world, self.pairs, self.bad, self.number = (
            world,
            list[tuple[str, str]](),
            list[str](),
            0,
        )
        self.beside, self.fields = self.elsewhere(), list[str]()

    def give(self, field: str) -> str:
        if field not in self.fields:
            self.fields.append(field)
        self.pairs.append(
            (field, PAYLOADS[(7 * self.fields.index(field) + self.number) % len(PAYLOADS)])
        )
        return self.pairs[-1][1]

    def elsewhere(self) -> set[str]:
        """Files around the project and in the person's home."""
        home, root = Path(os.environ["HOME"]), self.world.here.root
        own = {root, home / "state", home / "config"}
        return {
            str(path)
            for base in (home, root.parent)
            for path in base.rglob("*")
            if own.isdisjoint((path, *path.parents))
        }

    def looks(self, round: str, since: int) -> None:
        wrong, here = list[str](), self.world.here
        loop = here.folder.read_loop()
        if [
            path
            for path in (*here.root.parent.rglob("pwned"), *Path(os.environ["HOME"]).rglob("pwned"))
            if path.is_file()
        ]:
            wrong.append("something ran")
        if self.elsewhere() != self.beside:
            wrong.append(f"files outside: {self.elsewhere() ^ self.beside}")
        if (
            loop is None
            or loop.status != "running"
            or (self.world.kind == "spec" and loop.exit_claimed)
        ):
            wrong.append(f"the loop is {loop and (loop.status, loop.pause.why, loop.exit_claimed)}")
        wrong += [
            f"our own error: {said[:300]}" for said in self.world.outputs if "ur own error" in said
        ]
        wrong += [
            f"not one line: {said[:200]}"
            for said in self.world.outputs
            if said[:1] == "{" and loads_not(said)
        ]
        wrong += unreadable(here.root)
        self.world.outputs.clear()
        self.bad += [
            f"{self.world.kind}, pass {self.number}, {round}: {why} after {self.pairs[since:]}"
            for why in wrong
        ]


def loads_not(text: str) -> bool:
    try:
        return not isinstance(loads(text), dict)
    except JSONError:
        return True


def unreadable(root: Path) -> list[str]:
    wrong = (
        []
        if isinstance(json.loads((root / ".loop/state.json").read_bytes()), dict)
        else ["state.json is no object"]
    )
    page = root / PAGE
    if page.exists() and not {"backlog", "completed"} <= {
        *BacklogPage(page.read_text(encoding="utf-8")).spans
    }:
        wrong.append("the page has lost a section")
    return wrong


@pytest.mark.parametrize(
    ("kind", "passes"),
    CHUNKS,
    ids=[f"{kind} {passes.start}-{passes.stop - 1}" for kind, passes in CHUNKS],
)
def test_no_text_in_any_field_does_more_than_be_there(
    project: Make, figure: Figure, kind: str, passes: range
) -> None:
    watched = Watched(World(project(git=passes.start == 0 and kind == "spec"), kind))
    for watched.number in passes:
        for round in ROUNDS[kind]:
            since = len(watched.pairs)
            round(watched.world, watched.give)
            watched.world.goes_on()
            watched.looks(round.__name__, since)

    figure("injection", of=len({*watched.pairs}), bad=watched.bad)


def test_papers_with_any_words_in_them_are_read_back(figure: Figure) -> None:
    bad, of = list[str](), 0
    for text in PAYLOADS:
        plan = plan_of(a_plan_loop()).but(stage="verify", title=text, phase=f"1{text}", gsd=".gsd")
        plan = plan.but(
            gaps=(Gap("stub", f"a{text}", text), Gap("orphan", "b", text, text)),
            failures=(TaskFailure("01", 1, text),),
        )
        loop = a_plan_loop(
            plan.but(history=(HistoryEntry(1, "verify", text, (text,)),)), why=text, status="paused"
        )
        page, block = verification.text(loop), gsd_state.gsd_loop_from(loop, 0.0)
        state = gsd_state.update_block(f"---\nphase: 1\n---\n{STATE}", block)
        road = gsd_roadmap.set_phase_status(
            f"# Phase 1: {flat(text)}\n**Status:** OPEN\n", f"1 {text}", "COMPLETE"
        )
        wrong = {
            "gaps": [gap.kind for gap in gaps_in(page)] != ["stub", "orphan"],
            "status": status_in(page) != "gaps_found",
            "STATE.md": gsd_state.read_block(state) != block or not state.endswith(STATE),
            "ROADMAP.md": road.count("\n") != 2
            or gsd_roadmap.phase_status(road, "1") not in ("OPEN", "COMPLETE"),
        }
        of += len(wrong)
        bad += [f"{name}: {text!r}" for name, is_wrong in wrong.items() if is_wrong]

    figure("injection", of=of, bad=bad)


SHOWN = "import pathlib; pathlib.Path(sys.argv[1]).write_text(json.dumps([dict(os.environ), sys.stdin.read(), sys.argv[2:]]))"
SHOWN += f"\nprint({block({}, 'BLOCKED: no access')!r})"


@pytest.mark.parametrize("payload", PAYLOADS[: size(commit=1, long=8)], ids=ascii)
def test_real_processes_get_it_as_it_is(
    project: Make, tmp_path: Path, figure: Figure, payload: str
) -> None:
    """The door, a runner with a scripted agent, a person's notification, and a command line that takes the prompt as a word."""
    here, kept = project(), tmp_path / "kept.json"
    here.run(
        "start", f"mend the parser: {payload}", "--score", "9", "--yes", "--check", "works=false"
    )
    keeps = shlex.join((*program(tmp_path, SHOWN, "shown.py"), str(kept)))
    turns: list[dict[str, Any]] = [
        {"say": payload, "run": [f"printf %s {shlex.quote(payload)}; false"]},
        {"say": block({}, f"BLOCKED: {flat(payload)}")},
    ]
    said = here.process("run", "--script", script(here, *turns), "--notify", keeps)
    about, facts, _ = json.loads(kept.read_text(encoding="utf-8"))
    asked = (
        here.process("continue").code,
        here.process("run", "--agent-command", f"{keeps} {{prompt}}").code,
    )
    _, _, words = json.loads(kept.read_text(encoding="utf-8"))
    run_hook(stop_event(here, payload))
    wrong = {
        "the runner": said.code != 7 or said.err != "",
        "the notification": flat(payload).strip() not in about["LOOP_WHY"]
        or json.loads(facts)["status"] != "paused",
        "the agent's command": asked != (0, 7)
        or len(words) != 1
        or f"mend the parser: {payload}" not in words[0],
        "something ran": bool([path for path in tmp_path.rglob("pwned") if path.is_file()]),
    }

    figure(
        "injection",
        of=len(wrong),
        bad=[f"{name}: {payload!r} {said} {asked}" for name, is_wrong in wrong.items() if is_wrong],
    )
