"""Edits of TOML keep every other byte."""

from __future__ import annotations

import tomllib

import pytest

from loopwright.formats.toml_edit import TomlEditError, remove_table, set_table

PATH = ("hooks", "state", "/home/u/.codex/hooks.json:stop:0:0")
FILES = [
    "",
    'model = "x" # mine\n',
    'model = "x"',
    '[projects."/w"]\ntrust_level = "trusted"\r\n',
    '[hooks.state."/other"]\ntrusted_hash = "sha256:1"\n\n\n# the end\n',
]


@pytest.mark.parametrize("text", FILES)
def test_a_table_is_added_and_cut_without_a_trace(text: str) -> None:
    added = set_table(text, PATH, {"trusted_hash": "sha256:2", "enabled": True})

    assert added.startswith(text)
    assert tomllib.loads(added)["hooks"]["state"][PATH[-1]]["enabled"] is True
    assert remove_table(added, PATH).rstrip("\r\n") == text.rstrip("\r\n")
    assert set_table(added, PATH, {"trusted_hash": "sha256:2", "enabled": True}) == added


def test_a_table_in_the_middle_is_cut_alone() -> None:
    text = f'a = 1\n\n[hooks.state."{PATH[-1]}"]\nenabled = true\n\n[b]\nc = 2\n'

    assert remove_table(text, PATH) == "a = 1\n[b]\nc = 2\n"


def test_a_file_that_would_not_be_toml_any_more_is_refused() -> None:
    with pytest.raises(TomlEditError):
        set_table("hooks = { state = {} }\n", PATH, {"enabled": True})
