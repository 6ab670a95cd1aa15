"""What a transcript tells besides cost: what the judge of the prompt-hook variant said, and whether a task list is offered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from loopwright.agents.claude.judge import parse_judge_answer, rejected_judge_answer
from loopwright.agents.claude.task_list import offers_task_list

ANSWERS = {
    "clean": (
        '{"ok": false, "reason": "next: fix it"}',
        {"ok": False, "reason": "next: fix it"},
        "",
    ),
    "clean and done": ('{"ok": true}', {"ok": True}, ""),
    "fenced": (
        '```json\n{"ok": true, "reason": "complete"}\n```',
        {"ok": True, "reason": "complete"},
        "",
    ),
    "preamble": (
        'Sure, here you go: {"ok": false, "reason": "next: fix it"}',
        {"ok": False, "reason": "next: fix it"},
        "talked around its answer, which the client does not take; it meant: go on (next: fix it).",
    ),
    "afterwords": ('{"ok": true}\nHope this helps!', {"ok": True}, "it meant: stop."),
    "prose": ("I think it is done.", None, "no answer that counts"),
    "empty": ("", None, "no answer that counts"),
    "another schema": ('{"decision": "block", "reason": "r"}', None, "no answer that counts"),
    "a word for a truth": ('{"ok": "false", "reason": "r"}', None, "no answer that counts"),
    "no reason to go on": ('{"ok": false}', None, "gave no reason"),
    "broken": ('{"ok": fal', None, "no answer that counts"),
    "a list": ("[1, 2]", None, "no answer that counts"),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_an_answer_is_found_and_what_is_wrong_with_it_said(case: str) -> None:
    text, answer, wrong = ANSWERS[case]
    found, said = parse_judge_answer(text)

    assert found == answer
    assert (wrong in said) if wrong else said == ""


def error(stdout: str, id: str = "t-1", command: str = "Judge. JSON ONLY:") -> str:
    attachment = {
        "type": "hook_non_blocking_error",
        "hookEvent": "Stop",
        "stderr": "JSON validation failed",
        "stdout": stdout,
    }
    return json.dumps(
        {"type": "attachment", "attachment": {**attachment, "toolUseID": id, "command": command}}
    )


def test_the_last_answer_of_our_judge_is_complained_about(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    lines = [
        error("first words"),
        error('Well: {"ok": true}', "t-2"),
        error("not ours", command="other"),
        "{broken",
        "",
    ]
    path.write_text("\n".join(lines))

    id, said = rejected_judge_answer(str(path))
    assert id == "t-2"
    assert "it meant: stop" in said
    assert rejected_judge_answer(str(tmp_path / "missing")) == ("", "")
    path.write_text('{"type":"user"}\n')
    assert rejected_judge_answer(str(path)) == ("", "")


@pytest.mark.parametrize(
    ("line", "is_offered"),
    [
        (
            '{"attachment":{"type":"deferred_tools_delta","addedNames":["CronCreate","TaskCreate"]}}',
            True,
        ),
        ('{"type":"api-request-shape","shape":{"tools":[{"name":"TaskCreate"}]}}', True),
        ('{"attachment":{"type":"deferred_tools_delta","addedNames":["TaskStop"]}}', False),
        ('{"type":"user","message":{"content":"please use \\"TaskCreate\\""}}', False),
        ("", False),
    ],
)
def test_a_task_list_is_offered_when_the_client_lists_the_tool(line: str, is_offered: bool) -> None:
    path = Path.home() / ".claude/projects/-a-b/session-1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(f"{line}\n")

    assert offers_task_list("session-1") is is_offered
    assert offers_task_list("another") is False
    assert offers_task_list("") is False
    assert offers_task_list("*") is False
