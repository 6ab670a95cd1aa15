"""What every agent of the registry keeps to: three files, a whole About, and no stream that could break a run."""

from __future__ import annotations

import copy
import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import loopwright.agents
from loopwright.agents.base import About, TurnOutput, TurnRequest
from loopwright.agents.registry import AGENT_NAMES, HOST_NAMES, known_names, load_about, load_agent
from loopwright.core.json_text import dumps
from loopwright.core.limits import Price
from loopwright.core.record import encode
from tests.agents.streams import EIGHT, cases, line, read_turn, visible_lines
from tests.support.project import Project
from tests.support.strategies import json_values
from tests.torture.size import size

ROOM = Path(loopwright.agents.__file__).parent
PRICED = TurnRequest(
    1,
    model="gpt-5",
    tokens_before=(1000, 0, 0, 100),
    prices=(Price("gpt-5", 1, 10, 0.1, 2), Price("claude", 4, 20, 0.2, 5)),
)
RECORDED = [(name, case) for name in AGENT_NAMES for case in cases(name)]
GARBAGE = (
    "",
    "\n",
    "null\n",
    "[]\n",
    "42\n",
    '"result"\n',
    "no JSON\n",
    "{}\n",
    '{"type":null}\n',
    "\x00\ufffd\n",
    "[" * 9999,
)


# --- the registry ---


def test_an_agent_is_a_folder_and_one_that_a_runner_drives_has_three_files() -> None:
    folders = {path.name for path in ROOM.iterdir() if (path / "__init__.py").exists()}

    assert folders - {"acp"} == set(known_names()) - {"acp"}
    for name in AGENT_NAMES:
        assert {"about.py", "command.py", "stream.py"} <= {
            path.name for path in (ROOM / name).iterdir()
        }


@pytest.mark.parametrize("name", HOST_NAMES[1:])
def test_to_hold_a_host_takes_at_most_150_lines_and_no_branch_on_its_name(name: str) -> None:
    files = ("about.py", "hooks.py", "wiring.py", "session_file.py")
    texts = [path.read_text("utf-8") for file in files if (path := ROOM / name / file).exists()]
    shared = [ROOM.parent / "hook/host_call.py", ROOM / "hook_wire.py", ROOM / "session_log.py"]

    assert sum(text.count("\n") for text in texts) <= 150
    assert not [path for path in shared if f'"{name}"' in path.read_text("utf-8")]


@pytest.mark.parametrize("name", AGENT_NAMES)
def test_an_agent_says_what_it_can_do(name: str) -> None:
    about = load_agent(name).about

    assert isinstance(about, About)
    assert (load_agent(name).name, about.name) == (name, name)
    assert about.dollars in ("reported", "from tokens", "unknown")
    assert about.fenced
    assert bool(about.install) == bool(about.program or about.library)


def test_the_command_lists_them_all(project: Callable[..., Project], tmp_path: Path) -> None:
    found = project().run("agents", "--json", PATH=str(tmp_path)).json

    assert [one["name"] for one in found] == list(known_names())
    assert {one["name"]: one["installed"] for one in found} == {
        name: not load_about(name).program for name in known_names()
    }
    assert all(
        one.keys() == {*About.FIELDS, "installed", "version", "driven"} - {"program"}
        for one in found
    )


@pytest.mark.skipif(sys.platform == "win32", reason="a program is a script here")
def test_the_command_asks_a_program_for_its_version(
    project: Callable[..., Project], tmp_path: Path
) -> None:
    for name, does in (("claude", "echo '2.1.325 (Claude Code)'"), ("codex", "exit 3")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{does}\n")
        (tmp_path / name).chmod(0o755)

    said = project().run("agents", PATH=f"{tmp_path}{os.pathsep}/usr/bin:/bin").out

    here = {row.split()[0]: row.split()[1] for row in said.splitlines() if row}
    assert (here["claude"], here["codex"], here["command"]) == ("2.1.325", "yes", "yes")


# --- a stream that is not as it should be ---


@pytest.mark.parametrize(("name", "case"), RECORDED)
def test_garbage_and_torn_lines_between_change_nothing(name: str, case: str) -> None:
    lines = cases(name)[case]
    torn = [text[: len(text) // 2] for text in lines]

    noisy = [
        text
        for whole, half in zip(lines, torn, strict=True)
        for text in (*GARBAGE, half, whole, half[1:])
    ]

    assert read_turn(name, noisy) == read_turn(name, lines)
    assert visible_lines(name, noisy) == visible_lines(name, lines)


@pytest.mark.parametrize(("name", "case"), RECORDED)
def test_where_the_last_line_is_torn_there_is_no_result(name: str, case: str) -> None:
    lines = cases(name)[case]

    heard = read_turn(name, [*lines[:-1], lines[-1][:-9]])

    assert heard.results == read_turn(name, lines[:-1]).results
    assert heard.cut or heard.results or heard.failure


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        (
            "claude",
            [
                line(type="assistant", message={"content": [{"type": "text"}]}),
                line(type="result", result=None),
            ],
        ),
        (
            "codex",
            [
                line(type="item.completed", item={"type": "agent_message", "text": None}),
                line(type="turn.completed"),
            ],
        ),
    ],
)
def test_what_is_missing_is_not_said(name: str, lines: list[str]) -> None:
    assert (read_turn(name, lines).text, visible_lines(name, lines)) == ("", [])


def inside(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a JSON value that can be changed: the container and the key."""
    for key in (
        list(value)
        if isinstance(value, dict)
        else range(len(value))
        if isinstance(value, list)
        else ()
    ):
        yield value, key
        yield from inside(value[key])


ODD = (
    -1,
    -0.5,
    10**400,
    1.7e308,
    True,
    int(EIGHT) * 1000,
    "",
    "\ud83d",
    [[]],
    {"costUSD": -1},
    {"": {"costUSD": 1.7e308}},
)


@st.composite
def spoiled(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A recorded stream in which some values are others, some keys are missing, and some lines come twice or in another place."""
    name, case = draw(st.sampled_from(RECORDED))
    events = [json.loads(text) for text in cases(name)[case]]
    for _ in range(draw(st.integers(0, 2))):
        events.insert(
            draw(st.integers(0, len(events))), copy.deepcopy(draw(st.sampled_from(events)))
        )
    for _ in range(draw(st.integers(1, 6))):
        where, key = draw(st.sampled_from(list(inside(events))))
        if draw(st.booleans()):
            where[key] = copy.deepcopy(draw(st.one_of(st.sampled_from(ODD), json_values)))
        elif isinstance(where, dict):
            del where[key]
    return name, [json.dumps(event) + "\n" for event in events]


def resets(when: Any) -> tuple[str, list[str]]:
    limit = {"status": "rejected", "resetsAt": when}
    lines = cases("claude")["rate-limit"]
    return "claude", [line(type="rate_limit_event", rate_limit_info=limit), lines[-1]]


def costs(dollars: Any) -> tuple[str, list[str]]:
    return "claude", [line(type="result", total_cost_usd=dollars)]


def uses(tokens: Any) -> tuple[str, list[str]]:
    return "codex", [
        line(
            type="turn.completed",
            usage=dict.fromkeys(("input_tokens", "cached_input_tokens"), tokens),
        )
    ]


@settings(
    max_examples=size(commit=40, long=150),
    deadline=None,
    derandomize=bool(os.environ.get("LOOP_NEEDS_CLIENT")),
    suppress_health_check=list(HealthCheck),
)
@given(spoiled())
@example(resets(int(EIGHT) * 1000))
@example(resets(10**400))
@example(costs(10**400))
@example(costs(-5))
@example(uses(-1_000_000))
@example(uses(10**400))
def test_no_stream_breaks_a_run_or_makes_money(stream: tuple[str, list[str]]) -> None:
    name, lines = stream

    heard = read_turn(name, lines, PRICED)

    visible_lines(name, lines)
    believable(heard)
    believable(read_turn(name, lines, PRICED, cut="too long", code=143))


def believable(heard: TurnOutput) -> None:
    assert math.isfinite(heard.dollars)
    assert heard.dollars >= 0
    assert heard.until == 0 or 0 < heard.until < 100 * EIGHT, "seconds since 1970, not milliseconds"
    assert all(isinstance(tokens, int) and tokens >= 0 for tokens in heard.tokens)
    assert all(
        isinstance(words, str)
        for words in (heard.text, heard.session, heard.failure, heard.cut, *heard.denied)
    )
    dumps(encode(heard))  # what was heard can be written down
