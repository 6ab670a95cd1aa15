"""Findings: ways in which the work became easier to prove since the baseline, and their rules."""

from __future__ import annotations

from .record import Record, digest

HIGH = "high"  # refutes the claim; the agent must repair it
MEDIUM = "medium"  # the loop may end, but not as proven: a person must look
LOW = "low"  # the verdict names it
MAX_FINDINGS = 50
# A count of `failures` at the baseline is kept only for a check that is not required.
WORSE_FAILURE_RULES = ("more-failures", "counts-gone")

# What these say of a changed test or script weighs less if its former version passes at the end.
SETTLED_BY_REPLAY = frozenset(
    [
        *("test-deleted", "test-switched-off", "fewer-tests-run", "assertion-cannot-fail"),
        *("tests-skipped", "test-skipped-under-condition", "test-patience-raised"),
        *("test-cases-removed", "test-cases-unreadable", "tests-unreadable", "tests-not-compared"),
        *("assertion-removed", "assertion-loosened", "assertion-widened", "expected-value-changed"),
        *("test-lines-changed", "test-import-redirected", "check-step-added"),
        *("check-command-changed", "check-program-changed"),
    ]
)
SETTLED_TEXT = " (with its former version it passes too)"
# What this says of a file that git ignores weighs less if a clean checkout passes: it has no such.
IGNORED_FILE_RULE = "ignored-file-loaded"
# What this asks is answered if the tests notice small changes of what they test.
TESTS_ALONE_RULE = "only-tests-changed"
SETTLED_BY_STRENGTH_TEXT = " (they notice small changes of what they test)"
SETTLED_WITHOUT_TEXT = " (without it, in a clean checkout, the checks pass too)"
SETTLED_TEXTS = {
    IGNORED_FILE_RULE: SETTLED_WITHOUT_TEXT,
    TESTS_ALONE_RULE: SETTLED_BY_STRENGTH_TEXT,
}


class Rule:
    """The words of one rule. (Not a Record: a journal holds only the id.)"""

    def __init__(self, key_words: str, text: str = "") -> None:
        self.key_words = key_words
        self.text = text or key_words


# Rules by their id. An id is in journals and in --json output, and the key words are part of every
# key that a person has accepted: neither may ever change. To reword a rule, give it a `text`.
RULES = {
    # Tests (ratchet/test_rules/: assertions, changed_tests)
    "test-deleted": Rule("test deleted"),
    "test-switched-off": Rule("test switched off"),
    "tests-skipped": Rule("tests skipped"),
    "test-skipped-under-condition": Rule("test skipped under a condition"),
    "only-some-tests-run": Rule("only some tests run"),
    "test-runner-tampered-with": Rule("the runner is tampered with"),
    "test-patience-raised": Rule("more time or more tries for a test"),
    "test-cases-removed": Rule("cases taken out of a table"),
    "tests-unreadable": Rule("tests that can no longer be read"),
    "assertion-removed": Rule("assertion removed"),
    "assertion-loosened": Rule("assertion loosened"),
    "assertion-widened": Rule("more is let through"),
    "assertion-cannot-fail": Rule("assertion that can no longer fail"),
    "expected-value-changed": Rule("expected value changed"),
    "warning-silenced": Rule("a warning is silenced"),
    # Counts that a tool prints (worse_count_findings)
    "fewer-tests-run": Rule("fewer tests run than at the start"),
    "more-tests-skipped": Rule("more tests are skipped than at the start"),
    "coverage-fell": Rule("less is covered than at the start"),
    "more-problems": Rule("more problems are reported than at the start"),
    "more-failures": Rule("more fails than at the start"),
    "counts-gone": Rule("it printed counts at the start and prints none now"),
    # Settings and command-line options (ratchet/settings_rules/settings.py)
    "settings-unreadable": Rule("settings that cannot be read"),
    "coverage-floor-lowered": Rule("coverage floor lowered"),
    "threshold-loosened": Rule("threshold loosened"),
    "timeout-raised": Rule("time-out or retries raised"),
    "strictness-switched-off": Rule("strictness switched off"),
    "failures-forgiven": Rule("failures forgiven"),
    "tests-excluded": Rule("tests or files left out"),
    "coverage-excluded": Rule("code left out of coverage"),
    "rules-switched-off": Rule("rules switched off"),
    "rules-switched-off-in-part": Rule("rules switched off for a part"),
    "fewer-files-included": Rule("fewer tests or files looked at"),
    "rules-dropped": Rule("rules no longer asked for"),
    "rule-lowered": Rule("rule lowered"),
    # Scripts and programs that the checks run (ratchet/settings_rules/scripts.py, verify/tools.py)
    "command-failure-forgiven": Rule("a failure is forgiven"),
    "check-removed": Rule("a check was removed"),
    "check-command-changed": Rule("what the check runs was changed"),
    "check-program-changed": Rule("the program of the check was changed"),
    "ci-narrowed": Rule("CI runs in fewer cases"),
    "check-program-replaced": Rule("the program that runs the check was replaced"),
    # What surrounds the tests (ratchet/settings_rules/: line_settings, runner_files, shadowing)
    "runner-hook-added": Rule("a hook or plugin of the test runner is new or changed"),
    "runner-setting-changed": Rule("a setting changes what the test runner loads"),
    "settings-take-precedence": Rule("a new settings file takes precedence over another"),
    "make-variable-changed": Rule("a make variable changes how recipes run"),
    "make-goal-is-a-file": Rule("make may no longer run the check, because a file has its name"),
    "check-step-added": Rule("the check runs another step than before"),
    "module-shadowed": Rule("a new module is imported instead of another"),
    "expected-data-changed": Rule("data that tests compare with was changed"),
    "ignored-file-loaded": Rule("the test runner loads a new file that git ignores"),
    # Tests that test something else (ratchet/test_rules/: unit_under_test, plain_tests)
    "test-import-redirected": Rule("a test imports another module than before"),
    "unit-under-test-replaced": Rule("a test replaces the code that it tests"),
    "test-wrapped": Rule("something new is around the tests"),
    "test-lines-changed": Rule("lines of a test are gone or switch it off"),
    # Files and the baseline (repo/baseline.py, drive/proof/comparison.py, policies/final_proof.py)
    "protected-path-changed": Rule("a protected path was changed"),
    "replaced-by-link": Rule("replaced by a link"),
    "too-large-to-compare": Rule("too large to be compared"),
    "submodule-moved": Rule("a submodule is at another commit"),
    "file-left-tree": Rule("a file of the start is still there, but git no longer lists it"),
    "git-ref-changed": Rule("a tag or branch that a check asks git for was changed"),
    "written-during-check": Rule("files written while the check ran"),
    "tree-unreadable": Rule(
        "the tree cannot be told, so nobody knows what changed",
        "the tree cannot be read, so changes cannot be found",
    ),
    "baseline-gone": Rule("the tree of the start is gone"),
    # The final proof in a clean checkout (cleanroom/runs.py)
    "fails-in-clean-room": Rule("the check fails in a clean checkout"),
    "test-missing": Rule("a test that failed at the start did not run at the end"),
    "passes-only-with-new-settings": Rule("passes only with changed settings, hooks or scripts"),
    "passes-only-with-new-helpers": Rule("passes only with changed test helpers or test data"),
    "fails-with-baseline-tests": Rule("fails with the tests and settings of the start"),
    "inner-tests-not-replayed": Rule(
        "tests inside a product file changed, and those of the start could not be put back"
    ),
    "fails-with-committed-tests": Rule(
        "changed before the start, not committed: with the version of the last commit it fails"
    ),
    "passes-without-the-work": Rule("the final tests also pass without the work"),
    "no-product-changed": Rule(
        "only tests, settings or scripts changed: a person must see that they ask for as much"
    ),
    "only-tests-changed": Rule("only tests changed: a person must see that they ask for as much"),
    "document-emptied": Rule("most of a document is gone"),
    "only-document-searched": Rule(
        "what failed at the start only searches a document of which the spec says nothing"
    ),
    "passes-with-failures": Rule("it passes and still prints the failures of the start"),
    "test-no-longer-applies": Rule("a test of the start no longer fits the product"),
    "only-new-tests": Rule("the tests are the agent's own"),
    "product-detects-tests": Rule("product code behaves differently under test"),
    "comparison-says-less": Rule(
        "a method of the product compares or shows less than before",
        "a comparison of the product, which tests may use, was changed",
    ),
    "library-name-redefined": Rule("product code redefines a name of a library that tests use"),
    "fields-hidden": Rule("fields of the product are hidden from comparisons"),
    "process-setting-changed": Rule("product code changes a setting of the whole process"),
    "product-tells-less-apart": Rule(
        "errors or members of the product became the same",
        "an error of the product stands for every error now, or for none",
    ),
    "errors-only-silenced": Rule("the work only keeps errors from being seen"),
    "measure-of-tests-changed": Rule("tests measure with a part of the product that changed"),
    "product-needs-outside": Rule("product code needs something new outside the project"),
    "runner-plugin-added": Rule("a new package can change how the tests run"),
    "clean-checkout-lost": Rule("the clean checkout worked at the start and not at the end"),
    "flaky-in-room": Rule("different results in the same clean checkout"),
    "baseline-not-kept": Rule(
        "the tree of the start was not kept, so nobody knows",
        "the tree of the start was not kept, so changes cannot be found",
    ),
}

# Rules that older versions had. Their findings are in journals.
RETIRED_RULES = {
    "name-of-tests-gone": Rule("unchanged tests use a name that the product no longer has"),
    "assertion-of-product-changed": Rule("a function of the product that asserts was changed"),
    "code-left-out": Rule("code of the product no longer takes part in the build"),
    "generated-file-edited": Rule("a generated file was changed, and nothing that it is made from"),
    "test-cases-unreadable": Rule("the cases of a test can no longer be read"),
    "tests-not-compared": Rule("tests changed, not compared: `loop doctor` says why"),
    "fix-not-for-users": Rule("the tests get a fix that users of the product do not"),
    "old-migration-changed": Rule("a migration of the past was changed"),
    "product-assertion-removed": Rule("an assertion of the product itself is gone"),
    "migration-passed-over": Rule("a migration is passed over: something names it as done"),
    "generator-keeps-output": Rule("a generator keeps a file that is there, and it was changed"),
    "work-not-awaited": Rule("the product no longer waits for work that it begins"),
    "flaky-in-place": Rule("another result on the same tree"),
}


def _rule_of(rule_id: str) -> Rule:
    return RULES.get(rule_id) or RETIRED_RULES.get(rule_id) or Rule(rule_id)


class Finding(Record):
    """One way in which the work became easier to prove since the baseline."""

    severity: str
    rule: str  # its id; a rule of which this version knows nothing: its words
    file: str
    line: int = 0
    before: str = ""
    after: str = ""
    settled: bool = False  # the former version of this file passes on the final product

    @property
    def key(self) -> str:
        """What a person accepts: this change, on whichever line it is."""
        parts = (_rule_of(self.rule).key_words, self.file, self.before, self.after)
        return digest("\0".join(parts).encode("utf-8", "replace"))[:8]

    @property
    def text(self) -> str:
        """The rule in words for people and agents."""
        words = _rule_of(self.rule).text
        if not self.settled:
            return words
        return f"{words}{SETTLED_TEXTS.get(self.rule, SETTLED_TEXT)}"

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    @property
    def may_be_settled(self) -> bool:
        """Would it weigh less if the former version of the file passed on the final product?"""
        # A red test that is gone from an unchanged file refutes the claim, whatever the replay ran.
        is_moved_test = self.rule == "test-missing" and self.severity == MEDIUM
        is_settled_by_run = self.rule in SETTLED_BY_REPLAY or self.rule == IGNORED_FILE_RULE
        return (is_moved_test or is_settled_by_run) and not self.settled


def settle_findings(findings: tuple[Finding, ...], settled: set[str]) -> tuple[Finding, ...]:
    """What is found in a changed test weighs less if the test of the start passes at the end.

    `settled` are those tests, scripts and checks (RoomRun.settled). What refutes the claim becomes
    a question, because a demand is gone, though it is met. A question becomes a note.
    """

    def settle(finding: Finding) -> Finding:
        if finding.file not in settled or not finding.may_be_settled:
            return finding
        severity = MEDIUM if finding.severity == HIGH else LOW
        return finding.but(severity=severity, settled=True)

    return tuple(map(settle, findings))
