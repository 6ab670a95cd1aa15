"""Which files of a JavaScript project its test runner loads: transforms, plugins, reporters.

They lie anywhere, and the build may use them too. Tests go through them and do not ask for them.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...checks.imports import NODE_ORDER, imported_modules
from ...checks.reach import package_scripts
from ...checks.script_imports import meant_file
from ...formats.flat_settings import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

RUNNER_SETTINGS = re.compile(
    r"(?:jest|vite|vitest|babel|playwright|cypress|ava|svelte|postcss|wdio)(?:\.[\w-]+)*"
    r"\.(?:config|workspace)(?:\.[\w-]+)*\.\w+"
    r"|karma\.conf\.\w+|\.(?:babel|mocha|nyc|c8|swc|tap|post(?:css))rc(?:\.\w+)?"
    r"|[\w.-]*tsconfig[\w.-]*\.json|package\.json"
)
# Keys whose values are modules that the runner runs, not the product that it looks for.
LOADING_KEY = re.compile(
    r"(?:^|\.)(?:transform|plugins?|presets?|setup\w*|global(?:Setup|Teardown)|\w*[eE]nvironment"
    r"|\w*[rR]unner|reporters?|resolver|snapshot(?:Serializers|Resolver|Environment)"
    r"|dependencyExtractor|processors?|preprocess\w*|require|import|file|loader|node-?[oO]ptions?"
    r"|diff|sequencer|provider|customExporters|extends)(?:\.|$)"
)
KEY_OF_RUNNER = re.compile(r"(?:jest|vitest|mocha|ava|babel|nyc|c8|tap)\.")  # in a package.json
RUNS_TESTS = re.compile(r"\b(?:jest|vitest|mocha|ava|tap|playwright|c8|nyc)\b|--test\b")
LOADING_OPTION = re.compile(
    r"(?:^|\s)(?:-r|-c|--(?:require|import|loader|experimental-loader|config|environment|resolver"
    r"|runner|(?:test-)?reporter|transform|setupFiles\w*|global(?:Setup|Teardown)))"
    r"[ =]+['\"]?(\.?[\w./-]+\.[cm]?[jt]sx?)\b"
)


def is_runner_settings(path: str) -> bool:
    return bool(RUNNER_SETTINGS.fullmatch(posixpath.basename(path)))


def loaded_modules(path: str, text: str, files: Collection[str]) -> Iterator[str]:
    """The files of the project that the runner loads because of this settings file."""
    for name in _loaded_names(path, text):
        place = name.replace("<rootDir>/", "./").replace("${configDir}/", "./")
        if not place.startswith("."):
            place = f"./{place}"
        if module := meant_file(path, place, files, NODE_ORDER):
            yield module


def _loaded_names(path: str, text: str) -> Iterator[str]:
    yield from (name for name in imported_modules(text) if name.startswith("."))
    is_package = posixpath.basename(path) == "package.json"
    for key, words in (read(path, text) or {}).items():
        if LOADING_KEY.search(key) and (not is_package or KEY_OF_RUNNER.match(key)):
            yield from words
    if is_package:
        for line in package_scripts(text).values():
            yield from modules_of_command(line)


def modules_of_command(line: str) -> list[str]:
    """The modules that the options of a command which runs tests let it load."""
    return LOADING_OPTION.findall(line) if RUNS_TESTS.search(line) else []
