"""Scripts for `loop simulate`: what is read, and what is said of what is not."""

from __future__ import annotations

import re

import pytest

from loopwright.drive.simulation import Script, ScriptedTurn
from loopwright.importers.script_toml import ScriptError, read

WHOLE = """
passing = "lint clean"
answers = ["yes", "8080"]

[[turn]]
say = "Looking."
idle = true
times = 2

[[turn]]
when = ["02", "again"]
done = true
passes = ["a*"]
fails = "b"
edits = { "src/a.py" = 6 }
found = ["x"]
fixed = ["y"]
error = "boom"
fail = "overloaded"
limit = 60
dollars = 0.4
seconds = 300
"""


def test_every_word_of_a_script_is_read() -> None:
    look = ScriptedTurn("Looking.", idle=True)
    other = ScriptedTurn(
        done=True,
        passes=("a*",),
        fails=("b",),
        edits=(("src/a.py", 6),),
        found=("x",),
        fixed=("y",),
        error="boom",
        fail="overloaded",
        limit=60.0,
        dollars=0.4,
        seconds=300.0,
        when=("02", "again"),
    )
    assert read(WHOLE) == Script((look, look, other), ("yes", "8080"), ("lint clean",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "it has no turns; write at least one"),
        ("turn = 3", "it has no turns"),
        ("turn = [1]", "it has no turns"),
        ("[[turn]", "no TOML"),
        ("[[turns]]", "'turns' is unknown; meant is turn"),
        ("[[turn]]\ndon = true", "turn 1: 'don' is unknown; meant is done"),
        ("[[turn]]\nzzz = true", "meant is one of dollars, seconds"),
        ("[[turn]]\ndone = 1", "turn 1: done is true or false, not 1"),
        ("[[turn]]\ndollars = true", "turn 1: dollars is a number of 0 or more, not True"),
        ("[[turn]]\ndollars = -1", "turn 1: dollars is a number"),
        ("[[turn]]\nseconds = nan", "turn 1: seconds is a number"),
        ("[[turn]]\nsay = 3", "turn 1: say is text, not 3"),
        ("[[turn]]\npasses = [3]", "turn 1: passes is a text or a list of texts"),
        ("[[turn]]\nedits = ['a']", "turn 1: edits names files"),
        ("[[turn]]\ntimes = 0", "turn 1: times is a whole number from 1 to 1000, not 0"),
        ("[[turn]]\ntimes = 1.5", "times is a whole number"),
        ("[[turn]]\nwhen = 'x'", "every turn has a `when`; one without is needed"),
        ("answers = [1]\n[[turn]]", "answers is a text or a list of texts"),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, said: str) -> None:
    with pytest.raises(ScriptError, match=re.escape(said)):
        read(text)
