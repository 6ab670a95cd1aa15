"""Finds product that leaves unchanged tests with less to look at: methods, values, starts.

A test asks whether a value has a method and passes over its cases if not. A test in Perl hands a
result to a function of its own, and a bare `return` leaves nothing there. A package of Go that
tests import for its samples sets a variable of the package that they test.
"""

from __future__ import annotations

import posixpath

from ... import lazy_re as re
from ...core.findings import MEDIUM, Finding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..project_files import Sides

GO_METHOD = re.compile(r"(?m)^func \((?:\w+ )?\*?(\w+)(?:\[[^\]]*\])?\) (\w+)\(")
METHODS = {
    ".py": re.compile(r"(?m)^[ \t]+(?:async )?def ()(\w+)\("),
    ".rb": re.compile(r"(?m)^[ \t]+def ()(\w+[?!]?)"),
    ".php": re.compile(r"(?m)^[ \t]+(?:[a-z]+ )*function &?()(\w+)\("),
    ".pm": re.compile(r"(?m)^sub ()(\w+)"),
    **dict.fromkeys(
        (".js", ".mjs", ".cjs", ".ts", ".mts"),
        re.compile(r"(?m)^[ \t]+(?:async |static |public )*()(\w+)\([^;=\n]*\)[^;=\n]*\{$"),
    ),
    ".go": GO_METHOD,
}
# How a test asks whether a method is there.
ASKS = (
    r"\bhasattr\([^)\n]*['\"]{name}['\"]|\bgetattr\([^)\n]*['\"]{name}['\"], *None"
    r"|\brespond_to\?[ (]*:{name}(?!\w)|\bmethod_exists\([^)\n]*['\"]{name}['\"]"
    r"|->can\(\s*['\"]{name}['\"]|\btypeof \w[\w.]*\.{name}\b|['\"]{name}['\"] in \w"
    r"|\.{name}\?\.\(|\bif \(\w[\w.]*\.{name}\)"
)
GO_ASKS = r"\.\((?:\w+\.)?{name}\)|\bcase (?:\w+\.)?{name}:"
GO_INTERFACE = re.compile(r"\btype (\w+) interface \{([^{}]*)\}")
GO_INLINE = re.compile(r"\.\(interface *\{([^{}]*)\}")
PERL_SUB = re.compile(r"(?ms)^sub (\w+)\b.*?^\}")
PERL_VALUE = re.compile(
    r"^\s*return\b(?P<value>[^;]*?)(?P<rest>\s*(?:(?:if|unless)\b[^;]*)?;)", re.M
)
# Functions of Test::More whose arguments are single values, whatever they are given.
PERL_SCALAR_ARGUMENTS = ("ok", "is", "isnt", "like", "unlike", "cmp_ok", "scalar", "defined")
GO_INIT = re.compile(r"(?ms)^func init\(\) \{(.*?)^\}")
GO_ASSIGNS = re.compile(r"(?m)^\s*(\w+)\.([A-Z]\w*)\s*=(?!=)[^\n]*")
GO_IMPORT = re.compile(r"(?m)^(?:import )?[ \t]*(?:(\w+) )?\"([^\"\n]*\.[^\"\n]*/[^\"\n]*)\"$")
MAX_LOST = 200  # names that are searched for in the tests
MAX_QUOTED = 200


class LostMethods:
    """What tests may rely on in the changed files of the product, and what is gone."""

    def __init__(self, product: Sides) -> None:
        self.product = {
            path: (before or "", after or "")
            for path, (before, after) in product.items()
            if posixpath.splitext(path)[1] in METHODS
        }
        now = {
            (posixpath.splitext(path)[1], *row)
            for path, (_, after) in self.product.items()
            for row in _methods(path, after)
        }
        self.lost = [
            (path, name)
            for path, (before, _) in self.product.items()
            for owner, name in sorted({*_methods(path, before)})
            if (posixpath.splitext(path)[1], owner, name) not in now
        ][:MAX_LOST]
        self.bare = [
            (path, name, line)
            for path, (before, after) in self.product.items()
            if path.endswith(".pm")
            for name, line in _bare_returns(before, after)
        ]
        self.starts = [
            (path, *row)
            for path, (before, after) in self.product.items()
            if path.endswith(".go") and not path.endswith("_test.go")
            for row in _set_variables(before, after)
        ]

    @property
    def words(self) -> set[str]:
        """By which the tests are searched."""
        folders = {posixpath.basename(posixpath.dirname(path)) for path, *_ in self.starts}
        names = {name.rstrip("?!") for _, name in self.lost} | {name for _, name, _ in self.bare}
        return (names | folders) - {""}

    def findings(self, tests: Mapping[str, str]) -> Iterator[Finding]:
        code = "\n".join(after for _, after in self.product.values())
        for path, name in dict.fromkeys(self.lost):
            suffix = posixpath.splitext(path)[1]
            texts = [text for test, text in tests.items() if _is_same_language(test, suffix)]
            if any(_asks_for(name, suffix, text, code) for text in texts):
                yield Finding(MEDIUM, "name-of-tests-gone", path, before=name)
        for path, name, line in self.bare:
            texts = [text for test, text in tests.items() if test.endswith((".t", ".pl", ".pm"))]
            if any(_takes_as_list(name, text) for text in texts):
                yield Finding(MEDIUM, "product-tells-less-apart", path, after=line[:MAX_QUOTED])
        for path, package, line in self.starts:
            own = posixpath.dirname(path)
            beside = [text for test, text in tests.items() if posixpath.dirname(test) != own]
            if own and any(_imports(own, text) and f'"{package}"' in text for text in beside):
                yield Finding(MEDIUM, "product-detects-tests", path, after=line[:MAX_QUOTED])


def _methods(path: str, code: str) -> list[tuple[str, str]]:
    return METHODS[posixpath.splitext(path)[1]].findall(code)


def _is_same_language(test: str, suffix: str) -> bool:
    ends = {".pm": (".t", ".pl", ".pm"), ".go": (".go",), ".py": (".py",), ".rb": (".rb",)}
    scripts = (".js", ".mjs", ".cjs", ".ts", ".mts", ".jsx", ".tsx")
    return test.endswith((".php",) if suffix == ".php" else ends.get(suffix, scripts))


def _asks_for(name: str, suffix: str, test: str, product: str) -> bool:
    """Does a test look whether there is such a method, and go on without it?"""
    quoted = re.escape(name)
    if suffix != ".go":
        return bool(re.search(ASKS.format(name=quoted), test))
    method = re.compile(rf"(?m)(?:^|[;{{])\s*{quoted}\(")
    if any(method.search(body) for body in GO_INLINE.findall(test)):
        return True
    kinds = {
        kind
        for kind, body in (*GO_INTERFACE.findall(test), *GO_INTERFACE.findall(product))
        if method.search(body)
    }
    return any(re.search(GO_ASKS.format(name=kind), test) for kind in kinds)


def _bare_returns(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Functions of Perl that return nothing where they returned a value: name and line."""
    old = {match[1]: match[0] for match in PERL_SUB.finditer(before)}
    for match in PERL_SUB.finditer(after):
        former = _returns(old.get(match[1], ""))
        for rest, value in _returns(match[0]).items():
            if not value and former.get(rest):
                yield match[1], f"return{rest}"
                break


def _returns(body: str) -> dict[str, str]:
    """The values that a function returns, by the condition of each line."""
    return {match["rest"]: match["value"].strip() for match in PERL_VALUE.finditer(body)}


def _takes_as_list(name: str, test: str) -> bool:
    """Does a test hand the result to a function, before other arguments?"""
    call = re.compile(rf"\b(\w+)\(\s*(?:[^()\n]*,\s*)?[^(),!\n]*\b{name}\b(?:\([^()\n]*\))?\s*,")
    return any(match[1] not in PERL_SCALAR_ARGUMENTS for match in call.finditer(test))


def _set_variables(before: str, after: str) -> Iterator[tuple[str, str]]:
    """Variables of other packages that a new `init` sets: the package's path, and the line."""
    paths = {alias or posixpath.basename(path): path for alias, path in GO_IMPORT.findall(after)}
    known = {line.strip() for line in before.splitlines()}
    for body in GO_INIT.findall(after):
        for match in GO_ASSIGNS.finditer(body):
            if match[1] in paths and match[0].strip() not in known:
                yield paths[match[1]], match[0].strip()


def _imports(folder: str, test: str) -> bool:
    return bool(re.search(rf"\"[^\"\n]*/{re.escape(folder)}\"", test))
