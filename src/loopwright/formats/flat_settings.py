"""Reads settings in any notation as a flat mapping: keys joined by dots → the words of each."""

from __future__ import annotations

import configparser
import posixpath

from .. import lazy_re as re
from .toml_text import parse_toml

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Settings = dict[str, tuple[str, ...]]
MAX_CHARS = 1_000_000  # of a file
MAX_DEPTH = 60  # brackets in brackets
MAX_VALUE = 1000  # characters of a value without brackets
TOKEN = re.compile(  # possessive, so that a hostile file takes no longer than another
    r"(?P<blank>\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.)*+(?:\"|(?=\n)|$)|'(?:[^'\\\n]|\\.)*+(?:'|(?=\n)|$)"
    r"|`(?:[^`\\]|\\.)*+(?:`|$))"
    r"|(?P<pattern>/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,40}+\]){1,200}+/\w*+(?=\s*+[,\]})]))"
    r"|(?P<mark>[{}\[\](),:;])|(?P<word>[\w$.]++|.)",
    re.S,
)
YAML_ITEM = re.compile(r"-(?:\s++|$)")
YAML_PAIR = re.compile(
    r"(\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"'#\[{&*!|>][^:#\n]*+(?::[^\s:#][^:#\n]*+)*+)"
    r"\s*+:(?:\s++|$)(.*)"
)
YAML_BLOCK = re.compile(r"[|>][-+\d]*+\s*+(?:#.*)?$")
# Keys with one value on a line. The values of other keys are separated by blanks and commas.
LINE_VALUED_KEYS = re.compile(r"exclude_|filterwarnings|partial_branches|addopts|commands|markers")


def read(path: str, text: str) -> Settings | None:
    """The settings of the file, or None if it cannot be read."""
    if len(text) > MAX_CHARS:
        return None
    values: dict[str, list[str]] = {}
    try:
        for key, value in _read_pairs(posixpath.basename(path), text):
            values.setdefault(key, []).append(value)
    # configparser raises AttributeError for a line that continues a key without a value.
    except (ValueError, configparser.Error, AttributeError, RecursionError):
        return None
    return {key: tuple(words) for key, words in values.items()}


def line_of(text: str, key: str, word: str = "") -> int:
    """The line of the key, or of the word below it; 0 if the key is not found."""
    *_, above, last = ("", *map(re.escape, re.split(r"[.:]", key)))
    parent = re.search(rf"(?<![\w-]){above}(?![\w-])", text) if above else None
    assignment = re.compile(rf"(?<![\w-]){last}[\"']?\s*[:=]")
    start = assignment.search(text, parent.end() if parent else 0) or assignment.search(text)
    if not start:
        return 0
    position = max(text.find(word, start.start()), start.start())
    return text.count("\n", 0, position) + 1


def _read_pairs(name: str, text: str) -> Iterator[tuple[str, str]]:
    if name.endswith(".toml"):
        return _flatten_value("", parse_toml(text))
    if name.endswith((".ini", ".cfg")) or name in (".coveragerc", ".flake8"):
        return _read_ini(text)
    if name.endswith((".yml", ".yaml")):
        return _read_yaml(text)
    # A file such as .eslintrc holds JSON or YAML.
    looks_like_object = text.lstrip()[:1] in ("{", "/")
    if "." not in name[1:] and not looks_like_object:
        return _read_yaml(text)
    return _read_object(text)


def _flatten_value(name: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flatten_value(f"{name}.{key}".lstrip("."), inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _flatten_value(name, inner)
    else:
        yield name, str(value)


def _read_ini(text: str) -> Iterator[tuple[str, str]]:
    parser = configparser.RawConfigParser(strict=False, allow_no_value=True)
    parser.read_string(text)
    for section in parser.sections():
        for key, value in parser.items(section):
            for word in _ini_words(key, value or ""):
                yield f"{section}.{key}", word


def _ini_words(key: str, value: str) -> Iterator[str]:
    value = re.sub(r"(?m)(?:^|\s)#.*$", "", value)
    for line in value.split("\n"):
        words = [line.strip()] if LINE_VALUED_KEYS.search(key) else re.split(r"[,\s]+", line)
        yield from filter(None, words)


def _read_object(text: str) -> Iterator[tuple[str, str]]:
    """JSON with or without comments, and object literals of JavaScript. f({…}) reads as {…}."""
    # Each open bracket: its sign, the keys above it, its own key, and the words before it.
    open_brackets = [("", "", "", "")]
    key = value = ""
    for token in TOKEN.finditer(text):
        bracket, path, _, _ = open_brackets[-1]
        mark = token["mark"] or ""
        name = f"{path}.{key}".strip(".")
        if mark == ":" and bracket == "{" and not key:
            key, value = value, ""
        elif mark and mark in "{[(" and len(open_brackets) < MAX_DEPTH:
            open_brackets.append((mark, name, key, value))
            key = value = ""
        elif mark and mark in ",;}])":
            if value and name:
                yield name, value
            key = value = ""
            if mark in "}])" and len(open_brackets) > 1:
                _, _, key, before = open_brackets.pop()
                value = before if mark == ")" else ""
        elif not token["blank"] and len(value) < MAX_VALUE:
            value = f"{value} {_token_text(token)}".lstrip()


def _token_text(token: re.Match[str]) -> str:
    if not token["string"]:
        return token[0]
    return token[0][1:-1].replace("\\\\", "\\").replace('\\"', '"')


def _read_yaml(text: str) -> Iterator[tuple[str, str]]:
    for path, value, _ in yaml_outline(text):
        key = ".".join(part for part in path if not part.isdigit())
        if value[:1] in ("[", "{"):
            for inner, word in _read_object(f"{{it: {value}}}"):
                yield f"{key}{inner.removeprefix('it')}", word
        elif value:
            yield key, value


def yaml_outline(text: str) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """The keys above each value (items of a list are numbered), the value, and its line.

    Reads YAML without anchors and types.
    """
    return YamlOutline(text).entries()


class YamlOutline:
    """The lines of a YAML file, the next one to read, and the keys that are open there."""

    def __init__(self, text: str) -> None:
        self.lines = text.expandtabs().split("\n")
        self.next_line = 0
        self.open_keys: list[tuple[int, str]] = []  # indentation and key, the outermost first
        self.item_counts: dict[tuple[str, ...], int] = {}

    def entries(self) -> Iterator[tuple[tuple[str, ...], str, int]]:
        while self.next_line < len(self.lines):
            line = self.lines[self.next_line]
            self.next_line += 1
            content = line.strip()
            if not content or content.startswith(("#", "---")):
                continue
            content, indent = self._open_items(content, _indentation(line))
            self.open_keys = [(depth, key) for depth, key in self.open_keys if depth < indent]
            number, pair = self.next_line, YAML_PAIR.match(content)
            if pair and len(self.open_keys) < MAX_DEPTH:
                content = pair[2].strip()
                self.open_keys.append((indent, pair[1].strip("\"'")))
            if YAML_BLOCK.match(content):
                value = self._read_block(indent if pair else indent - 1)
                number += 1
            else:
                value = _scalar(content)
            yield self._path(), value, number

    def _open_items(self, content: str, indent: int) -> tuple[str, int]:
        """Opens the list items that begin on this line; what is left of it, and its indentation."""
        while YAML_ITEM.match(content) and len(self.open_keys) < MAX_DEPTH:
            # An item may have the indentation of the key that it belongs to.
            self.open_keys = [
                (depth, key)
                for depth, key in self.open_keys
                if depth < indent or (depth == indent and not key.isdigit())
            ]
            path = self._path()
            self.item_counts[path] = self.item_counts.get(path, -1) + 1
            self.open_keys.append((indent, str(self.item_counts[path])))
            rest = content[1:].lstrip()
            indent, content = indent + len(content) - len(rest), rest
        return content, indent

    def _read_block(self, indent: int) -> str:
        """The lines of a block (`|` or `>`) below a key with this indentation."""
        begin = self.next_line
        while self.next_line < len(self.lines):
            line = self.lines[self.next_line]
            if line.strip() and _indentation(line) <= indent:
                break
            self.next_line += 1
        return "\n".join(line.strip() for line in self.lines[begin : self.next_line])

    def _path(self) -> tuple[str, ...]:
        return tuple(key for _, key in self.open_keys)


def _scalar(content: str) -> str:
    """A value without its quotes or its comment."""
    if content[:1] in ("'", '"'):
        end = content.find(content[0], 1)
        if end > 0:
            return content[1:end]
    return re.sub(r"(?:^|\s)#.*$", "", content).strip()


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
