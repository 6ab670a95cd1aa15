"""Settings: the user's over the defaults, the project's only where it is stricter."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from loopwright.core.limits import Limits
from loopwright.store import config
from loopwright.store.config import ConfigError


def users(text: str) -> None:
    path = Path(config.user_file())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def projects(root: Path, text: str) -> None:
    (root / config.PROJECT_FILE).write_text(text)


def test_without_files_the_defaults_hold() -> None:
    assert config.limits_from_settings(config.settings()) == Limits()
    assert config.settings()["check.timeout"] == 300


def test_the_users_file_lies_in_their_config_home() -> None:
    assert config.user_file() == os.path.join(os.environ["XDG_CONFIG_HOME"], "loop", "config.toml")


@pytest.mark.parametrize(
    "text", ["limits.dollars = 40\n", "[limits]\ndollars = 40\n", "\ufefflimits.dollars = 40.0\r\n"]
)
def test_the_user_overrides_the_defaults(text: str) -> None:
    users(text)

    assert config.limits_from_settings(config.settings()).dollars == 40.0


def test_a_project_may_lower_limits_and_never_raise_them(tmp_path: Path) -> None:
    users("limits.iterations = 20\n")
    projects(
        tmp_path,
        "limits.iterations = 30\nlimits.dollars = 5\nlimits.stuck = 4\ncheck.timeout = 60\n",
    )
    found = config.limits_from_settings(config.settings(str(tmp_path)))

    assert (found.iterations, found.dollars, found.stuck) == (20, 5.0, 4)
    assert config.settings(str(tmp_path))["check.timeout"] == 60
    assert config.limits_from_settings(config.settings()).dollars == 25.0


def test_a_project_sets_no_prices(tmp_path: Path) -> None:
    projects(tmp_path, 'prices.claude-opus-5-5 = "0/0/0/0"\n')

    assert next(p for p in config.prices() if p.model == "claude-opus-5-5").output == 20


def test_the_user_adds_and_changes_prices() -> None:
    users('prices.claude-opus-5-5 = "1/2/3/4"\nprices."my.model" = "9/9/9/9"\n')
    found = {price.model: price for price in config.prices()}

    assert (found["claude-opus-5-5"].output, found["my.model"].input) == (2, 9)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("limits.stcuk = 5", "no setting 'limits.stcuk'; did you mean limits.stuck?"),
        ("banana = 5", "no setting 'banana'; known: limits.iterations"),
        ("limits.stuck = 'five'", "limits.stuck takes a number, not 'five'"),
        ("limits.stuck = 0", "limits.stuck takes a number above 0, not 0"),
        ("limits.stuck = -1", "takes a number above 0"),
        ("limits.dollars = nan", "takes a number above 0"),
        ("limits.dollars = inf", "takes a number above 0"),
        ("limits.iterations = 0.5", "limits.iterations"),
        ("limits.stuck = []", "takes a number"),
        ('shape = "square"', "shape is one of auto, tool, colleague, not 'square'"),
        ('prices.x = "1/2"', "a price is in/out/read/write"),
        ('prices.x = "1/2/3/-4"', "a price is in/out/read/write"),
        ("limits.stuck = ", "Invalid value"),
    ],
)
def test_a_wrong_setting_is_an_error_that_names_the_file(text: str, says: str) -> None:
    users(text + "\n")

    with pytest.raises(ConfigError) as error:
        config.settings()
    assert says in str(error.value)
    assert config.user_file() in str(error.value)


BEFORE = """# my own settings

limits.stuck = 7
shape = "tool"  # I like it quiet
"""


def test_store_changes_one_line_and_keeps_every_comment() -> None:
    users(BEFORE)
    config.store_setting(config.user_file(), "limits.stuck", "6")
    config.store_setting(config.user_file(), "limits.dollars", "12.5")

    text = Path(config.user_file()).read_text()
    assert "# my own settings\n" in text
    assert 'shape = "tool"  # I like it quiet\n' in text
    assert (
        config.limits_from_settings(config.settings()).stuck,
        config.limits_from_settings(config.settings()).dollars,
    ) == (
        6,
        12.5,
    )


def test_store_takes_a_line_out() -> None:
    users(BEFORE)
    config.store_setting(config.user_file(), "limits.stuck", None)

    assert config.limits_from_settings(config.settings()).stuck == 5
    assert "# my own settings" in Path(config.user_file()).read_text()


@pytest.mark.parametrize("name", ["prices.my-model", "prices.claude-opus-9.9", "prices.a b"])
def test_store_spells_any_model_name_as_toml_wants_it(name: str) -> None:
    config.store_setting(config.user_file(), name, "1/2/3/4")
    config.store_setting(config.user_file(), name, "5/6/7/8")

    assert config.settings()[name] == "5/6/7/8"


@pytest.mark.parametrize("name", ["limits.stuck", "limits.dollars"])
def test_store_leaves_a_file_that_uses_tables_readable(name: str) -> None:
    users("# mine\n[limits]\nstuck = 7 # often enough\n")
    config.store_setting(config.user_file(), name, "9")

    assert config.settings()[name] == 9
    assert "# mine" in Path(config.user_file()).read_text()


def test_store_refuses_what_it_could_not_read_back() -> None:
    with pytest.raises(ConfigError, match="did you mean limits"):
        config.store_setting(config.user_file(), "limits.stuk", "6")
    assert not Path(config.user_file()).exists()


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"x = {'9' * 5_000}", id="a number of 5,000 digits"),
        pytest.param(f"limits.stuck = 0x{'f' * 9_000}", id="and one that cannot be printed"),
        pytest.param(f"x = {'[' * 900}", id="900 brackets"),
        pytest.param(f"{'a.' * 30_000}a = 1", id="a name of 30,000 parts"),
    ],
)
def test_a_strangers_settings_neither_crash_nor_hang(text: str, tmp_path: Path) -> None:
    projects(tmp_path, text)

    with pytest.raises(ConfigError, match=config.PROJECT_FILE):
        config.settings(str(tmp_path))


@pytest.mark.parametrize(
    "text",
    [b"limits = {stuck = 3}\n", b"# caf\xe9\nlimits.stuck = 3\n"],
    ids=["inline table", "no UTF-8"],
)
def test_a_file_that_no_command_can_change_is_left_as_it_is(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(text)

    with pytest.raises(ConfigError, match=r"config\.toml"):
        config.store_setting(str(path), "limits.stuck", "7")
    assert path.read_bytes() == text


def test_a_line_separator_in_a_text_ends_no_line(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('notify = "a\u2028b"\n', encoding="utf-8")
    config.store_setting(str(path), "limits.stuck", "7")

    assert config.load_settings_file(str(path)) == {"notify": "a\u2028b", "limits.stuck": 7}
