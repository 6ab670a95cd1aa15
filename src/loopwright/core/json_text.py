"""JSON text, read and written by the interpreter's own C scanner and encoder.

`import json` pulls in `re`, `enum` and `collections`, which costs more than the rest of a Stop. On
an interpreter whose C module differs, json itself is used. A property test compares the two.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# No real data is nested deeper, and code that walks a value by recursion would overflow the stack.
MAX_DEPTH = 100


class JSONError(ValueError):
    """The text is not one JSON value, or the value is nested too deeply."""


class _Context:
    """The options that the C scanner reads from its decoder."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int

    @staticmethod
    def parse_constant(name: str) -> None:
        raise JSONError(f"{name} is not JSON")


try:
    from _json import encode_basestring, make_encoder, make_scanner

    _scan: Any = make_scanner(_Context)  # type: ignore[arg-type]
    _make: Any = make_encoder
    _encode: Any = _make(None, None, encode_basestring, None, ":", ",", False, False, False)
    assert _scan('{"a":[1]}', 0) == ({"a": [1]}, 9)
    assert "".join(_encode({"a": [None]}, 0)) == '{"a":[null]}'
except Exception:  # pragma: no cover - only on an interpreter whose C module differs
    import json

    _scan = json.JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]
    _encode = json.JSONEncoder(
        ensure_ascii=False, separators=(",", ":"), allow_nan=False
    ).iterencode


def loads(text: str | bytes) -> Any:
    """The one JSON value in the text. Only white space and a byte order mark may surround it."""
    try:
        whole = text.decode() if isinstance(text, bytes) else text
        whole = whole.removeprefix("\ufeff").strip(" \t\r\n")
        value, end = _scan(whole, 0)
    except StopIteration as error:
        raise JSONError(f"not JSON: no value at position {error.value}") from None
    except RecursionError:
        raise JSONError("not JSON: it is nested too deeply") from None
    except (ValueError, SystemError) as error:
        # Without json the C scanner cannot raise a JSONDecodeError and raises SystemError instead.
        raise JSONError(f"not JSON: {error!r:.120}") from None
    if end != len(whole):
        raise JSONError(f"not JSON: text after position {end}")
    if whole.count("[") + whole.count("{") > MAX_DEPTH and _is_deep(value):
        raise JSONError(
            f"not JSON that we take: brackets inside brackets, more than {MAX_DEPTH} deep"
        )
    return value


def json_object(text: str | bytes) -> dict[str, Any] | None:
    """The object that the text holds; None for any other text."""
    try:
        value = loads(text)
    except JSONError:
        return None
    return value if isinstance(value, dict) else None


def as_dict(value: object) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def _is_deep(value: Any) -> bool:
    """Is the value nested more than MAX_DEPTH deep? Walks it level by level, without recursion."""
    level: list[Any] = [[value]]
    for _ in range(MAX_DEPTH + 1):
        if not level:
            return False
        level = [
            part.values() if type(part) is dict else part
            for parts in level
            for part in parts
            if type(part) is dict or type(part) is list
        ]
    return bool(level)


def dumps(value: Any) -> str:
    """One compact line of JSON. Lone surrogates are escaped, so that the line always encodes."""
    text = "".join(_encode(value, 0))
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(map(_escape_surrogate, text))
    return text


def _escape_surrogate(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if "\ud800" <= letter <= "\udfff" else letter
