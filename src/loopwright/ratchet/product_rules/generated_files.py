"""Finds generated files that were changed while nothing that they are made from was.

A new file with the name of a target of make is found too: make may take it for made.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...checks.code_files import CODE_SUFFIXES
from ...checks.commands import MAKE_TARGET
from ...checks.reach import MAKE_REFERENCE, MAKE_VARIABLE, MAKEFILES, package_scripts
from ...checks.test_files import DATA, HELPER, TEST
from ...core.findings import MEDIUM, Finding
from ..project import require_baseline
from ..settings_rules.makefiles import phony_goals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping

    from ...checks.references import Sides
    from ..project import Project

GENERATED = re.compile(
    r"(?i)@generated|\bauto-?generated\b|\b(?:generated|made|created|built) (?:by|from|with)\b"
)
NOT_TO_EDIT = re.compile(r"(?i)@generated|\bdo not (?:edit|modify|change)\b")
HEAD_LINES = 6
COMMENTS = ("#", "//", "/*", "*", "--", ";", '"""', "'''")
RECIPE_FILES = (*MAKEFILES, "package.json")
# How a command of the shell names the file that it writes.
OUTPUT = re.compile(
    r"(?<![>&\d=-])>\s*([\w./-]+)|\s(?:-o|--out(?:put)?(?:-file)?)[ =]([\w./-]+)"
    r"|\|\s*tee\s+([\w./-]+)"
)
# The targets of a rule of make, and its recipe.
MAKE_RULE = re.compile(r"(?m)^([\w./%-][\w./% -]*?)\s*::?(?!=)[^\n=]*\n((?:\t[^\n]*\n?)+)")
WORD = re.compile(r"[\w./-]+")
STEP = re.compile(r"&&|\|\||;")
# Programs that do what their arguments say, and nothing of the project besides.
KNOWN_PROGRAM = re.compile(
    r"[@-]*(?:[gmn]?awk|sed|jq|yq|m4|tr|cut|sort|uniq|cat|paste|join|grep|envsubst|xsltproc|protoc"
    r"|flex|bison|gperf|xxd|printf|echo|head|tail|tee|sqlite3|iconv|(?:python|pypy)[\d.]*|perl|ruby"
    r"|node|php|lua[\d.]*|ba?sh)(?=\s|$)"
)
DOCUMENT = re.compile(r"\.(?:md|rst|adoc)$|(?:^|/)(?:docs?|CHANGELOG[^/]*)(?:/|$)")
# A file of packages, or a makefile: another version of a generator writes another file.
MAY_CHANGE_GENERATOR = re.compile(
    r"(?:^|/)(?:[^/]*[._-]lock[^/]*|go\.(?:mod|sum)|requirements[^/]*|Gemfile|Pipfile"
    r"|composer\.json"
    r"|Cargo\.toml|pyproject\.toml|setup\.(?:py|cfg)|package\.json|(?:GNU)?[mM]akefile|[^/]*\.mk)$"
)


def find(project: Project) -> Iterator[Finding]:
    baseline = require_baseline(project)
    others = {
        path: (change.before, change.after)
        for path, change in project.changes.items()
        if baseline.kind_of.get(path, TEST) not in (TEST, HELPER, DATA)
    }
    yield from edited_by_hand(others)
    recipes = baseline.read_files(recipe_paths(project.product))
    yield from written_by_recipes(project.product, project.changes, recipes, baseline.list_files)


def edited_by_hand(changed: Mapping[str, tuple[str | None, str | None]]) -> Iterator[Finding]:
    """The generated code, if nothing else changed with it.

    `changed` has the text at the baseline and at the end of each changed file, without tests. A
    lock file is generated too, but its sources are packages elsewhere.
    """
    code = {name: texts for name, texts in changed.items() if name.endswith(CODE_SUFFIXES)}
    generated = [name for name, texts in code.items() if all(map(_is_generated, texts))]
    if len(generated) == len(changed):
        yield from (Finding(MEDIUM, "generated-file-edited", name) for name in generated)


def _is_generated(text: str | None) -> bool:
    lines = [line.lstrip() for line in (text or "").splitlines()[:HEAD_LINES]]
    # A generator has the same words, in a text.
    head = "\n".join(line for line in lines if line.startswith(COMMENTS))
    return bool(GENERATED.search(head) and NOT_TO_EDIT.search(head))


def recipe_paths(names: Collection[str]) -> list[str]:
    """The files that may say how one of these files is written: those in a folder above it."""
    folders = {""}
    for name in names:
        while name := posixpath.dirname(name):
            folders.add(name)
    return [posixpath.join(folder, file) for folder in sorted(folders) for file in RECIPE_FILES]


def written_by_recipes(
    product: Sides,
    changed: Collection[str],
    recipes: Mapping[str, str],
    list_files: Callable[[], Collection[str]],
) -> Iterator[Finding]:
    """Files of the product that a recipe writes: edited without their source, or made beforehand.

    `product` has both texts of each changed file, and `changed` all that changed.
    """
    edited = [name for name, sides in product.items() if None not in sides]
    yield from written_without_source(edited, changed, recipes, list_files)
    new = [name for name, (before, _) in product.items() if before is None]
    targets = {target for path, text in recipes.items() for target in _make_targets(path, text)}
    for name in new:
        if target := next((row for row in targets if _is_target(name, row)), ""):
            yield Finding(MEDIUM, "make-goal-is-a-file", name, before=f"make {target}")


def _make_targets(path: str, text: str) -> Iterator[str]:
    """What a makefile makes by a recipe; patterns only if the recipe just touches the file."""
    folder, name = posixpath.split(path)
    if name not in MAKEFILES:
        return
    values = dict(MAKE_VARIABLE.findall(text))
    text = MAKE_REFERENCE.sub(lambda m: values.get(m[1], m[0]), text.replace("\\\n", " "))
    phony = phony_goals(text)
    for rule in MAKE_RULE.finditer(text):
        is_stamp = re.search(r"\btouch\s+(?:\$@|\$\(@\))", rule[2])
        for target in rule[1].split():
            if target not in phony and ("%" not in target or is_stamp):
                yield _join(folder, target)


def _is_target(path: str, target: str) -> bool:
    if "%" not in target:
        return path == target
    start, _, end = target.partition("%")
    return path.startswith(start) and path.endswith(end) and len(path) > len(start) + len(end)


def written_without_source(
    product: Collection[str],
    changed: Collection[str],
    recipes: Mapping[str, str],
    list_files: Callable[[], Collection[str]],
) -> Iterator[Finding]:
    """Files of the product that a recipe writes, if nothing that it reads can have changed.

    `product` are changed files that were there at the baseline, and `changed` all that changed.
    `recipes` has the makefiles and the package.json. A recipe counts only if it reads a file of the
    project that is no program: what a program fetches may differ from day to day.
    """
    lines = [line for path, text in recipes.items() for line in _recipe_lines(path, text)]
    for name in product:
        others = {path for path in changed if path != name and not DOCUMENT.search(path)}
        for folder, line in lines:
            if name not in _outputs(folder, line):
                continue
            words = {_join(folder, word) for word in WORD.findall(line)} - {name}
            sources = words & set(list_files())
            is_table = any(not source.endswith(CODE_SUFFIXES) for source in sources)
            if is_table and not any(_may_matter(path, line, words, sources) for path in others):
                yield Finding(MEDIUM, "generated-file-edited", name, before=line.strip()[:200])
                break


def _may_matter(path: str, line: str, words: set[str], sources: set[str]) -> bool:
    """May the step of a recipe write something else because this file changed?"""
    if path in words or any(path.startswith(f"{word}/") for word in words):
        return True
    if MAY_CHANGE_GENERATOR.search(path):
        return True
    if not all(KNOWN_PROGRAM.match(part.strip()) for part in line.split("|")):
        return path.endswith(CODE_SUFFIXES)
    suffixes = {posixpath.splitext(source)[1] for source in sources}
    return posixpath.splitext(path)[1] in suffixes


def _outputs(folder: str, line: str) -> set[str]:
    return {_join(folder, path) for row in OUTPUT.findall(line) for path in row if path}


def _recipe_lines(path: str, text: str) -> Iterator[tuple[str, str]]:
    """Each step of a makefile or a package.json, with the folder in which it runs."""
    folder, name = posixpath.split(path)
    if name == "package.json":
        for script in package_scripts(text).values():
            yield from ((folder, step) for step in STEP.split(script))
        return
    values = dict(MAKE_VARIABLE.findall(text))
    target, needs = "", ""
    for line in text.replace("\\\n", " ").split("\n"):
        line = MAKE_REFERENCE.sub(lambda match: values.get(match[1], match[0]), line)
        if line[:1] in ("\t", " ") and line.strip():
            line = line.replace("$@", target).replace(
                "$<", needs.split()[0] if needs.split() else ""
            )
            yield from ((folder, step) for step in STEP.split(line.replace("$^", needs)))
        elif match := MAKE_TARGET.match(line):
            target, needs = match[1], match[2]


def _join(folder: str, name: str) -> str:
    return posixpath.normpath(posixpath.join(folder, name))
