"""Trust: this exact command, in this place, on this machine. Nothing of it lies in the repository."""

from __future__ import annotations

import os
from pathlib import Path

from loopwright.core.criteria import Check
from loopwright.store import trust
from loopwright.store.folder import LoopFolder


def test_nothing_is_allowed_until_somebody_says_so(tmp_path: Path) -> None:
    assert not trust.is_allowed(LoopFolder(str(tmp_path)), Check("make test"))


def test_what_is_allowed_is_that_exact_command_in_that_place(tmp_path: Path) -> None:
    here, there = LoopFolder(str(tmp_path / "here")), LoopFolder(str(tmp_path / "there"))
    trust.allow_check(here, Check("make test"))

    assert trust.is_allowed(here, Check("make test"))
    assert trust.is_allowed(here, Check("make test", timeout=9, origin="file"))
    assert not trust.is_allowed(here, Check("make test "))
    assert not trust.is_allowed(here, Check(("make", "test")))
    assert not trust.is_allowed(there, Check("make test"))


def test_denied_again_it_is_forgotten(tmp_path: Path) -> None:
    here = LoopFolder(str(tmp_path))
    trust.allow_check(here, Check(("make", "test")))
    trust.deny_check(here, Check(("make", "test")))
    trust.deny_check(here, Check(("make", "test")))

    assert not trust.is_allowed(here, Check(("make", "test")))


def test_the_record_lies_outside_the_project(tmp_path: Path) -> None:
    trust.allow_check(LoopFolder(str(tmp_path)), Check("make test"))

    assert list(tmp_path.rglob("*")) == []
    assert any(Path(os.environ["XDG_STATE_HOME"]).rglob("allowed/*"))
