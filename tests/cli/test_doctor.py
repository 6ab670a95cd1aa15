"""loop doctor: every cause it knows, produced once, each with its fix."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from loopwright import __version__
from loopwright.core.criteria import Check, Criterion, Evidence
from loopwright.core.limits import Limits, Spend, Streak
from loopwright.core.loop import Lease, Step
from loopwright.drive.doctor import client
from loopwright.drive.doctor.other_stop_hooks import diagnose_other_stop_hooks
from tests.support.builders import a_loop, a_loop_without_checks
from tests.support.project import Project


def findings(here: Project, **env: str) -> list[dict[str, str]]:
    return here.run("doctor", "--json", **env).json


def finds(here: Project, level: str, words: str, **env: str) -> str:
    """The fix of the finding with these words."""
    found = [row for row in findings(here, **env) if words in row["what"]]
    assert found, [row["what"] for row in findings(here, **env)]
    assert found[0]["level"] == level
    return found[0]["fix"]


def a_project_with(project, **changes: Any) -> Project:
    here = project(git=False)
    here.create(a_loop(**changes))
    return here


def test_where_nothing_is_wrong_it_says_so(project) -> None:
    here = project()
    said = here.run("doctor")

    assert said.code == 0
    assert "✓ the hook prints exactly one JSON object" in said.out
    assert "✓ no loop here: the hook is silent" in said.out


def test_the_fix_stands_below_the_finding(project) -> None:
    said = a_project_with(project, criteria=(Criterion("docs"),)).run("doctor")

    assert (
        '! docs: no check, so it can only be reported\n    fix: loop criteria add "docs=COMMAND"\n'
        in said.out
    )


def test_no_git(project, tmp_path: Path) -> None:
    assert (
        finds(project(git=False), "warn", "git is not there", PATH=str(tmp_path)) == "install git"
    )


def test_a_shim(project, tmp_path: Path) -> None:
    shim = tmp_path / "shims/python3"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\n")
    shim.chmod(0o755)

    assert finds(
        project(), "warn", "version manager's shim", PATH=f"{shim.parent}:{os.environ['PATH']}"
    )


def test_the_hook_is_registered_or_not(project) -> None:
    here = project()
    assert "claude plugin install loop@loopwright" in finds(
        here, "warn", "neither plugin nor hook of ours"
    )
    here.write(
        {
            ".claude/settings.json": json.dumps(
                {"hooks": {"Stop": [{"command": "loop hook claude"}]}}
            )
        }
    )

    assert finds(here, "ok", "the hook is registered in") == ""
    assert not any("neither plugin nor hook" in row["what"] for row in findings(here))


def test_the_plugin_is_named_with_its_version_and_twice_is_too_often(project) -> None:
    here = project()
    table = Path.home() / ".claude/plugins/installed_plugins.json"
    table.parent.mkdir(parents=True)

    def installs(version: str) -> None:
        table.write_text(
            json.dumps(
                {
                    "plugins": {
                        "loop@loopwright": [{"version": version}],
                        "other@x": [{"version": "1"}],
                    }
                }
            )
        )

    installs(__version__)
    assert finds(here, "ok", f"the plugin loop@loopwright {__version__} is installed") == ""
    assert not any("this command is" in row["what"] for row in findings(here))
    installs("0.0.1")
    assert (
        finds(here, "warn", f"this command is {__version__}, the plugin 0.0.1")
        == "claude plugin update loop@loopwright"
    )
    here.write(
        {
            ".claude/settings.json": json.dumps(
                {"hooks": {"Stop": [{"command": "loop hook claude"}]}}
            )
        }
    )
    assert finds(here, "warn", "the hook is there twice") == "take it out of that file"
    table.write_text('{"plugins": []}')
    assert not any("the plugin" in row["what"] for row in findings(here))


INSTALLED = {
    "extraKnownMarketplaces": {"loopwright": {"source": {"source": "directory", "path": "/x"}}},
    "enabledPlugins": {"loop@loopwright": True},
}


def write_client_files(settings: dict[str, object], plugins: dict[str, object]) -> None:
    """What Claude Code itself writes when a plugin is installed, disabled or removed."""
    folder = Path.home() / ".claude"
    (folder / "plugins").mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(json.dumps(settings))
    table = {"version": 2, "plugins": plugins}
    (folder / "plugins/installed_plugins.json").write_text(json.dumps(table))


def test_what_the_client_writes_about_the_plugin_is_no_hook(project) -> None:
    here, entry = project(), [{"version": __version__}]
    write_client_files(INSTALLED, {"loop@loopwright": entry})
    assert not any("hook is there twice" in row["what"] for row in findings(here))
    assert not any("hook is registered" in row["what"] for row in findings(here))

    write_client_files({**INSTALLED, "enabledPlugins": {}}, {})
    assert finds(here, "warn", "neither plugin nor hook of ours in Claude Code")

    write_client_files(
        {**INSTALLED, "enabledPlugins": {"loop@loopwright": False}}, {"loop@loopwright": entry}
    )
    assert finds(here, "warn", "is disabled") == "claude plugin enable loop@loopwright"


def test_a_hook_of_the_form_that_the_client_documents_is_found(project) -> None:
    hook = {"type": "command", "command": "python3 /opt/loopwright/hook/__main__.py claude"}
    write_client_files({"hooks": {"Stop": [{"hooks": [hook]}]}}, {})

    assert finds(project(), "ok", "the hook is registered in") == ""


@pytest.mark.parametrize(
    "file", ["~/.claude/settings.json", ".claude/settings.json", ".claude/settings.local.json"]
)
def test_hooks_that_are_switched_off_are_named_by_doctor_and_start(project, file) -> None:
    here = project()
    write_client_files(INSTALLED, {"loop@loopwright": [{"version": __version__}]})
    path = Path(file).expanduser() if file.startswith("~") else here.root / file
    path.parent.mkdir(exist_ok=True)
    path.write_text('{"disableAllHooks": true}')

    fix = finds(here, "fail", f"runs no hook of ours: disableAllHooks is true in {path}")
    said = here.run("start", "write done.txt", "--check", "done=test -e done.txt", "--yes")

    assert fix == f"set it to false in {path}"
    assert f"disableAllHooks is true in {path}. Fix: set it to false" in said.out, said.err


def test_settings_nearer_to_the_project_may_switch_hooks_on_again(project) -> None:
    here = project({".claude/settings.json": '{"disableAllHooks": false}'})
    write_client_files({"disableAllHooks": True}, {})

    assert not any("runs no hook" in row["what"] for row in findings(here))


@pytest.mark.parametrize("name", ["disableAllHooks", "allowManagedHooksOnly"])
@pytest.mark.parametrize("file", ["managed-settings.json", "managed-settings.d/10-x.json"])
def test_an_organization_that_allows_no_hooks_is_named(
    project, name, file, tmp_path, monkeypatch
) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text(json.dumps({name: True}))
    monkeypatch.setitem(client.MANAGED_FOLDERS, sys.platform, str(tmp_path))

    assert "loop run" in finds(project(), "fail", f"{name} is true in {tmp_path / file}")


def a_plugin(folder: Path, link: str) -> Path:
    """Our plugin as a checkout without symbolic links has it, or with a link that leads nowhere."""
    for name in (".claude-plugin", "vendor"):
        (folder / name).mkdir(parents=True)
    (folder / ".claude-plugin/plugin.json").write_text('{"name": "loop"}')
    if link == "text file":
        (folder / "vendor/loopwright").write_text("../../../src/loopwright")
    elif link == "link to":
        (folder / "vendor/loopwright").symlink_to("../../../src/nothing")
    return folder


@pytest.mark.parametrize("link", ["text file", "link to", "missing"])
def test_a_checkout_whose_link_leads_nowhere(project, link: str) -> None:
    here = project()
    plugin = a_plugin(here.root / "plugins/claude", link)

    fix = finds(here, "warn", "the plugin has no package")
    assert "loop plugin build --out DIR, then: claude plugin marketplace add DIR" in fix
    assert _has(here, link)
    (plugin / "vendor/loopwright").unlink(missing_ok=True)
    (plugin / "vendor/loopwright").mkdir()
    (plugin / "vendor/loopwright/__main__.py").touch()
    assert not _has(here, "the plugin has no package")


@pytest.mark.parametrize("place", ["copied", "read in place"])
def test_an_installed_plugin_without_its_package(project, tmp_path: Path, place: str) -> None:
    here = project()
    tables = Path.home() / ".claude/plugins"
    tables.mkdir(parents=True)
    whole, broken = tmp_path / "whole", a_plugin(tmp_path / "market/plugins/claude", "text file")
    (whole / ".claude-plugin").mkdir(parents=True)
    installed = {"version": __version__, "installPath": str(broken if place == "copied" else whole)}
    (tables / "installed_plugins.json").write_text(
        json.dumps({"plugins": {"loop@loopwright": [installed]}})
    )
    if place == "read in place":
        market = {"source": {"source": "directory"}, "installLocation": str(tmp_path / "market")}
        (tables / "known_marketplaces.json").write_text(json.dumps({"loopwright": market}))
        (tmp_path / "market/.claude-plugin").mkdir()
        listed = {"plugins": [{"name": "loop", "source": "./plugins/claude"}]}
        (tmp_path / "market/.claude-plugin/marketplace.json").write_text(json.dumps(listed))

    assert finds(here, "fail", "the plugin has no package")
    assert here.run("doctor").code == 1


def test_a_loop_of_somebody_else(project, tmp_path: Path) -> None:
    here = a_project_with(project)
    shutil.copytree(here.root / ".loop", tmp_path / "copy/.loop")
    copy = Project(tmp_path / "copy", git=False)

    assert finds(copy, "fail", "was not started here by you") == "loop allow"
    assert copy.run("doctor").code == 1


def test_a_journal_from_the_future(project) -> None:
    here = a_project_with(project)
    path = here.root / ".loop/journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"v":2', b'"v":9', 1))

    assert (
        finds(here, "fail", f"written by Loopwright {__version__} (format 9)")
        == "install the version that wrote it"
    )


def test_a_broken_journal(project) -> None:
    here = a_project_with(project)
    (here.root / ".loop/journal.jsonl").write_text("garbage\n")

    assert "loop doctor --fix" in finds(here, "fail", "cannot be read")


@pytest.mark.parametrize(
    ("text", "level", "words"),
    [
        ("{", "fail", "cannot be read"),
        ('{"status": "in_progress"}', "warn", "in progress but has no journal"),
        ("[]", "fail", "state.json"),
    ],
)
def test_a_state_file_without_a_journal(project, text: str, level: str, words: str) -> None:
    here = project()
    here.write({".loop/state.json": text})

    finds(here, level, words)


def test_the_last_loop_has_ended(project) -> None:
    here = project()
    here.start()
    here.run("cancel", "--keep")

    finds(here, "ok", "no loop here") if not _has(here, "the last loop here is") else finds(
        here, "ok", "is cancelled"
    )


def _has(here: Project, words: str) -> bool:
    return any(words in row["what"] for row in findings(here))


def test_a_lock_that_is_held(project) -> None:
    here = a_project_with(project)
    finds(here, "ok", "the lock works here")
    with here.folder.locked():
        assert "end the process that holds it" in finds(here, "fail", "the lock cannot be taken")


def test_the_mirror(project) -> None:
    here = a_project_with(project)
    finds(here, "ok", "exit_signal is false until the exit is claimed")
    (here.root / ".loop/state.json").unlink()

    assert "loop continue" in finds(here, "warn", "state.json is missing")


def test_the_exit_is_claimed(project) -> None:
    finds(a_project_with(project, exit_claimed=True), "ok", "the agent has claimed the exit")


def test_who_drives_it(project) -> None:
    finds(a_project_with(project, lease=Lease("s-1")), "ok", "driven by a session")
    finds(a_project_with(project, lease=Lease()), "ok", "no session drives it yet")


def test_a_paused_loop(project) -> None:
    assert (
        finds(
            a_project_with(project, status="paused", why="tired"),
            "warn",
            "the loop is paused: tired",
        )
        == "loop why"
    )


def test_too_few_iterations_for_its_steps(project) -> None:
    here = a_project_with(project, steps=tuple(Step(f"s{n}") for n in range(12)))

    assert (
        finds(here, "warn", "12 steps remain but only 10 iterations")
        == "loop continue --iterations=N"
    )


def test_x_2_the_clients_own_cap_on_blocks(project) -> None:
    here = a_project_with(project, limits=Limits(iterations=10))
    assert finds(here, "warn", "lets go after 8 answers in a row") == "loop install --block-cap=50"
    finds(here, "warn", "lets go after 5 answers", CLAUDE_CODE_STOP_HOOK_BLOCK_CAP="5")
    for cap in ("0", "-1", "50"):
        assert not any(
            "lets go after" in row["what"]
            for row in findings(here, CLAUDE_CODE_STOP_HOOK_BLOCK_CAP=cap)
        )


def test_a_loop_that_is_stuck(project) -> None:
    finds(a_project_with(project, streak=Streak(stuck=3)), "warn", "stuck 3 of 5 on: tests pass")


CHECKS = [
    (Criterion("docs"), "warn", "no check, so it can only be reported"),
    (
        Criterion("docs", Check("x", origin="file", allowed=False)),
        "warn",
        "its check waits for you",
    ),
    (
        Criterion("docs", Check("x"), proof=Evidence("docs", False, outcome="missing", code=127)),
        "fail",
        "cannot be run",
    ),
    (
        Criterion("docs", Check("x", 7), proof=Evidence("docs", False, outcome="timeout")),
        "fail",
        "over its time of 7 s",
    ),
    (Criterion("docs", Check("x")), "ok", "not run yet"),
    (Criterion("docs", Check("x"), proof=Evidence("docs", True, code=0)), "ok", ": passes"),
    (Criterion("docs", Check("x"), proof=Evidence("docs", False, code=1)), "ok", ": fails"),
]


def test_each_check(project) -> None:
    criteria = tuple(row[0].but(name=f"check {n}") for n, row in enumerate(CHECKS))
    found = findings(a_project_with(project, criteria=criteria))
    for n, (_, level, words) in enumerate(CHECKS):
        rows = [row for row in found if f"check {n}" in row["what"] and words in row["what"]]
        assert [row["level"] for row in rows] == [level], (words, found)


def test_money(project) -> None:
    here = project(git=False)
    here.create(
        a_loop_without_checks("docs", spend=Spend(unpriced=("my-model",), unread_bytes=12345))
    )

    assert "loop config prices.MODEL" in finds(here, "warn", "no price for my-model")
    finds(here, "warn", "12345 bytes of transcript are not read yet")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("crash/x.txt", "our own errors"),
        ("aside/state.json", "set aside"),
        ("STOP", "halts the loop"),
    ],
)
def test_what_lies_about(project, name: str, words: str) -> None:
    here = a_project_with(project)
    here.write({f".loop/{name}": "x"})

    assert finds(here, "warn", words)


def test_a_folder_that_others_can_read(project) -> None:
    here = a_project_with(project)
    (here.root / ".loop").chmod(0o755)

    assert finds(here, "warn", "can be read by others (mode 755)").startswith("chmod 700")


def test_stop_hooks_of_others_are_named_and_ours_is_not(project, monkeypatch, tmp_path) -> None:
    home = tmp_path / "client"
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home))

    def hooks(*commands: str) -> dict[str, object]:
        entries = [{"type": "command", "command": command} for command in commands]
        return {"hooks": {"Stop": [{"hooks": entries}], "PreToolUse": [{"hooks": entries}]}}

    for name in ("goal", "off"):
        (home / name / "hooks").mkdir(parents=True)
        (home / name / "hooks/hooks.json").write_text(json.dumps(hooks(f"sh {name}.sh")))
    (home / "plugins").mkdir()
    plugins = {f"{name}@market": [{"installPath": str(home / name)}] for name in ("goal", "off")}
    (home / "plugins/installed_plugins.json").write_text(json.dumps({"plugins": plugins}))
    enabled = {"enabledPlugins": {"goal@market": True, "off@market": False}}
    (home / "settings.json").write_text(json.dumps(enabled))
    here = project()
    here.write({".claude/settings.json": json.dumps(hooks("say done", "loop hook claude"))})

    found = [d.what for d in diagnose_other_stop_hooks(here.folder)]

    assert [text.partition(". It may")[0] for text in found] == [
        f"another Stop hook in {here.root}/.claude/settings.json: say done",
        "another Stop hook in the plugin goal@market: sh goal.sh",
    ]
