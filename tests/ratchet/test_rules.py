"""The rules of the ratchet: fixed ids, and keys that stay valid for journals of version 0.1.0."""

import re
from hashlib import blake2b
from pathlib import Path

import pytest

import loopwright
from loopwright.core.findings import HIGH, MEDIUM, RETIRED_RULES, RULES, Finding, Rule
from loopwright.core.proof.events import BaselineCompared, FindingsAccepted
from loopwright.core.record import decode
from loopwright.ratchet import findings
from loopwright.store.upgrade import upgrade
from loopwright.views.facts import finding_fields
from tests.support.pairs import changes, known_pairs

SOURCES = sorted(Path(loopwright.__file__).parent.rglob("*.py"))
# The words that 0.1.0 wrote for each rule. They are part of accepted keys: never edit a line here.
WORDS_OF_0_1_0 = {
    "test-deleted": "test deleted",
    "test-switched-off": "test switched off",
    "tests-skipped": "tests skipped",
    "test-skipped-under-condition": "test skipped under a condition",
    "only-some-tests-run": "only some tests run",
    "test-runner-tampered-with": "the runner is tampered with",
    "test-patience-raised": "more time or more tries for a test",
    "test-cases-removed": "cases taken out of a table",
    "test-cases-unreadable": "the cases of a test can no longer be read",
    "tests-unreadable": "tests that can no longer be read",
    "assertion-removed": "assertion removed",
    "assertion-loosened": "assertion loosened",
    "assertion-widened": "more is let through",
    "assertion-cannot-fail": "assertion that can no longer fail",
    "expected-value-changed": "expected value changed",
    "warning-silenced": "a warning is silenced",
    "fewer-tests-run": "fewer tests run than at the start",
    "more-tests-skipped": "more tests are skipped than at the start",
    "coverage-fell": "less is covered than at the start",
    "more-problems": "more problems are reported than at the start",
    "settings-unreadable": "settings that cannot be read",
    "coverage-floor-lowered": "coverage floor lowered",
    "threshold-loosened": "threshold loosened",
    "timeout-raised": "time-out or retries raised",
    "strictness-switched-off": "strictness switched off",
    "failures-forgiven": "failures forgiven",
    "tests-excluded": "tests or files left out",
    "coverage-excluded": "code left out of coverage",
    "rules-switched-off": "rules switched off",
    "rules-switched-off-in-part": "rules switched off for a part",
    "fewer-files-included": "fewer tests or files looked at",
    "rules-dropped": "rules no longer asked for",
    "rule-lowered": "rule lowered",
    "command-failure-forgiven": "a failure is forgiven",
    "check-removed": "a check was removed",
    "check-command-changed": "what the check runs was changed",
    "check-program-changed": "the program of the check was changed",
    "check-program-replaced": "the program that runs the check was replaced",
    "protected-path-changed": "a protected path was changed",
    "replaced-by-link": "replaced by a link",
    "too-large-to-compare": "too large to be compared",
    "written-during-check": "files written while the check ran",
    "tree-unreadable": "the tree cannot be told, so nobody knows what changed",
    "baseline-gone": "the tree of the start is gone",
    "baseline-not-kept": "the tree of the start was not kept, so nobody knows",
}


def key_of_0_1_0(words: str, file: str, before: str, after: str) -> str:
    joined = "\0".join((words, file, before, after)).encode("utf-8", "replace")
    return blake2b(joined, digest_size=16).hexdigest()[:8]


def test_the_words_of_a_key_never_change() -> None:
    known = RULES | RETIRED_RULES
    key_words = {rule_id: rule.key_words for rule_id, rule in known.items()}

    assert {rule_id: key_words.get(rule_id) for rule_id in WORDS_OF_0_1_0} == WORDS_OF_0_1_0
    assert len(set(key_words.values())) == len(key_words), "two rules have the same words"


@pytest.mark.parametrize("rule_id", RULES)
def test_every_rule_has_a_plain_id_that_is_in_the_table_once_and_used(rule_id: str) -> None:
    assert re.fullmatch(r"[a-z]+(?:-[a-z]+)+", rule_id)
    texts = [path.read_text(encoding="utf-8") for path in SOURCES]

    assert sum(text.count(f'"{rule_id}": Rule(') for text in texts) == 1
    assert sum(len(re.findall(rf'"{rule_id}"(?!: Rule\()', text)) for text in texts) >= 1


def test_every_rule_that_the_pairs_break_is_in_the_table() -> None:
    pairs = [changes(path) for path in known_pairs()]
    broken = {finding.rule for pair in pairs for finding in findings(pair, ())}

    assert len(broken) > 10
    assert broken <= RULES.keys()


@pytest.mark.parametrize(
    ("finding", "key"),
    [
        (Finding(HIGH, "test-deleted", "tests/test_a.py", 3, "test_total"), "c3ffda09"),
        (Finding(MEDIUM, "expected-value-changed", "t.py", 7, "a == 7", "a == 8"), "5a5cbb6d"),
        (Finding(HIGH, "fewer-tests-run", "tests pass", 0, "9 tests", "8 tests"), "e491fa0d"),
        (Finding(HIGH, "baseline-gone", "refs/loop", 0, "c0ffee"), "7e31a532"),
    ],
)
def test_keys_are_those_of_0_1_0(finding: Finding, key: str) -> None:
    words = WORDS_OF_0_1_0[finding.rule]

    assert finding.key == key_of_0_1_0(words, finding.file, finding.before, finding.after)
    assert finding.key == key


def test_a_rule_that_is_reworded_keeps_its_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    finding = Finding(HIGH, "test-deleted", "tests/test_a.py", 3, "test_total")
    key = finding.key
    monkeypatch.setitem(RULES, "test-deleted", Rule("test deleted", "a test is gone"))

    assert (finding.key, finding.text) == (key, "a test is gone")


def test_a_rule_that_is_not_in_the_table_is_its_own_words() -> None:
    finding = Finding(HIGH, "test renamed", "t.py")

    assert finding.text == "test renamed"
    assert finding.key == key_of_0_1_0("test renamed", "t.py", "", "")


@pytest.mark.parametrize("words", [*WORDS_OF_0_1_0.values(), "words that no version has"])
def test_a_finding_that_was_accepted_in_a_journal_of_format_1_stays_accepted(words: str) -> None:
    accepted = key_of_0_1_0(words, "t.py", "one", "two")
    plain = {"is": "Finding", "severity": HIGH, "rule": words, "file": "t.py"}
    plain |= {"line": 4, "before": "one", "after": "two"}

    compared = decode(upgrade({"is": "LookedBack", "tree": "t1", "findings": [plain]}))
    order = decode(upgrade({"is": "FindingsAccepted", "keys": [accepted]}))

    assert isinstance(compared, BaselineCompared)
    assert isinstance(order, FindingsAccepted)
    [finding] = compared.findings
    assert finding.key in order.keys
    known = RULES | RETIRED_RULES
    assert finding.text == (known[finding.rule].text if finding.rule in known else words)
    assert (finding.rule in known) == (words in WORDS_OF_0_1_0.values())


def test_json_has_the_words_and_the_id() -> None:
    finding = Finding(HIGH, "test-deleted", "tests/test_a.py", 3, "test_total")

    assert finding_fields(finding) == {
        "severity": "high",
        "rule": "test deleted",
        "id": "test-deleted",
        "file": "tests/test_a.py",
        "line": 3,
        "before": "test_total",
        "after": "",
        "settled": False,
        "key": finding.key,
    }


def test_only_the_ratchet_makes_findings_about_files() -> None:
    package = Path(loopwright.__file__).parent
    makers = {
        path.relative_to(package) for path in SOURCES if "Finding(" in path.read_text("utf-8")
    }
    outside = {str(path) for path in makers if path.parts[0] not in ("core", "ratchet")}

    # These two are about runs of checks, and about a criterion or the loop.
    assert outside == {"cleanroom/findings.py", "drive/proof/comparison.py"}
