"""Which changed files serve the tests although their place does not say so.

Unchanged tests and settings refer to them: helpers that assert, tables of expected values, setup
files and plugins. A file to which the product refers as well is product.
"""

from __future__ import annotations

import posixpath

from .. import lazy_re as re
from .code_files import CODE_SUFFIXES, SCRIPT_SUFFIXES
from .surroundings import GRAVE_KINDS, SETTINGS, surrounding_kind
from .test_files import DATA, HELPER
from .value_modules import are_values_tested, has_only_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Sides = Mapping[str, tuple[str | None, str | None]]  # path → text at the start and at the end

# Names of files that say nothing; the folder has the name then.
NAMELESS = ("lib", "mod", "index", "main", "__init__")
MANIFESTS = ("package.json", "pyproject.toml", "Cargo.toml", "setup.cfg", "setup.py", "go.mod")
ASSERTS = re.compile(
    r"(?m)^\s*assert\b|raise AssertionError|\bself\.assert\w+\("
    r"|^\s*(?:import|from) (?:pytest|unittest)"
    r"|\bt\.(?:Error|Fatal)f?\(|\bassert(?:_eq|_ne)?!|require\(['\"](?:node:)?assert|\bexpect\("
)
ASSERTING_LINE = re.compile(r"assert|expect|strictEqual|should|!=|==")
# How a helper ends a test without a word of a test library.
FAILS = re.compile(r"\b(?:raise|throw|panic|abort|die)\b|\bexit\(|\bfail\w*\(")
PRODUCT_FOLDER = re.compile(r"(?:[\w@-]+/)*(?:lib|src|app)/")
RAISES = re.compile(r"[rR]aises|[tT]hrows|toThrow|should_panic")
LOADED_BY_SETTINGS = (
    r"(?:setup\w*|global\w+|testEnvironment|[rR]unner|reporters?|[rR]esolver|require|preload)"
    r"\W[^\n]{{0,200}}\b{word}\b|-p[ =]?{word}\b"
)
LOADED_BY_CONFTEST = r"pytest_plugins[^\n]*\b{word}\b"
DEFINED = re.compile(
    r"(?:\bdef|\bclass|\bfunction|\bconst|\blet|\bfn|\bfunc|macro_rules!|exports\.)\s*(\w+)"
)
PYTHON_METHOD = re.compile(r"(?m)^[ \t]+(?:async )?def (\w+)\(self\b")
# A line that does more than to ask whether a file is there.
BRANCHES = re.compile(r"\b(?:if|elif|while|case|exit|return|include|source)\b|&&|\|\||\bwildcard\b")
COMPARED = re.compile(r"\$\(|\$\{?(?:got|actual|out\w*|res\w*)\b")
# How a test runs a file as a program: by an interpreter whose language we do not read.
INTERPRETED = (
    r"\b(?:[gmn]?awk|sed|jq|yq|bc|dc|m4|lua(?:jit)?[\d.]*|Rscript|julia|octave|tclsh|expect|guile"
    r"|racket|elixir|escript|groovy|scala|runghc|ocaml|clojure|sbcl|emacs|pwsh|gnuplot|xsltproc"
    r"|sqlite3|psql|mysql|duckdb)\b[^|;&\n]*[\s\"'/=<]{word}(?![\w.-])"
)
# Its output is caught or compared, so the test looks at what the program does.
CAUGHT_BEFORE = re.compile(r"\$\([^)]*$|`[^`]*$")
CAUGHT_AFTER = re.compile(r"^[^;&\n]*?(?:>\s*[\w\"'$./]|\|\s*(?:diff|cmp|tee)\b)")
PREREQUISITES = re.compile(r"^[\w./$() %-]+::?(?!=)")
# How a recipe takes its steps from a file.
LIST_OF_STEPS = (
    r"(?:\$\(|`|\bshell)\s*(?:cat|<)\s*[\w./-]*\b{word}\b|\bcat [\w./-]*\b{word}\b *\|"
    r"|\bxargs (?:-a|--arg-file)[ =]*[\w./-]*\b{word}\b"
)
# Input and expected output of a case, by the end of the name.
CASE_SUFFIXES = (".in", ".out", ".input", ".output", ".expected", ".exp", ".want", ".ans")
# A line by which code takes in another file.
IMPORT_LINE = re.compile(
    r"(?m)^[ \t]*(?:#[ \t]*include|require(?:_relative|_once)?|import|from|use|mod)\b.*"
)
RUST_MODULE = re.compile(r"(?m)^[ \t]*(?:pub(?:\([^)]*\))? )?mod (\w+);")
# Data to try things out with, which a product may hold for its demo.
SAMPLE = re.compile(
    r"(?:^|[/_.-])(?:samples?|demos?|dummy|dummies|fakes?|seeds?|sample_?data)(?=[/_.-])"
)
# Functions of tests and of the language, which only look at a value.
LOOKS_ONLY = re.compile(r"assert\w*|expect|len|type|isinstance|str|repr|list|sorted|set|dict|print")
LISTING = r"\b(?:i?r?glob|iterdir|listdir|scandir|walk|wildcard|[rR]ead_?[dD]ir\w*|find)\b"
PATTERN_OF_FILES = r"(?:/[\w.-]*\*|\*\.\w|['\"]\*)"
# Where a program is started, and that it looks whether a file is there.
WORKING_FOLDER = re.compile(
    r"\bprocess\.cwd\(|\bgetcwdb?\(|\bPath\.cwd\(|\bos\.Getwd\(|\bDir\.(?:pwd|getwd)\b"
    r"|\bcurrent_dir\(|\buser\.dir\b|\bGetCurrentDirectory\(|\bcurrentDirectoryPath\b"
)
MAY_BE_ABSENT = re.compile(
    r"(?i)exists?\b|exists\w*\(|is_?file\b|ENOENT|NotExist|FileNotFound|NoSuchFile|\bcatch\b"
    r"|\bexcept\b|\brescue\b|\bif let Ok\b"
)


def search_word(path: str) -> str:
    """The word by which other files refer to this one; "" if there is none worth a search."""
    folder, name = posixpath.split(path)
    if not path.endswith(CODE_SUFFIXES):
        return name
    stem = name.partition(".")[0]
    if stem in NAMELESS:
        stem = posixpath.basename(folder.removesuffix("/src"))
    return stem


def reference_word(path: str) -> str:
    """The word by which files of other units refer to this one: Go imports folders."""
    if path.endswith(".go"):
        return posixpath.basename(posixpath.dirname(path))
    return search_word(path)


def _is_one_unit(user: str, path: str) -> bool:
    """Is it the file itself, or in Go a file of its package, which sees it without an import?"""
    in_go = user.endswith(".go") and path.endswith(".go")
    return user == path or (in_go and posixpath.dirname(user) == posixpath.dirname(path))


def referenced_kind(
    path: str, before: str | None, texts: Mapping[str, str], named: frozenset[str]
) -> str:
    """HELPER or DATA if only surroundings refer to the file; else "".

    `texts` are the files of the baseline that contain its word; `named` are the programs of checks.
    """
    word = reference_word(path)
    is_code = path.endswith(CODE_SUFFIXES)
    around: dict[str, str] = {}
    is_product = False  # does the product use it?
    for user, text in texts.items():
        if _is_one_unit(user, path) or not _refers(user, text, word):
            continue
        kind = surrounding_kind(user, text, text, named)
        if before is None and not is_code and not kind and is_own_setting(user, text, word):
            return DATA
        if before is None and (is_code or kind not in GRAVE_KINDS):
            continue  # tests may be written before the file that they ask for
        if kind:
            around[user] = text
        else:
            is_product = is_product or user.endswith(CODE_SUFFIXES)
    if is_product:
        is_sample = before is not None and SAMPLE.search(path) and _is_input(before, around)
        return HELPER if is_sample else ""
    if not around:
        is_data = before is not None and not is_code and _is_beside_program(path, named)
        return DATA if is_data else ""
    if before is None:
        return DATA if any(_changes_the_way(text, word) for text in around.values()) else ""
    if not is_code:
        if _is_program_under_test(word, around):
            return ""
        is_read = any(u in named or u.endswith(CODE_SUFFIXES) for u in around)
        listed = re.compile(LIST_OF_STEPS.format(word=re.escape(word)))
        is_read = is_read or any(listed.search(text) for text in around.values())
        return DATA if is_read else ""
    if any(_loads(user, text, word) for user, text in around.items()):
        return HELPER
    users = {u: t for u, t in around.items() if posixpath.basename(u) not in MANIFESTS}
    return HELPER if users and _serves_tests(path, before or "", users, named) else ""


def is_own_setting(user: str, text: str, word: str) -> bool:
    """Does the product look for the file where it is started, and go on without it?

    Such a file belongs to the person who starts the product, here to the tests.
    """
    if not user.endswith(CODE_SUFFIXES) or not MAY_BE_ABSENT.search(text):
        return False
    name = re.escape(word)
    here = rf"(?i)(?:exist\w*\??|is_?file|open|Path|read\w*)\(\s*['\"](?:\./)?{name}(?:\.\w+)?['\"]"
    return bool(WORKING_FOLDER.search(text) or re.search(here, text))


def _is_input(text: str, tests: Mapping[str, str]) -> bool:
    """Do tests hand what the functions of a module return to other functions?"""
    names = "|".join(map(re.escape, set(DEFINED.findall(text))))
    given = re.compile(rf"\b(\w+)\((?:[^()\n]*,\s*)?(?:\w+\.)*(?:{names})\(")
    outer = {name for test in tests.values() for name in given.findall(test)} if names else set()
    return not all(map(LOOKS_ONLY.fullmatch, outer))


def _is_program_under_test(word: str, users: Mapping[str, str]) -> bool:
    """Do tests only run the file, and look at its output? One that compares is not such a program.

    Code that starts a program, as a test in Python does, looks at its output itself.
    """
    runs = re.compile(INTERPRETED.format(word=rf"(?:[\w./$-]*/)?{re.escape(word)}"))
    has_run = False
    for user, text in users.items():
        is_shell = not user.endswith(CODE_SUFFIXES) or user.endswith(".sh")
        is_makefile = "akefile" in user or user.endswith(".mk")
        for row in text.splitlines():
            line = row.strip()
            is_use = re.search(rf"\b{re.escape(word)}\b", line) and not line.startswith("#")
            if not is_use or (is_makefile and PREREQUISITES.match(row)):
                continue
            match = runs.search(line)
            if not match or (is_shell and not _is_caught(line, match)):
                return False
            has_run = True
    return has_run


def _is_caught(line: str, match: re.Match[str]) -> bool:
    before, after = line[: match.start()], line[match.end() :]
    return bool(CAUGHT_BEFORE.search(before) or CAUGHT_AFTER.search(after))


def _is_beside_program(path: str, named: frozenset[str]) -> bool:
    """Has a program of the checks the same name, as `lint` has that reads `lint.rules`?"""
    stem = posixpath.splitext(path)[0]
    return any(stem in (program, posixpath.splitext(program)[0]) for program in named)


def folder_word(path: str) -> str:
    """The name of the folder, by which other files find all that is in it."""
    return posixpath.basename(posixpath.dirname(path))


def is_listed_file(path: str, before: str | None, after: str | None) -> bool:
    """Is it new, or data that is gone or belongs to a case? Checks may read its whole folder."""
    if before is None:
        return True
    is_case = after is None or path.endswith(CASE_SUFFIXES)
    return is_case and not path.endswith(CODE_SUFFIXES)


def taken_in_by_product(sides: Sides, names: Iterable[str]) -> set[str]:
    """Words of new files that product of the start imports now: a part of it was moved there.

    `names` are the changed files of the product. A new file that is taken in takes in others.
    """
    texts = {name: row for name in names if (row := sides[name])[1] is not None}
    waiting = [name for name, row in texts.items() if row[0] is not None]
    words: set[str] = set()
    while waiting:
        before, after = texts.pop(waiting.pop())
        for line in {*IMPORT_LINE.findall(after or "")} - {*IMPORT_LINE.findall(before or "")}:
            words |= {*re.findall(r"\w+", line)}
        waiting += [n for n in texts if n not in waiting and search_word(n) in words]
    return words


def modules_of_rust(sides: Sides, product: Iterable[str]) -> set[str]:
    """New files of Rust that a changed file of the product declares: it does not build without."""
    found = set()
    for path in product:
        after = sides[path][1]
        if not path.endswith(".rs") or not after:
            continue
        folder, name = posixpath.split(path)
        if name not in ("lib.rs", "main.rs", "mod.rs"):
            folder = path.removesuffix(".rs")
        for module in RUST_MODULE.findall(after):
            files = (f"{module}.rs", f"{module}/mod.rs")
            found |= {posixpath.join(folder, file) for file in files}
    return {path for path in found & sides.keys() if sides[path][0] is None}


def listed_kind(path: str, texts: Mapping[str, str], named: frozenset[str]) -> str:
    """The kind of a file in a folder of which only tests and checks read every file; else "".

    `texts` are the files of the baseline that contain the name of the folder.
    """
    folder = re.escape(folder_word(path))
    lists = re.compile(
        rf"\b{folder}\b[^\n]*(?:{PATTERN_OF_FILES}|{LISTING})|{LISTING}[^\n]*\b{folder}\b"
    )
    users = {user: text for user, text in texts.items() if lists.search(text)}
    around = [user for user, text in users.items() if surrounding_kind(user, text, text, named)]
    if not around or len(around) < sum(user.endswith(CODE_SUFFIXES) for user in users):
        return ""
    return HELPER if path.endswith(CODE_SUFFIXES) else DATA


def _changes_the_way(text: str, word: str) -> bool:
    """Does a script take another way once the file is there, instead of asking for it?"""
    lines = [line for line in text.splitlines() if re.search(rf"\b{re.escape(word)}\b", line)]
    return any(BRANCHES.search(line) for line in lines)


def _loads(user: str, text: str, word: str) -> bool:
    """Do settings or a conftest.py let the runner load what the word names?"""
    if posixpath.basename(user) == "conftest.py":
        pattern = LOADED_BY_CONFTEST
    elif surrounding_kind(user, text, text) == SETTINGS:
        pattern = LOADED_BY_SETTINGS
    else:
        return False
    return bool(re.search(pattern.format(word=re.escape(word)), text, re.S))


def _refers(user: str, text: str, word: str) -> bool:
    """Does this file import, load or open what the word names?"""
    quoted = re.escape(word)
    if user.endswith((".py", ".pyi")):
        imports = rf"(?:from|import)\s[^\n]*\b{quoted}\b"
        return bool(re.search(rf"{imports}|['\"/]{quoted}['\"]|pytest_plugins.*\b{quoted}\b", text))
    if user.endswith(SCRIPT_SUFFIXES):
        return bool(re.search(rf"['\"`][^'\"`\n]*(?<!\w){quoted}(?:\.\w+)?['\"`]", text))
    return bool(re.search(rf"(?<!\w){quoted}(?!\w)", text))


def _serves_tests(path: str, text: str, users: Mapping[str, str], named: frozenset[str]) -> bool:
    """Does the module assert, hold expected values, or serve as a statement of its own in tests?"""
    if path.endswith(".sh"):
        name = re.escape(posixpath.basename(path))
        lines = [line for user in users.values() for line in user.splitlines()]
        outside = [line for line in lines if re.search(rf"^[^#$`]*{name}\b", line)]
        return any(COMPARED.search(line) for line in outside)
    if path in named:
        return False
    if path.endswith(".py") and has_only_values(text):
        return not are_values_tested(search_word(path), text, users.values())
    names = "|".join(map(re.escape, set(DEFINED.findall(text))))
    if not names:
        return False
    tests = "\n".join(users.values())
    if _is_asserted(tests, names):
        return False  # it is what they test
    statement = rf"(?m)^\s*(?:\w+(?:\.|::))*(?:{names})!?\("
    is_base = re.search(rf"class \w+\([\w., ]*\b(?:{names})\b", tests)
    if ASSERTS.search(text) and (is_base or re.search(statement, tests)):
        return True
    if not FAILS.search(text) or PRODUCT_FOLDER.match(path):
        return False
    # A method that is called on an object is what the tests exercise, not a comparison of theirs.
    functions = set(DEFINED.findall(text)) - set(PYTHON_METHOD.findall(text))
    names = "|".join(map(re.escape, functions))
    compares = rf"(?m)^\s*(?:\w+(?:\.|::))*(?:{names})!?\([^\n]*,"
    return bool(names and re.search(compares, tests))


def _is_asserted(tests: str, names: str) -> bool:
    """Do tests assert what these functions return, or that they raise an error?"""
    called = re.compile(rf"\b(?:{names})!?\(")
    lines = tests.splitlines()
    for before, line in zip(["", *lines], lines, strict=False):
        if called.search(line) and (ASSERTING_LINE.search(line) or RAISES.search(before)):
            return True
    return False
