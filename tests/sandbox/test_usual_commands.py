"""The usual commands of projects still pass inside: a venv, node_modules, a wheel with a pip cache, cargo."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from loopwright.sandbox.choose import choose_sandbox, launcher_words
from loopwright.sandbox.mounts import Box
from tests.e2e import codex
from tests.sandbox.user import needs_bwrap

pytestmark = [needs_bwrap, pytest.mark.sandbox]
CODEX_BWRAP = next(codex.folder(codex.HERE).rglob("codex-resources/bwrap"), None)
METADATA = "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
RUST = """pub fn one() -> i32 { 1 }
#[cfg(test)] mod tests { #[test] fn it() { assert_eq!(super::one(), 1); } }
"""


def inside(root: Path, line: str, profile: str = "check") -> subprocess.CompletedProcess[str]:
    sandbox = choose_sandbox("bwrap", str(root))
    words = launcher_words(
        sandbox, Box(profile=profile, root=str(root), network=profile == "agent")
    )
    command = [*words, "/bin/sh", "-ec", line]
    return subprocess.run(
        command, cwd=root, capture_output=True, text=True, timeout=120, check=False
    )


def passes(root: Path, line: str, profile: str = "check") -> None:
    done = inside(root, line, profile)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in the home folder, as most are; what the home hides must not matter."""
    home = tmp_path / "home"
    folder = home / "code"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    return folder


@pytest.mark.parametrize("profile", ["agent", "check"])
def test_a_virtual_environment_in_the_project(root, profile):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", ".venv"], cwd=root, check=True)
    packages = next((root / ".venv/lib").glob("python*/site-packages"))
    (packages / "installed.py").write_text("answer = 42\n")

    passes(root, '.venv/bin/python -c "import installed; assert installed.answer == 42"', profile)


def test_a_virtual_environment_elsewhere_in_the_home_folder(root, monkeypatch):
    venv = root.parent / "envs/one"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
    (next((venv / "lib").glob("python*/site-packages")) / "installed.py").write_text("x = 1\n")
    monkeypatch.setenv("PATH", str(venv / "bin"), prepend=os.pathsep)

    passes(root, 'python -c "import installed"')


@pytest.mark.skipif(not shutil.which("node"), reason="node is not installed")
def test_node_with_its_modules(root):
    module = root / "node_modules/tiny"
    module.mkdir(parents=True)
    (module / "index.js").write_text("module.exports = 42;\n")
    (root / "test.js").write_text(
        "const t = require('node:test');\n"
        "t('it', () => { if (require('tiny') !== 42) throw new Error('no'); });\n"
    )

    passes(root, "node --test")


def test_pip_installs_a_wheel_with_a_cache_that_it_cannot_write(root):
    cache = root.parent / ".cache/pip"
    cache.mkdir(parents=True)
    (cache / "kept").write_text("x")
    with zipfile.ZipFile(root / "tiny-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", "answer = 42\n")
        wheel.writestr("tiny-1.0.dist-info/METADATA", METADATA)
        wheel.writestr("tiny-1.0.dist-info/WHEEL", WHEEL)
        wheel.writestr("tiny-1.0.dist-info/RECORD", "")
    install = f"{sys.executable} -m pip install -q --no-index --no-deps --target lib ./tiny-1.0-py3-none-any.whl"

    passes(
        root,
        f"test -e ~/.cache/pip/kept; {install}; PYTHONPATH=lib {sys.executable} -c 'import tiny'",
    )

    assert os.listdir(cache) == ["kept"]


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("cargo"), reason="cargo is not installed")
def test_cargo_tests_a_crate(root, monkeypatch):
    home = Path(pwd.getpwuid(os.getuid()).pw_dir)
    monkeypatch.setenv("RUSTUP_HOME", os.environ.get("RUSTUP_HOME", str(home / ".rustup")))
    monkeypatch.setenv("CARGO_HOME", os.environ.get("CARGO_HOME", str(home / ".cargo")))
    (root / "Cargo.toml").write_text(
        '[package]\nname = "tiny"\nversion = "0.1.0"\nedition = "2021"\n'
    )
    (root / "src").mkdir()
    (root / "src/lib.rs").write_text(RUST)

    passes(root, "cargo test --offline")


@pytest.mark.skipif(CODEX_BWRAP is None, reason="no bubblewrap with overlays here")
def test_a_newer_bubblewrap_gives_a_check_a_private_copy_of_a_cache(root, tmp_path, monkeypatch):
    """Debian's 0.8 has no overlays; the one that Codex brings has."""
    (tmp_path / "newer").mkdir()
    (tmp_path / "newer/bwrap").symlink_to(CODEX_BWRAP)
    monkeypatch.setenv("PATH", f"{tmp_path / 'newer'}{os.pathsep}{os.environ['PATH']}")
    cache = root.parent / ".npm"
    cache.mkdir()
    (cache / "kept").write_text("x")

    passes(root, "test -e ~/.npm/kept; rm ~/.npm/kept; touch ~/.npm/written")

    assert [path.name for path in cache.iterdir()] == ["kept"]


def test_git_commits_inside(root):
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    who = "-c user.name=a -c user.email=a@example.invalid"

    passes(
        root,
        f"echo x > file; git add -A; git {who} commit -qm x; git log --oneline | grep -q x",
        "agent",
    )


def test_a_worktree_commits_inside(root):
    main = root.parent / "main"
    who = ["-c", "user.name=a", "-c", "user.email=a@example.invalid"]
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    subprocess.run(
        ["git", "-C", str(main), *who, "commit", "-q", "--allow-empty", "-m", "x"], check=True
    )
    root.rmdir()
    subprocess.run(["git", "-C", str(main), "worktree", "add", "-q", str(root)], check=True)

    line = (
        "echo x > file; git add -A; git -c user.name=a -c user.email=a@example.invalid commit -qm y"
    )
    passes(root, line, "agent")
    refused = inside(root, "git config core.fsmonitor evil", "agent")

    assert refused.returncode != 0
    assert "evil" not in (main / ".git/config").read_text()
