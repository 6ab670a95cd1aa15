"""What each backend makes of a box: words, a profile text, settings. Engines are stand-ins on the PATH."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.sandbox.backends import bwrap, container, seatbelt, srt
from loopwright.sandbox.backends.syscalls import filter_program
from loopwright.sandbox.choose import (
    NAMES,
    Sandbox,
    SandboxUnavailable,
    choose_sandbox,
    launcher_words,
)
from loopwright.sandbox.mounts import COPY, EMPTY, MASK, SHOW, WRITE, Box, Mount
from tests.sandbox.user import needs_bwrap

pytestmark = pytest.mark.sandbox

MOUNTS = (
    Mount(EMPTY, "/home/me"),
    Mount(SHOW, "/home/me/.cargo/bin"),
    Mount(WRITE, "/home/me/code"),
    Mount(SHOW, "/home/me/code/.git/config"),
    Mount(MASK, "/home/me/code/.netrc"),
)
BOX = Box(profile="agent", root="/home/me/code")


def stand_in(folder: Path, name: str, monkeypatch: pytest.MonkeyPatch, text: str = "") -> Path:
    """A program of this name on the PATH that writes down its words and runs nothing."""
    path, log = folder / "engines" / name, folder / f"{name}.words"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {log}\n{text}\n')
    path.chmod(0o755)
    monkeypatch.setenv("PATH", str(path.parent), prepend=os.pathsep)
    return log


def make_project(folder: Path) -> Path:
    """A project beside the stand-ins: no program of the project itself is used."""
    root = folder / "project"
    root.mkdir()
    return root


def after(words: list[str] | tuple[str, ...], word: str) -> list[str]:
    return [words[n + 1] for n, other in enumerate(words) if other == word]


def test_bwrap_mounts_in_order_and_ends_with_its_parent():
    words = bwrap.launcher_words(BOX, MOUNTS, ("proc",))

    assert {"--die-with-parent", "--new-session", "--unshare-pid"} <= set(words)
    assert "--unshare-net" not in words
    tmpfs, project, config = (
        words.index(path) for path in ("/home/me", "/home/me/code", MOUNTS[3].path)
    )
    assert tmpfs < project < config
    assert words[config - 1] == "--ro-bind"
    assert after(words, "--chdir") == ["/home/me/code"]
    assert "SSH_AUTH_SOCK" in after(words, "--unsetenv")


def test_bwrap_without_network_has_a_namespace_and_filters_system_calls_too():
    words = bwrap.launcher_words(BOX.but(network=False), MOUNTS, ("proc",))

    assert "--unshare-net" in words
    assert words[-1] == filter_program(os.uname().machine).hex()


def test_bwrap_makes_private_copies_where_its_version_can():
    words = bwrap.launcher_words(BOX, (Mount(COPY, "/home/me/.npm"),), ("proc", "copy"))

    assert after(words, "--tmp-overlay") == ["/home/me/.npm"]


def test_root_keeps_only_the_rights_that_files_of_others_need(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)

    words = bwrap.base_words("bwrap")

    assert after(words, "--cap-drop") == ["ALL"]
    assert "CAP_SYS_ADMIN" not in words


def test_the_profile_of_sandbox_exec_denies_writes_and_orders_its_rules():
    text = seatbelt.profile_text(BOX.but(network=False), MOUNTS)

    rules = text.splitlines()
    assert rules[0] == "(version 1)"
    assert "(deny file-write*)" in rules
    assert "(deny network*)" in rules
    home = rules.index('(deny file-read* file-write* (subpath "/home/me"))')
    project = rules.index('(allow file-read* file-write* (subpath "/home/me/code"))')
    config = rules.index('(deny file-write* (subpath "/home/me/code/.git/config"))')
    assert home < project < config


def test_sandbox_exec_gets_the_profile_as_a_word():
    assert seatbelt.launcher_words(BOX, MOUNTS, ())[:2] == ("sandbox-exec", "-p")


def test_srt_reads_settings_that_deny_and_allow(monkeypatch):
    settings = json.loads(srt.settings_text(BOX, MOUNTS))

    files = settings["filesystem"]
    assert files["denyRead"] == ["/home/me", "/home/me/code/.netrc"]
    assert "/home/me/.cargo/bin" in files["allowRead"]
    assert files["allowWrite"][0] == "/home/me/code"
    assert "/home/me/code/.git/config" in files["denyWrite"]
    assert "api.anthropic.com" in settings["network"]["allowedDomains"]
    closed = json.loads(srt.settings_text(BOX.but(network=False), MOUNTS))
    assert closed["network"]["allowedDomains"] == []


def test_srt_is_started_with_a_settings_file_of_ours(tmp_path, monkeypatch):
    log = stand_in(tmp_path, "srt", monkeypatch)
    root = make_project(tmp_path)
    sandbox = choose_sandbox("srt", str(root))

    words = launcher_words(sandbox, Box(profile="agent", root=str(root)))
    subprocess.run([*words, "true"], check=True)

    said = log.read_text().split()
    assert said[0] == "--settings"
    assert json.loads(Path(said[1]).read_text())["filesystem"]["allowWrite"][0] == str(root)
    assert said[2:] == ["--", "true"]


@pytest.mark.parametrize("engine", ["docker", "podman"])
def test_an_engine_mounts_the_project_and_keeps_the_user(tmp_path, monkeypatch, engine):
    log = stand_in(tmp_path, engine, monkeypatch)
    root = tmp_path / "code"
    (root / ".git/hooks").mkdir(parents=True)
    (root / ".loop/inbox").mkdir(parents=True)
    sandbox = choose_sandbox(f"{engine}:python:3.12", str(root))
    environment = {"ANTHROPIC_API_KEY": "secret", "HOME": "/home/me", "SHELL": "/bin/zsh"}

    box = Box(profile="agent", root=str(root), network=False)
    words = launcher_words(sandbox, box, environment)
    subprocess.run([*words, "claude", "-p"], check=True)

    said = log.read_text().split("\n")
    volumes = after(said, "--volume")
    assert f"{root}:{root}" in volumes
    assert f"{root}/.git/hooks:{root}/.git/hooks:ro" in volumes
    assert f"{root}/.loop:{root}/.loop:ro" in volumes
    assert f"{root}/.loop/inbox:{root}/.loop/inbox" in volumes
    assert volumes.index(f"{root}/.loop:{root}/.loop:ro") < volumes.index(
        f"{root}/.loop/inbox:{root}/.loop/inbox"
    )
    assert not [v for v in volumes if os.environ["HOME"] in v.split(":")]
    assert after(said, "--user") == [f"{os.getuid()}:{os.getgid()}"]
    assert after(said, "--network") == ["none"]
    assert after(said, "--env") == ["ANTHROPIC_API_KEY"]
    assert "secret" not in log.read_text()
    assert said[-4:-1] == ["python:3.12", "claude", "-p"]


def test_the_image_of_a_dev_container_is_used(tmp_path, monkeypatch):
    stand_in(tmp_path, "docker", monkeypatch)
    folder = tmp_path / ".devcontainer"
    folder.mkdir()
    (folder / "devcontainer.json").write_text(
        '{\n  // the base\n  "image": "mcr.example/base:1", /* x */\n  "features": {},\n}\n'
    )

    assert choose_sandbox("docker", str(tmp_path)).argument == "mcr.example/base:1"


def test_the_dev_container_program_gets_the_folder(tmp_path, monkeypatch):
    log = stand_in(tmp_path, "devcontainer", monkeypatch)
    root = make_project(tmp_path)
    (root / ".devcontainer.json").write_text("{}")

    sandbox = choose_sandbox("devcontainer", str(root))
    words = launcher_words(sandbox, Box(profile="check", root=str(root)))
    subprocess.run([*words, "make", "test"], check=True)

    assert log.read_text().split() == ["exec", "--workspace-folder", str(root), "make", "test"]


@pytest.mark.parametrize(
    ("wish", "words"),
    [
        ("docker", "docker is not installed"),
        ("podman:x", "podman is not installed"),
        ("srt", "srt is not installed"),
        ("no-such-program --x", "no-such-program is not installed"),
        ("unclosed 'quote", "cannot be read"),
    ],
)
def test_a_sandbox_that_was_asked_for_and_is_missing_is_an_error(
    wish, words, tmp_path, monkeypatch
):
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(SandboxUnavailable, match=words) as caught:
        choose_sandbox(wish, str(tmp_path))
    assert "--sandbox off" in str(caught.value)


def test_docker_without_an_image_asks_for_one(tmp_path, monkeypatch):
    stand_in(tmp_path, "docker", monkeypatch)

    with pytest.raises(SandboxUnavailable, match="which image"):
        choose_sandbox("docker", str(tmp_path))


def test_auto_without_a_sandbox_says_why(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox = choose_sandbox("auto", str(tmp_path))

    assert not sandbox.is_on
    assert "bubblewrap is not installed" in sandbox.why or sys.platform != "linux"
    assert launcher_words(sandbox, BOX) == ()


def test_a_bwrap_that_does_not_work_is_named_with_its_words(tmp_path, monkeypatch):
    stand_in(
        tmp_path, "bwrap", monkeypatch, 'echo "No permissions to create namespace" >&2; exit 1'
    )
    sandbox = choose_sandbox("auto", "/elsewhere")

    assert not sandbox.is_on
    assert "No permissions to create namespace" in sandbox.why


def test_a_bwrap_in_the_project_is_never_used(tmp_path, monkeypatch):
    stand_in(tmp_path, "bwrap", monkeypatch)

    assert not bwrap.program_path(str(tmp_path)).startswith(str(tmp_path))


@needs_bwrap
def test_auto_uses_bubblewrap_where_it_works(tmp_path):
    assert choose_sandbox("auto", str(tmp_path)).backend == "bwrap"


def test_a_command_of_the_person_knows_the_project(tmp_path):
    sandbox = choose_sandbox("env ROOT={root}", str(tmp_path))

    words = launcher_words(sandbox, Box(profile="agent", root=str(tmp_path)))

    assert words == (shutil.which("env"), f"ROOT={tmp_path}")


def test_every_name_is_known():
    assert {"auto", "bwrap", "srt", "docker", "podman", "off"} <= set(NAMES)
    assert Sandbox("docker", "x").label == "docker:x"
    assert container.INSTALL.keys() == {"docker", "podman", "devcontainer"}


@pytest.mark.parametrize(
    ("name", "value", "typed"),
    [
        ("user/max_user_namespaces", "0", "sudo sysctl -w user.max_user_namespaces=15000"),
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "userns=0, or an AppArmor profile"),
        ("user/max_user_namespaces", "96000", ""),
        ("kernel/unprivileged_userns_clone", "1", ""),
        ("kernel/apparmor_restrict_unprivileged_userns", "0", ""),
    ],
)
def test_where_user_namespaces_are_off_the_way_out_is_named(tmp_path, name, value, typed):
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text(f"{value}\n")

    remedy = bwrap.namespace_remedy(str(tmp_path))

    assert typed in remedy
    assert bool(typed) == bool(remedy)
    assert (name.replace("/", ".") in remedy) == bool(typed)
