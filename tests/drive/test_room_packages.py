"""Packages that a setup installed are copied into later rooms, and never shared with them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loopwright.cleanroom import packages
from loopwright.core.proof.clean_checkout import FINAL_TREE_RUN, PASSED, TRUSTED, UNPREPARED
from loopwright.store.state_folder import room_store
from tests.drive.test_room_runs import FILES, FIXED, NAME, UNITTEST, make_run
from tests.support.project import Project
from tests.torture.size import every

pytestmark = pytest.mark.room

# A stand-in for npm: it installs one package, whose content is the lock file.
NPM = """\
#!/bin/sh
echo ran >> {log}
grep -q broken package-lock.json && exit 1
rm -rf node_modules && mkdir -p node_modules/dep && cp package-lock.json node_modules/dep/lock
"""
CHECK = f"cat node_modules/dep/lock && echo edited >> node_modules/dep/lock && {UNITTEST}"


class Npm:
    """The stand-in, and how often it ran."""

    def __init__(self, program: Path, log: Path) -> None:
        self.program, self._log = program, log

    @property
    def runs(self) -> int:
        return self._log.read_text().count("ran") if self._log.exists() else 0


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Npm:
    program, log = tmp_path / "bin" / "npm", tmp_path / "npm.log"
    program.parent.mkdir()
    program.write_text(NPM.format(log=log))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return Npm(program, log)


def begin(project, setup: str = "npm ci", lock: str = "one\n", *flags: str) -> Project:
    here: Project = project({**FILES, "package-lock.json": lock, ".gitignore": "node_modules\n"})
    here.write({"node_modules/dep/lock": "installed by the person\n"})
    words = ("start", "fix all failing tests", "--check", f"{NAME}={CHECK}", "--yes")
    assert here.run(*words, "--setup", setup, *flags).code == 0
    here.write({"parse.py": FIXED})
    return here


def lock_in_room(here: Project) -> str:
    run = make_run(here, FINAL_TREE_RUN)
    assert run.outcome == PASSED, run
    return (here.root / ".loop" / run.checks[0].log).read_text().splitlines()[0]


def cached() -> list[Path]:
    return list(Path(packages.cache_folder()).iterdir())


@pytest.mark.long
def test_the_same_lock_file_installs_once(project, npm: Npm) -> None:
    here = begin(project)
    assert (here.loop.room.why, here.loop.room.status) == ("", TRUSTED)

    assert [lock_in_room(here), lock_in_room(here)] == ["one", "one"], "no room edits the cache"
    assert npm.runs == 1
    assert here.loop.room.packages == json.loads((cached()[0] / "facts.json").read_text())["digest"]


def test_a_changed_lock_file_installs_again(project, npm: Npm) -> None:
    here = begin(project, "npm ci", "one\n", "--allow-new-deps")
    here.write({"package-lock.json": "two\n"})

    assert [lock_in_room(here), lock_in_room(here)] == ["two", "two"]
    assert npm.runs == 2


def test_packages_that_were_edited_are_not_used(project, npm: Npm) -> None:
    here = begin(project)
    (cached()[0] / "content/node_modules/dep/lock").write_text("poison\n")

    assert lock_in_room(here) == "one"
    assert npm.runs == 2


def test_packages_that_are_not_those_of_the_start_are_not_used(project, npm: Npm) -> None:
    here = begin(project)
    content = cached()[0] / "content"
    (content / "node_modules/dep/lock").write_text("poison\n")
    facts = cached()[0] / "facts.json"
    forged = json.loads(facts.read_text()) | {
        "digest": packages.checkout_files.content_digest(str(content))
    }
    facts.write_text(json.dumps(forged))

    assert lock_in_room(here) == "one"
    assert npm.runs == 2


def test_a_setup_that_failed_is_not_kept(project, npm: Npm) -> None:
    here = begin(project, lock="broken\n")

    assert here.loop.room.status == UNPREPARED
    assert not Path(packages.cache_folder()).exists()


@pytest.mark.parametrize(
    "setup",
    every(
        2,
        [
            pytest.param("npm ci && echo up > /dev/null", id="more than an installer"),
            pytest.param("npm ci && npm install --prefix $PWD", id="a variable decides"),
        ],
    ),
)
def test_a_setup_that_does_more_runs_in_every_room(project, npm: Npm, setup: str) -> None:
    here = begin(project, setup)
    before = npm.runs
    lock_in_room(here)

    assert npm.runs > before
    assert not Path(packages.cache_folder()).exists()


@pytest.mark.long
def test_a_setup_that_builds_the_product_runs_in_every_room(project, npm: Npm) -> None:
    npm.program.write_text(f"{npm.program.read_text()}cp parse.py built.txt\n")
    here = begin(project)
    lock_in_room(here)

    assert npm.runs == 2


def test_the_packages_that_were_unused_longest_are_removed(
    project, npm: Npm, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = begin(project, "npm ci", "one\n", "--allow-new-deps")
    (first,) = cached()
    monkeypatch.setattr(packages, "MAX_CACHED", 1)
    here.write({"package-lock.json": "two\n"})
    lock_in_room(here)

    assert len(cached()) == 1
    assert not first.exists()


def test_without_permission_a_room_gets_the_packages_of_the_start(project, npm: Npm) -> None:
    here = begin(project)
    here.write({"package-lock.json": "two\n"})

    assert lock_in_room(here) == "one", "nothing that the agent named is installed"
    assert npm.runs == 1


def test_the_setup_runs_the_scripts_of_the_start(project, npm: Npm) -> None:
    script = "#!/bin/sh\nnpm ci\n"
    here: Project = project(
        {
            **FILES,
            "install.sh": script,
            "package-lock.json": "one\n",
            ".gitignore": "node_modules\n",
        }
    )
    here.write({"node_modules/dep/lock": "installed by the person\n"})
    words = ("start", "fix all failing tests", "--check", f"{NAME}={CHECK}", "--yes")
    assert here.run(*words, "--setup", "sh install.sh").code == 0
    assert (here.loop.room.why, here.loop.room.status) == ("", TRUSTED)
    poison = "npm ci; echo poison > node_modules/dep/lock\n"
    here.write({"parse.py": FIXED, "install.sh": f"{script}{poison}"})

    assert lock_in_room(here) == "one"


def test_a_new_plugin_of_the_runner_in_a_lock_file_is_a_finding(project, npm: Npm) -> None:
    lock = '{"packages": {"node_modules/left-pad": {}}}\n'
    here = begin(project, "npm ci", lock, "--allow-new-deps")
    here.write({"package-lock.json": lock.replace("left-pad", "jest-preset-acme")})
    (finding,) = make_run(here, FINAL_TREE_RUN).findings

    assert (finding.severity, finding.rule) == ("medium", "runner-plugin-added")
    assert (finding.file, finding.after) == ("package-lock.json", "jest-preset-acme")


# --- packages of the start, without a setup ---

INODE = "stat -c %i node_modules/dep/lock"


def begin_with_packages(project, check: str) -> Project:
    here: Project = project({**FILES, ".gitignore": "node_modules\n"})
    here.write({"node_modules/dep/lock": "installed by the person\n"})
    words = ("start", "fix all failing tests", "--check", f"{NAME}={check}", "--yes")
    assert here.run(*words).code == 0
    assert here.loop.room.status == TRUSTED, here.loop.room.why
    here.write({"parse.py": FIXED})
    return here


def test_a_room_takes_the_packages_of_the_room_before(project) -> None:
    here = begin_with_packages(project, f"{INODE} && {UNITTEST}")
    inodes = {lock_in_room(here) for _ in range(3)}
    saved = Path(room_store(here.loop, "files", "node_modules/dep/lock"))

    assert len(inodes) == 1, "they were copied again"
    assert str(saved.stat().st_ino) not in inodes, "what was saved is in no room"


@pytest.mark.parametrize(
    "spoil",
    every(
        3,
        [
            "echo edited >> node_modules/dep/lock",
            "echo more > node_modules/dep/more",
            "chmod 755 node_modules/dep/lock",
            "rm -r node_modules/dep",
            "rm -r node_modules && ln -s / node_modules",
        ],
    ),
)
def test_packages_that_a_check_has_changed_reach_no_other_room(project, spoil: str) -> None:
    check = f"cat node_modules/dep/lock && ls -l node_modules/dep | wc -l && {UNITTEST} && {spoil}"
    here = begin_with_packages(project, check)
    run = make_run(here, FINAL_TREE_RUN)
    again = make_run(here, FINAL_TREE_RUN)
    first, second = (
        (here.root / ".loop" / each.checks[0].log).read_text().splitlines()[:2]
        for each in (run, again)
    )

    assert (run.outcome, again.outcome) == (PASSED, PASSED)
    assert first == second == ["installed by the person", "2"]


@pytest.mark.long
def test_packages_that_were_edited_between_two_rooms_are_copied_again(project) -> None:
    here = begin_with_packages(project, f"cat node_modules/dep/lock && {UNITTEST}")
    lock_in_room(here)
    spare = Path(room_store(here.loop, "spare", "node_modules/dep/lock"))
    spare.write_text("edited by the agent\n")

    assert lock_in_room(here) == "installed by the person"
