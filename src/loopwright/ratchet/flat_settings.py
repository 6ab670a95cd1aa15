"""Settings in any notation, flat: keys joined by dots, and the words that stand under each."""

from __future__ import annotations

import configparser
import posixpath
import re
import tomllib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

Settings = dict[str, tuple[str, ...]]
MAX_CHARS, DEEPEST = 1_000_000, 60  # letters of a file that we read, brackets in brackets
TOKEN = re.compile(  # no text, however hostile, is read again and again
    r"(?P<blank>\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/)?)"
    r"|(?P<string>\"(?:[^\"\\\n]|\\.)*+(?:\"|(?=\n)|$)|'(?:[^'\\\n]|\\.)*+(?:'|(?=\n)|$)|`(?:[^`\\]|\\.)*+(?:`|$))"
    r"|(?P<pattern>/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.){0,40}+\]){1,200}+/\w*+(?=\s*+[,\]})]))"
    r"|(?P<mark>[{}\[\](),:;])|(?P<word>[\w$.]++|.)",
    re.S,
)
ITEM = re.compile(r"-(?:\s++|$)")
PAIR = re.compile(
    r"(\"[^\"\n]*+\"|'[^'\n]*+'|[^\s\"'#\[{&*!|>][^:#\n]*+(?::[^\s:#][^:#\n]*+)*+)\s*+:(?:\s++|$)(.*)"
)
BLOCK = re.compile(r"[|>][-+\d]*+\s*+(?:#.*)?$")
LINE_VALUED_KEYS = re.compile(
    r"exclude_|filterwarnings|partial_branches|addopts|commands|markers"
)  # one a line, not one a word


def read(path: str, text: str) -> Settings | None:
    """What the file says; None where it cannot be read."""
    found: dict[str, list[str]] = {}
    try:
        for key, value in (
            _read_pairs(posixpath.basename(path), text) if len(text) <= MAX_CHARS else ()
        ):
            found.setdefault(key, []).append(value)
    except (ValueError, configparser.Error, RecursionError):
        return None
    return {key: tuple(values) for key, values in found.items()} if len(text) <= MAX_CHARS else None


def line_of(text: str, key: str, word: str = "") -> int:
    """Where the key stands, or the word below it; 0 where it is not to be found."""
    *_, above, last = ("", *map(re.escape, re.split(r"[.:]", key)))
    parent = re.search(rf"(?<![\w-]){above}(?![\w-])", text) if above else None
    own = re.compile(rf"(?<![\w-]){last}[\"']?\s*[:=]")
    start = own.search(text, parent.end() if parent else 0) or own.search(text)
    return (
        text.count("\n", 0, max(text.find(word, start.start()), start.start())) + 1 if start else 0
    )


def _read_pairs(name: str, text: str) -> Iterator[tuple[str, str]]:
    if name.endswith(".toml"):
        return _flatten_value("", tomllib.loads(text))
    if name.endswith((".ini", ".cfg")) or name in (".coveragerc", ".flake8"):
        return _read_ini(text)
    is_yaml = name.endswith((".yml", ".yaml")) or (
        "." not in name[1:] and text.lstrip()[:1] not in ("{", "/")
    )
    return _read_yaml(text) if is_yaml else _read_object(text)


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
            for line in re.sub(r"(?m)(?:^|\s)#.*$", "", value or "").split("\n"):
                words = (
                    [line.strip()] if LINE_VALUED_KEYS.search(key) else re.split(r"[,\s]+", line)
                )
                yield from ((f"{section}.{key}", word) for word in words if word)


def _read_object(text: str) -> Iterator[tuple[str, str]]:
    """JSON, with comments or without, and the object literals of JavaScript. A call is transparent: f({…}) is its argument."""
    open_brackets = [
        ("", "", "", "")
    ]  # each with the keys above it, its own key, and the words before it
    key = said = ""
    for token in TOKEN.finditer(text):
        bracket, path, _, _ = open_brackets[-1]
        mark = token["mark"] or ""
        name = f"{path}.{key}".strip(".")
        if mark == ":" and bracket == "{" and not key:
            key, said = said, ""
        elif mark and mark in "{[(" and len(open_brackets) < DEEPEST:
            open_brackets.append((mark, name, key, said))
            key = said = ""
        elif mark and mark in ",;}])":
            if said and name:
                yield name, said
            key = said = ""
            if mark in "}])" and len(open_brackets) > 1:
                _, _, key, before = open_brackets.pop()
                said = before if mark == ")" else ""
        elif not token["blank"] and len(said) < 1000:
            word = (
                token[0][1:-1].replace("\\\\", "\\").replace('\\"', '"')
                if token["string"]
                else token[0]
            )
            said = f"{said} {word}".lstrip()


def _read_yaml(text: str) -> Iterator[tuple[str, str]]:
    for path, value, _ in yaml_outline(text):
        key = ".".join(part for part in path if not part.isdigit())
        if value[:1] in ("[", "{"):
            yield from (
                (f"{key}{inner.removeprefix('it')}", word)
                for inner, word in _read_object(f"{{it: {value}}}")
            )
        elif value:
            yield key, value


def yaml_outline(text: str) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """A YAML file: the keys above each value (a list's items are numbered), the value, its line. No anchors, no types."""
    lines = text.expandtabs().split("\n")
    above: list[tuple[int, str]] = []  # indentation and key of the lines that this one is below of
    counts: dict[tuple[str, ...], int] = {}
    number = 0
    while number < len(lines):
        bare, indent = lines[number].strip(), _indentation(lines[number])
        number += 1
        if not bare or bare.startswith(("#", "---")):
            continue
        while ITEM.match(bare) and len(above) < DEEPEST:
            # An item of a list may stand as deep as the key that it belongs to.
            above = [
                (depth, key)
                for depth, key in above
                if depth < indent or (depth == indent and not key.isdigit())
            ]
            place = tuple(key for _, key in above)
            counts[place] = counts.get(place, -1) + 1
            above.append((indent, str(counts[place])))
            rest = bare[1:].lstrip()
            indent, bare = indent + len(bare) - len(rest), rest
        above = [(depth, key) for depth, key in above if depth < indent]
        start, pair = number, PAIR.match(bare)
        if pair and len(above) < DEEPEST:
            bare = pair[2].strip()
            above.append((indent, pair[1].strip("\"'")))
        if BLOCK.match(bare):
            while number < len(lines) and (
                not lines[number].strip() or _indentation(lines[number]) > indent - (not pair)
            ):
                number += 1
            bare = "\n".join(line.strip() for line in lines[start:number])
            start += 1
        elif bare[:1] in ("'", '"') and (end := bare.find(bare[0], 1)) > 0:
            bare = bare[1:end]
        else:
            bare = re.sub(r"(?:^|\s)#.*$", "", bare).strip()
        yield tuple(key for _, key in above), bare, start


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
