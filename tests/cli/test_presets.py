"""loop presets and loop plugin presets: what there is, ours and the user's own, and the commands written for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from loopwright.store import presets
from tests.support.discovery import AGENT
from tests.support.project import Project

BUILT_IN = (
    "code-quality",
    "deps",
    "docs",
    "generic",
    "performance",
    "review",
    "security",
    "tests",
    "types",
    "ui",
)
OWN = """
[a11y]
description = 'Reach: the "whole" page by keyboard'
suggestions = ["Tab through one form"]

[ui]
description = "Our own look"
"""


@pytest.fixture
def own() -> Path:
    """The user's presets.toml."""
    path = Path(presets.user_files()[-1])
    path.parent.mkdir(parents=True)
    path.write_text(OWN, encoding="utf-8")
    return path


def commands() -> dict[str, str]:
    place = Path.home() / ".claude/commands/loop"
    return (
        {path.name: path.read_text(encoding="utf-8") for path in sorted(place.iterdir())}
        if place.exists()
        else {}
    )


# --- loop presets ---


def test_the_list_names_ours_and_where_ones_own_go(here: Project) -> None:
    said = here.run("presets")

    assert said.code == 0
    assert tuple(line.split()[0] for line in said.out.splitlines()[: len(BUILT_IN)]) == BUILT_IN
    assert (
        f"Your own: a table each in {presets.user_files()[-1]}, then `loop plugin presets` or /loop:build"
        in said.out
    )


def test_ones_own_are_marked_and_an_own_word_over_ours_keeps_the_rest(
    here: Project, own: Path
) -> None:
    said = here.run("presets").out

    assert 'a11y          Reach: the "whole" page by keyboard (yours)\n' in said
    assert "ui            Our own look\n" in said
    assert len(presets.find_preset("ui").suggestions) == 9, (
        "B3: a description alone drops no suggestion"
    )


def test_one_is_shown_in_full_with_the_numbers_of_its_turns(here: Project) -> None:
    ui = presets.find_preset("ui")
    lines = here.run("presets", "ui").out.splitlines()

    assert lines[:3] == [f"ui: {ui.description}", f"looks for: {ui.look_for}", "guidance:"]
    assert lines[-9:] == [f"  {number}. {text}" for number, text in enumerate(ui.suggestions)]


def test_one_without_suggestions_has_those_of_generic(here: Project, own: Path) -> None:
    own.write_text('[bare]\ndescription = "x"\n')

    assert here.run("presets", "bare", "--json").json[0]["suggestions"] == list(
        presets.find_preset("generic").suggestions
    )


def test_json_is_a_list_of_whole_presets(here: Project, own: Path) -> None:
    facts = {preset["name"]: preset for preset in here.run("presets", "--json").json}

    assert set(facts) == {*BUILT_IN, "a11y"}
    assert (facts["a11y"]["own"], facts["ui"]["own"]) == (True, False)
    for preset in facts.values():
        assert set(preset) == {"name", "description", "look_for", "guidance", "suggestions", "own"}
    assert [preset["name"] for preset in here.run("presets", "docs", "--json").json] == ["docs"]


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("securty", "no preset 'securty'; did you mean 'security'?"),
        ("wibble", "no preset 'wibble'; there are: code-quality, deps,"),
        ("../../etc/passwd", "no preset '../../etc/passwd'"),
        ("GENERIC", "no preset 'GENERIC'"),
    ],
)
def test_an_unknown_one_is_named_with_the_nearest(here: Project, name: str, says: str) -> None:
    said = here.run("presets", name)

    assert (said.code, said.out) == (1, "")
    assert says in said.err
    assert f" Your own go into {presets.user_files()[-1]}" in said.err


def test_the_names_and_the_place_are_two_sentences(here: Project) -> None:
    assert ", types, ui. Your own go into " in here.run("presets", "wibble").err


WRONG = {
    "b1 the name of a command": ('[cancel]\ndescription = "x"', "[cancel] is a command already"),
    "b2 a path": (
        '["../../escaped"]\ndescription = "x"',
        "[../../escaped] is no name for a command",
    ),
    "no TOML": ("[a11y\n", "presets.toml: "),
    "an unknown key": (
        '[a11y]\nsugestions = ["x"]',
        "no key 'sugestions'; a preset has description, look_for,",
    ),
    "suggestions that are none": ("[a11y]\nsuggestions = []", "suggestions is a list of texts"),
}


@pytest.mark.parametrize(("text", "says"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize(
    ("line", "code"), [("presets", 0), ("plugin presets", 1), ("start --preset ui x", 0)]
)
def test_a_wrong_file_is_named_with_what_is_wrong(
    here: Project, own: Path, line: str, code: int, text: str, says: str
) -> None:
    own.write_text(text)

    said = here.run(*line.split())

    assert said.code == code, "only what needs the file fails"
    assert str(own) in said.err
    assert says in said.err
    assert commands() == {}


def test_an_agent_may_look_and_not_more(here: Project) -> None:
    assert here.run("presets", "ui", **AGENT).code == 0


# --- loop plugin presets ---


def test_a_command_is_written_for_each_of_ones_own_and_for_no_other(
    here: Project, own: Path
) -> None:
    said = here.run("plugin", "presets")

    assert said.code == 0, said.err
    assert said.out.splitlines() == [
        f"Loaded user presets from {own}",
        "Building commands for 1 preset...",
        "  Generated: a11y.md",
        f"Generated 1 command file in {Path.home() / '.claude/commands/loop'}",
        "In an open session type /reload-plugins, then there is /loop:a11y. New sessions have it anyway.",
    ]
    assert list(commands()) == ["a11y.md"]


def test_b4_a_description_is_one_quoted_word_of_the_frontmatter(here: Project, own: Path) -> None:
    here.run("plugin", "presets")

    assert commands()["a11y.md"].startswith(
        '---\ndescription: "Reach: the \\"whole\\" page by keyboard"\n'
    )


def test_b5_what_looks_like_a_placeholder_is_text(here: Project, own: Path) -> None:
    own.write_text('[a11y]\ndescription = "{{name}} {{mark}} $ARGUMENTS"\n')
    here.run("plugin", "presets")

    assert commands()["a11y.md"].splitlines()[1] == 'description: "{{name}} {{mark}} $ARGUMENTS"'


def test_a_command_whose_preset_is_gone_is_taken_away_and_nobody_elses(
    here: Project, own: Path
) -> None:
    here.run("plugin", "presets")
    (Path.home() / ".claude/commands/loop/mine.md").write_text("my own words")
    own.unlink()

    said = here.run("plugin", "presets").out

    assert (
        f"No preset of your own. Put a table such as [a11y] into {own}, then build again." in said
    )
    assert "  Removed: a11y.md" in said
    assert commands() == {"mine.md": "my own words"}


def test_a_file_that_is_not_ours_is_never_overwritten(here: Project, own: Path) -> None:
    place = Path.home() / ".claude/commands/loop"
    place.mkdir(parents=True)
    (place / "a11y.md").write_text("my own words")

    said = here.run("plugin", "presets")

    assert (said.code, "is not ours. It was left as it is" in said.err) == (1, True)
    assert commands() == {"a11y.md": "my own words"}
