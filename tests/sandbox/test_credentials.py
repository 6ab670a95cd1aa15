"""Logins and tokens of a person's tools: none can be read inside, and the tools beside them can."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from loopwright.sandbox import credentials
from loopwright.sandbox.git_paths import GitPaths
from loopwright.sandbox.mounts import MASK, SHOW, Box, Mount, plan_mounts
from loopwright.sandbox.places import find_places, program_paths
from tests.sandbox.user import ORDINARY_USER, as_ordinary_user, needs_bwrap, system_python
from tests.support.files import write_file

pytestmark = pytest.mark.sandbox
TOKEN = "token-0123456789abcdef"
# What a tool needs, beside the places of logins.
TOOLS = (
    *(".cargo/bin/tool", ".gem/ruby/3.1.0/gems/x", ".ivy2/cache/x.jar", ".dotnet/sdk/x"),
    *(".pub-cache/hosted/x", ".local/share/uv/tools/x", ".opam/default/bin/x", ".deno/bin/x"),
    *(".m2/repository/x.jar", ".gradle/wrapper/x", ".conda/envs/x", ".bun/bin/x"),
)
# Files that no list names, in folders that are shown.
UNNAMED = (
    *(".unknown/credentials.json", ".unknown/auth.toml", ".unknown/.netrc", ".rbenv/token"),
    *("go/src/private/code.go", ".config/other/file", ".bun/token", ".pyenv/secrets.yaml"),
)
SETTINGS = {
    ".gitconfig": '[user]\n\tname = me\n[url "https://{token}@example.org/"]\n\tinsteadOf = x:\n'
    "[github]\n\ttoken = {token}\n[http]\n\textraHeader = AUTHORIZATION: basic {token}\n"
    "[sendemail]\n\tsmtpPass = {token}\n",
    ".cargo/config.toml": '[build]\njobs = 2\n[registries.own]\ntoken = "{token}"\n'
    '[http]\nproxy = "me:{token}@own.org:1"\n[env]\nMY_API_KEY = "{token}"\n',
    ".pyenv/versions/3.12/pip.conf": "[global]\ntimeout = 9\nindex-url = https://m:{token}@o.org\n",
    ".rbenv/.git/config": "[core]\n\tbare = false\n[remote]\n\turl = https://x:{token}@own.org/x\n",
    ".asdf/.env": "# settings\nEDITOR=vi\nAPI_KEY={token}\nSSHPASS={token}\n",
    ".cargo/git/db/x/config": "[core]\n\tbare = true\n[remote]\n\turl = https://x:{token}@o.org/x\n",
    ".nvm/versions/node/v20/etc/npmrc": "fund=false\n//registry.own.org/:_authToken={token}\n",
    ".unknown/pip.conf": "[global]\ntimeout = 9\nindex-url = https://me:{token}@own.org/simple\n",
    "miniconda3/.condarc": "ssl_verify: true\nchannels:\n  - https://own.org:{token}@own.org/x\n",
}
START = r"""
import json, sys
sys.path.insert(0, sys.argv[1])
from loopwright.sandbox.choose import choose_sandbox, launcher_words
from loopwright.sandbox.mounts import Box
box = Box(profile=sys.argv[2], root=sys.argv[3], network=False)
print(json.dumps(launcher_words(choose_sandbox("bwrap", sys.argv[3]), box)))
"""
LOOK = r"""
import os, sys
home, token = sys.argv[1:]
for folder, _, names in os.walk(home):
    for path in (os.path.join(folder, name) for name in names):
        try:
            text = open(path, errors="replace").read()
        except OSError:
            continue
        print("TOKEN" if token in text else "SEEN", os.path.relpath(path, home))
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which every place of our lists has a file."""
    home = tmp_path / "home"
    for name in (*credentials.HIDDEN_PLACES.split(), *credentials.SETTINGS_PLACES.split()):
        write_place(home / name.replace("*", "x"), TOKEN)
    for name in UNNAMED:
        write_place(home / name, TOKEN)
    for name in TOOLS:
        write_place(home / name, "a tool")
    for name, text in SETTINGS.items():
        write_place(home / name, text.replace("{token}", TOKEN))
    (home / ".unknown/bin").mkdir()
    (home / ".unknown/lib").mkdir()
    (home / "code").mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "state").mkdir()
    monkeypatch.setenv("GOPATH", str(home / "go"))
    monkeypatch.setenv("BUN_INSTALL", str(home / ".bun"))
    unusual = (home, home / ".config", home / ".unknown/bin", home / ".dotnet")
    monkeypatch.setenv("PATH", ":".join(map(str, unusual)), prepend=os.pathsep)
    return home


def write_place(path: Path, text: str) -> None:
    """A place may be the folder of another one, which is there already."""
    if not path.is_dir():
        write_file(path, text)


@needs_bwrap
@pytest.mark.parametrize("is_root", [True, False], ids=["as root", "as an ordinary user"])
@pytest.mark.parametrize("profile", ["agent", "check"])
def test_no_token_of_the_home_can_be_read_and_the_tools_can(home, profile, is_root):
    python, before = sys.executable, []
    if not is_root:
        if os.getuid():
            pytest.skip("only root can become another user")
        python, before = system_python(), ORDINARY_USER.split()
        as_ordinary_user(home.parent)
    source, root = str(Path(__file__).parents[2] / "src"), str(home / "code")
    start = [*before, python, "-I", "-S", "-B", "-c", START, source, profile, root]
    launcher = json.loads(subprocess.run(start, capture_output=True, check=True).stdout)

    words = [*before, *launcher, system_python(), "-c", LOOK, str(home), TOKEN]
    done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=True)

    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("TOKEN")] == []
    assert {f"SEEN {name}" for name in (*TOOLS, *SETTINGS)} <= set(lines)


@pytest.mark.parametrize(("name", "text"), SETTINGS.items(), ids=SETTINGS)
def test_only_the_lines_with_a_password_are_left_out_of_settings(name, text):
    full = text.replace("{token}", TOKEN)

    shown = credentials.without_credentials(full)

    assert TOKEN not in shown
    first_setting = full.splitlines()[0 if name.endswith(("npmrc", "condarc")) else 1]
    assert first_setting in shown


@pytest.mark.parametrize(
    "line",
    [
        "[user]\n\temail = me@example.org\n\tsigningkey = ssh-ed25519 AAAAC3NzaC1lZDI1",
        '[url "git@github.com:"]\n\tinsteadOf = https://github.com/',
        "[credential]\n\thelper = cache --timeout 900",
        '[net]\ngit-fetch-with-cli = true\n[source.own]\nregistry = "https://own.org/index"',
        "registry=https://registry.npmjs.org/",
        "[remote]\n\turl = git@github.com:me/it.git\n\tpushurl = ssh://git@own.org:22/it.git",
        "[gpg]\n\tprogram = gpg2\n[alias]\n\tbypass = commit --no-verify",
    ],
)
def test_settings_without_a_password_stay_as_they_are(line):
    assert credentials.without_credentials(line) == line


def test_settings_of_a_package_manager_are_shown_if_the_person_allows_the_file(home):
    settings = str(home / ".m2/settings.xml")
    places = find_places()

    def mounts(*allowed: str) -> list[Mount]:
        box = Box(profile="check", root=str(home / "code"), allow_read=allowed)
        return list(plan_mounts(box, places, GitPaths(), False))

    assert mounts(str(home / ".m2"))[-1:] != [Mount(SHOW, settings)]
    assert Mount(MASK, settings) in mounts(str(home / ".m2"))
    assert Mount(MASK, settings) not in mounts(settings)
    assert Mount(SHOW, settings) in mounts(settings)


@pytest.mark.skipif(os.getuid() != 0, reason="for root these files are readable")
def test_root_cannot_read_the_passwords_of_the_machine():
    assert "/etc/shadow" in find_places().secrets


@pytest.mark.parametrize("program", ["bin/agent", "agent", "tools/bin/agent"])
def test_the_folder_of_a_program_is_shown_only_if_the_home_is_not_in_it(program, tmp_path):
    home, real = tmp_path / "top/home/me", str(tmp_path / "top" / program)
    write_file(Path(real), "")
    write_place(home / ".ssh/id_rsa", TOKEN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(home))
        shown = program_paths(real)

    assert real in shown
    assert not any(home.is_relative_to(path) for path in shown)
    assert (str(tmp_path / "top/tools") in shown) == program.startswith("tools/")
