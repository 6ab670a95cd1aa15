"""Takes shell text apart: its simple commands, and what hides the failure of each.

It reads the simple shell of scripts, recipes and CI steps, and ignores the rest of the language.
"""

from __future__ import annotations

import shlex
from io import StringIO
from typing import NamedTuple

from .. import lazy_re as re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SEPARATORS = ";|&\n"
MAX_WORDS = 10_000  # of one text
MAX_REST = 2000  # characters after a command that we look at
COMMENT = re.compile(r"^((?:[^'\"\n\\]|\\.|'[^'\n]*'|\"[^\"\n]*\")*?)(?:^|(?<=\s))#.*$", re.M)
HERE_DOCUMENT = re.compile(
    r"(?<!<)<<-?[ \t]*[\"']?(\w+)[\"']?[^\n]*\n(?:(?!\s*\1\s*$)[^\n]*\n){0,500}+(?:\s*\1$)?", re.M
)
REDIRECTION = re.compile(r"\d?[<>]{1,2}&?[ \t]*[\w./$-]*|&>+[ \t]*[\w./$-]+")
SIGNALS_FAILURE = re.compile(
    r"\b(?:exit|return) +(?:[1-9]|\"?\$)|\b(?:false|die|fail|kill)\b"
    r"|\w*(?:fail|status|rc|ret|err|code)\w*=[^0]"
)
READS_STATUS = re.compile(
    r"\$\??\{?(?:\?|PIPESTATUS|\w*(?:status|rc|code|ret|fail|result|err|exit))", re.I
)
HARMLESS_FALLBACK = re.compile(r"true\b|:|echo\b|printf\b|exit\b|[{(]")
# What a trap calls to clean up; none of it touches the result of the script.
CLEANUP = re.compile(
    r"(?:rm|rmdir|kill|wait|echo|printf|cd|popd|umount|unset|true|:|exit)\b|\w+=|\[|test\b"
    r"|(?:docker|podman)(?:[ -]compose)? (?:rm|stop|down|kill)\b|git worktree (?:remove|prune)\b"
)
END_SIGNALS = frozenset(("EXIT", "0", "INT", "TERM", "HUP", "QUIT", "1", "2", "3", "15"))
SAVED_STATUS = re.compile(r"\s*(\w+)=\$\?")
EXIT_CODE = re.compile(r"\b(?:exit|(exec))\b[ \t]*([^\s;&|})]*)")
BLOCK_BEGINS = ("if", "for", "while", "until", "case", "function")
BLOCK_ENDS = ("fi", "done", "esac", "}")


class SimpleCommand(NamedTuple):
    line: int
    words: list[str]
    separator: str  # what joins it to the next command
    rest: str  # the text after it


def simple_commands(text: str) -> Iterator[SimpleCommand]:
    """The simple commands of a text, in their order."""
    code = HERE_DOCUMENT.sub(_blank, text.replace("\\\n", "  "))
    code = COMMENT.sub(lambda match: match[1].ljust(len(match[0])), code)
    stream = StringIO(REDIRECTION.sub(lambda match: " " * len(match[0]), code))
    scanner = shlex.shlex(stream, posix=True, punctuation_chars=SEPARATORS)
    scanner.whitespace = " \t\r"
    scanner.commenters = ""
    scanner.whitespace_split = True
    words: list[str] = []
    line = 1
    for _ in range(MAX_WORDS):
        word = _next_word(scanner)
        position = stream.tell() - 1
        if word and word[0] not in SEPARATORS:
            if not words:
                line = text.count("\n", 0, position) + 1
            words.append(word)
        elif words:
            yield SimpleCommand(line, words, word, code[position : position + MAX_REST])
            words = []
        elif not word:
            return


def _blank(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _next_word(scanner: shlex.shlex) -> str:
    try:
        return scanner.get_token() or ""
    except ValueError:  # a quotation that never ends
        return ""


class ShellState:
    """What holds at a place of a text: set -e, open conditions, and an exit before it."""

    def __init__(self, errexit: bool, hidden_by: str) -> None:
        self.errexit = errexit
        self.pipefail = False
        self.hidden_by = hidden_by  # what hides every failure from here on
        self.conditions: list[str] = []

    def enter(self, words: list[str]) -> None:
        """Opens or closes the block whose first or last command this is."""
        if words[0] in BLOCK_BEGINS or words[0].endswith("()"):
            self.conditions.append(" ".join(words))
        elif words[0] in BLOCK_ENDS and self.conditions:
            self.conditions.pop()

    def hiding_reason(self, command: SimpleCommand) -> str:
        """What hides the failure of the command; "" if its failure counts."""
        if "if false" in self.conditions:
            return "if false"
        if self.hidden_by:
            return self.hidden_by
        errexit = self.errexit or bool(self.conditions)
        return hiding_reason(command, errexit, self.pipefail)

    def run(self, words: list[str], follows_separator: bool) -> None:
        """Notes what the command changes for those after it."""
        if words[0] == "set":
            options = "".join(words[1:])
            self.errexit = self.errexit or bool(re.search(r"-\w*e", options))
            self.errexit = self.errexit and "+e" not in options
            self.pipefail = self.pipefail or "pipefail" in options
        always_runs = follows_separator and not self.conditions
        exits = always_runs and words in (["exit"], ["exit", "0"])
        is_trap = words[0] == "trap" and not {"EXIT", "0"}.isdisjoint(words[2:])
        if exits or (is_trap and _ends_with_other_code(words[1])):
            self.hidden_by = f"{' '.join(words)} before it"


def only_cleans_up(words: Sequence[str]) -> bool:
    """Is it a trap that cleans up at the end and keeps the exit code of the script?"""
    if words[0] != "trap" or len(words) < 3 or not END_SIGNALS.issuperset(words[2:]):
        return False
    commands = [" ".join(command.words) for command in simple_commands(words[1])]
    return all(map(CLEANUP.match, commands)) and not _ends_with_other_code(words[1])


def _ends_with_other_code(action: str) -> bool:
    """Does the action of a trap end the script with another code than it had before the trap?"""
    saved = SAVED_STATUS.match(action)
    name = saved[1] if saved and action.count(f"{saved[1]}=") == 1 else ""
    kept = {"", f"${name}", f"${{{name}}}"} if name else {""}
    for replaced, word in EXIT_CODE.findall(action):
        code = word.strip("\"'")
        is_first = code == "$?" and action.lstrip().startswith("exit")
        if replaced or not (code in kept or is_first or re.fullmatch(r"[1-9]\d*", code)):
            return True
    return False


def hiding_reason(command: SimpleCommand, errexit: bool, pipefail: bool) -> str:
    """What hides the failure of a command; "" if its failure counts."""
    words, separator, rest = command.words, command.separator, command.rest
    first_line = rest.split("\n")[0].strip()
    if words[0] == "!":
        return "! before it"
    if separator == "&" and not re.search(r"\bwait\b", rest):
        return "& after it"
    if words[0] in ("if", "elif", "while"):
        branches = re.split(r"\bfi\b", rest)[0]
        return "" if SIGNALS_FAILURE.search(branches) else " ".join(words)
    if separator == "|":
        return "" if pipefail or "PIPESTATUS" in rest else f"| {first_line}"
    if separator == "&&":
        fallback = re.search(r"\|\|(.*)", first_line)  # a && b || true
        if fallback:
            after = command._replace(separator="||", rest=fallback[1])
            return hiding_reason(after, errexit, pipefail)
    status = re.match(r"(\w+)=" if separator == "||" else r"(\w+)=\$\?", first_line)
    if status:
        return "" if _is_used_later(status[1], rest) else f"|| {first_line}"
    if separator == "||":
        return _fallback_reason(first_line, rest)
    ends_line = separator[:1] in ("\n", ";") and bool(rest.strip())
    if ends_line and not errexit and not READS_STATUS.search(rest):
        reason = separator.strip() or "no set -e,"
        return f"{reason} {rest.strip().splitlines()[0]}"[:60]
    return ""


def _is_used_later(variable: str, rest: str) -> bool:
    later = rest.partition("\n")[2]
    return bool(re.search(rf"(?m)^(?!\s*echo).*\b{variable}\b", later))


def _fallback_reason(first_line: str, rest: str) -> str:
    """For the command after `||`."""
    if not HARMLESS_FALLBACK.match(first_line):
        return ""
    fallback = rest.partition("}")[0] if first_line[0] in "{(" else first_line
    return "" if SIGNALS_FAILURE.search(fallback) else f"|| {first_line}"
