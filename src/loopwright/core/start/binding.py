"""Which of the repository's own checks a criterion means, and which ones run beside it.

A criterion means a check if its words have a topic and a state: "all tests pass" means the tests,
"add tests for the parser" does not.
"""

from __future__ import annotations

from posixpath import commonprefix

from ... import lazy_re as re
from ..criteria import Check, Criterion, OfferedCheck

# What a person or an agent writes after NAME=@, and the criterion of the repository's own check.
CHECK_KINDS = {
    "tests": "tests pass",
    "lint": "lint clean",
    "types": "no type errors",
    "build": "build succeeds",
}
KIND_MARK = "@"
# Criterion → the words that speak of it.
TOPICS = {
    # A test or a file of tests may be named: `test_total`, `cart.test.js`.
    "tests pass": r"\b(tests?|pytest|unittest|jest|vitest)\b|\btest_\w+|\b\w+_test\.\w+",
    "lint clean": r"\b(lint\w*|ruff|eslint|flake8|clippy|style errors?)\b",
    "no type errors": r"\b(type[ -]?check\w*|type errors?|typing|mypy|pyright|tsc)\b",
    "build succeeds": (
        r"\b(the build|build errors?|builds? (again|passes|succeeds|is green)|compil\w+)\b"
    ),
}
STATE = re.compile(
    r"\b(pass(es|ed|ing)?|green|fixed|clean|succeed(s|ed)?|ok|happy|resolved|repaired|compiles)\b"
    r"|\b(no|zero|0|without|free of)\b.*\b(fail\w*|errors?|warnings?|problems?|issues?)\b"
    r"|\b(not|n't|no longer|never) fail\w*\b",
    re.I,
)
SHOWS_FAULTS = re.compile(r"\b(?:list|show|report|find|print|complain|tell|name)s?\b", re.I)
REPAIR = re.compile(r"\b(fix\w*|repair\w*|fail(s|ing|ed|ures?)?|broken|until|make)\b", re.I)
# These words ask for something that a passing check does not show.
MORE_THAN_A_RUN = re.compile(
    r"\b(add(s|ed)?|writ(e|es|ten)|creat(e|es|ed)|implement\w*|introduc\w+|extend\w*|generat\w+"
    r"|new (\w+ )?tests?|cover(s|ed|ing|age)?|exists?|missing|remov\w+|delet\w+|skip\w*|renam\w+"
    r"|document\w*|e2e|end[ -]to[ -]end|integration|acceptance|manual|smoke|load|browser"
    r"|performance)\b",
    re.I,
)
TEST_FILE = re.compile(r"\b(?:test_\w+|\w+_tests?|[\w-]+[._-](?:test|spec))\.[a-z]\w*\b")
PURPOSE = re.compile(r"(?i)\b(?:so that|such that|until|to make|to get|to turn)\b([^.;\n]*)")
CLAUSE_END = re.compile(r"\band\b|\bso that\b|[,;&+\n]|\. ", re.I)
COMMAND = "<command>"
QUOTED_COMMAND = re.compile(r"`([\w./-]+ [^`\n]+)`")
ONLY_STATE = re.compile(r"(they |it |all )?(all )?(is |are |stays? |remains? |keeps? )?\w+", re.I)


def topics_of(text: str) -> tuple[str, ...]:
    """The criteria that the words speak of."""
    return tuple(name for name, pattern in TOPICS.items() if re.search(pattern, text, re.I))


def meant_checks(name: str) -> tuple[str, ...]:
    """The repository's checks that a criterion asks for, with or without something else."""
    clauses = _clauses(name)
    about_a_run = " and ".join(c for c in clauses if not MORE_THAN_A_RUN.search(c))
    if not STATE.search(about_a_run) and not _is_bare_topic(name):
        return ()
    return topics_of(about_a_run) or topics_of(name)


def checks_wanted_by_spec(spec: str) -> tuple[str, ...]:
    """The repository's checks that the person's own words ask to repair or to keep passing."""
    topics: dict[str, None] = {}
    is_asked = False
    for clause in _clauses(spec):
        is_asked = bool(STATE.search(clause) or REPAIR.search(clause)) or (
            is_asked and _begins_with_topic(clause)
        )
        if is_asked and not MORE_THAN_A_RUN.search(clause):
            topics |= dict.fromkeys(topics_of(clause))
    return tuple(topics)


def asks_until_checks_pass(spec: str) -> bool:
    """Is all that the spec asks for done when the checks pass: "implement it so that …"?"""
    return any(checks_wanted_by_spec(match[1]) for match in PURPOSE.finditer(spec))


def names_test_file(spec: str) -> bool:
    """Does the spec point to a file of tests that is there, and not only ask to write in it?"""
    return any(
        TEST_FILE.search(clause) and not MORE_THAN_A_RUN.search(clause) for clause in _clauses(spec)
    )


def _begins_with_topic(clause: str) -> bool:
    """Is it a further object of the verb before it, as in "fix the tests and lint errors"?"""
    object_words = re.sub(r"^((all|any|every|the) )+", "", clause, flags=re.I)
    return any(re.match(pattern, object_words, re.I) for pattern in TOPICS.values())


def is_only_a_run(name: str) -> bool:
    """Does a passing run of the checks it means show all that the criterion says?"""
    return all(map(_is_about_a_run, _clauses(name)))


def _is_about_a_run(clause: str) -> bool:
    if MORE_THAN_A_RUN.search(clause):
        return False
    return bool(topics_of(clause) or (ONLY_STATE.fullmatch(clause) and STATE.search(clause)))


def _clauses(text: str) -> list[str]:
    return [clause.strip() for clause in CLAUSE_END.split(text) if clause.strip()]


def _is_bare_topic(name: str) -> bool:
    """Is the name nothing but a topic, such as `lint` or `pytest`?"""
    return any(re.fullmatch(pattern, name.strip(), re.I) for pattern in TOPICS.values())


def bind_criteria(
    criteria: tuple[Criterion, ...], detected: dict[str, Check]
) -> tuple[Criterion, ...]:
    """The criteria, with the repository's command for those that mean it and have no check."""
    return tuple(c if c.check else c.but(check=_check_for(c.name, detected)) for c in criteria)


def _check_for(name: str, detected: dict[str, Check]) -> Check | None:
    if name in detected:
        return detected[name]
    meant = meant_checks(name)
    if not meant or not is_only_a_run(name) or not all(topic in detected for topic in meant):
        return None
    checks = [detected[topic] for topic in meant]
    if len(checks) == 1:
        return checks[0]
    # Each command is a shell line of our own table, so that it can be joined.
    line = " && ".join(f"({check.command_line})" for check in checks)
    return checks[0].but(command=line)


def repository_checks_beside(
    criteria: tuple[Criterion, ...], detected: dict[str, Check], spec: str
) -> tuple[tuple[Criterion, ...], tuple[Criterion, ...]]:
    """The repository's checks that no criterion runs: those that are asked for, and the others.

    A check that the person typed under the same name replaces the repository's.
    """
    names = {c.name for c in criteria}
    replaced = {c.name for c in criteria if _is_typed(c)}
    wanted = {name for c in criteria if not _is_typed(c) for name in meant_checks(c.name)}
    wanted |= {*checks_wanted_by_spec(spec)}
    wanted |= {name for name, check in detected.items() if is_asked_for(check.command_line, spec)}
    asked_for: list[Criterion] = []
    others: list[Criterion] = []
    for name, check in detected.items():
        if name in replaced or any(_runs(c, check.command_line) for c in criteria):
            continue
        beside = Criterion(f"{name} (repository)" if name in names else name, check)
        (asked_for if name in wanted else others).append(beside)
    return tuple(asked_for), tuple(others)


def is_asked_for(command: str, spec: str) -> bool:
    """Does the spec say of this very command that it fails, must pass, or shows what is wrong?"""
    said = re.compile(rf"(?<![\w/-]){re.escape(command)}(?![\w-])")
    clauses = [clause for clause in _clauses(said.sub(COMMAND, spec)) if COMMAND in clause]
    patterns = (STATE, REPAIR, SHOWS_FAULTS)
    return any(pattern.search(clause) for clause in clauses for pattern in patterns)


def commands_of_spec(
    criteria: tuple[Criterion, ...], detected: dict[str, Check], spec: str
) -> tuple[OfferedCheck, ...]:
    """What the spec quotes and wants to pass: a tool of the checks found, with other words."""
    lines = {name: check.command_line.split() for name, check in detected.items()}
    offers = []
    for command in dict.fromkeys(QUOTED_COMMAND.findall(spec)):
        # `go vet -all` is closer to `go vet` than to `go test`.
        shared = {name: commonprefix([command.split(), words]) for name, words in lines.items()}
        name = max(shared, key=lambda each: len(shared[each]), default="")
        runs_anyway = any(_runs(c, command) for c in criteria) or command.split() in lines.values()
        if name and shared[name] and not runs_anyway and is_asked_for(command, spec):
            offers.append(OfferedCheck(name, command, "your spec names it"))
    return tuple(offers)


def _is_typed(c: Criterion) -> bool:
    """Did the person type its command?"""
    return bool(c.check and c.check.origin == "typed")


def _runs(c: Criterion, command: str) -> bool:
    """Does the criterion run this command, alone or joined with others of the repository?"""
    if not c.check:
        return False
    joined = c.check.origin == "detected" and f"({command})" in c.check.command_line
    return joined or c.check.command_line == command
