"""Workflow: build, debug or refactor, by the words of the spec. Each has a step 0."""

from __future__ import annotations

from ... import lazy_re as re
from ..loop import Workflow
from ..prompts.workflow_steps import STEP_ZERO
from .demands import split_demands

WORKFLOW_WORDS = {
    "A": ("add", "implement", "create", "extend", "new feature", "build", "write", "support"),
    "B": (
        *("fix", "debug", "repair", "correct", "broken", "error", "fail", "bug", "crash"),
        *("regression", "green", "wrong", "hang", "leak"),
    ),
    "C": (
        "refactor",
        "clean up",
        "cleanup",
        "reorganize",
        "reorganise",
        "migrate",
        "rename",
        "simplify",
        "restructure",
        *("dead code", "dead function", "dead method", "dead class"),
        *("unused code", "unused function", "unused method", "unused class", "unused import"),
        *("type annotation", "type hint"),
    ),
}
# What only gets another place or form, or goes. Files or names of code are named, so it is no part
# of what the product shows.
PARTS = (
    r"(?:settings?|config\w*|options|files?|modules?|functions?|class(?:es)?|helpers?|constants?"
    r"|code)\b[^\n]*?[\w*][/.]\w*"
)
CODE_NAME = r"[\w.*-]*[\w*]/[\w./*-]*|\w+\.\w+|`[^`\n]+`|\w*_\w+|\w+\(\)"
RESTRUCTURES = re.compile(
    r"(?:^|[.!?:]\s+)(?:please )?(?:(?:move|convert|port) (?:\S+ ){0,3}?\S*tests?\b"
    rf"|move (?:\S+ ){{0,3}}?{PARTS}"
    r"|move (?:\S+ ){0,4}?\w[\w./-]*\.\w+ (?:in)?to \w[\w./-]*\.\w+"
    r"|move (?:\S+ ){1,4}?from \w\S*[/.]\S+ (?:in)?to \w\S*[/.]\S+"
    rf"|(?:remove|delete|drop) (?:the (?:\w+ )?)?(?:{CODE_NAME})(?=[\s,.;]|$)"
    r"|(?:remove|delete|drop) (?:(?:all|the|our) )*(?:dead|unused|unreachable|obsolete)\b)"
    rf"|(?:{CODE_NAME}) (?:is|are) "
    r"(?:dead|unused|obsolete|(?:not|never|no longer) (?:used|needed|called))\b"
    r"[^\n]*?\b(?:remove|delete|drop)\b"
)
BEHAVIOUR = re.compile(
    r"(?i)\b(?:reject|raise|throw|print|show|answer|exit|warn|say|support|accept|refuse)e?s?\b"
)
REPAIR_WORDS = ("fix", "debug", "repair", "bug", "regression")
BUILD_WORDS = ("add", "implement", "create", "extend", "build", "write")
# What is quoted is a text or a name, and says nothing of the kind of work.
QUOTED = re.compile(r"`[^`\n]+`|\"[^\"\n]+\"|“[^”\n]+”|(?<!\w)'[^'\n]+'(?!\w)")
# A file is called so: `rename.sh`. And something may have been renamed before the fault was seen.
FILE_NAME = re.compile(r"[\w./-]*\w\.[a-z]\w{0,4}\b")
PAST = re.compile(
    r"(?<!\bbe )\b(?:(?:renam|refactor|reorgani[sz]|migrat|simplifi|restructur)ed|cleaned up)\b"
)
# What says that the work is hard (type 1) or slow (2B) to undo. Everything else is 2A. A thing
# alone is no danger: the production settings, a prerelease, a function that releases a lock.
STORE = r"(?:schemas?|databases?)"
TYPE_1 = (
    rf"(?:migrate|alter|change|split)\w*\b[^.\n]{{0,30}}\b{STORE}",
    rf"{STORE} (?:migration|change)s?",
    rf"(?:drop|delete|truncate|wipe|purge)\w*\b[^.\n]{{0,40}}\b(?:{STORE}|tables?|data)\b",
    r"(?:public|external) apis?\b",
    r"breaking change",
    r"(?:deploy|release|publish|ship|push)\w*\b[^.\n]{0,30}\b(?:production|users|pypi|npm)\b",
    r"(?:cut|make|publish|tag) (?:a |the |our )?(?:new |next )?release\b",
)
TYPE_2B = (r"dependenc", r"upgrade", r"refactor", r"migrate", r"restructure")
ADVERSARIAL = (
    "scope creep: could the spec be read as asking for more?",
    "another reading: what else could its words mean?",
    "an edge case: which input breaks the obvious solution?",
    "false completion: how could every criterion pass and the work still be wrong?",
    "a constraint in conflict: which two demands cannot both hold?",
    "an invented solution: what would be built that nobody asked for?",
    "the wrong audience: who else is affected?",
)


def detect_workflow(spec: str) -> Workflow:
    """The workflow with the most hits; a tie goes to B, then C, then A. No hit is an unsure A.

    A spec that begins with a word of repair is a repair, whatever it says later. One that begins
    with a word of building names errors and failures as things: "Add a list of errors". One that
    builds nothing, and moves tests or settings or removes code by its name, is a refactoring. An
    unsure A has no step 0: a comparison of libraries makes no sense where nothing is built.
    """
    low = spec.lower()
    said = PAST.sub(" ", FILE_NAME.sub(" ", QUOTED.sub(" ", low)))
    hits = {letter: _count_hits(words, said) for letter, words in WORKFLOW_WORDS.items()}
    if _count_hits(BUILD_WORDS, said.removeprefix("please ").partition(" ")[0]):
        hits["B"] = _count_hits(REPAIR_WORDS, said)
    if hits["C"] and _asks_for_behaviour(spec):
        hits["A"] += hits["C"]
        hits["C"] = 0
    most = max(hits.values())
    if _begins_with_repair(said):
        letter = "B"
    elif not hits["A"] and RESTRUCTURES.search(low):
        letter = "C"
    elif most:
        letter = next(letter for letter in "BCA" if hits[letter] == most)
    else:
        return Workflow("A", "", sure=False)
    return Workflow(letter, STEP_ZERO[letter], sure=True)


def _asks_for_behaviour(spec: str) -> bool:
    """Is one of several demands that the product does something new?"""
    demands = split_demands(spec)
    words = WORKFLOW_WORDS["C"]
    others = [each for each in demands if not _count_hits(words, each.lower())]
    return len(demands) > 1 and any(map(BEHAVIOUR.search, others))


def _begins_with_repair(text: str) -> bool:
    """Is one of the first three words one of repair: "fix", "please fix", "bug: …"?"""
    beginning = " ".join(text.split()[:3])
    return _count_hits(REPAIR_WORDS, beginning) > 0


def _count_hits(words: tuple[str, ...], text: str) -> int:
    return sum(len(re.findall(rf"\b{word}", text)) for word in words)


def reversibility(spec: str) -> str:
    """How long it takes to undo the work.

    2A: a minute. 2B: five minutes, so each step needs a checkpoint. 1: hours, so the spec is
    attacked before the work starts.
    """
    # "no new dependencies" does not touch the dependencies.
    low = re.sub(r"\b(no|without|not|never)( \w+){1,2}", "", QUOTED.sub(" ", spec.lower()))
    for kind, words in (("1", TYPE_1), ("2B", TYPE_2B)):
        if any(re.search(rf"\b{word}", low) for word in words):
            return kind
    return "2A"
