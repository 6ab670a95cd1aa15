"""What a terminal would obey or hide, planted in every text of somebody else's: no view shows it, on a terminal or not."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_on_a_terminal import typed
from tests.support.hook import block
from tests.support.project import Project
from tests.support.runner import script
from tests.torture.conftest import Figure
from tests.torture.leaks.rounds import ROUNDS
from tests.torture.leaks.world import KINDS, Make, World
from tests.torture.size import every, size

HOSTILE: list[str] = json.loads((Path(__file__).parent / "payloads.json").read_text())["escapes"]
TURNS = (
    "LRE RLE LRO RLO PDF LRI RLI FSI PDI"  # classes of letters that turn the direction of writing
)
UNSEEN = "\u200b\u200e\u200f\u061c\u2028\u2029\u2060\ufeff"
NASTY = "x\x1b]52;c;cHduZWQ=\x07\x9b2J\u202e\x08y"


def obeyed(text: str) -> set[str]:
    """The letters in it that a terminal would obey or hide."""
    turning = TURNS.split()
    found = {
        letter
        for letter in {*text}
        if unicodedata.category(letter) == "Cc" or unicodedata.bidirectional(letter) in turning
    }
    return {ascii(letter) for letter in (found | {*text} & {*UNSEEN}) - {"\n", "\t"}}


def told(answer: dict[str, Any]) -> Iterator[str]:
    """What the client shows of a hook's answer."""
    yield answer.get("systemMessage", "")
    yield answer.get("stopReason", "")


@pytest.mark.parametrize("kind", KINDS)
def test_no_view_shows_what_a_terminal_obeys(project: Make, figure: Figure, kind: str) -> None:
    world, bad, of, at = World(project(git=False), kind), list[str](), 0, 0

    def give(field: str) -> str:
        nonlocal at
        at += 1
        return f"{field} {HOSTILE[at % len(HOSTILE)]} <{field}>"

    for _ in range(size(commit=1, long=len(HOSTILE))):
        for round in ROUNDS[kind]:
            round(world, give)
            shown = {"a hook": "".join(text for answer in world.answers for text in told(answer))}
            shown |= {
                f"what was printed {number}": text
                for number, text in enumerate(world.outputs)
                if text[:1] != "{" or "\n" in text[:-1]
            }
            world.outputs.clear()
            world.answers.clear()
            of += len(shown)
            bad += [
                f"{kind}, {round.__name__}, {where}: {obeyed(text)}: {text[:300]!r}"
                for where, text in shown.items()
                if obeyed(text)
            ]
        views = world.views()
        for view, text in views.items():
            of += 1
            bad += [f"{kind}, {view}: {obeyed(text)}: {text[:2000]!r}"] * bool(obeyed(text))
        bad += [
            f"{kind}, on stderr: {obeyed(text)}: {text[:300]!r}"
            for text in world.outputs
            if obeyed(text)
        ]
        bad += [
            f"{kind}: {view} is no JSON"
            for view, text in views.items()
            if "--json" in view and text and not parses(view, text)
        ]

    figure("terminal escapes", of=of, bad=bad)


def parses(view: str, text: str) -> bool:
    for part in text.splitlines() if "journal" in view else [text]:
        json.loads(part)
    return True


@pytest.mark.parametrize(
    "words", every(3, ["status", "why", "report", "criteria", "journal", "logs", "run"])
)
def test_on_a_terminal_only_our_own_colours_are_seen(
    project: Make, figure: Figure, words: str
) -> None:
    here: Project = project()
    here.run(
        "start",
        "mend it",
        "--score",
        "9",
        "--yes",
        "--check",
        f"works=printf '{NASTY}'; false",
        "--criterion",
        f"it {NASTY}",
    )
    turns = script(
        here,
        {
            "say": f"{NASTY}\n{block({}, 'STEP_DONE: ' + NASTY)}",
            "run": [f"printf '{NASTY}'; false"],
        },
        {"say": block({}, f"BLOCKED: {NASTY}")},
    )
    if words != "run":
        here.run("run", "--script", turns)
    _, screen = typed(
        here, *(["run", "--script", turns] if words == "run" else [words]), COLUMNS="200"
    )  # type: ignore[no-untyped-call]
    # The title of the window and its progress, and what rich draws with.
    rest = re.sub(r"\x1b\[2[23];0t|\x1b\](?:2|9;4);[^\x00-\x1f\x7f]*\x07", "", screen)
    rest = re.sub(r"\x1b\[(?:\?25[lh]|\d*[AK]|[\d;]*m)", "", rest).replace("\r", "")

    # The codes are gone as a whole, and what was around them is there.
    harmless = "52;c;cHduZWQ=" not in rest and "xy" in rest and not obeyed(rest)
    figure("terminal escapes", of=1, bad=[f"{words}: {obeyed(rest)} {rest!r}"] * (not harmless))
