"""The client's own cap ends a turn with exit code 0 and an empty result: interrupted, resumed, never a success."""

from __future__ import annotations

import json

import pytest

from loopwright.agents.claude.stream import ENDED_WITHOUT_TEXT
from tests.e2e.night import FREELY, counted_turns, runner_reports
from tests.e2e.plugin import OWN, WITH
from tests.e2e.session_steps import start_loop, step_answer
from tests.e2e.turn import Turn, says, writes
from tests.e2e.world import CHECK, FIXED, World
from tests.support.hook import block

ANSWER = '{"decision": "block", "reason": "more"}'
HELD = {
    "hooks": {
        "Stop": [{"hooks": [{"type": "command", "command": f"test -e calm || echo '{ANSWER}'"}]}]
    }
}
LOOPS = {
    "tests pass": (("--check", f"tests pass={CHECK}"), 0),
    "docs read well": (("--criterion", "docs read well"), 10),
}
CAP = 8  # the client's own


@pytest.mark.long
@pytest.mark.parametrize("criterion", LOOPS)
def test_what_an_agent_said_while_a_hook_held_it_up_to_the_cap_is_no_claim(
    world: World, figure, criterion: str
) -> None:
    words, code = LOOPS[criterion]
    done = says(block({criterion: True}, exit=True))
    world.project.start(*words, "--iterations", "3")
    world.project.write(
        {
            ".claude/settings.json": json.dumps(HELD),
            ".git/info/exclude": "calm\n.claude\n__pycache__\n",
        }
    )

    def script(number: int, _: object) -> Turn:
        works = {
            CAP + 2: writes(world.path("greet.py"), FIXED),
            CAP + 3: writes(world.path("calm"), ""),
        }
        return works.get(number, done)

    said = world.loop("run", "--settings", "project", *FREELY, script=script)
    found = {
        "interrupted": runner_reports(world, "cut_reason") == [ENDED_WITHOUT_TEXT, None],
        "resumed": counted_turns(world) == [True, True],
        "ended by the turn that was not held": said.code == code,
        "said so": ENDED_WITHOUT_TEXT in said.out,
    }
    figure(
        "host brake",
        1,
        [f"{criterion}: not {name}\n{said.out}" for name, true in found.items() if not true],
    )


@pytest.mark.long
def test_a_session_at_the_cap_is_paused_and_goes_on_when_it_is_told_to(
    world: World, figure
) -> None:
    start_loop(world)
    few = {**OWN, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP": "2"}
    run = world.headless("go", lambda number, _: says(step_answer(number)), *WITH, env=few)
    paused, cause = world.project.loop.status, world.project.loop.pause.cause
    world.project.run("continue")
    done = says(block({"tests pass": True}, exit=True))
    world.headless(
        "go on", [writes(world.path("greet.py"), FIXED), done], *WITH, env=few, resume=run.session
    )
    found = {
        "exit code 0": run.rc == 0,
        "paused before the client overrode us": (paused, cause) == ("paused", "cap"),
        "proven in the end": bool(
            world.project.ended.verdict and world.project.ended.verdict.proven
        ),
    }
    figure("host brake", 1, [f"a session: not {name}" for name, true in found.items() if not true])
