"""The gate, a shell script before the door: silent where no loop is, asks for Python once, outlives updates."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from loopwright.cli import exits
from loopwright.plugin import build
from tests.e2e.waiting import until
from tests.support.hook import HANG_SECONDS, SESSION, block, event, stop_event
from tests.support.project import Project
from tests.torture.size import every

SHELLS = {
    "dash": ["dash"],
    "bash": ["bash"],
    "bash as sh": ["bash", "--posix"],
    "bash as of 3.2": ["env", "BASH_COMPAT=3.2", "bash", "--posix"],
    "busybox": ["busybox", "sh"],
}
REAL = os.path.realpath(sys.executable)


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    """The plugin, in a folder with a space in its name, one version beside others as the client keeps them."""
    folder = tmp_path / "my plugins" / "0.1.0"
    build.write_files(str(folder), complete_plugin())
    return folder


@cache
def complete_plugin() -> dict[str, bytes]:
    return build.complete_plugin(exits.MEANINGS)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """The plugin in a clone of the repository: its package is a link to src."""
    root = tmp_path / "a clone"
    shutil.copytree(
        build.PACKAGE, root / build.SOURCE, ignore=shutil.ignore_patterns("__pycache__")
    )
    build.write_files(
        str(root / build.PLUGIN_FOLDER), build.plugin_files(exits.MEANINGS), build.LINKS
    )
    return root


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tmp_path / "plugin data"


@pytest.fixture
def bin(tmp_path: Path) -> Path:
    """A PATH of our own: the tools of a shell, and whatever Python a test puts there."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in [
        "grep",
        "tr",
        "cat",
        "mkdir",
        "cp",
        "chmod",
        "mv",
        "rm",
        "dash",
        "bash",
        "busybox",
        "env",
        "setsid",
        "git",
    ]:
        if found := shutil.which(name):
            (folder / name).symlink_to(found)
    program(folder / "sh", 'exec dash "$@"')
    return folder


def program(path: Path, text: str) -> None:
    path.unlink(missing_ok=True)  # never write through a link
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def shim(bin: Path, name: str = "python3") -> Path:
    """A version manager's stand-in for Python, which notes each use."""
    program(bin / name, f'echo used >>"{bin}/uses"\nexec "{REAL}" "$@"')
    return bin / "uses"


def command(plugin: Path, name: str, data: Path) -> str:
    """The hook's own line, with the names filled in as the client does it."""
    table = json.loads((plugin / "hooks/hooks.json").read_text())["hooks"]
    line = table[name][0]["hooks"][0]["command"]
    return line.replace("${CLAUDE_PLUGIN_ROOT}", str(plugin)).replace(
        "${CLAUDE_PLUGIN_DATA}", str(data)
    )


def fire(
    plugin: Path, data: Path, bin: Path, said: dict, shell: str = "dash", line: str = "", **env: str
) -> str:
    """One hook event, as the client would fire it, where `sh` is this shell."""
    program(bin / "sh", f'exec {" ".join(SHELLS[needed(shell)])} "$@"')
    argv = [str(bin / "sh"), "-c", line or command(plugin, said["hook_event_name"], data)]
    inside = {
        "PATH": str(bin),
        "HOME": os.environ["HOME"],
        "CLAUDE_PLUGIN_ROOT": str(plugin),
        "CLAUDE_PLUGIN_DATA": str(data),
    }
    inside |= {"CLAUDE_PROJECT_DIR": said["cwd"], "CLAUDE_CODE_SESSION_ID": said["session_id"]}
    inside |= {name: os.environ[name] for name in os.environ if name.startswith("XDG_")}
    done = subprocess.run(
        argv,
        cwd=said["cwd"],
        input=json.dumps(said).encode(),
        env={**inside, **env},
        capture_output=True,
        timeout=HANG_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"" or isinstance(json.loads(done.stdout), dict)
    return done.stdout.decode()


def needed(shell: str) -> str:
    """A person may do without a shell or two; CI must not."""
    if not shutil.which(shell.partition(" ")[0]):
        (pytest.fail if os.environ.get("LOOP_NEEDS_CLIENT") == "1" else pytest.skip)(
            f"{shell} is not here"
        )
    return shell


# --- where no loop is ---


@pytest.mark.parametrize("shell", SHELLS)
def test_where_no_loop_is_it_is_silent_and_starts_no_python(
    project, plugin, data, bin, shell
) -> None:
    uses = shim(bin)
    here = project({"sub dir/a.txt": "a", "x": "y"})
    for name in (
        "Stop",
        "UserPromptSubmit",
        "SessionStart",
        "StopFailure",
        "SessionEnd",
        "PreToolUse",
    ):
        assert fire(plugin, data, bin, event(name, here), shell) == ""
        assert fire(plugin, data, bin, event(name, here.root / "sub dir"), shell) == ""

    assert not uses.exists()
    assert not data.exists(), "nothing is written either"


@pytest.mark.parametrize("status", ["completed", "cancelled", "failed"])
def test_a_loop_that_has_ended_is_no_loop(project, plugin, data, bin, status) -> None:
    uses = shim(bin)
    here = project({".loop/state.json": json.dumps({"spec": "x", "status": status}, indent=2)})

    assert fire(plugin, data, bin, stop_event(here)) == ""
    assert not uses.exists()


def test_a_child_of_a_runner_is_left_to_it(project, plugin, data, bin) -> None:
    uses = shim(bin)
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)

    assert fire(plugin, data, bin, stop_event(here), LOOP_CHILD="1") == ""
    assert not uses.exists()


def test_a_loop_is_not_looked_for_in_the_home_or_past_a_checkout(
    project, plugin, data, bin
) -> None:
    uses = shim(bin)
    outer = project({"in/a.txt": "a"})
    outer.start("--criterion", "docs read well")
    Project(outer.root / "in")
    assert fire(plugin, data, bin, stop_event(outer.root / "in")) == "", "another checkout"
    assert fire(plugin, data, bin, stop_event(outer), HOME=str(outer.root)) == "", "the home itself"
    assert not uses.exists()


# --- where one is ---


@pytest.mark.long
@pytest.mark.parametrize("shell", every(2, [*SHELLS]))
def test_it_hands_on_to_the_door_from_any_folder_of_the_project(
    project, plugin, data, bin, shell
) -> None:
    shim(bin)
    here = project({"deep/er/a.txt": "a"})
    here.start("--criterion", "docs read well", "--session", SESSION)

    said = json.loads(fire(plugin, data, bin, stop_event(here.root / "deep/er", "hm"), shell))

    assert "unmet criteria: docs read well" in said["reason"]


def test_a_folder_written_with_backslashes_is_found(project, plugin, data, bin) -> None:
    shim(bin)
    here = project({"deep/a.txt": "a"})
    here.start("--criterion", "docs read well")
    elsewhere = project()

    uses = fire(plugin, data, bin, stop_event(elsewhere), CLAUDE_PROJECT_DIR=f"{here.root}\\deep")

    assert uses == "", "on this system a backslash is a letter, and the door knows"
    assert (data / "python").exists(), "but the gate let it through, as it must on Windows"


@pytest.mark.parametrize("shell", every(2, [*SHELLS]))
def test_a_backslash_in_the_name_of_a_folder_is_a_letter(
    tmp_path, plugin, data, bin, shell
) -> None:
    shim(bin)
    here = Project(tmp_path / "a\\b", {"c\\d/a.txt": "a"})
    here.start("--criterion", "docs read well", "--session", SESSION)

    for folder in (here.root, here.root / "c\\d"):
        (Path(os.environ["HOME"]) / f".local/state/loopwright/sessions/{SESSION}").unlink(True)
        said = json.loads(fire(plugin, data, bin, stop_event(folder, "hm"), shell))
        assert "unmet criteria: docs read well" in said["reason"]
    shutil.rmtree(here.root / ".loop")
    said = json.loads(fire(plugin, data, bin, stop_event(here, "hm"), shell))
    assert "`/loop:restore`" in said["systemMessage"]


def test_a_state_of_the_seeds_that_is_in_progress_goes_to_the_door(
    project, plugin, data, bin
) -> None:
    uses = shim(bin)
    here = project(
        {
            ".loop/state.json": json.dumps(
                {"tasks": {"a": {"status": "completed"}}, "status": "in_progress"}
            )
        }
    )

    fire(plugin, data, bin, stop_event(here))

    assert uses.exists()


def test_what_a_person_types_is_answered_without_a_loop(project, plugin, data, bin) -> None:
    shim(bin)
    fields = {"command_name": "loop:status", "command_args": "", "command_source": "plugin"}

    said = json.loads(fire(plugin, data, bin, event("UserPromptExpansion", project(), **fields)))

    assert said == {"decision": "block", "reason": "No loop here. Start one: /loop:start SPEC"}


def test_an_api_failure_is_journaled_though_the_client_is_gone_at_once(
    project, plugin, data, bin
) -> None:
    shim(bin)
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    assert (
        fire(
            plugin,
            data,
            bin,
            event("StopFailure", here, error="overloaded", last_assistant_message="529"),
        )
        == ""
    )

    until(lambda: here.events("ErrorSeen"), lambda: f"{here.events()}")
    assert here.loop.spend.iterations == 0
    until(lambda: not list(data.glob("failure-*")), lambda: f"{list(data.iterdir())}")
    assert not list(plugin.rglob("__pycache__"))


# --- Python ---


@pytest.mark.parametrize("name", every(2, ["python3", "python", "py", "python3.12"]))
def test_python_is_looked_for_once_and_its_real_path_is_kept(
    project, plugin, data, bin, name
) -> None:
    uses = shim(bin, name)
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    for _ in range(3):
        assert fire(plugin, data, bin, stop_event(here, "hm"))

    assert uses.read_text().count("used") == 1, (
        "a version manager's shim is slow; it was asked once"
    )
    assert (data / "python").read_text() == f"{REAL}\n"
    cached = list((data / "cache").rglob("dispatch*.pyc"))
    assert cached, "bytecode lies in the data folder"
    assert not list(plugin.rglob("__pycache__"))


def test_a_kept_python_that_is_gone_is_looked_for_again(project, plugin, data, bin) -> None:
    shim(bin)
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    data.mkdir()
    for kept in ("/no/such/python\n", f"{REAL}\r\n", ""):
        (data / "python").write_text(kept)
        assert fire(plugin, data, bin, stop_event(here, "hm"))
        assert (data / "python").read_text() == f"{REAL}\n"


def test_an_older_python_is_said_once_a_session_and_holds_nobody(
    project, plugin, data, bin
) -> None:
    program(bin / "python3", 'case "$*" in --version) echo "Python 3.9.2" ;; *) exit 1 ;; esac')
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)

    said = json.loads(fire(plugin, data, bin, stop_event(here)))
    assert list(said) == ["systemMessage"]
    assert "needs Python 3.11 or later" in said["systemMessage"]
    assert "(here: Python 3.9.2)" in said["systemMessage"]
    assert fire(plugin, data, bin, stop_event(here)) == ""
    assert fire(plugin, data, bin, stop_event(here, session="another")) != ""


def test_without_any_python_it_says_so(project, plugin, data, bin) -> None:
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)

    assert "needs Python 3.11 or later" in fire(plugin, data, bin, stop_event(here))


# --- updates and removal ---


def test_after_an_update_the_copy_in_the_data_folder_answers(project, plugin, data, bin) -> None:
    shim(bin)
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    line = command(plugin, "Stop", data)
    fire(plugin, data, bin, event("SessionStart", here, source="startup"))
    shutil.rmtree(plugin)

    said = json.loads(fire(plugin, data, bin, stop_event(here, "hm"), line=line))

    assert "unmet criteria" in said["reason"]
    assert here.loop.spend.iterations == 1


def test_the_copy_is_renewed_by_another_version_only(project, plugin, data, bin) -> None:
    shim(bin)
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    begin = event("SessionStart", here, source="startup")
    fire(plugin, data, bin, begin)
    copy = data / "code/vendor/loopwright/hook/dispatch.py"
    copy.write_text("kept")
    fire(plugin, data, bin, begin)
    assert copy.read_text() == "kept"

    (plugin / "VERSION").write_text("9.9\n")
    fire(plugin, data, bin, begin)
    assert copy.read_text() != "kept"
    assert sorted(path.name for path in data.glob("code*")) == ["code"]


def test_left_behind_with_a_newer_one_beside_it_goes_on_and_alone_it_lets_go(
    project, plugin, data, bin
) -> None:
    shim(bin)
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    (plugin / ".orphaned_at").touch()
    newer = plugin.parent / "0.2.0"
    newer.mkdir()
    (newer / "VERSION").touch()

    assert "unmet criteria" in fire(plugin, data, bin, stop_event(here, "hm"))
    journal = (here.root / ".loop/journal.jsonl").read_bytes()

    (newer / ".orphaned_at").touch()
    assert fire(plugin, data, bin, stop_event(here, "hm")) == "", "removed: the stop is allowed"
    assert (here.root / ".loop/journal.jsonl").read_bytes() == journal, "and the loop is as it was"

    (plugin / ".orphaned_at").unlink()
    assert "unmet criteria" in fire(plugin, data, bin, stop_event(here, "hm")), (
        "installed again: it goes on"
    )


def test_with_neither_plugin_nor_copy_only_the_stop_says_so(project, plugin, data, bin) -> None:
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    lines = {
        name: command(plugin, name, data)
        for name in ("Stop", "SessionStart", "PreToolUse", "StopFailure")
    }
    shutil.rmtree(plugin)

    for name, line in lines.items():
        said = fire(plugin, data, bin, event(name, here), line=line)
        assert said == "" if name != "Stop" else "The files of the plugin are gone" in said


@pytest.mark.long
def test_the_plugins_folder_is_never_written_to(project, plugin, data, bin) -> None:
    shim(bin)
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    before = dict(build.iter_files(str(plugin)))
    for path in (plugin, *plugin.rglob("*")):
        path.chmod(path.stat().st_mode & ~0o222)

    fire(plugin, data, bin, event("SessionStart", here, source="startup"))
    assert "unmet criteria" in fire(plugin, data, bin, stop_event(here, "hm"))
    loop = [str(plugin / "bin/loop"), "status"]
    env = {**os.environ, "PATH": str(bin), "XDG_CACHE_HOME": str(data)}
    done = subprocess.run(loop, cwd=here.root, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout[:9]) == (0, "▶ running"), done.stderr

    assert dict(build.iter_files(str(plugin))) == before
    assert os.access(data / "code/vendor/loopwright/hook/gate.sh", os.W_OK), (
        "the copy can be replaced"
    )
    for path in (plugin, *plugin.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)


# --- the link to the package ---


def test_in_a_clone_the_link_is_followed_and_no_bytecode_is_written_behind_it(
    project, clone, data, bin
) -> None:
    shim(bin)
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    plugin = clone / build.PLUGIN_FOLDER
    line = command(plugin, "Stop", data)
    env = {**os.environ, "PATH": str(bin), "XDG_CACHE_HOME": str(data)}

    fire(plugin, data, bin, event("SessionStart", here, source="startup"))
    assert "unmet criteria" in fire(plugin, data, bin, stop_event(here, "hm"))
    for word in ("status", "doctor"):
        subprocess.run(
            [str(plugin / "bin/loop"), word],
            cwd=here.root,
            env=env,
            capture_output=True,
            check=False,
        )

    assert not list((clone / "src").rglob("__pycache__"))
    assert not dict(build.links_in(str(data / "code"))), "the copy does not depend on the clone"
    shutil.rmtree(clone / "src")
    assert "unmet criteria" in fire(plugin, data, bin, stop_event(here, "hm"), line=line)


@pytest.mark.parametrize("link", ["a text file", "a link to nowhere", "nothing"])
def test_without_the_package_the_stop_is_allowed_and_one_line_says_why(
    project, clone, data, bin, link
) -> None:
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    plugin = clone / build.PLUGIN_FOLDER
    (plugin / "vendor/loopwright").unlink()
    if link == "a text file":
        (plugin / "vendor/loopwright").write_text("../../../src/loopwright")
    elif link == "a link to nowhere":
        (plugin / "vendor/loopwright").symlink_to("../../../src/nothing")

    assert "The files of the plugin are gone" in fire(plugin, data, bin, event("Stop", here))
    for name in ("UserPromptSubmit", "StopFailure", "SessionEnd", "PreToolUse", "PostToolUse"):
        assert fire(plugin, data, bin, event(name, here)) == ""
    for name in ("SessionStart", "UserPromptExpansion"):
        said = json.loads(fire(plugin, data, bin, event(name, here)))
        assert list(said) == ["systemMessage"]
        assert "\n" not in said["systemMessage"]
        assert (
            "plugin build --out DIR, then: claude plugin marketplace add DIR"
            in said["systemMessage"]
        )
        assert fire(plugin, data, bin, event(name, here), LOOP_CHILD="1") == ""

    done = subprocess.run(
        [str(plugin / "bin/loop"), "status"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "claude plugin marketplace add DIR" in done.stderr


def test_a_package_without_its_door_allows_the_stop(project, plugin, data, bin) -> None:
    shim(bin)
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)
    (plugin / "vendor/loopwright/hook/__main__.py").unlink()

    said = json.loads(fire(plugin, data, bin, stop_event(here, "hm")))

    assert list(said) == ["systemMessage"]
    assert "The plugin is incomplete, so no loop is held" in said["systemMessage"]


# --- the launcher and the scripts themselves ---


@pytest.mark.parametrize("way", every(2, ["by its path", "on the PATH", "in its folder"]))
def test_the_plugins_own_command_runs_without_any_package(
    project, plugin, bin, tmp_path, way
) -> None:
    shim(bin)
    here = project()
    argv = {
        "by its path": [str(plugin / "bin/loop")],
        "on the PATH": ["loop"],
        "in its folder": ["sh", "loop"],
    }[way]
    cwd = plugin / "bin" if way == "in its folder" else here.root
    env = {
        **os.environ,
        "PATH": f"{bin}:{plugin / 'bin'}",
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }

    done = subprocess.run(
        [*argv, "--version"], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, f"loop {build.__version__}\n", "")


@pytest.mark.long
def test_the_plugin_can_build_itself_and_the_alias(project, plugin, bin, tmp_path) -> None:
    shim(bin)
    here = project()
    env = {**os.environ, "PATH": str(bin), "XDG_CACHE_HOME": str(tmp_path / "cache")}

    for words in (["plugin", "build", "--out", "again"], ["install", "--alias", "--project"]):
        subprocess.run(
            [str(plugin / "bin/loop"), *words],
            cwd=here.root,
            env=env,
            capture_output=True,
            check=True,
        )

    assert dict(build.iter_files(str(here.root / "again"))) == dict(build.iter_files(str(plugin)))
    assert "An alias of Loopwright" in (here.root / ".claude/commands/loop.md").read_text()


def test_the_plugins_command_says_what_is_missing(plugin, bin, tmp_path) -> None:
    env = {"PATH": str(bin), "HOME": str(tmp_path)}

    done = subprocess.run(
        [str(plugin / "bin/loop"), "status"], env=env, capture_output=True, text=True, check=False
    )

    assert done.returncode == 1
    assert "needs Python 3.11 or later" in done.stderr


def test_the_scripts_are_clean(plugin) -> None:
    needed("shellcheck")
    scripts = [*map(str, plugin.rglob("*.sh")), str(plugin / "bin/loop")]

    done = subprocess.run(
        ["shellcheck", "-s", "sh", *scripts], capture_output=True, text=True, check=False
    )

    assert len(scripts) >= 4
    assert done.stdout == ""


def test_every_hook_has_its_time_and_quotes_its_path(plugin) -> None:
    table = json.loads((plugin / "hooks/hooks.json").read_text())["hooks"]
    entries = [
        (name, hook)
        for name, groups in table.items()
        for group in groups
        for hook in group["hooks"]
    ]

    assert [name for name, _ in entries] == [
        *("Stop", "UserPromptSubmit", "UserPromptExpansion", "SessionStart"),
        *("StopFailure", "SessionEnd", "PreToolUse", "PostToolUse"),
    ]
    seconds = {"Stop": 3600, "SessionEnd": 10, "PreToolUse": 5}
    for name, hook in entries:
        # The agent does not wait for what is asynchronous.
        assert hook["timeout"] == (30 if "async" in hook else seconds.get(name, hook["timeout"]))
        assert '"${CLAUDE_PLUGIN_ROOT}/$s"' in hook["command"]
    assert dict(entries)["Stop"]["statusMessage"]


def test_the_block_is_understood_through_the_gate(project, plugin, data, bin) -> None:
    shim(bin)
    here = project()
    here.start("--criterion", "docs read well", "--session", SESSION)

    said = fire(plugin, data, bin, stop_event(here, block({}, "BLOCKED: the key is missing")))

    assert "it is blocked: the key is missing" in json.loads(said)["systemMessage"]
