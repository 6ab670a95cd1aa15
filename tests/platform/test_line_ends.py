"""Files and input with \\r\\n at each line's end mean what they mean without: an editor or git on Windows writes them so."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from loopwright.core.replies.markers import claims_in
from loopwright.importers import shape_md
from loopwright.repo.tree import tree_hash
from loopwright.store import config
from tests.support.hook import (
    OTHER,
    Transcript,
    block,
    run_hook,
    says,
    stop,
    stop_event,
)
from tests.support.project import Project


def windows_lines(text: str) -> bytes:
    return text.replace("\n", "\r\n").encode()


def rewrite(path: Path) -> None:
    """Every line end of the file becomes \\r\\n, as an editor there would save it."""
    path.write_bytes(windows_lines(path.read_text(encoding="utf-8")))


# --- state.json ---


def test_a_mirror_saved_by_such_an_editor_is_no_edit(session_project: Project, project) -> None:
    other: Project = project()
    other.start("--criterion", "docs read well", "--session", OTHER)
    rewrite(session_project.root / ".loop/state.json")
    prompt = stop(session_project, "Looked around.").prompt

    assert prompt.startswith("unmet criteria")
    assert prompt == stop(other, "Looked around.", OTHER).prompt
    assert [event["is"] for event in session_project.events()] == [
        event["is"] for event in other.events()
    ]
    assert b"\r" not in (session_project.root / ".loop/state.json").read_bytes()


def test_claims_in_such_a_mirror_are_heard(session_project: Project) -> None:
    session_project.edit_state(criteriaStatus={"docs read well": True}, exit_signal=True)
    rewrite(session_project.root / ".loop/state.json")

    assert stop(session_project, "Done.").prompt == ""
    assert session_project.ended.status == "finished"
    assert not session_project.ended.verdict.proven


def test_a_loop_that_a_model_wrote_so_is_adopted(project, tmp_path: Path) -> None:
    here: Project = project()
    transcript = Transcript(tmp_path / "session.jsonl", time.time() - 60).assistant(says("hello"))
    state: dict[str, Any] = {
        "spec": "tidy up",
        "criteria": ["a is tidy"],
        "criteriaStatus": {"a is tidy": False},
        "steps": ["sweep"],
    }
    (here.root / ".loop").mkdir()
    (here.root / ".loop/state.json").write_bytes(
        windows_lines(json.dumps({**state, "status": "in_progress"}, indent=2))
    )

    assert "a is tidy" in stop(here, "Working.", transcript_path=str(transcript.path)).prompt
    assert (here.loop.spec, [c.name for c in here.loop.criteria]) == ("tidy up", ["a is tidy"])


# --- SHAPE.md, settings, specs ---

SHAPES = {
    "keys": '# Shape\n\ncriteria:\n- tests pass\n- docs read well\n\nmustNot:\n- "public API changed"\n',
    "headings": "## Success criteria\n\n* tests pass\n* [ ] docs read well\n\n## Must NOT\n\n- break the build\n",
    "table": "## Criteria\n- tests pass\n\n| a | b | c |\n|---|---|---|\n| tests pass | execution output | `pytest -q` |\n",
    "yaml": "```yaml\ncriteria:\n  - tests pass\nverification:\n  tests pass: execution output\n```\n",
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES)
def test_shape_md(project, text: str) -> None:
    assert shape_md.read(windows_lines(text).decode()) == shape_md.read(text)
    here: Project = project({"readme.md": "x\n", ".loop/shape/SHAPE.md": text})
    rewrite(here.root / ".loop/shape/SHAPE.md")
    here.start("--criterion", "one more")

    assert [c.name for c in here.loop.criteria] == [
        *(c.name for c in shape_md.read(text).criteria),
        "one more",
    ]
    assert [c.name for c in here.loop.must_not] == [c.name for c in shape_md.read(text).must_not]


def test_settings_of_the_user_and_of_the_project(project) -> None:
    here: Project = project(
        {".loop.toml": "# ours\n[limits]\niterations = 3\n\n[check]\ntimeout = 60\n"}
    )
    rewrite(here.root / ".loop.toml")
    path = Path(config.user_file())
    path.parent.mkdir(parents=True)
    path.write_bytes(
        windows_lines(
            'shape = "tool"\n[limits]\nstuck = 7\n[prices]\n"my-model" = "1/5/0.1/1.25"\n'
        )
    )

    known = config.settings(str(here.root))
    assert (
        known["limits.iterations"],
        known["limits.stuck"],
        known["check.timeout"],
        known["shape"],
    ) == (3, 7, 60, "tool")
    assert "my-model" in {price.model for price in config.prices()}
    assert here.run("config", "limits.stuck", "9").code == 0
    assert config.settings()["limits.stuck"] == 9
    assert config.settings()["shape"] == "tool"


SPEC = "Fix all failing tests in readme.md\n\nSuccess criteria:\n- docs read well\n- lint clean\n\n1. read it\n2. write it\n"


@pytest.mark.parametrize("way", ["file", "stdin", "argument"])
def test_a_spec(project, way: str) -> None:
    plain, other = project(), project()
    plain.run("start", SPEC, "--score", "9", "--yes")
    text = windows_lines(SPEC).decode()
    (other.root / "../spec.md").write_bytes(text.encode())
    words = {"file": ("--file", "../spec.md"), "stdin": ("-",), "argument": (text,)}[way]

    assert other.run("start", *words, "--score", "9", "--yes", stdin=text).code == 0
    assert [c.name for c in other.loop.criteria] == [c.name for c in plain.loop.criteria] != []
    assert other.loop.steps == plain.loop.steps
    assert other.loop.workflow == plain.loop.workflow


# --- what the client and the agent say ---


def test_a_hooks_input(session_project: Project) -> None:
    data = json.dumps(
        stop_event(
            session_project, block({"docs read well": True}, exit=True).replace("\n", "\r\n")
        ),
        indent=2,
    )

    assert run_hook(windows_lines(data) + b"\r\n").prompt == ""
    assert session_project.ended.status == "finished"


def test_a_status_block() -> None:
    said = (
        block({"docs read well": True}, "STEP_DONE: one | it works", "ASK: which?", exit=True)
        + "\n<loop-complete>"
    )

    assert claims_in(said.replace("\n", "\r\n")) == claims_in(said)


# --- git's own files ---


@pytest.mark.parametrize("place", [".gitignore", ".git/info/exclude"])
def test_patterns_that_git_ignores_by(project, place: str) -> None:
    here: Project = project()
    here.write({place: "*.log\nout/\n"})
    rewrite(here.root / place)
    (here.root / ".loop").mkdir()
    before = tree_hash(str(here.root), str(here.root / ".loop"))
    here.write({"a.log": "x\n", "out/b": "x\n"})

    assert before
    assert tree_hash(str(here.root), str(here.root / ".loop")) == before
    here.write({"a.txt": "x\n"})
    assert tree_hash(str(here.root), str(here.root / ".loop")) != before
