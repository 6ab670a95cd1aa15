"""`loop install CLIENT`: every change is shown, others' entries stay byte for byte, and all of it can be undone."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from loopwright.cli import exits
from loopwright.drive.clients.host_files import hook_file, wired_hosts
from tests.support.project import Project
from tests.support.runner import write_fake_agent

HOSTS = tuple(wired_hosts())
SHARED = {
    "codex": '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}',
    "gemini": '{\n  // my theme\n  "ui": {"theme": "GitHub"},\n  "hooks": {\n    "AfterAgent": [],\n  },\n}\n',
    "qwen": '{"stopHookBlockingCap": 20}\n',
    "cursor": '{"version": 1, "hooks": {"stop": [{"command": "mine"}], "sessionEnd": [{"command": "x"}]}}',
    "droid": '{"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}',
    "junie": '{"model": "x"}',
}


@pytest.fixture
def home() -> Path:
    return Path(os.environ["HOME"])


@pytest.fixture(autouse=True)
def config_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("PATH", "/usr/bin:/bin")


def path_of(host: str) -> Path:
    return Path(hook_file(wired_hosts()[host])[1])


def write_shared(host: str) -> Path:
    path = path_of(host)
    if host == "droid":
        path = path.with_name("hooks.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(SHARED[host].encode())
    return path


def all_files(home: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and "/state/" not in str(path)
    }


@pytest.mark.parametrize("host", HOSTS)
def test_installing_and_removing_leaves_every_file_as_it_was(
    here: Project, home: Path, host: str
) -> None:
    if host in SHARED:
        write_shared(host)
    before, folders = all_files(home), sorted(map(str, home.rglob("*")))
    said = here.run("install", host, "--yes")

    assert said.code == 0, said.err
    assert f"✓ {host}: our hook is registered" in said.out
    assert "hook/__main__.py" in path_of(host).read_text()
    assert f"✓ {host}: our hook is registered already" in here.run("install", host, "--yes").out
    here.run("uninstall", host, "--yes")
    assert all_files(home) == before
    left = {path for path in map(str, home.rglob("*")) if "/state" not in path}
    assert left - {str(home / ".local")} <= set(folders)


@pytest.mark.parametrize("host", SHARED)
def test_what_others_registered_stays_and_comes_first(here: Project, host: str) -> None:
    path = write_shared(host)
    here.run("install", host, "--yes")
    rest = iter(path.read_text())

    assert all(character in rest for character in SHARED[host])
    if "mine" in SHARED[host]:
        assert path.read_text().index("mine") < path.read_text().index("__main__.py")


@pytest.mark.parametrize("host", SHARED)
def test_of_a_file_that_was_changed_since_only_our_entries_are_cut(
    here: Project, host: str
) -> None:
    path = write_shared(host)
    here.run("install", host, "--yes")
    path.write_text(path.read_text().rstrip() + "\n\n")
    here.run("uninstall", host, "--yes")

    assert "loopwright" not in path.read_text()
    for word in ("mine", "theme", "stopHookBlockingCap", "model"):
        assert (word in path.read_text()) == (word in SHARED[host])


def test_the_change_is_shown_and_needs_a_yes(here: Project) -> None:
    path = write_shared("gemini")
    said = here.run("install", "gemini")

    assert '+    "AfterAgent": [' in said.out or "+      {" in said.out
    assert "nobody is here to agree" in said.err
    assert path.read_text() == SHARED["gemini"]


def test_a_file_that_we_cannot_read_is_left_alone(here: Project) -> None:
    path = write_shared("qwen")
    path.write_text("{not json")
    said = here.run("install", "qwen", "--yes")

    assert "cannot be edited" in said.err
    assert "line 1" in said.err
    assert path.read_text() == "{not json"


def test_a_link_stays_a_link_and_the_file_keeps_its_mode(here: Project, home: Path) -> None:
    path = write_shared("gemini")
    target = home / "dotfiles.json"
    path.rename(target)
    target.chmod(0o600)
    path.symlink_to(target)
    here.run("install", "gemini", "--yes")

    assert path.is_symlink()
    assert "__main__.py" in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o600


def test_every_client_that_is_here_is_found(here: Project, home: Path) -> None:
    for name in (".codex", ".qwen"):
        (home / name).mkdir()
    said = here.run("install", "--all", "--yes")

    assert [line.split()[1] for line in said.out.splitlines() if line.startswith("✓")] == [
        *("codex:", "qwen:")
    ]
    assert "✓ qwen: our hook is removed" in here.run("uninstall", "--all", "--yes").out
    assert here.run("uninstall", "--all", "--yes").out == "No client has our hook.\n"


def test_a_client_that_nothing_holds_is_named_with_the_way_out(here: Project) -> None:
    assert "Drive it: loop run --agent goose" in here.run("install", "goose").err
    assert "no client 'emacs'; there are claude, codex" in here.run("install", "emacs").err
    assert "no client 'Codx'; did you mean codex?" in here.run("install", "Codx").err
    assert here.run("install", "emacs").code == exits.USAGE


def test_a_file_that_cannot_be_read_stays_and_the_other_clients_do_not_wait(here: Project) -> None:
    broken = Path(os.environ["HOME"], ".gemini/settings.json")
    broken.parent.mkdir()
    broken.write_text("{ broken")

    alone, both = (
        here.run("install", *names, "--yes") for names in (["gemini"], ["gemini", "qwen"])
    )

    assert (alone.code, both.code) == (1, 1)
    assert "settings.json cannot be edited" in alone.err
    assert "✓ qwen: our hook is registered" in both.out
    assert "settings.json cannot be edited" in here.run("uninstall", "gemini", "--yes").err
    assert broken.read_text() == "{ broken"


def test_uninstall_without_a_name_says_who_has_our_hook(here: Project) -> None:
    none = here.run("uninstall").err
    here.run("install", "qwen", "--yes")

    assert "say which client, or --all. Clients with our hook: none" in none
    assert "Clients with our hook: qwen" in here.run("uninstall").err


def test_claude_code_installs_the_plugin_by_its_own_commands(
    here: Project, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", write_fake_agent(here, "claude", "print(*sys.argv[1:])"))
    said = here.run("install", "claude", "--yes")

    assert said.code == 0, said.err
    assert "claude plugin marketplace add" in said.out
    assert "plugin install loop@loopwright\n" in capfd.readouterr().out
    assert "plugin uninstall loop@loopwright" in here.run("uninstall", "claude", "--yes").out


def test_the_doctor_sends_a_stop_through_each_wiring(here: Project) -> None:
    for host in ("codex", "cursor"):
        here.run("install", host, "--yes")
    said = here.run("doctor").out

    assert "✓ codex trusts our hook" in said
    answer = '{"decision":"block","reason":"unmet criteria: done'
    assert f"✓ codex: a stop was sent through its wiring; our answer: {answer}" in said
    assert '✓ cursor: a stop was sent through its wiring; our answer: {"followup_message":' in said


def test_the_doctor_says_what_is_broken(here: Project, home: Path) -> None:
    here.run("install", "codex", "--yes")
    (home / ".codex/config.toml").write_text("")
    hooks = home / ".codex/hooks.json"
    hooks.write_text(hooks.read_text().replace("__main__.py codex", "__main__.py nobody"))
    (home / ".gemini").mkdir()
    said = here.run("doctor").out

    assert "✗ codex does not trust our hook, and skips it without a word" in said
    assert "✗ codex: a stop is not held; our hook said: nothing" in said
    assert "! gemini is here without our hook" in said
    assert "    fix: loop install gemini" in said


def test_the_trust_of_codex_is_the_hash_that_codex_computes(here: Project, home: Path) -> None:
    """The value was compared with `hooks/list` of Codex 0.166."""
    from loopwright.agents.wiring import trust_hash

    hook = {"type": "command", "command": "/abs/loop-hook --host codex", "timeout": 600}
    assert trust_hash("Stop", {**hook, "statusMessage": "checking"}) == (
        "sha256:c488387d658f603138ab1d6b5f2864fa1e2276608b27e0e14de09c40487d2126"
    )


def test_the_pages_of_our_commands_are_in_the_format_of_the_client(
    here: Project, home: Path
) -> None:
    import tomllib

    for host in ("gemini", "qwen", "codex", "copilot", "opencode", "cursor"):
        here.run("install", host, "--yes")
    status = tomllib.loads((home / ".gemini/commands/loop/status.toml").read_text())
    start = tomllib.loads((home / ".gemini/commands/loop/start.toml").read_text())

    assert status["prompt"] == "/loop:status {{args}}\n"
    assert "The person's words: {{args}}" in start["prompt"]
    assert "CLAUDE_PLUGIN_ROOT" not in start["prompt"]
    assert (home / ".qwen/commands/loop/pause.md").read_text().endswith("/loop:pause {{args}}\n")
    skill = (home / ".codex/skills/loop-start/SKILL.md").read_text()
    assert skill.startswith("---\nname: loop-start\ndescription: ")
    assert "/loop:" not in skill
    assert not (home / ".codex/skills/loop-status").exists()  # typed as `loop status`
    assert (
        "!`loop status $ARGUMENTS`"
        in (home / ".config/opencode/command/loop-status.md").read_text()
    )
    assert (home / ".cursor/commands/loop-start.md").exists()
    assert (
        json.loads((home / ".cursor/hooks.json").read_text())["hooks"]["stop"][0]["loop_limit"]
        is None
    )
