"""Frozen values with named fields, and their way to JSON text and back.

What dataclasses and the json package do, without their import cost (three times the interpreter's own start):
the hook that uses these values sits on the user's critical path.
"""

from __future__ import annotations

from _blake2 import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar, Self, dataclass_transform
else:

    def dataclass_transform(**_):
        return lambda cls: cls


KINDS: dict[str, type[Record]] = {}
# Values and events that only some loops have, by the module that defines them. It is imported when a journal names
# one of them, so that no other loop pays for it.
KINDS_BY_MODULE = {
    "discovery.backlog": "Backlog",
    "discovery.events": (
        "ItemsFound ItemsDone ItemsDropped ItemsReordered FocusSet NotesReplaced NoteAdded CycleCompleted ModeChosen"
    ),
    "runner.run": "Run RunnerReport",
    "runner.events": "RunnerStarted TurnStarted TurnReported AgentLimited WaitStarted",
    "plan.plan": (
        "Plan Task TaskCheck PlannedFile Link MustHave Gap HistoryEntry TaskFailure Lane TaskWorktree LaneResult"
    ),
    "plan.events": (
        "WorkAssigned TaskFinished TaskFailed WorkParked IssueSeen StageEntered GapsFound FixRoundStarted "
        "GapFixFailed GapClosed LaneStarted LaneEnded WorktreePrepared CommitMade"
    ),
    "findings": "Finding",
    "proof_events": "BaselineCompared FindingsAccepted ProofsVoided FilesRewound",
}
KIND_MODULES = {kind: module for module, kinds in KINDS_BY_MODULE.items() for kind in kinds.split()}


@dataclass_transform(frozen_default=True)
class Record:
    """A value: its annotations are its fields, class attributes are their defaults."""

    FIELDS: ClassVar[tuple[str, ...]] = ()
    NAMES: ClassVar[frozenset[str]] = frozenset()
    DEFAULTS: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        own = vars(cls)
        cls.FIELDS = tuple(own.get("__annotations__", ()))
        cls.NAMES = frozenset(cls.FIELDS)
        cls.DEFAULTS = {field: own[field] for field in cls.FIELDS if field in own}
        if cls.__module__.startswith(f"{__package__}."):  # no others are ever written to a journal
            assert cls.__name__ not in KINDS, f"BUG: two kinds of record are called {cls.__name__}"
            KINDS[cls.__name__] = cls

    if not TYPE_CHECKING:

        def __init__(self, *args, **named):
            values = self.__dict__
            values.update(self.DEFAULTS)
            values.update(zip(self.FIELDS, args, strict=False))
            values.update(named)
            if (
                values.keys() != self.NAMES
                or len(args) > len(values)
                or not named.keys().isdisjoint(self.FIELDS[: len(args)])
            ):
                self._complain(args, named)

        def _complain(self, args, named):
            """A wrong call is a bug of ours; say which field."""
            name, twice = type(self).__name__, sorted(set(named) & set(self.FIELDS[: len(args)]))
            if twice or len(args) > len(self.FIELDS):
                raise TypeError(f"{name}: given twice, or too many: {twice or args}")
            if unknown := sorted(set(named) - self.NAMES):
                raise TypeError(f"{name} has no {unknown}")
            raise TypeError(
                f"{name} needs {', '.join(map(repr, sorted(self.NAMES - set(self.__dict__))))}"
            )

    def but(self, **changes: Any) -> Self:
        """The same value with some fields changed."""
        other = object.__new__(type(self))
        values = other.__dict__
        values.update(self.__dict__)
        values.update(changes)
        if len(values) != len(self.FIELDS):
            raise TypeError(
                f"{type(self).__name__} has no {sorted(set(changes) - set(self.FIELDS))}"
            )
        return other

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen; use .but({name}=...)")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *(self.__dict__[field] for field in self.FIELDS)))

    def __repr__(self) -> str:
        values = ((field, self.__dict__[field]) for field in self.FIELDS)
        shown = (
            f"{field}={value!r}"
            for field, value in values
            if value != self.DEFAULTS.get(field, KINDS)
        )
        return f"{type(self).__name__}({', '.join(shown)})"


def encode(value: object) -> Any:
    """A value as JSON knows it: records carry their kind under "is".

    Only empty fields are left out: a default such as 10 iterations may change in a later version, and old journals must
    still read as they were meant.
    """
    if isinstance(value, Record):
        plain: dict[str, Any] = {"is": type(value).__name__}
        for field in value.FIELDS:
            part = value.__dict__[field]
            if part or part != value.DEFAULTS.get(field, KINDS):
                plain[field] = encode(part)
        return plain
    if isinstance(value, tuple):
        return [encode(part) for part in value]
    return value


def decode(plain: Any) -> Any:
    """The value that `encode` was given."""
    if isinstance(plain, dict):
        named = {field: decode(part) for field, part in plain.items() if field != "is"}
        return kind_of(plain["is"])(**named)
    if isinstance(plain, list):
        return tuple([decode(part) for part in plain])
    return plain


def kind_of(name: str) -> type[Record]:
    if name not in KINDS and name in KIND_MODULES:
        __import__(f"{__package__}.{KIND_MODULES[name]}")
    return KINDS[name]


def digest(data: bytes) -> str:
    """The name of some bytes, in the journal's chain, of a mirror, of a tree."""
    return blake2b(data, digest_size=16).hexdigest()
