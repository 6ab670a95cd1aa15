"""Spells parts of a syntax tree the same for every layout, and reads chains of calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ... import lazy_re as re
from .dialect import Dialect, Place
from .syntax import Node

SIGNS = "()[]{}.,:;+-*/%=<>!&|?^~@#\\ "
STRING = re.compile(r"\A[A-Za-z@$#]{0,3}(\"\"\"|'''|[\"'`])(.*)\1#*\Z", re.S)
NUMBER_END = re.compile(r"(?i)(?<=[\d.])(?:[fdlm]|u?l|[iuf](?:8|16|32|64|128|size))$")
NAME = re.compile(r"'[^']*+'|(?<![\w.$:])\$?[A-Za-z_]\w*+(?:\.\w++)*+(?!: |!(?!=))(\()?")
PLAIN_NAME = re.compile(r"[A-Za-z_][\w.]*")
LINE_BEGIN = re.compile(r"[ \t]*\n[ \t]*")  # in a text; formatters change the indentation
NEW_LINE = "\n"
MAX_SUBSTITUTED = 2000  # letters
MAX_TEXT = 5000  # letters of one expression


class Argument(NamedTuple):
    text: str
    node: Node | None = None


class Link(NamedTuple):
    """One step of a chain such as `a.b(c).d`. The root may be any expression."""

    name: str
    arguments: tuple[Argument, ...] = ()
    is_called: bool = False
    types: str = ""  # between < and >
    node: Node | None = None  # of the root

    @property
    def texts(self) -> list[str]:
        return [argument.text for argument in self.arguments]


class TreeText:
    """Reads the nodes of one language."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.kinds = dialect.kinds
        # By the node itself: helpers and tables lead to the same nodes again and again.
        self._texts: dict[Node, str] = {}
        self._chains: dict[Node, list[Link]] = {}

    def kind(self, node: Node | None) -> str:
        return self.kinds.get(node.type, "") if node is not None else ""

    def parts(self, node: Node) -> list[Node]:
        """The children that have a name, without comments."""
        return [child for child in node.named_children if self.kind(child) != "comment"]

    def part(self, node: Node, place: Place) -> Node | None:
        if isinstance(place, str):
            return node.child_by_field_name(place)
        parts = self.parts(node)
        return parts[place] if -len(parts) <= place < len(parts) else None

    def unwrap(self, node: Node) -> Node:
        """Without brackets, `await` and the like around it."""
        while self.kind(node) in ("wrapper", "single"):
            parts = self.parts(node)
            if not parts or (self.kind(node) == "single" and len(parts) > 1):
                break
            node = parts[-1]
        return node

    def text(self, node: Node | None) -> str:
        """On one line, with strings in single quotes and without trailing commas."""
        if node is None:
            return ""
        if node not in self._texts:
            self._texts[node] = self._spell(node)
        return self._texts[node]

    def _spell(self, node: Node) -> str:
        text = ""
        for word in self._tokens(node):
            if word in ",;":
                text = f"{text.rstrip()}{word} "
            elif word in ")]}":
                text = text.removesuffix(", ").removesuffix("; ") + word
            elif word == ":":
                text += ": "
            else:
                needs_blank = word[:1] not in SIGNS and text[-1:] not in SIGNS and bool(text)
                text += f" {word}" if needs_blank else word
            if len(text) > MAX_TEXT:
                break
        return text.strip().removesuffix(";")

    def _tokens(self, root: Node) -> Iterator[str]:
        waiting = [root]
        while waiting:
            node = waiting.pop()
            kind = self.kind(node)
            if kind == "comment":
                continue
            if kind in ("string", "number", "atom") or not node.child_count:
                word = self._token(node, kind)
                if word:
                    yield word
            else:
                waiting += reversed(node.children)

    def _token(self, node: Node, kind: str) -> str:
        raw = node.text.decode("utf-8", "replace")
        if kind == "string":
            match = STRING.match(raw)
            return f"'{LINE_BEGIN.sub(NEW_LINE, match[2])}'" if match else raw
        if kind == "number" and not raw.startswith(("0x", "0X")):
            return NUMBER_END.sub("", raw.replace("_", ""))
        return str(self.dialect.words.get(raw, raw)) if kind != "atom" else raw.strip()

    # --- chains ---

    def chain(self, node: Node) -> list[Link]:
        """The steps of a call; one step for anything that is not called."""
        node = self.unwrap(node)
        if node not in self._chains:
            self._chains[node] = self._read_chain(node)
        return [*self._chains[node]]

    def _read_chain(self, node: Node) -> list[Link]:
        dialect = self.dialect
        if node.type in dialect.calls:
            return self._call_chain(node, *dialect.calls[node.type])
        if node.type in dialect.methods:
            owner_place, name_place, arguments_place = dialect.methods[node.type]
            owner = self.part(node, owner_place)
            name, types = self._name(self.part(node, name_place))
            block = node.child_by_field_name("block")
            arguments = self.arguments(self.part(node, arguments_place))
            if block is not None:
                arguments += (Argument(self.body_text(block), block),)
            link = Link(name, arguments, True, types, node)
            return [*(self.chain(owner) if owner is not None else ()), link]
        if node.type in dialect.members:
            owner_place, name_place = dialect.members[node.type]
            owner = self.part(node, owner_place)
            name, types = self._name(self.part(node, name_place))
            return [*(self.chain(owner) if owner is not None else ()), Link(name, types=types)]
        name, types = self._name(node)
        return [Link(name, types=types, node=node)]

    def _call_chain(self, node: Node, callee_place: Place, arguments_place: Place) -> list[Link]:
        callee = self.part(node, callee_place)
        if callee is None:
            return [Link(self.text(node), node=node)]
        links = self.chain(callee)
        arguments = self.arguments(self.part(node, arguments_place))
        last = links[-1]
        given = [self.text(child) for child in node.children if self.kind(child) == "types"]
        if given:
            last = last._replace(types=given[0].strip("<>"))
        adds_block = len(arguments) == 1 and self.kind(arguments[0].node) == "lambda"
        if not last.is_called:
            links[-1] = last._replace(arguments=arguments, is_called=True)
        elif adds_block:
            links[-1] = last._replace(arguments=last.arguments + arguments)
        else:
            links.append(Link("", arguments, True))
        return links

    def _name(self, node: Node | None) -> tuple[str, str]:
        """The name of a step, and the types it is given."""
        if node is None:
            return "", ""
        for child in node.children:
            if self.kind(child) == "types":
                name = self.text(self.parts(node)[0])
                return name, self.text(child).strip("<>")
        return self.text(node), ""

    def arguments(self, node: Node | None) -> tuple[Argument, ...]:
        if node is None:
            return ()
        if self.kind(node) == "tokens":
            return tuple(map(Argument, self._split_tokens(node)))
        nodes = self.parts(node) if self.kind(node) == "arguments" else [node]
        return tuple(map(self._argument, nodes))

    def _argument(self, node: Node) -> Argument:
        inner = node
        while self.kind(inner) == "argument" and self.parts(inner):
            inner = self.parts(inner)[-1]
        inner = self.unwrap(inner) if self.kind(self.unwrap(inner)) == "lambda" else inner
        if self.kind(inner) == "lambda":
            return Argument(self.body_text(inner), inner)
        return Argument(self.text(node), inner)

    def _split_tokens(self, node: Node) -> list[str]:
        """The arguments of a macro, which the grammar does not read."""
        groups: list[list[Node]] = [[]]
        for child in node.children[1:-1]:
            if child.type == ",":
                groups.append([])
            else:
                groups[-1].append(child)
        texts = []
        for group in groups:
            if group:
                whole = "".join(_put_blanks_around(self.text(part)) for part in group)
                texts.append(_tidy(whole))
        return texts

    def body_of(self, node: Node) -> Node:
        """What a function or a block does, without its parameters."""
        body = node.child_by_field_name("body")
        if body is not None:
            return body
        parts = self.parts(node)
        return parts[-1] if parts and self.kind(node) != "lambda" else node

    def body_text(self, node: Node) -> str:
        text = self.text(self.body_of(node))
        while text.startswith("{") and text.endswith("}"):
            text = text[1:-1].strip().removesuffix(";")
        return text.removeprefix("return ").removeprefix("do ").removesuffix(" end")

    def line(self, node: Node) -> int:
        return node.line


def _put_blanks_around(word: str) -> str:
    return f" {word} " if word[:1] not in SIGNS else word


def _tidy(text: str) -> str:
    """Blanks only between two words."""
    return re.sub(r"(?<=\W) +| +(?=\W)", "", text).strip().replace(",", ", ")


def substitute_names(text: str, values: Mapping[str, str]) -> str:
    """The text with names replaced by their values, and the names in those values too."""
    for _ in range(2):
        substituted = NAME.sub(lambda match: _substitute_name(match, values), text)
        if substituted == text or len(substituted) > MAX_SUBSTITUTED:
            break
        text = substituted
    return text


def _substitute_name(match: re.Match[str], values: Mapping[str, str]) -> str:
    """What is called has a value only if that is a name: a helper may be given a function."""
    name = match[0].removesuffix("(")
    value = known_value(name, values)
    if match[1]:
        return f"{value if PLAIN_NAME.fullmatch(value) else name}("
    return value


def known_value(name: str, values: Mapping[str, str]) -> str:
    """The value of the longest known beginning of a dotted name, and the rest as it is."""
    beginning, rest = name, ""
    while beginning not in values and "." in beginning:
        beginning, _, last = beginning.rpartition(".")
        rest = f".{last}{rest}"
    return values[beginning] + rest if beginning in values else name


def chain_text(links: list[Link]) -> str:
    """The chain as it is spelled."""
    texts = []
    for link in links:
        name = f"{link.name}<{link.types}>" if link.types else link.name
        texts.append(f"{name}({', '.join(link.texts)})" if link.is_called else name)
    return ".".join(texts)
