"""What a stranger who has read only the documents expects of other clients: odd files, odd events, two hooks, a second session."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from loopwright.agents import wiring as hook_wiring
from loopwright.agents.acp.client import value_problem
from loopwright.agents.registry import AGENT_NAMES, HOST_NAMES, load_about
from loopwright.core.json_text import JSONError, loads
from loopwright.core.prompts.host_words import NOT_DRIVEN, hold_cap_reason
from loopwright.drive.clients.host_files import hook_file, load_wire, switched_off, wired_hosts
from loopwright.drive.doctor.host import (
    diagnose_trust,
    registered_command,
    synthetic_stop,
)
from loopwright.mcp.tools import TOOLS, WrongArguments, command_words
from tests.hook.test_other_hosts import send
from tests.support.files import write_file
from tests.support.hook import HOOK_SCRIPT, OTHER, SESSION
from tests.support.project import Project

ANOTHER_HOOK = '{"hooks": [{"type": "command", "command": "echo // no } ] comment"}]}'


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch) -> Path:
    home = Path(os.environ["HOME"])
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return home


def all_of(home: Path) -> dict[str, bytes | None]:
    """Every file and folder but our own state."""
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() else None
        for path in sorted(home.rglob("*"))
        if "state" not in path.relative_to(home).parts
    }


# --- files that another person has written ---

ODD_JSON = {
    "empty": "",
    "blank": "\n\n  \n",
    "braces": "{}",
    "byte order mark": '\ufeff{\n  "theme": "x"\n}\n',
    "comments": '// top\n{\n  "theme": "x", /* "hooks": {} */\n  "more": [1, 2,],\n  // last\n}\n// end\n',
    "windows": '{\r\n  "theme": "x",\r\n  "a": {\r\n    "b": 1\r\n  }\r\n}\r\n',
    "tabs": '{\n\t"hooks": {\n\t\t"EVENT": [\n\t\t\tHOOK\n\t\t]\n\t}\n}',
    "one line": '{"hooks":{"EVENT":[HOOK]}}',
    "trailing": '{\n  "hooks": {\n    "EVENT": [\n      // mine\n      HOOK, // x\n    ], // y\n  },\n}\n',
    "letters": '{"näme": "日本 \u2028 😀"}\n',
    "twice": '{"hooks": {"EVENT": []}, "hooks": {"EVENT": [HOOK]}}',
}


@pytest.mark.parametrize("name", ODD_JSON)
def test_an_odd_file_is_edited_once_and_restored(here: Project, home: Path, name: str) -> None:
    text = ODD_JSON[name].replace("EVENT", "AfterAgent").replace("HOOK", ANOTHER_HOOK)
    path = write_file(home / ".gemini/settings.json", text)
    before = all_of(home)
    assert here.run("install", "gemini", "--yes").code == 0
    installed = path.read_bytes()
    assert registered_command(*hook_file(wired_hosts()["gemini"]))
    assert "registered already" in here.run("install", "gemini", "--yes").out
    assert path.read_bytes() == installed
    here.run("uninstall", "gemini", "--yes")
    assert all_of(home) == before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("null", "the whole file is not an object in {}, in line 1"),
        ("[]", "the whole file is not an object in {}"),
        ('{\n"hooks": null}', "hooks is not an object in {}, in line 2"),
        ('{"hooks": {"AfterAgent": {}}}', "hooks.AfterAgent is not a list in []"),
        ('{"a": ', "no JSON value in line 1"),
        ("[" * 3000 + "]" * 3000, "it is nested too deeply"),
        (b'{"n": "\xe9"}', "is not UTF-8"),
    ],
)
def test_what_cannot_be_edited_is_left_and_named_with_the_way_out(
    here: Project, home: Path, text: str | bytes, says: str
) -> None:
    write_file(home / ".gemini/settings.json", text)
    before = all_of(home)
    said = here.run("install", "gemini", "--yes")

    assert (said.code, all_of(home)) == (1, before)
    assert says in said.err
    assert "It was left as it is" in said.err
    assert "UTF-8" in says or "Mend it, then: loop install gemini" in said.err


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda path: path.symlink_to("nowhere.json"), "a link to a file that is not there"),
        (lambda path: path.symlink_to(path.name), "a link to a file that is not there"),
        (lambda path: os.mkfifo(path), "no plain file"),
        (lambda path: path.mkdir(), "no plain file"),
    ],
    ids=["dangling link", "link to itself", "pipe", "folder"],
)
def test_what_is_no_plain_file_is_left(here: Project, home: Path, make: Any, says: str) -> None:
    path = home / ".gemini/settings.json"
    path.parent.mkdir()
    make(path)
    assert says in here.run("install", "gemini", "--yes").err
    assert [each.name for each in path.parent.iterdir()] == ["settings.json"]


ODD_TOML = {
    "no end of line": 'model = "x"',
    "byte order mark": '\ufeffmodel = "x"\n',
    "windows": 'model = "x"\r\n[features]\r\nhooks = true\r\n',
    "dotted": 'hooks.state."a:b".enabled = true\nmodel = "m"\n',
    "dotted state": '[hooks]\nstate."a:b".enabled = true\n[other]\na = 1\n',
    "lists of tables": '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "x"\n\n[a]\nb = 1\n',
    "comments": '# head\n[hooks.state] # c\n"a:b" = {enabled = true} # d\n# tail\n\n\n',
    "long text": 'x = """\n[hooks.state."no"]\n"""\ny = [\n 1,\n # [hooks]\n 2]\n',
}


@pytest.mark.parametrize("name", ODD_TOML)
def test_an_odd_configuration_of_codex_is_kept_and_trusts_us(
    here: Project, home: Path, name: str
) -> None:
    config = write_file(home / ".codex/config.toml", ODD_TOML[name])
    before = all_of(home)
    assert here.run("install", "codex", "--yes").code == 0
    assert config.read_bytes().startswith(ODD_TOML[name].rstrip().encode())
    wiring, path = hook_file(wired_hosts()["codex"])
    (row,) = diagnose_trust(wiring, path)
    assert row.level == "ok"
    here.run("uninstall", "codex", "--yes")
    assert all_of(home) == before


def test_an_inline_table_of_codex_is_named_with_what_to_write(here: Project, home: Path) -> None:
    text = 'hooks = { state = { "a:b" = { enabled = true } } }\n'
    config = write_file(home / ".codex/config.toml", text)
    said = here.run("install", "codex", "--yes")

    assert "write hooks as a table of its own, [hooks.state], not as an inline table" in said.err
    assert config.read_text() == text
    assert not (home / ".codex/hooks.json").exists()


def test_the_hashes_of_a_new_configuration_are_in_the_diff(here: Project, home: Path) -> None:
    assert "+trusted_hash = " in here.run("install", "codex", "--yes").out


def test_a_hook_that_was_switched_off_in_codex_is_not_trusted_until_the_next_install(
    here: Project, home: Path
) -> None:
    here.run("install", "codex", "--yes")
    config = home / ".codex/config.toml"
    config.write_text(config.read_text().replace("enabled = true", "enabled = false"))
    wiring, path = hook_file(wired_hosts()["codex"])
    assert [row.level for row in diagnose_trust(wiring, path)] == ["fail"]
    here.run("install", "codex", "--yes")
    assert [row.level for row in diagnose_trust(wiring, path)] == ["ok"]


def test_the_trust_of_a_path_with_quotes_is_found_again() -> None:
    wanted = {"/home/O\"Neil's ü/hooks.json:stop:0:0": "sha256:1"}
    config = hook_wiring.add_trust("", wanted)
    assert hook_wiring.untrusted_hooks(config, wanted) == []
    assert tomllib.loads(config)["hooks"]["state"] == {
        next(iter(wanted)): {"trusted_hash": "sha256:1", "enabled": True}
    }


@pytest.mark.parametrize("host", ["opencode", "amp"])
def test_a_plugin_runs_from_a_path_with_quotes(here: Project, home: Path, host: str) -> None:
    here.run("install", host, "--yes")
    wiring, path = hook_file(wired_hosts()[host])
    file = Path(path)
    odd = HOOK_SCRIPT.replace("/loopwright/hook/", "/Jürgen O'Neil/loopwright/hook/")
    file.write_text(file.read_text().replace(json.dumps(HOOK_SCRIPT), json.dumps(odd)))
    assert shlex.split(registered_command(wiring, path))[-2:] == [odd, host]


def test_a_file_that_cannot_be_written_leaves_all_as_it_was_and_the_others_go_on(
    here: Project, home: Path
) -> None:
    blocked = home / ".gemini/commands/loop/why.toml.tmp"  # the last of them, on the way
    blocked.mkdir(parents=True)
    write_file(home / ".qwen/settings.json", "{}")
    before = all_of(home)
    said = here.run("install", "gemini", "qwen", "--yes")

    assert "✓ qwen: our hook is registered" in said.out
    assert f"✗ gemini: {blocked} cannot be written: Is a directory. Nothing was" in said.out
    assert not (home / ".gemini/settings.json").exists()
    assert said.err == "loop: not every client could be installed\n"
    write_file(home / ".qwen/settings.json", "{ no JSON")
    assert "✗ qwen: " in here.run("uninstall", "qwen", "gemini", "--yes").out
    write_file(home / ".qwen/settings.json", "{}")
    here.run("uninstall", "--all", "--yes")
    assert all_of(home) == before


# --- what was changed since ---


def test_nothing_of_ours_is_left_in_a_file_that_was_changed_since(
    here: Project, home: Path
) -> None:
    path = write_file(home / ".qwen/settings.json", '{\n  "a": 1\n}\n')
    here.run("install", "qwen", "--yes")
    path.write_text(path.read_text().replace('"a": 1', '"a": 2'))
    here.run("uninstall", "qwen", "--yes")
    assert path.read_text() == '{\n  "a": 2\n}\n'


def test_the_hook_of_another_keeps_its_place_and_its_trust(here: Project, home: Path) -> None:
    here.run("install", "codex", "--yes")
    path, config = home / ".codex/hooks.json", home / ".codex/config.toml"
    registered = json.loads(path.read_text())
    registered["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "theirs"}]})
    path.write_text(json.dumps(registered))
    trusted = hook_wiring.add_trust(config.read_text(), {f"{path}:stop:1:0": "sha256:theirs"})
    config.write_text(trusted)
    assert "registered already" in here.run("install", "codex", "--yes").out

    # Our command is another one after an update.
    path.write_text(path.read_text().replace("3600", "60"))
    here.run("install", "codex", "--yes")
    assert json.loads(path.read_text()) == registered
    assert config.read_text() == trusted
    here.run("uninstall", "codex", "--yes")
    left = {"Stop": [{"hooks": [{"type": "command", "command": "theirs"}]}]}
    assert json.loads(path.read_text()) == {"hooks": left}
    state = tomllib.loads(config.read_text())["hooks"]["state"]
    assert state == {f"{path}:stop:0:0": {"trusted_hash": "sha256:theirs", "enabled": True}}


@pytest.mark.parametrize("changed", [False, True], ids=["as we wrote it", "changed since"])
def test_files_in_a_folder_that_the_client_no_longer_reads_are_restored_and_never_deleted(
    here: Project, home: Path, changed: bool
) -> None:
    config = write_file(home / ".codex/config.toml", 'model = "mine"\n')
    hooks = write_file(home / ".codex/hooks.json", '{"hooks": {"Stop": []}, "description": "mine"}')
    before = all_of(home)
    here.run("install", "codex", "--yes")
    if changed:
        for path in (config, hooks):
            path.write_text(path.read_text().replace("mine", "edited"))
    said = here.run("install", "codex", "--yes", CODEX_HOME=str(home / "elsewhere"))
    assert (said.code, said.err) == (0, "")
    left = {name: data for name, data in all_of(home).items() if not name.startswith("elsewhere")}
    if changed:
        assert (config.read_text(), json.loads(hooks.read_text())["description"]) == (
            'model = "edited"\n',
            "edited",
        )
        assert "loopwright" not in hooks.read_text()
    else:
        assert left == before
    here.run("uninstall", "codex", "--yes", CODEX_HOME=str(home / "elsewhere"))
    assert all_of(home) == left


def test_the_settings_of_droid_stay_when_its_hooks_get_a_file_of_their_own(
    here: Project, home: Path
) -> None:
    settings = write_file(home / ".factory/settings.json", '{"model": "mine"}')
    here.run("install", "droid", "--yes")
    hooks = write_file(home / ".factory/hooks.json", "{}")
    here.run("install", "droid", "--yes")
    assert settings.read_text() == '{"model": "mine"}'
    assert "loopwright" in hooks.read_text()
    here.run("uninstall", "droid", "--yes")
    assert (settings.read_text(), hooks.read_text()) == ('{"model": "mine"}', "{}")


def test_what_was_added_in_a_folder_that_no_variable_names_any_more_stays(
    here: Project, home: Path
) -> None:
    moved = home / "elsewhere"
    here.run("install", "codex", "--yes", CODEX_HOME=str(moved))
    hooks = moved / "hooks.json"
    registered = json.loads(hooks.read_text())
    registered["hooks"]["Stop"].insert(0, {"hooks": [{"type": "command", "command": "theirs"}]})
    hooks.write_text(json.dumps(registered))
    here.run("uninstall", "codex", "--yes")
    assert json.loads(hooks.read_text()) == {"hooks": {"Stop": registered["hooks"]["Stop"][:1]}}


def test_a_hook_that_another_put_beside_ours_in_one_group_stays(here: Project, home: Path) -> None:
    here.run("install", "gemini", "--yes")
    path = home / ".gemini/settings.json"
    registered = json.loads(path.read_text())
    registered["hooks"]["AfterAgent"][0]["hooks"].insert(0, {"command": "theirs"})
    path.write_text(json.dumps(registered))
    here.run("uninstall", "gemini", "--yes")
    (group,) = json.loads(path.read_text())["hooks"]["AfterAgent"]
    assert group["hooks"] == [{"command": "theirs"}]


@pytest.mark.parametrize("host", ["codex", "gemini", "cursor", "copilot"])
def test_nothing_of_ours_is_left_after_an_update_of_a_file_that_the_person_has_changed(
    here: Project, home: Path, host: str
) -> None:
    before = all_of(home)
    here.run("install", host, "--yes")
    path = Path(hook_file(wired_hosts()[host])[1])
    path.write_text(path.read_text().replace("3600", "60") + "\n")
    assert "our hook is registered. " in here.run("install", host, "--yes").out
    here.run("uninstall", host, "--yes")
    assert not any(b"loopwright" in (data or b"") for data in all_of(home).values())
    assert all_of(home) == before


def test_a_page_that_the_person_has_written_anew_stays(here: Project, home: Path) -> None:
    here.run("install", "gemini", "--yes")
    page = write_file(home / ".gemini/commands/loop/why.toml", 'prompt = "my own"\n')
    said = here.run("uninstall", "gemini", "--yes").out
    assert f"kept, because it was changed since: {page}\n" in said
    assert page.read_text() == 'prompt = "my own"\n'
    assert [path.name for path in page.parent.iterdir()] == ["why.toml"]


def test_a_file_that_we_made_keeps_its_version_for_the_hook_of_another(
    here: Project, home: Path
) -> None:
    here.run("install", "cursor", "--yes")
    path = home / ".cursor/hooks.json"
    path.write_text(path.read_text().replace('"stop": [', '"stop": [{"command": "mine"},'))
    here.run("uninstall", "cursor", "--yes")
    assert json.loads(path.read_text()) == {"version": 1, "hooks": {"stop": [{"command": "mine"}]}}


def test_folders_that_two_clients_share_go_with_the_last(here: Project, home: Path) -> None:
    before = all_of(home)
    here.run("install", "copilot", "vscode", "opencode", "amp", "--yes")
    here.run("uninstall", "--all", "--yes")
    assert all_of(home) == before


# --- options, folders and switches ---


def test_remove_removes_and_project_is_refused(here: Project, home: Path) -> None:
    refused = here.run("install", "codex", "--project", "--yes")
    assert "leave --project out" in refused.err
    assert all_of(home).keys() <= {".codex"}
    here.run("install", "codex", "codex", "--yes")
    said = here.run("install", "codex", "--remove", "--yes")
    assert "✓ codex: our hook is removed" in said.out
    assert not (home / ".codex").exists()
    assert here.run("install", "--all", "--remove", "--yes").out == "No client has our hook.\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("install", "acp"), "Drive it: loop run --agent acp:COMMAND"),
        (("install", "goose"), "Drive it: loop run --agent goose"),
        (("install", "Codex"), "did you mean codex?"),
        (("run", "--agent", "droid"), "Hold its sessions instead: loop install droid"),
        (("run", "--agent", "Gemini"), "did you mean gemini?"),
    ],
)
def test_a_client_that_cannot_do_it_is_named_with_what_can(
    here: Project, home: Path, words: tuple[str, ...], says: str
) -> None:
    assert says in here.run(*words).err


@pytest.mark.parametrize(
    ("host", "variable", "file"),
    [
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("qwen", "QWEN_HOME", "settings.json"),
        ("codex", "CODEX_HOME", "hooks.json"),
        ("copilot", "COPILOT_HOME", "hooks/loopwright.json"),
    ],
)
def test_the_folder_that_the_client_itself_reads_is_used(
    here: Project, home: Path, host: str, variable: str, file: str
) -> None:
    moved = home / "elsewhere"
    here.run("install", host, "--yes", **{variable: str(moved)})
    assert "loopwright" in (moved / file).read_text()
    here.run("uninstall", host, "--yes")  # without the variable
    assert not moved.exists()


@pytest.mark.parametrize(
    ("host", "file", "text", "says"),
    [
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "features.hooks is false"),
        ("codex", ".codex/hooks.json", '{"theme": 1}', "has theme, which codex does not take"),
        ("codex", ".codex/hooks.json", "{} // mine", "is not plain JSON"),
        (
            "gemini",
            ".gemini/settings.json",
            '{"hooksConfig": {"enabled": false}}',
            "hooksConfig.enabled is false",
        ),
        (
            "gemini",
            ".gemini/settings.json",
            '{"hooksConfig": {"disabled": ["loopwright"]}}',
            "hooksConfig.disabled names loopwright",
        ),
        ("qwen", ".qwen/settings.json", '{"disableAllHooks": true}', "disableAllHooks is true"),
        (
            "copilot",
            ".copilot/settings.json",
            '{"disableAllHooks": true}',
            "disableAllHooks is true",
        ),
    ],
)
def test_a_client_whose_hooks_are_off_is_named(
    here: Project, home: Path, host: str, file: str, text: str, says: str
) -> None:
    write_file(home / file, text)
    said = here.run("install", host, "--yes").out
    assert f"! {host} runs no hook: " in said
    assert says in said
    assert says in switched_off(wired_hosts()[host])


def test_a_cap_that_the_person_has_set_is_the_one_that_we_keep_to(
    here: Project, home: Path
) -> None:
    path = write_file(home / ".qwen/settings.json", '{"stopHookBlockingCap": 20}')
    here.run("install", "qwen", "--yes")
    assert registered_command(*hook_file(wired_hosts()["qwen"])).endswith(" qwen --cap 20")
    path.write_text(path.read_text().replace('"stopHookBlockingCap": 20', '"x": 1'))
    here.run("install", "qwen", "--yes")
    assert registered_command(*hook_file(wired_hosts()["qwen"])).endswith(" qwen --cap 100")


# --- events ---

TELLS_NO_MESSAGE = ("copilot", "cursor", "amp")


@pytest.mark.parametrize("host", TELLS_NO_MESSAGE)
def test_a_second_session_is_not_held_to_say_that_it_is_the_second(
    claimed_project: Project, host: str
) -> None:
    assert send(host, "stop", claimed_project, "Working.").out
    name = {"copilot": "sessionId", "cursor": "conversation_id"}.get(host, "session_id")
    assert send(host, "stop", claimed_project, "Hello.", **{name: OTHER}).out == ""


def test_a_hook_of_another_client_leaves_copilot_to_its_own(claimed_project: Project) -> None:
    copilot = {"COPILOT_CLI": "1"}
    event = {"session_id": SESSION, "timestamp": "2026-11-16T10:00:00.000Z"}
    assert send("vscode", "stop", claimed_project, env=copilot, **event).out == ""
    said = send("copilot", "stop", claimed_project, env=copilot).reply["reason"]
    words = {**event, "hook_event_name": "UserPromptSubmit", "prompt": said}
    assert send("vscode", "stop", claimed_project, env=copilot, **words).out == ""
    assert (claimed_project.loop.spend.iterations, claimed_project.loop.waits_for_person) == (
        1,
        False,
    )


def test_who_takes_a_paused_loop_is_told_that_it_is_paused(claimed_project: Project) -> None:
    claimed_project.run("pause")
    said = send("opencode", "stop", claimed_project, "Hello.").message
    assert "now drives the loop" in said
    assert "It is paused: `loop continue`. Not this one? `loop detach`" in said


def test_copilot_calls_the_hook_of_vs_code_after_its_own_and_the_stop_counts_once(
    claimed_project: Project,
) -> None:
    for number in range(3):
        (claimed_project.root / "readme.md").write_text(f"{number}\n")
        at = time.time_ns() // 1_000_000 + number
        iso = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at // 1000)) + f".{at % 1000:03d}Z"
        first = send("copilot", "stop", claimed_project, timestamp=at, stop_hook_active=number > 0)
        second = {"session_id": SESSION, "hook_event_name": "Stop", "timestamp": iso}
        assert send("vscode", "stop", claimed_project, **second).out == first.out != ""
    assert claimed_project.loop.spend.iterations == 3


def test_the_command_that_continues_at_a_cap_names_an_agent_that_a_runner_can_drive() -> None:
    capped = [name for name in HOST_NAMES if load_about(name).cap]
    assert set(NOT_DRIVEN) == {name for name in capped if name not in AGENT_NAMES}
    assert "`loop run --attach --yes --continue`; or here" in hold_cap_reason("junie", 7, 7)


def test_amp_is_paused_before_the_cap_that_our_plugin_asks_for(claimed_project: Project) -> None:
    plugin = (Path(HOOK_SCRIPT).parents[1] / "plugin/amp.ts").read_text(encoding="utf-8")
    assert f"const MOST_MESSAGES = {load_wire('amp').cap}\n" in plugin
    assert load_wire("amp").cap == load_about("amp").cap
    send("amp", "stop", claimed_project, "One.")
    (claimed_project.root / "readme.md").write_text("more\n")
    send("amp", "stop", claimed_project, "Two.", stop_hook_active=True)
    assert (claimed_project.loop.streak.held, claimed_project.loop.streak.hold_cap) == (2, 49)


def test_the_stop_of_the_doctor_has_no_session_where_the_client_names_none(tmp_path: Path) -> None:
    sent = synthetic_stop(wired_hosts()["junie"], str(tmp_path))
    assert not {"session_id", "sessionId", "cwd"} & set(sent)
    assert synthetic_stop(wired_hosts()["cursor"], str(tmp_path))["conversation_id"] == "doctor"


ODD_EVENTS = {
    "empty": b"",
    "a word": b"hello",
    "a list": b"[]",
    "cut": b'{"session_id": "a", "cwd":',
    "no UTF-8": b'{"session_id": "\xff", "cwd": "\xe9"}',
    "deep": b'{"session_id":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "a huge number": b'{"session_id":' + b"9" * 6000 + b"}",
}


def test_an_event_that_cannot_be_read_allows_the_stop(claimed_project: Project) -> None:
    for data in ODD_EVENTS.values():
        done = subprocess.run(
            [sys.executable, "-I", "-S", HOOK_SCRIPT, "codex"],
            input=data,
            cwd=claimed_project.root,
            capture_output=True,
            timeout=600,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, b"")
        assert "could not be read from stdin, so the stop is allowed" in done.stdout.decode()
        assert "decision" not in json.loads(done.stdout)
        assert claimed_project.loop.spend.iterations == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"costs": [["a", "b"], 5, [1], [None, None], [1, {}]], "tools": [1, [None, {}, []]]},
        {"costs": "x", "tools": {"a": 1}, "prompt_id": 7},
        {"session_id": "\ud800", "last_assistant_message": "\udfff"},
        {"last_assistant_message": {"a": 1}, "timestamp": {}, "transcript_path": []},
    ],
)
def test_fields_of_other_types_are_no_error_of_ours(claimed_project: Project, fields: Any) -> None:
    said = send("opencode", "stop", claimed_project, "Working.", **fields)
    assert "docs read well" in said.reply["reason"]
    assert not list((claimed_project.root / ".loop/crash").glob("*"))


# --- words of MCP and ACP ---


def test_an_agent_whose_library_is_not_here_is_not_here(
    here: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    said = here.run("agents", PATH="/usr/bin:/bin").out
    assert "\nacp       no " in said
    assert "  acp: pip install 'loopwright[acp]'\n" in said


@pytest.mark.parametrize(
    ("text", "says"),
    [("hello", "no value at position 0"), ("[" * 100_000, "it is nested too deeply")],
)
def test_what_is_not_json_is_said_in_words(text: str, says: str) -> None:
    with pytest.raises(JSONError, match=says):
        loads(text)


def test_a_list_of_numbers_is_told_what_the_list_must_hold() -> None:
    with pytest.raises(WrongArguments, match="of type array of strings"):
        command_words(TOOLS["loop_check"], {"names": [5]})


def test_an_answer_that_is_not_of_acp_is_said_in_one_line() -> None:
    class FieldProblem(ValueError):
        def errors(self) -> list[dict[str, Any]]:
            return [{"loc": ("stopReason",), "msg": "Input should be 'end_turn'"}]

    said = value_problem(FieldProblem())
    assert said == "the agent's answer is not as ACP has it: stopReason: Input should be 'end_turn'"
