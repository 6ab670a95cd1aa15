"""Every pause has a fixed id, which the page about problems explains: journals and exit codes rely on it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import loopwright.core
from loopwright.cli.exits import PAUSE_CODES
from loopwright.core.pausing.breakers import BREAKERS
from loopwright.core.pausing.events import REARMED
from loopwright.core.policies.disputes import RULING_CAUSES
from loopwright.core.prompts.messages import RAISE_FLAGS

CORE = Path(loopwright.core.__file__).parent
PAGE = Path(__file__).parents[2] / "docs" / "troubleshooting.md"
PAUSE_CAUSES = set(
    re.findall(r"^\| `([a-z-]+)` \| .+ \| \d+ \| .+ \|$", PAGE.read_text("utf-8"), re.M)
)


def pause_calls() -> list[ast.Call]:
    """The calls of pause_loop in core."""
    texts = [path.read_text("utf-8") for path in CORE.rglob("*.py")]
    trees = [ast.parse(text) for text in texts if "pause_loop" in text]
    calls = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [call for call in calls if ast.unparse(call.func).split(".")[-1] == "pause_loop"]


def test_the_page_about_problems_explains_exactly_the_causes_that_core_uses() -> None:
    causes = {
        call.args[1].value for call in pause_calls() if isinstance(call.args[1], ast.Constant)
    }

    assert causes | set(BREAKERS) | set(RULING_CAUSES) == PAUSE_CAUSES


def test_a_cause_that_is_not_written_out_comes_from_a_breaker() -> None:
    computed = {
        ast.unparse(call.args[1])
        for call in pause_calls()
        if not isinstance(call.args[1], ast.Constant)
    }

    # `*reason` is what breakers.tripped returns; `name` is a key of RAISE_FLAGS, `cause` one of
    # RULING_CAUSES.
    assert computed == {"*reason", "name", "cause"}
    assert set(RAISE_FLAGS) <= set(BREAKERS)


def test_exit_codes_and_resets_name_only_known_causes() -> None:
    assert set(PAUSE_CODES) <= PAUSE_CAUSES
    assert set(REARMED) <= set(BREAKERS)
