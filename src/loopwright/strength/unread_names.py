"""Parameters, options and attributes that take what the spec names, and that nothing reads.

A name of the code is read wherever it stands, except as a parameter, and where something of the
same name gets its value (`self.ttl = ttl`).
"""

from __future__ import annotations

from .. import lazy_re as re
from ..core.proof.strength import LEFT, NOT_NOTICED, StrengthItem
from ..ratchet.readers.definitions import CLASS, FUNCTION, METHOD, definitions
from .changed_files import new_code_lines
from .parts import shorten
from .text_lines import masked_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from .changed_files import ChangedFile

NOTHING_READS_IT = "the spec asks for it, and nothing reads its value"
NAME = re.compile(r"[A-Za-z_]\w+")
TYPE_OR_DEFAULT = re.compile(r":\s*[^,(){}=\n]+|=\s*[^,(){}\[\]\n]+")  # of a parameter
KIND = r"(?:argument|parameter|option|flag|keyword)s?"
IS_NOT_READ = re.compile(r"(?i)\b(?:ignor\w+|unused|reserved|placeholder|for later|compatib\w+)\b")
OPTION = re.compile(r"(?<![\w-])--([a-z][\w-]+)")
MAKES_ATTRIBUTE = re.compile(r"\badd_(?:argument|option)\(")  # in Python: `args.level`
DECLARES_OPTION = re.compile(r"\badd_(?:argument|option)\(|\b[oO]ption\(|\bflag\.\w+\(")
# `self.limits = {`, with further lines while one ends with a bracket or a comma.
STORES = r"(?:\b(?:self|this)\.|@)(?P<name>{name})[ \t]*(?::[^=\n]+)?=(?![=>~])"
ATTRIBUTE = re.compile(
    STORES.format(name=r"[A-Za-z]\w+") + r"(?P<value>(?:[^\n]*[{(\[,][ \t]*\n)*[^\n]*)"
)
HAS_BASE = re.compile(r"\bextends\b|[(<:]\s*[A-Za-z]")  # a class whose base may read it
READS_ALL_OPTIONS = re.compile(r"\bvars\(|\*\*|\.\.\.")


def unread_names(
    files: list[ChangedFile],
    tests: Iterable[ChangedFile],
    read_product: Callable[[], Mapping[str, str]],
    spec: str,
) -> list[StrengthItem]:
    """Where new code takes in what the spec names and then forgets it."""
    if IS_NOT_READ.search(spec):
        return []
    known = {name for file in files for name in NAME.findall(file.before or "")}
    asked = {*NAME.findall(spec)} - known
    changed = {file.path: file.after or "" for file in files}
    tested = [file.after or "" for file in tests]
    items: list[StrengthItem] = []
    for file in files:
        for name, line in _new_parameters(file).items():
            if name not in asked or not _is_forgotten(name, spec, changed, tested):
                continue
            others = [text for path, text in read_product().items() if path not in changed]
            if not any(_word(name).search(text) for text in others):
                items.append(_item(file, line))
        lines = _forgotten_options(file, spec, known, read_product)
        items += [_item(file, line) for line in lines]
        lines = _forgotten_attributes(file, spec, known, lambda: {**read_product(), **changed})
        items += [_item(file, line) for line in lines]
    return items


def _item(file: ChangedFile, line: int) -> StrengthItem:
    row = shorten((file.after or "").split("\n")[line - 1].strip())
    return StrengthItem(LEFT, file.path, line, f"`{row}`", NOT_NOTICED, NOTHING_READS_IT)


def _new_parameters(file: ChangedFile) -> dict[str, int]:
    """The parameters of functions that changed, each with the line where it stands."""
    text, lines = file.after or "", new_code_lines(file)
    found: dict[str, int] = {}
    for first, brackets in _parameter_lists(file.path, text):
        for number, row in enumerate(brackets.split("\n"), first):
            if number in lines:
                names = NAME.findall(TYPE_OR_DEFAULT.sub("", row))
                found |= {name: number for name in names if name not in found}
    return found


def _parameter_lists(path: str, text: str) -> Iterator[tuple[int, str]]:
    """The brackets after the name of each function, with the number of their first line."""
    for each in definitions(path, text):
        if each.kind in (FUNCTION, METHOD):
            code = masked_text(path, each.text)
            start = code.find("(")
            end = _closing(code, start)
            if 0 <= start < end:
                yield each.first + code.count("\n", 0, start), code[start:end]


def _closing(text: str, start: int) -> int:
    """Behind the bracket that closes the one at the start; -1 without one."""
    depth = 0
    for bracket in re.finditer(r"[()]", text[max(start, 0) :]):
        depth += 1 if bracket[0] == "(" else -1
        if depth == 0:
            return start + bracket.end()
    return -1


def _word(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])_?{re.escape(name)}(?!\w)")


def _is_forgotten(name: str, spec: str, changed: Mapping[str, str], tests: Iterable[str]) -> bool:
    word = _word(name)
    stored = _storing_line(name)
    is_kept = False
    for path, text in changed.items():
        code = masked_text(path, text)
        is_kept = is_kept or bool(stored.search(code))
        uses = len(word.findall(stored.sub("", code)))
        parameters = sum(len(word.findall(part)) for _, part in _parameter_lists(path, text))
        if uses > parameters or _is_in_string(name, text, code):
            return False
    if any(re.search(rf"\.{re.escape(name)}\b(?!\s*=[^=])", text) for text in tests):
        return False
    return is_kept or _is_called_a_name(name, spec)


def _storing_line(name: str) -> re.Pattern[str]:
    """A line in which something of this name gets a value, or is declared as a field."""
    word = rf"_?{re.escape(name)}"
    return re.compile(
        rf"^[ \t]*(?:(?:self|this|cls)\.|@|(?:const|let|var|my|local)[ \t]+)?{word}"
        rf"[ \t]*(?::[^=\n]+)?(?:=(?![=>])|:=).*$|\b{word}:[ \t]*{word}\b"
        rf"|^[ \t]*(?:(?:private|public|protected|readonly)[ \t]+)*{word}(?:[?!]?:[^=\n]+;"
        rf"|[ \t]+[\w.*\[\]]+)$",
        re.M,
    )


def _is_in_string(name: str, text: str, code: str) -> bool:
    """Does a string hold exactly this name, or put its value in: `${name}`, `{self.name}`?"""
    word = re.escape(name)
    found = re.finditer(rf"[\"']{word}[\"']|\{{[^{{}}\n]*\b_?{word}\b", text)
    return any(not code[match.start() : match.end()].strip() for match in found)


def _is_called_a_name(name: str, spec: str) -> bool:
    """Does the spec say that it means a name of the code?"""
    word = re.escape(name)
    called = rf"`[^`\n]*\b{word}\b[^`\n]*`|(?i:\b{KIND}) `?{word}\b|\b{word}`? (?i:{KIND})\b"
    is_in_code = "_" in name or bool(re.search("[a-z][A-Z]", name))
    return is_in_code or bool(re.search(called, spec))


def _forgotten_options(
    file: ChangedFile, spec: str, known: set[str], read_product: Callable[[], Mapping[str, str]]
) -> Iterator[int]:
    """The new lines that declare an option of the spec, whose value no other line reads."""
    rows, new = (file.after or "").split("\n"), new_code_lines(file)
    for option in dict.fromkeys(OPTION.findall(spec)):
        head, *rest = option.split("-")
        names = {option, option.replace("-", "_"), head + "".join(map(str.capitalize, rest))}
        declared = re.compile(rf"[\"']--?{re.escape(option)}(?![\w-])")
        lines = [number for number, row in enumerate(rows, 1) if declared.search(row)]
        if len(lines) != 1 or lines[0] not in new:
            continue
        [line] = lines
        call = "\n".join(rows[max(0, line - 3) : line])  # it may begin in a line above
        is_attribute = bool(MAKES_ATTRIBUTE.search(call)) and "dest" not in call
        if not DECLARES_OPTION.search(call) or not (is_attribute or names.isdisjoint(known)):
            continue
        any_name = "|".join(map(re.escape, names))
        form = r"(?:\.|[\"'])(?:{})(?!\w)" if is_attribute else r"(?<![\w-])(?:{})(?![\w-])"
        read = re.compile(form.format(any_name))
        left = [text for path, text in read_product().items() if path != file.path]
        left.append("\n".join([*rows[: line - 1], *rows[line:]]))
        if not any(read.search(text) or READS_ALL_OPTIONS.search(text) for text in left):
            yield line


def _forgotten_attributes(
    file: ChangedFile, spec: str, known: set[str], read_product: Callable[[], Mapping[str, str]]
) -> Iterator[int]:
    """Where something of the spec is stored in a new attribute, and no product reads that.

    A test may read it. An attribute that the spec names may be there for its users.
    """
    code, lines = masked_text(file.path, file.after or ""), new_code_lines(file)
    asked = {name for name in {*NAME.findall(spec)} if _is_called_a_name(name, spec)}
    for match in ATTRIBUTE.finditer(code):
        name, line = match["name"], code.count("\n", 0, match.start()) + 1
        is_new = line in lines and name not in known and not _word(name).search(spec)
        if not is_new or asked.isdisjoint(NAME.findall(match["value"])):
            continue
        stores = re.compile(STORES.format(name=name))
        texts = read_product().values()
        is_read = any(re.search(rf"\b{name}\b", stores.sub("", text)) for text in texts)
        if not is_read and not _has_base(file, line):
            yield line


def _has_base(file: ChangedFile, line: int) -> bool:
    found = definitions(file.path, file.after or "")
    around = [each for each in found if each.kind == CLASS and each.first <= line <= each.last]
    return any(HAS_BASE.search(each.head.rstrip(" {:")) for each in around)
