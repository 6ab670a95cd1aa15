"""Presets: ten that we bring, and the user's own, merged key by key from both places where they may lie."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopwright.agents.claude.hooks import TYPED_COMMANDS
from loopwright.store import presets
from loopwright.store.config import ConfigError
from loopwright.store.presets import (
    PRESET_KEYS,
    RESERVED,
    Preset,
    built_in_presets,
    find_preset,
    user_files,
)
from tests.support.files import write_presets

SKILLS = Path(__file__).parents[2] / "plugins/claude/skills"
OURS = Path(presets.BUILT_IN_FOLDER)


# --- ours ---


def test_ten_are_built_in_the_seeds_five_among_them() -> None:
    assert len(built_in_presets()) == 10
    assert {"generic", "ui", "code-quality", "docs", "review"} < set(built_in_presets())


@pytest.mark.parametrize("name", sorted(built_in_presets()))
def test_each_says_what_to_look_for_how_to_work_and_has_at_least_five_suggestions(
    name: str,
) -> None:
    preset = built_in_presets()[name]

    assert all(getattr(preset, key) for key in PRESET_KEYS)
    assert len(preset.suggestions) == len(set(preset.suggestions)) >= 5
    assert not any(
        "{{" in text or "$" in text
        for text in (preset.description, preset.look_for, *preset.suggestions)
    )
    assert (preset.name, preset.user_defined) == (name, False)
    assert len(preset.description) <= 300, "a command shows no more of it"


def test_no_two_of_them_suggest_the_same() -> None:
    said = [text for preset in built_in_presets().values() for text in preset.suggestions]

    assert len(said) == len(set(said))


def test_without_files_of_the_user_there_are_only_ours() -> None:
    assert presets.all_presets() == built_in_presets()


# --- the user's, in both places ---


def test_they_lie_where_the_seed_had_them_or_beside_our_settings() -> None:
    home = os.environ["XDG_CONFIG_HOME"]

    assert user_files() == [f"{home}/claude-loop/presets.toml", f"{home}/loop/presets.toml"]


def test_without_a_config_home_they_lie_below_the_users_home(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")

    assert user_files()[0] == os.path.join(
        os.path.expanduser("~"), ".config", "claude-loop", "presets.toml"
    )


@pytest.mark.parametrize("place", [0, 1], ids=["the seed's place", "ours"])
def test_a_preset_of_the_users_own(place: int) -> None:
    write_presets(
        '[a11y]\ndescription = "Reach"\nlook_for = "traps"\nguidance = "one by one"\nsuggestions = ["a", "b"]\n',
        place,
    )

    assert find_preset("a11y") == Preset(
        "a11y", "Reach", "traps", "one by one", ("a", "b"), user_defined=True
    )
    assert set(presets.all_presets()) == {*built_in_presets(), "a11y"}


def test_the_seeds_word_for_suggestions_is_understood() -> None:
    write_presets('[a11y]\nexploitation = ["a", "b"]\n', 0)

    assert find_preset("a11y").suggestions == ("a", "b")


def test_our_place_is_over_the_seeds_key_by_key() -> None:
    write_presets('[a11y]\ndescription = "old"\nlook_for = "traps"\n[ui]\nguidance = "mine"\n', 0)
    write_presets('[a11y]\ndescription = "new"\n[ui]\nlook_for = "mine too"\n', 1)

    assert (find_preset("a11y").description, find_preset("a11y").look_for) == ("new", "traps")
    assert (find_preset("ui").guidance, find_preset("ui").look_for) == ("mine", "mine too")
    assert find_preset("ui").suggestions == built_in_presets()["ui"].suggestions


def test_b3_only_a_description_keeps_all_suggestions_of_ours() -> None:
    write_presets('[ui]\ndescription = "My own words"\n')

    assert find_preset("ui") == built_in_presets()["ui"].but(description="My own words")
    assert not find_preset("ui").user_defined, "it stays a command of the plugin"


def test_b3_a_preset_without_suggestions_takes_those_of_generic() -> None:
    write_presets('[a11y]\ndescription = "Reach"\n')
    assert find_preset("a11y").suggestions == built_in_presets()["generic"].suggestions

    write_presets('[a11y]\ndescription = "Reach"\n[generic]\nsuggestions = ["mine"]\n')
    assert find_preset("a11y").suggestions == ("mine",)


@pytest.mark.parametrize(
    "data", [b"\xef\xbb\xbf[a11y]\r\ndescription = 'x'\r\n", b"[a11y]\ndescription = 'x'"]
)
def test_a_byte_order_mark_and_crlf_are_tolerated(data: bytes) -> None:
    write_presets(data)

    assert find_preset("a11y").description == "x"


def test_a_suggestion_is_one_line() -> None:
    write_presets('[a11y]\nsuggestions = ["""first\n  second\tthird"""]\n')

    assert find_preset("a11y").suggestions == ("first second third",)


# --- names ---


@pytest.mark.parametrize("name", ["cancel", "start", "build", "help", "loop", "backlog", "stop"])
def test_b1_a_name_that_is_a_command_already_is_refused(name: str) -> None:
    path = write_presets(f'[{name}]\ndescription = "mine"\n')

    with pytest.raises(
        ConfigError, match="is a command already; give the preset another name"
    ) as refused:
        presets.all_presets()
    assert str(path) in str(refused.value)


def test_b1_every_skill_of_the_plugin_that_is_no_preset_is_reserved() -> None:
    skills = {path.name for path in SKILLS.iterdir()}

    assert skills - set(built_in_presets()) <= set(RESERVED)
    assert set(TYPED_COMMANDS) <= set(RESERVED)
    assert not set(RESERVED) & set(built_in_presets())


ELSEWHERE = ("../../escaped", "a/b", "a\\\\b", ".", "..", "a\\u0000")
NO_WORD = ("", " ", "UI", "a b", "a.b", "-a", "ü", "a\\nb", "x" * 41, "$x", "*")


@pytest.mark.parametrize("name", [*ELSEWHERE, *NO_WORD])
def test_b2_a_name_that_leads_elsewhere_or_is_no_word_is_refused(name: str) -> None:
    write_presets(f'["{name}"]\ndescription = "mine"\n')

    with pytest.raises(
        ConfigError, match="is no name for a command; use small letters, digits and hyphens"
    ):
        presets.all_presets()


@pytest.mark.parametrize("name", ["a", "a11y", "3d", "very-long-name", "x" * 40])
def test_a_plain_word_is_a_name(name: str) -> None:
    write_presets(f'[{name}]\ndescription = "mine"\n')

    assert find_preset(name).user_defined


# --- values ---

WRONG = {
    "a lone value": ("a11y = 3", "a preset is a table, such as [a11y], not a lone value"),
    "a value at the top": ('description = "x"', "a preset is a table"),
    "an unknown key": (
        "[a11y]\nsugestions = ['a']",
        "no key 'sugestions'; a preset has description, look_for",
    ),
    "a table in a table": ("[a11y.more]\nx = 1", "no key 'more'"),
    "a number for a text": ("[a11y]\ndescription = 3", "description is a text"),
    "a list for a text": ("[a11y]\nguidance = ['a']", "guidance is a text"),
    "an empty text": ("[a11y]\nlook_for = ' '", "look_for is a text, none empty"),
    "a text for a list": ("[a11y]\nsuggestions = 'a'", "suggestions is a list of texts"),
    "an empty list": ("[a11y]\nsuggestions = []", "suggestions is a list of texts"),
    "a number in the list": ("[a11y]\nsuggestions = ['a', 3]", "suggestions is a list of texts"),
    "an empty one in the list": ("[a11y]\nsuggestions = ['a', '']", "none empty"),
    "a list in the list": ("[a11y]\nsuggestions = [['a']]", "suggestions is a list of texts"),
    "too long": (f"[a11y]\nguidance = '{'x' * 2001}'", "each of at most 2000 letters"),
    "a suggestion too long": (
        f"[a11y]\nsuggestions = ['{'x' * 2001}']",
        "each of at most 2000 letters",
    ),
    "too many": (f"[a11y]\nsuggestions = {['x'] * 101}", "at most 100"),
    "no toml": ("[a11y\n", "presets.toml: "),
    "twice the same": ("[a11y]\n[a11y]\n", "presets.toml: "),
    "no text at all": (b"\xff\xfe[a11y]", "presets.toml: "),
}


@pytest.mark.parametrize(("text", "says"), WRONG.values(), ids=WRONG)
@pytest.mark.parametrize("place", [0, 1], ids=["the seed's place", "ours"])
def test_what_is_wrong_is_said_with_its_place(text: str | bytes, says: str, place: int) -> None:
    path = write_presets(text, place)

    with pytest.raises(ConfigError) as refused:
        presets.all_presets()
    assert says in str(refused.value)
    assert str(path) in str(refused.value)


def test_the_bounds_themselves_are_fine() -> None:
    write_presets(
        f"[a11y]\nguidance = '{'x' * 2000}'\nsuggestions = {[f'{n}' for n in range(100)]}\n"
    )

    assert len(find_preset("a11y").guidance) == 2000
    assert len(find_preset("a11y").suggestions) == 100


def test_a_file_that_is_wrong_does_not_disable_the_built_in_presets(project) -> None:
    path = write_presets("[a11y\n")
    said = project().run("start", "--preset", "ui", "polish", "--yes")

    assert said.code == 0
    assert str(path) in said.err, "and the person is told what was not read"


def test_one_wrong_preset_leaves_the_others_of_its_file_usable() -> None:
    write_presets('[cancel]\ndescription = "x"\n[a11y]\ndescription = "Reach"\n')

    found, problems = presets.usable_presets()

    assert found["a11y"].description == "Reach"
    assert len(problems) == 1
    assert "[cancel] is a command already" in problems[0]


def test_a_file_that_is_wrong_is_no_reason_to_start_with_something_else(project) -> None:
    path = write_presets("[a11y\n")
    said = project().run("start", "--preset", "a11y", "polish")

    assert said.code == 1
    assert str(path) in said.err


# --- by name ---


def test_a_name_that_nobody_knows_gets_the_closest_one() -> None:
    with pytest.raises(ConfigError, match="no preset 'code-qualty'; did you mean 'code-quality'"):
        find_preset("code-qualty")


def test_a_name_that_is_like_none_gets_the_list_and_the_place_for_ones_own() -> None:
    with pytest.raises(ConfigError) as refused:
        find_preset("zzz")

    assert "code-quality, deps, docs" in str(refused.value)
    assert user_files()[-1] in str(refused.value)
