"""The plugin's folder: generated from the code, whole, and exactly what is checked in."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from loopwright import __version__
from loopwright.agents.claude.hooks import PLAN_COMMANDS, RECORD_COMMANDS, TYPED_COMMANDS
from loopwright.cli import exits
from loopwright.core.limits import Limits
from loopwright.drive.errors import UserError
from loopwright.importers import plans
from loopwright.plugin import build, template_values
from loopwright.store import presets

ROOT = Path(__file__).parents[2]
FILES = build.plugin_files(exits.MEANINGS)
COMPLETE = build.complete_plugin(exits.MEANINGS)
SKILLS = {
    name.split("/")[1]: data.decode()
    for name, data in FILES.items()
    if name.startswith("skills/") and name.endswith("SKILL.md")
}
SEED_PHRASES = (
    *(
        "loop",
        "keep going",
        "don't stop",
        "continue until done",
        "until tests pass",
        "implement full feature",
    ),
    *("fix all problems", "make better", "what is loop", "how does loop work", "loop help"),
)


def test_what_is_checked_in_is_what_the_code_says() -> None:
    if sys.platform == "win32" and not os.path.islink(
        ROOT / build.PLUGIN_FOLDER / build.PACKAGE_IN_PLUGIN
    ):
        pytest.skip("this checkout has no symbolic links")
    assert build.differing_files(str(ROOT / build.PLUGIN_FOLDER), FILES, build.LINKS) == []
    assert (ROOT / build.MARKETPLACE_FILE).read_bytes() == build.marketplace_json()


def test_every_command_that_the_hook_answers_has_a_skill_and_the_others_are_the_models() -> None:
    person = {*TYPED_COMMANDS, *RECORD_COMMANDS, "build"}

    assert set(SKILLS) == {
        *person,
        "start",
        "intent",
        "shape",
        "help",
        "plan",
        *PLAN_COMMANDS,
        *presets.built_in_presets(),
    }
    for name, text in SKILLS.items():
        assert re.match(rf"---\nname: {name}\ndescription: \S", text)
        assert ": " not in text.splitlines()[2].removeprefix("description: "), (
            "a second colon is no YAML"
        )
        assert ("disable-model-invocation: true" in text) == (name in person), name


def test_start_has_the_frontmatter_and_the_parts_of_the_seed() -> None:
    text = SKILLS["start"]
    head = text.split("---\n")[1]

    assert "model: opus\nallowed-tools: Bash, Read, Task, Agent\n" in head
    for phrase in SEED_PHRASES:
        assert f'"{phrase}"' in head
    for part in (
        *(
            "required checklist",
            "Spec clarity rubric",
            "Reversibility",
            "SHAPE.md",
            "Workflow",
            "Gates",
            "Each iteration",
        ),
        *(
            "Status block",
            "Announcements",
            "Breakers and limits",
            "Commands",
            "Boundary",
            "Loop executes, never decides.",
        ),
        *(
            "---LOOP_STATUS---",
            "EXIT_SIGNAL: true",
            "<loop-complete>",
            "🟢 SHIP",
            "🟡 MONITOR",
            "🔴 RESEARCH",
        ),
        *(
            "proceed without confirmation",
            "This is a learnable pattern. Want the steps to run yourself?",
        ),
    ):
        assert part in text, part
    assert text.count("□") == 7


def test_every_page_that_a_skill_points_to_is_there_and_no_placeholder_is_left() -> None:
    for name, data in FILES.items():
        if not name.endswith(".md"):
            continue
        text = data.decode()
        assert "{{" not in text, name
        for link in re.findall(r"\]\(([^)#:]+)\)", text):
            assert f"{name.rpartition('/')[0]}/{link}" in FILES, f"{name} points to {link}"


def test_the_numbers_are_the_codes_own() -> None:
    limit = Limits()
    filled = template_values.values_from_code(exits.MEANINGS)

    assert f"| ${limit.dollars:g} | paused" in filled["breakers"]
    assert f"{limit.rethink}x, then {limit.stuck}x in a row" in filled["breakers"]
    assert "= **7**, colleague" in filled["examples"]
    assert "= **0**, too vague" in filled["examples"]
    assert all(f"| {code} | " in filled["exits"] for code in exits.MEANINGS)


def test_a_placeholder_that_nobody_knows_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"x\.md asks for \{\{wibble\}\}"):
        template_values.fill_template(b"a {{wibble}}", {}, "x.md")


def test_a_complete_plugin_holds_the_package_and_nothing_else_is_needed() -> None:
    package = {name: data for name, data in COMPLETE.items() if name not in FILES}
    market = package.pop(build.MARKETPLACE_FILE)

    assert package == {
        f"vendor/loopwright/{name}": data
        for name, data in build.iter_files(str(ROOT / "src/loopwright"))
    }
    assert not any("__pycache__" in name or name.endswith(".pyc") for name in package)
    assert json.loads(market)["plugins"][0]["source"] == "./"


def test_the_repositorys_plugin_has_one_link_and_no_copy() -> None:
    assert not any(name.startswith("vendor/") for name in FILES)
    (name, target) = next(iter(build.LINKS.items()))
    assert os.path.normpath(Path(build.PLUGIN_FOLDER, name).parent / target) == os.path.normpath(
        "src/loopwright"
    )
    manifest = json.loads(FILES[build.MANIFEST])
    assert (manifest["name"], manifest["version"]) == ("loop", __version__)
    assert json.loads(build.marketplace_json())["plugins"][0]["source"] == "./plugins/claude"
    assert FILES["LICENSE"] == (ROOT / "LICENSE").read_bytes()


# --- the command ---


def test_build_writes_check_compares_and_the_prompt_variant_adds_a_judge(project) -> None:
    here = project({"src/loopwright/__init__.py": "", "src/loopwright/__pycache__/x.pyc": ""})
    assert here.run("plugin", "build", "--check").code == 1
    said = here.run("plugin", "build")
    assert (said.code, said.out) == (
        0,
        f"plugins/claude: {len(FILES)} files, 10 presets. Try it: claude --plugin-dir plugins/claude\n",
    )
    assert here.run("plugin", "build", "--check").code == 0
    assert os.readlink(here.root / "plugins/claude/vendor/loopwright") == "../../../src/loopwright"

    (here.root / "plugins/claude/README.md").write_text("mine")
    (here.root / "plugins/claude/more.txt").write_text("mine")
    (here.root / "plugins/claude/bin/loop").chmod(0o644)
    said = here.run("plugin", "build", "--check")
    assert said.code == 1
    for name in ("README.md", "more.txt", "bin/loop"):
        assert f"plugins/claude/{name}" in said.err

    assert here.run("plugin", "build").code == 0
    assert not (here.root / "plugins/claude/more.txt").exists()
    assert (here.root / "src/loopwright/__init__.py").exists(), (
        "what is behind the link is left alone"
    )

    said = here.run("plugin", "build", "--out", "judged plugin", "--stop-hook", "prompt")
    assert said.code == 0
    assert f"Install it: claude plugin marketplace add '{here.root}/judged plugin'" in said.out
    assert dict(build.links_in(str(here.root / "judged plugin"))) == {}
    gate, judge = json.loads((here.root / "judged plugin/hooks/hooks.json").read_text())["hooks"][
        "Stop"
    ][0]["hooks"]
    assert 'exec sh "$g" Stop --judge;' in gate["command"]
    assert (judge["type"], judge["timeout"]) == ("prompt", 30)
    assert judge["prompt"].endswith("JSON ONLY:")
    assert "$ARGUMENTS" in judge["prompt"]


@pytest.mark.parametrize("fault", ["a text file", "a link to nowhere", "a copy", "nothing"])
def test_check_names_a_link_that_is_not_one(project, fault) -> None:
    here = project({"src/loopwright/__init__.py": ""})
    here.run("plugin", "build")
    link = here.root / "plugins/claude/vendor/loopwright"
    link.unlink()
    if fault == "a text file":
        link.write_text("../../../src/loopwright")
    elif fault == "a link to nowhere":
        link.symlink_to("../../../src/nothing")
    elif fault == "a copy":
        link.mkdir()
        (link / "__init__.py").touch()

    said = here.run("plugin", "build", "--check")

    assert said.code == 1
    assert "plugins/claude/vendor/loopwright" in said.err
    assert here.run("plugin", "build").code == 0
    assert here.run("plugin", "build", "--check").code == 0


def test_where_no_link_can_be_made_the_way_out_is_said(tmp_path, monkeypatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError("a required privilege is not held by the client")

    monkeypatch.setattr("os.symlink", refuse)

    with pytest.raises(UserError, match=r"loop plugin build --out DIR"):
        build.write_files(str(tmp_path / "plugin"), FILES, build.LINKS)
    assert (tmp_path / "plugin/vendor/loopwright").read_text() == "../../../src/loopwright", (
        "as git checks it out"
    )


def test_outside_a_clone_it_wants_to_know_where(project) -> None:
    said = project().run("plugin", "build")

    assert said.code == 1
    assert "no src/loopwright here" in said.err
    assert "loop plugin build --out DIR" in said.err


def test_a_folder_that_is_not_a_plugin_is_left_alone(project) -> None:
    here = project({"src/a.py": "a = 1\n"})

    said = here.run("plugin", "build", "--out", "src")

    assert said.code == 1
    assert "holds something else" in said.err
    assert (here.root / "src/a.py").exists()


@pytest.mark.parametrize("task", ["04", "05"])
def test_the_seeds_own_checks_of_its_commands_hold_for_our_skills(task: str) -> None:
    """Its commands/execute.md and commands/verify.md are our skills of these names."""
    plan = plans.read(
        str(ROOT / "tests" / "importers" / "cases" / "seed-003.md"), str(ROOT)
    ).plan.task(task)
    (file,) = plan.files
    skill = SKILLS[file.path.removeprefix("commands/").removesuffix(".md")]

    assert len(plan.checks) == 4
    for check in plan.checks:
        assert check.path == file.path
        for wanted in check.wanted:
            assert wanted in skill, check.text
