"""Frozen values with named fields, and their way to JSON text and back.

What dataclasses and the json package do, without their import cost (three times the interpreter's own start):
the hook that uses these values sits on the user's critical path.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self, dataclass_transform
else:

    def dataclass_transform(**_):
        return lambda cls: cls


KINDS: dict[str, type[Record]] = {}


@dataclass_transform(frozen_default=True)
class Record:
    """A value: its annotations are its fields, class attributes are their defaults."""

    FIELDS: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls.FIELDS = tuple(vars(cls).get("__annotations__", ()))
        KINDS[cls.__name__] = cls

    if not TYPE_CHECKING:

        def __init__(self, *args, **named):
            values = self.__dict__
            values.update(zip(self.FIELDS, args, strict=False))
            values.update(named)
            if len(args) + len(named) != len(self.FIELDS) or len(values) != len(self.FIELDS):
                self._complete(len(args), named)

        def _complete(self, given, named):
            """Fill in the defaults; a wrong call is a bug and says which field."""
            name, values = type(self).__name__, self.__dict__
            if given > len(self.FIELDS) or set(named) & set(self.FIELDS[:given]):
                raise TypeError(f"{name}: a field is given twice, or too many are")
            for field in self.FIELDS:
                if field not in values:
                    try:
                        values[field] = getattr(type(self), field)
                    except AttributeError:
                        raise TypeError(f"{name} needs {field!r}") from None
            if len(values) != len(self.FIELDS):
                raise TypeError(f"{name} has no {sorted(set(values) - set(self.FIELDS))}")

    def but(self, **changes: Any) -> Self:
        """The same value with some fields changed."""
        return type(self)(**{**self.__dict__, **changes})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; use .but({name}=...)")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.items()))

    def __repr__(self) -> str:
        shown = (f"{f}={v!r}" for f, v in self.__dict__.items() if v != getattr(type(self), f, KINDS))
        return f"{type(self).__name__}({', '.join(shown)})"


def encode(value: object) -> Any:
    """A value as JSON knows it: records carry their kind under "is".

    Only empty fields are left out: a default such as 10 iterations may change in a later version, and old journals must
    still read as they were meant.
    """
    if isinstance(value, Record):
        kind = type(value)
        plain: dict[str, Any] = {"is": kind.__name__}
        for field, part in value.__dict__.items():
            if part or part != getattr(kind, field, KINDS):
                plain[field] = encode(part)
        return plain
    if isinstance(value, tuple):
        return [encode(part) for part in value]
    return value


def decode(plain: Any) -> Any:
    """The value that `encode` was given."""
    if isinstance(plain, dict):
        named = {field: decode(part) for field, part in plain.items() if field != "is"}
        return KINDS[plain["is"]](**named)
    if isinstance(plain, list):
        return tuple([decode(part) for part in plain])
    return plain


# The JSON front: the interpreter's own C scanner and encoder. `import json` pulls in `re`, `enum` and `collections`.
# Anything unusual falls back to json itself; a property test holds the two together.


class JSONError(ValueError):
    """The text is not one JSON value."""


class _Context:
    """What the C scanner wants to know about its decoder."""

    strict = False
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int

    @staticmethod
    def parse_constant(name: str) -> None:
        raise JSONError(f"{name} is not JSON")


try:
    from _json import encode_basestring, make_encoder, make_scanner

    _scan: Any = make_scanner(_Context)  # type: ignore[arg-type]
    _encode: Any = make_encoder(None, None, encode_basestring, None, ":", ",", False, False, False)  # type: ignore[arg-type]
    assert _scan('{"a":[1]}', 0) == ({"a": [1]}, 9)
    assert "".join(_encode({"a": [None]}, 0)) == '{"a":[null]}'
except Exception:  # pragma: no cover - only on an interpreter whose C module differs
    import json

    _scan = json.JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]
    _encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).iterencode


def loads(text: str | bytes) -> Any:
    """The one JSON value in the text. A byte order mark is tolerated, anything else around it is not."""
    try:
        whole = (text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")).strip(" \t\r\n")
        value, end = _scan(whole, 0)
    except (StopIteration, ValueError, RecursionError, OverflowError) as error:
        raise JSONError(f"not JSON: {error!r:.120}") from None
    if end != len(whole):
        raise JSONError(f"not JSON: text after position {end}")
    return value


def dumps(value: Any) -> str:
    """One line of JSON, compact, Unicode as it is; lone surrogates are escaped, so that the line always encodes."""
    text = "".join(_encode(value, 0))
    if text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text):
        return text
    return "".join(f"\\u{ord(letter):04x}" if "\ud800" <= letter <= "\udfff" else letter for letter in text)
