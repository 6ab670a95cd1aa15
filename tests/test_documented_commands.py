"""What a stranger who has read only the documents expects of old journals, the help, the plugin and claims."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

import pytest

from tests.support.hook import SESSION, stop
from tests.support.project import CommandResult, Project

TESTS = Path(__file__).resolve().parent
GOLDEN = TESTS / "golden"
OLD = sorted(path.name for path in GOLDEN.glob("journal-1*.jsonl"))
RUNNING = (GOLDEN / "journal-1-running.jsonl").read_bytes().splitlines()
READING = (("status", "--json"), ("why",), ("journal",), ("report",))
# `loop --help`: a row of a command is its name, two columns in, and what it does.
ROW = re.compile(r"^  ([a-z]+) {2,}\S", re.MULTILINE)
DOCUMENTED_CODES = {*range(11), 64}


@pytest.fixture
def with_journal(project: Callable[..., Project]) -> Callable[..., Project]:
    """A project whose journal holds these lines; the user has allowed it where it can be read."""

    def make(*lines: bytes, end: bytes = b"\n") -> Project:
        made = project()
        (made.root / ".loop").mkdir()
        journal_of(made).write_bytes(b"\n".join(lines) + end)
        made.run("allow", "--yes")
        return made

    return make


def journal_of(here: Project) -> Path:
    return here.root / ".loop" / "journal.jsonl"


def line_after(before: bytes, **fields: Any) -> bytes:
    """A line that follows `before` in its chain; a field that is None is left out."""
    prev = blake2b(before, digest_size=16).hexdigest()
    common = {
        "v": 1,
        "seq": json.loads(before)["seq"] + 1,
        "prev": prev,
        "at": 1800000180.0,
        "fence": 1,
        "signal": "signal-4",
        "mirror": "",
        "events": [{"is": "TurnContinued"}],
    }
    given = {name: value for name, value in {**common, **fields}.items() if value is not None}
    return json.dumps(given, separators=(",", ":")).encode()


def said(result: CommandResult) -> str:
    return result.out + result.err


def assert_refused(result: CommandResult) -> None:
    """An error for people: exit code 1, a sentence on stderr, no traceback."""
    assert result.code == 1, said(result)
    assert result.err.strip()
    assert "Traceback" not in said(result)


def commands(here: Project) -> list[str]:
    listing = here.run("--help").out.split("\nexamples:")[0]
    return ROW.findall(listing)


def documented_commands() -> list[str]:
    text = (TESTS.parent / "docs" / "cli.md").read_text(encoding="utf-8")
    return re.findall(r"^### loop (\w+)$", text, re.MULTILINE)


# --- journals of format 1 ---


@pytest.mark.parametrize("name", OLD)
def test_every_old_journal_is_shown_by_every_reading_command(
    name: str, with_journal: Callable[..., Project]
) -> None:
    here = with_journal(*(GOLDEN / name).read_bytes().splitlines())
    facts = json.loads((GOLDEN / name.replace(".jsonl", ".facts.json")).read_text("utf-8"))
    before = journal_of(here).read_bytes()
    results = {words[0]: here.run(*words) for words in READING}

    for word, result in results.items():
        assert "Traceback" not in said(result), word
        if word == "journal" and facts["status"] in ("finished", "cancelled"):
            assert "loop history" in result.err, "the active loop has none"
            continue
        assert result.code == 0, f"loop {word}: {said(result)}"
        assert result.out.strip(), word
    assert results["status"].json["id"] == facts["id"]
    assert results["status"].json["status"] == facts["status"]
    assert "RoundBegan" not in results["journal"].out
    archived = here.root / ".loop" / "history" / facts["id"] / "journal.jsonl"
    kept = archived if archived.exists() else journal_of(here)
    assert kept.read_bytes().startswith(before), "old lines stay as they are"


def test_an_old_loop_that_ends_today_is_reported_from_the_history(
    with_journal: Callable[..., Project],
) -> None:
    here = with_journal(*RUNNING)
    here.run("cancel")
    ended = json.loads(RUNNING[0])["events"][0]["loop"]["id"]

    for words in (("journal", ended), ("report", ended), ("history",)):
        result = here.run(*words)
        assert result.code == 0, f"loop {words}: {said(result)}"
    assert "make done.txt" in here.run("report", ended).out
    assert "CheckRoundStarted" in here.run("journal", ended).out


def test_an_old_archive_from_elsewhere_is_refused_with_the_command_that_explains_it(
    project: Callable[..., Project],
) -> None:
    here = project()
    here.write(
        {
            ".loop/history/20270115-080000-upgrade/journal.jsonl": "\n".join(
                map(bytes.decode, RUNNING)
            )
            + "\n"
        }
    )
    result = here.run("report", "20270115-080000-upgrade")

    assert_refused(result)
    assert "loop audit 20270115-080000-upgrade" in result.err


def test_a_field_that_0_1_0_never_had_leads_to_no_traceback(
    with_journal: Callable[..., Project],
) -> None:
    odd = [{"is": "TurnContinued", "colour": "blue"}]
    here = with_journal(*RUNNING, line_after(RUNNING[2], events=odd))
    result = here.run("status")

    assert "Traceback" not in said(result)
    assert result.code in (0, 1)
    assert result.code == 0 or "colour" in result.err


def test_lines_of_today_follow_old_lines_in_one_loop(with_journal: Callable[..., Project]) -> None:
    here = with_journal(*RUNNING)
    here.run("pause", "lunch")
    here.run("continue")
    here.run("pause", "tea")
    lines = [json.loads(line) for line in journal_of(here).read_text("utf-8").splitlines()]
    shown = here.run("status", "--json")

    assert [line["v"] for line in lines] == [1] * 3 + [2] * (len(lines) - 3)
    assert all(line.get("by") for line in lines[3:])
    assert (shown.code, shown.json["status"]) == (0, "paused")
    assert "tea" in here.run("why").out


def test_an_old_line_after_a_line_of_today_is_read_with_the_old_names(
    with_journal: Callable[..., Project],
) -> None:
    new = line_after(RUNNING[2], v=2, by="0.2.0")
    old_names = [{"is": "TurnEnded", "at": 1800000240.0, "tree": "t2", "counts": True}]
    here = with_journal(*RUNNING, new, line_after(new, v=1, events=old_names))
    shown = here.run("status", "--json")

    assert shown.code == 0, said(shown)
    assert shown.json["iterations"] == 2


@pytest.mark.parametrize("words", READING, ids=lambda words: words[0])
def test_a_journal_of_a_later_format_is_refused_and_the_version_is_named(
    words: tuple[str, ...], with_journal: Callable[..., Project]
) -> None:
    here = with_journal(*RUNNING, line_after(RUNNING[2], v=99, by="9.8.7"))
    result = here.run(*words)

    assert_refused(result)
    assert "9.8.7" in result.err
    assert "99" in result.err


def test_a_later_format_that_names_no_version_still_says_its_format(
    with_journal: Callable[..., Project],
) -> None:
    here = with_journal(*RUNNING, line_after(RUNNING[2], v=99))
    before = journal_of(here).read_bytes()
    result = here.run("status")

    assert_refused(result)
    assert "99" in result.err
    assert "None" not in result.err
    assert not re.search(r"Loopwright +(or|[.,;:])|version +[.,;:]|  +\S+$", result.err)
    assert journal_of(here).read_bytes() == before


@pytest.mark.parametrize("last", [True, False], ids=["last line", "middle line"])
@pytest.mark.parametrize("number", [0, -1, "1", "two", 1.5, True, [], None], ids=repr)
def test_a_format_that_never_was_is_refused_and_the_line_stays(
    number: Any, last: bool, with_journal: Callable[..., Project]
) -> None:
    odd = line_after(RUNNING[2], v=number)
    lines = [*RUNNING, odd] if last else [*RUNNING, odd, line_after(odd, v=2, by="0.2.0")]
    here = with_journal(*lines)
    results = {words[0]: here.run(*words) for words in READING}
    codes = {word: result.code for word, result in results.items()}
    here.run("pause")  # a command that writes
    torn = [path.name for path in (here.root / ".loop").glob("*.torn-*")]

    assert all("Traceback" not in said(result) for result in results.values())
    assert odd in journal_of(here).read_bytes().splitlines(), (codes, torn)
    assert set(codes.values()) == {1}, (codes, torn, results["journal"].err)


# --- the help ---


def test_the_help_lists_every_command_exactly_once(project: Callable[..., Project]) -> None:
    listed = commands(project())

    assert len(listed) == len(set(listed))
    assert sorted(listed) == sorted(documented_commands())


@pytest.mark.parametrize("command", documented_commands())
def test_the_help_of_every_command_has_examples_and_fits_in_100_columns(
    command: str, tmp_path: Path
) -> None:
    result = Project(tmp_path, git=False).run(command, "--help", COLUMNS="100")
    examples = result.out.partition("\nexamples:\n")[2]

    assert (result.code, result.err) == (0, "")
    assert examples.startswith("  loop ")
    assert [line for line in result.out.splitlines() if len(line) > 100] == []


@pytest.mark.parametrize("command", documented_commands())
def test_an_unknown_option_is_wrong_usage_and_names_the_way_out(
    command: str, tmp_path: Path
) -> None:
    result = Project(tmp_path, git=False).run(command, "--no-such-option", stdin="{}")
    if command == "hook":  # «The exit code is always 0»
        assert result.code in (0, 64)
        return

    assert result.code == 64, said(result)
    assert "Traceback" not in said(result)
    assert f"See `loop {command} --help`" in result.err


# --- loop plugin build --out ---


def below(folder: Path) -> Iterator[Path]:
    for top, folders, files in os.walk(folder):
        yield from (Path(top, name) for name in [*folders, *files])


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() for path in below(folder) if path.is_file()
    }


def test_a_plugin_built_twice_into_a_path_with_spaces_is_whole_and_the_same(
    project: Callable[..., Project],
) -> None:
    here = project(git=False)
    out = here.root / "my plug ins" / "über loop"
    first = here.run("plugin", "build", "--out", str(out))
    built = contents(out)
    second = here.run("plugin", "build", "--out", str(out))

    assert first.code == 0, said(first)
    assert second.code == 0, said(second)
    assert contents(out) == built
    assert any(name.endswith("loopwright/__main__.py") for name in built)
    assert any(name.endswith("marketplace.json") for name in built)
    assert [path for path in below(out) if path.is_symlink()] == []
    assert [path for path in below(out) if path.name == "__pycache__"] == []


def test_a_relative_folder_for_the_plugin_is_below_the_working_directory(
    project: Callable[..., Project],
) -> None:
    here = project({"deep/er/a.txt": ""}, git=False)
    result = here.run("plugin", "build", "--out", "my plugin", at="deep/er")

    assert result.code == 0, said(result)
    assert (here.root / "deep/er/my plugin").is_dir()


def test_a_plugin_built_into_a_folder_with_files_of_mine_loses_none_of_them(
    project: Callable[..., Project],
) -> None:
    mine = {"out/thesis.txt": "ten years of work\n", "out/vendor/mine.py": "x = 1\n"}
    here = project(mine, git=False)
    result = here.run("plugin", "build", "--out", "out")

    assert result.code == 1
    assert "Traceback" not in said(result)
    for name, text in mine.items():
        assert (here.root / name).read_text(encoding="utf-8") == text
    assert "out" in result.err


def test_a_file_in_the_place_of_the_plugin_folder_is_an_error_for_people(
    project: Callable[..., Project],
) -> None:
    here = project({"out": "a file\n"}, git=False)
    result = here.run("plugin", "build", "--out", "out")

    assert result.code == 1
    assert "Traceback" not in said(result)
    assert (here.root / "out").read_text(encoding="utf-8") == "a file\n"


# --- loop claim --must-not ---


def test_a_must_not_that_the_agent_reports_pauses_the_loop_with_the_documented_cause(
    project: Callable[..., Project],
) -> None:
    here = project()
    here.start(
        "--criterion", "docs read well", "--must-not", "vendor changed", "--session", SESSION
    )
    claimed = here.run("claim", "--must-not", "vendor changed")
    answer = stop(here, "Sorry.")
    shown = here.run("status", "--json").json

    assert claimed.code == 0, said(claimed)
    assert answer.prompt == ""
    assert shown["status"] == "paused"
    assert "must not: vendor changed" in here.run("why").out
    assert here.run("status", "--exit-code").code == 4


def test_every_exit_code_of_a_claim_without_a_loop_is_documented(
    project: Callable[..., Project],
) -> None:
    result = project().run("claim", "--must-not", "x")

    assert result.code in DOCUMENTED_CODES - {0}
    assert result.err.strip()
