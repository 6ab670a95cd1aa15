"""Which files are code, by the ends of their names."""

from __future__ import annotations

from .. import lazy_re as re

SCRIPT_SUFFIXES = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
CODE_SUFFIXES = (
    *(".py", ".pyi", *SCRIPT_SUFFIXES, ".rs", ".go"),
    *(".rb", ".java", ".kt", ".cs", ".php", ".swift", ".c", ".cc", ".cpp", ".h", ".hpp", ".sh"),
    *(".pl", ".pm", ".t", ".bats"),
)
# A text from which a build writes code: `config.h.in` becomes `config.h`.
TEMPLATE_ENDING = re.compile(
    r"(?<=\w)\.(?:in|cmake|cmakein|m4|tmpl|tpl|template|j2|jinja2?|mako|mustache)$"
)


def is_code_template(path: str) -> bool:
    """Does a build write code from this file?"""
    return path_of_code(path) != path and path_of_code(path).endswith(CODE_SUFFIXES)


def path_of_code(path: str) -> str:
    """The path without the ending of a template."""
    return TEMPLATE_ENDING.sub("", path)
