"""Landing: main moves forward, and what a person has not committed stays; whatever their settings are and whatever happens."""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from loopwright.repo.lanes import changes, merge, worktrees
from tests.support.lanes import (
    FILES,
    Lane,
    World,
    a_lane,
    begin_merge,
    head,
    merge_commit,
    move_main,
    set_up,
    state,
    tree,
)
from tests.support.project import Project

pytestmark = pytest.mark.plans


@pytest.fixture(scope="module")
def almost(tmp_path_factory: pytest.TempPathFactory) -> World:
    def told(side: Lane) -> None:
        side.write({"a.py": "work\n", "new.py": "new\n"})
        assert side.save().problem == side.candidate().problem == ""

    return World(tmp_path_factory.mktemp("almost"), FILES, told)


@pytest.fixture
def ready(almost: World, tmp_path: Path) -> tuple[Lane, str]:
    """A lane whose candidate waits to be landed."""
    side = almost.copy(tmp_path)
    return side, head(side)


# --- landing ---


def test_what_the_user_has_not_committed_elsewhere_is_kept(project) -> None:
    mine = {name: f"{name}\n" for name in ("edited", "staged", "both", "deleted", "removed")}
    side = a_lane(project({**FILES, **mine}))
    side.write({"a.py": "work\n", "new.py": "new\n"})
    set_up("merge.autoStash=true", "merge.ff=false")
    side.here.write({"edited": "1\n", "staged": "1\n", "both": "1\n", "mine.py": "1\n"})
    side.here.git("add", "staged", "both")
    side.here.git("rm", "-q", "removed")
    side.here.write({"both": "2\n"})
    (side.here.root / "deleted").unlink()
    staged, (_, files) = side.here.git("status", "--porcelain"), state(side.here)

    assert side.merge() == ""
    assert head(side.here) == head(side) != side.base
    assert side.here.git("status", "--porcelain") == staged
    assert state(side.here)[1] == {**files, "a.py": b"work\n", "new.py": b"new\n"}
    assert side.here.git("stash", "list") == ""


RELATED: dict[str, tuple[Callable[[Project], object], str]] = {
    "an edit": (lambda p: p.write({"a.py": "mine\n"}), "a.py"),
    "a staged edit": (lambda p: (p.write({"a.py": "mine\n"}), p.git("add", "-A")), "a.py"),
    "a new file": (lambda p: p.write({"new.py": "mine\n"}), "new.py"),
    "a folder": (lambda p: p.write({"new.py/mine.py": "mine\n"}), "new.py"),
    "a new file that is ignored": (
        lambda p: p.write({".git/info/exclude": "new.py\n", "new.py": "mine\n"}),
        "new.py",
    ),
    "a folder that is ignored": (
        lambda p: p.write({".git/info/exclude": "new.py/\n", "new.py/x": "mine\n"}),
        "new.py",
    ),
}


@pytest.mark.parametrize(("change", "name"), RELATED.values(), ids=RELATED)
def test_what_would_be_overwritten_is_named_and_stays(
    ready: tuple[Lane, str], change: Callable[[Project], object], name: str
) -> None:
    side, commit = ready
    set_up("merge.autoStash=true")
    change(side.here)
    before = state(side.here)
    said = merge_commit(side.here, commit)

    assert name in said
    assert "overwritten" in said
    assert state(side.here) == before
    assert head(side) == commit, "the candidate waits on the lane's branch"


BUSY: dict[str, tuple[Callable[[Project], object], str]] = {
    "main moved on": (lambda p: p.commit(), "moved on"),
    "a merge is not finished": (begin_merge, "a merge is not finished"),
    "no branch is checked out": (lambda p: p.git("checkout", "-q", "--detach"), "git switch"),
    "somebody else works on the index": (lambda p: p.write({".git/index.lock": ""}), "index.lock"),
}


@pytest.mark.parametrize(("change", "words"), BUSY.values(), ids=BUSY)
def test_nothing_lands_while(
    ready: tuple[Lane, str], change: Callable[[Project], object], words: str
) -> None:
    side, commit = ready
    change(side.here)
    before = state(side.here)

    assert words in merge_commit(side.here, commit)
    assert state(side.here) == before


def test_after_main_moved_on_the_candidate_is_made_anew(ready: tuple[Lane, str]) -> None:
    side, commit = ready
    move_main(side.here, {"b.py": "main\n"})

    assert "must be prepared again" in merge_commit(side.here, commit)
    assert side.merge() == ""
    assert tree(side.here) == {**FILES, "a.py": "work\n", "new.py": "new\n", "b.py": "main\n"}


# --- whatever the settings are ---


@pytest.mark.skipif(sys.platform == "win32", reason="the hooks are shell scripts")
def test_no_hook_of_the_repository_runs_from_the_first_step_to_the_last(
    lane_project: Project,
) -> None:
    for name in (
        "pre-commit",
        "commit-msg",
        "post-commit",
        "post-checkout",
        "post-merge",
        "reference-transaction",
        "post-rewrite",
    ):
        hook = lane_project.root / ".git/hooks" / name
        hook.write_text(f"#!/bin/sh\necho {name} >>'{lane_project.root.parent}/ran'\nexit 1\n")
        hook.chmod(0o755)
    side = a_lane(lane_project)
    side.write({"a.py": "work\n"})

    assert (side.merge(), side.clear()) == ("", "")
    assert not (lane_project.root.parent / "ran").exists()


SETTINGS = {
    "line ends of Windows": "core.autocrlf=true init.defaultBranch=trunk/of-it color.ui=always log.showSignature=true",
    "line ends taken in": "core.autocrlf=input diff.noprefix=true diff.renames=copies diff.external=false diff.relative=true",
    "line ends by name": "core.eol=crlf core.autocrlf=false merge.ff=no merge.verifySignatures=true merge.renames=false",
    "hooks and no name": "core.hooksPath=/nonexistent commit.gpgSign=true user.useConfigOnly=true core.logAllRefUpdates=false",
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_two_lanes_land_with(
    tmp_path: Path, settings: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tests.support.project.WHO",
        {"GIT_AUTHOR_NAME": "T", "GIT_AUTHOR_EMAIL": "t@example.invalid"},
    )
    set_up(*settings.split())
    here = Project(tmp_path / "with a space ü", FILES, git=False)
    (here.root / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    here.git("init", "-q")
    changes.run_user_git(str(here.root), "add", "-A")
    quiet = ("-c", "user.name=T", "-c", "user.email=t@example.invalid", "-c", "core.hooksPath=")
    assert changes.run_user_git(str(here.root), *quiet, "commit", "-qm", "first").returncode == 0
    one, two = a_lane(here, "01"), a_lane(here, "02")
    one.write({"a.py": "one\n", "docs/c.md": FILES["docs/c.md"].replace("one", "ONE")})
    two.write(
        {"b.py": "two\n", "docs/c.md": FILES["docs/c.md"].replace("five", "FIVE"), "new.py": "n\n"}
    )
    here.write({".gitignore": FILES[".gitignore"] + "mine\n"})

    assert (worktrees.lanes_unavailable_reason(str(here.root)), one.changes().written) == (
        "",
        ("a.py", "docs/c.md"),
    )
    assert (one.merge(), two.merge(), one.clear(), two.clear()) == ("", "", "", "")
    assert here.git("ls-files", "-m", "-d", "-o").split() == [".gitignore"]
    assert (here.root / "docs/c.md").read_text().split() == ["ONE", "two", "three", "four", "FIVE"]
    assert (here.root / "crlf.txt").read_bytes().splitlines() == [b"one", b"two"]


# --- whatever happens ---

NAMES = ("a.py", "b.py", "docs/c.md", "ü n.txt", "new.py", "other.py")


class Hand:
    """Somebody who edits and commits in one checkout, and remembers what it then held."""

    def __init__(self, p: Project, dice: random.Random, ever: set[str]) -> None:
        self.p, self.dice, self.ever = p, dice, ever

    def work(self, times: int) -> None:
        for _ in range(times):
            name = self.dice.choice(NAMES)
            path = self.p.root / name
            if path.exists() and self.dice.random() < 0.25:
                path.unlink()
            else:
                self.p.write({name: f"{self.dice.random()}\n"})
            if self.dice.random() < 0.6:
                self.p.commit()
                self.ever |= set(self.files().values())

    def files(self) -> dict[str, str]:
        return {
            name: (self.p.root / name).read_text()
            for name in NAMES
            if (self.p.root / name).exists()
        }


def by_hand(
    base: dict[str, str], main: dict[str, str], lane: dict[str, str]
) -> dict[str, str] | None:
    """A merge of whole files; None where both sides changed one in their own ways."""
    merged: dict[str, str] = {}
    for name in NAMES:
        was, ours, theirs = base.get(name), main.get(name), lane.get(name)
        if was != ours != theirs != was:
            return None
        text = theirs if was == ours else ours
        merged |= {} if text is None else {name: text}
    return merged


def object_ids(p: Project, *words: str) -> set[str]:
    return {line.split(" ")[0] for line in p.git("rev-list", "--objects", *words).splitlines()}


@pytest.mark.parametrize("seed", range(6))
def test_whatever_was_committed_is_found_and_main_is_what_a_merge_by_hand_gives(
    project, seed: int
) -> None:
    dice, ever = random.Random(seed), set[str]()
    here = project({name: f"{name} first\n" for name in NAMES[:4]})
    first = {name: f"{name} first\n" for name in NAMES[:4]}
    main = Hand(here, dice, ever)
    hands = [Hand(a_lane(here, f"{number:02}"), dice, ever) for number in (1, 2)]
    for hand in (*hands, main):
        hand.work(dice.randrange(4))
        if hand is not main and dice.random() < 0.3:
            hand.p.git("reset", "-q", "--hard", head(here))  # thrown away, for another try
            hand.work(2)
    here.commit()
    ever |= set(main.files().values())
    for hand in hands:
        side, mine, theirs = hand.p, hand.files(), main.files()
        assert isinstance(side, Lane)
        wanted = by_hand(first, theirs, mine)
        said = side.merge(deletes=NAMES)
        ever |= set(mine.values())
        if wanted is None:
            assert "conflicts" in said
            assert merge.merge_main_into_lane(side.place, str(here.root)) != ()
        else:
            assert said == ""
        assert tree(here) == (theirs if wanted is None else wanted) == main.files()
        assert here.git("status", "--porcelain") == ""
    kept = [hand.p for hand in hands if isinstance(hand.p, Lane) and hand.p.clear()]
    assert all(p.root.exists() for p in kept)
    blobs = {
        hashlib.sha1(b"blob %d\0%s" % (len(text.encode()), text.encode())).hexdigest()
        for text in ever
    }
    there = object_ids(here, "--all").union(
        *(object_ids(p, "--walk-reflogs", "HEAD") for p in kept)
    )
    assert blobs <= there
