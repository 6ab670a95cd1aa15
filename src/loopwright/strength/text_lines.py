"""Reads other languages by their text: lines that can matter, and those for another machine."""

from __future__ import annotations

import posixpath
import sys

from .. import lazy_re as re
from ..checks.code_files import CODE_SUFFIXES
from ..repo.sources import SourceFile, code_text, file_ending

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Facts = tuple[dict[int, tuple[int, int]], dict[int, str]]

HASH_LANGUAGES = (".sh", ".bash", ".zsh", ".bats")
# Lines by whose loss no check can be expected to fail: brackets, imports, types, logging.
CANNOT_MATTER = re.compile(
    r"\s*(?:[\s(){}\[\];,]*|(?:\}?\s*else\s*\{?|then|do|done|fi|esac|end|begin|;;|default:)"
    r"|(?:import|package|use|using|namespace|#include|from|require_relative|extern crate)\b.*"
    r"|(?:export\s+)?(?:type|interface)\s+\w+[^=]*[={].*|(?:public|private|protected):"
    r"|(?:const|var|let)\s+[\w$\s{},:*]+=\s*require\(.*|#!.*|[\"']use strict[\"'];?"
    r"|#\s*(?:if|ifdef|ifndef|elif|else|endif|pragma|undef|define \w+)\b.*"
    r"|@\w[\w.]*(?:\(.*\))?|#\[.*\]|local\s+\w+)\s*$"
)
LOG_LINE = re.compile(
    r"\s*(?:console\.(?:debug|info|warn|error|trace)|(?:this\.|self\.)?_?log(?:ger)?\.\w+"
    r"|(?:log|slog|klog|tracing)(?:\.|::)\w+|(?:debug|info|warn|error|trace)!)\s*\(.*\)\s*;?\s*$"
)
# A condition on the machine: what begins a block that may not run here.
MACHINE_HEADS = (
    re.compile(r"\bprocess\.(?:platform|versions?|arch)\b|\bos\.(?:platform|arch|type)\(\)"),
    re.compile(r"\btypeof\s+(?:window|document|Deno|Bun|navigator|globalThis\.\w+)\b"),
    re.compile(r"\bruntime\.(?:GOOS|GOARCH|Version\()"),
    re.compile(r"#!?\[cfg(?:_attr)?\((?!test\b)|\bcfg!\("),
    re.compile(
        r"^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b_{0,2}(?:WIN|APPLE|linux|unix|BSD|MSC|ANDROID)"
    ),
    re.compile(
        r"\bRUBY_(?:PLATFORM|VERSION|ENGINE)\b|\bPHP_(?:OS|VERSION)\w*|\$OSTYPE\b|\buname\b"
    ),
    re.compile(r"\bRuntimeInformation\.|\bOperatingSystem\.Is|getProperty\(\"os\.name\""),
)
GO_NAME = re.compile(
    r"_(aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris"
    r"|wasip1|windows)(?:_\w+)?\.go$"
)
GO_CONSTRAINT = re.compile(r"^//\s*\+build |^//go:build ", re.M)
ON_MACHINE = "a condition on the platform or the version"
MAX_BLOCK = 400  # lines


def masked_text(path: str, text: str) -> str:
    """The text without comments and strings, each as many blanks; lines keep their numbers."""
    if file_ending(path) in HASH_LANGUAGES:
        return re.sub(r"(?m)(?:^|(?<=[\s;]))#[^\n]*", lambda m: " " * len(m[0]), text)
    return code_text(SourceFile(path, text), strings=False)


def text_facts(path: str, text: str) -> Facts:
    """Spans and conditions by line; each line is its own statement."""
    rows = text.split("\n")
    masked = masked_text(path, text).split("\n") if path.endswith(CODE_SUFFIXES) else rows
    spans = {
        number: (number, number)
        for number, (row, code) in enumerate(zip(rows, masked, strict=False), 1)
        if code.strip() and not CANNOT_MATTER.match(code) and not LOG_LINE.match(row)
    }
    return spans, _conditions(path, text, rows, masked)


def _conditions(path: str, text: str, rows: list[str], masked: list[str]) -> dict[int, str]:
    name = GO_NAME.search(posixpath.basename(path))
    is_elsewhere = bool(name) and not sys.platform.startswith(str(name and name[1]))
    if is_elsewhere or (path.endswith(".go") and GO_CONSTRAINT.search(text)):
        return dict.fromkeys(range(1, len(rows) + 1), ON_MACHINE)
    found: dict[int, str] = {}
    for number, row in enumerate(rows, 1):
        if any(head.search(row) for head in MACHINE_HEADS):
            found |= dict.fromkeys(_block_from(number, masked), ON_MACHINE)
    return found


def _block_from(number: int, rows: list[str]) -> Iterator[int]:
    """The lines of the block that this line begins, by its brackets, `#endif`, `fi` or `end`."""
    if rows[number - 1].lstrip().startswith("#") and "[" not in rows[number - 1]:
        ends = (n for n in range(number, len(rows)) if re.match(r"\s*#\s*endif", rows[n]))
        yield from range(number + 1, next(ends, number) + 1)
        return
    depth, has_opened = 0, False
    for line in range(number, min(len(rows), number + MAX_BLOCK) + 1):
        code = rows[line - 1]
        depth += len(re.findall(r"\{|\b(?:then|do)\b", code))
        has_opened = has_opened or depth > 0
        depth -= len(re.findall(r"\}|\b(?:fi|done|end)\b", code))
        yield line
        if has_opened and depth <= 0 and not re.search(r"\belse\b", code):
            return
        if not has_opened and line > number + 1:
            return
