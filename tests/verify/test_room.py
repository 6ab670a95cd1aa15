"""What a clean checkout needs besides its files: packages, variables, commands, and its own imports."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from loopwright.cleanroom import checkout_files, packages
from loopwright.cleanroom import view as rooms
from loopwright.cleanroom.checkout_files import RoomError
from loopwright.cleanroom.view import RoomView
from loopwright.core.criteria import OUTSIDE, Check
from tests.support.project import Project

pytestmark = pytest.mark.room

SETUPS = {
    "uv": (["uv.lock", "pyproject.toml", "requirements.txt"], "uv sync --frozen"),
    "poetry": (["poetry.lock", "pyproject.toml"], "poetry install --no-interaction"),
    "pdm": (["pdm.lock"], "pdm sync"),
    "pipenv": (["Pipfile.lock"], "pipenv sync --dev"),
    "pip": (
        ["requirements.txt"],
        "python3 -m venv .venv && .venv/bin/pip install -r requirements.txt",
    ),
    "pip, for development": (
        ["requirements-dev.txt", "requirements.txt"],
        "python3 -m venv .venv && .venv/bin/pip install -r requirements-dev.txt",
    ),
    "npm": (["package-lock.json", "package.json"], "npm ci"),
    "pnpm": (["pnpm-lock.yaml", "package.json"], "pnpm install --frozen-lockfile"),
    "yarn": (["yarn.lock", "package.json"], "yarn install --frozen-lockfile"),
    "cargo": (["Cargo.lock", "Cargo.toml"], "cargo fetch"),
    "go": (["go.mod", "go.sum"], "go mod download"),
    "bundler": (["Gemfile.lock", "Gemfile"], "bundle install"),
    "maven": (["pom.xml"], "mvn -q -B dependency:go-offline"),
    "gradle": (["gradlew", "build.gradle"], "./gradlew --console=plain dependencies"),
    "nothing that we know": (["build.zig"], ""),
    "package.json alone": (["package.json"], ""),
}


@pytest.mark.parametrize("tool", SETUPS)
def test_the_setup_is_the_one_of_the_lock_file(tmp_path: Path, tool: str) -> None:
    names, command = SETUPS[tool]
    for name in names:
        (tmp_path / name).touch()

    assert packages.detected_setup(str(tmp_path)) == command


# --- installed packages ---


def test_folders_with_packages_are_found_ignored_or_not(project) -> None:
    here: Project = project({".gitignore": ".venv/\nbuild/\n", "a.py": ""})
    for name in (".venv", "build", "web/node_modules", "own-env", "plain"):
        here.write({f"{name}/file.txt": "x"})
    here.write({"own-env/pyvenv.cfg": "home = /usr"})

    # The folder web/ is new as a whole, so git does not name what is in it.
    assert checkout_files.environment_folders(str(here.root)) == [".venv", "own-env"]
    here.write({"web/package.json": "{}"})
    here.commit()
    (here.root / ".gitignore").write_text(".venv/\nbuild/\nnode_modules\n")
    here.write({"web/node_modules/file.txt": "x"})
    here.git("rm", "-rq", "--cached", "web/node_modules", "own-env")
    assert checkout_files.environment_folders(str(here.root)) == [
        ".venv",
        "own-env",
        "web/node_modules",
    ]


def test_packages_of_a_folder_without_git_are_found_by_their_names(tmp_path: Path) -> None:
    for name in (".venv", "web/node_modules/a/node_modules", "src/app"):
        (tmp_path / name).mkdir(parents=True)

    assert checkout_files.environment_folders(str(tmp_path)) == [".venv", "web/node_modules"]


@pytest.fixture
def live(tmp_path: Path) -> Path:
    """A project with a virtual environment and node_modules, as their tools write them."""
    root = tmp_path / "live"
    files = {
        ".venv/pyvenv.cfg": f"command = python -m venv {root}/.venv\n",
        ".venv/bin/pytest": f"#!{root}/.venv/bin/python\nrun()\n",
        ".venv/lib/site-packages/__editable__.app.pth": f"{root}/src\n",
        ".venv/lib/site-packages/note.txt": f"{root}/stays\n",
        "node_modules/.bin/jest": f"#!/bin/sh\nexec node {root}/node_modules/jest/cli.js\n",
        ".env": f"ROOT={root}\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (root / ".venv/bin/inside").symlink_to(root / ".venv/bin/pytest")
    (root / ".venv/bin/python").symlink_to("/usr/bin/python3")
    (root / ".venv/lib64").symlink_to("lib")
    return root


def place(live: Path, tmp_path: Path, *names: str) -> Path:
    store, room = tmp_path / "store", tmp_path / "room"
    checkout_files.save_paths(str(live), str(store), list(names))
    room.mkdir()
    checkout_files.place_paths(str(store), str(room), str(live), str(room))
    return room


def test_every_path_of_a_copied_environment_leads_into_the_room(live: Path, tmp_path: Path) -> None:
    room = place(live, tmp_path, ".venv", "node_modules", ".env")

    assert (room / ".venv/pyvenv.cfg").read_text() == f"command = python -m venv {room}/.venv\n"
    assert (room / ".venv/bin/pytest").read_text().startswith(f"#!{room}/.venv/bin/python\n")
    editable = room / ".venv/lib/site-packages/__editable__.app.pth"
    assert editable.read_text() == f"{room}/src\n"
    assert f"{room}/node_modules/jest" in (room / "node_modules/.bin/jest").read_text()
    assert os.readlink(room / ".venv/bin/inside") == f"{room}/.venv/bin/pytest"


def test_other_files_and_links_of_an_environment_stay_as_they_are(
    live: Path, tmp_path: Path
) -> None:
    room = place(live, tmp_path, ".venv", ".env")

    assert (room / ".venv/lib/site-packages/note.txt").read_text() == f"{live}/stays\n"
    assert (room / ".env").read_text() == f"ROOT={live}\n"
    assert os.readlink(room / ".venv/bin/python") == "/usr/bin/python3"
    assert os.readlink(room / ".venv/lib64") == "lib"


def test_what_was_saved_is_how_it_was_before_the_agent_worked(live: Path, tmp_path: Path) -> None:
    checkout_files.save_paths(str(live), str(tmp_path / "store"), [".env"])
    (live / ".env").write_text("CHEAT=1\n")
    (tmp_path / "room").mkdir()
    room = str(tmp_path / "room")
    checkout_files.place_paths(str(tmp_path / "store"), room, str(live), room)

    assert (tmp_path / "room/.env").read_text() == f"ROOT={live}\n"


def test_saving_again_replaces_what_was_saved(live: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    checkout_files.save_paths(str(live), str(store), [".env"])
    checkout_files.save_paths(str(live), str(store), ["node_modules"])

    assert os.listdir(store) == ["node_modules"]


def test_nothing_saved_is_nothing_placed(tmp_path: Path) -> None:
    checkout_files.place_paths(str(tmp_path / "missing"), str(tmp_path), "/project", str(tmp_path))

    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("limit", ["MAX_FILES", "MAX_BYTES"])
def test_packages_that_are_too_large_are_refused_with_the_way_out(
    live: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(checkout_files, limit, 2)

    with pytest.raises(RoomError, match=r"\(\.venv\) are too large to copy.*--setup COMMAND"):
        checkout_files.save_paths(str(live), str(tmp_path / "store"), [".venv"])
    assert not (tmp_path / "store").exists()


def test_a_path_that_cannot_be_copied_is_named(tmp_path: Path) -> None:
    with pytest.raises(RoomError, match=r"gone cannot be copied"):
        checkout_files.save_paths(str(tmp_path), str(tmp_path / "store"), ["gone"])


def test_nested_packages_are_placed_beside_the_files_of_the_tree(tmp_path: Path) -> None:
    (tmp_path / "live/web/node_modules").mkdir(parents=True)
    (tmp_path / "live/web/node_modules/a.js").touch()
    (tmp_path / "room/web").mkdir(parents=True)
    checkout_files.save_paths(str(tmp_path / "live"), str(tmp_path / "store"), ["web/node_modules"])
    checkout_files.place_paths(str(tmp_path / "store"), str(tmp_path / "room"), "/p", "/p")

    assert (tmp_path / "room/web/node_modules/a.js").exists()


def test_a_store_has_another_digest_after_any_change(live: Path, tmp_path: Path) -> None:
    store = tmp_path / "store"
    recorded = checkout_files.save_paths(str(live), str(store), [".venv", ".env"])
    assert recorded == checkout_files.content_digest(str(store))
    edits = (
        lambda: (store / ".env").write_text("CHEAT=1\n"),
        lambda: (store / ".venv/bin/pytest").chmod(0o700),
        lambda: (store / ".venv/lib/site-packages/new.pth").touch(),
        lambda: (store / ".venv/lib64").unlink(),
    )
    digests = {recorded}
    for edit in edits:
        edit()
        digests.add(checkout_files.content_digest(str(store)))

    assert len(digests) == 1 + len(edits)


# --- setup, variables and commands ---


def view(tmp_path: Path) -> RoomView:
    return RoomView("/project", str(tmp_path))


def test_a_setup_that_fails_is_quoted(tmp_path: Path) -> None:
    with pytest.raises(RoomError, match=r"`echo no registry; exit 3` exited 3: no registry"):
        packages.run_setup("echo no registry; exit 3", view(tmp_path), 20)


def test_a_setup_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(RoomError, match=r"took longer than 0\.1 s"):
        packages.run_setup("exec sleep 5", view(tmp_path), 0.1)


def test_the_setup_runs_in_the_room(tmp_path: Path) -> None:
    packages.run_setup("touch installed", view(tmp_path), 20)

    assert (tmp_path / "installed").exists()


def test_no_variable_and_no_command_leads_into_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", "/p/app/.venv")
    monkeypatch.setenv("PYTHONPATH", "/p/app/src:/p/app")
    monkeypatch.setenv("OPENAI_API_KEY", "sk")
    room = RoomView("/p/app", "/r/app")
    environment = room.environment

    assert environment["VIRTUAL_ENV"] == "/r/app/.venv"
    assert environment["PYTHONPATH"] == "/r/app/src:/r/app"
    assert "OPENAI_API_KEY" not in environment
    typed = room.check_in_room(Check("/p/app/.venv/bin/pytest -q"))
    listed = room.check_in_room(Check(("/p/app/run", "-x")))
    assert (typed.command, listed.command) == ("/r/app/.venv/bin/pytest -q", ("/r/app/run", "-x"))


def test_a_room_has_its_own_folder_for_temporary_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", "/shared")

    assert RoomView("/p", "/r", temporary="/t").environment["TMPDIR"] == "/t"
    assert RoomView("/p", "/r").environment["TMPDIR"] == "/shared"


def test_a_folder_beside_the_project_is_not_inside_it() -> None:
    assert checkout_files.is_inside("/p/app", "/p/app")
    assert checkout_files.is_inside("/p/app/src", "/p/app")
    assert not checkout_files.is_inside("/p/app-two", "/p/app")


# --- where Python imports from ---


@pytest.fixture
def both(tmp_path: Path) -> tuple[str, str]:
    """The live project and a room, each with the package `app` under src/."""
    for name in ("live", "room"):
        package = tmp_path / name / "src" / "app"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(f"where = {name!r}\n")
    (tmp_path / "link").symlink_to(tmp_path / "live")  # a path that no rewriting knows
    return str(tmp_path / "live"), str(tmp_path / "room")


def imports_live(both: tuple[str, str], python_path: str, command: str = "") -> str:
    live, room = both
    check = Check(command or f"{sys.executable} -m pytest")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", python_path.replace(live, str(Path(live).parent / "link")))
        return rooms.imports_from_project(check, RoomView(live, room))


def test_an_editable_install_of_the_live_checkout_is_noticed(both: tuple[str, str]) -> None:
    assert imports_live(both, f"{both[0]}/src") == "app"


def test_a_check_outside_the_sandbox_is_asked_outside_of_it_too(
    both: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    live, room = both
    monkeypatch.setenv("PYTHONPATH", str(Path(live).parent / "link" / "src"))
    check = Check(f"{sys.executable} -m pytest", box=OUTSIDE)
    sandbox = ("/bin/sh", "-c", "exit 0")  # it shows nothing of the project

    assert rooms.imports_from_project(check, RoomView(live, room, boxed=sandbox)) == "app"


def test_a_package_of_the_room_is_fine(both: tuple[str, str]) -> None:
    assert imports_live(both, f"{both[1]}/src:{both[0]}/src") == ""


def test_a_package_that_cannot_be_imported_at_all_is_fine(both: tuple[str, str]) -> None:
    assert imports_live(both, "") == ""


def test_a_program_is_asked_through_the_interpreter_in_its_first_line(
    both: tuple[str, str],
) -> None:
    program = Path(both[1], "run")
    program.write_text(f"#!{sys.executable}\nprint(1)\n")

    assert imports_live(both, f"{both[0]}/src", "./run --all") == "app"


@pytest.mark.parametrize("command", ["make test", "./missing", "cargo test"])
def test_a_check_that_starts_no_python_is_not_asked(both: tuple[str, str], command: str) -> None:
    assert imports_live(both, f"{both[0]}/src", command) == ""


def test_a_project_without_python_packages_is_not_asked(tmp_path: Path) -> None:
    check = Check(f"{sys.executable} -m pytest")

    assert rooms.imports_from_project(check, RoomView(str(tmp_path), str(tmp_path))) == ""
