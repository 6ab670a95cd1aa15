"""The seed's two scripts, run as it says, from a clone: build.py and get-suggestion.py. And that a clone has all it needs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright.plugin import user_commands
from loopwright.plugin.preset_command import skill_page
from loopwright.store.presets import built_in_presets, user_files
from tests.support.files import write_presets

ROOT = Path(__file__).parents[2]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The repository as a clone has it, to be written into."""
    place = tmp_path / "the repository"
    for name in ("src", "scripts", "hooks"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
    return place


def script(
    root: Path, *words: str, python: str = sys.executable, **env: str
) -> subprocess.CompletedProcess[str]:
    kept = {
        name: os.environ[name] for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "PATH")
    }
    argv = [python, *words]
    given = {**kept, "PYTHONDONTWRITEBYTECODE": "1", **env}
    return subprocess.run(
        argv, cwd=root, env=given, capture_output=True, text=True, check=False, timeout=600
    )


def test_build_writes_the_plugin_and_the_users_commands(copy: Path) -> None:
    write_presets('[a11y]\ndescription = "Reach"\n', 0)
    done = script(copy.parent, f"{copy.name}/scripts/build.py")

    assert (done.returncode, done.stderr) == (0, "")
    assert "10 presets" in done.stdout
    assert f"Loaded user presets from {user_files()[0]}" in done.stdout
    assert "  Generated: a11y.md" in done.stdout
    assert (copy / "plugins/claude/skills/ui/SKILL.md").read_bytes() == skill_page(
        built_in_presets()["ui"]
    )
    assert (copy / ".claude-plugin/marketplace.json").exists()
    assert os.listdir(user_commands.commands_folder()) == ["a11y.md"]


def suggested(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(("iteration", "index"), [("0", 0), ("16", 7)])
def test_c_5_suggestions_go_round_with_the_iterations(iteration: str, index: int) -> None:
    said = suggested(script(ROOT, "hooks/get-suggestion.py", "ui", iteration))
    texts = built_in_presets()["ui"].suggestions

    assert said == {
        "preset": "ui",
        "suggestion": texts[index],
        "suggestion_index": index,
        "total_suggestions": len(texts),
    }


def test_vector_10_five_entries_of_the_users_own() -> None:
    write_presets(f"[a11y]\nexploitation = {list('abcde')}\n", 0)

    assert suggested(script(ROOT, "hooks/get-suggestion.py", "a11y", "7"))["suggestion"] == "c"


def test_a_preset_that_nobody_knows_is_generic_and_that_is_said() -> None:
    done = script(ROOT, "hooks/get-suggestion.py", "nope", "1")

    assert (suggested(done)["preset"], done.returncode) == ("generic", 0)
    assert "no preset 'nope'" in done.stderr


WRONG = {
    "one word": (("ui",), "usage"),
    "too many": (("ui", "1", "2"), "usage"),
    "a word for a number": (("ui", "five"), "must be a number"),
    "a negative one": (("ui", "-1"), "must be a number"),
    "other digits": (("ui", "٣"), "must be a number"),
    "more digits than python reads": (("ui", "9" * 5_000), "number"),
}


@pytest.mark.parametrize(("words", "says"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_one_json_object_and_exit_code_1(
    words: tuple[str, ...], says: str
) -> None:
    done = script(ROOT, "hooks/get-suggestion.py", *words)

    assert (done.returncode, suggested(done)["error"], done.stderr) == (1, True, "")
    assert says in suggested(done)["message"]


def test_a_broken_file_of_the_users_is_told_and_the_built_in_presets_still_answer() -> None:
    write_presets("[cancel]\n")
    done = script(ROOT, "hooks/get-suggestion.py", "ui", "1")

    assert done.returncode == 0
    assert "[cancel] is a command already" in done.stderr
    assert "error" not in suggested(done)


def test_s13_python3_alone_on_the_path_is_enough(tmp_path: Path) -> None:
    only = tmp_path / "bin"
    only.mkdir()
    (only / "python3").symlink_to(os.path.realpath(sys.executable))
    done = script(
        ROOT, "hooks/get-suggestion.py", "ui", "5", python=str(only / "python3"), PATH=str(only)
    )

    assert suggested(done)["suggestion"] == built_in_presets()["ui"].suggestions[5]


# --- what a clone has ---


def test_b6_no_script_that_is_shipped_has_lines_that_end_in_cr() -> None:
    places = [ROOT / name for name in ("scripts", "hooks", "src", "plugins")]
    files = [
        path
        for place in places
        for path in place.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]

    assert len(files) > 200
    assert [str(path) for path in files if b"\r" in path.read_bytes()] == []


def test_what_is_shipped_is_not_left_out_by_git() -> None:
    """A folder of the name `build` is easily ignored: then it is here, and in no clone."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a clone")
    line = "git ls-files --others --ignored --exclude-standard -- src plugins scripts hooks"
    ignored = subprocess.run(
        line.split(), cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()

    assert [
        name for name in ignored if "__pycache__" not in name and not name.endswith(".pyc")
    ] == []
