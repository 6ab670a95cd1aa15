"""Whatever a person types or pastes after /loop:start is the spec, byte for byte, and is never carried out."""

from __future__ import annotations

import pytest

from tests.e2e.plugin import OWN, WITH, starts
from tests.e2e.session_steps import paste, person_messages
from tests.e2e.turn import says

QUOTES = """mend "the parser" and it's `tests`; $(touch pwned) and !`touch pwned` and ${HOME} && touch pwned | cat > pwned"""
LINES = """fix all of this:

```!
touch pwned
```
!`touch pwned`
```sh
echo "$ARGUMENTS" $ARGUMENTS $0 $1 ${CLAUDE_PLUGIN_ROOT}
```
__ARGS__
SPEC
EOF
the --json flag, -- and --no-such words stay; \\n, 50% and 'unbalanced too"""
FLAGS = "--budget=5 --iterations 7"
SCRIPT = [starts("--criterion 'it works'"), says("Here is the plan.")]


def kept(world, spec: str) -> None:
    loop = world.project.loop
    assert loop.spec == spec
    assert (loop.limits.dollars, loop.limits.iterations) == (5, 7)
    assert not list(world.project.root.rglob("pwned"))
    assert not (world.home / "pwned").exists()


@pytest.mark.long
def test_without_a_screen(world):
    spec = f"{QUOTES}\n{LINES}"

    run = world.headless(f"/loop:start {spec} {FLAGS}", SCRIPT, *WITH, env=OWN)

    assert (run.rc, run.result["result"]) == (0, "Here is the plan.")
    assert "Here are 4 steps. Start? y = start" in person_messages(run)
    kept(world, spec)


@pytest.mark.long
def test_typed_and_pasted_on_a_screen(world, tmux):
    with world.terminal(SCRIPT, *WITH, env=OWN) as terminal:
        terminal.submit(f"/loop:start {QUOTES} {FLAGS}")
        terminal.wait(r"Here are 4 steps\. Start\? y = start")
        kept(world, QUOTES)
        terminal.submit("/loop:cancel")
        terminal.wait("Loop cancelled.")

        world.model.play(SCRIPT)
        terminal.type("/loop:start ")
        paste(terminal, LINES)
        terminal.wait(r"❯ /loop:start \[Pasted text")
        paste(terminal, f" {FLAGS}")
        terminal.wait(rf"lines\] {FLAGS}")
        terminal.enter()
        terminal.wait(r"(?s)find and fix the cause.*Here are 4 steps\. Start\? y = start")
        kept(world, LINES)
