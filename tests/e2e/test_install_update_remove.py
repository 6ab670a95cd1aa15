"""The plugin's own life on the real client: validated, installed in one line, updated and removed under a running loop."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from tests.e2e.market import Market, claude
from tests.e2e.plugin import OWN, PLUGIN, ROOT, TESTS, clone_to, starts
from tests.e2e.session_steps import DONE, NOT_YET
from tests.e2e.turn import runs, says, writes
from tests.e2e.waiting import until
from tests.e2e.world import FIXED

START = f"/loop:start make the tests pass {TESTS} --yes"


@pytest.fixture
def market(tmp_path):
    with Market(tmp_path / "market") as served:
        served.publish("0.1.0")
        yield served


@pytest.mark.parametrize("folder", [PLUGIN, ROOT], ids=["plugin", "marketplace"])
def test_the_client_finds_nothing_to_complain_about(world, folder):
    said = claude(world, "plugin", "validate", str(folder), "--strict")

    assert "Validation passed" in said
    assert "warning" not in said.lower()


def test_the_readmes_two_lines_install_it_from_a_clone_and_the_loop_runs(world, tmp_path):
    clone = tmp_path / "a clone with spaces"
    clone_to(clone)
    lines = re.findall(r"(?m)^claude (plugin .+)$", (ROOT / "README.md").read_text())
    assert len(lines) == 2
    for line in lines:
        claude(world, *line.split(), cwd=clone)
    subprocess.run(["chmod", "-R", "a-w", str(clone)], check=True)

    run = world.headless(
        START, [starts(), writes(world.path("greet.py"), FIXED), says(DONE)], env=OWN
    )

    subprocess.run(["chmod", "-R", "u+w", str(clone)], check=True)
    assert run.rc == 0
    assert world.project.ended.verdict.proven
    assert (clone / "plugins/claude/vendor/loopwright").is_symlink()
    assert not list(clone.rglob("__pycache__")), (
        "the plugin's folder and the package behind the link stay as they were"
    )
    listed = json.loads(claude(world, "plugin", "list", "--json"))
    assert [(entry["id"], entry["enabled"]) for entry in listed] == [("loop@loopwright", True)]


@pytest.mark.long
def test_an_update_in_the_middle_of_a_loop_loses_nothing(world, market):
    claude(world, "plugin", "marketplace", "add", market.url)
    claude(world, "plugin", "install", "loop@loopwright")
    assert copied_package(world, "0.1.0")

    def update(number, body):
        """Between two turns the person updates; the session goes on with the version it began with."""
        if number == 3:
            market.publish("0.2.0")
            claude(world, "plugin", "marketplace", "update", "loopwright")
            assert "updated from 0.1.0 to 0.2.0" in claude(
                world, "plugin", "update", "loop@loopwright"
            )
        return [starts(), runs("cat greet.py"), says(NOT_YET), runs("true"), says("…", delay=60)][
            number - 1
        ]

    launched = world.launch(START, update, env=OWN)
    until(lambda: len(launched.requests) == 5, lambda: f"{launched.events}")
    killed = launched.kill()
    assert "unmet criteria: tests pass" in killed.requests[3].news, (
        "held, though a newer version is installed"
    )

    run = world.headless(
        "go on", [writes(world.path("greet.py"), FIXED), says(DONE)], env=OWN, resume=killed.session
    )

    assert "[LOOP RESUME] Active loop detected" in run.requests[0].text
    assert world.project.ended.verdict.proven
    assert copied_package(world, "0.2.0")
    assert [
        entry["version"] for entry in json.loads(claude(world, "plugin", "list", "--json"))
    ] == ["0.2.0"]


def copied_package(world, version: str) -> bool:
    """Has the client put the package itself where the repository has a link?"""
    package = world.home / ".claude/plugins/cache/loopwright/loop" / version / "vendor/loopwright"
    return (package / "__main__.py").is_file() and not package.is_symlink()


@pytest.mark.long
def test_git_without_symbolic_links_is_told_the_way_out_and_it_works(world, market, tmp_path):
    (world.home / ".gitconfig").write_text("[core]\n\tsymlinks = false\n")
    claude(world, "plugin", "marketplace", "add", market.url)
    claude(world, "plugin", "install", "loop@loopwright")
    assert not copied_package(world, "0.1.0")

    run = world.headless("hello", [says("Hello.")], env=OWN)
    assert (run.rc, len(run.requests)) == (0, 1), "the stop is allowed"
    assert "The plugin is incomplete" in world.transcript
    assert "the plugin has no package" in world.loop("doctor").out

    complete = tmp_path / "a complete plugin"
    assert world.loop("plugin", "build", "--out", str(complete)).code == 0
    claude(world, "plugin", "marketplace", "add", str(complete))

    looked = world.headless("/loop:status", [], env=OWN)
    assert "No loop here. Start one: /loop:start SPEC" in str(looked.events), "the hook answers"
    assert "the plugin has no package" not in world.loop("doctor").out


@pytest.mark.long
@pytest.mark.parametrize("left", ["nothing", "the gate"])
def test_files_taken_away_in_the_middle_are_made_up_for_by_the_copy(world, tmp_path, left):
    plugin = tmp_path / "plugin"
    shutil.copytree(PLUGIN, plugin, ignore=shutil.ignore_patterns("__pycache__"))

    def clear(number, body):
        """As a pull in a clone does it for a moment, or for longer when it fails."""
        if number == 3:
            for path in plugin.rglob("*"):
                if path.is_file() and (left == "nothing" or path.name != "gate.sh"):
                    path.unlink()
        return [
            starts(),
            runs("cat greet.py"),
            says(NOT_YET),
            writes(world.path("greet.py"), FIXED),
            says(DONE),
        ][number - 1]

    run = world.headless(START, clear, "--plugin-dir", str(plugin), env=OWN)

    assert "unmet criteria: tests pass" in run.requests[3].news, (
        "held by the copy in the data folder"
    )
    assert world.project.ended.verdict.proven


@pytest.mark.long
def test_with_the_whole_folder_gone_the_stop_is_allowed_and_the_loop_kept(world, tmp_path):
    plugin = tmp_path / "plugin"
    shutil.copytree(PLUGIN, plugin, ignore=shutil.ignore_patterns("__pycache__"))

    def drop(number, body):
        if number == 3:
            shutil.rmtree(plugin)
        return [starts(), runs("cat greet.py"), says(NOT_YET)][number - 1]

    run = world.headless(START, drop, "--plugin-dir", str(plugin), env=OWN)

    assert (run.rc, len(run.requests)) == (0, 3)
    assert (world.project.loop.status, world.project.loop.spend.iterations) == ("running", 0)


@pytest.mark.long
def test_removed_in_the_middle_it_lets_go_and_installed_again_it_goes_on(world, market):
    claude(world, "plugin", "marketplace", "add", market.url)
    claude(world, "plugin", "install", "loop@loopwright")

    def remove(number, body):
        if number == 3:
            claude(world, "plugin", "uninstall", "loop@loopwright")
        return [starts(), runs("cat greet.py"), says(NOT_YET)][number - 1]

    run = world.headless(START, remove, env=OWN)

    assert (run.rc, len(run.requests)) == (0, 3), "the stop is allowed"
    loop = world.project.loop
    assert (loop.status, loop.spend.iterations) == ("running", 0), "the journal is as it was"

    plain = world.headless(
        "go on", [says("Without the plugin nobody holds me.")], env=OWN, resume=run.session
    )
    assert len(plain.requests) == 1

    claude(world, "plugin", "install", "loop@loopwright")
    script = [says(NOT_YET), writes(world.path("greet.py"), FIXED), says(DONE)]
    again = world.headless("go on", script, env=OWN, resume=run.session)
    assert "[LOOP RESUME] Active loop detected" in again.requests[0].text
    assert "unmet criteria: tests pass" in again.requests[1].news
    assert world.project.ended.verdict.proven


def test_doctor_reads_what_the_client_writes_about_the_plugin(world, market):
    """Its settings name us after the installation and after the removal: that is no hook."""
    claude(world, "plugin", "marketplace", "add", market.url)
    claude(world, "plugin", "install", "loop@loopwright")

    said = world.loop("doctor").out
    assert "the plugin loop@loopwright 0.1.0 is installed" in said
    assert "twice" not in said
    assert "hook is registered" not in said

    claude(world, "plugin", "disable", "loop@loopwright")
    assert "claude plugin enable loop@loopwright" in world.loop("doctor").out
    claude(world, "plugin", "uninstall", "loop@loopwright")
    assert "neither plugin nor hook of ours" in world.loop("doctor").out
