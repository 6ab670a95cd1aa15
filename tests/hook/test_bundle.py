"""The bundle of a Stop's modules: used where it fits, and never where it might be wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

import loopwright
from tests.support.project import Project
from tests.torture.size import every

SOURCE = Path(loopwright.__file__).parent
BUNDLE = f"stop.{sys.implementation.cache_tag}.bundle"


@dataclass
class Installed:
    """The package as the plugin has it: a copy, with a cache folder of its own."""

    project: Project
    package: Path
    cache: Path

    @property
    def bundle(self) -> Path:
        return self.cache / BUNDLE

    def stop(self, *flags: str) -> tuple[dict[str, object], set[str]]:
        """The answer to a Stop, and the modules of ours whose source was read for it."""
        event = {
            "hook_event_name": "Stop",
            "session_id": "s1",
            "cwd": str(self.project.root),
            "last_assistant_message": "working",
        }
        argv = [sys.executable, "-I", "-S", "-v", *(flags or self.flags)]
        done = subprocess.run(
            [*argv, str(self.package / "hook" / "__main__.py"), "claude"],
            input=json.dumps(event),
            capture_output=True,
            text=True,
            check=True,
        )
        read = {
            line.split("'")[1]
            for line in done.stderr.splitlines()
            if line.startswith("import 'loopwright") and "RecordingLoader" in line
        }
        return json.loads(done.stdout or "{}"), read

    @property
    def flags(self) -> tuple[str, ...]:
        return ("-X", f"pycache_prefix={self.cache}")


@pytest.fixture(scope="module")
def plugin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package, and a cache folder that its tests share: compiled once."""
    folder = tmp_path_factory.mktemp("plugin")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE, folder / "vendor" / "loopwright", ignore=ignored)
    return folder


@pytest.fixture
def installed(project: Callable[..., Project], plugin: Path, tmp_path: Path) -> Installed:
    """Without a bundle."""
    here = project()
    here.start("--check", "never=false", "--session", "s1")
    return Installed(here, plugin / "vendor" / "loopwright", tmp_path / "cache")


@pytest.fixture
def bundled(installed: Installed, plugin: Path) -> Installed:
    """With a bundle that fits, of an earlier test perhaps."""
    installed.cache = plugin / "cache"
    assert any(not installed.stop()[1] for _ in range(3))
    return installed


def from_sources(read: set[str]) -> bool:
    return "loopwright.core.engine" in read


def test_the_second_stop_imports_from_the_bundle(installed: Installed) -> None:
    _, first = installed.stop()
    answer, second = installed.stop()

    assert from_sources(first)
    assert not second
    assert answer["decision"] == "block"


@pytest.mark.long
def test_the_bundle_holds_no_docstrings(installed: Installed) -> None:
    docstring = b"returns the next loop, its events and a directive"
    installed.stop()

    assert docstring in (installed.package / "core" / "engine.py").read_bytes()
    assert docstring not in installed.bundle.read_bytes()


def test_a_bundle_that_holds_every_module_is_not_written_again(installed: Installed) -> None:
    installed.stop()
    written = installed.bundle.stat().st_mtime_ns, installed.bundle.stat().st_ino
    installed.stop()

    assert (installed.bundle.stat().st_mtime_ns, installed.bundle.stat().st_ino) == written


def test_an_edited_source_is_read(bundled: Installed) -> None:
    engine = bundled.package / "core" / "engine.py"
    engine.write_text(engine.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    _, read = bundled.stop()

    assert from_sources(read)
    assert not from_sources(bundled.stop()[1])  # and the bundle was made again


def test_a_package_that_moved_is_read(bundled: Installed, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere" / "loopwright"
    shutil.copytree(bundled.package, moved, copy_function=shutil.copy2)
    bundled.package = moved

    assert from_sources(bundled.stop()[1])


def test_a_link_to_the_sources_never_uses_one(installed: Installed, tmp_path: Path) -> None:
    installed.package = tmp_path / "loopwright"
    installed.package.symlink_to(SOURCE)
    installed.stop()

    assert not installed.bundle.exists()
    assert from_sources(installed.stop()[1])


def test_without_a_cache_folder_there_is_none(installed: Installed) -> None:
    answer, read = installed.stop("-B")

    assert from_sources(read)
    assert answer["decision"] == "block"


@pytest.mark.long
def test_a_file_where_the_cache_folder_should_be_is_no_trouble(installed: Installed) -> None:
    installed.cache.write_text("")

    assert installed.stop()[0]["decision"] == "block"
    assert installed.stop()[0]["decision"] == "block"


@pytest.mark.parametrize(
    "damage", every(3, [b"", b"garbage", b"\xe9\x01"]), ids=every(3, ["empty", "garbage", "cut"])
)
def test_a_damaged_bundle_is_replaced(bundled: Installed, damage: bytes) -> None:
    whole = bundled.bundle.read_bytes()
    bundled.bundle.write_bytes(damage or whole[: len(whole) // 2])

    assert from_sources(bundled.stop()[1])
    assert not from_sources(bundled.stop()[1])


def test_a_bundle_of_another_python_is_replaced(bundled: Installed) -> None:
    whole = bundled.bundle.read_bytes()
    bundled.bundle.write_bytes(whole.replace(sys.version.encode(), b"0" * len(sys.version), 1))

    assert from_sources(bundled.stop()[1])
    assert not from_sources(bundled.stop()[1])


def test_a_source_that_only_some_events_import_is_read_when_it_was_edited(
    bundled: Installed,
) -> None:
    spec = bundled.package / "core" / "policies" / "spec.py"
    spec.write_text(spec.read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
    _, read = bundled.stop()

    assert "loopwright.core.policies.spec" in read
    assert not from_sources(read)
    assert "loopwright.core.policies.spec" not in bundled.stop()[1]
