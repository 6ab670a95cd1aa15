"""Objects of JavaScript whose fields a deep comparison no longer sees."""

from __future__ import annotations

import pytest

from loopwright.ratchet.product_rules.hidden_fields import hidden_names

CLASS = """\
class Vector {
  constructor(x, y) {
    this.x = x;
    this.y = y;
  }

  plus(other) {
    return new Vector(this.x + other.x, this.y + other.y);
  }
}
"""
SET = "    this.x = x;\n    this.y = y;\n"
FACTORY = "function vector(x, y) {\n  return { x, y };\n}\n"
FUNCTION = "function Vector(x, y) {\n  this.x = x;\n  this.y = y;\n}\n"
HIDING = {
    "properties": "    Object.defineProperties(this, { x: { value: x }, y: { value: y } });\n",
    "one property": "    this.x = x;\n    Object.defineProperty(this, 'y', { value: y });\n",
    "a property that was enumerable": SET
    + "    Object.defineProperty(this, 'y', { enumerable: false });\n",
    "all properties in a loop": SET + "    for (const key of Object.keys(this)) {\n"
    "      Object.defineProperty(this, key, { enumerable: false });\n    }\n",
    "all values in a loop": "    for (const [key, value] of Object.entries({ x, y })) {\n"
    "      Reflect.defineProperty(this, key, { value });\n    }\n",
    "descriptors from elsewhere": "    Object.defineProperties(this, constants({ x, y }));\n",
    "private fields": "    this.#x = x;\n    this.#y = y;\n",
    "accessors over a map": "    points.set(this, { x, y });\n  }\n\n"
    "  get x() {\n    return points.get(this).x;\n  }\n\n"
    "  get y() {\n    return points.get(this).y;\n",
    "an accessor that is set": SET + "  }\n\n  get y() { return hidden.get(this); }\n\n"
    "  set y(value) {\n    hidden.set(this, value);\n",
    "accessors of a decorator": SET + "  }\n\n  accessor x;\n  accessor y;\n\n  init() {\n",
    "symbols": "    this[X] = x;\n    this[Y] = y;\n  }\n\n  get x() { return this[X]; }\n\n"
    "  get y() {\n    return this[Y];\n",
    "an object of the platform": "    this.place = new URLSearchParams([['x', x], ['y', y]]);\n",
    "an object of the platform in a field": "    this.x = new Headers([['x', x]]);\n    this.y = y;\n",
    "a helper with a map": "    remember(this, { x, y });\n",
}
HELP = "const points = new WeakMap();\n"


@pytest.mark.parametrize("new", HIDING.values(), ids=HIDING.keys())
def test_a_class_that_hides_its_fields_is_named(new: str) -> None:
    after = CLASS.replace(SET, new)

    assert hidden_names(CLASS, after, HELP + after) == {"Vector"}
    assert hidden_names(after, after, after) == set()


def test_properties_of_the_prototype_are_no_fields() -> None:
    added = "Object.defineProperty(Vector.prototype, 'y', { get: read, set: write });\n"

    assert hidden_names(CLASS, CLASS + added, CLASS + added) == {"Vector"}


@pytest.mark.parametrize(
    ("before", "after", "names"),
    [
        (
            FUNCTION,
            FUNCTION.replace(
                "  this.y = y;\n", "  Object.defineProperty(this, 'y', { value: y });\n"
            ),
            {"Vector"},
        ),
        (
            FACTORY,
            FACTORY.replace(
                "{ x, y }", "Object.create(null, { x: { value: x }, y: { value: y } })"
            ),
            {""},
        ),
        (
            FACTORY,
            FACTORY.replace(
                "{ x, y }", "Object.defineProperties({}, { x: { value: x }, y: { value: y } })"
            ),
            {""},
        ),
        (FACTORY, FACTORY.replace("{ x, y }", "new Proxy({ x, y }, { ownKeys: () => [] })"), {""}),
        (FACTORY, CLASS.replace(SET, HIDING["properties"]), {"Vector"}),
    ],
)
def test_other_objects_that_hide_their_keys_are_named(before: str, after: str, names: set) -> None:
    assert hidden_names(before, after, after) == names


HONEST = {
    "a new field that is not enumerable": SET
    + "    Object.defineProperty(this, 'length', { value: Math.hypot(x, y) });\n",
    "enumerable properties": "    Object.defineProperties(this, {\n"
    "      x: { value: x, enumerable: true },\n      y: { value: y, enumerable: true },\n    });\n",
    "fields that cannot be written": SET
    + "    Object.defineProperty(this, 'y', { writable: false });\n    Object.freeze(this);\n",
    "all fields at once": "    Object.assign(this, { x, y });\n",
    "fields by a pattern": "    [this.x, this.y] = [x, y];\n",
    "fields of a base class": "    super(x, y);\n",
    "other names below accessors": "    this._x = x;\n    this._y = y;\n  }\n\n"
    "  get x() {\n    return this._x;\n  }\n\n  get y() { return this._y; }\n\n  set y(y) {\n"
    "    this._y = y;\n",
    "a private field more": SET + "    this.#log = [];\n",
    "a map beside the fields": SET + "    cache.set(this, new Map());\n",
}


@pytest.mark.parametrize("new", HONEST.values(), ids=HONEST.keys())
def test_other_fields_may_be_hidden(new: str) -> None:
    after = CLASS.replace(SET, new)

    assert hidden_names(CLASS, after, HELP + after) == set()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "class Box {\n  constructor(w, h) {\n    this.w = w;\n    this.area = w * h;\n  }\n}\n",
            "class Box {\n  constructor(w, h) {\n    this.w = w;\n    this.h = h;\n  }\n\n"
            "  get area() {\n    return this.w * this.h;\n  }\n}\n",
        ),
        (
            "",
            "class Gone extends Error {\n  constructor() {\n    super();\n"
            "    Object.defineProperty(this, 'name', { value: 'Gone' });\n  }\n}\n",
        ),
        ("", "class Circle {\n  get area() {\n    return 3;\n  }\n}\n"),
        (FACTORY, "Object.defineProperty(exports, 'x', { get: read });\n" + FACTORY),
        (
            FACTORY,
            FACTORY.replace(
                "{ x, y }", "new Proxy({ x, y }, { ownKeys: (o) => Reflect.ownKeys(o) })"
            ),
        ),
        (
            "class Box {\n  constructor(private readonly w: number) {\n    this.h = 1;\n  }\n}\n",
            "const ids = new WeakMap();\n"
            "class Box {\n  constructor(private readonly w: number, public h = 1) {}\n"
            "  area() {\n    return this.w * this.h;\n  }\n}\n",
        ),
    ],
)
def test_values_that_can_be_computed_or_are_new_may_be_hidden(before: str, after: str) -> None:
    assert hidden_names(before, after, after) == set()


COPY = "function profile(user) {\n  return { ...user };\n}\n"
INHERITED = {
    "by create": "  return Object.create(user);\n",
    "by its prototype": "  return Object.setPrototypeOf({}, user);\n",
    "by a key": "  return { __proto__: user };\n",
}


@pytest.mark.parametrize("new", INHERITED.values(), ids=INHERITED.keys())
def test_what_is_inherited_from_another_object_is_no_field(new: str) -> None:
    after = COPY.replace("  return { ...user };\n", new)

    assert hidden_names(COPY, after, after) == {""}
    assert hidden_names(after, after + COPY, after + COPY) == set()


@pytest.mark.parametrize(
    "new",
    [
        "  const table = Object.create(null);\n  return Object.assign(table, user);\n",
        "  return Object.assign(Object.create(Profile.prototype), user);\n",
        "  return Object.assign(Object.create(prototype), user);\n",
        "  Object.setPrototypeOf(this, new.target.prototype);\n  return { ...user };\n",
    ],
)
def test_an_object_may_have_a_prototype(new: str) -> None:
    after = COPY.replace("  return { ...user };\n", new)

    assert hidden_names(COPY, after, after) == set()


def test_a_class_may_keep_an_object_of_the_platform_beside_its_fields() -> None:
    after = CLASS.replace(SET, f"{SET}    this.seen = new WeakSet();\n")

    assert hidden_names(CLASS, after, after) == set()
