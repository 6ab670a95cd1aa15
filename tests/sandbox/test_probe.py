"""The probe measures: what it could do inside decides the word enforced, not the name of the sandbox."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from loopwright.core.runner.sandbox import BLOCKED, SUCCEEDED, SandboxReport, sandbox_text
from loopwright.sandbox.choose import Sandbox, choose_sandbox
from loopwright.sandbox.mounts import Box
from loopwright.sandbox.probe import probe_sandbox
from tests.sandbox.user import needs_bwrap

pytestmark = pytest.mark.sandbox


@pytest.fixture
def root(tmp_path: Path) -> str:
    folder = tmp_path / "code"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    return str(folder)


def probed(wish: str, root: str, **given: object) -> SandboxReport:
    box = Box(profile="agent", root=root).but(**given)
    return probe_sandbox(choose_sandbox(wish, root), box, dict(os.environ))


@needs_bwrap
def test_bubblewrap_holds_and_the_network_is_open_unless_closed(root):
    report = probed("bwrap", root)

    assert report.is_enforced
    assert dict(report.results)["use-network"] == SUCCEEDED
    assert "enforced; blocked: writes outside the project" in sandbox_text(report)


@needs_bwrap
def test_without_network_neither_a_port_nor_an_abstract_socket_is_reached(root):
    report = probed("bwrap", root, network=False)

    assert report.is_enforced
    assert {outcome for _, outcome in report.results} == {BLOCKED}


def test_a_command_that_holds_nothing_in_is_not_enforced(root):
    report = probed("env", root)

    assert not report.is_enforced
    assert {outcome for _, outcome in report.results} == {SUCCEEDED}
    assert sandbox_text(report).startswith("command:env, not enforced; open: writes outside")


def test_the_probe_leaves_no_file_behind(root, tmp_path):
    probed("env", root)

    assert not list(tmp_path.rglob(".loop-probe-*"))
    assert not list(Path(os.environ["HOME"]).rglob("*probe*"))


def test_a_sandbox_that_does_not_start_is_not_enforced(root):
    report = probe_sandbox(Sandbox("command", "false"), Box("agent", root), dict(os.environ))

    assert not report.is_enforced
    assert "not enforced: the probe could not run" in sandbox_text(report)


def test_no_sandbox_says_what_that_means():
    report = SandboxReport("off", why="you switched it off")

    assert sandbox_text(report) == "none (you switched it off); the agent may do what you may do"
    assert sandbox_text(None) == "none"


def test_a_closed_network_that_is_open_is_not_enforced():
    blocked = tuple((n, BLOCKED) for n in ("write-outside", "read-state", "see-processes"))
    report = SandboxReport("srt", (*blocked, ("use-network", SUCCEEDED)), network=False)

    assert not report.is_enforced
    assert report.but(network=True).is_enforced
