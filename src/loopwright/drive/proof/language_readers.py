"""Reads changed tests in a second process, because the hook cannot import tree-sitter.

The hook runs `python -I -S`. The other process runs the interpreter of the user's own folder
(`loop install --extra languages`) or the one that started the loop, with its installed packages.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence

from ...core.json_text import JSONError, dumps, loads
from ...disk.programs import own_environment
from ...disk.user_folders import NoHomeFolder, state_home
from ...ratchet.readers import languages, reader_process
from ...ratchet.readers.suite import Suite, decode_suite
from ...ratchet.readers.syntax import REQUIREMENTS
from ...repo.baseline import Change
from ..errors import UserError

MAX_READ_SECONDS = 30  # for all files together; a parser cannot be stopped otherwise
MAX_ANSWER_BYTES = 200_000_000
MAX_INSTALL_SECONDS = 600
EXTRA_FOLDER = "languages"
Request = tuple[str, str]  # path and text


def read_changed_tests(changes: Sequence[Change], recorded: str, root: str) -> None:
    """Read both sides of every changed test into `languages.read_ahead`.

    Does nothing without such tests, so an ordinary Stop starts no process. What cannot be read is
    None there, and the ratchet reports it as not compared.
    """
    requests = list(dict.fromkeys(_requests(changes)))
    if not requests:
        return
    languages.read_ahead.update(dict.fromkeys(requests))
    for python in reader_interpreters(recorded, root):
        readable, suites = _read(python, requests)
        if readable:
            languages.read_ahead.update(zip(requests, suites, strict=False))
            return


def _requests(changes: Sequence[Change]) -> Iterator[Request]:
    for change in changes:
        sides = [text for text in (change.before, change.after) if text is not None]
        parts = {languages.ALL.test_part(change.path, text) for text in sides}
        if len(sides) == 2 and len(parts) == 1:
            continue  # only the product beside the tests changed
        for text in languages.ALL.changed_texts(change):
            if text is not None and languages.reading_language(change.path, text):
                yield change.path, text


def interpreter_to_record(root: str) -> str:
    """The interpreter that runs now, if the agent cannot change its packages; otherwise ""."""
    return "" if _is_inside(sys.executable, root) else sys.executable


def reader_interpreters(recorded: str, root: str) -> list[str]:
    """Interpreters that may have the grammars, the best first; none of the project itself."""
    found = [extra_interpreter(), recorded, sys.executable]
    usable = [path for path in found if os.path.exists(path) and not _is_inside(path, root)]
    return list(dict.fromkeys(usable))


def _is_inside(path: str, root: str) -> bool:
    return bool(root) and os.path.abspath(path).startswith(os.path.abspath(root) + os.sep)


def extra_folder() -> str:
    """Where `loop install --extra languages` puts the grammars; "" without a home folder."""
    try:
        return os.path.join(state_home(), EXTRA_FOLDER)
    except NoHomeFolder:
        return ""


def extra_interpreter() -> str:
    place = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
    return os.path.join(extra_folder(), *place)


def readable_languages(recorded: str, root: str) -> list[str]:
    """The names of the languages that the hook can have read."""
    for python in reader_interpreters(recorded, root):
        readable, _ = _read(python, ())
        if readable:
            return readable
    return []


def _read(python: str, requests: Iterable[Request]) -> tuple[list[str], list[Suite | None]]:
    """The languages that this interpreter can read, and what it read until it ended."""
    lines = [dumps(request).encode("utf-8", "replace") for request in requests]
    try:
        done = subprocess.run(
            [python, "-I", "-B", reader_process.__file__],
            env=own_environment(),
            input=b"\n".join(lines),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=MAX_READ_SECONDS,
            check=False,
            cwd=os.path.dirname(reader_process.__file__),
        )
        output = done.stdout
    except subprocess.TimeoutExpired as error:
        output = error.stdout or b""
    except OSError:
        return [], []
    return _decode_answer(output[:MAX_ANSWER_BYTES])


def _decode_answer(output: bytes) -> tuple[list[str], list[Suite | None]]:
    first, *answers = output.split(b"\n")
    suites: list[Suite | None] = []
    try:
        readable = [str(name) for name in loads(first)]
        for answer in filter(None, answers):
            suite = decode_suite(loads(answer))
            suites.append(suite if isinstance(suite, Suite) else None)
    except (JSONError, KeyError, TypeError):
        return ([], []) if not suites else (readable, suites)
    return readable, suites


def install_readers() -> str:
    """Make a virtual environment in the user's own folder, with the grammars in it."""
    folder = extra_folder()
    if not folder:
        raise UserError("there is no home folder to install into. Set HOME, then try again")
    _run_installer([sys.executable, "-I", "-m", "venv", "--clear", folder])
    pip = [extra_interpreter(), "-I", "-m", "pip", "install", "--quiet"]
    _run_installer([*pip, "--disable-pip-version-check", *REQUIREMENTS])
    found = readable_languages("", "")
    titles = [language.title for language in languages.LANGUAGES if language.name in found]
    return f"Tests are compared in: Python, {', '.join(titles)}. Installed in {folder}"


def _run_installer(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command,
            env=own_environment(),
            capture_output=True,
            timeout=MAX_INSTALL_SECONDS,
            check=False,
            text=True,
        )
        problem = done.stderr.strip() or done.stdout.strip()
        failed = done.returncode != 0
    except (OSError, subprocess.TimeoutExpired) as error:
        problem, failed = str(error), True
    if failed:
        shutil.rmtree(extra_folder(), ignore_errors=True)
        raise UserError(
            f"the parsers cannot be installed: {problem[-300:]}. Check the network, then run "
            "again: loop install --extra languages"
        )


def remove_readers() -> str:
    folder = extra_folder()
    if not folder or not os.path.isdir(folder):
        return "The parsers are not installed here."
    shutil.rmtree(folder)
    return f"{folder} is removed."
